//! The menu of a track, which pins, hides and moves it.

use queryscope::protocol::{
    ItemTrackRequest, Located, TrackKey, TrackKeyRequest, TrackLayout, TrackMove, TrackMoveRequest,
    TrackMoved,
};
use yew::prelude::*;

use super::requests::TimelineAnswer;
use super::{Msg, Timeline};
use crate::components::focus_view;
use crate::state::{Action, MOST_HIDDEN, Notice};
use crate::ui::focus;
use crate::words;

/// The open menu of a track.
pub struct TrackMenu {
    moved: TrackMoved,
    /// Distance from the top of the headings, in CSS pixels.
    y: f64,
    first: NodeRef,
    /// Whether the menu was opened, so that its first button takes the focus.
    is_new: bool,
}

/// A choice in the menu of a track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MenuChoice {
    Pin,
    Hide,
    Move(TrackMove),
    Close,
}

/// Height that a menu needs above the bottom of the headings, in CSS pixels.
const HEIGHT: f64 = 70.0;

/// Returns the layout in which the hidden and filtered tracks that contain an item are shown again.
pub fn with_shown(layout: &TrackLayout, place: &Located) -> TrackLayout {
    let mut layout = layout.clone();
    layout.show_again(&place.unhidden, place.unfiltered);
    layout
}

impl Timeline {
    pub(super) fn heading_menu(&mut self, ctx: &Context<Self>, event: &MouseEvent) {
        let picture = self.scene(ctx).zip(self.transform(ctx)).filter(|_| !self.is_old(ctx));
        let Some((scene, transform)) = picture.filter(|_| ctx.props().state.has_track_rows()) else { return };
        let y = f64::from(event.offset_y());
        let track = scene.row_at(y, &transform).map(|at| scene.rows[at].track);
        if let Some(track) = track.filter(|track| *track != u32::MAX) {
            event.prevent_default();
            self.open_menu(ctx, track, y);
        }
    }

    /// Opens the menu of a track at a height of the headings.
    pub(super) fn open_menu(&self, ctx: &Context<Self>, track: u32, y: f64) {
        self.open(ctx, TrackKeyRequest { track }, y);
    }

    /// Opens the menu of the selection's track.
    pub(super) fn open_menu_of_selection(&self, ctx: &Context<Self>) {
        let Some(item) = ctx.props().state.nav.selection else {
            return ctx.props().dispatch.dispatch(Action::Announce(words::tracks::NO_SELECTION.to_owned()));
        };
        let place = self.place.as_ref().filter(|(_, of, _)| *of == item);
        let y = place.map_or(0.0, |(_, _, place)| place.top - self.time.view.top + f64::from(place.height));
        self.open(ctx, ItemTrackRequest { item }, y);
    }

    fn open<R>(&self, ctx: &Context<Self>, request: R, y: f64)
    where
        R: queryscope::protocol::Request<Reply = Option<TrackKey>> + 'static,
    {
        let (client, layout) = (ctx.props().client.clone(), ctx.props().state.nav.tracks.clone());
        let lowest =
            self.elements.surfaces.as_ref().map_or(0.0, |surfaces| surfaces.headings.height - HEIGHT);
        let y = y.min(lowest).max(0.0);
        self.later(ctx, async move {
            let track = client.ask(request).await??;
            let request = TrackMoveRequest { track, to: TrackMove::Stay, layout };
            Some(TimelineAnswer::Menu(client.ask(request).await?, Some(y)))
        });
    }

    /// Opens the menu, or moves its track.
    pub(super) fn take_menu(&mut self, ctx: &Context<Self>, moved: Option<TrackMoved>, at: Option<f64>) {
        let Some(moved) = moved else { return };
        let dispatch = &ctx.props().dispatch;
        if let Some(index) = moved.index {
            let mut layout = ctx.props().state.nav.tracks.clone();
            layout.move_to(moved.track, index);
            if layout.moves.len() > MOST_HIDDEN {
                return say_full(ctx);
            }
            dispatch.dispatch(Action::Tracks(layout));
        }
        match (at, &mut self.menu) {
            (Some(y), _) => self.menu = Some(TrackMenu { moved, y, first: NodeRef::default(), is_new: true }),
            (None, Some(menu)) => {
                dispatch.dispatch(Action::Announce(words::tracks::moved(&moved)));
                menu.moved = moved;
            }
            (None, None) => {}
        }
    }

    /// Focuses the first button of a menu that was opened.
    pub(super) fn focus_menu(&mut self) {
        if let Some(menu) = &mut self.menu
            && std::mem::take(&mut menu.is_new)
        {
            focus(menu.first.cast());
        }
    }

    pub(super) fn choose(&mut self, ctx: &Context<Self>, choice: MenuChoice) -> bool {
        let Some(key) = self.menu.as_ref().map(|menu| menu.moved.track) else { return false };
        let (dispatch, mut layout) = (&ctx.props().dispatch, ctx.props().state.nav.tracks.clone());
        match choice {
            MenuChoice::Pin => self.pin(ctx, key),
            MenuChoice::Hide if layout.hidden.len() >= MOST_HIDDEN => say_full(ctx),
            MenuChoice::Hide => {
                layout.hide(key, true);
                dispatch.dispatch(Action::Tracks(layout));
            }
            MenuChoice::Move(to) => {
                let request = TrackMoveRequest { track: key, to, layout };
                self.ask(ctx, request, |moved| Some(TimelineAnswer::Menu(moved, None)));
                return false;
            }
            MenuChoice::Close => {}
        }
        self.menu = None;
        focus_view(&ctx.props().mount);
        true
    }

    /// Shows an item that was hidden, and the hidden or filtered tracks that contain it, and displays a message about it.
    pub(super) fn show_hidden(&self, ctx: &Context<Self>, place: &Located) {
        let notify = |title: &str, text: &str| {
            let notice = Notice { title: title.to_owned(), text: text.to_owned(), recovery: None };
            ctx.props().dispatch.dispatch(Action::Notice(Some(notice)));
        };
        if place.dims_again {
            ctx.props().dispatch.dispatch(Action::HideRest(false));
            notify(words::filter::SHOWN_AGAIN, words::filter::WAS_HIDDEN);
        }
        if place.unhidden.is_empty() && !place.unfiltered {
            return;
        }
        let layout = with_shown(&ctx.props().state.nav.tracks, place);
        ctx.props().dispatch.dispatch(Action::Tracks(layout));
        let text = if place.unfiltered { words::tracks::WAS_FILTERED } else { words::tracks::WAS_HIDDEN };
        notify(words::tracks::SHOWN_AGAIN, text);
    }

    pub(super) fn track_menu(&self, ctx: &Context<Self>) -> Html {
        let Some(menu) = self.menu.as_ref().filter(|_| ctx.props().state.has_track_rows()) else {
            return Html::default();
        };
        let button = |choice: MenuChoice, name: &'static str, node: NodeRef| {
            let onclick = ctx.link().callback(move |_: MouseEvent| Msg::MenuChoice(choice));
            html! { <button ref={node} type="button" class="btn small" {onclick}>{ name }</button> }
        };
        let plain = |choice, name| button(choice, name, NodeRef::default());
        let is_pinned = ctx.props().state.nav.pins.contains(&menu.moved.track);
        let pin = if is_pinned { words::tracks::UNPIN } else { words::tracks::PIN };
        let close = ctx.link().callback(|()| Msg::MenuChoice(MenuChoice::Close));
        let onkeydown = Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.stop_propagation();
                event.prevent_default();
                close.emit(());
            }
        });
        html! {
            <div class="track-menu" role="group" aria-label={words::tracks::MENU} style={format!("--at:{:.0}px", menu.y)} {onkeydown}>
                <p><span class="foreign" dir="auto">{ &menu.moved.name }</span><span role="status">{ words::tracks::position(&menu.moved) }</span></p>
                { button(MenuChoice::Hide, words::tracks::HIDE, menu.first.clone()) }
                { plain(MenuChoice::Move(TrackMove::Up), words::tracks::MOVE_UP) }
                { plain(MenuChoice::Move(TrackMove::Down), words::tracks::MOVE_DOWN) }
                { plain(MenuChoice::Pin, pin) }
                { plain(MenuChoice::Close, words::tracks::CLOSE) }
            </div>
        }
    }
}

fn say_full(ctx: &Context<Timeline>) {
    let (title, text) = (words::tracks::FULL.to_owned(), words::tracks::full(MOST_HIDDEN));
    ctx.props().dispatch.dispatch(Action::Notice(Some(Notice { title, text, recovery: None })));
}
