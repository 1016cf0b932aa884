//! Icons, drawn as lines of 1.5 pixels on a 16 pixel square in the text's colour.

use yew::prelude::*;

/// The icons of the page.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Icon {
    Search,
    Filter,
    Up,
    Down,
    Close,
    Copy,
    Check,
    Link,
    Sun,
    Moon,
    System,
    Warning,
    Report,
    Shield,
    File,
    Folder,
    Play,
    Plus,
    Download,
    Keyboard,
    Wrap,
    Panel,
    List,
    Palette,
    Note,
}

impl Icon {
    fn path(self) -> &'static str {
        match self {
            Icon::Search => "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14",
            Icon::Up => "M4 10l4-4 4 4",
            Icon::Down => "M4 6l4 4 4-4",
            Icon::Close => "M4 4l8 8M12 4l-8 8",
            Icon::Copy => {
                "M5.5 5.5v-2a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2M3.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1z"
            }
            Icon::Check => "M3 8.5l3.2 3.2L13 4.8",
            Icon::Link => {
                "M6.7 9.3a2.6 2.6 0 0 0 3.7 0l2.3-2.3a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.3 6.7a2.6 2.6 0 0 0-3.7 0L3.3 9a2.6 2.6 0 0 0 3.7 3.7l.8-.8"
            }
            Icon::Sun => {
                "M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9"
            }
            Icon::Moon => "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",
            Icon::System => "M2.5 3.5h11v7.5h-11zM6 13.5h4M8 11v2.5",
            Icon::Warning => "M8 2.5l6 10.8H2zM8 6.5v3M8 11.4v.1",
            Icon::Report => "M4 1.8h5.5L12.5 5v9.2H4zM9.3 2v3.2h3M6.2 8h4M6.2 10.8h4",
            Icon::Shield => {
                "M8 1.8l5 1.9v3.8c0 3.2-2.1 5.6-5 6.7-2.9-1.1-5-3.5-5-6.7V3.7zM5.6 7.9l1.8 1.8 3-3.2"
            }
            Icon::File => "M4 1.8h5.5L12.5 5v9.2H4zM9.3 2v3.2h3",
            Icon::Folder => {
                "M1.8 4.2a1 1 0 0 1 1-1h3.4l1.5 1.8h5.5a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H2.8a1 1 0 0 1-1-1z"
            }
            Icon::Play => "M5 3.2v9.6l7.5-4.8z",
            Icon::Plus => "M8 3v10M3 8h10",
            Icon::Download => "M8 2.5v7.5M4.8 7L8 10.2 11.2 7M3 13.2h10",
            Icon::Keyboard => "M1.8 4h12.4v8H1.8zM4.2 6.6h.1M7 6.6h.1M9.8 6.6h.1M12 6.6h.1M5 9.6h6",
            Icon::Wrap => "M2.5 4h11M2.5 8h8.8a2.1 2.1 0 0 1 0 4.2H8.5M10 10.6l-1.7 1.6L10 13.8M2.5 12h3",
            Icon::Panel => "M2 3h12v10H2zM10 3v10",
            Icon::Filter => "M2.5 3h11L9.3 8.2v4.6L6.7 14V8.2z",
            Icon::Note => "M2.5 2.5h11v7.5l-3.5 3.5H2.5zM13.5 10H10v3.5M5 5.8h6M5 8.6h3",
            Icon::List => "M2 3h12v10H2zM2 9h12",
            Icon::Palette => {
                "M8 2a6 6 0 1 0 0 12c1.2 0 1.4-.9 1-1.6-.5-1 .1-1.9 1.1-1.9H12a2 2 0 0 0 2-2C14 4.7 11.3 2 8 2zM5 7.6h.1M7.5 5.2h.1M10.6 6.2h.1"
            }
        }
    }
}

/// Renders an icon, hidden from screen readers. The element that holds the icon must have a label.
pub fn icon(icon: Icon) -> Html {
    html! {
        <svg class="icon" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"
            stroke-linejoin="round" aria-hidden="true">
            <path d={icon.path()} />
        </svg>
    }
}

/// Renders the project's logo: bars for a query, a source and an execution.
pub fn mark() -> Html {
    html! {
        <svg viewBox="0 0 20 20" aria-hidden="true">
            <rect x="1" y="3" width="18" height="4" rx="1.5" fill="var(--query)" />
            <rect x="4" y="8.5" width="11" height="4" rx="1.5" fill="var(--source)" />
            <rect x="6" y="14" width="6" height="4" rx="1.5" fill="var(--execution)" />
        </svg>
    }
}
