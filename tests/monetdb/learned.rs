//! Events that are read by comparing them with ones before, against events that are parsed.

use proptest::prelude::*;
use queryscope::session::Session;

use super::support::duplicates::{self, object, sorted, twice};
use super::{dump, open};

/// A value as a writer might put it anywhere.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "-?(0|[1-9][0-9]{0,3})",
        1 => "-?[0-9]{0,20}(\\.[0-9]{0,3})?(e[0-9]{1,2})?",
        2 => "\"([a-c]|[0-9]|ß|\\\\[\"\\\\nu0']|null){0,4}\"",
        1 => Just("null".to_owned()),
        1 => Just("true".to_owned()),
        1 => Just("NaN".to_owned()),
        1 => Just("[1,\n {\"a\":\"]\"}]".to_owned()),
        1 => Just("{}".to_owned()),
    ]
}

fn usual(values: &'static [&'static str]) -> BoxedStrategy<String> {
    duplicates::usual(values, value().boxed())
}

/// A list of arguments, twice: the same members in the same order.
fn arguments() -> impl Strategy<Value = [String; 2]> {
    let member = prop_oneof![
        3 => twice("ret", usual(&["0", "1"])),
        2 => twice("arg", usual(&["1", "2"])),
        3 => twice("var", usual(&["\"X_1\"", "\"X_2\"", "\"C_3\""])),
        1 => twice("name", usual(&["\"X_9\""])),
        3 => twice("type", usual(&["\"int\"", "\"str\"", "\"void\"", "\"bat[:int]\""])),
        2 => twice("const", usual(&["0", "1", "\"1\""])),
        3 => twice("value", usual(&["0", "\"abc\"", "\"\\\"q\\\"\"", "\"nil\"", "1.5", "\"0@0\""])),
        2 => twice("count", usual(&["7", "\"8\"", "0"])),
        2 => twice("size", usual(&["40"])),
        1 => twice("mode", usual(&["\"transient\"", "\"persistent\""])),
        2 => twice("eol", usual(&["0", "17"])),
    ];
    let one = (prop::collection::vec(member, 1..6), prop::sample::select(vec![",", ", ", ",\n "]));
    (prop::collection::vec(one, 0..4), prop::sample::select(vec![",", ", ", ",\n  "])).prop_map(
        |(all, between)| {
            [0, 1].map(|which| {
                let items: Vec<_> = all.iter().map(|(of, inner)| object(of, which, inner)).collect();
                format!("[{}]", items.join(between))
            })
        },
    )
}

/// Two events with the same members in the same order.
fn alike() -> impl Strategy<Value = [String; 2]> {
    let list = |key: &'static str| arguments().prop_map(move |lists| (key, lists));
    let member = prop_oneof![
        3 => twice("usec", usual(&["5", "0", "\"3\""])),
        2 => twice("module", usual(&["\"sql\"", "\"querylog\"", "\"user\"", "\"language\""])),
        2 => twice("function", usual(&["\"bind\"", "\"define\"", "\"dataflow\"", "\"user.main\""])),
        1 => twice("instruction", usual(&["\"bind\"", "\"define\""])),
        1 => twice("program", usual(&["\"user.main\""])),
        1 => twice("operator", usual(&["\":=\"", "\"function\"", "\"end\""])),
        1 => twice("barrier", usual(&["\"barrier\"", "\"exit\""])),
        2 => twice("state", usual(&["\"done\"", "\"start\"", "\"error\"", "\"wait\""])),
        2 => twice("phase", usual(&["\"mal_engine\"", "\"sql_to_rel\"", "\"session_end\""])),
        1 => twice("query", usual(&["\"select 1;\\n\"", "\"select \\\"a\\\"\""])),
        1 => twice("session", usual(&["\"s\"", "\"t\""])),
        1 => twice("sessionid", usual(&["\"1\"", "2"])),
        1 => twice("version", usual(&["\"11\""])),
        1 => twice("stmt", usual(&["\"X_1=0:int := sql.mvc();\"", "\"exit X_2;\""])),
        1 => twice("algorithm", usual(&["\"hash\"", "\"\""])),
        1 => twice("rss", usual(&["3"])),
        1 => twice("nvcsw", usual(&["2"])),
        1 => twice("cpuload", usual(&["[0.5, 1]"])),
        1 => twice("ctime", usual(&["1795240937112275", "1510000000.123456"])),
        4 => list("args"),
        1 => list("ret"),
        1 => list("arg"),
        1 => twice("more", value().boxed()),
    ];
    let members = (twice("pc", usual(&["0", "1", "2"])), prop::collection::vec(member, 1..7));
    (members, any::<prop::sample::Index>(), prop::sample::select(vec![",", ", ", ",\n  "])).prop_map(
        |((pc, mut members), turn, between)| {
            members.push(pc);
            duplicates::objects(members, turn, between)
        },
    )
}

const FIRST: &str = r#"{"thread":9,"clk":1,"tag":1,"phase":"first","usec":0}"#;

/// A file of the first event, which is how the reader knows how events begin, and these.
fn read(events: &[&str]) -> Session {
    open("learned.json", format!("{FIRST}\n{}\n", events.join("\n")).as_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    /// The first of the two is parsed; the second is compared with it, where they look alike.
    #[test]
    fn whichever_comes_first_teaches_the_other([a, b] in alike()) {
        let of = |n: u32, event: &str| {
            event.replacen('{', &format!(r#"{{"thread":{n},"clk":{n}000,"tag":{n},"#), 1)
        };
        let (a, b) = (of(2, &a), of(3, &b));
        let (one, other) = (read(&[&a, &b]), read(&[&b, &a]));
        prop_assert_eq!(sorted(dump(&one)), sorted(dump(&other)), "{}\n{}", a, b);
    }
}
