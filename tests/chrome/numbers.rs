//! Numbers and times of any size.

use super::{check_thread, dump, open};

/// An event for every value, a microsecond apart.
fn events(values: &[&str], event: impl Fn(usize, &str) -> String) -> String {
    values.iter().enumerate().map(|(at, value)| event(at, value)).collect::<Vec<_>>().join(",")
}

/// Numbers that are not kept as they are: each is told, and none is nothing.
#[test]
fn numbers_of_any_size() {
    let slice =
        |at, value: &str| format!(r#"{{"ph":"X","ts":{at},"dur":1,"name":"a","args":{{"n":{value}}}}}"#);
    let rounded = "1 x rounded number";
    let large = "1 x large number";
    for (values, expected) in [
        (&["1.5e-9"][..], &["- a 0..1000, n=0", rounded][..]),
        (&["0.1234565"], &["- a 0..1000, n=123457", rounded]),
        (&["0.1250000000"], &["- a 0..1000, n=125000"]),
        // Too large for millionths: whole.
        (&["9300000000000"], &["- a 0..1000, n=9300000000000"]),
        (&["9300000000000.0"], &["- a 0..1000, n=9300000000000"]),
        (&["9300000000000.5"], &["- a 0..1000, n=9300000000001", rounded]),
        (&["9223372036854775807"], &["- a 0..1000, n=9223372036854775807"]),
        // Too large for whole numbers: as they stand.
        (&["9223372036854775808"], &[r#"- a 0..1000, n="9223372036854775808""#, large]),
        (&["1e99"], &[r#"- a 0..1000, n="1e99""#, large]),
        (&["-9223372036854775807"], &["- a 0..1000, n=-9223372036854775807"]),
        (&["-9223372036854775808"], &[r#"- a 0..1000, n="-9223372036854775808""#, large]),
        (&["NaN"], &[r#"- a 0..1000, n="NaN""#]),
        (&["0x5"], &[r#"- a 0..1000, n="0x5""#]),
        // Beside decimals, whichever comes first, and whether they were read by their shape.
        (&["9300000000000", "0.5"], &["- a 0..1000", "- a 1000..2000, n=500000", large]),
        (&["0.5", "9300000000000"], &["- a 0..1000, n=500000", "- a 1000..2000", large]),
        (
            &["-9300000000000", "-9300000000001", "-9300000000002", "0.5"],
            &[
                "- a 0..1000",
                "- a 1000..2000",
                "- a 2000..3000",
                "- a 3000..4000, n=500000",
                "3 x large number",
            ],
        ),
    ] {
        check_thread(&events(values, slice), expected);
    }
}

#[test]
fn counters_of_any_size() {
    let sample =
        |at, value: &str| format!(r#"{{"ph":"C","pid":1,"ts":{at},"name":"c","args":{{"v":{value}}}}}"#);
    for (values, expected) in [
        (&["9300000000000", "9223372036854775807"][..], &["9300000000000", "9223372036854775807"][..]),
        (&["1.5", "2"], &["1500000", "2000000"]),
        (&["1.5e-9", "\"1.5e-9\""], &["0", "0", "2 x rounded number"]),
        // One unit for all: whole numbers where some are too large for millionths.
        (&["9300000000000", "2.0"], &["9300000000000", "2"]),
        (&["9300000000000", "2.5"], &["9300000000000", "3", "1 x rounded number"]),
        (&["1", "1e99"], &["1", "1 x counter without a number", "1 x large number"]),
    ] {
        let text = format!("[{}]", events(values, sample));
        let lines = dump(&open("trace.json", text.as_bytes())).into_iter().skip(2);
        let found: Vec<String> = lines
            .map(|line| line.rsplit_once('=').map_or(line.clone(), |(_, value)| value.to_owned()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }
}

/// Times of many digits are rounded once each: what ended together still does.
#[test]
fn times_of_many_digits() {
    check_thread(
        r#"{"ph":"X","ts":1700000000000000.1234,"dur":1.0001,"name":"a"},{"ph":"X","ts":1700000000000000.5678,"dur":0.5557,"name":"b"},
           {"ph":"X","ts":1e300,"dur":1,"name":"c"}"#,
        &["- a 0..1001", "-- b 445..1001", "1 x timestamp out of range", "2 x finer than a nanosecond"],
    );
}
