//! Requests for a view as an image.

use super::Session;
use super::handlers::known;
use crate::export::picture;
use crate::protocol::{Arrows, ColorBy, Picture, PictureRequest, ViewKind};

impl Session {
    /// Draws a view with its legend and the arrows of the selection.
    #[inline(never)]
    pub(super) fn draw_picture(&mut self, request: &PictureRequest) -> Picture {
        let scene = self.filtered_scene(&request.view, &request.viewport);
        let Self { trace, scenes, .. } = self;
        let is_merged = matches!(request.view.kind, ViewKind::FlameMerged(_));
        let legend = scenes.legend(trace, if is_merged { ColorBy::Kind } else { request.view.color });
        let selected = request
            .selection
            .zip(request.arrows)
            .and_then(|(code, direct)| known(trace, code).zip(Some(direct)));
        let mut arrows = Arrows::default();
        if let Some((item, direct)) = selected {
            arrows = scenes.arrows(trace, &request.view, item);
            arrows.list.retain(|arrow| arrow.direct || !direct);
        }
        let (end, ends_later) = (trace.end(), trace.cut.after);
        let parts =
            picture::PictureParts { scene: &scene, legend: &legend, arrows: &arrows.list, end, ends_later };
        picture::draw(request, &parts)
    }
}
