//! Any bytes as one file, cut by its own first byte: no panic, and every record is accounted for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use queryscope::session::Session;

fuzz_target!(|data: &[u8]| {
    let Some((&size, bytes)) = data.split_first() else { return };
    let mut session = Session::default();
    session.open("fuzz");
    bytes.chunks(usize::from(size).max(1)).for_each(|part| session.push(part));
    session.close(None);
    session.build();
    for file in session.report() {
        assert_eq!(file.records, file.used + file.reported);
    }
});
