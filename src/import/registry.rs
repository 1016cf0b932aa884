//! The formats that are read.

use crate::import::contract::{About, Format};
use crate::import::formats::{chrome, folded, kubling, monetdb, mysql, topoexec};

/// All formats, in the order in which they are asked whether a file is their own.
pub static FORMATS: &[&dyn Format] = &[
    &kubling::Kubling,
    &topoexec::TopoExec,
    &chrome::Chrome,
    &monetdb::MonetDb,
    &mysql::MySql,
    &folded::Folded,
];

/// Names of all formats, and how to record each. Unlike `FORMATS` it does not link their readers.
pub const ABOUT: &[About] =
    &[kubling::ABOUT, topoexec::ABOUT, chrome::ABOUT, monetdb::ABOUT, mysql::ABOUT, folded::ABOUT];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_lists_every_format() {
        let formats = FORMATS.iter().map(|format| format.about().id);
        assert!(formats.eq(ABOUT.iter().map(|about| about.id)));
    }
}
