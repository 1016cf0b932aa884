//! Laws and frozen links.

use queryscope::internal::word_hash::{hash, hash_of_name};
use queryscope::protocol::{
    AreaTrack, Arrangement, BufferQueryList, ChangedThreshold, CompareView, CompareWith, CounterView,
    ExecutionList, FrameDimension, FrameWeight, MERGED_WIDTH, MergedDifference, MergedSpec, PivotColumn,
    PivotSpec, PivotView, QueryList, RunSelection, RunTableOrder, ScoreWeights, ShapeList, SourceDimension,
    SourceExecutionList, SourceList, StackForm, TableView, TrackExpansion, TrackLayout, TransactionColumn,
    TransactionList, TrendChoice, Viewport,
};
use wasm_bindgen_test::wasm_bindgen_test;

use super::*;
use crate::state::{
    AreaView, CompareMode, MOST_NOTES, NOTE_CHARACTERS, NoteTarget, OverviewView, RunTableView, RunsView,
    SourcesView, StatementsView, TABS, UserNote, notes_as_text,
};

/// Random numbers of a xorshift generator, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn coin(&mut self) -> bool {
        self.roll(2) == 0
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.coin().then(|| make(self))
    }

    fn some<T>(&mut self, most: u64, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.roll(most + 1)).map(|_| make(self)).collect()
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.roll(all.len() as u64) as usize]
    }

    fn text(&mut self) -> String {
        const SIGNS: [&str; 16] =
            ["a", "Z", " ", "+", "&", "=", "#", "%", "%2C", ",", "/", "ö", "𝄞", "\n", "\u{1f}", "\"<'"];
        self.some(12, |dice| dice.of(&SIGNS)).concat()
    }

    /// An interval that is not empty, anywhere.
    fn interval(&mut self) -> (i64, i64) {
        let start = (self.roll(u64::MAX) as i64) >> self.roll(64);
        let start = start.min(i64::MAX - 1);
        (start, start.saturating_add(1 + self.roll(1 << 40) as i64))
    }

    fn key(&mut self) -> TrackKey {
        let text = format!("{:010x}.{}.{}", self.roll(1 << 40), self.roll(3), self.roll(3));
        text.parse().expect("a key")
    }

    fn keys(&mut self) -> Vec<TrackKey> {
        let mut keys: Vec<TrackKey> = Vec::new();
        for key in self.some(5, Self::key) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    fn note(&mut self) -> UserNote {
        let target = match self.roll(3) {
            0 => NoteTarget::Trace,
            1 => {
                let (start, end) = self.interval();
                NoteTarget::Range { start, end }
            }
            _ => NoteTarget::Item {
                item: self.roll(1 << 32) as u32,
                start: self.interval().0,
                duration: self.roll(1 << 62) as i64,
            },
        };
        let text = self.text();
        UserNote::new(target, &format!("x{text}")).expect("not empty")
    }

    /// Texts of the trace stand in a state by their hashes, as an address leaves them.
    fn merged(&mut self) -> MergedSpec {
        let arguments: Vec<String> =
            (0..self.roll(4)).map(|at| hash_of_name(&format!("argument {at}"))).collect();
        let mut path = self.some(3, |dice| dice.of(&merged::PATH).0);
        path.extend((0..arguments.len() as u8).map(FrameDimension::Argument));
        let difference = self.maybe(|dice| {
            Box::new(MergedDifference { base: dice.side(), new: dice.side(), width_by_base: dice.coin() })
        });
        let weight = match arguments.len() {
            0 => self.of(&merged::WEIGHTS).0,
            n => FrameWeight::Argument(self.roll(n as u64) as u8),
        };
        let (is_inverted, root) = (self.coin(), self.maybe(|dice| hash(&dice.text())));
        MergedSpec {
            path,
            weight,
            focus: self.some(3, |dice| hash(&dice.text())),
            arguments,
            stacks: StackForm::new(is_inverted, root),
            hidden: self.some(3, |dice| hash(&dice.text())),
            collapse_recursion: self.coin(),
            difference,
            ..MergedSpec::default()
        }
    }

    fn pivot(&mut self) -> PivotView {
        let secret = hash_of_name("secret");
        let lists = ["kind, name", "kind, rows_read[log]", secret.as_str()];
        let (by, across) = (self.of(&lists).to_owned(), self.of(&lists).to_owned());
        let measures = self.of(&["count", "p95, sum(self time)"]).to_owned();
        let column = match self.roll(3) {
            0 => PivotColumn::All,
            1 => PivotColumn::Others,
            _ => PivotColumn::Value(hash(&self.text())),
        };
        PivotView {
            spec: PivotSpec { by, across, measures, filter: self.text(), range: None },
            sort: self.maybe(|dice| dice.roll(9) as u32),
            column,
            descending: self.coin(),
            open: self.some(3, |dice| vec![hash(&dice.text()), hash(&dice.text())]),
        }
    }

    fn table(&mut self) -> TableView {
        let sort = self.maybe(|dice| dice.roll(1 << 32) as u32);
        let descending = sort.is_some() && self.coin();
        TableView { table: self.roll(4) as u32, sort, descending, filter: self.text(), nonzero: self.coin() }
    }

    fn expansion(&mut self) -> TrackExpansion {
        let mut expansion = TrackExpansion { all: self.maybe(Self::coin), ..TrackExpansion::default() };
        self.keys().into_iter().for_each(|key| expansion.set(key, self.coin()));
        expansion
    }

    fn compare(&mut self) -> CompareView {
        let column =
            self.of(&[queryscope::protocol::CompareColumn::A, queryscope::protocol::CompareColumn::Step]);
        let b = self.of(&[CompareWith::Typical, CompareWith::Others]);
        CompareView {
            a: None,
            b,
            fold: self.coin(),
            inclusive: self.coin(),
            sort: column,
            ascending: self.coin(),
        }
    }

    fn side(&mut self) -> RunSelection {
        let within = self.maybe(Self::interval);
        let outside = within.is_some() && self.coin();
        RunSelection { runs: self.some(3, |dice| dice.roll(1 << 32) as u32), within, outside }
    }

    fn runs(&mut self) -> RunsView {
        RunsView {
            chosen_mode: self.of(&[None, Some(CompareMode::Runs), Some(CompareMode::Executions)]),
            base: self.maybe(Self::side),
            new: self.maybe(Self::side),
            by: self.of(&runs::GROUPS).0,
            sort: self.of(&runs::RUN_COLUMNS).0,
            reversed: self.coin(),
            only: self.maybe(|dice| dice.of(&runs::VERDICTS).0),
            group: self.maybe(|dice| dice.roll(1 << 40)),
            table: RunTableView {
                measure: self.of(&runs::TABLE_MEASURES).0,
                sort: match self.roll(3) {
                    0 => RunTableOrder::Difference,
                    1 => RunTableOrder::Group,
                    _ => RunTableOrder::Run(self.roll(1 << 32) as u32),
                },
                reversed: self.coin(),
                only: self.maybe(|dice| (dice.roll(1 << 32) as u32, dice.of(&runs::VERDICTS).0)),
            },
        }
    }

    fn orders(&mut self, nav: &mut Nav) {
        for table in ["run", "busy-name", "lock"] {
            let order = self.maybe(|dice| (dice.roll(99) as u32, dice.coin()));
            nav.order(table, order);
        }
    }

    fn statements(&mut self) -> StatementsView {
        let list = ShapeList {
            sort: self.of(&statements::SHAPE_COLUMNS).0,
            reversed: self.coin(),
            ..ShapeList::default()
        };
        let executions = self.maybe(|dice| ExecutionList {
            shape: dice.roll(1 << 32) as u32,
            between: dice.maybe(Self::interval),
            by_start: dice.coin(),
            reversed: dice.coin(),
            ..ExecutionList::default()
        });
        StatementsView { list, executions }
    }

    fn overview(&mut self) -> OverviewView {
        let mut view = OverviewView {
            by: self.maybe(|dice| dice.of(&overview::DIMENSIONS).0),
            measure: self.maybe(|dice| dice.of(&overview::MEASURES).0),
            ..OverviewView::default()
        };
        for key in self.some(3, |dice| format!("rule.{}", dice.roll(9))) {
            view.set(ChangedThreshold { key, value: self.text() });
        }
        view
    }

    fn sources(&mut self) -> SourcesView {
        let by = SourceDimension::ALL.into_iter().filter(|_| self.coin()).collect();
        let list = SourceList {
            by,
            sort: self.of(&sources::SOURCE_COLUMNS).0,
            reversed: self.coin(),
            ..SourceList::default()
        };
        let executions = self.maybe(|dice| SourceExecutionList {
            group: dice.roll(1 << 32) as u32,
            failed: dice.coin(),
            sort: dice.of(&sources::EXECUTION_COLUMNS).0,
            reversed: dice.coin(),
            ..SourceExecutionList::default()
        });
        let sort = self.of(&sources::QUERY_COLUMNS).0;
        let queries = BufferQueryList { sort, reversed: self.coin(), ..BufferQueryList::default() };
        SourcesView {
            list,
            executions,
            measure: self.of(&sources::MEASURES).0,
            cumulative: self.coin(),
            queries,
        }
    }

    fn weights(&mut self) -> ScoreWeights {
        let mut weight = || self.roll(u64::from(ScoreWeights::MOST) * 1_000_000 + 1) as u32;
        ScoreWeights { latency: weight(), io: weight(), buffer: weight() }
    }

    fn trends(&mut self) -> TrendChoice {
        let group = self.maybe(|dice| dice.roll(1 << 63));
        TrendChoice { by: self.text(), measure: self.text(), engine: self.text(), group }
    }

    fn area(&mut self) -> AreaView {
        let keys = self.keys();
        AreaView {
            tracks: keys.into_iter().map(|key| AreaTrack { key, is_own_row: self.coin() }).collect(),
            names: (self.of(&area::NAME_COLUMNS).0, self.coin()),
            spans: self.maybe(|dice| dice.maybe(|dice| dice.roll(1 << 32) as u32)),
            span_order: (self.of(&area::SPAN_COLUMNS).0, self.coin()),
        }
    }

    fn nav(&mut self) -> Nav {
        let (arrangement, chosen) = (self.of(&ROWS).0, self.coin());
        let part = self.roll(MERGED_WIDTH as u64) as i64;
        let columns = [TransactionColumn::Idle, TransactionColumn::Start, TransactionColumn::Statements];
        let mut nav = Nav {
            tab: self.of(&TABS).tab,
            arrangement,
            arrangement_chosen: chosen || arrangement != Arrangement::ByQuery,
            expansion: self.expansion(),
            pins: self.keys(),
            tracks: TrackLayout { hidden: self.keys(), moves: vec![(self.key(), 3)], name: self.text() },
            counters: CounterView { rate: self.coin(), common_scale: self.coin(), stacked: self.coin() },
            color: self.of(&COLORS).0,
            only: self.some(4, |dice| dice.roll(1 << 16) as u16),
            arrows: self.of(&[ArrowsShown::Chain, ArrowsShown::Direct]),
            marks_path: self.coin(),
            flame: self.of(&[Flame::Time(None), Flame::Merged, Flame::SideBySide]),
            merged: self.merged(),
            side_part: self.maybe(Dice::interval),
            merged_part: self.maybe(|_| (part, MERGED_WIDTH)),
            pivot: self.pivot(),
            table: self.table(),
            sql: self.text(),
            sql_of_trace: self.coin(),
            sql_chart: self.maybe(|dice| (dice.roll(9) as u32, dice.roll(9) as u32)),
            trends: self.trends(),
            raw_values: self.coin(),
            transactions: TransactionList { sort: self.of(&columns), reversed: self.coin(), range: None },
            statements: self.statements(),
            overview: self.overview(),
            sources: self.sources(),
            orders: Vec::new(),
            compare: self.compare(),
            runs: self.runs(),
            filter: self.text(),
            hides_rest: self.coin(),
            queries: self.maybe(|dice| QueryList {
                sort: dice.of(&queries::QUERY_COLUMNS).0,
                descending: dice.coin(),
                filter: String::new(),
                range: None,
                weights: dice.maybe(Self::weights).unwrap_or_default(),
            }),
            selection: None,
            range: self.maybe(Self::interval),
            area: self.area(),
            picked: Vec::new(),
            viewport: self
                .maybe(|dice| Viewport { top: dice.roll(1 << 30) as f64, ..viewport(dice.interval()) }),
            search: self.text(),
            notes: self.some(3, Self::note),
            theme: self.maybe(|dice| dice.of(&THEMES).0),
        };
        self.orders(&mut nav);
        nav
    }
}

fn items(dice: &mut Dice, nav: &Nav) -> Items {
    let mut place =
        || dice.maybe(|dice| (dice.roll(1 << 32) as u32, dice.interval().0, dice.roll(1 << 62) as i64));
    let flame = place().filter(|_| nav.flame == Flame::Time(None));
    let [a, b] = [place(), place().filter(|_| nav.compare.b == CompareWith::Typical)];
    Items { selection: place(), flame, compared: [a, b] }
}

#[wasm_bindgen_test]
fn every_state_returns_from_its_link() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2_000 {
        let nav = dice.nav();
        let items = items(&mut dice, &nav);
        let traces = dice.some(2, |dice| format!("t{}", dice.text()));
        let embedded = dice.coin();
        let files = dice.some(2, |dice| {
            let name = format!("f{}", dice.text().replace('/', ""));
            LocalFile::new(
                &name,
                dice.maybe(|dice| dice.roll(1 << 53)),
                dice.maybe(|dice| format!("{:016x}", dice.roll(u64::MAX))),
            )
        });
        let picked = vec![(7, -8, 9), (u32::MAX, i64::MIN, i64::MAX)];
        let link = with_picked(&fragment(&nav, &items, &traces, embedded), &picked);
        let link = with_files(&link, &files);
        let back = Address::parse("", &link);
        assert_eq!((&back.nav, &back.picked), (&nav, &picked), "{link}");
        assert_eq!((back.embedded, back.is_newer(), back.is_too_long), (embedded, false, false), "{link}");
        assert_eq!((back.items, back.traces, back.files), (items, traces, files), "{link}");
        // Parts that no version knows change nothing, wherever they stand.
        let noise = format!("__proto__=1&{link}&constructor=%E0%A4%A&notes=x&%&&note&file&pins=x&toString");
        assert_eq!(Address::parse("hasOwnProperty=1", &noise).nav, nav, "{noise}");
    }
}

/// Links of earlier versions, as they were written, and the same states written today.
#[wasm_bindgen_test]
fn links_of_every_version_open() {
    for (old, today) in [
        (
            "trace=a.json&view=pivot&rows=packed&by=kind,%20name&where=failed&sort=-2&open=a%1Fb&t=5,9&range=6,8&item=1,2,3&a=4,5,6",
            "trace=a.json&view=pivot&rows=packed&by=kind,%20name&where=failed&sort=-2&open=a%1Fb&a=4,5,6&t=5,9&range=6,8&item=1,2,3&v=3",
        ),
        ("view=compare&steps=folded&times=whole", "view=compare&steps=merged&times=inclusive&v=3"),
        ("view=compare&times=whole&b=others&v=1", "view=compare&b=others&times=inclusive&v=3"),
        (
            "trace=run.json&view=compare&b=others&steps=folded&times=whole&order=-ratio&list=-rows-read&filter=a%20%26%20b&find=gr%C3%B6%C3%9Fer&v=2",
            "trace=run.json&view=compare&b=others&steps=merged&times=inclusive&order=-ratio&list=-rows-read&filter=a%20%26%20b&find=gr%C3%B6%C3%9Fer&v=3",
        ),
        (
            "tracks=collapsed,0123456789,-abcdef0123.1&only=3,5&v=2",
            "tracks=collapsed,0123456789,-abcdef0123.1&only=3,5&v=3",
        ),
        // The words of version 2 mean nothing in version 3.
        ("view=compare&times=whole&v=3", "view=compare&v=3"),
    ] {
        let (then, now) = (Address::parse("", old), Address::parse("", today));
        assert_eq!((&then.nav, then.items, &then.traces), (&now.nav, now.items, &now.traces), "{old}");
        assert!(!then.is_newer() && now.version == VERSION);
        let link = fragment(&now.nav, &now.items, &now.traces, false);
        let back = Address::parse("", &link);
        assert_eq!(fragment(&back.nav, &back.items, &back.traces, false), link);
    }
    let newer = Address::parse("", "v=4&times=whole&view=compare&theme=dark&unheard=of");
    assert!(newer.is_newer() && newer.nav.tab == Tab::Compare && newer.nav.theme == Some(Theme::Dark));
}

#[wasm_bindgen_test]
fn notes_that_are_none_are_skipped_and_long_ones_cut() {
    let target = NoteTarget::Range { start: 1, end: 5 };
    for (text, expected) in [
        ("trace,slow, isn't it", Some((NoteTarget::Trace, "slow, isn't it"))),
        ("range,1,5,look", Some((target, "look"))),
        ("item,7,2,3,look", Some((NoteTarget::Item { item: 7, start: 2, duration: 3 }, "look"))),
        ("range,5,1,look", None),
        ("range,1,look", None),
        ("item,7,2,look", None),
        ("item,-7,2,3,look", None),
        ("trace,", None),
        ("trace", None),
        ("moon,look", None),
    ] {
        let nav = Address::parse("", &format!("note={}", js_sys::encode_uri_component(text))).nav;
        let expected: Vec<_> =
            expected.into_iter().map(|(target, text)| UserNote { target, text: text.to_owned() }).collect();
        assert_eq!(nav.notes, expected, "{text}");
    }
    let long = Address::parse("", &format!("note=trace,{}", "é".repeat(4 * NOTE_CHARACTERS))).nav;
    assert_eq!(long.notes[0].text.chars().count(), NOTE_CHARACTERS);
    let many = Address::parse("", &"&note=trace,x".repeat(3 * MOST_NOTES)).nav;
    assert_eq!(many.notes.len(), MOST_NOTES);
}

#[wasm_bindgen_test]
fn notes_that_do_not_fit_are_counted() {
    let note =
        |at: usize| UserNote::new(NoteTarget::Trace, &format!("{at} {}", "x".repeat(400))).expect("a text");
    for n in [0, 1, 18, 19, 20, 100] {
        let nav = Nav { tab: Tab::Pivot, notes: (0..n).map(note).collect(), ..Nav::default() };
        let whole = fragment(&nav, &Items::default(), &[], false);
        let (link, left_out) = fitted(&whole, LINK_BYTES);
        let back = Address::parse("", &link);
        assert_eq!(left_out, back.left_out);
        assert_eq!(back.nav.notes[..], nav.notes[..n - left_out as usize]);
        assert!(link.len() <= LINK_BYTES && back.nav.tab == Tab::Pivot && (left_out == 0) == (link == whole));
        // No more is left out than must be.
        assert!(left_out == 0 || link.len() + 450 > LINK_BYTES, "{}", link.len());
    }
}

#[wasm_bindgen_test]
fn notes_as_lines() {
    let notes = [(NoteTarget::Trace, "all\nslow"), (NoteTarget::Range { start: 0, end: 2_000_000 }, "here")];
    let notes: Vec<UserNote> =
        notes.into_iter().filter_map(|(target, text)| UserNote::new(target, text)).collect();
    assert_eq!(notes_as_text(&notes), "whole trace: all slow\nrange 0 ns … +2 ms: here\n");
    assert_eq!(UserNote::new(NoteTarget::Trace, " \n"), None);
}
