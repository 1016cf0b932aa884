#![no_main]

#[path = "../oracle.rs"]
mod oracle;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    oracle::TARGETS.iter().filter(|target| target.name == "queryscope").for_each(|target| oracle::check(target, data));
});
