//! Saves the view as an image, which the engine draws.

use queryscope::internal::view::Color;
use queryscope::protocol::PictureRequest;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::toolbar::PictureFormat;
use super::{Axis, Timeline};
use crate::host::page;
use crate::state::{Action, ArrowsShown};
use crate::words;

impl Timeline {
    /// Saves what is visible of the view, in the current theme.
    #[inline(never)]
    pub(super) fn save_picture(&self, ctx: &Context<Self>, format: PictureFormat) {
        let state = &ctx.props().state;
        let Some(view) = state.view() else { return };
        let headings = self.elements.surfaces.as_ref().map_or(0.0, |surfaces| surfaces.headings.width);
        let request = PictureRequest {
            view,
            viewport: self.camera(ctx).target(),
            headings: if self.axis(ctx) == Axis::Time { headings as f32 } else { 0.0 },
            title: state.load.info.name.clone(),
            dark: self.theme.as_ref().is_some_and(|theme| theme.panel.contrast(Color::WHITE) > 4.5),
            only: state.nav.only.clone(),
            selection: state.nav.selection,
            range: state.nav.range,
            arrows: Some(state.nav.arrows == ArrowsShown::Direct),
        };
        let (client, dispatch) = (ctx.props().client.clone(), ctx.props().dispatch.clone());
        spawn_local(async move {
            let name = request.title.clone();
            let Some(picture) = client.ask(request).await else { return };
            let saved = match format {
                PictureFormat::Svg => {
                    page::download(&format!("{name}.svg"), "image/svg+xml", &picture.svg);
                    true
                }
                PictureFormat::Png => {
                    let size = (picture.width.into(), picture.height.into());
                    page::download_png(&format!("{name}.png"), &picture.svg, size).await.is_some()
                }
            };
            let said = if saved { words::picture::SAVED } else { words::picture::REFUSED };
            dispatch.dispatch(Action::Announce(said.to_owned()));
        });
    }
}
