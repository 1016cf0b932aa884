//! Layout around the canvases: their places on the page, the tooltip, and the summary of the time range.

use queryscope::internal::text;
use queryscope::protocol::{IssueTextRequest, KindSum, RANGE_MEANS, RANGE_WHOLE};
use yew::prelude::*;

use super::elements::flight_time;
use super::pointer::{PointerPhase, Zone};
use super::toolbar::Toolbar;
use super::{Axis, Msg, Timeline, arrows};
use crate::components::color::swatch;
use crate::components::copy_issue::CopyIssue;
use crate::components::notes_button;
use crate::state::{Action, Tab};
use crate::words;

impl Timeline {
    pub(super) fn html(&self, ctx: &Context<Self>) -> Html {
        let state = &ctx.props().state;
        let name = if state.nav.tab == Tab::Flame { "flame" } else { "gantt" };
        let label = match state.nav.tab {
            Tab::Flame => words::timeline::FLAME_LABEL,
            _ => words::timeline::GANTT_LABEL,
        };
        html! {
            <div class="timeline" hidden={!state.nav.tab.has_picture()}>
                <Toolbar panel={ctx.props().clone()} save={self.save.clone()} unmarked={self.path.more} />
                <div class={classes!("timeline-grid", (self.axis(ctx) == Axis::Merged).then_some("flat"))} style={self.grid_style(ctx)} ref={self.elements.root.clone()}>
                    <div class="timeline-corner">
                        <div class="kicker">{ words::timeline::TOTAL }<span ref={self.elements.whole.clone()} /></div>
                        <div ref={self.elements.in_view.clone()} />
                    </div>
                    { canvas(ctx, Zone::Minimap, "minimap", &self.elements.minimap, words::timeline::MINIMAP) }
                    <div class="timeline-corner small">{ self.pins_corner(ctx) }</div>
                    { canvas(ctx, Zone::Ruler, "ruler", &self.elements.ruler, words::timeline::RULER) }
                    { canvas(ctx, Zone::PinHeadings, "pin-headings", &self.elements.pin_headings, words::notes::PINNED_HEADINGS) }
                    { canvas(ctx, Zone::Pins, "pins", &self.elements.pins, words::notes::PINNED_ROWS) }
                    { canvas(ctx, Zone::Headings, "headings", &self.elements.headings, words::timeline::HEADINGS_LABEL) }
                    <div class="timeline-picture">
                        <canvas id={name} key="picture" class="picture" tabindex="0" role="application" aria-label={label} ref={self.elements.picture.clone()}
                            onpointerdown={pointer(ctx, Zone::Picture, PointerPhase::Down)} onpointermove={pointer(ctx, Zone::Picture, PointerPhase::Move)}
                            onpointerup={pointer(ctx, Zone::Picture, PointerPhase::Up)} onpointercancel={pointer(ctx, Zone::Picture, PointerPhase::Up)}
                            onpointerleave={pointer(ctx, Zone::Picture, PointerPhase::Leave)} ondblclick={ctx.link().callback(Msg::DoubleClick)} />
                        { self.crosshair.line() }
                        <div class="scrollbar" ref={self.elements.scrollbar.clone()}
                            onpointerdown={pointer(ctx, Zone::ScrollBar, PointerPhase::Down)} onpointermove={pointer(ctx, Zone::ScrollBar, PointerPhase::Move)}
                            onpointerup={pointer(ctx, Zone::ScrollBar, PointerPhase::Up)}>
                            <div class="thumb" ref={self.elements.thumb.clone()} />
                        </div>
                        { self.card() }
                        { self.spoken_card() }
                        { self.range_card(ctx) }
                        { self.matched_note(ctx) }
                        { self.arrows_note(ctx) }
                        { self.side_by_side_note(ctx) }
                    </div>
                    { self.crosshair.labels() }
                    { self.headings_edge(ctx) }
                    { self.track_menu(ctx) }
                </div>
            </div>
        }
    }

    fn range_card(&self, ctx: &Context<Self>) -> Html {
        let Some(request) = ctx.props().state.nav.range_request() else { return Html::default() };
        let (start, end) = (request.start, request.end);
        let dispatch = ctx.props().dispatch.clone();
        let clear = Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::Range(None)));
        let show = ctx.link().callback(|_: MouseEvent| Msg::ShowRange);
        // The sums of an area stand below the timeline.
        let has_area = ctx.props().state.area().is_some();
        let inside = self.inside.as_ref().filter(|_| !has_area);
        let kinds = inside.map(|inside| &inside.kinds[..]).unwrap_or_default();
        html! {
            <div class={classes!("range-card", has_area.then_some("slim"))} id="range">
                <div class="range-title">
                    <strong>{ text::duration(end.saturating_sub(start)) }</strong>
                    <span>{ format!("{} … {}", text::time(start), text::time(end)) }</span>
                    <button class="btn small" onclick={show}>{ words::timeline::ZOOM_TO_RANGE }</button>
                    <button class="btn small" onclick={clear} title={words::timeline::CLEAR_RANGE_TITLE}>{ words::timeline::CLEAR_RANGE }</button>
                    <CopyIssue client={ctx.props().client.clone()} request={IssueTextRequest::Range(request)} class="btn small" />
                    { notes_button(ctx.props(), "btn small icon-only", words::notes::ADD) }
                </div>
                <table>{ for kinds.iter().map(Self::kind_row) }</table>
                if !kinds.is_empty() { <p class="range-means">{ means(kinds) }</p> }
                if inside.is_some() && kinds.is_empty() { <p>{ words::filter::none(words::timeline::WHAT_OF_RANGE, &ctx.props().state.nav) }</p> }
            </div>
        }
    }

    fn matched_note(&self, ctx: &Context<Self>) -> Html {
        let state = &ctx.props().state;
        let (nav, difference) = (&state.nav, state.difference());
        let axis = self.axis(ctx);
        let is_loaded = state.load.progress.is_none();
        if is_loaded && axis == Axis::Merged && nav.merged.difference.is_some() && difference.is_none() {
            return html! { <p class="matched-note" role="status">{ words::compare::NO_SUCH_RUN }</p> };
        }
        let why = match axis {
            Axis::Time => words::timeline::no_tracks(nav),
            Axis::Merged => Some(words::timeline::no_frames(nav)),
            Axis::Sides => None,
        };
        if let Some(why) = why.filter(|_| self.is_blank(ctx)) {
            return html! { <p class="matched-note blank" role="status">{ why }</p> };
        }
        if let Some(sides) = difference.filter(|_| self.has_only_root(ctx)) {
            let note = words::timeline::only_root(sides.width_by_base);
            return html! { <p class="matched-note" role="status">{ note }</p> };
        }
        let matched = self.matched.as_ref().filter(|_| axis == Axis::Merged);
        let Some((frames, width)) = matched else { return Html::default() };
        html! { <p class="matched-note">{ words::timeline::matched(*frames, width) }</p> }
    }

    fn arrows_note(&self, ctx: &Context<Self>) -> Html {
        let state = &ctx.props().state;
        if self.axis(ctx) != Axis::Time || state.nav.selection.is_none() {
            return Html::default();
        }
        arrows::choice(&self.arrows, state.nav.arrows, &ctx.props().dispatch)
    }

    fn kind_row(kind: &KindSum) -> Html {
        let or_nothing = |value: Option<i64>, show: fn(i64) -> String| value.map(show).unwrap_or_default();
        html! {
            <tr>
                <th>{ swatch(kind.color) }{ &kind.kind }</th>
                <td>{ text::count(i64::try_from(kind.count).unwrap_or(i64::MAX)) }</td>
                <td>{ or_nothing(kind.time, text::duration) }</td>
                <td>{ or_nothing(kind.bytes, text::bytes) }</td>
                <td>{ or_nothing(kind.rows_read, words::timeline::rows) }</td>
            </tr>
        }
    }

    #[inline(never)]
    pub(super) fn show_range(&mut self, ctx: &Context<Self>) {
        if let Some((start, end)) = ctx.props().state.nav.range {
            let top = self.time.view.top;
            self.time.fly(start, end, top, flight_time());
            self.moved(ctx);
        }
    }
}

/// Explains how spans count in the time range; kinds with bytes or rows need an additional sentence.
fn means(kinds: &[KindSum]) -> String {
    let has_whole = kinds.iter().any(|kind| kind.bytes.is_some() || kind.rows_read.is_some());
    if has_whole { format!("{RANGE_MEANS} {RANGE_WHOLE}") } else { RANGE_MEANS.to_owned() }
}

fn canvas(
    ctx: &Context<Timeline>,
    zone: Zone,
    id: &'static str,
    node: &NodeRef,
    label: &'static str,
) -> Html {
    let oncontextmenu = (zone == Zone::Headings).then(|| ctx.link().callback(Msg::HeadingMenu));
    html! {
        <canvas {id} class={id} role="img" aria-label={label} ref={node.clone()}
            onpointerdown={pointer(ctx, zone, PointerPhase::Down)} onpointermove={pointer(ctx, zone, PointerPhase::Move)}
            onpointerup={pointer(ctx, zone, PointerPhase::Up)} onpointercancel={pointer(ctx, zone, PointerPhase::Up)}
            onpointerleave={pointer(ctx, zone, PointerPhase::Leave)} {oncontextmenu} />
    }
}

fn pointer(ctx: &Context<Timeline>, zone: Zone, phase: PointerPhase) -> Callback<PointerEvent> {
    ctx.link().callback(move |event| Msg::Pointer(zone, phase, event))
}
