//! The claims of docs/choosing.md: how integrators conserve, lose or gain energy, and how many sweeps of PGS suffice. On the CPU backends, in
//! double and single precision; `tests/parity` compares the kernels with these twins.

use crate::common::backends::{by_precision, worlds};
use manyworlds::batch::{Backend, To};
use manyworlds::types::Solver;
use manyworlds::{Batch, Model};

const CORES: [Backend; 2] = [Backend::Cpu, Backend::Simd];

/// A long body that rotates fast, about none of its principal axes.
const GYROSCOPE: &str = r#"<mujoco>
    <option timestep="0.002" gravity="0 0 0" integrator="INTEGRATOR"><flag energy="enable" contact="disable"/></option>
    <worldbody><body><freejoint/><geom type="ellipsoid" size="0.02 0.05 0.2" mass="1"/></body></worldbody>
    <keyframe><key qvel="0 0 0 20 40 20"/></keyframe></mujoco>"#;

/// Three links that swing without friction or damping.
const PENDULUM: &str = r#"<mujoco>
    <option timestep="0.002" integrator="INTEGRATOR"><flag energy="enable" contact="disable"/></option>
    <default><geom type="capsule" size="0.017" fromto="0 0 0 0 0 -0.1"/><joint axis="0 1 0"/></default>
    <worldbody><body pos="0 0 1"><joint/><geom/>
        <body pos="0 0 -0.1"><joint/><geom/><body pos="0 0 -0.1"><joint/><geom/></body></body></body></worldbody>
    <keyframe><key qpos="1.6 0.4 0.4"/></keyframe></mujoco>"#;

/// Energy after some steps, relative to the energy at the keyframe.
fn energy_left(text: &str, steps: usize, integrator: &str, backend: Backend) -> f64 {
    let m = Model::from_xml_str(&text.replace("INTEGRATOR", integrator)).unwrap();
    let mut batch = worlds(&m, 1, backend);
    batch.reset(To::Key(0)).unwrap();
    batch.forward().unwrap();
    let sum = |batch: &mut Batch| batch.reals("energy").unwrap().iter().sum::<f64>();
    let before = sum(&mut batch);
    batch.step(steps).unwrap();
    batch.forward().unwrap();
    sum(&mut batch) / before
}

#[test]
fn fast_turns_tell_integrators_apart() {
    CORES.into_iter().for_each(fast_turns_on);
}

fn fast_turns_on(backend: Backend) {
    let left = |integrator| energy_left(GYROSCOPE, 500, integrator, backend);
    assert!(left("Euler") > 3.0);
    for integrator in ["implicit", "implicitfast"] {
        let left = left(integrator);
        assert!((0.3..0.5).contains(&left), "{integrator}: {left}");
    }
    let off = (left("RK4") - 1.0).abs();
    assert!(off < by_precision(backend, 1e-5, 1e-4), "{off:e}");
}

#[test]
fn a_pendulum_without_friction_tells_integrators_apart() {
    CORES.into_iter().for_each(pendulum_on);
}

fn pendulum_on(backend: Backend) {
    let off = |integrator| (energy_left(PENDULUM, 1000, integrator, backend) - 1.0).abs();
    for integrator in ["Euler", "implicit", "implicitfast"] {
        let off = off(integrator);
        assert!((5e-3..0.2).contains(&off), "{integrator}: {off}");
    }
    let off = off("RK4");
    assert!(off < by_precision(backend, 1e-5, 1e-4), "{off:e}");
}

#[test]
fn ten_sweeps_of_pgs_come_near_newton() {
    CORES.into_iter().for_each(ten_sweeps_on);
}

/// Accelerations by ten sweeps from the forces of the previous step, compared with Newton's optimum, relative to the change by constraints.
fn ten_sweeps_on(backend: Backend) {
    let m = Model::from_xml_path("models/quadruped.xml").unwrap();
    let mut pgs = m.clone();
    pgs.edit(|m| {
        m.opt.solver = Solver::Pgs as i32;
        m.opt.iterations = 10;
        m.opt.tolerance = 0.0;
    })
    .unwrap();
    let mut newton = worlds(&m, 8, backend);
    let mut sweeps = worlds(&pgs, 8, backend);
    let nv = m.nv;
    let ctrl: Vec<f64> = (0..8 * m.nu).map(|i| 0.3 * (i as f64).sin()).collect();
    newton.set("ctrl", &ctrl).unwrap();
    let mut off = Vec::new();
    for _ in 0..6 {
        newton.step(30).unwrap();
        for name in ["qpos", "qvel", "act", "ctrl", "qacc_warmstart"] {
            sweeps.set(name, newton.reals(name).unwrap()).unwrap();
        }
        newton.forward().unwrap();
        sweeps.forward().unwrap();
        let smooth = newton.reals("qacc_smooth").unwrap().to_vec();
        let want = newton.reals("qacc").unwrap().to_vec();
        let have = sweeps.reals("qacc").unwrap();
        for w in 0..8 {
            let apart = |x: &[f64], y: &[f64]| {
                let of = w * nv..(w + 1) * nv;
                let square = |(x, y): (&f64, &f64)| (x - y) * (x - y);
                x[of.clone()]
                    .iter()
                    .zip(&y[of])
                    .map(square)
                    .sum::<f64>()
                    .sqrt()
            };
            let changed = apart(&want, &smooth);
            if changed > 1.0 {
                off.push(apart(&want, have) / changed);
            }
        }
    }
    off.sort_by(f64::total_cmp);
    assert!(off.len() > 20, "{} states touch something", off.len());
    let (median, most) = (off[off.len() / 2], off[off.len() - 1]);
    assert!(
        median < 0.01 && most < 0.1,
        "median {median:e}, most {most:e}"
    );
}
