//! Every shader against its twin, on the models of the goldens.
//!
//! A stage's test runs the twins up to the stage, rounds their results to `f32`, fills the outputs of the stage with ∞, runs the
//! shader (all worlds) and the twin (`f64`, world by world). It compares every written number to `tolerance · (1 + |x|)` and every other
//! number by its bits, in both. The shader has teams of one, sixteen and thirty-two lanes, and is unrolled if possible: of these the first
//! two models have two, and the others take turns. `TOL_SCALE` scales the tolerances; `TOL_SCALE=0` prints the residuals. `PARITY=quick` runs
//! each model with one of the teams, `PARITY=all` every stage on every model with all of them; `PARITY_MODEL=hand` runs one model only.

mod body;
mod cold;
#[path = "../common/mod.rs"]
mod common;
mod fields;
mod solver;

mod adhesion;
mod camlight;
mod check_acc;
mod check_pos;
mod check_vel;
mod collision;
mod com_pos;
mod com_vel;
mod compare_fwd_inv;
mod coupled;
mod crb;
mod discrete;
mod discrete_acc;
mod energy;
mod euler;
mod exact_diagonal;
mod factor_m;
mod flex;
mod fluid;
mod fwd_acceleration;
mod fwd_actuation;
mod fwd_velocity;
mod implicit;
mod inv_constraint;
mod inverse_metric;
mod inverse_settle;
mod inverse_skip;
mod ipc;
mod kinematics;
mod make_constraint;
mod metric;
mod metric_again;
mod passive;
mod read_ctrl;
mod reference_constraint;
mod rk4;
mod rne;
mod rne_post;
mod sensor_acc;
mod sensor_pos;
mod sensor_vel;
mod settle;
mod sleep;
mod smooth_vel;
mod solve_cg;
mod solve_newton;
mod solve_noslip;
mod solve_pgs;
mod subtree_vel;
mod tendon;
mod transmission;
mod update_sleep;
mod wake_collision;
mod write_history;
