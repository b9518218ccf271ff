//! Soft bodies: steps on every backend, and features that are refused.

use crate::common::backends::{BACKENDS, worlds};
use manyworlds::batch::Backend;
use manyworlds::compile::missing;
use manyworlds::mjcf::{Files, Spec};
use manyworlds::{Batch, Model};

/// A sheet that hangs by two corners and has no contacts.
fn sheet(option: &str, made_of: &str) -> String {
    format!(
        r#"<mujoco>{option}<worldbody>
<flexcomp name="sheet" dim="2" count="3 3 1" spacing=".1 .1 .1" mass=".5" euler="20 0 0">
<pin id="0 6"/><contact contype="0" conaffinity="0"/>{made_of}</flexcomp>
<geom type="plane" size="1 1 1" pos="0 0 -1"/></worldbody></mujoco>"#
    )
}

const HELD: &str = r#"<edge equality="true" solref=".01 1"/>"#;
const ELASTIC: &str =
    r#"<elasticity young="1e4" poisson=".3" thickness=".02" damping=".005" elastic2d="both"/>"#;

/// Worlds of a model after some steps, on every backend.
fn stepped(xml: &str, nstep: usize) -> Vec<Batch> {
    let m = Model::from_xml_str(xml).unwrap();
    let stepped = |backend| {
        let mut batch = worlds(&m, 2, backend);
        batch.step(nstep).unwrap();
        batch
    };
    BACKENDS.into_iter().map(stepped).collect()
}

#[test]
fn a_sheet_falls_alike_on_every_backend() {
    for made_of in [HELD, ELASTIC] {
        let mut batches = stepped(&sheet("", made_of), 40);
        let want = batches[0].reals("qpos").unwrap().to_vec();
        assert!(want.iter().any(|x| *x < -0.02), "it falls");
        for (batch, backend) in batches.iter_mut().zip(BACKENDS) {
            let have = batch.reals("qpos").unwrap();
            let worst = have.iter().zip(&want).map(|(a, b)| (a - b).abs());
            let worst = worst.fold(0.0, f64::max);
            assert!(worst < 1e-3, "{backend:?} {made_of}: {worst}");
            if made_of == HELD {
                keep_lengths(batch, backend);
            }
        }
    }
}

// edges that are held keep their lengths
fn keep_lengths(batch: &mut Batch, backend: Backend) {
    let m = batch.model().clone();
    for d in batch.worlds().unwrap() {
        let of_pinned = |e: usize| m.flexedge_J_rownnz[e] > 0;
        for e in (0..m.nflexedge).filter(|&e| of_pinned(e)) {
            let stretch = d.flexedge_length[e] / m.flexedge_length0[e] - 1.0;
            assert!(stretch.abs() < 0.02, "{backend:?} edge {e}: {stretch}");
        }
    }
}

#[test]
fn what_holds_no_row_is_no_row() {
    let xml = sheet("", HELD).replace(r#"pin id="0 6""#, r#"pin id="0 6 3""#);
    for (batch, backend) in stepped(&xml, 1).iter_mut().zip(BACKENDS) {
        // the edges between pinned points
        let m = batch.model().clone();
        let rows = m.nflexedge as i32 - 2;
        assert_eq!(batch.ints("nefc").unwrap(), [rows; 2], "{backend:?}");
        assert_eq!(m.flexedge_rigid.iter().sum::<i32>(), 2);
    }
}

#[test]
fn a_sheet_that_lands_comes_to_the_same_places_on_every_backend() {
    let lands = sheet("", HELD)
        .replace(r#"contype="0" conaffinity="0""#, r#"selfcollide="none""#)
        .replace(r#"<pin id="0 6"/>"#, "")
        .replace("0 0 -1", "0 0 -.05");
    let ball = r#"<geom type="sphere" size=".05" pos=".02 .01 -.04"/></worldbody>"#;
    let mut batches = stepped(&lands.replace("</worldbody>", ball), 100);
    let want = batches[0].reals("qpos").unwrap().to_vec();
    let m = batches[0].model().clone();
    let d = &batches[0].worlds().unwrap()[0];
    let met = d.contact_collision[..d.ncon[0] as usize].iter();
    let grounds: std::collections::BTreeSet<i32> = met
        .map(|k| m.geom_type[m.collision_geom1[*k as usize] as usize])
        .collect();
    assert_eq!(grounds.len(), 2, "it lies on the plane and on the ball");
    for (batch, backend) in batches.iter_mut().zip(BACKENDS) {
        let have = batch.reals("qpos").unwrap();
        let worst = have.iter().zip(&want).map(|(a, b)| (a - b).abs());
        let worst = worst.fold(0.0, f64::max);
        println!("{backend:?}: {worst:e}");
        assert!(worst < 1e-3, "{backend:?}: {worst}");
    }
}

#[test]
fn elastic_soft_bodies_take_the_integrators_that_mujoco_takes() {
    for (integrator, made_of, taken) in [
        ("Euler", ELASTIC, true),
        ("RK4", ELASTIC, true),
        ("implicit", ELASTIC, false),
        ("implicitfast", ELASTIC, false),
        ("implicitfast", HELD, true),
    ] {
        let option = format!("<option integrator='{integrator}'/>");
        let m = Model::from_xml_str(&sheet(&option, made_of)).unwrap();
        assert_eq!(missing(&m).is_empty(), taken, "{integrator} {made_of}");
    }
}

#[test]
fn damping_of_edges_that_is_edited_acts() {
    let xml = sheet("<option gravity='0 0 0'/>", HELD);
    let mut m = Model::from_xml_str(&xml.replace(HELD, "")).unwrap();
    assert_eq!(m.flexedge_J_rownnz[0], 0);
    m.edit(|m| m.flex_edgedamping[0] = 2.0).unwrap();
    assert!(m.flexedge_J_rownnz[0] > 0);
    for backend in BACKENDS {
        let mut batch = worlds(&m, 1, backend);
        let still: Vec<f64> = (0..m.nv).map(|i| (i as f64).sin()).collect();
        batch.set("qvel", &still).unwrap();
        batch.forward().unwrap();
        let force = batch.reals("qfrc_damper").unwrap();
        let power: f64 = force.iter().zip(&still).map(|(f, v)| f * v).sum();
        assert!(power < -0.1, "{backend:?} {power}");
    }
}

#[test]
fn gmsh_files_that_are_not_read_say_what_to_do() {
    let ascii = std::fs::read_to_string("tests/golden/flex/g_tet22.msh").unwrap();
    let model =
        "<mujoco><worldbody><flexcomp name='f' type='gmsh' file='m.msh'/></worldbody></mujoco>";
    for (from, to, what) in [
        (
            "2.2 0 8",
            "2.2 1 8",
            "the nodes of the GMSH file are not numbered 1, 2, 3 …",
        ),
        ("1.3", "nan", "a node of the GMSH file is not finite"),
        (
            "1.3",
            "one",
            "the GMSH file has \"one\" in place of a number",
        ),
        ("$EndElements", "", "the GMSH file has no section $Elements"),
    ] {
        assert!(ascii.contains(from), "{from}");
        let files = [
            ("model.xml", model.to_owned()),
            ("m.msh", ascii.replacen(from, to, 1)),
        ];
        let e = Spec::from_vfs(Files::memory(files), "model.xml").unwrap_err();
        let want = format!("model.xml:1:51 <flexcomp name='f'>: {what}");
        assert_eq!(e.to_string(), want);
    }
}
