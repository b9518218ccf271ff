//! Hulls in qhull's order: corners, edges, faces, polygons and extreme corners of clouds of points, as MuJoCo 4.0.0 lists them.

use std::fmt::Write;

use crate::common::Golden;
use manyworlds::Model;
use manyworlds::fields::View;

const ARRAYS: [&str; 7] = [
    "graph",
    "extrema",
    "polyvertnum",
    "polyvert",
    "polymapnum",
    "polymap",
    "face",
];

fn text(vert: &[f64], maxhullvert: f64, mirrored: bool) -> String {
    let mut out = String::from("<mujoco><asset><mesh name=\"cloud\" inertia=\"convex\"");
    if mirrored {
        out += " scale=\"-1 1 1\"";
    }
    if maxhullvert > 0.0 {
        write!(out, " maxhullvert=\"{maxhullvert}\"").unwrap();
    }
    // the golden stores the bits of f32 coordinates
    let vert = vert.iter().map(|x| f32::from_bits(*x as i32 as u32));
    let vert: Vec<String> = vert.map(|x| x.to_string()).collect();
    let vert = vert.join(" ");
    write!(out, " vertex=\"{vert}\"/></asset>").unwrap();
    out + "<worldbody><geom type=\"mesh\" mesh=\"cloud\"/></worldbody></mujoco>"
}

#[test]
fn clouds_have_mujocos_hulls_in_its_order() {
    let golden = Golden::open("tests/golden/hull.npz");
    let get = |name: &str| golden.get(name).unwrap();
    let num = get("vertnum");
    assert!(num.len() > 100);
    let mut vert = get("vert");
    let mut starts = [0; ARRAYS.len()];
    let mut wrong = Vec::new();
    for k in 0..num.len() {
        let (mine, rest) = vert.split_at(3 * num[k] as usize);
        vert = rest;
        let xml = text(mine, get("maxhullvert")[k], get("mirrored")[k] != 0.0);
        let m = Model::from_xml_str(&xml).unwrap_or_else(|e| panic!("cloud {k}: {e}"));
        for (name, start) in ARRAYS.iter().zip(&mut starts) {
            let end = *start + get(&format!("{name}#"))[k] as usize;
            let want = &get(name)[*start..end];
            *start = end;
            let View::Int(have) = m.field(&format!("mesh_{name}")).unwrap() else {
                panic!("mesh_{name} has no integers");
            };
            if !have.iter().map(|x| f64::from(*x)).eq(want.iter().copied()) {
                wrong.push(format!("cloud {k}, {} points: mesh_{name}", num[k]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
