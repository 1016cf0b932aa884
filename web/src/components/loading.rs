//! Progress of reading.

use queryscope::internal::text;
use yew::prelude::*;

use super::{PanelProps, focus_view};
use crate::messages::Progress;
use crate::state::{Action, Phase};
use crate::words;

/// Progress and a stop button: a page of its own at first, then a line at the lower edge of the views once there is
/// something to show.
#[component]
pub fn Loading(props: &PanelProps) -> Html {
    let progress = props.state.load.progress.clone().unwrap_or_default();
    let cancel = {
        let (client, dispatch) = (props.client.clone(), props.dispatch.clone());
        let mount = props.mount.clone();
        Callback::from(move |_: MouseEvent| {
            client.cancel();
            dispatch.dispatch(Action::Stop);
            // The stop button is removed, so the focus has to move.
            focus_view(&mount);
        })
    };
    let cancel = html! { <button type="button" id="cancel-button" class="btn" onclick={cancel}>{ words::loading::CANCEL }</button> };
    let slim = props.state.load.phase == Phase::Ready;
    // Reading ends before the worker reports it, because building the last scene takes time.
    let ended = match (props.state.load.stopped, progress.complete) {
        (true, _) => Some(words::loading::stopped(&amount(&progress))),
        (false, true) => Some(words::loading::complete(progress.events)),
        (false, false) => None,
    };
    if let Some(text) = ended {
        let class = if slim { "loading slim" } else { "loading-page" };
        return html! { <div {class} role="status"><span>{ text }</span></div> };
    }
    if slim {
        return html! {
            <div class="loading slim">
                <span class="clip" dir="auto">{ heading(&progress) }</span>
                { bar(&progress) }
                <span class="amount">{ words::loading::slim(&amount(&progress), progress.events, left(&progress)) }</span>
                { cancel }
            </div>
        };
    }
    html! {
        <main class="loading-page">
            <section class="loading" aria-labelledby="loading">
                <header><h1 id="loading" class="clip" dir="auto" title={progress.name.clone()}>{ heading(&progress) }</h1></header>
                { bar(&progress) }
                <dl>
                    { fact(words::loading::READ, amount(&progress)) }
                    { fact(words::loading::RECORDS, text::count(clip(progress.events))) }
                    { fact(words::loading::RATE, rate(&progress).map_or(words::loading::UNKNOWN.to_owned(), words::loading::rate)) }
                    { fact(words::loading::TIME_LEFT, left(&progress).map_or(words::loading::UNKNOWN.to_owned(), words::loading::left)) }
                </dl>
                <footer>{ cancel }</footer>
            </section>
        </main>
    }
}

fn heading(progress: &Progress) -> String {
    match (progress.name.as_str(), progress.files) {
        ("", 0) => words::loading::READING.to_owned(),
        ("", files) => words::loading::scanning(files),
        (name, 0 | 1) => words::loading::reading(name),
        (name, files) => words::loading::reading_one_of(name, progress.file, files),
    }
}

fn fact(name: &str, value: String) -> Html {
    html! { <div><dt>{ name.to_owned() }</dt><dd>{ value }</dd></div> }
}

fn bar(progress: &Progress) -> Html {
    let share = progress.total.filter(|total| *total > 0).map(|total| progress.bytes as f64 / total as f64);
    let percent = share.map(|share| (share * 100.0).clamp(0.0, 100.0));
    html! {
        <div class={classes!("progress", percent.is_none().then_some("unknown"))} role="progressbar" aria-label={words::loading::READ}
            aria-valuemin="0" aria-valuemax="100" aria-valuenow={percent.map(|percent| format!("{percent:.0}"))}>
            <div class="progress-fill" style={format!("width:{:.1}%", percent.unwrap_or(0.0))} />
        </div>
    }
}

fn amount(progress: &Progress) -> String {
    let read = text::bytes(clip(progress.bytes));
    progress.total.map_or(read.clone(), |total| words::loading::amount_of(&read, &text::bytes(clip(total))))
}

/// Bytes per second. `None` in the first 0.1 s, when the rate would be meaningless.
fn rate(progress: &Progress) -> Option<i64> {
    (progress.elapsed > 100).then(|| clip(progress.bytes.saturating_mul(1_000) / u64::from(progress.elapsed)))
}

/// Estimated remaining time at the average rate, in nanoseconds, rounded to whole seconds.
fn left(progress: &Progress) -> Option<i64> {
    let rate = rate(progress).filter(|rate| *rate > 0)?;
    let bytes = clip(progress.total?.saturating_sub(progress.bytes));
    Some((bytes / rate + 1).saturating_mul(1_000_000_000))
}

fn clip(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
