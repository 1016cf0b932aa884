//! Every text that the page shows or announces, one module per screen. Components hold no words.

pub mod common;
pub mod compare;
pub mod copy;
pub mod details;
pub mod engine;
pub mod glossary;
pub mod import_report;
pub mod keys;
pub mod landing;
pub mod legend;
pub mod link;
pub mod loading;
pub mod overview;
pub mod parallel;
pub mod picture;
pub mod pivot;
pub mod query_list;
pub mod reading;
pub mod reconciliation;
pub mod search;
pub mod subset;
pub mod tables;
pub mod tabs;
pub mod timeline;
pub mod topbar;
pub mod transactions;
