//! Data sets in the page's program, against what the command line prints of the same folder.

use crate::support;

use std::cell::RefCell;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::{env, fs};

use crate::waiting::{done, finish};
use queryscope::export::{GroupBy, RunMeasure, TrendFormat, TrendOutput};
use queryscope::protocol::{
    DatasetAnswer, DatasetOrder, DatasetQuestion, SqlFailure, SqlOrder, SqlResult, TrendCellContent,
    TrendChoice, TrendPage, TrendTable,
};
use queryscope_sql::dataset::{Dataset, DatasetWriter, FolderFiles, Manifest};
use queryscope_sql::rows::TraceRows;
use queryscope_sql::trend::{RunOrder, TrendInputs};
use queryscope_sql_page::complete::CompletionPlace;
use queryscope_sql_page::program::{MEMORY, SqlProgram, Step};
use serde_json::Value;

/// Number of runs.
const RUNS: usize = 20;
/// Day of all traces.
const DAY: &str = "2026-04-02";

/// A run of two statements; from run 12 on, the first takes 1.5 times as long. The clock of run 0 shows 2026-03-31, those of the others no date.
fn run(at: usize) -> String {
    let origin = if at == 0 { 1_774_915_200_000_000_000_i64 } else { 0 };
    let mut text = format!(
        "{{\"queryscope\":\"trace\",\"version\":1}}\n{{\"run\":\"nightly\",\"origin\":{origin}}}\n{{\"track\":\"session\",\"kind\":\"thread\"}}\n"
    );
    if at == 3 {
        text.push_str("{\"table\":\"settings\",\"run\":0,\"columns\":[\"LIMIT_MB\"]}\n{\"row\":[\"64\"]}\n");
    }
    let mut start = 0;
    for query in 0..30_usize {
        let factor = if query.is_multiple_of(2) && at >= 12 { 150 } else { 100 };
        let duration = 10_000 * factor + (at * 7 + query * 13) % 11 * 3_000;
        let table = if query.is_multiple_of(2) { "a" } else { "b" };
        writeln!(
            text,
            "{{\"span\":\"q{query}\",\"kind\":\"query\",\"start\":{start},\"duration\":{duration},\"texts\":{{\"SQL\":\"SELECT * FROM {table} WHERE id = {query}\"}}}}"
        )
        .expect("a string");
        start += duration + 10;
    }
    text
}

fn data_set(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("queryscope-page-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let mut writer = DatasetWriter::open(&folder).expect("a writer");
    for at in 0..RUNS {
        let name = format!("run-{at:02}.ndjson");
        let rows = TraceRows::new(support::open([(name.as_str(), run(at))]), &name, Some(DAY.to_owned()));
        writer.add(&rows).expect("written");
    }
    writer.commit().expect("written");
    folder
}

fn program(folder: &Path) -> SqlProgram {
    let mut program = SqlProgram::new(MEMORY);
    program.set_dataset(Some(Arc::new(FolderFiles(folder.to_owned()))));
    program
}

fn answer(
    program: &mut SqlProgram,
    question: DatasetQuestion,
    limit: u64,
) -> (DatasetAnswer, Option<String>) {
    let (reply, content) = done(program.dataset.answer(&DatasetOrder { question, limit }));
    (reply.answer, content)
}

fn page(program: &mut SqlProgram, choice: TrendChoice) -> TrendPage {
    match answer(program, DatasetQuestion::Trend(choice), u64::MAX).0 {
        DatasetAnswer::Trend(page) => *page,
        other => panic!("{other:?}"),
    }
}

/// Rows of a table as texts; of exact numbers, those.
fn rows(table: &TrendTable) -> Vec<Vec<String>> {
    let text = |cell: &queryscope::protocol::TrendCell| match cell.number {
        Some(number) => number.to_string(),
        None => cell.text.clone(),
    };
    table.cells.chunks(table.columns.len()).map(|row| row.iter().map(text).collect()).collect()
}

fn json(folder: &Path, measure: RunMeasure) -> Value {
    let mut inputs = TrendInputs::new(GroupBy::Shape);
    done(inputs.add_dataset(&Arc::new(Dataset::of_folder(folder).expect("a manifest")), None))
        .expect("a data set");
    let trend = done(inputs.trend(measure, RunOrder::Time)).expect("a trend");
    let mut out = Vec::new();
    let output = TrendOutput { trend: &trend, group_title: "statement", limit: None };
    output.write(TrendFormat::Json, &mut out).expect("memory");
    serde_json::from_slice(&out).expect("JSON")
}

#[test]
fn the_page_has_the_numbers_of_the_command_line() {
    let folder = data_set("numbers");
    let (mut program, json) = (program(&folder), json(&folder, RunMeasure::P50));
    let list = page(&mut program, TrendChoice::default());
    assert_eq!(
        (list.engine.as_str(), &list.engines[..]),
        ("queryscope", &[("queryscope".to_owned(), RUNS as u32)][..])
    );
    let [groups, traces] = &list.tables[..] else { panic!("two tables") };
    assert_eq!((groups.title.as_str(), traces.title.as_str()), ("Statements", "Traces"));
    let groups_json = json["groups"].as_array().expect("groups");
    assert_eq!(rows(groups).len(), groups_json.len());
    let slower =
        groups_json.iter().find(|group| group["text"] == "SELECT * FROM a WHERE id = ?").expect("a group");
    let points = slower["points"].as_array().expect("points");
    let last = &points[RUNS - 1];
    // The group with the change is the first.
    let first = &rows(groups)[0];
    assert_eq!(first[0], "SELECT * FROM a WHERE id = ?");
    assert!(first[2].starts_with('+') && first[2].ends_with("from run-12.ndjson · nightly"), "{first:?}");
    let number = |value: &Value| value.to_string();
    assert_eq!(first[4..7], ["p50_ns", "p95_ns", "p99_ns"].map(|name| number(&last[name])));
    let change = &slower["changes"][0];
    assert_eq!((change["run"].as_u64(), change["runs_before"].as_u64()), (Some(12), Some(12)));
    let executions: i64 = points.iter().map(|point| point["count"].as_i64().unwrap_or(0)).sum();
    assert_eq!(first[7], executions.to_string());
    assert_eq!(rows(traces).len(), RUNS);
    // The group itself.
    let TrendCellContent::Group(group) = groups.cells[0].content else { panic!("a group") };
    let detail = page(&mut program, TrendChoice { group: Some(group), ..TrendChoice::default() });
    assert_eq!(detail.group, "SELECT * FROM a WHERE id = ?");
    let [changes, runs] = &detail.tables[..] else { panic!("two tables") };
    assert_eq!(rows(changes).len(), slower["changes"].as_array().expect("changes").len());
    assert_eq!(rows(changes)[0][..2], ["slower", "run-12.ndjson · nightly"]);
    for (row, point) in rows(runs).iter().zip(points) {
        assert_eq!(row[0], number(&point["run"]));
        assert_eq!(row[5..8], ["p50_ns", "p95_ns", "p99_ns"].map(|name| number(&point[name])));
        assert_eq!(row[8], number(&point["max_ns"]), "the slowest execution");
    }
    let chart = detail.chart.expect("a chart");
    let points_of = |class: &str| {
        let path = chart.paths.iter().find(|(known, _)| known == class).map(|(_, path)| path.as_str());
        path.unwrap_or_default().split(['M', 'L']).count() - 1
    };
    assert_eq!(
        [points_of("p50"), points_of("p95"), points_of("p99"), points_of("change")],
        [RUNS, RUNS, RUNS, 1]
    );
    assert!(chart.texts.iter().any(|text| text.class == "change" && text.text == "run-12.ndjson · nightly"));
    // A group that is no more: the list.
    assert_eq!(page(&mut program, TrendChoice { group: Some(1), ..TrendChoice::default() }).tables.len(), 2);
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// What a change costs depends on the measure: an execution's share, a sum over the run, or nothing that is known.
#[test]
fn changes_cost_what_their_measure_says() {
    let folder = data_set("costs");
    let mut program = program(&folder);
    for (measure, factor, word) in [
        (RunMeasure::P50, Some(15), "slower"),
        (RunMeasure::Mean, Some(15), "slower"),
        (RunMeasure::Total, Some(1), "higher"),
        (RunMeasure::SelfTime, Some(1), "higher"),
        (RunMeasure::P95, None, "slower"),
        (RunMeasure::Max, None, "slower"),
    ] {
        let choice = TrendChoice { measure: measure.name().to_owned(), ..TrendChoice::default() };
        let list = page(&mut program, choice.clone());
        let first = &rows(&list.tables[0])[0];
        let json = json(&folder, measure);
        let groups = json["groups"].as_array().expect("groups");
        let group = groups.iter().find(|group| group["text"] == first[0].as_str()).expect("the group");
        let change = &group["changes"][0];
        let median = |name: &str| change[name].as_i64().expect("a median");
        let difference = median("median_after") - median("median_before");
        let cost = factor.map_or("–".to_owned(), |factor: i64| (factor * difference).to_string());
        assert_eq!(
            (first[3].as_str(), change["change"].as_str()),
            (cost.as_str(), Some(word)),
            "{measure:?}"
        );
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// A run has the date of its clock, or the day of its trace if the clock shows no dates.
#[test]
fn days_of_traces_and_start_dates_of_runs() {
    let folder = data_set("days");
    let mut program = program(&folder);
    let list = page(&mut program, TrendChoice::default());
    let TrendCellContent::Group(group) = list.tables[0].cells[0].content else { panic!("a group") };
    let detail = page(&mut program, TrendChoice { group: Some(group), ..TrendChoice::default() });
    for (table, column, of_run_0) in
        [(&list.tables[1], "Day", DAY), (&detail.tables[1], "Start date", "2026-03-31")]
    {
        let at = table.columns.iter().position(|known| known.name == column).expect(column);
        let found: Vec<String> = rows(table).into_iter().map(|mut row| row.swap_remove(at)).collect();
        let expected = [&[of_run_0][..], &[DAY; RUNS - 1]].concat();
        assert_eq!(found, expected, "{column}");
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// A measure that no trace reports is not the same as too few runs, and a chart shows the measure whose changes it marks.
#[test]
fn tables_and_charts_show_the_measure() {
    let folder = data_set("measures");
    let mut program = program(&folder);
    for (measure, last_change, column, caption, lines) in [
        ("p50", None, None, "Durations of each run: p50, p95 and p99.", 3),
        ("max", None, Some("Longest duration"), "Value of each run: longest duration.", 1),
        ("count", Some("none"), None, "Value of each run: executions.", 1),
        ("bytes", Some("not reported"), Some("Bytes"), "Not reported in any run: bytes.", 0),
    ] {
        let choice = TrendChoice { measure: measure.to_owned(), ..TrendChoice::default() };
        let list = page(&mut program, choice.clone());
        let first = &rows(&list.tables[0])[0];
        assert!(last_change.is_none_or(|expected| first[2] == expected), "{measure}: {first:?}");
        let TrendCellContent::Group(group) = list.tables[0].cells[0].content else { panic!("a group") };
        let detail = page(&mut program, TrendChoice { group: Some(group), ..choice });
        for table in [&list.tables[0], &detail.tables[detail.tables.len() - 1]] {
            let has = |name: &str| table.columns.iter().any(|column| column.name == name);
            assert!(column.is_none_or(has) && table.columns.iter().all(|column| !column.meaning.is_empty()));
        }
        assert_eq!(detail.summary.last().map(String::as_str), Some(caption));
        let of_values = |(class, _): &&(String, String)| class.starts_with('p');
        let drawn = detail.chart.map_or(0, |chart| chart.paths.iter().filter(of_values).count());
        assert_eq!(drawn, lines, "{measure}");
        let is_said = list.notes.contains(&"No run reports bytes for 2 groups.".to_owned());
        assert_eq!(is_said, measure == "bytes", "{:?}", list.notes);
        assert!(!list.notes.iter().any(|note| note.starts_with("Too few runs")), "{:?}", list.notes);
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// Sizes and rows of a manifest that lies are added up without an overflow. Larger sizes are a fault of the manifest.
#[test]
fn sums_of_a_manifest_have_a_limit() {
    const LARGEST_FILE: u64 = 1 << 53;
    let folder = data_set("sums");
    let mut manifest = Manifest::read(&folder).expect("a manifest");
    let of_traces = manifest.traces.iter_mut().flat_map(|trace| &mut trace.files);
    of_traces.for_each(|file| (file.bytes, file.rows) = (LARGEST_FILE, u64::MAX));
    let mut index = manifest.trend_index.take().expect("an index");
    index.files.values_mut().flatten().for_each(|file| file.bytes = LARGEST_FILE);
    manifest.trend_index = Some(index);
    manifest.write(&folder).expect("written");
    let mut program = program(&folder);
    let name = manifest.traces[0].name.clone();
    for question in [DatasetQuestion::Trend(TrendChoice::default()), DatasetQuestion::Trace(name)] {
        let (found, content) = answer(&mut program, question, 1_000);
        let is_too_large = matches!(found, DatasetAnswer::TooLarge(bytes) if bytes >= LARGEST_FILE);
        assert!(is_too_large && content.is_none(), "{found:?}");
    }
    for sql in ["SELECT * FROM spans", "SELECT * FROM spans LIMIT 100"] {
        let error = statement(&mut program, sql, u64::MAX).expect_err("no such file");
        assert!(error.text.contains("bytes, and the manifest says 9007199254740992"), "{}", error.text);
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn a_trace_that_cannot_be_read_is_a_warning() {
    let folder = data_set("damaged");
    let dataset = Dataset::of_folder(&folder).expect("a manifest");
    let trace = dataset.trace("run-05.ndjson").expect("a trace");
    let path = &trace.file("execution_groups").expect("a file").path;
    fs::write(folder.join(path), "PAR1").expect("written");
    assert_eq!(
        page(&mut program(&folder), TrendChoice::default()).warnings,
        [""; 0],
        "the index has its rows"
    );
    fs::remove_dir_all(folder.join("trend_index")).expect("a folder");
    let shown = page(&mut program(&folder), TrendChoice::default());
    // The groups of the index, the trace, and the executions of the index.
    let [index, trace, samples] = &shown.warnings[..] else { panic!("{:?}", shown.warnings) };
    assert!([index, samples].iter().all(|text| text.contains("The index of trends is not used")), "{index}");
    assert!(trace.starts_with("“run-05.ndjson” is left out: "), "{trace}");
    assert!(shown.summary[0].starts_with("19 runs: "), "{:?}", shown.summary);
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

fn statement(program: &mut SqlProgram, sql: &str, limit: u64) -> Result<SqlResult, SqlFailure> {
    match done(program.run(SqlOrder { build: 1, sql: sql.to_owned(), rows: 100, limit, stored: None })) {
        Step::Done(result) => result,
        other => panic!("{other:?}"),
    }
}

/// While a data set is open, statements read it, or the trace of it that the engine has open.
#[test]
fn statements_say_what_they_read() {
    let folder = data_set("stored");
    let mut program = program(&folder);
    let sql = "SELECT count(*) AS n FROM spans";
    let names = ["run-07.ndjson", "run-08.ndjson"];
    for (name, at) in names.into_iter().zip(7..) {
        let mut text = run(at);
        // The trace is told from those of the data set by one more span.
        text.push_str("{\"span\":\"last\",\"start\":1,\"duration\":1}\n".repeat(at).as_str());
        let mut session = support::open([(name, text)]);
        let order =
            SqlOrder { build: 1, sql: sql.to_owned(), rows: 10, limit: 0, stored: Some(name.to_owned()) };
        let step = done(program.run(order));
        let (asked, result) = finish(&mut program, &mut session, step);
        let result = result.expect("rows");
        assert!(asked.len() == 1 && result.fetched == (0, 0), "{name}: {asked:?}");
        assert_eq!((result.cells, result.stored.as_deref()), (vec![Some((30 + at).to_string())], Some(name)));
        let all = statement(&mut program, sql, u64::MAX).expect("rows");
        assert_eq!((all.cells, all.stored), (vec![Some((30 * RUNS).to_string())], None));
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// What may be written at the end of a statement.
fn completions(program: &mut SqlProgram, sql: &str) -> Vec<String> {
    let order = SqlOrder { sql: sql.to_owned(), ..SqlOrder::default() };
    match done(program.complete(order, CompletionPlace { caret: sql.len() as u32, is_asked: false })) {
        Step::Completed(_, names) => names.list.into_iter().map(|name| name.text).collect(),
        other => panic!("{other:?}"),
    }
}

/// Which columns a side table has is read when a statement names it, or lists the tables.
#[test]
fn side_tables_are_listed_completed_and_read() {
    let folder = data_set("side");
    let mut program = program(&folder);
    assert_eq!(completions(&mut program, "SELECT * FROM sett"), ["settings"]);
    let columns = "SELECT column_name AS c FROM information_schema.columns WHERE table_name = 'settings' AND column_name LIKE 'lim%'";
    for (sql, part) in
        [("SELECT limit_mb FROM settings", "64"), ("SHOW TABLES", "settings"), (columns, "limit_mb")]
    {
        let mut program = self::program(&folder);
        let found = statement(&mut program, sql, u64::MAX).expect(sql);
        assert!(found.cells.contains(&Some(part.to_owned())), "{sql}: {:?}", found.cells);
        assert_eq!(completions(&mut program, "SELECT limit_m"), ["limit_mb"]);
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn traces_statements_and_limits() {
    let folder = data_set("limits");
    let mut program = program(&folder);
    let native = Dataset::of_folder(&folder).expect("a manifest");
    let name = "run-07.ndjson".to_owned();
    let bytes = native.trace_bytes(native.trace(&name).expect("a trace"));
    let trace = DatasetQuestion::Trace(name.clone());
    assert_eq!(answer(&mut program, trace.clone(), bytes - 1), (DatasetAnswer::TooLarge(bytes), None));
    let lines = done(native.read_trace(&name)).expect("a trace").lines;
    assert_eq!(answer(&mut program, trace, bytes), (DatasetAnswer::Trace(name), Some(lines)));
    let (trend, _) = answer(&mut program, DatasetQuestion::Trend(TrendChoice::default()), 1);
    assert!(matches!(trend, DatasetAnswer::TooLarge(bytes) if bytes > 1), "{trend:?}");
    let (unknown, _) = answer(&mut program, DatasetQuestion::Trace("x".to_owned()), u64::MAX);
    assert!(
        matches!(&unknown, DatasetAnswer::Failed(text) if text.contains("there is no trace “x”")),
        "{unknown:?}"
    );
    // Statements over all traces, within a number of bytes.
    let sql = "SELECT count(*) AS n, count(DISTINCT trace_id) AS t, max(duration_ns) IS NULL AS x FROM spans WHERE kind = 'query'";
    let found = statement(&mut program, sql, u64::MAX).expect("rows");
    assert_eq!(
        found.cells,
        [Some((30 * RUNS).to_string()), Some(RUNS.to_string()), Some("false".to_owned())]
    );
    assert!(found.fetched.0 >= RUNS as u64 && found.fetched.1 > 0, "{:?}", found.fetched);
    let mut fresh = self::program(&folder);
    let told = Rc::new(RefCell::new(Vec::new()));
    let hears = told.clone();
    fresh.on_plan(move |planned| hears.borrow_mut().push(planned));
    let error = statement(&mut fresh, sql, 1_000).expect_err("too much");
    let planned = error.too_large.expect("what it would read");
    let spans =
        native.manifest().traces.iter().flat_map(|trace| &trace.files).filter(|file| file.table == "spans");
    // A folder has no small files that are read at once, so that ends of files may be read twice.
    assert_eq!(planned.files, RUNS as u64);
    assert!(planned.bytes >= spans.map(|file| file.bytes).sum(), "{planned:?}");
    assert_eq!(*told.borrow(), [], "a statement that reads too much does not begin");
    let found = statement(&mut fresh, sql, planned.bytes).expect("rows");
    assert!(found.fetched.1 <= planned.bytes, "{:?}", found.fetched);
    assert_eq!(*told.borrow(), [planned]);
    assert!(statement(&mut fresh, "SELECT * FROM lock_waits", u64::MAX).is_ok_and(|found| found.rows == 0));
    assert_eq!(completions(&mut fresh, "SELECT * FROM exec"), ["execution_groups", "execution_samples"]);
    // Without a data set, statements are about the trace again.
    fresh.set_dataset(None);
    let order = SqlOrder { sql: "SELECT 1".to_owned(), ..SqlOrder::default() };
    assert!(matches!(done(fresh.run(order)), Step::Ask(_)));
    fs::remove_dir_all(&folder).expect("the folder was made here");
}
