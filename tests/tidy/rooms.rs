//! Checks the dependencies between the engine's modules, called rooms. A room may only use rooms above it in the table,
//! which prevents cycles.

use std::collections::BTreeSet;

use crate::{code, engine_without_tests, names_after, sources};

/// Every room with all the rooms that it uses. A room is a module of the crate; inside `import`, a submodule.
const ROOMS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("protocol", &[]),
    ("chart", &["base", "protocol"]),
    ("sql", &["protocol"]),
    ("trace", &["base"]),
    ("testing", &["base", "trace"]),
    ("import::recipes", &[]),
    ("import::text", &[]),
    ("import::contract", &["base", "import::text", "protocol", "trace"]),
    ("import::grouped_indices", &[]),
    ("import::interval_nesting", &["base", "trace"]),
    ("import::track_writer", &["base", "import::contract", "import::interval_nesting", "trace"]),
    ("import::packing", &["base", "import::contract", "protocol"]),
    ("import::scalars", &["base"]),
    ("import::json", &["base", "import::contract", "import::scalars", "import::text"]),
    ("import::tables", &["base", "import::contract", "import::json", "import::scalars", "import::text"]),
    ("import::attributes", &["base", "import::contract", "import::json", "import::scalars", "trace"]),
    (
        "import::formats",
        &[
            "base",
            "import::attributes",
            "import::contract",
            "import::grouped_indices",
            "import::interval_nesting",
            "import::json",
            "import::scalars",
            "import::tables",
            "import::text",
            "import::track_writer",
            "trace",
        ],
    ),
    ("import::registry", &["import::contract", "import::formats"]),
    (
        "import::source",
        &[
            "base",
            "import::contract",
            "import::json",
            "import::packing",
            "import::registry",
            "import::text",
            "protocol",
            "trace",
        ],
    ),
    (
        "import::session",
        &[
            "base",
            "import::contract",
            "import::packing",
            "import::registry",
            "import::source",
            "protocol",
            "trace",
        ],
    ),
    ("import", &[]),
    ("analysis", &["base", "protocol", "sql", "trace"]),
    ("stats", &["analysis", "base", "protocol", "sql", "trace"]),
    ("compare", &["analysis", "base", "protocol", "trace"]),
    ("pivot", &["analysis", "base", "protocol", "sql", "trace"]),
    ("rows", &["analysis", "base", "protocol", "sql", "trace"]),
    ("reconcile", &["base", "pivot", "protocol", "trace"]),
    ("view", &["analysis", "base", "compare", "protocol", "stats", "trace"]),
    (
        "export",
        &[
            "analysis",
            "base",
            "compare",
            "import",
            "pivot",
            "protocol",
            "reconcile",
            "rows",
            "sql",
            "stats",
            "trace",
            "view",
        ],
    ),
    (
        "session",
        &[
            "analysis",
            "base",
            "compare",
            "export",
            "import",
            "pivot",
            "protocol",
            "reconcile",
            "rows",
            "sql",
            "stats",
            "trace",
            "view",
        ],
    ),
    ("command_line", &["base", "import", "protocol", "rows", "session"]),
];

/// Returns the room of a file. `None` for the crate's root and the command line.
fn room_of(file: &str) -> Option<String> {
    let mut parts = file.strip_prefix("src/")?.split(['/', '.']);
    match (parts.next()?, parts.next()?) {
        ("lib" | "bin", _) => None,
        ("import", "mod") => Some("import".to_owned()),
        ("import", inner) => Some(format!("import::{inner}")),
        (room, _) => Some(room.to_owned()),
    }
}

/// Returns the rooms that the code of a room uses. Outside of `import`, its submodules count as one room.
fn rooms_used(room: &str, text: &str) -> BTreeSet<String> {
    let text = code(text);
    let is_inside = room == "import" || room.starts_with("import::");
    let mut used: BTreeSet<String> = names_after(&text, "crate::").into_iter().collect();
    if is_inside {
        used.remove("import");
        used.extend(names_after(&text, "crate::import::").iter().map(|name| format!("import::{name}")));
    }
    used.remove(room);
    used
}

#[test]
fn rooms_use_exactly_what_the_table_says() {
    let mut used: Vec<(String, BTreeSet<String>)> = Vec::new();
    for (file, text) in engine_without_tests() {
        let Some(room) = room_of(&file) else { continue };
        let rooms = rooms_used(&room, &text);
        match used.iter_mut().find(|(known, _)| *known == room) {
            Some((_, known)) => known.extend(rooms),
            None => used.push((room, rooms)),
        }
    }
    let mut table: Vec<(String, BTreeSet<String>)> = ROOMS
        .iter()
        .map(|(room, rooms)| ((*room).to_owned(), rooms.iter().map(|room| (*room).to_owned()).collect()))
        .collect();
    used.sort();
    table.sort();
    let differences: Vec<_> = used
        .iter()
        .filter(|row| !table.contains(row))
        .map(|row| format!("in the code: {row:?}"))
        .chain(table.iter().filter(|row| !used.contains(row)).map(|row| format!("in the table: {row:?}")))
        .collect();
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn no_room_imports_in_a_circle() {
    for (at, (room, rooms)) in ROOMS.iter().enumerate() {
        for used in *rooms {
            let is_above = ROOMS[..at].iter().any(|(above, _)| above == used);
            assert!(is_above, "{room} uses {used}, which must stand above it in the table");
        }
    }
}

/// A format may use what all formats share, but no other format.
#[test]
fn formats_know_no_other_format() {
    let mut wrong = Vec::new();
    for (file, text) in sources("src/import/formats") {
        let own = file.split('/').nth(3).unwrap_or_default();
        let others = names_after(&code(&text), "formats::");
        wrong.extend(others.iter().filter(|name| *name != own).map(|name| format!("{file} uses {name}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn these_checks_can_fail() {
    assert_eq!(room_of("src/import/json/mod.rs").as_deref(), Some("import::json"));
    assert_eq!(room_of("src/import/session.rs").as_deref(), Some("import::session"));
    assert_eq!(room_of("src/view/lane.rs").as_deref(), Some("view"));
    assert_eq!(room_of("src/lib.rs"), None);
    let text = "use crate::import::{json, text::lines::Place};\nuse crate::trace::Trace;";
    assert_eq!(Vec::from_iter(rooms_used("import::csv", text)), ["import::json", "import::text", "trace"]);
    assert_eq!(Vec::from_iter(rooms_used("view", text)), ["import", "trace"]);
}
