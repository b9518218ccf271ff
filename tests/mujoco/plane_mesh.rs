//! Contact corners of a mesh on a plane, compared with MuJoCo 4.0.0's, on every backend.

use manyworlds::batch::{Backend, Settings};
use manyworlds::{Batch, Model};

/// An irregular prism with seven sides, tilted and 1 cm deep in a plane.
const PRISM: &str = r#"<mujoco><asset><mesh name="prism" vertex="
    .09 .04 -.05  -.09 .03 -.05  -.1 .01 -.05  -.03 -.07 -.05  .02 -.07 -.05  .07 -.05 -.05  .1 0 -.05
    .05 .03 .05  -.05 .02 .05  -.06 0 .05  -.02 -.05 .05  .01 -.05 .05  .04 -.03 .05  .06 0 .05"/></asset>
  <worldbody><geom type="plane" size="5 5 1"/>
    <body><freejoint/><geom type="mesh" mesh="prism"/></body></worldbody></mujoco>"#;
const STATE: [f64; 7] = [0.0, 0.0, 0.041, 1.0, 0.004, 0.003, 0.0];

/// MuJoCo's contacts: the lowest corner first, then three that span a large area with it, though not the largest possible.
const CONTACTS: [[f64; 4]; 4] = [
    [
        -0.009817480645,
        0.069697548253,
        -0.049596729221,
        -0.004908740323,
    ],
    [
        -0.009677484380,
        0.019697967358,
        -0.069597290457,
        -0.004838742190,
    ],
    [
        -0.009377492472,
        -0.030301132877,
        -0.069598489174,
        -0.004688746236,
    ],
    [
        -0.008217520818,
        -0.090297656813,
        0.030396867889,
        -0.004108760409,
    ],
];

fn on(backend: Backend, tolerance: f64) {
    let m = Model::from_xml_str(PRISM).unwrap();
    let settings = Settings::default().backend(backend);
    let mut batch = Batch::with(&m, 3, settings).unwrap();
    batch.set("qpos", &STATE.repeat(3)).unwrap();
    batch.forward().unwrap();
    assert_eq!(batch.ints("ncon").unwrap(), [4; 3]);
    let dist = batch.reals("contact_dist").unwrap().to_vec();
    let pos = batch.reals("contact_pos").unwrap().to_vec();
    let room = dist.len() / 3;
    for w in 0..3 {
        for (k, want) in CONTACTS.iter().enumerate() {
            let slot = w * room + k;
            let have = [
                dist[slot],
                pos[3 * slot],
                pos[3 * slot + 1],
                pos[3 * slot + 2],
            ];
            let off = have.iter().zip(want).map(|(a, b)| (a - b).abs());
            let off = off.fold(0.0, f64::max);
            assert!(
                off < tolerance,
                "{backend:?}, world {w}, contact {k}: {have:?}, not {want:?}"
            );
        }
    }
}

#[test]
fn a_mesh_stands_on_mujocos_corners() {
    on(Backend::Cpu, 1e-9);
    on(Backend::Simd, 1e-6);
    on(Backend::Gpu, 1e-6);
}
