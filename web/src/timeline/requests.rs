//! Requests of the timeline to the worker, and the handling of their replies.

use std::future::Future;
use std::time::Duration;

use queryscope::internal::view::Scene;
use queryscope::protocol::{
    AreaSummary, AreaTrack, Arrows, ArrowsRequest, Card, CardRequest, FocusMove, FrameCardRequest,
    LocateRequest, Located, MergedFrame, MergedFrameRequest, MergedSpec, MinimapPixels, MinimapRequest,
    NeighbourRequest, PathMarks, RangeSummary, Request, SideBySideRequest, SideBySideSummary, TrackKey,
    TrackKeyRequest, TrackMoved, ViewKind, ViewSpec, Viewport,
};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::elements::flight_time;
use super::stacks::with_call;
use super::track_menu::with_shown;
use super::{Axis, Msg, Timeline};
use crate::host::page;
use crate::input::Command;
use crate::state::{Action, Jump, JumpZoom};
use crate::words;

/// The latest requests of the timeline.
#[derive(Default)]
pub struct LastRequests {
    /// Whether a scene request is in progress or delayed.
    in_flight: bool,
    /// Time of the latest scene request, in milliseconds; `scene_cost` is the time until its reply.
    scene_at: f64,
    scene_cost: f64,
    /// View and viewport of the latest requested scene.
    scene: Option<(ViewSpec, Viewport)>,
    /// Width of the latest requested minimap.
    minimap: Option<u32>,
    /// View and item of the latest requested arrows.
    arrows: Option<(ViewSpec, u32)>,
    /// View and item of the latest requested critical path.
    pub(super) path: Option<(ViewSpec, u32)>,
    /// Latest requested description of two executions.
    pub side_by_side: Option<SideBySideRequest>,
}

/// While the timeline moves, the pause between two scene requests is this many times the duration of the latest
/// request. During the pause, the previous scene is stretched and painted, and the engine does not compete with
/// painting for the processor.
const PACE: f64 = 4.0;
/// Duration of a frame, in milliseconds.
const FRAME: f64 = 17.0;
/// Maximum pause between two scene requests, in milliseconds.
const LONGEST_PACE: f64 = 80.0;

impl LastRequests {
    /// Milliseconds to wait before a scene is requested that differs from the latest only in its viewport.
    fn pause(&self, wanted: &(ViewSpec, Viewport), now: f64) -> f64 {
        let moved = self.scene.as_ref().is_some_and(|(spec, _)| *spec == wanted.0);
        let pace = (self.scene_cost * PACE).min(LONGEST_PACE);
        if moved { self.scene_at + pace - now } else { 0.0 }
    }

    /// Whether no scene of this trace was requested yet.
    pub fn knows_nothing(&self) -> bool {
        self.scene.is_none()
    }

    /// Forgets all requests, because the trace changed and everything must be requested again.
    pub fn forget(&mut self) {
        self.scene = None;
        self.minimap = None;
        self.arrows = None;
        self.path = None;
        self.side_by_side = None;
    }
}

/// A reply of the worker, with the parameters of its request.
pub enum TimelineAnswer {
    /// A scene, with its axis and its build.
    Scene(Axis, u32, Option<Scene>),
    /// The pause before the next scene request is over.
    Paused,
    /// Pixels of the minimap: how busy the trace is, and where something failed.
    Minimap(Vec<u8>, Vec<u8>),
    /// The arrows of the selection.
    Arrows(Arrows),
    /// Marks of the critical path of the selection.
    Path(PathMarks),
    /// Summary of the two executions that timelines compare; `None` if one of them does not exist.
    SideBySide(Option<Box<SideBySideSummary>>),
    /// Position of the item of a jump.
    Place(Jump, Option<Located>),
    /// Position of the selection, or of the collapsed track that hides it, after all tracks were expanded or collapsed.
    Still(Jump, Option<Located>),
    /// The item that the keyboard selects; `None` if there is none in that direction.
    Moved(Option<u32>),
    /// The next item at the same place as the selection, if several overlap.
    Beneath(Option<u32>),
    /// Tooltip of the hovered item or frame.
    Card(u32, Option<Card>),
    /// Tooltip of the selected item, which is announced to screen readers.
    Said(Option<Card>),
    /// Summary of the time range.
    Inside(RangeSummary),
    /// Sums of the selected area.
    AreaSums(Box<AreaSummary>),
    /// The tracks of an area that was selected in this time range.
    AreaTracks((i64, i64), Vec<AreaTrack>),
    /// A track that is to be added to the area, or removed from it.
    AreaTrack(AreaTrack),
    /// The scene of the pinned tracks, with its build.
    Pins(u32, Option<Scene>),
    /// Key of a track that is to be pinned or unpinned.
    Pin(TrackKey),
    /// Name and position of a track, and the height in the headings at which its menu is opened; `None` to update the open menu.
    Menu(Option<TrackMoved>, Option<f64>),
    /// Key of a track that is to be expanded or collapsed.
    Expand(TrackKey, bool),
    /// The frame that is to fill the width; `true` if it was chosen by keys.
    Focus(MergedFrame, bool),
    /// A command for the call of this name.
    Call(Command, String),
    /// Number of frames in the focused frame that match the search, and their width with its share.
    Matched(Option<(u32, String)>),
}

impl Timeline {
    /// Sends a request and passes the reply to `answer`.
    pub(super) fn ask<R: Request + 'static>(
        &self,
        ctx: &Context<Self>,
        request: R,
        answer: impl FnOnce(R::Reply) -> Option<TimelineAnswer> + 'static,
    ) {
        let client = ctx.props().client.clone();
        self.later(ctx, async move { answer(client.ask(request).await?) });
    }

    pub(super) fn later(
        &self,
        ctx: &Context<Self>,
        answer: impl Future<Output = Option<TimelineAnswer>> + 'static,
    ) {
        let link = ctx.link().clone();
        spawn_local(async move {
            if let Some(answer) = answer.await {
                link.send_message(Msg::Answer(answer));
            }
        });
    }

    /// Requests the scene of the current view, unless it was already requested or another request is in progress.
    pub(super) fn ask_scene(&mut self, ctx: &Context<Self>) {
        let Some(spec) = ctx.props().state.view() else { return };
        let wanted = (spec, self.camera(ctx).view);
        if self.asked.in_flight || self.asked.scene.as_ref() == Some(&wanted) || wanted.1.width <= 1.0 {
            return;
        }
        let now = page::now();
        let pause = self.asked.pause(&wanted, now);
        self.asked.in_flight = true;
        // A pause of up to a frame is not worth a timer.
        if pause > FRAME {
            return self.later(ctx, async move {
                yew::platform::time::sleep(Duration::from_secs_f64(pause / 1e3)).await;
                Some(TimelineAnswer::Paused)
            });
        }
        self.asked.scene_at = now;
        self.asked.scene = Some(wanted.clone());
        let (client, axis) = (ctx.props().client.clone(), Axis::of(&wanted.0));
        let build = ctx.props().state.load.info.build;
        let scene = async move { client.scene(wanted.0, wanted.1).await };
        self.later(ctx, async move { Some(TimelineAnswer::Scene(axis, build, scene.await)) });
    }

    pub(super) fn ask_minimap(&mut self, ctx: &Context<Self>) {
        let width = self.elements.surfaces.as_ref().map_or(0, |surfaces| surfaces.minimap.width as u32);
        if width > 0 && self.asked.minimap != Some(width) {
            self.asked.minimap = Some(width);
            self.ask(ctx, MinimapRequest { width }, |MinimapPixels { busy, failed }| {
                Some(TimelineAnswer::Minimap(busy, failed))
            });
        }
    }

    /// Requests the arrows of the selection, unless they were already requested.
    pub(super) fn ask_arrows(&mut self, ctx: &Context<Self>) {
        let state = &ctx.props().state;
        let wanted = state.view().filter(|spec| Axis::of(spec) != Axis::Merged).zip(state.nav.selection);
        if self.asked.arrows == wanted {
            return;
        }
        self.asked.arrows = wanted.clone();
        let Some((view, item)) = wanted else {
            self.arrows = Arrows::default();
            return self.schedule(ctx);
        };
        self.ask(ctx, ArrowsRequest { item, view }, |arrows| Some(TimelineAnswer::Arrows(arrows)));
    }

    pub(super) fn ask_place(&self, ctx: &Context<Self>, jump: Jump) {
        let Some(view) = ctx.props().state.view() else { return };
        let request = LocateRequest { item: jump.item, view, open: true };
        self.ask(ctx, request, move |place| Some(TimelineAnswer::Place(jump, place)));
    }

    /// Requests the position of the selection, to keep it in view after all tracks were expanded or collapsed.
    pub(super) fn ask_still(&self, ctx: &Context<Self>) {
        let state = &ctx.props().state;
        let Some((view, item)) = state.view().zip(state.nav.selection) else { return };
        let jump = Jump { item, zoom: JumpZoom::Keep, number: self.jumped };
        self.ask(ctx, LocateRequest { item, view, open: false }, move |place| {
            Some(TimelineAnswer::Still(jump, place))
        });
    }

    pub(super) fn ask_neighbour(&self, ctx: &Context<Self>, step: FocusMove) {
        let nav = &ctx.props().state.nav;
        let within = (self.axis(ctx) == Axis::Sides).then(|| nav.side_by_side());
        let filter = nav.view_filter().hiding().to_owned();
        let request = NeighbourRequest { item: nav.selection, step, within, filter };
        self.ask(ctx, request, |item| Some(TimelineAnswer::Moved(item)));
    }

    pub(super) fn ask_beneath(&self, ctx: &Context<Self>) {
        let nav = &ctx.props().state.nav;
        let filter = nav.view_filter().hiding().to_owned();
        let request =
            NeighbourRequest { item: nav.selection, step: FocusMove::Beneath, within: None, filter };
        self.ask(ctx, request, |item| Some(TimelineAnswer::Beneath(item)));
    }

    #[inline(never)]
    pub(super) fn ask_card(&self, ctx: &Context<Self>, id: u32) {
        if self.hover.id != Some(id) {
            return;
        }
        let shown = move |card| Some(TimelineAnswer::Card(id, card));
        match ctx.props().state.view().map(|view| view.kind) {
            Some(ViewKind::FlameMerged(spec)) => self.ask(ctx, FrameCardRequest { spec, frame: id }, shown),
            _ => self.ask(ctx, CardRequest { item: id }, shown),
        }
    }

    pub(super) fn say_selection(&self, ctx: &Context<Self>, item: Option<u32>) {
        let Some(item) = item else { return ctx.props().dispatch.dispatch(Action::Announce(String::new())) };
        self.ask(ctx, CardRequest { item }, |card| Some(TimelineAnswer::Said(card)));
    }

    pub(super) fn ask_range(&self, ctx: &Context<Self>) {
        let Some(request) = ctx.props().state.nav.range_request() else { return };
        self.ask(ctx, request, |inside| Some(TimelineAnswer::Inside(inside)));
    }

    /// Requests the frame that is to be focused: `frame`, or the neighbour of the focused frame in the direction `step`.
    pub(super) fn ask_focus(&self, ctx: &Context<Self>, frame: Option<u32>, step: Option<FocusMove>) {
        self.ask_frame(ctx, frame, step, move |found| {
            found.map(|found| TimelineAnswer::Focus(found, step.is_some()))
        });
    }

    /// Requests the name of the call at the pointer, or of the focused call, for a command.
    pub(super) fn ask_call(&self, ctx: &Context<Self>, command: Command) {
        self.ask_frame(ctx, self.hover.id, None, move |found| {
            found.and_then(|found| found.call).map(|name| TimelineAnswer::Call(command, name))
        });
    }

    fn ask_frame(
        &self,
        ctx: &Context<Self>,
        frame: Option<u32>,
        step: Option<FocusMove>,
        answer: impl FnOnce(Option<MergedFrame>) -> Option<TimelineAnswer> + 'static,
    ) {
        if let Some(ViewKind::FlameMerged(spec)) = ctx.props().state.view().map(|view| view.kind) {
            self.ask(ctx, MergedFrameRequest { spec, frame, step }, answer);
        }
    }

    /// Requests the matches of the search in a merged flame graph.
    pub(super) fn ask_matched(&self, ctx: &Context<Self>) {
        self.ask_frame(ctx, None, None, |found| {
            Some(TimelineAnswer::Matched(found.and_then(|found| found.matched)))
        });
    }

    pub(super) fn expand(&self, ctx: &Context<Self>, track: u32, expanded: bool) {
        self.ask(ctx, TrackKeyRequest { track }, move |key| {
            key.map(|key| TimelineAnswer::Expand(key, expanded))
        });
    }

    /// Handles a reply; returns `true` if the page around the canvases must be rendered.
    #[inline(never)]
    pub(super) fn answered(&mut self, ctx: &Context<Self>, answer: TimelineAnswer) -> bool {
        match answer {
            TimelineAnswer::Scene(axis, build, scene) => {
                let emptiness = (self.is_blank(ctx), self.has_only_root(ctx));
                self.take_scene(ctx, axis, build, scene);
                self.schedule(ctx);
                return emptiness != (self.is_blank(ctx), self.has_only_root(ctx));
            }
            TimelineAnswer::Paused => self.asked.in_flight = false,
            TimelineAnswer::Minimap(busy, failed) => self.busy = Some((busy, failed)),
            TimelineAnswer::Arrows(arrows) => {
                self.arrows = arrows;
                self.schedule(ctx);
                return true;
            }
            TimelineAnswer::Path(path) => {
                self.path = path;
                self.schedule(ctx);
                return true;
            }
            TimelineAnswer::SideBySide(found) => {
                self.take_side_by_side(ctx, found);
                return true;
            }
            TimelineAnswer::Place(jump, place) => self.go_to(ctx, jump, place),
            TimelineAnswer::Moved(item) => {
                self.by_keys = true;
                item.into_iter().for_each(|item| ctx.props().dispatch.dispatch(Action::Reveal(item)))
            }
            TimelineAnswer::Beneath(item) => self.go_beneath(ctx, item),
            TimelineAnswer::Card(id, card) => {
                self.card = card.filter(|_| self.hover.id == Some(id));
                return true;
            }
            TimelineAnswer::Said(card) => {
                self.spoken = card.clone().filter(|_| self.by_keys);
                ctx.props().dispatch.dispatch(Action::Announce(card.map(in_words).unwrap_or_default()));
                self.schedule(ctx);
                return true;
            }
            TimelineAnswer::Inside(inside) => {
                self.inside = Some(inside);
                return true;
            }
            TimelineAnswer::AreaSums(area) => self.area = Some(area),
            TimelineAnswer::AreaTracks(range, tracks) => self.select_area(ctx, range, tracks),
            TimelineAnswer::AreaTrack(track) => self.take_area_track(ctx, track),
            TimelineAnswer::Expand(track, expanded) => {
                ctx.props().dispatch.dispatch(Action::Expand(vec![track], expanded));
            }
            TimelineAnswer::Pins(build, scene) => {
                self.schedule(ctx);
                return self.take_pins(build, scene);
            }
            TimelineAnswer::Pin(key) => self.pin(ctx, key),
            TimelineAnswer::Menu(moved, at) => {
                self.take_menu(ctx, moved, at);
                return true;
            }
            TimelineAnswer::Still(jump, place) => self.go_to(ctx, jump, place),
            TimelineAnswer::Focus(found, by_keys) => {
                if by_keys {
                    let said = words::timeline::focused(found.path.last(), &found.value);
                    ctx.props().dispatch.dispatch(Action::Announce(said));
                }
                self.focus(ctx, found.path);
            }
            TimelineAnswer::Call(command, name) => {
                let changed = with_call(&ctx.props().state.grouping(), command, &name);
                changed.into_iter().for_each(|spec| ctx.props().dispatch.dispatch(Action::Merge(spec)));
            }
            TimelineAnswer::Matched(matched) => {
                self.matched = matched;
                return true;
            }
        }
        self.schedule(ctx);
        false
    }

    /// Lets a frame fill the width: the axis then covers this frame only.
    pub(super) fn focus(&mut self, ctx: &Context<Self>, focus: Vec<String>) {
        let merged = MergedSpec { focus, ..ctx.props().state.nav.merged.clone() };
        ctx.props().dispatch.dispatch(Action::Merge(merged));
        let (start, end) = self.merged.bounds;
        self.merged.look_at(start, end);
        self.merged.scroll_to(0.0);
    }

    fn take_scene(&mut self, ctx: &Context<Self>, axis: Axis, build: u32, scene: Option<Scene>) {
        self.asked.in_flight = false;
        self.asked.scene_cost = page::now() - self.asked.scene_at;
        let Some(scene) = scene else { return };
        let content = scene.content_height;
        self.camera_of(axis).set_content(content);
        if axis == Axis::Time {
            self.restore_top();
        }
        // The user may have left the view while its scene was requested.
        if axis == self.axis(ctx) {
            (self.scene, self.scene_build) = (Some((axis, scene)), build);
            self.click_late(ctx);
        }
    }

    /// Whether the latest scene of the view has neither rows nor frames, so that a sentence stands in its place.
    pub(super) fn is_blank(&self, ctx: &Context<Self>) -> bool {
        let is_flat = self.axis(ctx) == Axis::Merged;
        self.scene(ctx).is_some_and(|scene| scene.rects.is_empty() && (is_flat || scene.rows.is_empty()))
    }

    /// Whether the latest scene is a difference flame graph that has no frame below its outermost one.
    pub(super) fn has_only_root(&self, ctx: &Context<Self>) -> bool {
        let spec = &ctx.props().state.nav.merged;
        self.axis(ctx) == Axis::Merged
            && spec.difference.is_some()
            && spec.focus.is_empty()
            && self.merged.is_whole()
            && self.scene(ctx).is_some_and(|scene| scene.rects.len() == 1)
    }

    /// Moves the camera to an item.
    fn go_to(&mut self, ctx: &Context<Self>, jump: Jump, place: Option<Located>) {
        let Some(place) = place else { return };
        if !ctx.props().state.nav.tab.has_picture() {
            return;
        }
        self.show_hidden(ctx, &place);
        let mut view = ctx.props().state.view();
        if let Some(view) = &mut view {
            *view.tracks = with_shown(&view.tracks, &place);
            view.filter.hides &= !place.dims_again;
        }
        if !place.expanded.is_empty() {
            ctx.props().dispatch.dispatch(Action::Expand(place.expanded.clone(), true));
            let expansions = view.iter_mut().map(|view| &mut view.expansion);
            expansions
                .for_each(|expansion| place.expanded.iter().for_each(|track| expansion.set(*track, true)));
        }
        self.place = view.map(|view| (view, jump.item, place.clone()));
        let camera = self.camera_mut(ctx);
        camera.make_room_for(place.top, f64::from(place.height));
        let top = camera.top_for(place.top, f64::from(place.height));
        let view = camera.target();
        let (start, end) = if jump.zoom == JumpZoom::Fill
            || place.end.saturating_sub(place.start) > view.end.saturating_sub(view.start)
        {
            // An instant has no width: what contains it is shown, or a share of the trace around it.
            let is_alone = place.start == place.end && place.around.is_none();
            let room = if is_alone { camera.bounds.1.saturating_sub(camera.bounds.0) / INSTANT } else { 0 };
            let (start, end) = place.around.unwrap_or((place.start, place.end));
            camera.around(start.saturating_sub(room), end.saturating_add(room))
        } else if jump.zoom == JumpZoom::IfNarrow
            && is_too_narrow(&view, place.end.saturating_sub(place.start))
        {
            let half = place.end.saturating_sub(place.start).max(1).saturating_mul(APPROACHED / 2);
            let middle = place.start.midpoint(place.end);
            (middle.saturating_sub(half), middle.saturating_add(half))
        } else if place.start >= view.start && place.end <= view.end {
            (view.start, view.end)
        } else {
            let middle = place.start.midpoint(place.end);
            let half = view.end.saturating_sub(view.start) / 2;
            (middle.saturating_sub(half), middle.saturating_add(half))
        };
        camera.fly(start, end, top, flight_time());
        if jump.zoom == JumpZoom::Fill {
            self.fitted = Some(jump.item);
        }
        self.moved(ctx);
    }
}

/// After a jump to an item that would be too narrow, the view is this many times as long as the item.
const APPROACHED: i64 = 20;
/// After a jump to an instant without ancestors, the trace is this many times as long as the view before and after it.
const INSTANT: i64 = 100;
/// Width in CSS pixels below which an item is too narrow to be seen.
const NARROW: f64 = 4.0;

/// Whether an item of a duration would be too narrow to be seen. An event has no width.
fn is_too_narrow(view: &Viewport, duration: i64) -> bool {
    duration > 0 && (duration as f64) < NARROW * view.nanos_per_pixel()
}

fn in_words(card: Card) -> String {
    words::timeline::announcement(&card.kind, &card.title, &card.marks, &card.lines)
}
