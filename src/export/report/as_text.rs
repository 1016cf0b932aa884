//! The report as text for people.

use std::io::{self, Write};

use super::statements::StatementsJson;
use super::{File, Report};
use crate::base::text;
use crate::export::table::Align::{Left, Right};
use crate::export::table::{TextTable, plain};
use crate::protocol::LEFT_OUT_MEANS;

/// Maximum number of findings per group, and of places per problem, in the text.
const LINES: usize = 3;
/// Maximum length of a statement or name in the text, in characters.
const STATEMENT: usize = 60;

impl Report {
    /// Writes the report as tables.
    pub fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        self.files().write("Files", out)?;
        if self.is_part() {
            writeln!(out, "{LEFT_OUT_MEANS}\n")?;
        }
        for file in self.files.iter().filter(|file| !file.problems.is_empty()) {
            problems(file, out)?;
        }
        let has_queries = self.runs.iter().any(|run| run.queries + run.unfinished > 0);
        if has_queries {
            self.runs().write("Runs (durations of completed queries)", out)?;
        } else {
            self.runs_in_short().write("Runs", out)?;
        }
        self.notes().write("Runs: completeness and measurement", out)?;
        if self.runs.iter().any(|run| run.source_calls + run.buffer_events > 0) {
            self.sources_read().write("Runs: sources and buffers", out)?;
        }
        self.threads().write("Busiest threads", out)?;
        self.names().write("Busiest spans by name", out)?;
        self.statements().write("Statements by total time (completed queries)", out)?;
        self.outliers().write("Outliers (at least 3 × the average of their run, and 5 ms)", out)?;
        self.sources().write("Datasources (averages over executions that reported rows)", out)?;
        self.buffers().write("Buffer events", out)?;
        self.findings().write("Findings: what is worth investigating, by the share of the total", out)?;
        let counts = [
            (self.tracks, "track", "tracks"),
            (self.spans, "span", "spans"),
            (self.events, "event", "events"),
        ];
        writeln!(out, "{}", counts.map(|(n, one, many)| text::counted(n, one, many)).join(", "))
    }

    fn is_part(&self) -> bool {
        self.files.iter().any(|file| file.left_out > 0)
    }

    fn files(&self) -> TextTable {
        let columns =
            [("name", Left), ("format", Left), ("bytes", Right), ("records", Right), ("used", Right)];
        // If only a part of the files was loaded, a column shows how many records were left out.
        let is_part = self.is_part();
        let left_out: &[_] = if is_part { &[("left out", Right)] } else { &[] };
        let mut table = TextTable::new(&[&columns[..], &[("reported", Right)], left_out].concat());
        for file in &self.files {
            let numbers = [file.records, file.used, file.reported].map(number);
            let numbers = numbers.into_iter().chain(is_part.then(|| number(file.left_out)));
            let bytes = text::bytes(signed(file.bytes));
            table.row([file.name.clone(), file.format.clone(), bytes].into_iter().chain(numbers).collect());
        }
        table
    }

    fn runs(&self) -> TextTable {
        let mut table = TextTable::new(&[
            ("run", Left),
            ("events", Right),
            ("queries", Right),
            ("unfinished", Right),
            ("failed", Right),
            ("total", Right),
            ("average", Right),
            ("shortest", Right),
            ("longest", Right),
        ]);
        for run in &self.runs {
            let counts = [run.events, run.queries, run.unfinished, run.failed].map(number);
            let average = run.avg_duration_ns.map(|average| average.round() as i64);
            let durations = [Some(run.total_duration_ns), average, run.min_duration_ns, run.max_duration_ns];
            let durations = durations.map(|duration| text::or_dash(duration, text::duration));
            table.row([run.run.clone()].into_iter().chain(counts).chain(durations).collect());
        }
        table
    }

    /// The table of runs for a trace without queries.
    fn runs_in_short(&self) -> TextTable {
        let mut table = TextTable::new(&[("run", Left), ("events", Right), ("length", Right)]);
        for run in &self.runs {
            table.row(vec![run.run.clone(), number(run.events), text::duration(run.wall_ns)]);
        }
        table
    }

    fn threads(&self) -> TextTable {
        let columns =
            [("thread", Left), ("busy", Right), ("waiting", Right), ("spans", Right), ("top spans", Left)];
        let mut table = TextTable::new(&columns);
        for thread in &self.threads {
            let times = [thread.busy_ns, thread.waiting_ns].map(text::duration);
            let shown = |name: &str| text::shortened(&plain(name), STATEMENT);
            let names: Vec<String> = thread.names.iter().map(|name| shown(name)).collect();
            let cells = times.into_iter().chain([text::count(i64::from(thread.spans)), names.join(", ")]);
            table.row(std::iter::once(shown(&thread.thread)).chain(cells).collect());
        }
        table
    }

    fn names(&self) -> TextTable {
        let in_threads = self.names.iter().any(|name| name.busy_ns.is_some());
        let busy: &[_] = if in_threads { &[("busy", Right)] } else { &[] };
        let times = [("self time", Right), ("total", Right), ("longest", Right)];
        let mut table = TextTable::new(&[&[("name", Left), ("count", Right)], busy, &times[..]].concat());
        for name in &self.names {
            let times = [name.self_ns, name.total_ns, name.max_ns].map(text::duration);
            let shown = text::shortened(&plain(&name.name), STATEMENT);
            let busy = name.busy_ns.map(text::duration);
            table.row([shown, text::count(name.count)].into_iter().chain(busy).chain(times).collect());
        }
        table
    }

    fn notes(&self) -> TextTable {
        let mut table = TextTable::new(&[("run", Left), ("topic", Left), ("", Left)]);
        for run in &self.runs {
            run.notes.iter().for_each(|note| {
                table.row(vec![run.run.clone(), note.about.clone(), note.text.clone()]);
            });
        }
        table
    }

    fn sources_read(&self) -> TextTable {
        let mut table = TextTable::new(&[
            ("run", Left),
            ("source calls", Right),
            ("rows read", Right),
            ("rows returned", Right),
            ("buffer events", Right),
            ("buffer bytes", Right),
            ("elements", Right),
        ]);
        for run in &self.runs {
            table.row(vec![
                run.run.clone(),
                number(run.source_calls),
                text::or_dash(run.rows_read, text::count),
                text::or_dash(run.rows_returned, text::count),
                number(run.buffer_events),
                text::or_dash(run.buffer_bytes, text::bytes),
                text::or_dash(run.buffer_elements, text::count),
            ]);
        }
        table
    }

    fn findings(&self) -> TextTable {
        let mut table =
            TextTable::new(&[("finding", Left), ("statement", Left), ("", Left), ("duration", Right)]);
        for group in &self.findings {
            for worst in group.worst.iter().take(LINES) {
                let statement = text::shortened(&plain(&worst.statement), STATEMENT);
                let duration = text::or_dash(worst.duration_ns, text::duration);
                table.row(vec![group.name.clone(), statement, worst.text.clone(), duration]);
            }
            let more = group.count.saturating_sub(LINES as u64);
            if more > 0 {
                let more = format!("… and {} more", number(more));
                table.row(vec![group.name.clone(), more, group.meaning.clone(), String::new()]);
            }
        }
        table
    }

    fn statements(&self) -> TextTable {
        let numbers = [("count", Right), ("total", Right), ("p50", Right), ("p95", Right)];
        let mut table = TextTable::new(&[&[("statement", Left)], &numbers[..]].concat());
        if let Some(StatementsJson { top, rest }) = &self.statements {
            for of in top {
                let times = [of.total_ns, of.p50_ns, of.p95_ns].map(text::duration);
                let statement = text::shortened(&plain(&of.statement), STATEMENT);
                table.row([statement, number(of.count)].into_iter().chain(times).collect());
            }
            if rest.statements > 0 {
                let more = format!("… and {} more", number(rest.statements));
                table.row(vec![more, number(rest.count), text::duration(rest.total_ns)]);
            }
        }
        table
    }

    fn outliers(&self) -> TextTable {
        let mut table =
            TextTable::new(&[("run", Left), ("query", Left), ("duration", Right), ("× run average", Right)]);
        for outlier in &self.outliers {
            let duration = text::duration(outlier.duration_ns);
            let ratio = text::ratio(outlier.vs_run_avg);
            table.row(vec![outlier.run.clone(), outlier.query.clone(), duration, ratio]);
        }
        table
    }

    fn sources(&self) -> TextTable {
        let mut table = TextTable::new(&[
            ("datasource", Left),
            ("executions", Right),
            ("rows read", Right),
            ("rows returned", Right),
            ("over-fetch", Right),
        ]);
        for source in &self.sources {
            let name = text::or_dash(source.datasource.clone(), |name| name);
            let averages = [source.avg_rows_read, source.avg_rows_returned];
            let averages = averages.map(|average| text::or_dash(average, text::ratio));
            let over_fetch = text::or_dash(source.over_fetch, |ratio| format!("{} ×", text::ratio(ratio)));
            let [read, returned] = averages;
            table.row(vec![name, number(source.source_calls), read, returned, over_fetch]);
        }
        table
    }

    fn buffers(&self) -> TextTable {
        let columns =
            [("run", Left), ("type", Left), ("events", Right), ("bytes", Right), ("elements", Right)];
        let mut table = TextTable::new(&columns);
        for buffer in &self.buffers {
            table.row(vec![
                buffer.run.clone(),
                buffer.kind.clone(),
                number(buffer.events),
                text::or_dash(buffer.bytes, text::bytes),
                text::or_dash(buffer.elements, text::count),
            ]);
        }
        table
    }
}

/// Writes the problems of a file: a line for each, with its meaning and its first places.
fn problems(file: &File, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "Problems in {}", plain(&file.name))?;
    if let Some(missing) = &file.missing {
        writeln!(out, "  {missing}")?;
    }
    for problem in &file.problems {
        let lost = if problem.lost { ", not shown" } else { "" };
        writeln!(out, "  {} × {}{lost}: {}", number(problem.count), problem.name, problem.meaning)?;
        for (at, place) in problem.places.iter().take(LINES).enumerate() {
            let line = place.line.map_or_else(String::new, |line| format!("line {}, ", number(line)));
            let (offset, text) = (number(place.offset), plain(&place.text));
            let first = if at == 0 { "first:" } else { "      " };
            writeln!(out, "      {first} {line}byte {offset}: {text}")?;
        }
        let more = problem.count.saturating_sub(problem.places.len().min(LINES) as u64);
        if more > 0 {
            writeln!(out, "             … and {} more", number(more))?;
        }
    }
    writeln!(out)
}

fn number(n: u64) -> String {
    text::count(signed(n))
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
