//! Results against MuJoCo 4.0.0, from `tests/golden`.

#[path = "../common/mod.rs"]
mod common;

mod calls;
mod collision;
mod constraint;
mod corners;
mod derivative;
mod differ;
mod discrete;
mod facts;
mod flex;
mod history;
mod hooks;
mod inverse;
mod ipc;
mod lattice;
mod matter;
mod options;
mod plane_mesh;
mod rollout;
mod sdf;
mod sensor;
mod skip;
mod soft;
mod solver;
mod spins;
mod squash;
mod stages;
