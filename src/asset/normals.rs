//! Normals of vertices for meshes without any.

use super::vec3::{V3, normalize};
use glam::DVec3;

/// Averages the normals of the faces around each vertex, weighted by area.
///
/// Unless `smooth`, faces at more than about 37° to the average are then left out, so that sharp edges are kept.
/// Follows `mjCMesh::MakeNormal`, its `f32` sums included.
pub(crate) fn make(vert: &[V3], face: &[[i32; 3]], smooth: bool) -> Vec<[f32; 3]> {
    let mut sum = vec![[0.0f32; 3]; vert.len()];
    for f in face {
        let (n, area) = normal(vert, *f);
        for v in *f {
            add(&mut sum[v as usize], n, area);
        }
    }

    // leave out faces that are too far from the average
    if !smooth {
        let mut out = vec![[0.0f32; 3]; vert.len()];
        for f in face {
            let (n, area) = normal(vert, *f);
            for v in *f {
                let mut mean = sum[v as usize].map(f64::from);
                normalize(&mut mean);
                if DVec3::from_array(n).dot(mean.into()) < 0.8 {
                    add(&mut out[v as usize], n, area);
                }
            }
        }
        for (s, o) in sum.iter_mut().zip(out) {
            *s = std::array::from_fn(|k| s[k] - o[k]);
        }
    }

    // unit length
    for s in &mut sum {
        let len = (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]).sqrt();
        *s = if f64::from(len) > super::vec3::MINVAL {
            s.map(|x| x / len)
        } else {
            [0.0, 0.0, 1.0]
        };
    }
    sum
}

fn normal(vert: &[V3], f: [i32; 3]) -> (V3, f64) {
    let [a, b, c] = f.map(|i| DVec3::from_array(vert[i as usize]));
    let mut n = (b - a).cross(c - a).to_array();
    let area = normalize(&mut n);
    (n, area)
}

fn add(sum: &mut [f32; 3], n: V3, area: f64) {
    *sum = std::array::from_fn(|k| (f64::from(sum[k]) + n[k] * area) as f32);
}
