//! Marks over a chart: the selected item, and the part of the time axis that the timeline shows.

use queryscope::protocol::{Charts, DetailsRequest};
use yew::prelude::*;

use crate::components::PanelProps;
use crate::components::use_query::{Answer, use_query};
use crate::words;

/// A marked part of the time axis of a chart.
#[derive(Clone, PartialEq)]
pub struct ChartMark {
    /// CSS class of the band.
    pub class: &'static str,
    /// What is marked.
    name: &'static str,
    /// Start as a share of the axis, from 0 to 1.
    pub from: f64,
    /// End as a share of the axis, from 0 to 1.
    pub until: f64,
}

impl ChartMark {
    /// Returns the mark of a period; `None` if it is outside of the axis.
    fn of(
        charts: &Charts,
        class: &'static str,
        name: &'static str,
        (start, end): (i64, i64),
    ) -> Option<Self> {
        let is_inside = start <= charts.end && end >= charts.start;
        let length = charts.end.saturating_sub(charts.start).max(1) as f64;
        let share = |time: i64| (time.saturating_sub(charts.start) as f64 / length).clamp(0.0, 1.0);
        is_inside.then(|| Self { class, name, from: share(start), until: share(end) })
    }

    /// The mark's entry in the legend.
    pub fn entry(&self) -> Html {
        html! { <span><i class={classes!("swatch", self.class)} aria-hidden="true" />{ self.name }</span> }
    }
}

/// The marks of all charts of a view that have the time axis of `charts`: the part that the timeline shows, unless it shows the
/// whole axis, and the selected item. Without charts, there are no marks, and nothing is requested.
#[hook]
pub fn use_marks(panel: &PanelProps, charts: Option<&Charts>) -> Vec<ChartMark> {
    let nav = &panel.state.nav;
    let selection = nav.selection.filter(|_| charts.is_some());
    let request = selection.map(|item| DetailsRequest { item });
    let answer = use_query(&panel.client, request, panel.state.load.scene_version);
    let Some(charts) = charts else { return Vec::new() };
    // The answer may still be about the previous selection.
    let item = answer.as_ref().and_then(Answer::reply).and_then(Option::as_deref);
    let item = item.filter(|item| selection == Some(item.item)).map(|item| {
        let end = item.start.saturating_add(item.duration.unwrap_or(0));
        ("chart-item", words::overview::chart::SELECTED, (item.start, end))
    });
    let visible = nav
        .viewport
        .filter(|view| view.start > charts.start || view.end < charts.end)
        .map(|view| ("chart-visible", words::overview::chart::VISIBLE, (view.start, view.end)));
    let marks = visible.into_iter().chain(item);
    marks.filter_map(|(class, name, period)| ChartMark::of(charts, class, name, period)).collect()
}
