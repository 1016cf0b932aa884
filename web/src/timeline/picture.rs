//! The view as an image, drawn by the engine, to be saved or sent to the embedding page.

use queryscope::internal::view::Color;
use queryscope::protocol::{Picture, PictureRequest};
use wasm_bindgen_futures::spawn_local;
use web_sys::Blob;
use yew::prelude::*;

use super::toolbar::PictureFormat;
use super::{Axis, Timeline};
use crate::host::{PictureOrder, page};
use crate::state::{Action, ArrowsShown};
use crate::words;

impl Timeline {
    /// Draws the visible part of the view as an image.
    #[inline(never)]
    pub(super) fn draw_picture(&self, ctx: &Context<Self>, order: PictureOrder) {
        let state = &ctx.props().state;
        let Some(view) = state.view() else { return (order.then)(None) };
        let headings = self.elements.surfaces.as_ref().map_or(0.0, |surfaces| surfaces.headings.width);
        let is_dark = || self.theme.as_ref().is_some_and(|theme| theme.panel.contrast(Color::WHITE) > 4.5);
        let request = PictureRequest {
            view,
            viewport: self.camera(ctx).target(),
            headings: if self.axis(ctx) != Axis::Merged { headings as f32 } else { 0.0 },
            title: state.load.info.name.clone(),
            dark: order.dark.unwrap_or_else(is_dark),
            only: state.nav.only.clone(),
            selection: state.nav.selection,
            range: state.nav.range,
            arrows: Some(state.nav.arrows == ArrowsShown::Direct),
        };
        let client = ctx.props().client.clone();
        spawn_local(async move { (order.then)(client.ask(request).await) });
    }

    /// Saves the visible part of the view as an image, in the current theme.
    pub(super) fn save_picture(&self, ctx: &Context<Self>, format: PictureFormat) {
        let dispatch = ctx.props().dispatch.clone();
        let name = ctx.props().state.load.info.name.clone();
        let save = move |picture: Option<Picture>| {
            let Some(picture) = picture else { return };
            spawn_local(async move {
                let saved = picture_file(&picture, format).await;
                if let Some(file) = &saved {
                    page::download_blob(&format!("{name}.{}", format.name()), file);
                }
                let said = if saved.is_some() { words::picture::SAVED } else { words::picture::REFUSED };
                dispatch.dispatch(Action::Announce(said.to_owned()));
            });
        };
        self.draw_picture(ctx, PictureOrder { dark: None, then: Box::new(save) });
    }
}

/// An image as a file; `None` where the browser cannot draw it.
pub async fn picture_file(picture: &Picture, format: PictureFormat) -> Option<Blob> {
    match format {
        PictureFormat::Svg => page::blob_of("image/svg+xml", &picture.svg),
        PictureFormat::Png => page::png(&picture.svg, (picture.width.into(), picture.height.into())).await,
    }
}
