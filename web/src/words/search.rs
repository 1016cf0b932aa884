//! Texts of the search field.

use queryscope::internal::text;

pub const PLACEHOLDER: &str = "Search names, SQL, IDs…";
pub const LABEL: &str = "Search names, SQL, IDs, connectors, threads";
pub const KEY: &str = "Press / to search";
pub const PREVIOUS: &str = "Previous hit (Shift Enter)";
pub const NEXT: &str = "Next hit (Enter)";

/// Formats the number of matches: "3 hits in 2 queries, 1 track".
pub fn found(items: u32, queries: u32, tracks: u32) -> String {
    let counted = |n: u32, one, many| (n > 0).then(|| text::counted(n.into(), one, many));
    let mut hits = counted(items, "hit", "hits");
    // A trace may have no queries, and a match may be outside of all queries.
    if let (Some(hits), Some(queries)) = (&mut hits, counted(queries, "query", "queries")) {
        *hits += &format!(" in {queries}");
    }
    let all: Vec<String> = hits.into_iter().chain(counted(tracks, "track", "tracks")).collect();
    if all.is_empty() { "No hits".to_owned() } else { all.join(", ") }
}
