//! The built site in a real browser: what its users do, and what must never happen.

mod accessibility;
mod elements;
mod embedding;
mod firefox;
mod fixtures;
mod history;
mod hostile;
mod hosting;
mod leaving;
mod links;
mod mysql;
mod opening;
mod page;
mod part;
mod pictures;
mod pivot;
mod plans;
mod pointer;
mod privacy;
mod reach;
mod samples;
mod screens;
mod threads;
mod transactions;
mod urls;
mod views;
