//! The toolbar of the Gantt and flame views.

use queryscope::internal::word_hash::{is_hash, is_name};
use queryscope::protocol::{
    Arrangement, ColorBy, FrameArgument, FrameArguments, FrameArgumentsRequest, FrameDimension, FrameWeight,
    MergedDifference, MergedSpec, RunSummariesRequest,
};

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::path_marks;
use super::stacks::StackTools;
use super::tracks::TrackTools;
use crate::components::use_query::{Answer, use_query};
use crate::components::{PanelProps, side_name};
use crate::state::{Action, Dispatch, Flame, State, Tab};
use crate::ui::{self, Chip, chip_button, segment};
use crate::words;

const COLORS: [(ColorBy, &str); 5] = [
    (ColorBy::Kind, words::timeline::KIND),
    (ColorBy::Connector, words::timeline::CONNECTOR),
    (ColorBy::Datasource, words::timeline::DATASOURCE),
    (ColorBy::Outcome, words::timeline::OUTCOME),
    (ColorBy::Query, words::timeline::QUERY),
];

const WEIGHTS: [FrameWeight; 6] = [
    FrameWeight::Time,
    FrameWeight::SelfTime,
    FrameWeight::RowsRead,
    FrameWeight::RowsReturned,
    FrameWeight::Bytes,
    FrameWeight::Count,
];

/// File format of a saved image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PictureFormat {
    Svg,
    Png,
}

impl PictureFormat {
    /// File name extension of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
}

/// Properties of the [`Toolbar`].
#[derive(Properties, PartialEq)]
pub struct ToolbarProps {
    /// Properties of the panel that the toolbar is a part of.
    pub panel: PanelProps,
    /// Saves the view as an image.
    pub save: Callback<PictureFormat>,
    /// Number of parts of the critical path without a mark.
    pub unmarked: u32,
}

/// The toolbar above the canvases.
#[component]
pub fn Toolbar(props: &ToolbarProps) -> Html {
    let ToolbarProps { panel: props, save, unmarked } = props;
    let (state, dispatch) = (&props.state, &props.dispatch);
    let merged = state.nav.tab == Tab::Flame && state.nav.flame == Flame::Merged;
    html! {
        <div class="timeline-tools" role="toolbar" aria-label={words::timeline::TOOLBAR}>
            { if state.nav.tab == Tab::Gantt { arrangements(state, dispatch) } else { flames(state, dispatch) } }
            if state.has_track_rows() { <TrackTools ..props.clone() /> }
            if merged { <Grouping ..props.clone() /> }
            { path_marks::switch(state, *unmarked, dispatch) }
            <span class="space" />
            if !merged { { colors(state, dispatch) } }
            { savers(save) }
        </div>
    }
}

/// The buttons that save the view as an image.
fn savers(save: &Callback<PictureFormat>) -> Html {
    let button = |format: PictureFormat, name: &'static str, title: &'static str| {
        let onclick = save.reform(move |_: MouseEvent| format);
        html! { <button type="button" {title} {onclick}>{ name }</button> }
    };
    html! {
        <span class="choice">{ words::picture::SAVE_AS }
            <span class="segments" role="group" aria-label={words::picture::SAVE}>
                { button(PictureFormat::Svg, words::picture::SVG, words::picture::SVG_TITLE) }
                { button(PictureFormat::Png, words::picture::PNG, words::picture::PNG_TITLE) }
            </span>
        </span>
    }
}

/// The choice of colourings that apply to this trace.
fn colors(state: &State, dispatch: &Dispatch) -> Html {
    let offered = |&&(color, _): &&(ColorBy, &str)| match color {
        _ if color == state.nav.color => true,
        ColorBy::Connector | ColorBy::Datasource => state.load.info.sources,
        ColorBy::Query | ColorBy::Outcome => state.load.info.queries > 0,
        ColorBy::Kind => true,
    };
    let written =
        |&(color, name): &(ColorBy, &str)| (name.to_owned(), Action::Color(color), color == state.nav.color);
    let choices: Vec<Choice> = COLORS.iter().filter(offered).map(written).collect();
    if choices.len() < 2 {
        return Html::default();
    }
    choice(words::timeline::COLOUR_BY, "color-by", &choices, &[], dispatch)
}

fn arrangements(state: &State, dispatch: &Dispatch) -> Html {
    // Traces without queries are arranged by processes and threads instead.
    let by = match &state.load.info {
        info if info.queries == 0 => words::timeline::BY_TRACK,
        info if info.server => words::timeline::BY_THREAD,
        _ => words::timeline::BY_QUERY,
    };
    let choices = [(Arrangement::ByQuery, by), (Arrangement::Packed, words::timeline::PACKED)];
    segments(words::timeline::ARRANGEMENT, &choices, state.nav.arrangement, dispatch, Action::Arrange)
}

fn flames(state: &State, dispatch: &Dispatch) -> Html {
    let chosen = match (state.nav.flame, state.nav.selection) {
        (Flame::Time(Some(item)), _) | (_, Some(item)) => Some(item),
        _ => None,
    };
    let mut choices = vec![(Flame::Time(None), words::timeline::TIME_ORDER)];
    if let Some(item) = chosen {
        choices.push((Flame::Time(Some(item)), words::timeline::SELECTED_QUERY));
    }
    choices.push((Flame::Merged, words::timeline::MERGED));
    let is_side_by_side = state.nav.flame == Flame::SideBySide;
    if is_side_by_side || !state.nav.side_by_side().contains(&u32::MAX) {
        choices.push((Flame::SideBySide, words::timeline::SIDE_BY_SIDE));
    }
    let dispatch_table = dispatch.clone();
    let table = move |_: MouseEvent| dispatch_table.dispatch(Action::Show(Tab::Compare));
    let chosen = segments(words::timeline::FLAME_GRAPH, &choices, state.nav.flame, dispatch, Action::Flame);
    html! {
        <>
            { chosen }
            if is_side_by_side {
                <button type="button" class="btn small" title={words::timeline::TABLE_OF_STEPS_MEANING} onclick={table}>{ words::timeline::TABLE_OF_STEPS }</button>
            }
        </>
    }
}

/// The weight and the grouping of merged frames. Their colours show the kind of frame, so colours cannot be chosen.
#[component]
fn Grouping(props: &PanelProps) -> Html {
    let (spec, dispatch) = (&props.state.grouping(), &props.dispatch);
    let answer = use_query(&props.client, Some(FrameArgumentsRequest), props.state.load.info.build);
    let known = answer.as_ref().and_then(Answer::reply).cloned().unwrap_or_default();
    use_names(spec, &known, dispatch);
    let runs = spec.difference.as_ref().map(|_| RunSummariesRequest);
    let runs = use_query(&props.client, runs, props.state.load.info.build);
    let runs = runs.as_ref().and_then(Answer::reply).map_or(&[][..], |runs| &runs[..]);
    let runs: Vec<String> = runs.iter().map(|run| run.run.clone()).collect();
    html! {
        <>
            { choice(words::timeline::WIDTH, "weight", &plain_weights(spec, &known.weights), &numbers(spec, &known.arguments), dispatch) }
            <span class="chips">
                <span class="chips" role="list" aria-label={words::timeline::DIMENSIONS}>
                    { for (0..spec.path.len()).map(|at| chip(spec, at, dispatch)) }
                </span>
                { adder(spec, &known, dispatch) }
            </span>
            if spec.difference.is_none() { <StackTools ..props.clone() /> }
            { difference(spec, props.state.difference().is_some(), &runs, dispatch) }
            { crumbs(spec, dispatch) }
        </>
    }
}

/// Controls of a difference flame graph: the side that determines widths, the legend, the names of both sides, and the button that
/// ends the difference; only this button unless all runs of both sides are open. `runs` are the names of all runs.
fn difference(spec: &MergedSpec, is_open: bool, runs: &[String], dispatch: &Dispatch) -> Html {
    let Some(now) = spec.difference.as_deref() else { return Html::default() };
    let button = |width_by_base: bool, name: &'static str| {
        let sides = Some(Box::new(MergedDifference { width_by_base, ..now.clone() }));
        let merged = MergedSpec { difference: sides, ..spec.clone() };
        let dispatch = dispatch.clone();
        let onclick = move |_| dispatch.dispatch(Action::Merge(merged.clone()));
        html! { <button type="button" aria-pressed={(now.width_by_base == width_by_base).to_string()} {onclick}>{ name }</button> }
    };
    let merged = MergedSpec { difference: None, ..spec.clone() };
    let dispatch_end = dispatch.clone();
    let end = move |_| dispatch_end.dispatch(Action::Merge(merged.clone()));
    html! {
        <>
            if is_open {
                <span class="choice">{ words::timeline::WIDTH_OF }
                    <span class="segments" role="group" aria-label={words::timeline::WIDTH_OF}>
                        { button(true, words::compare::BASE) }
                        { button(false, words::compare::NEW) }
                    </span>
                </span>
                <span class="difference-key">
                    <i style="background:var(--more-1)" />{ words::timeline::MORE_IN_NEW }
                    <i style="background:var(--less-1)" />{ words::timeline::LESS_IN_NEW }
                    <span class="foreign" dir="auto">{ side_name(&now.base, runs) }{ words::compare::FROM_TO }{ side_name(&now.new, runs) }</span>
                    if !now.width_by_base { <span>{ "· " }{ words::timeline::VANISHED_HIDDEN }</span> }
                </span>
            }
            <button type="button" class="btn small" onclick={end}>{ words::timeline::END_DIFFERENCE }</button>
        </>
    }
}

/// Replaces the hashes that an address contains for arguments by the arguments' names, once the trace is known.
#[hook]
fn use_names(spec: &MergedSpec, known: &FrameArguments, dispatch: &Dispatch) {
    let named = |asked: &String| {
        let found = known.arguments.iter().find(|argument| is_hash(asked) && is_name(asked, &argument.name));
        found.map_or(asked, |argument| &argument.name).clone()
    };
    let arguments: Vec<String> = spec.arguments.iter().map(named).collect();
    let changed = (arguments != spec.arguments).then(|| MergedSpec { arguments, ..spec.clone() });
    let dispatch = dispatch.clone();
    use_effect_with(changed, move |changed| {
        if let Some(spec) = changed {
            dispatch.dispatch(Action::Merge(spec.clone()));
        }
    });
}

/// A choice: its name, the action that it triggers, and whether it is selected.
type Choice = (String, Action, bool);

/// Choices for the width of frames, except arguments. The current weight is included even if the trace lacks it.
fn plain_weights(spec: &MergedSpec, known: &[FrameWeight]) -> Vec<Choice> {
    let plain = |&weight: &FrameWeight| {
        let action = Action::Merge(MergedSpec { weight, ..spec.clone() });
        (weight.name().to_owned(), action, weight == spec.shown_weight())
    };
    // Inverted stacks have no total time.
    let is_lacking = |weight| MergedSpec { weight, ..spec.clone() }.shown_weight() != weight;
    let offered = |weight: &&FrameWeight| {
        (known.contains(weight) || **weight == spec.shown_weight()) && !is_lacking(**weight)
    };
    WEIGHTS.iter().filter(offered).map(plain).collect()
}

/// Choices for the width of frames: the numeric arguments of this trace.
fn numbers(spec: &MergedSpec, arguments: &[FrameArgument]) -> Vec<Choice> {
    let number = |argument: &FrameArgument| {
        let (at, arguments) = with_argument(spec, &argument.name)?;
        let weight = FrameWeight::Argument(at);
        let action = Action::Merge(MergedSpec { weight, arguments, ..spec.clone() });
        Some((argument.name.clone(), action, weight == spec.weight))
    };
    arguments.iter().filter(|argument| argument.number).filter_map(number).collect()
}

/// Returns the index of an argument, and the list of arguments with it added if it was missing.
fn with_argument(spec: &MergedSpec, name: &str) -> Option<(u8, Vec<String>)> {
    let mut arguments = spec.arguments.clone();
    let at = arguments.iter().position(|known| known == name).unwrap_or_else(|| {
        arguments.push(name.to_owned());
        arguments.len() - 1
    });
    Some((u8::try_from(at).ok()?, arguments))
}

/// Name of a dimension in the grouping path of the merged flame graph.
fn step_name(spec: &MergedSpec, dimension: FrameDimension) -> String {
    match dimension {
        FrameDimension::Argument(at) => spec.arguments.get(usize::from(at)).cloned().unwrap_or_default(),
        FrameDimension::Stack => words::timeline::CALLS.to_owned(),
        dimension => dimension.name().to_owned(),
    }
}

/// Returns the path with a step added at the end, but before the call stack, which is always last.
fn with_step(path: &[FrameDimension], step: FrameDimension) -> Vec<FrameDimension> {
    let mut path = path.to_vec();
    let calls = path.last() == Some(&FrameDimension::Stack);
    path.insert(path.len() - usize::from(calls), step);
    path
}

/// Renders a step of the path, with buttons to move it to the left and to remove it.
fn chip(spec: &MergedSpec, at: usize, dispatch: &Dispatch) -> Html {
    let name = step_name(spec, spec.path[at]);
    let earlier = (at > 0 && spec.path[at] != FrameDimension::Stack).then(|| {
        let mut path = spec.path.clone();
        path.swap(at, at - 1);
        path
    });
    let without = (spec.path.len() > 1).then(|| {
        let mut path = spec.path.clone();
        path.remove(at);
        path
    });
    let remove = without.map(|path| (words::timeline::remove(&name).into(), regroup(spec, path, dispatch)));
    let earlier = earlier.map(|path| {
        chip_button(
            html! { "‹" },
            &words::timeline::move_earlier(&name).into(),
            false,
            regroup(spec, path, dispatch),
        )
    });
    html! { <Chip is_listed=true {remove}><>{ earlier }<span class="foreign">{ &name }</span></></Chip> }
}

fn regroup(spec: &MergedSpec, path: Vec<FrameDimension>, dispatch: &Dispatch) -> Callback<MouseEvent> {
    let action = Action::Merge(MergedSpec { path, focus: Vec::new(), ..spec.clone() });
    let dispatch = dispatch.clone();
    Callback::from(move |_: MouseEvent| dispatch.dispatch(action.clone()))
}

fn adder(spec: &MergedSpec, known: &FrameArguments, dispatch: &Dispatch) -> Html {
    let more = |dimension: FrameDimension, arguments: Vec<String>, name: &str| {
        let path = with_step(&spec.path, dimension);
        let merged = MergedSpec { path, arguments, focus: Vec::new(), ..spec.clone() };
        (!spec.path.contains(&dimension)).then(|| (name.to_owned(), Action::Merge(merged), false))
    };
    let plain = known
        .dimensions
        .iter()
        .filter_map(|&dimension| more(dimension, spec.arguments.clone(), &step_name(spec, dimension)));
    let own = known.arguments.iter().filter_map(|argument| {
        let (at, arguments) = with_argument(spec, &argument.name)?;
        more(FrameDimension::Argument(at), arguments, &argument.name)
    });
    let (plain, own): (Vec<Choice>, Vec<Choice>) = (plain.collect(), own.collect());
    if plain.is_empty() && own.is_empty() {
        return Html::default();
    }
    let dispatch = dispatch.clone();
    let actions: Vec<_> = plain.iter().chain(&own).map(|choice| choice.1.clone()).collect();
    let onchange = move |event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        let chosen = usize::try_from(select.selected_index() - 1).ok().and_then(|at| actions.get(at));
        chosen.into_iter().for_each(|action| dispatch.dispatch(action.clone()));
        select.set_selected_index(0);
    };
    html! {
        <select class="chip-add" aria-label={words::timeline::ADD_DIMENSION} {onchange}>
            <option selected=true>{ "+" }</option>
            { options(&plain, &own) }
        </select>
    }
}

/// Renders the path from the root to the focused frame; a click on a frame focuses it.
fn crumbs(spec: &MergedSpec, dispatch: &Dispatch) -> Html {
    if spec.focus.is_empty() {
        return Html::default();
    }
    let crumb = |depth: usize, label: &str| {
        let action = Action::Merge(MergedSpec { focus: spec.focus[..depth].to_vec(), ..spec.clone() });
        let dispatch = dispatch.clone();
        let onclick = move |_| dispatch.dispatch(action.clone());
        html! { <button class="link crumb foreign" title={label.to_owned()} {onclick}>{ label }</button> }
    };
    html! {
        <nav class="crumbs" aria-label={words::timeline::FOCUS}>
            { crumb(0, words::timeline::ALL) }
            { for spec.focus.iter().enumerate().map(|(at, label)| html! { <>{ "›" }{ crumb(at + 1, label) }</> }) }
        </nav>
    }
}

fn segments<T: Copy + PartialEq + 'static>(
    label: &'static str,
    choices: &[(T, &'static str)],
    chosen: T,
    dispatch: &Dispatch,
    action: fn(T) -> Action,
) -> Html {
    let button = |&(value, name): &(T, &'static str)| {
        let dispatch = dispatch.clone();
        let onclick = Callback::from(move |_: MouseEvent| dispatch.dispatch(action(value)));
        segment(name, None, value == chosen, onclick)
    };
    ui::segments(label, choices.iter().map(button))
}

/// Renders a selection list with general choices and choices that only this trace has.
fn choice(
    label: &'static str,
    id: &'static str,
    plain: &[Choice],
    own: &[Choice],
    dispatch: &Dispatch,
) -> Html {
    let actions: Vec<Action> = plain.iter().chain(own).map(|choice| choice.1.clone()).collect();
    let dispatch = dispatch.clone();
    let onchange = move |event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        let chosen = usize::try_from(select.selected_index()).ok().and_then(|at| actions.get(at));
        chosen.into_iter().for_each(|action| dispatch.dispatch(action.clone()));
    };
    html! {
        <label class="choice">{ label }
            <select {id} {onchange}>
                { options(plain, own) }
            </select>
        </label>
    }
}

fn options(plain: &[Choice], own: &[Choice]) -> Html {
    let option = |(name, _, holds): &Choice| html! { <option selected={*holds}>{ name }</option> };
    html! {
        <>
            { for plain.iter().map(option) }
            if !own.is_empty() { <optgroup label={words::timeline::ARGUMENTS}>{ for own.iter().map(option) }</optgroup> }
        </>
    }
}
