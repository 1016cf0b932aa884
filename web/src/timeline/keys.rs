//! Effects of keys on the timeline.

use queryscope::protocol::FocusMove;
use yew::prelude::*;

use super::elements::flight_time;
use super::{Axis, Timeline, path_marks};
use crate::input::Command;
use crate::state::{Action, Jump, JumpZoom, Tab};

/// Speed of zooming while a key is held, in powers of e per second.
const ZOOM_SPEED: f64 = 2.6;
/// Speed of panning while a key is held, in view widths per second.
const PAN_SPEED: f64 = 0.9;
/// Zoom of a short key press, in powers of e; [`PAN_STEP`] is in view widths.
const ZOOM_STEP: f64 = 0.18;
const PAN_STEP: f64 = 0.06;

impl Timeline {
    #[inline(never)]
    pub(super) fn key_down(&mut self, ctx: &Context<Self>, command: Command) {
        let state = ctx.props().state.clone();
        if !state.nav.tab.has_picture() || state.ui.dialog.is_some() {
            return;
        }
        match command {
            Command::ZoomIn | Command::ZoomOut | Command::PanLeft | Command::PanRight => {
                self.hold(ctx, command)
            }
            Command::PageUp => self.page(ctx, -0.85),
            Command::PageDown => self.page(ctx, 0.85),
            Command::Top => self.page(ctx, f64::NEG_INFINITY),
            Command::Bottom => self.page(ctx, f64::INFINITY),
            Command::Previous => self.step(ctx, FocusMove::Previous),
            Command::Next => self.step(ctx, FocusMove::Next),
            Command::Parent => self.step(ctx, FocusMove::Parent),
            Command::Child => self.step(ctx, FocusMove::Child),
            Command::Callers | Command::Callees | Command::Hide if self.axis(ctx) == Axis::Merged => {
                self.ask_call(ctx, command);
            }
            Command::Open => state.nav.selection.into_iter().for_each(|item| self.zoom_to(ctx, item)),
            Command::Fit => self.fit(ctx),
            Command::Expand => {
                let expanded = state.nav.expansion.all == Some(true);
                ctx.props().dispatch.dispatch(Action::ExpandAll(!expanded));
            }
            Command::Pin if state.nav.tab == Tab::Gantt => self.toggle_pin_of_selection(ctx),
            Command::Pick if self.has_areas(ctx) => self.pick(ctx, state.nav.selection),
            Command::TrackMenu if state.has_track_rows() => self.open_menu_of_selection(ctx),
            Command::Area => self.toggle_area_track(ctx),
            Command::AreaUp | Command::AreaDown => self.extend_area(ctx, command == Command::AreaDown),
            Command::Arrows => ctx.props().dispatch.dispatch(Action::Arrows(state.nav.arrows.other())),
            Command::MarkPath => path_marks::toggle(&state, &ctx.props().dispatch),
            Command::Range if state.nav.range.is_some() => ctx.props().dispatch.dispatch(Action::Range(None)),
            Command::Range if self.axis(ctx) == Axis::Time => {
                let (view, end) = (self.time.target(), state.load.info.end);
                let range = (view.start.clamp(0, end), view.end.clamp(0, end));
                ctx.props().dispatch.dispatch(Action::Range(Some(range)));
            }
            Command::Back if self.axis(ctx) == Axis::Merged && !state.nav.merged.focus.is_empty() => {
                let focus = &state.nav.merged.focus;
                self.focus(ctx, focus[..focus.len() - 1].to_vec());
            }
            Command::Back
                if state.nav.range.is_none()
                    && state.nav.selection.is_none()
                    && state.nav.picked.is_empty() =>
            {
                self.fit_all(ctx);
            }
            // Other commands are handled by the whole page.
            _ => {}
        }
    }

    /// Moves the selection, or the focus of a merged flame graph.
    fn step(&self, ctx: &Context<Self>, step: FocusMove) {
        match self.axis(ctx) {
            Axis::Time | Axis::Sides => self.ask_neighbour(ctx, step),
            Axis::Merged => self.ask_focus(ctx, None, Some(step)),
        }
    }

    /// Moves the camera while keys are held; returns `true` if it moved.
    pub(super) fn glide(&mut self, ctx: &Context<Self>, milliseconds: f64) -> bool {
        let seconds = milliseconds / 1000.0;
        for command in self.held.clone() {
            self.nudge(ctx, command, ZOOM_SPEED * seconds, PAN_SPEED * seconds);
        }
        !self.held.is_empty()
    }

    /// Zooms to an item.
    pub(super) fn zoom_to(&mut self, ctx: &Context<Self>, item: u32) {
        self.ask_place(ctx, Jump { item, zoom: JumpZoom::Fill, number: self.jumped });
    }

    /// Shows the whole trace.
    pub(super) fn fit_all(&mut self, ctx: &Context<Self>) {
        self.fitted = None;
        let camera = self.camera_mut(ctx);
        let (start, end) = camera.bounds;
        let top = camera.view.top;
        camera.fly(start, end, top, flight_time());
        self.moved(ctx);
    }

    fn fit(&mut self, ctx: &Context<Self>) {
        let selection = ctx.props().state.nav.selection.filter(|_| self.axis(ctx) != Axis::Merged);
        match selection.filter(|item| self.fitted != Some(*item)) {
            Some(item) => self.zoom_to(ctx, item),
            None => self.fit_all(ctx),
        }
    }

    /// Starts holding a key. The first step happens at once, so that a short press has an effect.
    fn hold(&mut self, ctx: &Context<Self>, command: Command) {
        if !self.held.contains(&command) {
            self.held.push(command);
            self.nudge(ctx, command, ZOOM_STEP, PAN_STEP);
        }
    }

    fn nudge(&mut self, ctx: &Context<Self>, command: Command, zoom: f64, pan: f64) {
        let pointer = self.hover.at.map(|(x, _)| x);
        let camera = self.camera_mut(ctx);
        let width = f64::from(camera.view.width);
        match command {
            Command::ZoomIn => camera.zoom(pointer.unwrap_or(width / 2.0), (-zoom).exp()),
            Command::ZoomOut => camera.zoom(pointer.unwrap_or(width / 2.0), zoom.exp()),
            Command::PanLeft => camera.pan(-pan * width),
            _ => camera.pan(pan * width),
        }
        self.fitted = None;
        self.moved(ctx);
    }

    fn page(&mut self, ctx: &Context<Self>, share: f64) {
        let camera = self.camera_mut(ctx);
        camera.scroll_by(f64::from(camera.view.height) * share);
        self.moved(ctx);
    }
}
