//! Worlds of a batch: backends against each other, neighbours, faults, and what only some backends have.

#[path = "../common/mod.rs"]
mod common;

mod auto;
mod checked;
mod choice;
mod cold;
mod control;
mod determinism;
mod device;
mod faces;
mod faults_room;
mod gradient;
mod hands;
mod heaps;
mod inverse;
mod lanes;
mod lanes_narrow;
mod lanes_solver;
mod meetings;
mod precision;
mod rays;
mod reads;
mod reset;
mod robustness;
mod shapes;
mod slots;
mod solver_stat;
mod still;
mod subgroup;
mod texts;
mod tune;
mod unroll;
mod user;
