//! The CPU pipeline: one twin a stage, `f64`, one world; the reference that every shader is held against.

#[doc(hidden)]
pub mod lib;

pub mod adhesion;
pub mod camlight;
pub mod check_acc;
pub mod check_pos;
pub mod check_vel;
#[doc(hidden)]
pub mod collision;
pub mod com_pos;
pub mod com_vel;
pub mod compare_fwd_inv;
pub mod crb;
pub mod discrete_acc;
pub mod energy;
pub mod euler;
pub mod exact_diagonal;
pub mod factor_m;
pub mod flex;
pub mod fluid;
pub mod fwd_acceleration;
pub mod fwd_actuation;
pub mod fwd_velocity;
pub mod implicit;
pub mod inv_constraint;
pub mod inverse_skip;
pub mod island;
pub mod kinematics;
pub mod make_constraint;
pub mod passive;
pub mod read_ctrl;
pub mod reference_constraint;
pub mod rk4;
pub mod rne;
pub mod rne_post;
pub mod sensor_acc;
pub mod sensor_pos;
pub mod sensor_vel;
pub mod sleep;
pub mod smooth_vel;
pub mod solve_cg;
pub mod solve_newton;
pub mod solve_noslip;
pub mod solve_pgs;
pub mod subtree_vel;
pub mod tendon;
pub mod transmission;
pub mod write_history;

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
