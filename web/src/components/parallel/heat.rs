//! The utilisation heat map: one row per core and per thread, coloured by the busy share of each time interval.

use std::rc::Rc;

use queryscope::protocol::{Heat, HeatRequest, HeatRow};
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, ImageData};
use yew::prelude::*;

use super::cursor::{Cursor, CursorStep};
use crate::components::PanelProps;
use crate::components::overview::chart_theme::{colors, use_dark};
use crate::components::size::use_inner_size;
use crate::components::use_query::{Answer, use_query};
use crate::state::Action;
use crate::words;

/// Height of a row in CSS pixels, equal to the style sheet's value.
const ROW: usize = 18;
/// Upper bounds of the colour scale, in thousandths. The colours are tomograph's: white, yellow, gold, orange, orange-red, red.
const STEPS: [(u16, &str); 6] =
    [(20, "heat-0"), (250, "heat-1"), (500, "heat-2"), (750, "heat-3"), (900, "heat-4"), (1000, "heat-5")];

/// The utilisation heat map of the range and selection that the panel shows.
#[component]
pub fn HeatMap(props: &PanelProps) -> Html {
    let state = &props.state;
    let (frame, canvas) = (use_node_ref(), use_node_ref());
    let width = use_inner_size(&frame).0;
    let columns = u32::try_from(width).unwrap_or(0);
    let request = HeatRequest { range: state.nav.range, item: state.nav.selection, columns };
    let answer = use_query(&props.client, (columns > 0).then_some(request), state.load.info.build);
    let heat = use_memo(answer, |answer| {
        let heat = answer.as_ref().and_then(Answer::reply)?.as_deref()?;
        Some(Rc::new(heat.clone()))
    });
    let looks = (state.theme(), use_dark());
    let node = canvas.clone();
    use_effect_with(((*heat).clone(), looks), move |(heat, _)| {
        if let Some((canvas, heat)) = node.cast().zip(heat.as_ref()) {
            paint(&canvas, heat);
        }
    });
    let cursor = use_state_eq(|| None::<Cursor>);
    let height = heat.as_ref().as_ref().map_or(0, |heat| heat.rows.len() * ROW);
    html! {
        <section aria-labelledby="heat">
            <header><h2 id="heat">{ words::parallel::CORES_AND_THREADS }</h2><p>{ (*heat).as_deref().map(words::parallel::about_map) }</p></header>
            <div class="heat scrolls">
                { names((*heat).as_deref(), *cursor) }
                <div class="picture" ref={frame} style={format!("height:{height}px")}>
                    { map(props, &canvas, (*heat).as_ref(), &cursor) }
                </div>
                { axis((*heat).as_deref()) }
            </div>
            if heat.as_ref().as_ref().is_none_or(|heat| !heat.rows.is_empty()) {
                <div class="heat-line">
                    <output aria-live="off">{ readout((*heat).as_deref(), *cursor) }</output>
                    <div class="heat-steps">
                        { for STEPS.iter().zip(words::parallel::UTILISATION).map(|((_, color), label)| html! {
                            <span><i class="swatch" style={format!("background:var(--{color})")} aria-hidden="true" />{ label }</span>
                        }) }
                        if heat.as_ref().as_ref().is_some_and(|heat| has_unknown(heat)) {
                            <span><i class="swatch unknown" aria-hidden="true" />{ words::parallel::NOT_MEASURED }</span>
                        }
                    </div>
                </div>
            }
        </section>
    }
}

fn has_unknown(heat: &Heat) -> bool {
    heat.rows.iter().any(|row| row.busy.contains(&HeatRow::UNKNOWN))
}

fn names(heat: Option<&Heat>, cursor: Option<Cursor>) -> Html {
    let rows = heat.map_or(&[][..], |heat| &heat.rows);
    let name = |(at, row): (usize, &HeatRow)| {
        let is_at = cursor.is_some_and(|cursor| cursor.row == at);
        // In a narrow label, the process name is cut first, then the thread name.
        let (of, own) = row.name.rsplit_once(" · ").unwrap_or(("", &row.name));
        html! {
            <span class={classes!("foreign", is_at.then_some("at"))} dir="auto" title={row.name.clone()}>
                if !of.is_empty() { <span class="of">{ of }</span><span class="dot">{ " · " }</span> }
                <span class="own">{ own }</span>
            </span>
        }
    };
    html! { <div class="names" aria-hidden="true">{ for rows.iter().enumerate().map(name) }</div> }
}

fn axis(heat: Option<&Heat>) -> Html {
    let Some(heat) = heat else { return Html::default() };
    let label = |share: f64| html! { <span>{ words::common::since_start(time_at(heat, share)) }</span> };
    html! { <div class="heat-axis" aria-hidden="true">{ for [0.0, 0.5, 1.0].map(label) }</div> }
}

/// Returns the time at a position of the axis, given as a share from 0 to 1.
fn time_at(heat: &Heat, share: f64) -> i64 {
    let length = heat.end.saturating_sub(heat.start);
    heat.start.saturating_add((length as f64 * share.clamp(0.0, 1.0)) as i64)
}

/// Describes the cell at the cursor.
fn readout(heat: Option<&Heat>, cursor: Option<Cursor>) -> String {
    let Some((heat, cursor)) = heat.zip(cursor) else { return words::parallel::MAP_HINT.to_owned() };
    let Some((row, at)) =
        heat.rows.get(cursor.row.min(heat.rows.len().saturating_sub(1))).zip(cursor.grip.at)
    else {
        return words::parallel::MAP_HINT.to_owned();
    };
    let column = ((at * f64::from(heat.columns)) as usize).min(row.busy.len().saturating_sub(1));
    let busy = match row.busy.get(column) {
        None | Some(&HeatRow::UNKNOWN) => words::parallel::NOT_MEASURED.to_owned(),
        Some(&share) => words::parallel::busy(share),
    };
    let edge = |column: usize| time_at(heat, column as f64 / f64::from(heat.columns.max(1)));
    words::parallel::cell(&row.name, &busy, edge(column), edge(column + 1))
}

fn map(
    props: &PanelProps,
    canvas: &NodeRef,
    heat: Option<&Rc<Heat>>,
    cursor: &UseStateHandle<Option<Cursor>>,
) -> Html {
    let on = HeatHandlers::new(props, heat.cloned(), cursor);
    let at = cursor.and_then(|cursor| cursor.grip.at).unwrap_or(0.5);
    let mark = cursor.zip(cursor.and_then(|cursor| cursor.grip.at)).map(|(cursor, at)| {
        html! { <div class="cell" style={format!("left:{:.3}%;top:{}px", at * 100.0, cursor.row * ROW)} /> }
    });
    let range = cursor.and_then(|cursor| cursor.grip.range()).map(|(from, to)| {
        html! { <div class="chart-range" style={format!("left:{:.3}%;width:{:.3}%", from * 100.0, (to - from) * 100.0)} /> }
    });
    html! {
        <>
            <canvas ref={canvas.clone()} tabindex="0" role="slider" aria-label={words::parallel::MAP_LABEL}
                aria-valuemin="0" aria-valuemax="100" aria-valuenow={format!("{:.0}", at * 100.0)} aria-valuetext={readout(heat.map(|heat| &**heat), **cursor)}
                onpointerdown={on.down} onpointermove={on.moved} onpointerup={on.up} onpointerleave={on.left} onfocus={on.focus} onblur={on.blur} onkeydown={on.key} />
            { mark.unwrap_or_default() }
            { range.unwrap_or_default() }
        </>
    }
}

/// Pointer and key handlers of the heat map.
struct HeatHandlers {
    down: Callback<PointerEvent>,
    moved: Callback<PointerEvent>,
    up: Callback<PointerEvent>,
    left: Callback<PointerEvent>,
    focus: Callback<FocusEvent>,
    blur: Callback<FocusEvent>,
    key: Callback<KeyboardEvent>,
}

impl HeatHandlers {
    fn new(props: &PanelProps, heat: Option<Rc<Heat>>, cursor: &UseStateHandle<Option<Cursor>>) -> Self {
        let now = **cursor;
        let set = || cursor.setter();
        let down = set();
        let moved = set();
        let left = set();
        let blur = set();
        let focus = set();
        let turn = set();
        let done = set();
        let (rows, columns) = heat.as_ref().map_or((0, 1), |heat| (heat.rows.len(), heat.columns));
        let dispatch = props.dispatch.clone();
        let choose = move |(from, to): (f64, f64)| {
            let range = heat.as_ref().map(|heat| (time_at(heat, from), time_at(heat, to)));
            dispatch.dispatch(Action::Range(range));
        };
        let chosen = choose.clone();
        Self {
            down: Callback::from(move |event: PointerEvent| {
                if event.button() == 0 {
                    // Without pointer capture, a drag ends at the map's edge, which does no harm.
                    let _ = event.target_unchecked_into::<Element>().set_pointer_capture(event.pointer_id());
                    let mut at = under(&event);
                    at.grip.from = at.grip.at;
                    down.set(Some(at));
                }
            }),
            moved: Callback::from(move |event: PointerEvent| {
                let mut at = under(&event);
                at.grip.from = now.and_then(|now| now.grip.from);
                moved.set(Some(at));
            }),
            up: Callback::from(move |_: PointerEvent| {
                now.and_then(|now| now.grip.range()).into_iter().for_each(&choose);
                done.set(None);
            }),
            left: Callback::from(move |_: PointerEvent| {
                if now.is_none_or(|now| now.grip.from.is_none()) {
                    left.set(None);
                }
            }),
            focus: Callback::from(move |_: FocusEvent| {
                let now = now.unwrap_or_default();
                focus.set(Some(Cursor { grip: now.grip.focused(), ..now }));
            }),
            blur: Callback::from(move |_: FocusEvent| blur.set(None)),
            key: Callback::from(move |event: KeyboardEvent| {
                let Some(step) = now.unwrap_or_default().press(&event.key(), rows, columns) else { return };
                event.prevent_default();
                event.stop_propagation();
                match step {
                    CursorStep::Go(to) => turn.set(Some(to)),
                    CursorStep::Choose(from, to) => {
                        chosen((from, to));
                        turn.set(None);
                    }
                }
            }),
        }
    }
}

/// Returns the cursor at the pointer's position.
fn under(event: &PointerEvent) -> Cursor {
    let element = event.target_unchecked_into::<Element>();
    let width = f64::from(element.client_width()).max(1.0);
    let mut cursor = Cursor { row: event.offset_y().max(0) as usize / ROW, ..Cursor::default() };
    cursor.grip.at = Some((f64::from(event.offset_x()) / width).clamp(0.0, 1.0));
    cursor
}

/// Paints one pixel per cell. The style sheet scales the canvas.
fn paint(canvas: &HtmlCanvasElement, heat: &Heat) {
    let names: Vec<&str> = STEPS.iter().map(|step| step.1).collect();
    let Some(scale) = colors(canvas, &names) else { return };
    let pixel = |&busy: &u16| match STEPS.iter().position(|step| busy <= step.0) {
        Some(step) => [scale[step].0, scale[step].1, scale[step].2, 255],
        None => [0; 4],
    };
    let bytes: Vec<u8> = heat.rows.iter().flat_map(|row| &row.busy).flat_map(pixel).collect();
    let (width, height) = (heat.columns, heat.rows.len() as u32);
    // Setting the size also clears the canvas.
    canvas.set_width(width.max(1));
    canvas.set_height(height.max(1));
    let context = canvas.get_context("2d").ok().flatten();
    let Some(context) = context.and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok())
    else {
        return;
    };
    // Without rows there is nothing to paint, and `ImageData` rejects an empty image.
    if let Ok(image) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&bytes), width, height)
        && let Err(error) = context.put_image_data(&image, 0.0, 0.0)
    {
        web_sys::console::error_1(&error);
    }
}
