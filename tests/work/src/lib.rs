//! What a user does with a file, from its bytes to the first picture and the report, as a program in which every instruction
//! can be counted.
//!
//! The test prepares a case and then lets it work, so that making the bytes is not counted.

// Their names are for the test.
#[allow(dead_code)]
mod cases;

use std::cell::RefCell;

use queryscope::export::Report;
use queryscope::protocol::{
    AnyRequest, Arrangement, ColorBy, LegendRequest, MinimapRequest, QueryList, QueryListRequest,
    SceneRequest, ViewKind, ViewSpec, Viewport,
};
use queryscope::session::Session;

thread_local! {
    static FILES: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Makes the files of a case.
// The name of a symbol is all that is unsafe about it: no other in this program is called so.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn prepare(case: u32, size: u32) {
    let files = cases::CASES.get(case as usize).map(|case| (case.files)(size)).unwrap_or_default();
    FILES.with(|all| all.replace(files));
}

/// Reads the files, and asks what the page and the command line ask first.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn work() {
    let files = FILES.with(RefCell::take);
    let mut session = Session::default();
    for file in &files {
        session.open("file");
        file.chunks(64 << 10).for_each(|part| session.push(part));
        session.close(None);
    }
    session.build();
    let view = ViewSpec::new(ViewKind::Gantt(Arrangement::Packed), ColorBy::Kind);
    let viewport = Viewport { start: 0, end: session.trace().end(), width: 1_000.0, top: 0.0, height: 800.0 };
    for request in [
        AnyRequest::from(SceneRequest { view, viewport }),
        MinimapRequest { width: 1_000 }.into(),
        LegendRequest { color: ColorBy::Kind }.into(),
        QueryListRequest { list: QueryList::default(), first: 0, count: 32 }.into(),
    ] {
        std::hint::black_box(session.answer_any(&request));
    }
    let report = session.report();
    std::hint::black_box(Report::of(session.trace(), report));
}
