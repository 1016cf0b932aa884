//! Statements that were run, or replaced after they were typed, the newest first. The browser keeps them, where it allows that.

use crate::host::Mount;
use crate::sql_client::SqlClient;

/// Storage key, without prefix.
const KEY: &str = "-sql-history";
/// Stands between statements: the record separator of ASCII.
const BETWEEN: char = '\u{1e}';
/// Maximum number of statements.
const MOST: usize = 50;
/// Maximum size of all statements, in bytes.
const MOST_BYTES: usize = 100_000;

/// The statements that the browser kept; `None` if it keeps nothing.
pub fn stored(mount: &Mount) -> Option<Vec<String>> {
    let text = mount.stored(KEY)?;
    Some(text.split(BETWEEN).filter(|sql| !sql.is_empty()).map(str::to_owned).collect())
}

/// Keeps statements.
pub fn store(mount: &Mount, history: &[String]) {
    mount.store(KEY, &history.join(&BETWEEN.to_string()));
}

/// Adds a statement to those that the browser and the client keep.
pub fn add(client: &SqlClient, mount: &Mount, sql: &str) {
    // Another tab of the browser may have added statements.
    let earlier = stored(mount).unwrap_or_else(|| client.status().history.to_vec());
    let history = with(sql, &earlier);
    store(mount, &history);
    client.remember(history);
}

/// The statements with a new one, without the oldest ones beyond the limits.
pub fn with(sql: &str, earlier: &[String]) -> Vec<String> {
    let mut bytes = 0;
    let all = std::iter::once(sql).chain(earlier.iter().map(String::as_str).filter(|known| *known != sql));
    let fits = |sql: &&str| {
        bytes += sql.len();
        bytes <= MOST_BYTES
    };
    all.take(MOST).take_while(fits).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn the_newest_statements_are_kept_once() {
        let owned = |list: &[&str]| list.iter().map(|sql| (*sql).to_owned()).collect::<Vec<_>>();
        assert_eq!(with("a", &[]), owned(&["a"]));
        assert_eq!(with("b", &owned(&["a", "b", "c"])), owned(&["b", "a", "c"]));
        let many: Vec<String> = (0..MOST).map(|at| at.to_string()).collect();
        let kept = with("new", &many);
        assert_eq!((kept.len(), kept[0].as_str(), kept[MOST - 1].as_str()), (MOST, "new", "48"));
        let long = "x".repeat(MOST_BYTES / 2 + 1);
        assert_eq!(with("new", &[long.clone(), format!("{long}y"), "old".to_owned()]).len(), 2);
    }
}
