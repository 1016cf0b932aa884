//! Versions of the link format: upgraders convert older links to the current version.

use super::VERSION;

type Pairs = Vec<(String, String)>;

/// Upgraders by the version that they read; each upgrader converts a link to the next version.
const UPGRADES: [fn(&mut Pairs); VERSION as usize] = [from_0, from_1, from_2];

/// The version of a link: the value of its last part `v`; 0 without one.
pub(super) fn of(pairs: &Pairs) -> u32 {
    let last = pairs.iter().rev().find(|(name, _)| name == "v");
    last.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
}

/// Converts an older link to the current version. A link of a newer version stays unchanged.
pub(super) fn upgrade(pairs: &mut Pairs, version: u32) {
    UPGRADES.iter().skip(version as usize).for_each(|upgrade| upgrade(pairs));
}

/// Links without a version hold the texts of groups and attributes, which every version understands as well as hashes.
fn from_0(_: &mut Pairs) {}

/// No viewer wrote version 1; a link with this number is read as version 2, the first numbered version.
fn from_1(_: &mut Pairs) {}

/// Version 2 called merged steps `folded` and inclusive times `whole`.
fn from_2(pairs: &mut Pairs) {
    rename(pairs, "steps", "folded", "merged");
    rename(pairs, "times", "whole", "inclusive");
}

fn rename(pairs: &mut Pairs, name: &str, old: &str, new: &str) {
    for (_, value) in pairs.iter_mut().filter(|pair| pair.0 == name && pair.1 == old) {
        *value = new.to_owned();
    }
}
