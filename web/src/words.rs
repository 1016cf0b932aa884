//! Every text that the page shows or announces, one module per screen. Components hold no words.

pub mod common;
pub mod copy;
pub mod engine;
pub mod import_report;
pub mod keys;
pub mod landing;
pub mod legend;
pub mod link;
pub mod loading;
pub mod reading;
pub mod search;
pub mod subset;
pub mod tabs;
pub mod timeline;
pub mod topbar;
