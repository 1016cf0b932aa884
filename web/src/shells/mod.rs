//! What stands around a viewer: the site to which a whole page belongs, or a part of another page.

mod embedded;
mod site;

pub use embedded::EmbeddedHost;
pub use site::SiteHost;
