//! Contacts found by functions of the user's own (`mjCOLLISIONFUNC`), on every backend: the cores call closures, a device runs texts.

use crate::common::backends::{BACKENDS, by_precision, on, on_every_backend, worlds};
use manyworlds::batch::{Backend, Overflow};
use manyworlds::types::{GeomType, MAXCONPAIR};
use manyworlds::user::{Touch, World};
use manyworlds::{Batch, Error, Model};

on_every_backend!(
    a_function_as_mujocos_finds_the_same_contacts,
    only_pairs_of_its_types_are_a_functions,
    a_pair_has_fifty_contacts_at_most,
    what_is_missing_is_told,
);

// two balls and a capsule fall on an inclined floor and on each other
const SCENE: &str = r#"<mujoco><option timestep="0.005"/><worldbody>
  <geom type="plane" size="3 3 1" euler="0 5 0"/>
  <body pos="0 0 0.095"><freejoint/><geom size="0.1"/></body>
  <body pos="0.05 0 0.4"><freejoint/><geom size="0.1"/></body>
  <body pos="-0.4 0 0.15"><freejoint/><geom type="capsule" size="0.05 0.1" euler="0 80 0"/></body>
</worldbody></mujoco>"#;

fn scene() -> Model {
    Model::from_xml_str(SCENE).unwrap_or_else(|e| panic!("{e}"))
}

// a plane that is `swell` thicker than it is, and a ball
fn floor(swell: f64) -> impl Fn(&World<'_>, [usize; 2], f64) -> Vec<Touch> + Send + Sync {
    move |world, [plane, ball], distance| {
        let (pos, mat) = (world.reals("geom_xpos"), world.reals("geom_xmat"));
        let (pos, mat) = (pos.unwrap(), mat.unwrap());
        let radius = world.model().geom_size[ball][0];
        let normal = [2, 5, 8].map(|k| mat[9 * plane + k]);
        let height: f64 = (0..3)
            .map(|k| normal[k] * (pos[3 * ball + k] - pos[3 * plane + k]))
            .sum();
        let dist = height - radius - swell;
        let at = |k: usize| pos[3 * ball + k] - normal[k] * (radius + 0.5 * dist);
        let touch = Touch {
            dist,
            pos: [at(0), at(1), at(2)],
            normal,
        };
        (dist < distance).then_some(touch).into_iter().collect()
    }
}

fn floor_text(swell: f64) -> String {
    format!(
        "fn collide(plane: i32, ball: i32, distance: f32) {{
            let normal = geom_xmat(plane)[2];
            let radius = geom_size(ball).x;
            let dist = dot(normal, geom_xpos(ball) - geom_xpos(plane)) - radius - {swell:?};
            if (dist < distance) {{
                add_contact(dist, geom_xpos(ball) - normal * (radius + 0.5 * dist), normal);
            }}
        }}"
    )
}

fn with_floor(swell: f64) -> Model {
    let mut m = scene();
    // the order of the types does not matter
    m.bind_collision(GeomType::Sphere, GeomType::Plane, floor(swell))
        .unwrap();
    m.bind_collision_wgsl(GeomType::Plane, GeomType::Sphere, &floor_text(swell))
        .unwrap_or_else(|e| panic!("{e}"));
    m
}

fn a_function_as_mujocos_finds_the_same_contacts(backend: Backend) {
    let mut all = [scene(), with_floor(0.0)].map(|m| worlds(&m, 3, backend));
    for _ in 0..10 {
        let [want, have] = all.each_mut().map(|batch| {
            batch.step(10).unwrap();
            let state = batch.reals("qpos").unwrap().to_vec();
            (state, batch.ints("ncon").unwrap().to_vec())
        });
        assert_eq!(have.1, want.1, "{backend:?}");
        let tolerance = by_precision(backend, 1e-10, 1e-4);
        for (have, want) in have.0.iter().zip(&want.0) {
            assert!(
                (have - want).abs() < tolerance,
                "{backend:?}: {have}, {want}"
            );
        }
    }
    // they did touch
    assert!(all[1].ints("ncon").unwrap()[0] >= 3, "{backend:?}");
}

fn only_pairs_of_its_types_are_a_functions(backend: Backend) {
    let dist = |m: &Model| {
        let mut batch = worlds(m, 1, backend);
        batch.forward().unwrap();
        let ncon = batch.ints("ncon").unwrap()[0] as usize;
        batch.reals("contact_dist").unwrap()[..ncon].to_vec()
    };
    let mut m = with_floor(0.1);
    let (plain, swollen) = (dist(&scene()), dist(&m));
    // the upper ball is not near, and the capsule is no ball
    assert!(!plain.is_empty(), "{backend:?}");
    assert!(
        (swollen[0] - plain[0] + 0.1).abs() < 1e-6,
        "{backend:?}: {swollen:?}"
    );
    assert_eq!(swollen[1..], plain[1..], "{backend:?}");
    // a function that finds nothing turns the collider of its types off
    let types = [GeomType::Plane, GeomType::Sphere];
    m.bind_collision(types[0], types[1], |_, _, _| Vec::new())
        .unwrap();
    let none = "fn collide(plane: i32, ball: i32, distance: f32) {}";
    m.bind_collision_wgsl(types[0], types[1], none).unwrap();
    assert_eq!(dist(&m), plain[1..], "{backend:?}");
    m.unbind().unwrap();
    assert_eq!(dist(&m), plain, "{backend:?}");
}

fn a_pair_has_fifty_contacts_at_most(backend: Backend) {
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1" condim="1"/>
        <body pos="0 0 0.095"><joint type="slide" axis="0 0 1"/><geom size="0.1" condim="1"/></body></worldbody></mujoco>"#;
    let mut m = Model::from_xml_str(text).unwrap();
    m.bind_collision(GeomType::Plane, GeomType::Sphere, |_, _, _| {
        let touch = |k: i32| Touch {
            dist: -0.001,
            pos: [0.01 * f64::from(k), 0.0, 0.0],
            normal: [0.0, 0.0, 2.0],
        };
        (0..60).map(touch).collect()
    })
    .unwrap();
    let text = "fn collide(a: i32, b: i32, distance: f32) {
        for (var k = 0; k < 60; k++) {
            add_contact(-0.001, vec3f(0.01 * f32(k), 0.0, 0.0), vec3f(0.0, 0.0, 2.0));
        }
    }";
    m.bind_collision_wgsl(GeomType::Plane, GeomType::Sphere, text)
        .unwrap();
    let mut batch = Batch::with(&m, 1, on(backend).overflow(Overflow::Grow)).unwrap();
    batch.forward().unwrap();
    let ncon = batch.ints("ncon").unwrap()[0] as usize;
    assert_eq!(ncon, MAXCONPAIR, "{backend:?}");
    let pos = batch.reals("contact_pos").unwrap();
    assert!((pos[3 * 49] - 0.49).abs() < 1e-6, "{backend:?}: {pos:?}");
}

fn what_is_missing_is_told(backend: Backend) {
    let mut m = scene();
    let told = match backend {
        Backend::Gpu => {
            m.bind_collision(GeomType::Plane, GeomType::Sphere, floor(0.0))
                .unwrap();
            "Model::bind_collision_wgsl"
        }
        _ => {
            m.bind_collision_wgsl(GeomType::Plane, GeomType::Sphere, &floor_text(0.0))
                .unwrap();
            "give a closure by Model::bind_collision"
        }
    };
    let refused = Batch::with(&m, 1, on(backend)).unwrap_err().to_string();
    assert!(refused.contains(told), "{backend:?}: {refused}");
    assert!(
        refused.contains("contacts of Plane and Sphere"),
        "{refused}"
    );
}

#[test]
fn what_cannot_be_bound_is_told() {
    let mut m = scene();
    let none = m.bind_collision(GeomType::Box, GeomType::None, floor(0.0));
    assert!(matches!(none, Err(Error::Input(msg)) if msg.contains("None")));
    let faults = [
        ("fn collide() {}", "`fn collide(i1: i32, i2: i32, f3: f32)`"),
        (
            "fn collide(a: i32, b: i32, d: f32) { put_contact(0, 0, 0); }",
            ":1:38: put_contact is not allowed",
        ),
        (
            "fn collide(a: i32, b: i32, d: f32) { set_qpos(0, 1.0); }",
            ":1:38: set_qpos: this function may not set arrays",
        ),
    ];
    for (text, told) in faults {
        let fault = m.bind_collision_wgsl(GeomType::Box, GeomType::Box, text);
        let fault = fault.unwrap_err().to_string();
        assert!(fault.contains(told), "{fault}");
    }
    // the model is as it was
    for backend in BACKENDS {
        worlds(&m, 1, backend).forward().unwrap();
    }
}
