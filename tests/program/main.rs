//! The program as its user meets it: verbs, files, errors, pictures and windows; and the examples.

#[path = "../common/mod.rs"]
mod common;

mod cli;
mod examples;
mod faults_input;
mod faults_output;
mod looks;
mod picture;
mod policy;
mod render;
mod window;
