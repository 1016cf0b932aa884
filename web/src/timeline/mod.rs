//! The timeline's canvases: minimap, ruler, row headings, and the rows themselves, moved by pointer and keys.
//!
//! Every change of the camera repaints the last scene at once under the new transform, at most once per frame, and requests
//! the scene of the new viewport from the worker. Only one scene request is in progress at a time; the newest viewport
//! waits, and older ones are dropped.

mod areas;
mod arrows;
pub mod camera;
mod crosshair;
mod elements;
mod headings;
mod hover;
mod keys;
mod layout;
mod note_markers;
mod offscreen_hints;
mod overlap_cycle;
mod paint;
mod path_marks;
mod picture;
mod pins;
mod pointer;
mod requests;
mod side_by_side;
mod stacks;
mod toolbar;
mod track_menu;
mod tracks;
mod wheel;

pub use picture::picture_file;
pub use toolbar::PictureFormat;

use std::collections::HashMap;
use std::time::Duration;

use queryscope::internal::view::Scene;
use queryscope::protocol::{
    AreaSummary, Arrows, Card, Located, MERGED_WIDTH, PathMarks, RangeSummary, ViewKind, ViewSpec, Viewport,
};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::canvas::CanvasTheme;
use crate::canvas::text::Writer;
use crate::components::PanelProps;
use crate::host::PictureOrder;
use crate::host::page::Frame;
use crate::input::Command;
use crate::state::{Action, State};
use camera::{Camera, bounds_of};
use crosshair::Crosshair;
use elements::TimelineElements;
use hover::Hover;
use pointer::{Gesture, Zone};

/// Time without camera movement after which the viewport is reported to the rest of the page.
const REST: Duration = Duration::from_millis(250);

/// The canvases of the Gantt and flame tabs.
pub struct Timeline {
    elements: TimelineElements,
    theme: Option<CanvasTheme>,
    writer: Writer,
    /// Camera of the time axis.
    time: Camera,
    /// Camera of the merged flame graph.
    merged: Camera,
    /// Camera of two executions in timelines.
    sides: Camera,
    side_by_side: side_by_side::SideBySide,
    /// Viewport from the address, kept while the trace grows and the user does not move the camera.
    wanted: Option<Viewport>,
    /// Whether the details panel, opened by a click, covers the right part of the timeline.
    is_covered: bool,
    scene: Option<(Axis, Scene)>,
    /// Build of the scene: in another build, the item codes have other meanings.
    scene_build: u32,
    /// Time on the axis and vertical position of a click on a scene of an earlier build, until the click is repeated on
    /// the latest scene.
    late_click: Option<(i64, f64)>,
    clicked: Option<overlap_cycle::Clicked>,
    /// The item that was last located, with its view and its position.
    place: Option<(ViewSpec, u32, Located)>,
    pins: pins::PinnedRows,
    /// The open menu of a track.
    menu: Option<track_menu::TrackMenu>,
    asked: requests::LastRequests,
    busy: Option<(Vec<u8>, Vec<u8>)>,
    /// Arrows of the selected item.
    arrows: Arrows,
    /// Marks of the critical path of the selection.
    path: PathMarks,
    gesture: Gesture,
    pointers: HashMap<i32, (f64, f64)>,
    hover: Hover,
    crosshair: Crosshair,
    card: Option<Card>,
    /// Tooltip of the selected item, shown while the selection is moved by keys.
    spoken: Option<Card>,
    by_keys: bool,
    /// Width of the headings, in CSS pixels.
    headings: f64,
    inside: Option<RangeSummary>,
    /// Sums of the selected area.
    area: Option<Box<AreaSummary>>,
    /// Number of frames in a merged flame graph that match the search, and their width with its share.
    matched: Option<(u32, String)>,
    /// Held keys that move the camera.
    held: Vec<Command>,
    last_frame: f64,
    /// The requested next frame.
    next_frame: Option<Frame>,
    /// The item that the camera was last fitted to.
    fitted: Option<u32>,
    jumped: u32,
    moves: u32,
    listeners: Option<elements::Listeners>,
    /// Saves the view as an image, for the toolbar.
    save: Callback<toolbar::PictureFormat>,
}

/// Unit of the horizontal axis: time, the width of the merged flame graph, or time since the start of each execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    Time,
    Merged,
    Sides,
}

impl Axis {
    fn of(spec: &ViewSpec) -> Axis {
        match spec.kind {
            ViewKind::FlameMerged(_) => Axis::Merged,
            ViewKind::SideBySide { .. } => Axis::Sides,
            _ => Axis::Time,
        }
    }
}

/// A message to the timeline.
pub enum Msg {
    /// Animation frame, with its time in milliseconds.
    Frame(f64),
    /// The size of the canvases changed.
    Resized,
    /// The style sheet or the theme changed.
    Restyled,
    /// A reply of the worker.
    Answer(requests::TimelineAnswer),
    /// A pointer moved, went down or up.
    Pointer(Zone, pointer::PointerPhase, PointerEvent),
    /// A double click on the rows.
    DoubleClick(MouseEvent),
    /// A right click on the headings.
    HeadingMenu(MouseEvent),
    /// A choice in the menu of a track.
    MenuChoice(track_menu::MenuChoice),
    /// A turn of the wheel.
    Wheel(wheel::WheelTurn),
    /// A key went down.
    KeyDown(Command),
    /// A key went up.
    KeyUp(Command),
    /// The pointer has rested long enough on the item or frame with this id.
    HoverDue(u32),
    /// The camera has not moved since the move with this number.
    Rested(u32),
    /// Zooms to the time range, as its popover requested.
    ShowRange,
    /// The width of the headings changed, in CSS pixels.
    Headings(f64),
    /// The view is to be saved as an image.
    SavePicture(toolbar::PictureFormat),
    /// The embedding page requests an image of the view.
    DrawPicture(PictureOrder),
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
            sides: Camera::new(bounds_of(1)),
            side_by_side: side_by_side::SideBySide::default(),
            scene: None,
            scene_build: 0,
            late_click: None,
            clicked: None,
            place: None,
            pins: pins::PinnedRows::default(),
            menu: None,
            asked: requests::LastRequests::default(),
            busy: None,
            arrows: Arrows::default(),
            path: PathMarks::default(),
            gesture: Gesture::None,
            pointers: HashMap::new(),
            hover: Hover::default(),
            crosshair: Crosshair::default(),
            card: None,
            spoken: None,
            by_keys: false,
            headings: headings::usual(&ctx.props().mount),
            inside: None,
            area: None,
            matched: None,
            held: Vec::new(),
            last_frame: 0.0,
            next_frame: None,
            fitted: None,
            jumped: state.ui.jump.map_or(0, |jump| jump.number),
            moves: 0,
            listeners: None,
            save: ctx.link().callback(Msg::SavePicture),
        };
        timeline.restore();
        timeline.show_merged_part(state.nav.merged_part);
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
            Msg::HeadingMenu(event) => self.heading_menu(ctx, &event),
            Msg::MenuChoice(choice) => return self.choose(ctx, choice),
            Msg::Wheel(turn) => return self.wheel(ctx, turn),
            Msg::KeyDown(command) => self.key_down(ctx, command),
            Msg::KeyUp(command) => self.held.retain(|held| *held != command),
            Msg::HoverDue(id) => self.ask_card(ctx, id),
            Msg::Rested(moves) => self.rested(ctx, moves),
            Msg::ShowRange => self.show_range(ctx),
            Msg::SavePicture(format) => self.save_picture(ctx, format),
            Msg::DrawPicture(order) => self.draw_picture(ctx, order),
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
            self.pins.forget();
            self.place = None;
            self.hover = Hover::default();
            self.card = None;
        }
        if new.ui.visits != old.ui.visits
            && let Some(Viewport { start, end, top, .. }) = new.nav.viewport
        {
            self.time.look_at(start, end);
            self.time.scroll_to(top);
        }
        if new.ui.visits != old.ui.visits {
            self.show_merged_part(new.nav.merged_part);
            self.show_side_part(new.nav.side_part);
        }
        if new.theme() != old.theme() || new.nav.only != old.nav.only {
            self.theme = None;
        }
        if new.load.scene_version != old.load.scene_version
            || new.nav.range_request() != old.nav.range_request()
        {
            self.inside = None;
            self.ask_range(ctx);
        }
        if new.load.scene_version != old.load.scene_version || new.area() != old.area() {
            self.ask_area(ctx);
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

    fn destroy(&mut self, ctx: &Context<Self>) {
        ctx.props().mount.take_pictures(None);
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        self.html(ctx)
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        if first {
            self.elements.attach();
            ctx.props().mount.take_pictures(Some(ctx.link().callback(Msg::DrawPicture)));
            self.listeners = Some(elements::Listeners::new(ctx.link(), &ctx.props().mount, &self.elements));
            self.ask_range(ctx);
            self.ask_area(ctx);
        }
        self.focus_menu();
        self.keep_card_in_view();
        self.resized(ctx);
        // For a new trace, the engine makes the scene while the browser lays out the page around it.
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
        match self.axis(ctx) {
            Axis::Time => &self.time,
            Axis::Merged => &self.merged,
            Axis::Sides => &self.sides,
        }
    }

    fn camera_mut(&mut self, ctx: &Context<Self>) -> &mut Camera {
        self.camera_of(self.axis(ctx))
    }

    fn camera_of(&mut self, axis: Axis) -> &mut Camera {
        match axis {
            Axis::Time => &mut self.time,
            Axis::Merged => &mut self.merged,
            Axis::Sides => &mut self.sides,
        }
    }

    /// Whether the shown scene is of an earlier build.
    fn is_old(&self, ctx: &Context<Self>) -> bool {
        self.scene.is_some() && self.scene_build != ctx.props().state.load.info.build
    }

    /// The scene, if it belongs to the current axis.
    fn scene(&self, ctx: &Context<Self>) -> Option<&Scene> {
        let axis = self.axis(ctx);
        self.scene.as_ref().filter(|(of, _)| *of == axis).map(|(_, scene)| scene)
    }

    /// Handles an animation frame: moves the camera, paints, and requests missing scenes.
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
        self.ask_pins(ctx);
        self.ask_minimap(ctx);
        self.ask_arrows(ctx);
        self.ask_path(ctx);
        self.ask_side_by_side(ctx);
        if flies || glides {
            self.schedule(ctx);
        }
    }

    /// Requests a repaint in the next frame.
    fn schedule(&mut self, ctx: &Context<Self>) {
        if self.next_frame.is_none() {
            let frame = ctx.link().callback(Msg::Frame);
            self.next_frame = Frame::request(move |now| frame.emit(now));
        }
    }

    /// Repaints after a camera move, and reports the viewport to the rest of the page once the camera has come to rest.
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

    /// Scrolls to the rows of the address once these are there, if the user has not moved the camera before.
    fn restore_top(&mut self) {
        if let Some(viewport) = self.wanted.filter(|_| self.moves == 0) {
            self.time.scroll_to(viewport.top);
        }
    }

    fn show_merged_part(&mut self, part: Option<(i64, i64)>) {
        let (start, end) = part.unwrap_or(self.merged.bounds);
        self.merged.look_at(start, end);
    }

    fn rested(&mut self, ctx: &Context<Self>, moves: u32) {
        if moves != self.moves {
            return;
        }
        ctx.props().dispatch.dispatch(match self.axis(ctx) {
            Axis::Time => Action::ViewportSettled(self.time.target()),
            Axis::Merged => Action::MergedSettled(self.merged.part()),
            Axis::Sides => Action::SidesSettled(self.sides.part()),
        });
    }

    fn resized(&mut self, ctx: &Context<Self>) {
        if let Some((width, height)) = self.elements.fit() {
            let is_covered = ctx.props().state.shows_details() && (self.is_covered || self.is_clicked(ctx));
            // A click that selects an item must not move the item, because it may be the first of a double click. Other ways of
            // selecting keep the visible time range.
            if std::mem::replace(&mut self.is_covered, is_covered) == is_covered {
                self.time.resize(width, height);
            } else {
                self.time.resize_beside(width, height);
                self.ask_still(ctx);
            }
            self.merged.resize(width, height);
            self.sides.resize(width, height);
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
