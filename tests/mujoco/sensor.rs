//! Readings of all sensors of a model against MuJoCo 4.0.0, including sensors of the solver's forces.

use crate::common::backends::{on, on_every_backend};
use crate::common::{Golden, error};
use manyworlds::batch::Backend;
use manyworlds::fields::View;
use manyworlds::types::{DSBL_SENSOR, GeomType, Integrator, NeedStage, SensorType};
use manyworlds::{Batch, Model};

const MODELS: &[&str] = &[
    "sensors",
    "touch",
    "touch_elliptic",
    "rays",
    "distances",
    "lands",
    "tactile",
    "sticky",
    "sticky_elliptic",
];

/// Tolerance of the sensors of each stage; the accuracy of forces is the solver's.
const TOLERANCE: [(NeedStage, f64); 3] = [
    (NeedStage::Pos, 1e-10),
    (NeedStage::Vel, 1e-10),
    (NeedStage::Acc, 1e-7),
];

#[test]
fn every_sensor_agrees() {
    let mut wrong = Vec::new();
    for name in MODELS {
        let golden = Golden::open(&format!("tests/golden/{name}.npz"));
        let mut m = golden.model();
        Golden::tighten(&mut m);
        for k in 0..golden.nstate() {
            let mut d = golden.world(&m, k);
            manyworlds::cpu::forward(&m, &mut d);
            let want = golden.state("out/sensordata", k);
            for i in 0..m.nsensor {
                let adr = m.sensor_adr[i] as usize;
                let at = adr..adr + m.sensor_dim[i] as usize;
                let e = error(&d.sensordata[at.clone()], &want[at.clone()]);
                let stage = |(stage, _): &&(NeedStage, f64)| m.sensor_needstage[i] == *stage;
                let (_, tolerance) = TOLERANCE.iter().find(stage).unwrap();
                if e > *tolerance {
                    let kind = SensorType::from_i32(m.sensor_type[i]).unwrap();
                    let (have, want) = (&d.sensordata[at.clone()], &want[at]);
                    wrong.push(format!(
                        "{name} state {k} sensor {i} {kind:?}: {e:.1e}: {have:?} {want:?}"
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

// the last bits of frames may change the steps of a hill climb over a hull; with MuJoCo's own frames the result is MuJoCo's
#[test]
fn how_far_solids_jut_out_is_mujocos() {
    let golden = Golden::open("tests/golden/enclosed.npz");
    let m = golden.model();
    for k in 0..golden.nstate() {
        let mut d = golden.world(&m, k);
        for (name, x) in [
            ("geom_xpos", d.geom_xpos.as_flattened_mut()),
            ("geom_xmat", d.geom_xmat.as_flattened_mut()),
            ("site_xpos", d.site_xpos.as_flattened_mut()),
            ("site_xmat", d.site_xmat.as_flattened_mut()),
        ] {
            x.copy_from_slice(golden.state(&format!("out/{name}"), k));
        }
        manyworlds::cpu::sensor_pos::sensor_pos(&m, &mut d);
        let want = golden.state("out/sensordata", k);
        for (i, (have, want)) in d.sensordata.iter().zip(want).enumerate() {
            // the frame of a mesh's hull is computed from its site's, and its last bits differ from MuJoCo's
            let site = m.sensor_refid[i] as usize;
            let of_mesh = m.site_type[site] == GeomType::Mesh;
            let tolerance = if of_mesh { m.opt.ccd_tolerance } else { 1e-10 };
            let e = (have - want).abs();
            assert!(e < tolerance, "state {k} sensor {i}: {have} {want}");
        }
    }
}

#[test]
fn tactile_sensors_compile_to_mujocos_numbers() {
    let m = Model::from_xml_path("tests/golden/tactile.xml").unwrap();
    let want = Golden::open("tests/golden/tactile.npz").model();
    for name in [
        "mesh_normaladr",
        "mesh_normalnum",
        "mesh_normal",
        "mesh_vert",
        "sensor_type",
        "sensor_datatype",
        "sensor_needstage",
        "sensor_objtype",
        "sensor_objid",
        "sensor_reftype",
        "sensor_refid",
        "sensor_dim",
        "sensor_intprm",
        "sensor_cutoff",
    ] {
        match (m.field(name), want.field(name)) {
            (Some(View::Real(have)), Some(View::Real(want))) => {
                let e = error(have, want);
                assert!(!want.is_empty() && e < 1e-6, "{name} is off by {e:e}");
            }
            (have, want) => assert_eq!(have, want, "{name}"),
        }
    }
}

// a ball in a ball, its body in a box, the body's subtree in a cylinder; -0.1: a clearance of a tenth of a metre
fn what_is_enclosed_has_room_around_it(backend: Backend) {
    let text = r#"<mujoco><worldbody>
        <site name="ball" size=".4"/><site name="box" type="box" size=".2 .3 .3"/>
        <site name="tin" type="cylinder" size=".6 .25"/>
        <body name="a" pos=".2 0 0"><freejoint/><geom name="g" size=".1"/>
          <body pos="0 .1 0"><joint/><geom type="box" size=".1 .1 .2"/></body></body></worldbody>
        <sensor><insidesite site="ball" objtype="geom" objname="g" enclosed="true"/>
          <insidesite site="box" objtype="body" objname="a" enclosed="true"/>
          <insidesite site="tin" objtype="xbody" objname="a" enclosed="true"/></sensor></mujoco>"#;
    let m = Model::from_xml_str(text).unwrap();
    let mut batch = Batch::with(&m, 3, on(backend)).unwrap();
    batch.forward().unwrap();
    let data = batch.reals("sensordata").unwrap();
    for (have, want) in data.iter().zip([-0.1, 0.1, -0.05].iter().cycle()) {
        assert!((have - want).abs() < 1e-5, "{backend:?}: {data:?}");
    }
}

on_every_backend!(what_is_enclosed_has_room_around_it);

#[test]
fn sensors_that_are_off_say_nothing() {
    let golden = Golden::open("tests/golden/sensors.npz");
    let mut m = golden.model();
    m.edit(|m| m.opt.disableflags |= DSBL_SENSOR).unwrap();
    let mut d = golden.world(&m, 3);
    manyworlds::cpu::forward(&m, &mut d);
    assert!(d.sensordata.iter().all(|x| *x == 0.0));
    m.edit(|m| m.opt.disableflags &= !DSBL_SENSOR).unwrap();
    manyworlds::cpu::forward(&m, &mut d);
    assert!(d.sensordata.iter().any(|x| *x != 0.0));
}

// the later evaluations of an RK4 step do not update sensors
#[test]
fn a_step_senses_where_it_begins() {
    let golden = Golden::open("tests/golden/sensors.npz");
    for integrator in [Integrator::Euler, Integrator::Rk4, Integrator::ImplicitFast] {
        let mut m = golden.model();
        m.edit(|m| m.opt.integrator = integrator as i32).unwrap();
        let (mut still, mut moved) = (golden.world(&m, 3), golden.world(&m, 3));
        manyworlds::cpu::forward(&m, &mut still);
        manyworlds::cpu::step(&m, &mut moved);
        assert_eq!(still.sensordata, moved.sensordata, "{integrator:?}");
        assert_ne!(still.qpos, moved.qpos);
    }
}
