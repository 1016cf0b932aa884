//! Marks of the critical path of the selection: a line along the bottom of each bar that the path is in, with lines from
//! bar to bar, painted over the rows. A switch in the toolbar shows and hides them.

use std::rc::Rc;

use queryscope::protocol::{PathMark, PathMarks, PathMarksRequest, Viewport};
use yew::prelude::*;

use super::requests::TimelineAnswer;
use super::{Axis, Timeline};
use crate::canvas::{CanvasTheme, Surface};
use crate::state::{Action, Dispatch, State};
use crate::words;

/// Width of the line along a bar in CSS pixels, and with its rim, which stands out from bars of the same colour.
const LINE: (f64, f64) = (3.0, 6.0);
/// Width of the lines from bar to bar in CSS pixels, and with their rim.
const LINK: (f64, f64) = (1.5, 4.0);
/// Distance of a line from the bottom of its bar, in CSS pixels.
const INSET: f64 = 2.5;
/// Maximum distance from the screen in CSS pixels to which ends of lines are clamped, without a visible effect.
const FAR: f64 = 10_000.0;

impl Timeline {
    /// Requests the critical path of the selection if it is to be marked, unless it was already requested.
    pub(super) fn ask_path(&mut self, ctx: &Context<Self>) {
        let state = &ctx.props().state;
        let is_asked = state.nav.marks_path && state.load.info.critical;
        let view = state.view().filter(|spec| is_asked && Axis::of(spec) == Axis::Time);
        let wanted = view.zip(state.nav.selection);
        if self.asked.path == wanted {
            return;
        }
        self.asked.path = wanted.clone();
        let Some((view, item)) = wanted else {
            self.path = PathMarks::default();
            return self.schedule(ctx);
        };
        self.ask(ctx, PathMarksRequest { item, view }, |path| Some(TimelineAnswer::Path(path)));
    }
}

/// Shows or hides the marks, by a key. Without a selection there is nothing to mark, which a message says.
pub fn toggle(state: &State, dispatch: &Dispatch) {
    let marks = !state.nav.marks_path;
    dispatch.dispatch(Action::MarkPath(marks));
    if marks && state.nav.selection.is_none() {
        dispatch.dispatch(Action::Notice(Some(words::critical_path::nothing_selected())));
    }
}

/// Renders the switch; empty if the trace has no critical paths or the view has no time axis. `unmarked`: number of parts of the path
/// without a mark, because there are too many.
pub fn switch(state: &Rc<State>, unmarked: u32, dispatch: &Dispatch) -> Html {
    if !state.load.info.critical || !state.view().is_some_and(|spec| Axis::of(&spec) == Axis::Time) {
        return Html::default();
    }
    let marks = state.nav.marks_path;
    let onclick = {
        let (state, dispatch) = (state.clone(), dispatch.clone());
        move |_: MouseEvent| toggle(&state, &dispatch)
    };
    html! {
        <>
            <span class="segments">
                <button type="button" id="mark-path" aria-pressed={marks.to_string()} title={words::critical_path::SHOW_MARKS}
                    data-label={words::critical_path::CRITICAL_PATH} {onclick}>{ words::critical_path::CRITICAL_PATH }</button>
            </span>
            if marks && unmarked > 0 { <span>{ words::critical_path::unmarked(unmarked) }</span> }
        </>
    }
}

/// Paints the marks, each line with a rim below it.
pub fn paint(surface: &Surface, theme: &CanvasTheme, marks: &[PathMark], view: &Viewport) {
    let context = &surface.context;
    let x = |time: i64| view.x_from_time(time).clamp(-FAR, FAR);
    let y = |mark: &PathMark| mark.bottom - view.top - INSET;
    let line = |from: (f64, f64), to: (f64, f64)| {
        context.begin_path();
        context.move_to(from.0, from.1);
        context.line_to(to.0, to.1);
        context.stroke();
    };
    for is_rim in [true, false] {
        let color = if is_rim { theme.panel } else { theme.text };
        let width = |(line, rim): (f64, f64)| if is_rim { rim } else { line };
        context.set_stroke_style_str(&color.css());
        context.set_line_width(width(LINK));
        for two in marks.windows(2) {
            line((x(two[0].end), y(&two[0])), (x(two[1].start), y(&two[1])));
        }
        context.set_line_width(width(LINE));
        for mark in marks {
            // A part narrower than a pixel is still seen.
            let from = x(mark.start);
            line((from, y(mark)), (x(mark.end).max(from + 1.0), y(mark)));
        }
    }
}
