//! The list of supported formats.

use crate::import::contract::{About, Format};
use crate::import::formats::{chrome, folded, kubling, monetdb, mysql, queryscope, topoexec};

/// All formats, in the order in which they are tried on a file.
pub static FORMATS: &[&dyn Format] = &[
    &kubling::Kubling,
    &topoexec::TopoExec,
    &chrome::Chrome,
    &monetdb::MonetDb,
    &mysql::MySql,
    &folded::Folded,
    &queryscope::QueryScope,
];

/// Descriptions of all formats. Unlike `FORMATS`, this does not link their readers.
pub const ABOUT: &[About] = &[
    kubling::ABOUT,
    topoexec::ABOUT,
    chrome::ABOUT,
    monetdb::ABOUT,
    mysql::ABOUT,
    folded::ABOUT,
    queryscope::ABOUT,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_lists_every_format() {
        let formats = FORMATS.iter().map(|format| format.about().id);
        assert!(formats.eq(ABOUT.iter().map(|about| about.id)));
    }
}
