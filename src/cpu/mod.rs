//! The CPU pipeline: one twin per stage, `f64`, one world. It is the reference for every shader.

pub mod lib;

pub(crate) mod adhesion;
pub(crate) mod camlight;
pub(crate) mod check_acc;
pub(crate) mod check_pos;
pub(crate) mod check_vel;
pub mod collision;
pub mod com_pos;
pub mod com_vel;
pub(crate) mod compare_fwd_inv;
pub(crate) mod crb;
pub(crate) mod discrete;
pub(crate) mod discrete_acc;
pub(crate) mod energy;
pub(crate) mod euler;
pub(crate) mod exact_diagonal;
pub(crate) mod factor_m;
pub(crate) mod flex;
pub(crate) mod fluid;
pub(crate) mod fwd_acceleration;
pub(crate) mod fwd_actuation;
pub(crate) mod fwd_velocity;
pub(crate) mod implicit;
pub(crate) mod inv_constraint;
pub(crate) mod inverse_metric;
pub(crate) mod inverse_settle;
pub(crate) mod inverse_skip;
pub(crate) mod ipc;
pub(crate) mod island;
pub mod kinematics;
pub mod make_constraint;
pub(crate) mod metric;
pub(crate) mod metric_again;
pub(crate) mod passive;
pub(crate) mod read_ctrl;
pub mod reference_constraint;
pub(crate) mod rk4;
pub(crate) mod rne;
pub mod rne_post;
pub(crate) mod sensor_acc;
pub mod sensor_pos;
pub(crate) mod sensor_vel;
pub(crate) mod settle;
pub(crate) mod sleep;
pub(crate) mod smooth_vel;
pub mod solve_cg;
pub mod solve_newton;
pub mod solve_noslip;
pub mod solve_pgs;
pub(crate) mod subtree_vel;
pub mod tendon;
pub(crate) mod transmission;
pub(crate) mod update_sleep;
pub(crate) mod wake_collision;
pub(crate) mod write_history;

use crate::fields::{Data, Model};
use crate::stages;

/// Forward dynamics of one world (`mj_forward`).
pub fn forward(m: &Model, d: &mut Data) {
    stages::forward(m, &mut |stage| (stage.twin)(m, d));
}

/// Inverse dynamics of one world (`mj_inverse`): `qfrc_inverse` from `qacc`.
pub fn inverse(m: &Model, d: &mut Data) {
    stages::inverse(m, &mut |stage| (stage.twin)(m, d));
}

/// One step of one world (`mj_step`).
pub fn step(m: &Model, d: &mut Data) {
    stages::step(m, &mut |stage| (stage.twin)(m, d));
}
