//! Every array that can be read, on every backend against the reference, world by world.

use crate::common::error;
use manyworlds::batch::{Backend, Settings, To};
use manyworlds::fields::{FIELDS, Field, Room, View};
use manyworlds::types::{ENBL_ENERGY, ENBL_FWDINV, ENBL_RNEPOST};
use manyworlds::{Batch, Model};

const WORLDS: usize = 19;

fn batch(m: &Model, backend: Backend) -> Batch {
    let settings = Settings::default().backend(backend);
    Batch::with(m, WORLDS, settings).unwrap()
}

/// A model with all diagnostics enabled: energies, forces between bodies, and the difference of forward and inverse dynamics.
fn model(name: &str) -> Model {
    let text = std::fs::read_to_string(format!("models/{name}.xml")).unwrap();
    // avoids coincident edges of two boxes, where the last bits decide which become contacts
    let text = text.replace("pos=\"0.9 0 0.1\"", "pos=\"0.9 0.013 0.11\"");
    let mut m = Model::from_xml_str(&text).unwrap();
    m.edit(|m| m.opt.enableflags |= ENBL_ENERGY | ENBL_RNEPOST | ENBL_FWDINV)
        .unwrap();
    m
}

fn arrays() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(|field| field.room == Room::Data)
}

fn read(batch: &mut Batch, name: &str) -> Vec<f64> {
    match batch.read(name).unwrap() {
        View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
        View::Real(x) => x.to_vec(),
    }
}

/// Inputs of worlds in different states of motion and contact, representable in single precision.
fn states(m: &Model) -> Vec<(&'static str, Vec<f64>)> {
    let mut batch = batch(m, Backend::Cpu);
    let wave = |w: usize, i: usize| (1.0 + 12.9898 * (w + 1) as f64 * (i + 1) as f64).sin();
    let waves = |n: usize, scale: f64| -> Vec<f64> {
        let of = |w: usize| (0..n).map(move |i| scale * wave(w, i));
        (0..WORLDS).flat_map(of).collect()
    };
    batch.set("qvel", &waves(m.nv, 0.3)).unwrap();
    batch.set("ctrl", &waves(m.nu, 0.5)).unwrap();
    let on = |k: usize| f64::from(k % 5 != 2);
    let active: Vec<f64> = (0..WORLDS * m.neq).map(on).collect();
    batch.set("eq_active", &active).unwrap();

    // the worlds have different ages
    batch.step(30).unwrap();
    let young = inputs(&mut batch);
    batch.step(90).unwrap();
    let old = inputs(&mut batch);
    let single = |x: f64| f64::from(x as f32);
    let mixed = young.into_iter().zip(old).map(|((name, young), (_, old))| {
        let words = young.len() / WORLDS;
        let pick = |k: usize| {
            if k / words.max(1) % 3 == 1 {
                young[k]
            } else {
                old[k]
            }
        };
        (name, (0..young.len()).map(|k| single(pick(k))).collect())
    });
    mixed.collect()
}

fn inputs(batch: &mut Batch) -> Vec<(&'static str, Vec<f64>)> {
    let mut out = Vec::new();
    for field in arrays() {
        let x = read(batch, field.name);
        if batch.set(field.name, &x).is_ok() {
            out.push((field.name, x));
        }
    }
    out
}

fn set(batch: &mut Batch, inputs: &[(&'static str, Vec<f64>)]) {
    batch.reset(To::Qpos0).unwrap();
    for (name, x) in inputs {
        batch.set(name, x).unwrap();
    }
}

/// Tolerance of an array in single precision; none if it is not compared.
fn tolerance(field: &Field) -> Option<f64> {
    Some(match field.name {
        // the numbers of iterations differ between precisions
        "solver_niter" | "island_niter" => return None,
        _ => 1e-3,
    })
}

/// Arrays whose difference an array is, if the terms may nearly cancel.
fn terms(field: &Field) -> &'static [&'static str] {
    match field.name {
        "cfrc_int" => &["cfrc_ext"],
        "qfrc_inverse" | "solver_fwdinv" => &["qfrc_smooth", "qfrc_constraint"],
        _ => &[],
    }
}

/// The first difference of an array from the reference's, world by world, if there is one.
fn differ(m: &Model, field: &Field, have: &mut Batch, want: &mut Batch) -> Option<String> {
    let tolerance = tolerance(field)?;
    let int = matches!(want.read(field.name).unwrap(), View::Int(_));
    let [x, y] = [&mut *have, &mut *want].map(|batch| read(batch, field.name));
    let words = field.words(m);
    let counts = match field.dims[0] {
        "nconmax" => Some(read(want, "ncon")),
        "njmax" => Some(read(want, "nefc")),
        _ => None,
    };
    let patterns = read(want, "efc_Jpat");
    let terms: Vec<_> = terms(field).iter().map(|name| read(want, name)).collect();
    for w in 0..WORLDS {
        let [mut x, mut y] = [&x, &y].map(|x| x[w * words..][..words].to_vec());
        if let Some(counts) = &counts {
            // unused slots of a world are not compared
            let width = words / m.size(field.dims[0]).unwrap().max(1);
            for x in [&mut x, &mut y] {
                x.truncate(counts[w] as usize * width);
                if field.name == "efc_J" {
                    for (r, row) in x.chunks_exact_mut(m.nJrow).enumerate() {
                        let pattern = patterns[w * m.njmax + r] as usize;
                        row[m.Jpat_num[pattern] as usize..].fill(0.0);
                    }
                }
            }
        }
        let scale = terms.iter().fold(1.0f64, |scale, of| {
            let words = of.len() / WORLDS;
            let of = of[w * words..][..words].iter();
            of.fold(scale, |scale, x| scale.max(x.abs()))
        });
        let e = match int {
            true => f64::from(x != y),
            false => error(&x, &y) / scale,
        };
        if e > if int { 0.0 } else { tolerance } {
            let at =
                (0..x.len()).max_by(|&i, &j| (x[i] - y[i]).abs().total_cmp(&(x[j] - y[j]).abs()));
            let at = at.unwrap_or(0);
            return Some(format!(
                "{} of world {w}: {e:e}, [{at}] is {} and not {}",
                field.name, x[at], y[at]
            ));
        }
    }
    None
}

fn every_array_is_that_of_the_reference(name: &str, backend: Backend) -> Vec<String> {
    let m = model(name);
    let inputs = states(&m);
    let [mut have, mut want] = [backend, Backend::Cpu].map(|backend| batch(&m, backend));
    let mut faults = Vec::new();
    for stepping in [false, true] {
        for batch in [&mut have, &mut want] {
            set(batch, &inputs);
            match stepping {
                false => batch.forward().unwrap(),
                true => batch.step(1).unwrap(),
            }
        }
        assert_eq!(have.model().nconmax, want.model().nconmax, "{name}");
        assert_eq!(have.model().njmax, want.model().njmax, "{name}");
        let m = want.model().clone();
        let of = |field| differ(&m, field, &mut have, &mut want);
        faults.extend(
            arrays()
                .filter_map(of)
                .map(|fault| format!("{name}: {fault}")),
        );
    }
    faults
}

#[test]
fn every_array_of_worlds_side_by_side_is_that_of_the_reference() {
    let mut faults = Vec::new();
    for entry in std::fs::read_dir("models").unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if path.extension().is_some_and(|end| end == "xml") {
            faults.extend(every_array_is_that_of_the_reference(name, Backend::Simd));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
