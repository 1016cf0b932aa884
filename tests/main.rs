//! Tests of the engine and the command line. They are one program, because linking a program for each file would take longer than all
//! tests run. `tests/tidy.rs` is a program of its own: it reads the sources and needs no engine.

mod support;

mod answers;
mod areas;
mod chrome;
mod cli;
mod compare_runs;
mod containers;
mod critical_path;
mod details;
mod duration_histogram;
mod export_formats;
mod filtered_output;
mod findings;
mod folded;
mod fuzz;
mod growth;
mod handbook;
mod import;
mod laws;
mod monetdb;
mod mysql;
mod parts;
mod picture;
mod reach;
mod reconcile;
mod redaction;
mod rows;
mod rows_and_bytes;
mod saving;
mod scenes;
mod side_by_side;
mod sources;
mod statement_filters;
mod topoexec;
mod total_time;
mod trace_file;
mod unpacking;
