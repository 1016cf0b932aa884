//! Shells around a viewer: a site that owns the whole document, or an element of another page.

mod embedded;
mod reporter;
mod site;

pub use embedded::EmbeddedHost;
pub use reporter::Reporter;
pub use site::SiteHost;
