//! A reset world reads nothing of the data before the reset.

use super::*;
use crate::real::Real;
use crate::simd::{Lanes, Rows};
use crate::stages::{self, Stage};

// a number that no stage computes
const STALE: i32 = -77;

// three steps of a tile whose worlds are reset after `left` wrote into it
fn steps<R: Real>(
    m: &Model,
    twin: fn(&Stage, &Model, &mut Data<R>, &mut Rows<R>),
    left: impl Fn(&mut Data<R>),
) -> Data<R> {
    let mut rows = Rows::new(m);
    let mut fresh: Data<R> = Data::new(m);
    for (k, x) in fresh.qvel.iter_mut().enumerate() {
        for lane in 0..R::WIDTH {
            x.set_lane(lane, 0.3 * ((3 * k + 5 * lane) as f64).sin());
        }
    }
    let mut tile = Tile::new(fresh.clone());
    left(&mut tile.d);
    tile.renew(&fresh, 0..R::WIDTH);
    for _ in 0..3 {
        stages::step(m, &mut |stage| twin(stage, m, &mut tile.d, &mut rows));
    }
    tile.d
}

// fills fields that do not persist with values that no stage may read
fn poison<R: Real>(d: &mut Data<R>, fields: &[&Field]) {
    for field in fields {
        match d.view_mut(field.row) {
            Some(ViewMut::Real(x)) => x.fill(R::splat(f64::NAN)),
            Some(ViewMut::Int(x)) => x.fill(STALE),
            None => {}
        }
    }
}

fn bits<'a, R: Real>(d: &'a Data<R>, field: &Field) -> &'a [u32] {
    match d.view(field.row) {
        Some(View::Real(x)) => bytemuck::cast_slice(x),
        Some(View::Int(x)) => bytemuck::cast_slice(x),
        None => &[],
    }
}

fn holds<R: Real>(m: &Model, name: &str, twin: fn(&Stage, &Model, &mut Data<R>, &mut Rows<R>)) {
    let passing = |field: &&Field| {
        field.room != Room::Model && lasting().all(|lasting| lasting.row != field.row)
    };
    let passing: Vec<&Field> = FIELDS.iter().filter(passing).collect();
    let new = steps(m, twin, |_| {});
    let same = |fields: &[&Field]| {
        let anew = steps(m, twin, |d| poison(d, fields));
        lasting().all(|field| bits(&new, field) == bits(&anew, field))
    };
    if !same(&passing) {
        let read = passing.iter().filter(|field| !same(&[**field]));
        let read: Vec<&str> = read.map(|field| field.name).collect();
        panic!(
            "{name}, {} lanes: {read:?} are read before they are written",
            R::WIDTH
        );
    }
}

#[test]
fn a_world_that_begins_anew_reads_nothing_old() {
    let mut models = 0;
    for entry in std::fs::read_dir("models").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "xml") {
            continue;
        }
        let m = Model::from_xml_path(&path).unwrap();
        let name = path.display().to_string();
        holds::<f64>(&m, &name, |stage, m, d, _| (stage.twin)(m, d));
        holds::<Lanes>(&m, &name, |stage, m, d, rows| (stage.simd)(m, d, rows));
        models += 1;
    }
    assert!(models > 20, "{models}");
}
