use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;

use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind};
use proptest::prelude::{any, prop, proptest};

use super::*;
use crate::protocol::RunCharts;

/// Records what was drawn on the backend.
#[derive(Default)]
struct Paper {
    bars: Vec<(BackendCoord, BackendCoord)>,
    texts: Vec<String>,
    /// Names of the percentiles, with the left ends of their texts.
    names: Vec<(String, BackendCoord)>,
    lines: Vec<Vec<BackendCoord>>,
    /// Lines in the colours of the series, with their colours.
    of_series: Vec<(Rgb, Vec<BackendCoord>)>,
}

#[derive(Clone, Default)]
struct Pen(Rc<RefCell<Paper>>);

type Said = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Pen {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (400, 200)
    }

    fn ensure_prepared(&mut self) -> Said {
        Ok(())
    }

    fn present(&mut self) -> Said {
        Ok(())
    }

    fn draw_pixel(&mut self, _: BackendCoord, _: BackendColor) -> Said {
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(&mut self, a: BackendCoord, b: BackendCoord, _: &S, _: bool) -> Said {
        self.0.borrow_mut().bars.push((a, b));
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Said {
        match style.color().rgb {
            MARK => self.0.borrow_mut().lines.push(path.into_iter().collect()),
            color if SERIES.contains(&color) => {
                self.0.borrow_mut().of_series.push((color, path.into_iter().collect()));
            }
            _ => {}
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Said {
        let mut paper = self.0.borrow_mut();
        paper.texts.push(text.to_owned());
        if MARKS.contains(&text) {
            let left = if matches!(style.anchor().h_pos, HPos::Right) { at.0 - NAME_WIDTH } else { at.0 };
            paper.names.push((text.to_owned(), (left, at.1)));
        }
        Ok(())
    }
}

const MARK: Rgb = (1, 1, 1);
const SERIES: [Rgb; 2] = [(0, 0, 255), (255, 0, 0)];
/// Width of "p99" in the charts' font size, in pixels.
const NAME_WIDTH: i32 = 25;

type Kind = fn(&Area<Pen>, &Charts, &ChartStyle) -> Drawn<Pen>;
const KINDS: [Kind; 3] = [queries, buffers, durations];

fn drawn(kind: Kind, charts: &Charts) -> (Paper, Plot) {
    let look = ChartStyle {
        text: (0, 0, 0),
        grid: (9, 9, 9),
        mark: MARK,
        series: SERIES.to_vec(),
        font: "sans-serif".to_owned(),
        scale: 1.0,
    };
    let pen = Pen::default();
    let plot = kind(&pen.clone().into_drawing_area(), charts, &look).expect("a pen never fails");
    (pen.0.take(), plot)
}

fn example() -> Charts {
    Charts {
        start: 0,
        end: 40_000_000,
        queries: vec![1, 3, 0, 2],
        buffers: vec![("READ".into(), vec![500, 0, 0, 10]), ("SPILL".into(), vec![500, 0, 0, 0])],
        durations: vec![(1_000, 3), (10_000, 0), (100_000, 1)],
        percentiles: Some([1_500, 200_000, 300_000, 300_000]),
        ..Charts::default()
    }
}

#[test]
fn each_chart_draws_a_bar_for_each_value_and_names_its_axes() {
    let cases: [(Kind, usize, &[&str]); 3] = [
        (queries, 3, &["20 ms", "40 ms", "2"]),
        (buffers, 3, &["20 ms", "500 B", "1.0 kB"]),
        (durations, 2, &["10 µs", "100 µs", "p50", "p99"]),
    ];
    for (kind, bars, texts) in cases {
        let (paper, plot) = drawn(kind, &example());
        assert_eq!(paper.bars.len(), bars);
        for text in texts {
            assert!(paper.texts.iter().any(|t| t == text), "{text} in {:?}", paper.texts);
        }
        assert!(plot.x.start > 40 && plot.x.end > 360 && plot.y.start < 20, "{plot:?}");
    }
}

#[test]
fn every_run_has_a_line_of_its_colour() {
    let run = |queries: &[u32], bytes: &[i64], durations: &[u32]| RunCharts {
        queries: queries.to_vec(),
        bytes: bytes.to_vec(),
        durations: durations.to_vec(),
        ..RunCharts::default()
    };
    let runs = vec![
        run(&[1, 2, 0, 1], &[500, 0, 0, 10], &[2, 0, 1]),
        run(&[0, 1, 0, 1], &[500, 0, 0, 0], &[1, 0, 0]),
    ];
    for kind in KINDS {
        let (paper, _) = drawn(kind, &Charts { runs: runs.clone(), ..example() });
        assert!(paper.bars.is_empty(), "one run would hide the other");
        assert_eq!(paper.of_series.iter().map(|line| line.0).collect::<Vec<_>>(), SERIES);
        // The run with the larger value has the higher line.
        let last_of = |line: usize| paper.of_series[line].1.last().expect("points").1;
        let differ =
            paper.of_series[0].1.iter().zip(&paper.of_series[1].1).filter(|(a, b)| a.1 < b.1).count();
        assert!(differ > 0 && last_of(0) <= last_of(1));
    }
}

#[test]
fn the_last_class_ends_where_the_next_would_begin() {
    for (last, end) in [(0, 2), (2, 5), (5, 10), (10, 20), (20_000, 50_000), (i64::MAX, i64::MAX)] {
        let charts = Charts { durations: vec![(last, 1)], ..Charts::default() };
        assert_eq!(classes(&charts), [(last.max(1), end, 1)]);
    }
}

#[test]
fn layers_stand_on_each_other() {
    let (paper, _) = drawn(buffers, &example());
    let (read, spill) = (paper.bars[0], paper.bars[2]);
    assert_eq!((read.0.0, read.1.0), (spill.0.0, spill.1.0));
    assert_eq!(read.0.1.min(read.1.1), spill.0.1.max(spill.1.1));
}

proptest! {
    #[test]
    fn nothing_is_drawn_outside_and_nothing_panics(
        start in any::<i64>(), end in any::<i64>(),
        queries in prop::collection::vec(any::<u32>(), 0..20),
        bytes in prop::collection::vec(any::<i64>(), 0..20),
        durations in prop::collection::vec(any::<(i64, u32)>(), 0..20),
        percentiles in any::<Option<[i64; 4]>>(),
        of_runs in any::<bool>(),
    ) {
        let buffers = vec![("a".to_owned(), bytes.clone()), ("b".to_owned(), bytes)];
        let run = RunCharts { queries: queries.clone(), bytes: buffers[0].1.clone(), ..RunCharts::default() };
        let run = RunCharts { durations: durations.iter().map(|class: &(i64, u32)| class.1).collect(), ..run };
        let runs = if of_runs { vec![run.clone(), run] } else { Vec::new() };
        let charts = Charts { start, end, queries, buffers, durations, percentiles, runs, ..Charts::default() };
        for kind in KINDS {
            for (a, b) in drawn(kind, &charts).0.bars {
                let inside = |p: BackendCoord| (0..=400).contains(&p.0) && (0..=200).contains(&p.1);
                assert!(inside(a) && inside(b), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn no_line_crosses_the_name_of_a_percentile(mut at in prop::array::uniform3(1_000_i64..2_000_000)) {
        at.sort_unstable();
        let durations = (0..12).map(|class| (1_000 << class, 5)).collect();
        let charts = Charts { durations, percentiles: Some([at[0], at[1], at[2], at[2]]), ..example() };
        let (paper, plot) = drawn(super::durations, &charts);
        assert_eq!((paper.names.len(), paper.lines.len()), (3, 3));
        for (name, (x, y)) in &paper.names {
            assert!(plot.x.contains(x) && plot.x.contains(&(x + NAME_WIDTH)), "{name} at {x} in {plot:?}");
            for line in &paper.lines {
                let across = (*x..x + NAME_WIDTH).contains(&line[0].0);
                assert!(!across || line.iter().all(|end| end.1 > y + 10), "{name} at {x}:{y}, {line:?}");
            }
            for (other, at) in paper.names.iter().filter(|(other, _)| other != name) {
                assert!((y - at.1).abs() > 10 || (x - at.0).abs() > NAME_WIDTH, "{name} on {other}");
            }
        }
        for (a, b) in paper.bars {
            let top = a.1.min(b.1);
            assert!(paper.names.iter().all(|(_, (_, y))| y + 11 <= top), "a bar up to {top} behind {:?}", paper.names);
        }
    }
}
