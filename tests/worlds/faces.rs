//! Polygons in which meshes touch, on every backend.

use crate::common::backends::{on_every_backend, worlds};
use manyworlds::Model;
use manyworlds::batch::Backend;

on_every_backend!(two_corners_share_two_polygons);

// a box lies askew on a cube
const SCENE: &str = r#"<mujoco><asset><mesh name="cube"
    vertex="-1 -1 -1  1 -1 -1  -1 1 -1  1 1 -1  -1 -1 1  1 -1 1  -1 1 1  1 1 1"/></asset><worldbody>
  <geom type="mesh" mesh="cube"/>
  <body pos="0.1 0.05 1.29" quat="1 0.003 0.002 0.1"><freejoint/><geom type="box" size="0.4 0.5 0.3"/></body>
</worldbody></mujoco>"#;

// where all corners of the cube's upper side are said to have three polygons in common, the upper side and two others
fn cube(polygons: impl Fn(i32) -> [i32; 3]) -> Model {
    let mut m = Model::from_xml_str(SCENE).unwrap().into_arrays();
    let top = m.mesh_polynormal.iter().position(|normal| normal[2] > 0.9);
    let top = top.unwrap();
    let at = m.mesh_polyvertadr[top] as usize;
    let polygons = polygons(top as i32);
    for k in 0..m.mesh_polyvertnum[top] as usize {
        let corner = m.mesh_polyvert[at + k] as usize;
        let adr = m.mesh_polymapadr[corner] as usize;
        m.mesh_polymap[adr..adr + 3].copy_from_slice(&polygons);
    }
    Model::from_arrays(m).unwrap()
}

// MuJoCo looks at the first two polygons that two corners share, and takes the first of these that a third one has too
fn two_corners_share_two_polygons(backend: Backend) {
    let sides = |top: i32| [(top + 1) % 6, (top + 2) % 6];
    let orders: [fn(i32, [i32; 2]) -> [i32; 3]; 3] = [
        |top, [a, b]| [top, a, b],
        |top, [a, b]| [a, top, b],
        |top, [a, b]| [a, b, top],
    ];
    let contacts = orders.map(|order| {
        let m = cube(|top| order(top, sides(top)));
        let mut batch = worlds(&m, 1, backend);
        batch.forward().unwrap();
        batch.ints("ncon").unwrap()[0]
    });
    assert_eq!(contacts, [4, 1, 1], "{backend:?}");
}
