//! Constraint rows against MuJoCo 4.0.0: from MuJoCo's own contacts, on every golden that has rows.

use crate::common::{Golden, error, put_contacts, reals};
use manyworlds::{Data, Model, cpu};

const MODELS: &[&str] = &[
    "boxes",
    "cartpole",
    "hand",
    "humanoid",
    "quadruped",
    "limits",
    "cones",
    "pairs",
    "primitives",
    "equalities",
    "elliptic",
    "surfaces",
    "surfaces_elliptic",
    "sticky",
    "sticky_elliptic",
];

// a state with the rows of MuJoCo's own contacts
fn with_rows(golden: &Golden, m: &Model, k: usize) -> Data {
    let mut d = golden.world(m, k);
    cpu::kinematics::kinematics(m, &mut d);
    cpu::com_pos::com_pos(m, &mut d);
    cpu::tendon::tendon(m, &mut d);
    cpu::com_vel::com_vel(m, &mut d);
    put_contacts(golden, m, &mut d, k);
    cpu::make_constraint::make_constraint(m, &mut d);
    cpu::reference_constraint::reference_constraint(m, &mut d);
    d
}

fn dense(m: &Model, d: &Data) -> Vec<f64> {
    let mut out = Vec::new();
    for r in 0..d.nefc[0] as usize {
        let mut row = vec![0.0; m.nv];
        let pattern = d.efc_Jpat[r] as usize;
        let adr = m.Jpat_adr[pattern] as usize;
        for n in 0..m.Jpat_num[pattern] as usize {
            row[m.Jpat_dof[adr + n] as usize] = d.efc_J[r * m.nJrow + n];
        }
        out.extend(row);
    }
    out
}

#[test]
fn rows_are_mujocos() {
    let mut rows = 0;
    for name in MODELS {
        let golden = Golden::open(&format!("tests/golden/{name}.npz"));
        let mut m = golden.model();
        m.edit(|m| (m.nconmax, m.njmax) = (200, 800)).unwrap();
        for k in 0..golden.nstate() {
            let d = with_rows(&golden, &m, k);
            let num = d.nefc[0] as usize;
            rows += num;
            let want = golden.state("out/efc_D", k);
            assert_eq!(
                num,
                want.iter().take_while(|&&x| x != 0.0).count(),
                "{name} state {k}: rows"
            );
            let check = |what: &str, have: &[f64], width: usize| {
                let e = error(
                    have,
                    &golden.state(&format!("out/{what}"), k)[..num * width],
                );
                assert!(e < 1e-10, "{name} state {k}: {what} is off by {e:e}");
            };
            let ints = |x: &[i32]| x[..num].iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
            check("efc_type", &ints(&d.efc_type), 1);
            check("efc_id", &ints(&d.efc_id), 1);
            check("efc_J_dense", &dense(&m, &d), m.nv);
            check("efc_pos", &d.efc_pos[..num], 1);
            check("efc_margin", &d.efc_margin[..num], 1);
            check("efc_frictionloss", &d.efc_frictionloss[..num], 1);
            check("efc_KBIP", &d.efc_KBIP[..4 * num], 4);
            check("efc_diagA", &d.efc_diagA[..num], 1);
            check("efc_R", &d.efc_R[..num], 1);
            check("efc_D", &d.efc_D[..num], 1);
            check("efc_vel", &d.efc_vel[..num], 1);
            check("efc_aref", &d.efc_aref[..num], 1);
        }
    }
    assert!(rows > 500, "{rows} rows met");
}

/// Body accelerations and forces from MuJoCo's own accelerations and row forces.
#[test]
fn forces_between_bodies_are_mujocos() {
    let mut worst = 0.0f64;
    for name in MODELS.iter().chain(&[
        "pendula",
        "free_bodies",
        "tendons",
        "spatial_tendons",
        "sensors",
    ]) {
        let golden = Golden::open(&format!("tests/golden/{name}.npz"));
        let mut m = golden.model();
        m.edit(|m| (m.nconmax, m.njmax) = (200, 800)).unwrap();
        for k in 0..golden.nstate() {
            let mut d = with_rows(&golden, &m, k);
            d.qacc.copy_from_slice(golden.state("out/qacc", k));
            let num = d.nefc[0] as usize;
            d.efc_force[..num].copy_from_slice(&golden.state("out/efc_force", k)[..num]);
            for (name, to) in [
                ("ten_velocity", &mut d.ten_velocity),
                ("actuator_force", &mut d.actuator_force),
            ] {
                to.copy_from_slice(golden.state(&format!("out/{name}"), k));
            }
            cpu::rne_post::rne_post(&m, &mut d);
            for field in ["cacc", "cfrc_int", "cfrc_ext"] {
                let want = golden.state(&format!("out/{field}"), k);
                let e = error(&reals(&d, field), want);
                assert!(e < 1e-10, "{name} state {k}: {field} is off by {e:e}");
                worst = worst.max(e);
            }
        }
    }
    println!("largest error {worst:e}");
}
