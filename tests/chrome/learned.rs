//! Events that are read by comparing them with ones before, against events that are parsed.

use proptest::prelude::*;
use queryscope::session::Session;

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

/// A value that its member usually has, now and then any other.
fn usual(values: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop_oneof![9 => prop::sample::select(values).prop_map(str::to_owned), 1 => value()]
}

/// Two events with the same members in the same order: the keys, and the values of each.
fn alike() -> impl Strategy<Value = [String; 2]> {
    let pair = |key: &'static str, value: BoxedStrategy<String>| (Just(key), value.clone(), value);
    let twice = |key, values| pair(key, usual(values).boxed());
    let members = (
        twice("ph", &["\"X\"", "\"B\"", "\"i\"", "\"C\"", "\"b\"", "\"s\"", "\"T\"", "\"XX\""]),
        twice("ts", &["1", "1.5", "2.0005", "-3", "\"4.5\"", "1e3"]),
        twice("dur", &["1", "0.25", "-1", "0"]),
        twice("name", &["\"a\"", "\"b\\n\"", "\"process_name\"", "\"\""]),
        prop::collection::vec(
            prop_oneof![
                3 => twice("cat", &["\"c\"", "\"d,e\"", "\"\""]),
                2 => twice("tdur", &["1", "2.5"]),
                2 => twice("id", &["1", "\"0x1\""]),
                1 => twice("id2", &["{\"local\":\"1\"}", "{\"global\":2}", "{\"local\":1,\"global\":2}"]),
                1 => twice("s", &["\"g\"", "\"p\""]),
                1 => twice("bp", &["\"e\""]),
                1 => twice("scope", &["\"x\""]),
                1 => twice("tts", &["1.5"]),
                1 => twice("bind_id", &["1"]),
                1 => twice("flow_out", &["true", "1"]),
                6 => twice("args", &["{\"x\":1}", "{\"x\":2.5,\"y\":\"z\"}", "{\"x\":{\"y\":1}, \"x.y\":2}", "{\"category\":1}"]),
                3 => pair("more", value().boxed()),
            ],
            0..5,
        ),
        (any::<bool>(), any::<prop::sample::Index>()),
    );
    members.prop_map(|(ph, ts, dur, name, more, (laid_out, turn))| {
        let mut members = vec![ph, ts, dur, name];
        members.extend(more);
        let turn = turn.index(members.len());
        members.rotate_left(turn);
        let event = |of: &dyn Fn(&(&str, String, String)) -> String| {
            let members: Vec<_> =
                members.iter().map(|member| format!("\"{}\":{}", member.0, of(member))).collect();
            format!("{{{}}}", members.join(if laid_out { ",\n  " } else { "," }))
        };
        [event(&|member| member.1.clone()), event(&|member| member.2.clone())]
    })
}

const FIRST: &str = r#"{"ph":"X","pid":9,"tid":9,"ts":0,"dur":1,"name":"first"}"#;

/// A file of the first event, which is how the reader knows how events begin, and these. Each stands in a process of its
/// own, so that neither nests in the other.
fn read(events: &[&str]) -> Session {
    open("learned.json", format!("[{FIRST},\n{}]", events.join(",\n")).as_bytes())
}

/// What a file shows, in whatever order.
fn sorted(session: &Session) -> Vec<String> {
    let mut lines = dump(session);
    lines.sort();
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The first of the two is parsed; the second is compared with it, where they look alike.
    #[test]
    fn whichever_comes_first_teaches_the_other([a, b] in alike(), quote in prop::sample::select(vec!["", "\""])) {
        let of = |process: u8, event: &str| {
            event.replacen('{', &format!(r#"{{"pid":{quote}{process}{quote},"tid":7,"#), 1)
        };
        let (a, b) = (of(1, &a), of(2, &b));
        let (one, other) = (read(&[&a, &b]), read(&[&b, &a]));
        prop_assert_eq!(sorted(&one), sorted(&other), "{}\n{}", a, b);
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
