//! Goldens of signed distance fields (`tests/golden/make_sdf.py`), and worlds in given poses.

use manyworlds::gpu::verify::{round_data, round_model, up_to};
use manyworlds::stages::Stage;
use manyworlds::{Data, Model};

use crate::common::Golden;

/// A pair of geoms of the goldens.
pub struct Pair<'a> {
    pub name: &'a str,
    pub xml: &'a str,
    /// Its number in its file, and whether a geom is a mesh: these have a file of their own.
    pub number: usize,
    pub of_mesh: bool,
    pub golden: &'a Golden,
}

impl Pair<'_> {
    /// The poses of both geoms, one after the other.
    pub fn poses(&self) -> &[f64] {
        let array = if self.of_mesh { "mesh_qpos" } else { "qpos" };
        self.golden
            .get(&format!("{array}/{}", self.number))
            .unwrap()
    }
}

/// Visits the pairs with these names.
pub fn for_pairs(names: &[&str], visit: &mut dyn FnMut(&Pair)) {
    let golden = Golden::open("tests/golden/sdf.npz");
    let pairs = include_str!("../golden/sdf_pairs.txt");
    let meshes = include_str!("../golden/sdf_meshes.txt");
    for (text, of_mesh) in [(pairs, false), (meshes, true)] {
        let lines: Vec<&str> = text.lines().collect();
        for (number, lines) in lines.chunks_exact(2).enumerate() {
            let pair = Pair {
                name: lines[0].trim_start_matches("=== "),
                xml: lines[1],
                number,
                of_mesh,
                golden: &golden,
            };
            if names.contains(&pair.name) {
                visit(&pair);
            }
        }
    }
}

/// A model and its worlds in some poses before a stage.
pub fn posed(xml: &str, poses: &[f64], stage: &'static Stage) -> (Model, Vec<Data>) {
    let mut m = Model::from_xml_str(xml).unwrap();
    round_model(&mut m);
    let at = |qpos: &[f64]| {
        let mut d = Data::new(&m);
        d.qpos.copy_from_slice(qpos);
        round_data(&mut d);
        d
    };
    let mut worlds: Vec<Data> = poses.chunks_exact(m.nq).map(at).collect();
    up_to(&m, stage, 0, &mut worlds);
    (m, worlds)
}
