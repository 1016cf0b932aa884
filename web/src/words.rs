//! Every text that a user of the page sees or hears, by screen.

pub mod common;
pub mod compare;
pub mod details;
pub mod glossary;
pub mod overview;
pub mod parallel;
pub mod pivot;
pub mod query_list;
pub mod reconciliation;
pub mod tables;
pub mod transactions;
