//! Goldens made by MuJoCo 4.0.0, for several tests.
#![allow(dead_code, reason = "each test binary uses a part")]

pub mod backends;
pub mod cold;
pub mod program;
pub mod solver;
pub mod tile;

use std::collections::BTreeMap;

use manyworlds::compile::Parts;
use manyworlds::fields::{View, ViewMut};
use manyworlds::types::JointType;
use manyworlds::{Batch, Data, Model};
use serde_json::Value;

/// The arrays of reals in a JSON object, by name.
pub fn numbers(values: &Value) -> BTreeMap<&str, Vec<f64>> {
    let row = |values: &Value| {
        let all = values.as_array().unwrap().iter();
        all.map(|x| x.as_f64().unwrap()).collect()
    };
    let all = values.as_object().unwrap().iter();
    all.map(|(name, values)| (name.as_str(), row(values)))
        .collect()
}

/// The arrays of one golden (see `tests/golden/make.py`), flat, with their shapes.
pub struct Golden {
    pub arrays: BTreeMap<String, (Vec<usize>, Vec<f64>)>,
}

impl Golden {
    pub fn open(path: &str) -> Golden {
        let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{path}: {e}"));
        let mut npz = zip::ZipArchive::new(std::io::BufReader::new(file)).unwrap();
        let mut arrays = BTreeMap::new();
        for k in 0..npz.len() {
            let entry = npz.by_index(k).unwrap();
            let name = entry.name().unwrap().trim_end_matches(".npy").to_owned();
            let array = npyz::NpyFile::new(entry).unwrap();
            let shape = array.shape().iter().map(|&n| n as usize).collect();
            let data = match array.dtype().num_bytes() {
                Some(4) => array
                    .into_vec::<i32>()
                    .unwrap()
                    .into_iter()
                    .map(f64::from)
                    .collect(),
                _ => array.into_vec::<f64>().unwrap(),
            };
            arrays.insert(name, (shape, data));
        }
        Golden { arrays }
    }

    pub fn get(&self, name: &str) -> Option<&[f64]> {
        self.arrays.get(name).map(|(_, data)| data.as_slice())
    }

    /// Number of states.
    pub fn nstate(&self) -> usize {
        let (shape, _) = self
            .arrays
            .iter()
            .find_map(|(name, array)| name.starts_with("in/").then_some(array))
            .expect("states");
        shape[0]
    }

    /// Row `k` of an array that has one row for each state.
    pub fn state(&self, name: &str, k: usize) -> &[f64] {
        let (shape, data) = self.arrays.get(name).unwrap_or_else(|| panic!("no {name}"));
        let n = data.len() / shape[0].max(1);
        &data[k * n..(k + 1) * n]
    }

    /// The model as MuJoCo compiled it, with this crate's own fields derived from it.
    pub fn model(&self) -> Model {
        let named = |start: &'static str| {
            let arrays = self.arrays.iter();
            arrays.filter_map(move |(name, (_, x))| Some((name.strip_prefix(start)?.to_owned(), x)))
        };
        let mut parts = Parts::default();
        let sizes = named("size/").map(|(name, x)| (name, x[0] as usize));
        parts.sizes = sizes.collect();
        parts.fields = named("model/").map(|(name, x)| (name, x.clone())).collect();
        parts.options = named("opt/").map(|(name, x)| (name, x.clone())).collect();
        parts.stat.meaninertia = self.get("stat/meaninertia").unwrap()[0];
        // goldens of the solvers have no materials, only the ids of geoms' materials
        let last = self.get("model/geom_matid").into_iter().flatten();
        let known = parts.sizes.get("nmat").copied().unwrap_or_default();
        let nmat = last.fold(known, |n, &id| n.max((id + 1.0) as usize));
        parts.sizes.insert("nmat".to_owned(), nmat);
        if parts
            .fields
            .get("mat_rgba")
            .is_some_and(|x| x.len() != 4 * nmat)
        {
            parts.fields.remove("mat_rgba");
        }
        parts.model().unwrap_or_else(|e| panic!("{e}"))
    }

    /// Sets the solver settings that the goldens were made with.
    pub fn tighten(m: &mut Model) {
        m.edit(|m| {
            m.opt.tolerance = 1e-15;
            m.opt.ls_tolerance = 1e-6;
            m.opt.ls_iterations = 100;
            m.opt.iterations = [5000, 3000, 200][m.opt.solver as usize];
        })
        .unwrap();
    }

    /// A world in state `k`.
    pub fn world(&self, m: &Model, k: usize) -> Data {
        let mut d = Data::new(m);
        for name in self
            .arrays
            .keys()
            .filter_map(|name| name.strip_prefix("in/"))
        {
            let from = self.state(&format!("in/{name}"), k);
            match d.field_mut(name).unwrap() {
                ViewMut::Int(to) => to
                    .iter_mut()
                    .zip(from)
                    .for_each(|(to, from)| *to = *from as i32),
                ViewMut::Real(to) => to.copy_from_slice(from),
            }
        }
        d
    }
}

/// Largest error of an array, relative to `1 + max|expected|`.
pub fn error(have: &[f64], want: &[f64]) -> f64 {
    assert_eq!(have.len(), want.len());
    let scale = 1.0 + want.iter().fold(0.0f64, |s, x| s.max(x.abs()));
    have.iter().zip(want).fold(0.0, |e, (a, b)| {
        let diff = (a - b).abs() / scale;
        if diff.is_nan() {
            f64::INFINITY
        } else {
            f64::max(e, diff)
        }
    })
}

/// A field of a world as reals.
pub fn reals(d: &Data, name: &str) -> Vec<f64> {
    match d.field(name).unwrap_or_else(|| panic!("no {name}")) {
        View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
        View::Real(x) => x.to_vec(),
    }
}

/// Puts MuJoCo's contacts into their slots.
pub fn put_contacts(golden: &Golden, m: &Model, d: &mut Data, k: usize) {
    let geoms = golden.state("out/contact_geom", k);
    let rows = golden.state("out/contact_frame", k).chunks_exact(9);
    let num = rows
        .take_while(|frame| frame.iter().any(|&x| x != 0.0))
        .count();
    d.ncon[0] = num as i32;
    for c in 0..num {
        let pair = [geoms[2 * c] as i32, geoms[2 * c + 1] as i32];
        let of = |i: usize| [m.collision_geom1[i], m.collision_geom2[i]];
        let i = (0..m.ncollision)
            .find(|&i| of(i) == pair)
            .expect("the pair is in the list");
        d.contact_collision[c] = i as i32;
        d.contact_dist[c] = golden.state("out/contact_dist", k)[c];
        d.contact_pos[c].copy_from_slice(&golden.state("out/contact_pos", k)[3 * c..][..3]);
        d.contact_frame[c].copy_from_slice(&golden.state("out/contact_frame", k)[9 * c..][..9]);
    }
}

/// Sets the initial velocities and controls of `tests/golden/make_edit.py` for the model `edit.xml`, in all worlds.
pub fn start_edited(batch: &mut Batch, m: &Model) {
    let mut qvel: Vec<f64> = (0..m.nv).map(|i| 0.3 * (1.0 + i as f64).sin()).collect();
    for j in (0..m.njnt).filter(|&j| m.jnt_type[j] == JointType::Free) {
        let adr = m.jnt_dofadr[j] as usize;
        qvel[adr..adr + 6].copy_from_slice(&[0.3, 0.1, -0.1, 0.2, 0.1, 0.3]);
    }
    batch.set("qvel", &qvel).unwrap();
    batch.set("ctrl", &[0.4, 0.3, -0.5, 0.6]).unwrap();
}
