//! Local files in links: which files are open, and whether they are those that a link is for.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::files::content_hash;
use crate::messages::Source;
use crate::state::{Action, Dispatch, State};
use crate::url::{FileMatch, LocalFile, MOST_FILES};
use crate::words;

/// Stores which files are open, for links: their names and sizes at once, the hashes of their content a moment later.
pub fn tell_files(dispatch: &Dispatch, sources: &[Source], fresh: bool) {
    let named = |source: &Source| LocalFile::new(&source.name(), source.bytes(), None);
    dispatch.dispatch(Action::Files(fresh, sources.iter().map(named).collect()));
    let (dispatch, sources) = (dispatch.clone(), sources[..sources.len().min(MOST_FILES)].to_vec());
    spawn_local(async move {
        let mut files = Vec::new();
        for source in &sources {
            let hash = match source {
                Source::File { file, .. } => content_hash(file).await,
                _ => None,
            };
            files.push(LocalFile { hash, ..named(source) });
        }
        dispatch.dispatch(Action::Hashed(files));
    });
}

/// Renders a warning if the open files are not, or may not be, the files of the link; otherwise empty.
pub fn other_files(state: &State) -> Html {
    let wanted = &state.load.wanted;
    let text = match state.load.file_match {
        None | Some(FileMatch::Same) => return Html::default(),
        Some(FileMatch::Unchecked) => words::link::FILES_NOT_COMPARED.to_owned(),
        Some(FileMatch::Missing) => words::link::missing_files(&wanted.files, wanted.n),
        Some(FileMatch::Different) => words::link::other_files(&wanted.files, wanted.n),
    };
    html! { <p class="counted-from other-files" role="alert" dir="auto">{ text }</p> }
}
