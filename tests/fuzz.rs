//! A short run of what `cargo xtask fuzz` does for long, without a fuzzer: the small traces of every format and container,
//! damaged in ways that are the same each time.

#[path = "../fuzz/oracle.rs"]
mod oracle;

use std::fs;
use std::path::{Path, PathBuf};

use oracle::{TARGETS, Target};

/// Damaged copies of each small trace.
const ROUNDS: u64 = 24;
/// What is larger is cut: a short run has many inputs rather than long ones.
const LONGEST: usize = 8 << 10;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn seeds(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = fs::read_dir(root().join("tests/traces").join(target.seeds)).expect("a folder of traces");
    let mut files: Vec<PathBuf> = folder.flatten().map(|file| file.path()).collect();
    files.retain(|path| path.is_file() && path.to_string_lossy().ends_with(target.ending));
    files.sort();
    assert!(!files.is_empty(), "{} has something to begin with", target.name);
    files.into_iter().map(|path| (path.clone(), fs::read(path).expect("a trace"))).collect()
}

/// The words of a dictionary in libFuzzer's format.
fn words(target: &Target) -> Vec<Vec<u8>> {
    let path = root().join("fuzz/dictionaries").join(format!("{}.dict", target.name));
    let text = fs::read_to_string(path).expect("a dictionary");
    text.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"').map(unquoted)).collect()
}

fn unquoted(word: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), word.as_bytes());
    while let Some((&first, after)) = rest.split_first() {
        rest = match (first, after) {
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).expect("digits");
                bytes.push(u8::from_str_radix(digits, 16).expect("a number"));
                after
            }
            (b'\\', [next, after @ ..]) => {
                bytes.push(*next);
                after
            }
            _ => {
                bytes.push(first);
                after
            }
        };
    }
    bytes
}

/// Numbers that look like chance, the same each time (xorshift64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    fn damage(&mut self, bytes: &mut Vec<u8>, words: &[Vec<u8>]) {
        let at = self.below(bytes.len() + 1);
        let end = (at + self.below(40)).min(bytes.len());
        match self.below(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part.repeat(2));
            }
            3 => {
                let (to, part) = (self.below(bytes.len() + 1), bytes[at..end].to_vec());
                bytes.splice(to..to, part);
            }
            4 => bytes[at..end].iter_mut().take(1).for_each(|byte| *byte ^= 1 << self.below(8)),
            5 => bytes[at..end].fill([0, 0xFF, b'9', b'"'][self.below(4)]),
            _ => {
                let word = words[self.below(words.len())].clone();
                let end = if self.below(2) == 0 { at } else { (at + word.len()).min(bytes.len()) };
                bytes.splice(at..end, word);
            }
        }
    }
}

fn check(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let words = words(target);
    for (path, seed) in seeds(target) {
        let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
        for round in 0..ROUNDS {
            let mut bytes = seed[..seed.len().min(LONGEST)].to_vec();
            (0..chance.below(4)).for_each(|_| chance.damage(&mut bytes, &words));
            bytes.insert(0, chance.below(256) as u8);
            let kept = bytes.clone();
            let checked = std::panic::catch_unwind(|| oracle::check(target, &bytes));
            assert!(
                checked.is_ok(),
                "{}, round {round}: {:?}",
                path.display(),
                String::from_utf8_lossy(&kept)
            );
        }
    }
}

/// A test for each, so that they run side by side.
macro_rules! targets {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*

        #[test]
        fn every_target_is_run() {
            let here = [$(stringify!($name)),*];
            assert!(TARGETS.iter().map(|target| target.name).eq(here));
            for name in here {
                assert!(root().join("fuzz/fuzz_targets").join(name).with_extension("rs").is_file(), "{name}");
            }
        }
    };
}

targets!(kubling topoexec chrome monetdb mysql folded queryscope gzip zstd bzip2 zip tar);
