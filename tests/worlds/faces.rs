//! Polygons in which meshes touch, on every backend.

use crate::common::backends::{on_every_backend, worlds};
use manyworlds::Model;
use manyworlds::batch::Backend;

on_every_backend!(two_corners_share_two_polygons);

// a box lies askew on the upper side of a tetrahedron
const SCENE: &str = r#"<mujoco>
  <asset><mesh name="tetrahedron" vertex="-1 -1 0  1 -1 0  0 1 0  0 -0.3 -1"/></asset>
  <worldbody>
    <geom type="mesh" mesh="tetrahedron"/>
    <body pos="0 -0.3 0.07" quat="1 0.02 -0.013 0.3"><freejoint/><geom type="box" size="0.2 0.3 0.1"/></body>
  </worldbody>
</mujoco>"#;

// the tip of the tetrahedron
const TIP: i32 = 3;

// all corners of the upper side are said to have the same three polygons: two others, and in this place the upper side
fn tetrahedron(place: usize) -> Model {
    let mut m = Model::from_xml_str(SCENE).unwrap().into_arrays();
    let corners = |m: &manyworlds::fields::Arrays, k: usize| {
        let adr = m.mesh_polyvertadr[k] as usize;
        m.mesh_polyvert[adr..adr + m.mesh_polyvertnum[k] as usize].to_vec()
    };
    let top = (0..4).find(|&k| !corners(&m, k).contains(&TIP)).unwrap();
    let mut polygons = [(top + 1) % 4, (top + 2) % 4, top].map(|k| k as i32);
    polygons[place..].rotate_right(1);
    for corner in corners(&m, top) {
        let adr = m.mesh_polymapadr[corner as usize] as usize;
        m.mesh_polymap[adr..adr + 3].copy_from_slice(&polygons);
    }
    Model::from_arrays(m).unwrap()
}

// MuJoCo looks at the first two polygons that two corners share, and takes the first of these that a third one has too
fn two_corners_share_two_polygons(backend: Backend) {
    let contacts = [0, 1, 2].map(|place| {
        let mut batch = worlds(&tetrahedron(place), 1, backend);
        batch.forward().unwrap();
        batch.ints("ncon").unwrap()[0]
    });
    assert_eq!(contacts, [4, 1, 1], "{backend:?}");
}
