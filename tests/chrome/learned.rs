//! Events that are read by comparing them with ones before, against events that are parsed.

use proptest::prelude::*;
use queryscope::session::Session;

use super::support::duplicates::{self, sorted, twice};
use super::{dump, open};

/// A value as a writer might put it anywhere.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,5})?",
        1 => "-?[0-9]{0,20}(\\.[0-9]{0,3})?(e[0-9]{1,2})?",
        2 => "\"([a-c]|[0-9]|ß|\\\\[\"\\\\nu]|null){0,4}\"",
        1 => Just("null".to_owned()),
        1 => Just("true".to_owned()),
        1 => Just("NaN".to_owned()),
        1 => Just("[1,\n {\"a\":\"]\"}]".to_owned()),
        1 => Just("{}".to_owned()),
        1 => Just("{\"a\":{\"b\":{\"c\":{\"d\":1}}}}".to_owned()),
    ]
}

fn usual(values: &'static [&'static str]) -> BoxedStrategy<String> {
    duplicates::usual(values, value().boxed())
}

/// Two events with the same members in the same order.
fn alike() -> impl Strategy<Value = [String; 2]> {
    let member = prop_oneof![
        3 => twice("cat", usual(&["\"c\"", "\"d,e\"", "\"\""])),
        2 => twice("tdur", usual(&["1", "2.5"])),
        2 => twice("id", usual(&["1", "\"0x1\""])),
        1 => twice("id2", usual(&["{\"local\":\"1\"}", "{\"global\":2}", "{\"local\":1,\"global\":2}"])),
        1 => twice("s", usual(&["\"g\"", "\"p\""])),
        1 => twice("bp", usual(&["\"e\""])),
        1 => twice("scope", usual(&["\"x\""])),
        1 => twice("tts", usual(&["1.5"])),
        1 => twice("bind_id", usual(&["1"])),
        1 => twice("flow_out", usual(&["true", "1"])),
        6 => twice("args", usual(&["{\"x\":1}", "{\"x\":2.5,\"y\":\"z\"}", "{\"x\":{\"y\":1}, \"x.y\":2}", "{\"category\":1}"])),
        3 => twice("more", value().boxed()),
    ];
    let members = (
        twice("ph", usual(&["\"X\"", "\"B\"", "\"i\"", "\"C\"", "\"b\"", "\"s\"", "\"T\"", "\"XX\""])),
        twice("ts", usual(&["1", "1.5", "2.0005", "-3", "\"4.5\"", "1e3"])),
        twice("dur", usual(&["1", "0.25", "-1", "0"])),
        twice("name", usual(&["\"a\"", "\"b\\n\"", "\"process_name\"", "\"\""])),
        prop::collection::vec(member, 0..5),
    );
    (members, any::<prop::sample::Index>(), prop::sample::select(vec![",", ",\n  "])).prop_map(
        |((ph, ts, dur, name, more), turn, between)| {
            let members = [ph, ts, dur, name].into_iter().chain(more).collect();
            duplicates::objects(members, turn, between)
        },
    )
}

const FIRST: &str = r#"{"ph":"X","pid":9,"tid":9,"ts":0,"dur":1,"name":"first"}"#;

/// A file of the first event, which is how the reader knows how events begin, and these. Each stands in a process of its
/// own, so that neither nests in the other.
fn read(events: &[&str]) -> Session {
    open("learned.json", format!("[{FIRST},\n{}]", events.join(",\n")).as_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The first of the two is parsed; the second is compared with it, where they look alike.
    #[test]
    fn whichever_comes_first_teaches_the_other([a, b] in alike(), quote in prop::sample::select(vec!["", "\""])) {
        let of = |process: u8, event: &str| {
            // A global id joins what processes do, in the track of the first: each has its own.
            let event = event.replace(r#""global":2"#, &format!(r#""global":{process}"#));
            event.replacen('{', &format!(r#"{{"pid":{quote}{process}{quote},"tid":7,"#), 1)
        };
        let (a, b) = (of(1, &a), of(2, &b));
        let (one, other) = (read(&[&a, &b]), read(&[&b, &a]));
        prop_assert_eq!(sorted(dump(&one)), sorted(dump(&other)), "{}\n{}", a, b);
    }
}

/// The same values, learned and parsed: as arguments, and as what the format defines.
#[test]
fn what_is_learned_is_what_is_parsed() {
    let event = |at: u32, rest: &str| format!(r#"{{"pid":1,"tid":{at},"ts":{at}.5,{rest}}}"#);
    for rest in [
        r#""ph":"X","dur":2.25,"tdur":1,"name":"a\"b","cat":"c","args":{"n":1,"m":-2.5,"t":"x","big":123456789012345678}"#,
        r#""ph":"X","dur":2,"name":"a","args":{"list":[1,{"a":2}],"yes":true,"none":null,"inner":{"k":1,"l":{"m":"n"}}},"more":7"#,
        r#""ph":"i","s":"t","name":"a","tts":12.5,"args":{}"#,
        r#""ph":"C","name":"c","args":{"v":1.5,"w":"2"}"#,
        r#""ph":"n","cat":"c","id":"0x1","name":"a""#,
        r#""ph":"n","cat":"c","id2":{"global":7},"scope":"s","name":"a""#,
    ] {
        let taught = read(&[&event(1, rest), &event(2, rest)]);
        let alone = read(&[&event(2, rest)]);
        let of_second = |session: &Session| -> Vec<String> {
            let lines = dump(session).into_iter().filter(|line| line.starts_with(['-', '*']));
            lines.filter(|line| line.contains(" 2500") || line.contains("2500 ")).collect()
        };
        assert_eq!(of_second(&taught), of_second(&alone), "{rest}");
    }
}
