//! TABLE: every stage of the pipeline; below it the walks (sequences of stages), run by the twins, the device, or a mix of both.
//!
//! A stage is three files of one name: `shaders/<stage>.wgsl`, `src/cpu/<stage>.rs`, `tests/parity/<stage>.rs`. The arrays that
//! it reads and writes are derived from the accessors that its shader calls.

use crate::cpu;
use crate::cpu::collision::sweep::speculates;
use crate::cpu::ipc::resolves;
use crate::cpu::lib::sensor;
use crate::cpu::lib::sleep::sleeps;
use crate::cpu::lib::yielding::model_yields;
use crate::cpu::rk4::goes_back;
use crate::fields::{Data, Model};
#[cfg(feature = "count")]
use crate::real::Counted;
use crate::simd::{self, Lanes, OwnLanes};
use crate::types::*;
use crate::user;

/// One row of the table. There are no others: safe code cannot make a stage with a shader of its own.
///
/// ```compile_fail,E0451
/// let own = manyworlds::stages::Stage {
///     shader: "anything",
///     ..*manyworlds::stages::stage("euler").unwrap()
/// };
/// ```
#[derive(Debug)]
pub struct Stage {
    /// Name: that of MuJoCo's function without `mj_`, in snake case.
    pub name: &'static str,
    /// Text of `shaders/<name>.wgsl`.
    pub shader: &'static str,
    /// The f64 twin.
    pub twin: fn(&Model, &mut Data),
    /// The stage for worlds side by side: the twin itself, or its replacement in `src/simd`.
    pub simd: simd::Stage<Lanes>,
    /// The same for worlds with values of the model of their own.
    pub own: simd::Stage<OwnLanes>,
    /// The stage for one world, counting its operations.
    #[cfg(feature = "count")]
    pub counted: simd::Stage<Counted>,
    /// What a stage without a shader exchanges with a device: its twin runs on the host.
    pub hosted: Option<Hosted>,
    /// One sentence about the stage.
    pub doc: &'static str,
    // code outside of this file cannot make one
    _sealed: Sealed,
}

/// Arrays of a world that a device hands to the twin of a stage and takes back from it.
#[derive(Debug)]
pub struct Hosted {
    /// Arrays that the twin reads.
    pub reads: &'static [&'static str],
    /// Arrays that it writes, temporary ones aside.
    pub writes: &'static [&'static str],
}

/// Only rows of the table have it: kernels run without bounds checks, so no other code may bring a shader.
#[derive(Debug)]
struct Sealed;

macro_rules! stages {
    (@simd $name:ident) => { |m, d, _rows| cpu::$name::$name(m, d) };
    (@simd $name:ident by $path:path) => { $path };
    ($($(#[doc = $doc:literal])+ $name:ident $(by $path:path)?,)+) => {
        $(
            $(#[doc = $doc])+
            #[expect(non_upper_case_globals, reason = "a stage has one name everywhere")]
            pub static $name: Stage = Stage {
                name: stringify!($name),
                shader: include_str!(concat!("../shaders/", stringify!($name), ".wgsl")),
                twin: cpu::$name::$name,
                simd: stages!(@simd $name $(by $path)?),
                own: stages!(@simd $name $(by $path)?),
                #[cfg(feature = "count")]
                counted: stages!(@simd $name $(by $path)?),
                hosted: None,
                doc: concat!($($doc),+),
                _sealed: Sealed,
            };
        )+

        /// Every stage, in the order of a step.
        pub static STAGES: &[&Stage] = &[$(&$name),+];
    };
}

stages! {
    /// Reset a world whose qpos is bad (`mj_checkPos`).
    check_pos by simd::check_pos,
    /// Reset a world whose qvel is bad (`mj_checkVel`).
    check_vel by simd::check_vel,
    /// Poses of bodies, geoms, sites, joint axes (`mj_kinematics`).
    kinematics,
    /// Subtree centres of mass, cinert, cdof (`mj_comPos`).
    com_pos,
    /// Poses of cameras and lights (`mj_camlight`).
    camlight,
    /// Vertices of flexes, frames of rods, edge lengths and their Jacobian (`mj_flex`).
    flex,
    /// Tendon lengths and Jacobian (`mj_tendon`).
    tendon,
    /// Composite inertia and M (`mj_crb`).
    crb,
    /// L'DL of M (`mj_factorM`).
    factor_m,
    /// Contacts (`mj_collision`).
    collision by simd::collision::collision,
    /// Wakes trees that awake trees touch, and finds their contacts (`mj_wakeCollision`).
    wake_collision by simd::wake_collision,
    /// Constraint rows and their parameters (`mj_makeConstraint`).
    make_constraint by simd::make_constraint,
    /// The exact diagonal of A, and the regularization that follows from it (`diagexact`, part of `mj_makeConstraint`).
    exact_diagonal by simd::exact_diagonal,
    /// Actuator lengths and moments (`mj_transmission`).
    transmission by simd::transmission,
    /// Sensors of position (`mj_sensorPos`).
    sensor_pos by simd::sensor_pos,
    /// Velocities of edges of soft bodies, tendons and actuators (first part of `mj_fwdVelocity`).
    fwd_velocity,
    /// Cvel, cdof_dot (`mj_comVel`).
    com_vel,
    /// Forces of the medium that bodies move in (`mj_fluid`).
    fluid,
    /// Adhesion forces of contacts (part of `mj_passive`).
    adhesion by simd::adhesion,
    /// Spring and damper forces (`mj_passive`).
    passive by simd::passive,
    /// Velocity and reference acceleration of rows (`mj_referenceConstraint`).
    reference_constraint by simd::reference_constraint,
    /// Bias force (`mj_rne` without acceleration).
    rne,
    /// Potential and kinetic energy (`mj_energyPos`, `mj_energyVel`).
    energy,
    /// Linear velocity and angular momentum of subtrees (`mj_subtreeVel`).
    subtree_vel,
    /// Sensors of velocity (`mj_sensorVel`).
    sensor_vel by simd::sensor_vel,
    /// Controls as actuators receive them, some delayed (`mj_readCtrl`).
    read_ctrl,
    /// Actuator forces (`mj_fwdActuation`).
    fwd_actuation,
    /// Unconstrained acceleration (`mj_fwdAcceleration`).
    fwd_acceleration,
    /// Replaces M by the metric of a discrete step (`mj_effActuation`).
    metric by simd::metric,
    /// Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
    solve_newton by simd::solve_newton,
    /// Constraint forces and acceleration by conjugate gradients (`mj_fwdConstraint`, `mj_solCG`).
    solve_cg by simd::solve_cg,
    /// Constraint forces and acceleration by projected Gauss-Seidel (`mj_fwdConstraint`, `mj_solPGS`).
    solve_pgs by simd::solve_pgs,
    /// Friction forces once more, as if they were hard (`mj_solNoSlip`).
    solve_noslip by simd::solve_noslip,
    /// Puts the inertia back in the place of M (end of `mj_fwdConstraint`).
    settle by simd::settle,
    /// Accelerations of bodies, and the forces between them (`mj_rnePostConstraint`).
    rne_post by simd::rne_post,
    /// Sensors of acceleration and force (`mj_sensorAcc`).
    sensor_acc by simd::sensor_acc,
    /// Reset a world whose qacc is bad (`mj_checkAcc`).
    check_acc by simd::check_acc,
    /// Acceleration of an instant from that over a timestep (`mj_discreteAcc`).
    discrete_acc,
    /// Replaces M by the metric while inverse dynamics runs (`mj_effBuild`).
    inverse_metric by simd::inverse_metric,
    /// Constraint forces that an acceleration takes (`mj_invConstraint`).
    inv_constraint by simd::inv_constraint,
    /// Applied force that an acceleration takes (end of `mj_inverseSkip`).
    inverse_skip,
    /// Replaces M by the metric again, after a step's rows, which are evaluated in it already (`mj_compareFwdInv`).
    metric_again,
    /// Adds the metric's term to the force that an acceleration takes (end of `mj_inverseSkip`).
    inverse_settle by simd::inverse_settle,
    /// Differences between forward and inverse dynamics (`mj_compareFwdInv`).
    compare_fwd_inv,
    /// Samples of controls and sensors for delayed reads (part of `mj_advance`).
    write_history,
    /// Trees at rest fall asleep (`mj_sleep`).
    sleep by simd::sleep,
    /// Which trees and bodies are awake (`mj_updateSleep`).
    update_sleep,
    /// Semi-implicit Euler with implicit joint damping (`mj_Euler`).
    euler,
    /// One of the four stages of Runge-Kutta (`mj_RungeKutta`).
    rk4,
    /// Derivative of the smooth forces by the velocity (`mjd_smooth_vel`).
    smooth_vel,
    /// Integration implicit in the velocity (`mj_implicit`).
    implicit,
    /// The step, as the solver found it (`mj_discrete`).
    discrete,
}

/// Controls by a user's function (`mjcb_control`). No row of the table: a device runs the user's WGSL text instead.
#[expect(non_upper_case_globals, reason = "a stage has one name everywhere")]
pub(crate) static control: Stage = Stage {
    name: "control",
    shader: "fn mj_control() {}",
    twin: user::set_controls,
    simd: |m, d, _rows| user::set_controls(m, d),
    own: |m, d, _rows| user::set_controls(m, d),
    #[cfg(feature = "count")]
    counted: |m, d, _rows| user::set_controls(m, d),
    hosted: None,
    doc: "Controls by a function of one's own (`mjcb_control`).",
    _sealed: Sealed,
};

/// The step of models with the flag `ipc` and flexes of dim 2 (`mj_ipc`). No row of the table: it has no shader, and where the worlds are
/// on a device, its twin runs on the host.
#[expect(non_upper_case_globals, reason = "a stage has one name everywhere")]
pub static ipc: Stage = Stage {
    name: "ipc",
    shader: "",
    twin: cpu::ipc::ipc,
    simd: simd::ipc,
    own: simd::ipc,
    #[cfg(feature = "count")]
    counted: simd::ipc,
    hosted: Some(Hosted {
        reads: &[
            "qvel",
            "qacc_warmstart",
            "qacc_smooth",
            "qfrc_smooth",
            "xmat",
            "geom_xpos",
            "geom_xmat",
            "cdof",
            "flexvert_xpos",
            "flexvert_lambda",
            "flexvert_conage",
            "crb",
            "cvel",
            "cdof_dot",
            "M",
            "qLD",
            "qLDiagInv",
            "qH",
            "qHDiagInv",
            "efm_M",
            "efm_c",
            "efm_K_val",
            "efm_L",
            "efm_LDiagInv",
            "efm_bound",
            "contact_collision",
            "contact_elem",
            "contact_dofnum",
            "contact_dof",
            "ne",
            "nf",
            "nl",
            "nefc",
            "efc_type",
            "efc_id",
            "efc_Jpat",
            "efc_J",
            "efc_D",
            "efc_R",
            "efc_aref",
            "efc_frictionloss",
            "overflow",
        ],
        writes: &[
            "qacc",
            "flexvert_lambda",
            "flexvert_conage",
            "solver_niter",
            "qfrc_constraint",
            "efc_force",
            "efc_state",
            "overflow",
        ],
    }),
    doc: "The step of models with the flag `ipc` and flexes of dim 2 (`mj_ipc`).",
    _sealed: Sealed,
};

/// The row of a stage, by its name.
pub fn stage(name: &str) -> Option<&'static Stage> {
    STAGES.iter().copied().find(|stage| stage.name == name)
}

/// A stage of a model's step that has no kernel.
pub(crate) fn hosted(m: &Model) -> Option<&'static Stage> {
    let mut found = None;
    step(m, &mut |stage| {
        if stage.hosted.is_some() {
            found = Some(stage);
        }
    });
    found
}

/// Runs one stage on all worlds of an executor.
pub type Run<'a> = dyn FnMut(&'static Stage) + 'a;

/// Whether some sensor of a model is read at a stage.
fn senses(m: &Model, stage: NeedStage) -> bool {
    sensor::of_stage(m, stage).next().is_some()
}

/// Whether some sensor of one of these types is computed.
fn senses_any(m: &Model, types: &[SensorType]) -> bool {
    let one_of = |i: usize| types.iter().any(|t| m.sensor_type[i] == *t);
    (0..m.nsensor).any(|i| one_of(i) && sensor::is_computed(m, i))
}

/// Whether a user's function supplies some sensor of a stage.
fn senses_own(m: &Model, stage: NeedStage) -> bool {
    !m.opt.disabled(DSBL_SENSOR) && m.users().senses(m, stage)
}

/// Whether energy is sensed: it must then be computed before the sensors of position are read.
fn senses_energy(m: &Model) -> bool {
    senses_any(m, &[SensorType::EPotential, SensorType::EKinetic])
}

/// Whether accelerations of bodies and the forces between them are sensed, or asked for by an option.
pub fn needs_rne_post(m: &Model) -> bool {
    const TYPES: &[SensorType] = &[
        SensorType::Accelerometer,
        SensorType::Force,
        SensorType::Torque,
        SensorType::FrameLinAcc,
        SensorType::FrameAngAcc,
    ];
    m.opt.enabled(ENBL_RNEPOST) || senses_any(m, TYPES) || senses_own(m, NeedStage::Acc)
}

/// Whether contacts depend on velocities; velocities are then computed before contacts.
fn looks_ahead(m: &Model) -> bool {
    m.ncollision > 0 && speculates(m)
}

/// Stages that depend on position alone (`mj_fwdPosition`); speculative contacts depend on the velocity too.
pub fn fwd_position(m: &Model, run: &mut Run<'_>) {
    run(&kinematics);
    run(&com_pos);
    if m.ncam + m.nlight > 0 {
        run(&camlight);
    }
    if m.nflex > 0 {
        run(&flex);
    }
    if m.ntendon > 0 {
        run(&tendon);
    }
    run(&crb);
    run(&factor_m);
    if m.ncollision > 0 {
        if looks_ahead(m) {
            run(&com_vel);
        }
        run(&collision);
        if sleeps(m) {
            run(&wake_collision);
        }
    }
    run(&make_constraint);
    if m.opt.enabled(ENBL_DIAGEXACT) {
        run(&exact_diagonal);
    }
    if m.nactuator > 0 {
        run(&transmission);
    }
}

/// Stages that depend on position and velocity (`mj_fwdVelocity`).
pub fn fwd_velocity_stages(m: &Model, run: &mut Run<'_>) {
    if m.ntendon + m.nactuator + m.nflex > 0 {
        run(&fwd_velocity);
    }
    if !looks_ahead(m) {
        run(&com_vel);
    }
    if m.opt.has_medium() {
        run(&fluid);
    }
    if m.nadhesion > 0 {
        run(&adhesion);
    }
    run(&passive);
    run(&reference_constraint);
    run(&rne);
}

/// Stages that depend on position and velocity, with their sensors and energies.
fn sensed_velocity(m: &Model, run: &mut Run<'_>) {
    fwd_position(m, run);
    if senses_energy(m) {
        run(&energy);
    }
    if senses(m, NeedStage::Pos) {
        run(&sensor_pos);
    }
    sensed_of_velocity(m, run);
}

/// Stages that depend on velocity, with their sensors and energies.
fn sensed_of_velocity(m: &Model, run: &mut Run<'_>) {
    fwd_velocity_stages(m, run);
    if !senses_energy(m) {
        fwd_energy(m, run);
    }
    let of_subtrees = [SensorType::SubtreeLinVel, SensorType::SubtreeAngMom];
    if senses_any(m, &of_subtrees) || senses_own(m, NeedStage::Vel) {
        run(&subtree_vel);
    }
    if senses(m, NeedStage::Vel) {
        run(&sensor_vel);
    }
}

/// Sensors of accelerations and forces (`mj_sensorAcc`).
fn sensed_acc(m: &Model, run: &mut Run<'_>) {
    if needs_rne_post(m) {
        run(&rne_post);
    }
    if senses(m, NeedStage::Acc) {
        run(&sensor_acc);
    }
}

/// Forward dynamics: accelerations of a state, with its sensors and energies (`mj_forward`).
pub fn forward(m: &Model, run: &mut Run<'_>) {
    forward_part(m, Part::ALL, run);
}

/// The stages that a stage has run again, in the worlds where it put trees to sleep or woke them (`sleep_changed`): the twins run them
/// by themselves, and on a device they follow the stage.
pub fn again(m: &Model, stage: &Stage, run: &mut Run<'_>) {
    match stage.name {
        "wake_collision" => run(&collision),
        "sleep" => after_position(m, run),
        _ => {}
    }
}

/// Forward dynamics after the stages that depend on position alone (`mj_forwardSkip` of `mjSTAGE_POS`). Controls stay those that were
/// read: the history has gone on since. Rows that a discrete step has changed are made anew.
fn after_position(m: &Model, run: &mut Run<'_>) {
    if m.opt.is_discrete() {
        run(&make_constraint);
    }
    if looks_ahead(m) {
        run(&com_vel);
    }
    sensed_of_velocity(m, run);
    own_controls(m, run);
    forces(m, run);
    sensed_acc(m, run);
}

/// Stages whose results are left from an earlier walk and are not computed again (`mjtStage`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Skip {
    /// Nothing.
    #[default]
    None,
    /// Stages that depend on positions.
    Pos,
    /// Stages that depend on positions and velocities.
    Vel,
}

/// The part of a walk that is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Stages that are skipped, since their results are known.
    pub skip: Skip,
    /// Sensors are read.
    pub sensors: bool,
}

impl Part {
    /// The whole walk.
    pub const ALL: Self = Self {
        skip: Skip::None,
        sensors: true,
    };

    // whether a stage is skipped because it serves sensors alone
    fn leaves_out(self, m: &Model, stage: &Stage) -> bool {
        let of_sensors = match stage.name {
            "sensor_pos" | "sensor_vel" | "sensor_acc" | "subtree_vel" => true,
            "energy" => !m.opt.enabled(ENBL_ENERGY),
            "rne_post" => !m.opt.enabled(ENBL_RNEPOST),
            _ => false,
        };
        of_sensors && !self.sensors
    }

    // the stages of positions and velocities whose results are not known
    fn of_velocity(self, m: &Model, run: &mut Run<'_>) {
        // the metric of a discrete step changes rows, which are made anew
        let skip = match m.opt.is_discrete() {
            true => Skip::None,
            false => self.skip,
        };
        match skip {
            Skip::None => sensed_velocity(m, run),
            Skip::Pos => {
                if looks_ahead(m) {
                    run(&com_vel);
                }
                if senses_energy(m) {
                    run(&energy);
                }
                sensed_of_velocity(m, run);
            }
            Skip::Vel => {}
        }
    }
}

/// Forward dynamics in part (`mj_forwardSkip`). The velocity stages include all of the energy, potential energy too.
pub fn forward_part(m: &Model, part: Part, run: &mut Run<'_>) {
    let run = &mut |stage: &'static Stage| {
        if !part.leaves_out(m, stage) {
            run(stage);
        }
    };
    part.of_velocity(m, run);
    fwd_acc(m, run);
    sensed_acc(m, run);
}

/// Inverse dynamics in part (`mj_inverseSkip`).
pub fn inverse_part(m: &Model, part: Part, run: &mut Run<'_>) {
    let run = &mut |stage: &'static Stage| {
        if !part.leaves_out(m, stage) {
            run(stage);
        }
    };
    part.of_velocity(m, run);
    inv_acc(m, run);
    sensed_acc(m, run);
    run(&inverse_skip);
    if m.opt.is_discrete() {
        run(&inverse_settle);
    }
}

/// Inverse dynamics: the force that an acceleration takes, constraints and passive forces aside (`mj_inverse`).
pub fn inverse(m: &Model, run: &mut Run<'_>) {
    inverse_part(m, Part::ALL, run);
}

/// Constraint forces from accelerations.
fn inv_acc(m: &Model, run: &mut Run<'_>) {
    if m.opt.inverts_steps() {
        if m.opt.is_implicit() {
            late_controls(m, run);
            run(&smooth_vel);
        }
        run(&discrete_acc);
    }
    if m.opt.is_discrete() {
        run(&inverse_metric);
    }
    run(&inv_constraint);
}

/// Forward dynamics without sensors (`mj_forwardSkip`).
fn forward_blind(m: &Model, run: &mut Run<'_>) {
    fwd_position(m, run);
    fwd_velocity_stages(m, run);
    fwd_energy(m, run);
    fwd_acc(m, run);
}

/// Energy, where it is asked for.
fn fwd_energy(m: &Model, run: &mut Run<'_>) {
    if m.opt.enabled(ENBL_ENERGY) {
        run(&energy);
    }
}

/// Stages that compute forces and accelerations (`mj_fwdActuation`, `mj_fwdAcceleration`, `mj_fwdConstraint`).
fn fwd_acc(m: &Model, run: &mut Run<'_>) {
    own_controls(m, run);
    late_controls(m, run);
    forces(m, run);
}

/// Forces and accelerations from the controls that were read.
fn forces(m: &Model, run: &mut Run<'_>) {
    run(&fwd_actuation);
    run(&fwd_acceleration);
    if m.opt.is_discrete() {
        run(&metric);
    }
    match Solver::from_i32(m.opt.solver) {
        _ if resolves(m) => {}
        Some(Solver::Pgs) => run(&solve_pgs),
        Some(Solver::Cg) => run(&solve_cg),
        _ => run(&solve_newton),
    }
    if m.opt.noslip_iterations > 0 {
        run(&solve_noslip);
    }
    if m.opt.is_discrete() {
        run(&settle);
    }
}

/// Controls by a user's function, where there is one and actuators are on.
fn own_controls(m: &Model, run: &mut Run<'_>) {
    if m.users().controls() && !m.opt.disabled(DSBL_ACTUATION) {
        run(&control);
    }
}

/// Delayed controls, where actuators have a delay.
fn late_controls(m: &Model, run: &mut Run<'_>) {
    if m.nlate > 0 {
        run(&read_ctrl);
    }
}

/// What is kept of a step for those who read it later.
fn keep_history(m: &Model, run: &mut Run<'_>) {
    if m.nhistory > 0 {
        run(&write_history);
    }
}

/// History samples of a step, and the trees that fall asleep in it.
fn before_advance(m: &Model, run: &mut Run<'_>) {
    keep_history(m, run);
    fall_asleep(m, run);
}

/// Trees that fall asleep, where trees may.
fn fall_asleep(m: &Model, run: &mut Run<'_>) {
    if sleeps(m) {
        run(&sleep);
        run(&update_sleep);
    }
}

/// What depends on the state at the start of a step: the trees that fall asleep, and the places of flexes that yield.
fn at_start(m: &Model, run: &mut Run<'_>) {
    fall_asleep(m, run);
    if model_yields(m) {
        run(&kinematics);
        run(&com_pos);
        run(&flex);
    }
}

/// The first half of a step: stages that depend on position and velocity, their sensors, and the user's control function (`mj_step1`).
pub fn step1(m: &Model, run: &mut Run<'_>) {
    run(&check_pos);
    run(&check_vel);
    sensed_velocity(m, run);
    own_controls(m, run);
}

/// One step of time (`mj_step`).
pub fn step(m: &Model, run: &mut Run<'_>) {
    run(&check_pos);
    run(&check_vel);
    forward(m, run);
    run(&check_acc);
    if m.opt.enabled(ENBL_FWDINV) {
        // results of the forward pass are saved, and restored afterwards
        run(&compare_fwd_inv);
        if m.opt.is_discrete() {
            run(&metric_again);
            run(&inv_constraint);
            run(&inverse_skip);
            run(&inverse_settle);
        } else {
            inv_acc(m, run);
            run(&inverse_skip);
        }
        run(&compare_fwd_inv);
    }
    if resolves(m) {
        run(&ipc);
        sensed_acc(m, run);
    }
    match Integrator::from_i32(m.opt.integrator) {
        Some(Integrator::Rk4) => {
            for _ in 0..3 {
                run(&rk4);
                forward_blind(m, run);
            }
            keep_history(m, run);
            if goes_back(m) {
                run(&rk4);
                at_start(m, run);
            }
            run(&rk4);
        }
        Some(Integrator::Implicit | Integrator::ImplicitFast) => {
            run(&smooth_vel);
            before_advance(m, run);
            run(&implicit);
        }
        Some(Integrator::Discrete) => {
            before_advance(m, run);
            run(&discrete);
        }
        _ => {
            before_advance(m, run);
            run(&euler);
        }
    }
}
