//! Work grows with the file, never with its square: of whatever there may be many, twice as many take twice as long.
//!
//! No clock is read. The engine is built for WebAssembly, as it is for the page, and run by an interpreter that counts the
//! instructions: the same number on every machine, however many cases are counted at the same time.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use wasmi::{Caller, Config, Engine, ExternType, Func, Instance, Linker, Module, Store, Val};

// Their files are made where they are read.
#[allow(dead_code)]
#[path = "work/src/cases.rs"]
mod cases;

/// How many there are of something, and twice as many.
const SIZE: u32 = 1_000;
/// How much more work twice as many may be: a logarithm is allowed.
const MOST: f64 = 2.1;
/// More than any case takes.
const FUEL: u64 = 1 << 50;
const TARGET: &str = "wasm32-unknown-unknown";

/// The engine as a program: the one that the environment names, else it is built. `None`, and a line that says so, where the compiler has not
/// its target.
fn program() -> Option<Vec<u8>> {
    if let Some(built) = std::env::var_os("QUERYSCOPE_WORK") {
        return Some(std::fs::read(built).expect("the program that QUERYSCOPE_WORK names"));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc runs").stdout;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&sysroot).trim());
    if !sysroot.join("lib/rustlib").join(TARGET).is_dir() {
        eprintln!("skipped: work is not counted, as the toolchain has no {TARGET}");
        return None;
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    // Not the folder of the cargo that runs this test: that one holds it until the test is over.
    let target = target.join("work");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "queryscope-work", "--target", TARGET, "--target-dir"])
        .arg(&target)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .current_dir(root)
        .status()
        .expect("cargo runs");
    assert!(built.success(), "the engine is built for {TARGET}");
    Some(std::fs::read(target.join(TARGET).join("debug/queryscope_work.wasm")).expect("it was built"))
}

/// Instructions from the bytes of a case to its first picture and its report.
fn work(engine: &Engine, module: &Module, case: usize, size: u32) -> u64 {
    let mut store = Store::new(engine, ());
    store.set_fuel(FUEL).expect("fuel is counted");
    let mut linker = Linker::new(engine);
    // What libraries would ask of a browser, the engine never calls.
    for import in module.imports() {
        let ExternType::Func(kind) = import.ty() else { panic!("{} is no function", import.name()) };
        let name = import.name().to_owned();
        let missing = move |_: Caller<()>, _: &[Val], _: &mut [Val]| Err(wasmi::Error::new(name.clone()));
        let function = Func::new(&mut store, kind.clone(), missing);
        linker.define(import.module(), import.name(), function).expect("each is imported once");
    }
    let instance: Instance = linker.instantiate_and_start(&mut store, module).expect("a program");
    let prepare = instance.get_typed_func::<(u32, u32), ()>(&store, "prepare").expect("a function");
    prepare.call(&mut store, (case as u32, size)).expect("the files are made");
    let before = store.get_fuel().expect("fuel is counted");
    let work = instance.get_typed_func::<(), ()>(&store, "work").expect("a function");
    work.call(&mut store, ()).unwrap_or_else(|error| panic!("{}: {error}", cases::CASES[case].name));
    before - store.get_fuel().expect("fuel is counted")
}

/// Counts of cases, in their order, made by as many threads as there are cores.
fn side_by_side(
    cases: &[usize],
    count: impl Fn(usize) -> [u64; 3] + Sync,
) -> impl Iterator<Item = (usize, [u64; 3])> {
    let next = AtomicUsize::new(0);
    let counted = || {
        let mut counted = Vec::new();
        while let Some(&case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            counted.push((case, count(case)));
        }
        counted
    };
    let mut all = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(counted)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("its panic says why")).collect::<Vec<_>>()
    });
    all.sort_unstable();
    all.into_iter()
}

#[test]
fn twice_as_much_of_anything_is_twice_the_work() {
    let Some(program) = program() else { return };
    let mut config = Config::default();
    config.consume_fuel(true);
    let engine = Engine::new(&config);
    let module = Module::new(&engine, &program[..]).expect("a module");
    let only = std::env::var("CASE").unwrap_or_default();
    let chosen: Vec<usize> =
        (0..cases::CASES.len()).filter(|&at| cases::CASES[at].name.contains(&only)).collect();
    let counts = side_by_side(&chosen, |at| [0, SIZE, 2 * SIZE].map(|size| work(&engine, &module, at, size)));
    let mut worse = Vec::new();
    for (at, [none, once, twice]) in counts {
        let case = &cases::CASES[at];
        // What every trace takes, however small it is, hides nothing.
        let (once, twice) = (once.saturating_sub(none), twice.saturating_sub(none));
        let grows = twice as f64 / once as f64;
        println!("{grows:.2} × ({} instructions for each): {}", once / u64::from(SIZE), case.name);
        assert!(once > 100 * u64::from(SIZE), "{} is read: {once}", case.name);
        if grows > MOST {
            worse.push(format!("{}: {grows:.2} ×", case.name));
        }
    }
    assert!(worse.is_empty(), "work grows faster than the file:\n{}", worse.join("\n"));
}
