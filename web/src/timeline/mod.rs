//! The canvases: minimap, ruler, row headings, and the picture itself, moved by pointer and keys.
//!
//! Every change of the camera repaints the last scene under the new transform at once, at most once per frame, and asks
//! the worker for the scene that belongs there. One such request is on its way at a time; the newest wish waits, older
//! ones are dropped.

mod arrows;
pub mod camera;
mod crosshair;
mod elements;
mod headings;
mod hover;
mod keys;
mod layout;
mod offscreen_hints;
mod overlap_cycle;
mod paint;
mod pointer;
mod requests;
mod toolbar;
mod wheel;

use std::collections::HashMap;
use std::time::Duration;

use queryscope::internal::view::Scene;
use queryscope::protocol::{Arrows, Card, Located, MERGED_WIDTH, RangeSummary, ViewKind, ViewSpec, Viewport};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::canvas::CanvasTheme;
use crate::canvas::text::Writer;
use crate::components::PanelProps;
use crate::host::page::Frame;
use crate::input::Command;
use crate::state::{Action, Jump, State};
use camera::{Camera, bounds_of};
use crosshair::Crosshair;
use elements::TimelineElements;
use hover::Hover;
use pointer::{Gesture, Zone};

/// How long the camera rests before the rest of the page is told where it is.
const REST: Duration = Duration::from_millis(250);

/// The canvases of the Gantt and flame tabs.
pub struct Timeline {
    elements: TimelineElements,
    theme: Option<CanvasTheme>,
    writer: Writer,
    /// One camera per axis: time, and the merged flame graph's width.
    time: Camera,
    merged: Camera,
    /// What an address asked for: as long as the trace grows and nobody moved.
    wanted: Option<Viewport>,
    /// Whether the details, which a click opened, cover its right part.
    is_covered: bool,
    scene: Option<(Axis, Scene)>,
    /// The build that the scene is of: one of an earlier build names other items.
    scene_build: u32,
    /// Where such a scene was clicked: the time, and the height.
    late_click: Option<(i64, f64)>,
    clicked: Option<overlap_cycle::Clicked>,
    /// Where the item is that was looked for last, and in which view.
    place: Option<(ViewSpec, u32, Located)>,
    asked: requests::LastRequests,
    busy: Option<(Vec<u8>, Vec<u8>)>,
    /// The arrows of the selection.
    arrows: Arrows,
    gesture: Gesture,
    pointers: HashMap<i32, (f64, f64)>,
    hover: Hover,
    crosshair: Crosshair,
    card: Option<Card>,
    /// The selection's card, while keys move it.
    spoken: Option<Card>,
    by_keys: bool,
    /// Width of the headings, if the user chose one.
    headings: f64,
    inside: Option<RangeSummary>,
    /// What the search finds in a merged flame graph: frames, and their share of the width.
    matched: Option<(u32, f64)>,
    /// Keys that are held and move the camera, with the time of the last frame.
    held: Vec<Command>,
    last_frame: f64,
    /// The next frame, once it is wanted.
    next_frame: Option<Frame>,
    /// The item that the camera was last fitted to.
    fitted: Option<u32>,
    jumped: u32,
    moves: u32,
    listeners: Option<elements::Listeners>,
}

/// What the camera's interval measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    Time,
    Merged,
}

impl Axis {
    fn of(spec: &ViewSpec) -> Axis {
        if matches!(spec.kind, ViewKind::FlameMerged(_)) { Axis::Merged } else { Axis::Time }
    }
}

/// What happens to the timeline.
pub enum Msg {
    /// The browser paints: milliseconds.
    Frame(f64),
    /// The canvases have another size.
    Resized,
    /// The style sheet looks different.
    Restyled,
    /// An answer of the worker.
    Answer(requests::TimelineAnswer),
    /// A pointer moved, went down or up.
    Pointer(Zone, pointer::PointerPhase, PointerEvent),
    /// A double click on the picture.
    DoubleClick(MouseEvent),
    /// A turn of the wheel.
    Wheel(wheel::WheelTurn),
    /// A key went down.
    KeyDown(Command),
    /// A key went up.
    KeyUp(Command),
    /// The pointer has rested long enough on this.
    HoverDue(u32),
    /// The camera has rested since this move.
    Rested(u32),
    /// The range's popover asks for something.
    ShowRange,
    /// Another width of the headings.
    Headings(f64),
}

impl Component for Timeline {
    type Message = Msg;
    type Properties = PanelProps;

    fn create(ctx: &Context<Self>) -> Self {
        let state = &ctx.props().state;
        let mut timeline = Self {
            elements: TimelineElements::default(),
            theme: None,
            writer: Writer::default(),
            time: Camera::new(bounds_of(state.load.info.end)),
            wanted: state.nav.viewport,
            is_covered: false,
            merged: Camera::new((0, MERGED_WIDTH)),
            scene: None,
            scene_build: 0,
            late_click: None,
            clicked: None,
            place: None,
            asked: requests::LastRequests::default(),
            busy: None,
            arrows: Arrows::default(),
            gesture: Gesture::None,
            pointers: HashMap::new(),
            hover: Hover::default(),
            crosshair: Crosshair::default(),
            card: None,
            spoken: None,
            by_keys: false,
            headings: headings::usual(&ctx.props().mount),
            inside: None,
            matched: None,
            held: Vec::new(),
            last_frame: 0.0,
            next_frame: None,
            fitted: None,
            jumped: state.ui.jump.map_or(0, |jump| jump.number),
            moves: 0,
            listeners: None,
        };
        timeline.restore();
        timeline
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Frame(now) => self.frame(ctx, now),
            Msg::Resized => self.resized(ctx),
            Msg::Restyled => self.restyled(ctx),
            Msg::Answer(answer) => return self.answered(ctx, answer),
            Msg::Pointer(zone, phase, event) => return self.pointer(ctx, zone, phase, &event),
            Msg::DoubleClick(event) => self.double_click(ctx, &event),
            Msg::Wheel(turn) => return self.wheel(ctx, turn),
            Msg::KeyDown(command) => self.key_down(ctx, command),
            Msg::KeyUp(command) => self.held.retain(|held| *held != command),
            Msg::HoverDue(id) => self.ask_card(ctx, id),
            Msg::Rested(moves) => self.rested(ctx, moves),
            Msg::ShowRange => self.show_range(ctx),
            Msg::Headings(width) => return std::mem::replace(&mut self.headings, width) != width,
        }
        false
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &PanelProps) -> bool {
        let (new, old) = (ctx.props().state.clone(), &old.state);
        if new.load.scene_version != old.load.scene_version {
            self.time.rebound(bounds_of(new.load.info.end));
            self.restore();
            self.asked.forget();
            self.place = None;
            self.hover = Hover::default();
            self.card = None;
        }
        if new.ui.visits != old.ui.visits
            && let Some(Viewport { start, end, .. }) = new.nav.viewport
        {
            self.time.look_at(start, end);
        }
        if new.ui.theme != old.ui.theme || new.nav.only != old.nav.only {
            self.theme = None;
        }
        if new.load.scene_version != old.load.scene_version || new.nav.range != old.nav.range {
            self.inside = None;
            self.ask_range(ctx);
        }
        if new.view() != old.view() || new.load.scene_version != old.load.scene_version {
            self.ask_matched(ctx);
        }
        if new.nav.expansion.all != old.nav.expansion.all {
            self.ask_still(ctx);
        }
        if new.view() != old.view() {
            self.hover = Hover::default();
            self.card = None;
        }
        self.follow_selection(ctx, &new, old);
        self.schedule(ctx);
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        self.html(ctx)
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        if first {
            self.elements.attach();
            self.listeners = Some(elements::Listeners::new(ctx.link(), &ctx.props().mount, &self.elements));
            self.ask_range(ctx);
        }
        self.resized(ctx);
        // There is another trace: the engine makes its picture while the browser lays out what stands around it.
        if self.asked.knows_nothing() && ctx.props().state.nav.tab.has_picture() {
            self.ask_scene(ctx);
        }
    }
}

impl Timeline {
    fn axis(&self, ctx: &Context<Self>) -> Axis {
        ctx.props().state.view().map_or(Axis::Time, |spec| Axis::of(&spec))
    }

    fn camera(&self, ctx: &Context<Self>) -> &Camera {
        if self.axis(ctx) == Axis::Merged { &self.merged } else { &self.time }
    }

    fn camera_mut(&mut self, ctx: &Context<Self>) -> &mut Camera {
        if self.axis(ctx) == Axis::Merged { &mut self.merged } else { &mut self.time }
    }

    /// Whether what is shown is still the picture of an earlier build.
    fn is_old(&self, ctx: &Context<Self>) -> bool {
        self.scene.is_some() && self.scene_build != ctx.props().state.load.info.build
    }

    /// The scene, if it belongs to the axis that is shown.
    fn scene(&self, ctx: &Context<Self>) -> Option<&Scene> {
        let axis = self.axis(ctx);
        self.scene.as_ref().filter(|(of, _)| *of == axis).map(|(_, scene)| scene)
    }

    /// One frame: whatever moves moves on, all is painted, what is missing is asked for.
    #[inline(never)]
    fn frame(&mut self, ctx: &Context<Self>, now: f64) {
        self.next_frame = None;
        let passed = (now - self.last_frame).clamp(0.0, 50.0);
        self.last_frame = now;
        let flies = self.camera_mut(ctx).step(now);
        let glides = self.glide(ctx, passed);
        if !ctx.props().state.nav.tab.has_picture() {
            return;
        }
        self.paint(ctx);
        self.tell_reach(ctx);
        self.place_spoken(ctx);
        self.place_crosshair(ctx);
        self.ask_scene(ctx);
        self.ask_minimap(ctx);
        self.ask_arrows(ctx);
        if flies || glides {
            self.schedule(ctx);
        }
    }

    /// Paints with the next frame.
    fn schedule(&mut self, ctx: &Context<Self>) {
        if self.next_frame.is_none() {
            let frame = ctx.link().callback(Msg::Frame);
            self.next_frame = Frame::request(move |now| frame.emit(now));
        }
    }

    /// The camera moved: paint, and tell the rest of the page when it has come to rest.
    fn moved(&mut self, ctx: &Context<Self>) {
        self.schedule(ctx);
        self.moves = self.moves.wrapping_add(1);
        let (moves, rested) = (self.moves, ctx.link().callback(Msg::Rested));
        spawn_local(async move {
            yew::platform::time::sleep(REST).await;
            rested.emit(moves);
        });
    }

    fn restore(&mut self) {
        if let Some(Viewport { start, end, .. }) = self.wanted.filter(|_| self.moves == 0) {
            self.time.look_at(start, end);
        }
    }

    fn rested(&mut self, ctx: &Context<Self>, moves: u32) {
        if moves == self.moves {
            ctx.props().dispatch.dispatch(Action::ViewportSettled(self.time.target()));
        }
    }

    fn resized(&mut self, ctx: &Context<Self>) {
        if let Some((width, height)) = self.elements.fit() {
            let is_covered = ctx.props().state.shows_details() && (self.is_covered || self.is_clicked(ctx));
            // A click that selects must not move what was clicked: it may be the first of two. Whatever else selects keeps
            // the time that is in view.
            if std::mem::replace(&mut self.is_covered, is_covered) == is_covered {
                self.time.resize(width, height);
            } else {
                self.time.resize_beside(width, height);
                if let Some(item) = ctx.props().state.nav.selection {
                    self.ask_place(ctx, Jump { item, zoom: false, number: self.jumped });
                }
            }
            self.merged.resize(width, height);
            self.schedule(ctx);
        }
    }

    fn restyled(&mut self, ctx: &Context<Self>) {
        self.theme = None;
        self.schedule(ctx);
    }

    fn follow_selection(&mut self, ctx: &Context<Self>, new: &State, old: &State) {
        if new.nav.selection != old.nav.selection {
            (self.fitted, self.spoken) = (None, None);
            self.say_selection(ctx, new.nav.selection);
        }
        if let Some(jump) = new.ui.jump.filter(|jump| jump.number != self.jumped) {
            self.jumped = jump.number;
            self.ask_place(ctx, jump);
        }
    }
}
