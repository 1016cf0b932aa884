//! Tests of actions and the resulting state.

use queryscope::protocol::{CompareView, CompareWith, RunSelection, Viewport};

use super::*;
use wasm_bindgen_test::wasm_bindgen_test;

fn after(actions: Vec<Action>) -> Rc<State> {
    actions.into_iter().fold(Rc::new(State::default()), Reducible::reduce)
}

fn opened(queries: u32, items: TrackedItems) -> Action {
    Action::Opened(TraceInfo { queries, items: 1, ..TraceInfo::default() }, true, items)
}

#[wasm_bindgen_test]
fn the_selection_is_kept_while_the_trace_grows() {
    let found = |item| TrackedItems { selection: item, flame: None };
    for (selected, told, expected) in
        [(Some(3), Some(5), Some(5)), (Some(3), None, None), (None, Some(5), None)]
    {
        let state = after(vec![opened(1, found(None)), Action::Select(selected), opened(2, found(told))]);
        assert_eq!(state.nav.selection, expected);
    }
}

#[wasm_bindgen_test]
fn sides_of_a_comparison_are_runs_that_are_open() {
    let run = |at: u32| RunSelection { runs: vec![at], ..RunSelection::default() };
    for (base, new, runs, sides, is_missing) in [
        (None, None, 2, [run(0), run(1)], false),
        (Some(run(1)), Some(run(0)), 2, [run(1), run(0)], false),
        (None, Some(run(9)), 2, [run(0), run(1)], true),
        (Some(run(2)), Some(run(0)), 2, [run(0), run(0)], true),
    ] {
        let view = RunsView { base, new, ..RunsView::default() };
        assert_eq!((view.sides(runs, None), view.names_missing_run(runs)), (Some(sides), is_missing));
        assert_eq!(view.base_of_all(3), view.new.as_ref().is_none_or(|new| new.runs == [9]).then_some(0));
    }
}

#[wasm_bindgen_test]
fn other_sides_reset_the_compared_executions() {
    let sides = |run| RunsView {
        new: Some(RunSelection { runs: vec![run], ..RunSelection::default() }),
        ..RunsView::default()
    };
    let view = |a, b| CompareView { a, b, ..CompareView::default() };
    for (chosen, kept) in [
        (view(Some(4), CompareWith::Others), view(None, CompareWith::Typical)),
        (view(None, CompareWith::Others), view(None, CompareWith::Typical)),
        (view(Some(4), CompareWith::Item(9)), view(None, CompareWith::Typical)),
    ] {
        let compare = || Action::Compare(chosen.clone());
        let runs = |run| Action::CompareRuns(sides(run));
        assert_eq!(after(vec![compare(), runs(1)]).nav.compare, kept);
        assert_eq!(after(vec![runs(1), compare(), runs(1)]).nav.compare, chosen);
    }
}

#[wasm_bindgen_test]
fn a_difference_flame_graph_is_drawn_if_its_runs_are_open() {
    let side = |runs: &[u32]| RunSelection { runs: runs.to_vec(), ..RunSelection::default() };
    for (base, new, runs, is_drawn) in [
        (side(&[0]), side(&[1]), 2, true),
        (side(&[]), side(&[0, 1]), 2, true),
        (side(&[0]), side(&[7]), 2, false),
        (side(&[0, 2]), side(&[1]), 2, false),
        (side(&[0]), side(&[1]), 1, false),
    ] {
        let mut state = State::default();
        state.load.info.runs = runs;
        (state.nav.tab, state.nav.flame) = (Tab::Flame, Flame::Merged);
        let sides = MergedDifference { base, new, width_by_base: true };
        state.nav.merged.difference = Some(Box::new(sides.clone()));
        let expected = is_drawn.then_some(&sides);
        assert_eq!(state.difference(), expected);
        let Some(ViewKind::FlameMerged(drawn)) = state.view().map(|view| view.kind) else {
            panic!("a merged flame graph");
        };
        assert_eq!(drawn.difference.as_deref(), expected);
        // The link stays the same, and the toolbar can end the difference.
        assert_eq!(state.grouping().difference.as_deref(), Some(&sides));
    }
}

#[wasm_bindgen_test]
fn what_was_pointed_at_while_the_trace_was_built_is_selected() {
    let told = TrackedItems { selection: Some(7), flame: None };
    let grown =
        [opened(1, TrackedItems::default()), Action::Select(Some(3)), opened(2, TrackedItems::default())];
    for (since, build, expected) in
        [(None, 0, Some(7)), (None, 1, None), (Some(Action::Select(Some(9))), 0, Some(9))]
    {
        let actions = grown.iter().cloned().chain(since).chain([Action::Remapped(build, told)]);
        assert_eq!(after(actions.collect()).nav.selection, expected);
    }
}

#[wasm_bindgen_test]
fn how_far_reading_is_stays_until_the_picture_stands() {
    let complete = || Action::Progress(Progress { complete: true, ..Progress::default() });
    let end =
        || Action::Opened(TraceInfo { items: 1, ..TraceInfo::default() }, false, TrackedItems::default());
    let told = || Action::Failed(Notice { title: String::new(), text: String::new(), recovery: None });
    let begun = || vec![Action::Opening(true, None), opened(1, TrackedItems::default())];
    for (actions, expected) in [
        (vec![], true),
        (vec![end()], false),
        (vec![complete(), end()], true),
        (vec![complete(), end(), Action::Drawn], false),
        (vec![Action::Stop, told(), end()], true),
        (vec![Action::Stop, told(), end(), Action::Drawn], false),
        (vec![complete(), end(), Action::Opening(false, None), Action::Drawn], true),
    ] {
        let state = after(begun().into_iter().chain(actions).collect());
        assert_eq!(state.load.progress.is_some(), expected);
    }
}

#[wasm_bindgen_test]
fn only_what_no_address_leads_back_to_is_lost_by_leaving() {
    let address = |name: &str| Action::Opening(false, Some(vec![name.to_owned()]));
    let fresh = |name: &str| Action::Opening(true, Some(vec![name.to_owned()]));
    let file = |fresh| Action::Opening(fresh, None);
    for (actions, lost, addresses) in [
        (vec![], false, None),
        (vec![file(true)], true, None),
        (vec![file(true), opened(1, TrackedItems::default())], true, None),
        (vec![file(true), opened(1, TrackedItems::default()), Action::Close], false, None),
        (vec![fresh("a"), opened(1, TrackedItems::default())], false, Some("a")),
        (vec![fresh("a"), opened(1, TrackedItems::default()), address("b")], false, Some("a b")),
        (vec![fresh("a"), opened(1, TrackedItems::default()), file(false)], true, None),
        (vec![file(true), opened(1, TrackedItems::default()), address("b")], true, None),
        (vec![file(true), opened(1, TrackedItems::default()), fresh("b")], false, Some("b")),
    ] {
        let state = after(actions);
        assert_eq!(state.is_lost_by_leaving(), lost);
        assert_eq!(state.load.addresses.as_ref().map(|all| all.join(" ")).as_deref(), addresses);
    }
}

#[wasm_bindgen_test]
fn tables_alone_are_shown_until_there_are_events() {
    let opened = |items, tables, partial| {
        Action::Opened(TraceInfo { items, tables, ..TraceInfo::default() }, partial, TrackedItems::default())
    };
    for (actions, phase, tab) in [
        (vec![opened(0, 2, false)], "ready", Tab::Tables),
        (vec![opened(0, 2, true)], "landing", Tab::Gantt),
        (vec![opened(0, 2, true), opened(9, 2, false)], "ready", Tab::Gantt),
        (vec![opened(0, 2, false), opened(9, 2, false)], "ready", Tab::Gantt),
        (vec![Action::Show(Tab::Tables), opened(9, 2, false)], "ready", Tab::Tables),
    ] {
        let state = after(actions);
        assert_eq!((state.load.phase.name(), state.nav.tab), (phase, tab));
    }
    let alone = TraceInfo { tables: 1, ..TraceInfo::default() };
    assert!(
        Tab::of(&Load { info: alone.clone(), ..Load::default() })
            .iter()
            .map(|shown| shown.tab)
            .eq([Tab::Tables, Tab::Sql])
    );
}

#[wasm_bindgen_test]
fn what_has_statements_can_be_compared() {
    for (queries, plans, expected) in
        [(0, false, false), (1, false, false), (1, true, true), (2, false, true)]
    {
        let info = TraceInfo { queries, plans, items: 9, parallel: true, ..TraceInfo::default() };
        assert_eq!(info.compares(), expected);
    }
}

#[wasm_bindgen_test]
fn the_list_stands_where_it_is_of_use_as_the_user_left_it() {
    let none = TrackedItems::default();
    let opened = |queries| opened(queries, none);
    let (show, list) = (Action::Show, Action::List);
    for (actions, expected) in [
        (vec![opened(9)], List::Open),
        (vec![opened(0)], List::None),
        (vec![opened(0), opened(9)], List::Open),
        (vec![opened(9), Action::Opening(true, None), opened(0)], List::None),
        (vec![opened(9), list(false)], List::Heading),
        (vec![opened(9), list(false), opened(9)], List::Heading),
        (vec![opened(9), show(Tab::Overview)], List::Heading),
        (vec![opened(9), show(Tab::Pivot)], List::None),
        (vec![opened(9), show(Tab::Pivot), show(Tab::Gantt)], List::Open),
        (
            vec![opened(9), show(Tab::Flame), list(true), show(Tab::Gantt), list(false), show(Tab::Flame)],
            List::Open,
        ),
    ] {
        assert_eq!(after(actions).list(), expected);
    }
}

#[wasm_bindgen_test]
fn details_open_with_a_selection_and_stay_closed_where_the_user_closed_them() {
    let opened = || opened(9, TrackedItems::default());
    let (select, details) = (|item| Action::Select(Some(item)), Action::Details);
    for (actions, expected) in [
        (vec![opened()], false),
        (vec![opened(), select(3)], true),
        (vec![opened(), select(3), Action::Select(None)], false),
        (vec![opened(), select(3), details(false), select(4)], false),
        (vec![opened(), select(3), details(false), Action::Show(Tab::Flame)], true),
        (
            vec![opened(), select(3), details(false), Action::Show(Tab::Flame), Action::Show(Tab::Gantt)],
            false,
        ),
    ] {
        assert_eq!(after(actions).shows_details(), expected);
    }
}

#[wasm_bindgen_test]
fn layouts_are_remembered_and_nonsense_is_left_out() {
    let state = after(vec![
        Action::Details(false),
        Action::Show(Tab::Flame),
        Action::List(true),
        Action::Show(Tab::Tables),
        Action::Details(true),
    ]);
    let text = state.ui.layouts_as_text();
    assert_eq!(text, "gantt:0- flame:-1 tables:1-");
    let mut ui = Ui::default();
    ui.take_layouts(&text);
    assert_eq!(ui.layouts, state.ui.layouts);
    assert!(TABS.iter().enumerate().all(|(at, named)| named.tab as usize == at));
    for nonsense in ["", "gantt", "gantt:", "moon:11", "gantt:111", ": :", "gantt:äö"] {
        let mut ui = Ui::default();
        ui.take_layouts(nonsense);
        assert_eq!(ui.layouts, Ui::default().layouts, "{nonsense}");
    }
}

#[wasm_bindgen_test]
fn many_queries_are_packed_unless_somebody_chose() {
    let none = TrackedItems::default();
    let by_query = Action::Arrange(Arrangement::ByQuery);
    let look = Action::ViewportSettled(Viewport { start: 0, end: 9, width: 1.0, top: 0.0, height: 1.0 });
    for (actions, expected) in [
        (vec![opened(500, none)], Arrangement::ByQuery),
        (vec![opened(9, none), opened(501, none)], Arrangement::Packed),
        (vec![by_query, opened(501, none)], Arrangement::ByQuery),
        (vec![opened(9, none), look, opened(501, none)], Arrangement::ByQuery),
    ] {
        assert_eq!(after(actions).nav.arrangement, expected);
    }
}
