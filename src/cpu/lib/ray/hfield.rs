//! Intersection of a ray with a height field.

use super::{Hit, Ray, ray_basis, ray_box, ray_triangle, sooner};
use crate::cpu::lib::math::*;
use crate::fields::{Model, OwnLane};
use crate::real::Real;

/// A height field: the box below it, its surface, and its sides.
pub fn ray_hfield<R: Real>(m: &Model, own: OwnLane<'_, R>, field: usize, ray: Ray) -> Hit {
    let (nrow, ncol) = (m.hfield_nrow[field] as usize, m.hfield_ncol[field] as usize);
    let size = [0, 1, 2, 3].map(|k| own.hfield_size(m, 4 * field + k));
    let adr = m.hfield_adr[field] as usize;
    let height = |k: usize| own.hfield_data(m, adr + k);
    let lowered = |z: f64| Ray {
        pnt: [ray.pnt[0], ray.pnt[1], ray.pnt[2] - z],
        vec: ray.vec,
    };
    let (mut hit, _) = ray_box([size[0], size[1], 0.5 * size[3]], lowered(-0.5 * size[3]));
    let (top, all) = ray_box([size[0], size[1], 0.5 * size[2]], lowered(0.5 * size[2]));
    if top.dist < 0.0 {
        return hit;
    }

    // cells below the part of the ray in the bounding box of the surface, and one more on each side
    let mut seg = [0.0, top.dist];
    for dist in all {
        if dist > seg[1] {
            seg = [top.dist, dist];
        }
    }
    let cell = [
        2.0 * size[0] / (ncol - 1) as f64,
        2.0 * size[1] / (nrow - 1) as f64,
    ];
    let ends = seg.map(|dist| {
        let p = ray.at(dist);
        [(p[0] + size[0]) / cell[0], (p[1] + size[1]) / cell[1]]
    });
    let [columns, rows] = [0, 1].map(|k| [ends[0][k], ends[1][k]]);
    let heights = seg.map(|dist| ray.at(dist)[2]);

    // two triangles of each cell below the ray, in blocks of a row, but for blocks that it passes above or beneath
    let basis = ray_basis(ray.vec);
    for r in cells_over(rows, [0.0, 1.0], nrow - 1) {
        let over_row = part_over(rows, [r, r + 1]);
        let some = cells_over(columns, over_row, ncol - 1);
        for first in some.clone().step_by(BLOCK) {
            let last = (first + BLOCK).min(some.end);
            let over_block = part_over(columns, [first, last]);
            let over = [
                over_row[0].max(over_block[0]),
                over_row[1].min(over_block[1]),
            ];
            if over[0] > over[1] {
                continue;
            }
            let [low, high] = values_over(heights, over);
            let slack = 1e-9 * (size[2] + high.abs());
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            for c in first..=last {
                for z in [height(r * ncol + c), height((r + 1) * ncol + c)] {
                    (least, most) = (least.min(z), most.max(z));
                }
            }
            if most * size[2] < low - slack || least * size[2] > high + slack {
                continue;
            }
            for c in first..last {
                let corner = |r: usize, c: usize| {
                    let z = height(r * ncol + c) * size[2];
                    [
                        cell[0] * c as f64 - size[0],
                        cell[1] * r as f64 - size[1],
                        z,
                    ]
                };
                let (near, far) = (corner(r, c), corner(r + 1, c + 1));
                for third in [corner(r, c + 1), corner(r + 1, c)] {
                    let mut met = ray_triangle([near, far, third], ray, basis);
                    if met.normal[2] < 0.0 {
                        met.normal = scl3(met.normal, -1.0);
                    }
                    hit = sooner(hit, met);
                }
            }
        }
    }

    // sides of the box, below the edge of the surface
    for (side, &dist) in all[..4].iter().enumerate() {
        let p = ray.at(dist);
        let (along, most) = if side < 2 {
            (1, nrow - 2)
        } else {
            (0, ncol - 2)
        };
        let y = (p[along] + size[along]) / cell[along];
        let y0 = y.floor().clamp(0.0, most as f64);
        let at = |k: usize| match side {
            0 => height(k * ncol),
            1 => height(k * ncol + ncol - 1),
            2 => height(k),
            _ => height((nrow - 1) * ncol + k),
        };
        let (z0, z1) = (at(y0 as usize), at(y0 as usize + 1));
        if p[2] / size[2] < z0 * (y0 + 1.0 - y) + z1 * (y - y0) {
            let mut normal = [0.0; 3];
            normal[1 - along] = if side % 2 == 0 { -1.0 } else { 1.0 };
            hit = sooner(hit, Hit { dist, normal });
        }
    }
    hit
}

// cells of a height field that are passed over together
const BLOCK: usize = 4;

// the values between which a quantity is on a stretch of the ray, from its values at both ends of the whole
fn values_over([start, end]: [f64; 2], part: [f64; 2]) -> [f64; 2] {
    let [a, b] = part.map(|x| start + x * (end - start));
    [a.min(b), a.max(b)]
}

// cells over which a stretch of the ray lies along one axis, and one more on each side
fn cells_over(ends: [f64; 2], part: [f64; 2], most: usize) -> std::ops::Range<usize> {
    let [low, high] = values_over(ends, part);
    let (low, high) = (low.floor() as i64 - 1, high.ceil() as i64 + 1);
    low.max(0) as usize..high.min(most as i64).max(0) as usize
}

// the stretch of the ray, from 0 to 1, that lies between two places along one axis, or within one cell of them
fn part_over([start, end]: [f64; 2], [low, high]: [usize; 2]) -> [f64; 2] {
    let length = end - start;
    if length.abs() < 1e-6 {
        return [0.0, 1.0];
    }
    let [a, b] = [low as f64 - 1.0, high as f64 + 1.0].map(|place| (place - start) / length);
    [a.min(b).max(0.0), a.max(b).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::collision::broad::tests::numbers;
    use crate::cpu::lib::ray::MISS;
    use crate::fields::Data;

    #[test]
    fn no_triangle_of_a_height_field_is_passed_over() {
        let (nrow, ncol) = (14, 23);
        let mut next = numbers();
        let heights: Vec<String> = (0..nrow * ncol).map(|_| next().to_string()).collect();
        let text = format!(
            r#"<mujoco><asset><hfield name="f" nrow="{nrow}" ncol="{ncol}" size="3 2 .5 .1" elevation="{}"/></asset>
            <worldbody><geom type="hfield" hfield="f"/></worldbody></mujoco>"#,
            heights.join(" ")
        );
        let m = Model::from_xml_str(&text).unwrap();
        let d: Data = Data::new(&m);
        let own = OwnLane::new(&d.own, 0);
        let corner = |r: usize, c: usize| {
            let [x, y] = [6.0 / 22.0 * c as f64 - 3.0, 4.0 / 13.0 * r as f64 - 2.0];
            [x, y, 0.5 * m.hfield_data[r * ncol + c]]
        };
        let (mut met, mut first) = (0, 0);
        for k in 0..4000 {
            // of all directions, some along an axis or upright
            let pnt = [8.0, 6.0, 1.2].map(|size| size * (next() - 0.4));
            let mut vec = [2.0, 2.0, 1.0].map(|size| size * (next() - 0.5));
            if k % 5 < 3 {
                vec[k % 5] = 0.0;
            }
            let ray = Ray { pnt, vec };
            let mut nearest = MISS;
            for (r, c) in (0..nrow - 1).flat_map(|r| (0..ncol - 1).map(move |c| (r, c))) {
                for third in [corner(r, c + 1), corner(r + 1, c)] {
                    let face = [corner(r, c), corner(r + 1, c + 1), third];
                    nearest = sooner(nearest, ray_triangle(face, ray, ray_basis(vec)));
                }
            }
            let hit = ray_hfield(&m, own, 0, ray);
            if nearest.dist >= 0.0 {
                // the ray may meet the sides or the box below before
                let soon = (0.0..=nearest.dist + 1e-12).contains(&hit.dist);
                assert!(soon, "{ray:?}: {hit:?}, not {nearest:?}");
                (met, first) = (met + 1, first + i32::from(hit.dist == nearest.dist));
            }
        }
        assert!(met > 400 && first > 200, "{met} {first}");
    }
}
