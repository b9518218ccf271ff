//! Shapes by a signed distance of the user's own, on every backend: the cores call closures, a device runs texts.

use crate::common::backends::{by_precision, on, on_every_backend, worlds};
use manyworlds::batch::Backend;
use manyworlds::compile::compile;
use manyworlds::mjcf::{Files, Limits, Spec};
use manyworlds::user::surface;
use manyworlds::{Batch, Error, Model};

on_every_backend!(
    a_function_as_a_plugins_is_touched_and_seen_alike,
    what_is_missing_is_told,
);

// radii of a ring (m)
const RING: [f64; 2] = [0.3, 0.1];

fn ring([x, y, z]: [f64; 3]) -> f64 {
    let across = (x * x + y * y).sqrt() - RING[0];
    (across * across + z * z).sqrt() - RING[1]
}

const RING_TEXT: &str = "fn distance(point: vec3f) -> vec4f {
    let across = length(point.xy);
    let out = vec2f(across - 0.3, point.z);
    let slope = normalize(out);
    return vec4f(slope.x * point.xy / across, slope.y, length(out) - 0.1);
}";

// a ring that lies askew, two balls that touch it, and a ray that sees it
fn scene(extension: &str, mesh: &str, geom: &str) -> Model {
    let xml = format!(
        r#"<mujoco><option timestep="0.005" sdf_initpoints="20"/>{extension}
        <asset><mesh name="ring" {mesh}</asset><worldbody>
          <frame pos="0.1 0.2 0.3" euler="20 30 40">
            <geom type="sdf" mesh="ring" {geom}</geom>
            <body pos="0.3 0 0.19"><freejoint/><geom size="0.1"/></body>
            <body pos="0 -0.3 -0.195"><freejoint/><geom size="0.1"/></body>
          </frame>
          <body pos="0.1 0.45 1.5"><site name="eye" euler="180 0 0"/></body>
        </worldbody><sensor><rangefinder site="eye"/></sensor></mujoco>"#
    );
    let obj = surface([RING[0] + RING[1], RING[0] + RING[1], RING[1]], ring).unwrap();
    let files = Files::memory([("ring.obj".to_owned(), obj.into_bytes())]);
    let spec = Spec::from_text(&xml, files, &Limits::default()).unwrap_or_else(|e| panic!("{e}"));
    compile(&spec).unwrap_or_else(|e| panic!("{e}"))
}

// the ring by MuJoCo's plugin
fn by_plugin() -> Model {
    let plugin = r#"><plugin plugin="mujoco.sdf.torus"><config key="radius1" value="0.3"/><config key="radius2" value="0.1"/></plugin>"#;
    let mesh = format!("{plugin}</mesh>");
    let declared = r#"<extension><plugin plugin="mujoco.sdf.torus"/></extension>"#;
    scene(declared, &mesh, plugin)
}

// the ring by its mesh
fn by_mesh() -> Model {
    scene("", r#"file="ring.obj"/>"#, ">")
}

fn by_function() -> Model {
    let mut m = by_mesh();
    m.bind_sdf("ring", ring).unwrap();
    m.bind_sdf_wgsl("ring", RING_TEXT)
        .unwrap_or_else(|e| panic!("{e}"));
    m
}

fn a_function_as_a_plugins_is_touched_and_seen_alike(backend: Backend) {
    // the deepest contact of each ball, and how far the ray goes; others than a function's on the reference alone
    let told = |m: &Model, backend: Backend| {
        let mut batch = worlds(m, 3, backend);
        batch.forward().unwrap();
        let num = batch.ints("ncon").unwrap()[0] as usize;
        let pair = batch.ints("contact_collision").unwrap()[..num].to_vec();
        let dist = batch.reals("contact_dist").unwrap()[..num].to_vec();
        let deepest = |k: i32| {
            let own = pair.iter().zip(&dist).filter(|(of, _)| **of == k);
            own.map(|(_, dist)| *dist).fold(1.0, f64::min)
        };
        let mut kinds = pair.clone();
        kinds.dedup();
        let seen = batch.reals("sensordata").unwrap()[0];
        [kinds.into_iter().map(deepest).collect(), vec![seen]].concat()
    };
    let [want, coarse] = [by_plugin(), by_mesh()].map(|m| told(&m, Backend::Cpu));
    let have = told(&by_function(), backend);
    assert!(
        want.len() == 3 && have.len() == 3,
        "{backend:?}: {want:?}, {have:?}"
    );
    let far = |a: &[f64]| {
        let pairs = a.iter().zip(&want);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    // the descent of a plugin's ring has slopes by its formula, and not by differences
    let tolerance = by_precision(backend, 1e-5, 1e-4);
    assert!(far(&have) < tolerance, "{backend:?}: {have:?}, {want:?}");
    // samples of the mesh are coarser
    assert!(
        far(&coarse) > 4.0 * tolerance,
        "{backend:?}: {coarse:?}, {want:?}"
    );
}

fn what_is_missing_is_told(backend: Backend) {
    let refused = |m: &Model| match Batch::with(m, 2, on(backend)) {
        Err(e) => e.to_string(),
        Ok(_) => panic!("{backend:?}"),
    };
    let mut m = by_mesh();
    match backend {
        Backend::Gpu => m.bind_sdf("ring", ring).unwrap(),
        _ => m.bind_sdf_wgsl("ring", RING_TEXT).unwrap(),
    }
    let told = refused(&m);
    assert!(
        told.contains("for distances of the mesh \"ring\"") && told.contains("Model::bind_sdf"),
        "{told}"
    );
    m.unbind().unwrap();
    assert!(Batch::with(&m, 2, on(backend)).is_ok(), "{backend:?}");
}

#[test]
fn a_wrong_mesh_text_or_box_is_told() {
    let mut m = by_mesh();
    let e = m.bind_sdf("rung", ring).unwrap_err();
    assert!(
        matches!(&e, Error::Input(msg) if msg.contains("none of that name")),
        "{e}"
    );
    let e = by_plugin().bind_sdf("ring", ring).unwrap_err().to_string();
    assert!(e.contains("a plugin gives its shape"), "{e}");
    for (text, what) in [
        (
            "fn distance(p: vec3f) -> f32 { return 0.0; }",
            "it has to be `fn distance",
        ),
        (
            "fn distance(p: vec3f) -> vec4f { return vec4f(qpos(0)); }",
            "only its arguments and constants",
        ),
        (
            "fn distance(p: vec3f) -> vec4f { return level(1.0); }",
            "only its arguments and constants",
        ),
    ] {
        let e = m.bind_sdf_wgsl("ring", text).unwrap_err().to_string();
        assert!(e.contains(what), "{e}");
    }
    for (half, what) in [
        ([0.4, -0.4, 0.1], "positive"),
        ([0.4, f64::NAN, 0.1], "positive"),
        ([0.1; 3], "no surface"),
        ([1.0, 1.0, 1e-6], "too flat"),
    ] {
        let e = surface(half, ring).unwrap_err().to_string();
        assert!(e.contains(what), "{e}");
    }
}
