//! Pointer input: hover, click, drag and pinch on the rows, the headings, the ruler and the minimap.

use queryscope::internal::view::{Fold, Transform};
use queryscope::protocol::Viewport;
use yew::prelude::*;

use super::areas::AreaDrag;
use super::elements::thumb_of;
use super::pins::{is_at_menu, is_at_pin};
use super::{Axis, Timeline};
use crate::state::{Action, Dialog, Tab};

/// Distance in CSS pixels: a press that moves less than this is a click.
pub(super) const CLICK: f64 = 4.0;
/// Distance in CSS pixels from an edge of the minimap's view rectangle within which a press grabs the edge.
const EDGE: f64 = 6.0;

/// Part of the timeline in which a pointer event happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Zone {
    Picture,
    Headings,
    Ruler,
    Minimap,
    ScrollBar,
    Pins,
    PinHeadings,
}

/// Phase of a pointer event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum PointerPhase {
    Down,
    Move,
    Up,
    Leave,
}

/// The gesture in progress while a pointer is down.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Gesture {
    /// No pointer is down.
    None,
    /// A press that may become a drag or a click.
    Press { zone: Zone, x: f64, y: f64 },
    /// The view follows the pointer.
    Drag { x: f64, y: f64 },
    /// Two fingers: their distance and the point between them.
    Pinch { far: f64, x: f64, y: f64 },
    /// Selects a time range, from one time to the time at the pointer.
    Range { anchor: i64, to: i64 },
    /// A press with Shift that may become an area or a click.
    AreaPress { x: f64, y: f64 },
    /// Selects an area.
    Area(AreaDrag),
    /// Moves or resizes the minimap's view rectangle.
    ViewRectangle(RectangleDrag),
    /// Drags the scroll bar's thumb, held at this distance below its top.
    Scroll { held: f64 },
}

/// The effect of a drag on the minimap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum RectangleDrag {
    /// Moves the rectangle, held at this time after its start, in nanoseconds.
    Move(i64),
    /// Resizes the rectangle: one end stays at this time, the other end follows the pointer.
    Stretch(i64),
}

impl Timeline {
    /// Handles a pointer event; returns `true` if the page around the canvases must be rendered.
    #[inline(never)]
    pub(super) fn pointer(
        &mut self,
        ctx: &Context<Self>,
        zone: Zone,
        phase: PointerPhase,
        event: &PointerEvent,
    ) -> bool {
        let Some(element) = self.elements.element(zone) else { return false };
        let place = element.get_bounding_client_rect();
        let (x, y) = (f64::from(event.client_x()) - place.left(), f64::from(event.client_y()) - place.top());
        let mut renders = false;
        match phase {
            PointerPhase::Down if event.button() == 0 => {
                // The browser refuses only for a pointer that no longer exists.
                let _ = element.set_pointer_capture(event.pointer_id());
                self.down(ctx, zone, event, (x, y));
            }
            PointerPhase::Move => renders = self.moves(ctx, zone, event, (x, y)),
            PointerPhase::Up => self.up(ctx, zone, event, (x, y)),
            PointerPhase::Leave if zone == Zone::Headings => {
                self.pins.pointed = None;
                self.schedule(ctx);
            }
            PointerPhase::Leave
                if self.gesture == Gesture::None && matches!(zone, Zone::Picture | Zone::Pins) =>
            {
                renders = self.hover_at(ctx, None);
            }
            _ => {}
        }
        self.point_crosshair(ctx, zone, phase, event, (x, y));
        renders
    }

    fn down(&mut self, ctx: &Context<Self>, zone: Zone, event: &PointerEvent, (x, y): (f64, f64)) {
        self.pointers.insert(event.pointer_id(), (x, y));
        self.gesture = match zone {
            Zone::Picture if event.shift_key() && self.has_areas(ctx) && self.pointers.len() == 1 => {
                Gesture::AreaPress { x, y }
            }
            Zone::Picture | Zone::Headings => self.pinch().unwrap_or(Gesture::Press { zone, x, y }),
            Zone::Pins | Zone::PinHeadings => Gesture::Press { zone, x, y },
            Zone::Ruler if self.axis(ctx) == Axis::Time => Gesture::Press { zone, x, y },
            Zone::Ruler => Gesture::None,
            Zone::Minimap => self.grab_rectangle(ctx, x),
            Zone::ScrollBar => self.grab_thumb(ctx, y),
        };
        if zone == Zone::ScrollBar {
            self.scroll_with(ctx, y);
        }
    }

    fn moves(&mut self, ctx: &Context<Self>, zone: Zone, event: &PointerEvent, at: (f64, f64)) -> bool {
        if let Some(pointer) = self.pointers.get_mut(&event.pointer_id()) {
            *pointer = at;
        }
        let (x, y) = at;
        match self.gesture {
            Gesture::None if zone == Zone::Picture => {
                let leads = self.is_hint_at(ctx, x, y) && self.id_at(ctx, x, y).is_none();
                self.elements.point(leads);
                return self.hover_at(ctx, Some(at));
            }
            Gesture::None if zone == Zone::Pins => {
                let id = self.pinned_id_at(ctx, at);
                return self.hover_on(ctx, Some((x, 0.0)), id);
            }
            Gesture::None if zone == Zone::Headings && ctx.props().state.nav.tab == Tab::Gantt => {
                self.pins.pointed = Some(y);
                self.schedule(ctx);
            }
            Gesture::None if zone == Zone::Ruler => self.point_at_note(ctx, x),
            Gesture::None => {}
            Gesture::Press { zone, x: from, y: top } => {
                if (x - from).hypot(y - top) >= CLICK {
                    self.gesture = self.drag_from(ctx, zone, (from, top));
                    return self.hover_at(ctx, None);
                }
            }
            Gesture::Drag { x: from, y: top } => {
                self.camera_mut(ctx).pan(from - x);
                if matches!(zone, Zone::Pins | Zone::PinHeadings) {
                    self.scroll_pins(ctx, top - y);
                } else {
                    self.camera_mut(ctx).scroll_by(top - y);
                }
                self.gesture = Gesture::Drag { x, y };
                self.fitted = None;
                self.moved(ctx);
            }
            Gesture::Pinch { .. } => self.pinch_on(ctx),
            Gesture::AreaPress { x: from, y: top } => {
                if (x - from).hypot(y - top) >= CLICK {
                    self.gesture = Gesture::Area(self.begin_area(ctx, (from, top)));
                    return self.hover_at(ctx, None);
                }
            }
            Gesture::Area(drag) => {
                let (to, bottom) = (self.snapped(ctx, x), y + self.time.view.top);
                self.gesture = Gesture::Area(AreaDrag { to, bottom, ..drag });
                self.schedule(ctx);
            }
            Gesture::Range { anchor, .. } => {
                let time = self.snapped(ctx, x);
                self.gesture = Gesture::Range { anchor, to: time };
                ctx.props().dispatch.dispatch(Action::Range(Some((anchor.min(time), anchor.max(time)))));
            }
            Gesture::ViewRectangle(drag) => self.drag_rectangle(ctx, drag, x),
            Gesture::Scroll { .. } => self.scroll_with(ctx, y),
        }
        false
    }

    fn up(&mut self, ctx: &Context<Self>, zone: Zone, event: &PointerEvent, at: (f64, f64)) {
        self.pointers.remove(&event.pointer_id());
        let gesture = std::mem::replace(&mut self.gesture, Gesture::None);
        match gesture {
            Gesture::Press { zone: Zone::Picture, .. } if zone == Zone::Picture => {
                if (event.ctrl_key() || event.meta_key()) && self.has_areas(ctx) {
                    self.pick(ctx, self.id_at(ctx, at.0, at.1));
                } else {
                    self.click(ctx, at);
                }
            }
            Gesture::AreaPress { .. } => self.click(ctx, at),
            Gesture::Area(drag) => self.end_area(ctx, drag),
            Gesture::Range { .. } => self.schedule(ctx),
            Gesture::Press { zone: Zone::Headings, .. } if zone == Zone::Headings => {
                self.click_heading(ctx, at)
            }
            Gesture::Press { zone: Zone::Pins, .. } if zone == Zone::Pins => {
                ctx.props().dispatch.dispatch(Action::Select(self.pinned_id_at(ctx, at)));
            }
            Gesture::Press { zone: Zone::PinHeadings, .. } if zone == Zone::PinHeadings => {
                let width = self.elements.surfaces.as_ref().map_or(0.0, |surfaces| surfaces.headings.width);
                let track = self.pinned_track_at(ctx, at.1).filter(|_| is_at_pin(at.0, width));
                track.into_iter().for_each(|track| self.toggle_pin(ctx, track));
            }
            Gesture::Press { zone: Zone::Ruler, .. } => {
                let is_note = self.note_at(ctx, at.0).is_some();
                let notes = Action::Dialog(Some(Dialog::Notes));
                ctx.props().dispatch.dispatch(if is_note { notes } else { Action::Range(None) });
            }
            // After one finger of a pinch was lifted, the other finger drags.
            Gesture::Pinch { .. } => {
                let left = self.pointers.values().next();
                self.gesture = left.map_or(Gesture::None, |&(x, y)| Gesture::Drag { x, y });
            }
            _ => {}
        }
    }

    fn drag_from(&mut self, ctx: &Context<Self>, zone: Zone, (x, y): (f64, f64)) -> Gesture {
        match zone {
            Zone::Ruler => {
                let anchor = self.snapped(ctx, x);
                Gesture::Range { anchor, to: anchor }
            }
            _ => {
                self.schedule(ctx);
                Gesture::Drag { x, y }
            }
        }
    }

    /// Repeats a click on an outdated scene once the scene of the latest build is there.
    pub(super) fn click_late(&mut self, ctx: &Context<Self>) {
        if self.is_old(ctx) {
            return;
        }
        if let Some((time, y)) = self.late_click.take().filter(|_| self.axis(ctx) == Axis::Time) {
            self.click(ctx, (self.time.view.x_from_time(time), y));
        }
    }

    fn click(&mut self, ctx: &Context<Self>, (x, y): (f64, f64)) {
        if self.is_old(ctx) {
            self.late_click = Some((self.time.view.time_from_x(x), y));
            return;
        }
        let id = self.id_at(ctx, x, y);
        if id.is_none() && self.follow_hint(ctx, (x, y)) {
            return;
        }
        match (self.axis(ctx), id) {
            (Axis::Merged, Some(frame)) => self.ask_focus(ctx, Some(frame), None),
            (Axis::Merged, None) => {}
            (Axis::Time | Axis::Sides, id) => self.click_item(ctx, (x, y), id),
        }
    }

    fn click_heading(&mut self, ctx: &Context<Self>, (x, y): (f64, f64)) {
        let width = self.elements.surfaces.as_ref().map_or(0.0, |surfaces| surfaces.headings.width);
        let picture = self.scene(ctx).zip(self.transform(ctx)).filter(|_| !self.is_old(ctx));
        let Some((scene, transform)) = picture else { return };
        let Some(row) = scene.row_at(y, &transform).map(|at| &scene.rows[at]) else { return };
        if row.track != u32::MAX && is_at_pin(x, width) && ctx.props().state.nav.tab == Tab::Gantt {
            self.toggle_pin(ctx, row.track);
        } else if row.track != u32::MAX && is_at_menu(x, width) && ctx.props().state.has_track_rows() {
            self.open_menu(ctx, row.track, y);
        } else if row.fold != Fold::Leaf && row.track != u32::MAX {
            self.expand(ctx, row.track, row.fold == Fold::Closed);
        }
    }

    #[inline(never)]
    pub(super) fn double_click(&mut self, ctx: &Context<Self>, event: &MouseEvent) {
        if self.axis(ctx) == Axis::Merged || self.is_old(ctx) {
            return;
        }
        let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        match self.id_at(ctx, x, y) {
            Some(item) => self.zoom_to(ctx, self.clicked_at(ctx, (x, y)).unwrap_or(item)),
            None => self.fit_all(ctx),
        }
    }

    /// The id of the bar or mark at a point of the rows.
    pub(super) fn id_at(&self, ctx: &Context<Self>, x: f64, y: f64) -> Option<u32> {
        let (scene, transform) = self.scene(ctx).zip(self.transform(ctx)).filter(|_| !self.is_old(ctx))?;
        scene.hit(x, y, &transform).id
    }

    /// The transform from the scene to the current view.
    pub(super) fn transform(&self, ctx: &Context<Self>) -> Option<Transform> {
        let scene = self.scene(ctx)?;
        Some(Transform::between(&scene.viewport, &self.camera(ctx).view))
    }

    fn pinch(&self) -> Option<Gesture> {
        let mut points = self.pointers.values();
        let (&(ax, ay), &(bx, by)) = (points.next()?, points.next()?);
        Some(Gesture::Pinch { far: (ax - bx).hypot(ay - by), x: ax.midpoint(bx), y: ay.midpoint(by) })
    }

    fn pinch_on(&mut self, ctx: &Context<Self>) {
        let (Gesture::Pinch { far, x, y }, Some(now)) = (self.gesture, self.pinch()) else { return };
        if let Gesture::Pinch { far: wide, x: to, y: down } = now {
            let camera = self.camera_mut(ctx);
            camera.zoom(to, far / wide.max(1.0));
            camera.pan(x - to);
            camera.scroll_by(y - down);
            self.gesture = now;
            self.moved(ctx);
        }
    }

    /// The minimap's own viewport: the whole trace on the minimap's width.
    pub(super) fn map_view(&self, ctx: &Context<Self>) -> Option<Viewport> {
        let surfaces = self.elements.surfaces.as_ref()?;
        let (start, end) = self.map_bounds(ctx);
        Some(Viewport { start, end, width: surfaces.minimap.width as f32, top: 0.0, height: 1.0 })
    }

    fn map_bounds(&self, ctx: &Context<Self>) -> (i64, i64) {
        match self.axis(ctx) {
            Axis::Time => (0, ctx.props().state.load.info.end.max(1)),
            Axis::Merged => self.merged.bounds,
            Axis::Sides => self.sides.bounds,
        }
    }

    fn grab_rectangle(&mut self, ctx: &Context<Self>, x: f64) -> Gesture {
        let Some(map) = self.map_view(ctx) else { return Gesture::None };
        let view = self.camera(ctx).target();
        let (left, right, time) =
            (map.x_from_time(view.start), map.x_from_time(view.end), map.time_from_x(x));
        let drag = if (x - left).abs() <= EDGE {
            RectangleDrag::Stretch(view.end)
        } else if (x - right).abs() <= EDGE {
            RectangleDrag::Stretch(view.start)
        } else if x > left && x < right && !self.camera(ctx).is_whole() {
            RectangleDrag::Move(time.saturating_sub(view.start))
        } else {
            RectangleDrag::Stretch(time)
        };
        Gesture::ViewRectangle(drag)
    }

    fn drag_rectangle(&mut self, ctx: &Context<Self>, drag: RectangleDrag, x: f64) {
        let Some(map) = self.map_view(ctx) else { return };
        let time = map.time_from_x(x.clamp(0.0, f64::from(map.width)));
        let camera = self.camera_mut(ctx);
        match drag {
            RectangleDrag::Move(held) => {
                let start = time.saturating_sub(held);
                let length = camera.view.end.saturating_sub(camera.view.start);
                camera.look_at(start, start.saturating_add(length));
            }
            RectangleDrag::Stretch(anchor) => camera.look_at(anchor.min(time), anchor.max(time)),
        }
        self.moved(ctx);
    }

    fn grab_thumb(&self, ctx: &Context<Self>, y: f64) -> Gesture {
        let camera = self.camera(ctx);
        let (length, start) = thumb_of(camera.view.top, f64::from(camera.view.height), camera.content);
        let held = if y >= start && y <= start + length { y - start } else { length / 2.0 };
        Gesture::Scroll { held }
    }

    fn scroll_with(&mut self, ctx: &Context<Self>, y: f64) {
        let Gesture::Scroll { held } = self.gesture else { return };
        let camera = self.camera_mut(ctx);
        let height = f64::from(camera.view.height);
        let (length, _) = thumb_of(camera.view.top, height, camera.content);
        let share = (y - held) / (height - length).max(1.0);
        camera.scroll_to(share * (camera.content - height).max(0.0));
        self.moved(ctx);
    }
}
