//! The editor: a field for the statement above its highlighted text.

use std::rc::Rc;

use queryscope::protocol::{FilterCompletions, SqlOrder, SqlTokensRequest};
use web_sys::{HtmlElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

use super::MenuEntry;
use crate::components::details::code::pieces;
use crate::components::filter_completion::{Completion, caret, field as input_of, use_list};
use crate::components::scroll_into_view::use_scroll_into_view;
use crate::components::use_query::{Answer, use_query};
use crate::components::{PanelProps, typing};
use crate::sql_client::SqlOutcome;
use crate::state::Action;
use crate::words;

/// Properties of the editor.
#[derive(Properties, PartialEq)]
pub struct EditorProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// The last statement and its outcome.
    pub outcome: Option<Rc<(String, SqlOutcome)>>,
    /// What may be written, and the statement in which.
    pub found: Option<Rc<(String, FilterCompletions)>>,
    /// Runs the statement.
    pub onrun: Callback<()>,
    /// The field.
    pub field: NodeRef,
    /// Position in bytes for which names are listed; `None` if the list is closed.
    pub caret: UseStateHandle<Option<u32>>,
}

/// The field for the statement. Ctrl+Enter runs it; an error moves the caret to its place.
#[component]
pub fn Editor(props: &EditorProps) -> Html {
    let (field, shown) = (props.field.clone(), use_node_ref());
    let sql = &props.panel.state.nav.sql;
    let client = props.panel.client.clone();
    // The engine splits a statement into tokens. Over a data set, it may not run yet, and without a statement it is not needed.
    use_effect_with(sql.clone(), move |sql| {
        if !sql.is_empty() {
            client.wake();
        }
    });
    let request = SqlTokensRequest { sql: sql.clone() };
    let answer = use_query(&props.panel.client, Some(request), 0);
    let of_this_text =
        |answer: &&Answer<SqlTokensRequest>| answer.request().is_some_and(|request| request.sql == *sql);
    let tokens = answer.as_ref().filter(of_this_text).and_then(Answer::reply);
    use_caret(&field, props.outcome.clone());
    let is_asked = use_state_eq(|| false);
    let completion = use_names(props, *is_asked);
    let mark = use_list_place(&completion, &field);
    let (ask, names) = (is_asked.setter(), use_node_ref());
    use_scroll_into_view(&names, "ul", ".completions [aria-selected=true]", completion.active);
    let oninput =
        completion.oninput(&field, &props.panel.dispatch_of(Action::Sql)).reform(move |event: InputEvent| {
            ask.set(false);
            event
        });
    let onblur = completion.close.reform(|_: FocusEvent| None);
    let onkeydown = on_key(props, &completion, is_asked.setter());
    let keys = words::sql::names_hint(completion.active.is_some());
    let (from, to) = (field.clone(), shown.clone());
    // The highlighted text scrolls with the field.
    let onscroll = move |_: Event| {
        if let (Some(field), Some(shown)) = (from.cast::<web_sys::Element>(), to.cast::<web_sys::Element>()) {
            shown.set_scroll_top(field.scroll_top());
            shown.set_scroll_left(field.scroll_left());
        }
    };
    html! {
        <div class="sql-typing" ref={names}>
        <div class="sql-editor">
            <pre class="code" ref={shown} aria-hidden="true"><code>
                if let Some(tokens) = tokens { { for pieces(tokens, usize::MAX) } } else { { sql } }
                { "\n" }
            </code></pre>
            if let Some(before) = completion.before() { <pre class="code measured" aria-hidden="true"><code>{ before }<i ref={mark} /></code></pre> }
            <textarea ref={field} aria-label={words::sql::STATEMENT} placeholder={words::sql::STATEMENT_EXAMPLE} spellcheck="false" autocomplete="off"
                autocapitalize="off" value={sql.clone()} {oninput} {onkeydown} {onscroll} {onblur}
                aria-autocomplete="list" aria-describedby={completion.is_open().then_some("sql-names-keys")} aria-controls={completion.is_open().then_some("sql-names-list")} aria-activedescendant={completion.active.map(|at| format!("sql-names-{at}"))} />
        </div>
        { completion.list("sql-names", Some(keys)) }
        if completion.is_open() { <p id="sql-names-keys" class="visually-hidden">{ keys }</p> }
        </div>
    }
}

/// The names that may be written at the caret. `is_asked` lists them even where no letter was typed yet.
#[hook]
fn use_names(props: &EditorProps, is_asked: bool) -> Completion {
    let EditorProps { panel, field, caret, found, .. } = props;
    let sql = panel.state.nav.sql.clone();
    let (client, build) = (panel.client.clone(), panel.state.load.info.build);
    let stored = super::stored(panel);
    use_effect_with((**caret, is_asked, sql.clone(), stored.clone()), move |(caret, is_asked, sql, _)| {
        if let Some(rows) = *caret {
            let order = SqlOrder { build, sql: sql.clone(), rows, limit: u64::MAX, stored };
            client.complete_sql(&order, *is_asked);
        }
    });
    let of_this_text = found.as_deref().filter(|(text, _)| caret.is_some() && *text == sql);
    use_list(
        &sql,
        "",
        field,
        &panel.dispatch_of(Action::Sql),
        caret.clone(),
        of_this_text.map(|(_, found)| found.clone()),
    )
}

/// Places the list below the word that it completes. Returns the mark after the invisible copy of the text before that word, which
/// shows where that is.
#[hook]
fn use_list_place(completion: &Completion, field: &NodeRef) -> NodeRef {
    let mark = use_node_ref();
    let (found, field) = (mark.clone(), field.clone());
    use_effect_with(completion.before().map(str::to_owned), move |_| {
        let Some((mark, field)) = found.cast::<HtmlElement>().zip(field.cast::<HtmlElement>()) else {
            return;
        };
        let top = mark.offset_top() + mark.offset_height() - field.scroll_top();
        let style = format!("--caret-x:{}px;--caret-y:{top}px", mark.offset_left());
        // The list stands after the editor.
        if let Some(list) = field.parent_element().and_then(|editor| editor.next_element_sibling()) {
            // Any element takes this attribute.
            let _ = list.set_attribute("style", &style);
        }
    });
    mark
}

/// Ctrl+Enter runs the statement, Ctrl+Space opens the list of names, and other keys go to the list if it is open. Tab accepts the
/// highlighted or the first name; while there is no list, it leaves the field.
fn on_key(
    props: &EditorProps,
    completion: &Completion,
    ask: UseStateSetter<bool>,
) -> Callback<KeyboardEvent> {
    let typing = typing(&props.panel.mount);
    let (onrun, field) = (props.onrun.clone(), props.field.clone());
    let in_list = completion.onkeydown(&field, typing.clone());
    let (open, accept) = (completion.close.clone(), completion.accept.clone());
    let (is_open, active) = (completion.is_open(), completion.active);
    Callback::from(move |event: KeyboardEvent| {
        let is_held = event.ctrl_key() || event.meta_key();
        match event.key().as_str() {
            "Enter" if is_held => {
                event.prevent_default();
                open.emit(None);
                onrun.emit(());
                typing.emit(event);
            }
            " " if is_held => {
                event.prevent_default();
                ask.set(true);
                open.emit(input_of(&field).map(|field| caret(&field)));
                typing.emit(event);
            }
            "Tab" if event.shift_key() => typing.emit(event),
            "Tab" if is_open => {
                event.prevent_default();
                accept.emit(active.unwrap_or(0));
                typing.emit(event);
            }
            _ if is_open => in_list.emit(event),
            _ => typing.emit(event),
        }
    })
}

/// Moves the caret to the place of an error, and focuses the field.
#[hook]
fn use_caret(field: &NodeRef, outcome: Option<Rc<(String, SqlOutcome)>>) {
    let field = field.clone();
    use_effect_with(outcome, move |outcome| {
        let Some((sql, SqlOutcome::Failed(failure))) = outcome.as_deref() else { return };
        let Some((field, (line, column))) = field.cast::<HtmlTextAreaElement>().zip(failure.place) else {
            return;
        };
        if field.value() == *sql {
            let at = offset(sql, line, column);
            // A field that was removed has no focus and no caret.
            let _ = field.focus();
            let _ = field.set_selection_range(at, at);
        }
    });
}

/// Offset of a place in UTF-16 code units; line and column count from 1.
fn offset(sql: &str, line: u32, column: u32) -> u32 {
    let units = |text: &str| text.encode_utf16().count();
    let before: usize =
        sql.split('\n').take((line as usize).saturating_sub(1)).map(|line| units(line) + 1).sum();
    let of_line = sql.split('\n').nth((line as usize).saturating_sub(1)).unwrap_or_default();
    let inside: String = of_line.chars().take((column as usize).saturating_sub(1)).collect();
    ((before + units(&inside)) as u32).min(units(sql) as u32)
}

/// A menu that fills the editor. `last` is an entry after the statements that does something else.
pub fn menu(
    label: &'static str,
    entries: Vec<MenuEntry>,
    fill: Callback<String>,
    last: Option<(&'static str, Callback<()>)>,
) -> Html {
    let statements: Vec<String> = entries.iter().map(|(_, _, sql)| sql.clone()).collect();
    let none = statements.is_empty();
    let (last, other) = last.filter(|_| !none).unzip();
    let onchange = move |event: Event| {
        let menu: HtmlSelectElement = event.target_unchecked_into();
        // The first entry is the label.
        let at = usize::try_from(menu.selected_index()).ok().and_then(|at| at.checked_sub(1));
        match (at.and_then(|at| statements.get(at)), &other) {
            (Some(sql), _) => fill.emit(sql.clone()),
            (None, Some(other)) if at.is_some() => other.emit(()),
            _ => {}
        }
        menu.set_selected_index(0);
    };
    let mut groups: Vec<(String, Vec<Html>)> = Vec::new();
    for (group, text, sql) in entries {
        let option = html! { <option title={sql}>{ text }</option> };
        match groups.last_mut().filter(|(last, _)| *last == group) {
            Some((_, options)) => options.push(option),
            None => groups.push((group, vec![option])),
        }
    }
    let group = |(name, options): (String, Vec<Html>)| match name.as_str() {
        "" => html! { <>{ for options }</> },
        _ => html! { <optgroup label={name}>{ for options }</optgroup> },
    };
    html! {
        <select class="small" aria-label={label} disabled={none} {onchange}>
            <option selected=true>{ label }</option>
            { for groups.into_iter().map(group) }
            if let Some(last) = last { <option>{ last }</option> }
        </select>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn places_are_offsets_of_the_field() {
        for (sql, line, column, expected) in [
            ("SELECT x", 1, 8, 7),
            ("SELECT\n  x", 2, 3, 9),
            ("'😀' x", 1, 5, 5),
            ("SELECT", 9, 9, 6),
            ("", 1, 1, 0),
        ] {
            assert_eq!(offset(sql, line, column), expected, "{sql}");
        }
    }
}
