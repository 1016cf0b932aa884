//! Texts of the list of keys and gestures.

pub const TITLE: &str = "Keyboard and pointer";
pub const KEYS: &str = "Keyboard";
pub const VIEWS: &str = "Views";
pub const CHART: &str = "In a chart";
pub const POINTER: &str = "Pointer";

pub const PAGE_UP_KEY: &str = "Page ↑";
pub const PAGE_DOWN_KEY: &str = "Page ↓";
pub const HOME_KEY: &str = "Home";
pub const END_KEY: &str = "End";
pub const ENTER_KEY: &str = "Enter";
pub const ESCAPE_KEY: &str = "Esc";
pub const SHIFT_UP_KEYS: &str = "Shift ↑";
pub const SHIFT_DOWN_KEYS: &str = "Shift ↓";
pub const SHIFT_N_KEYS: &str = "Shift N";
pub const SHIFT_F_KEYS: &str = "Shift F";

pub const ZOOM_IN: &str = "Zoom in";
pub const ZOOM_OUT: &str = "Zoom out";
pub const PAN_LEFT: &str = "Pan left";
pub const PAN_RIGHT: &str = "Pan right";
pub const PAGE_UP: &str = "Scroll up";
pub const PAGE_DOWN: &str = "Scroll down";
pub const TOP: &str = "Scroll to the first row";
pub const BOTTOM: &str = "Scroll to the last row";
pub const FIT: &str = "Fit selection / all";
pub const PREVIOUS: &str = "Previous sibling";
pub const NEXT: &str = "Next sibling";
pub const PARENT: &str = "Parent span, or the track above";
pub const CHILD: &str = "First child span, or the track below";
pub const ZOOM_TO_SELECTION: &str = "Zoom to selection";
pub const CALLERS: &str = "Merged flame graph: callers of the frame at the pointer, or of the focused one";
pub const CALLEES: &str = "Merged flame graph: callees of the frame at the pointer, or of the focused one";
pub const HIDE: &str =
    "Merged flame graph: hide the calls with the name of the frame at the pointer, or of the focused one";
pub const EXPAND: &str = "Expand or collapse all queries";
pub const ARROWS: &str = "Arrows of the selection: whole chain, or direct ones";
pub const MARK_PATH: &str = "Mark the critical path of the selection";
pub const RANGE: &str = "Set the time range to the visible time, or clear it";
pub const AREA: &str = "Add the track of the selection to the area, or remove it";
pub const AREA_UP: &str = "Extend the area to the track above";
pub const AREA_DOWN: &str = "Extend the area to the track below";
pub const BACK: &str = "Clear time range, then selection, then zoom";
pub const QUERIES: &str = "Query list: arrow keys select, Enter zooms";
pub const NOTE: &str = "Note on the selection, the time range or the trace";
pub const PIN: &str = "Pin the track of the selection above the rows, or unpin it";
pub const SEARCH: &str = "Search";
pub const FILTER: &str = "Filter all views";
pub const NEXT_HIT: &str = "Next hit";
pub const PREVIOUS_HIT: &str = "Previous hit";
pub const HELP: &str = "This list";

pub const DRAG: &str = "Drag";
pub const PAN: &str = "Pan";
pub const DRAG_RULER: &str = "Drag on the ruler";
pub const SHIFT_DRAG: &str = "Shift drag on the rows";
pub const SELECT_AREA: &str = "Select an area: a time range of several tracks";
pub const DRAG_CHART: &str = "Drag on a chart";
pub const SELECT_RANGE: &str = "Select a time range";
pub const DRAG_MINIMAP: &str = "Drag on the minimap";
pub const SET_VISIBLE: &str = "Set the visible time";
pub const CLICK_PIN: &str = "Click at the right end of a heading";
pub const PIN_TRACK: &str = "Pin the track above the rows, or unpin it";
pub const CLICK: &str = "Click";
pub const SELECT: &str = "Select; click again for the span underneath";
pub const DOUBLE_CLICK: &str = "Double click";
pub const ZOOM_TO_SPAN: &str = "Zoom to a span";

pub const CHART_ARROWS: &str = "← →";
pub const CHART_MOVE: &str = "Move along the chart";
pub const CHART_RANGE: &str = "Start a time range, then select it";

pub const WHEEL: &str = "Wheel";
pub const SCROLLS: &str = "scrolls";
pub const ZOOMS: &str = "zooms";
pub const SIDEWAYS_WHEEL: &str = "Shift wheel, sideways wheel";
pub const CTRL_WHEEL: &str = "Ctrl wheel, ⌘ wheel";
pub const PINCH: &str = "Pinch";
pub const SCROLL_ROWS: &str = "Scroll the rows";
pub const ZOOM_AT_POINTER: &str = "Zoom at the pointer";
pub const PAN_SIDEWAYS: &str = "Pan left and right";
