//! Files that the embedding page can request from a viewer: the import report, and an image of the view.

use futures_channel::oneshot;
use queryscope::protocol::{FileReport, ImportReportRequest, Picture};
use web_sys::Blob;

use crate::components::{self, PanelProps};
use crate::host::{PictureOrder, page};
use crate::state::Phase;
use crate::timeline::{PictureFormat, picture_file};
use crate::words;

/// A file, or why there is none, as a text for the user.
pub type ExportedFile = Result<Blob, String>;

/// Writes a file: `report`, `report-json`, `svg` or `png`. Images have the colours of the current theme unless `dark` says
/// otherwise.
pub async fn export_file(panel: &PanelProps, format: &str, dark: Option<bool>) -> ExportedFile {
    if panel.state.load.phase != Phase::Ready {
        return Err(words::exports::NO_TRACE.to_owned());
    }
    match format {
        "report" => report(panel, "text/plain", words::import_report::as_text).await,
        "report-json" => report(panel, "application/json", components::as_json).await,
        "svg" => image(panel, PictureFormat::Svg, dark).await,
        "png" => image(panel, PictureFormat::Png, dark).await,
        _ => Err(words::exports::UNKNOWN_FORMAT.to_owned()),
    }
}

async fn report(
    panel: &PanelProps,
    media_type: &str,
    write: impl Fn(&[FileReport]) -> String,
) -> ExportedFile {
    let files = panel.client.ask(ImportReportRequest).await.ok_or(words::exports::INTERRUPTED)?;
    page::blob_of(media_type, &write(&files)).ok_or_else(|| words::save::NO_ROOM.to_owned())
}

async fn image(panel: &PanelProps, format: PictureFormat, dark: Option<bool>) -> ExportedFile {
    if panel.state.view().is_none() {
        return Err(words::exports::NO_IMAGE.to_owned());
    }
    let (sent, drawn) = oneshot::channel::<Option<Picture>>();
    // Nobody waits for the image of a viewer that was removed.
    let then = Box::new(move |picture| drop(sent.send(picture)));
    panel.mount.draw(PictureOrder { dark, then });
    let picture = drawn.await.ok().flatten().ok_or(words::exports::INTERRUPTED)?;
    picture_file(&picture, format).await.ok_or_else(|| words::picture::REFUSED.to_owned())
}
