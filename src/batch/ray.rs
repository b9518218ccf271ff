//! Rays and distances: the surface that a ray hits, and the distance between geoms.

use super::Batch;
use super::look::{Sight, check_id, columns, row_of, vec3_of};
use crate::cpu::collision::distance::geom_distance;
use crate::cpu::lib::math::{norm3, sub3};
use crate::cpu::lib::ray::{Hit, Ray, nearest, shape_of, unseen};
use crate::error::{Error, Result};
use crate::fields::{Model, Own, OwnLane};
use crate::types::MINVAL;

settable! {
    /// The geoms that rays can hit.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Among {
        /// Groups of geoms that can be hit (`geom_group`; numbers above 5 count as 5); all if not given.
        pub geomgroup: Option<[bool; 6]>,
        /// Whether static geoms can be hit.
        pub flg_static: bool,
        /// A body whose geoms are excluded, or -1: one for all rays, or one for every ray of every world.
        pub bodyexclude: Vec<i32>,
    }
}

impl Default for Among {
    /// All visible geoms.
    fn default() -> Self {
        Self {
            geomgroup: None,
            flg_static: true,
            bodyexclude: vec![-1],
        }
    }
}

impl Among {
    fn misses(&self, m: &Model, bodyexclude: i32, geom: usize) -> bool {
        let body = m.geom_bodyid[geom];
        let fixed = !self.flg_static && m.body_weldid[body as usize] == 0;
        let group = m.geom_group[geom].clamp(0, 5) as usize;
        let hidden = self.geomgroup.is_some_and(|groups| !groups[group]);
        body == bodyexclude
            || fixed
            || hidden
            || unseen(m, OwnLane::new(&Own::<f64>::default(), 0), geom)
    }
}

/// Hits of the rays of all worlds.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Hits {
    /// Distance from start to the nearest surface in units of the length of `vec`, N × nray; -1 where the ray hits nothing.
    pub dist: Vec<f64>,
    /// The geom that the ray hits, N × nray; -1 for none.
    pub geomid: Vec<i32>,
    /// Unit normal of the surface in the world's frame, out of the geom, N × nray × 3; zero where the ray hits nothing.
    pub normal: Vec<f64>,
}

/// Distance of two geoms in all worlds.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Distances {
    /// Signed distance (m), negative where they overlap, N; `distmax` where they are at least that far apart.
    pub dist: Vec<f64>,
    /// Nearest point on the first geom, then nearest point on the second, in the world's frame (m), N × 6; zero where the geoms
    /// are at least `distmax` apart.
    pub fromto: Vec<f64>,
}

const GEOMS: Sight = Sight::of_poses(&["geom_xpos", "geom_xmat"]);

impl Batch {
    /// The nearest surface that each of `nray` rays hits in every world (`mj_ray`). Fully transparent geoms are not hit.
    ///
    /// Starts `pnt` (m) and directions `vec`, of any length, are in the world's frame: N × nray × 3, or nray × 3 for all worlds.
    /// Poses are those that [`Batch::look`] chooses; the batch does not change.
    ///
    /// Fails with [`Error::Input`] on another number of values, on a direction without length and on a body that the model does
    /// not have.
    pub fn ray(&mut self, nray: usize, pnt: &[f64], vec: &[f64], among: &Among) -> Result<Hits> {
        self.check_rows("pnt", 3 * nray, pnt.len())?;
        self.check_rays(nray, vec, among)?;
        self.cast(nray, vec, among, f64::INFINITY, |w, k| {
            vec3_of(row_of(pnt, 3 * nray, w), k)
        })
    }

    /// Like [`Batch::ray`] for `nray` rays from one point in every world (`mj_multiRay`). Geoms whose bounding sphere is farther from it than
    /// `cutoff` (m) are not hit.
    ///
    /// `pnt` is N × 3, or one point for all worlds; everything else, and the errors, as in [`Batch::ray`].
    pub fn multi_ray(
        &mut self,
        nray: usize,
        pnt: &[f64],
        vec: &[f64],
        among: &Among,
        cutoff: f64,
    ) -> Result<Hits> {
        self.check_rows("pnt", 3, pnt.len())?;
        self.check_rays(nray, vec, among)?;
        if cutoff.is_nan() {
            return Err(Error::Input("cutoff: a number is needed".to_owned()));
        }
        self.cast(nray, vec, among, cutoff, |w, _| vec3_of(pnt, w))
    }

    /// Signed distance of two geoms in every world, up to `distmax` (m), and their nearest points
    /// (`mj_geomDistance`).
    ///
    /// Poses are those that [`Batch::look`] chooses; the batch does not change. Geoms of types that never collide, such as two planes, are
    /// `distmax` apart.
    ///
    /// Fails with [`Error::Input`] on a geom that the model does not have and on a `distmax` that is NaN.
    pub fn geom_distance(&mut self, geom1: usize, geom2: usize, distmax: f64) -> Result<Distances> {
        let geoms = [geom1, geom2];
        for geom in geoms {
            check_id("geom", geom, self.model.ngeom)?;
        }
        if distmax.is_nan() {
            return Err(Error::Input("distmax: a number is needed".to_owned()));
        }
        let rows = self.find(GEOMS, 7, &|m, d, _, row| {
            let shapes = geoms.map(|geom| shape_of(m, d, 0, geom));
            let (dist, [from, to]) =
                geom_distance(m, OwnLane::new(&d.own, 0), geoms, shapes, distmax);
            row[0] = dist;
            row[1..4].copy_from_slice(&from);
            row[4..].copy_from_slice(&to);
        })?;
        Ok(Distances {
            dist: columns(&rows, 7, 0..1),
            fromto: columns(&rows, 7, 1..7),
        })
    }

    fn cast(
        &mut self,
        nray: usize,
        vec: &[f64],
        among: &Among,
        cutoff: f64,
        pnt: impl Fn(usize, usize) -> [f64; 3] + Sync,
    ) -> Result<Hits> {
        let hits = self.find(GEOMS, nray, &|m, d, w, row: &mut [Option<(Hit, i32)>]| {
            for (k, hit) in row.iter_mut().enumerate() {
                let ray = Ray {
                    pnt: pnt(w, k),
                    vec: vec3_of(row_of(vec, 3 * nray, w), k),
                };
                let excluded = row_of(&among.bodyexclude, 1, w * nray + k)[0];
                let far = |geom: usize| {
                    let (apart, bound) =
                        (norm3(sub3(d.geom_xpos[geom], ray.pnt)), m.geom_rbound[geom]);
                    // a plane has no bounding sphere
                    bound > 0.0 && apart > cutoff + bound
                };
                let skip = |geom: usize| among.misses(m, excluded, geom) || far(geom);
                *hit = Some(nearest(m, d, 0, ray, skip));
            }
        })?;
        let hits = || hits.iter().flatten();
        Ok(Hits {
            dist: hits().map(|(hit, _)| hit.dist).collect(),
            geomid: hits().map(|(_, geom)| *geom).collect(),
            normal: hits().flat_map(|(hit, _)| hit.normal).collect(),
        })
    }

    fn check_rays(&self, nray: usize, vec: &[f64], among: &Among) -> Result<()> {
        self.check_rows("vec", 3 * nray, vec.len())?;
        let (have, all) = (among.bodyexclude.len(), self.nworld * nray);
        if have != 1 && have != all {
            return Err(Error::Input(format!(
                "bodyexclude: 1 body or {all} for all rays of {} worlds needed, {have} given",
                self.nworld
            )));
        }
        let bodies = -1..self.model.nbody as i32;
        if let Some(body) = among.bodyexclude.iter().find(|body| !bodies.contains(body)) {
            return Err(Error::Input(format!(
                "bodyexclude: there is no body {body}: -1 for none, or less than {}",
                self.model.nbody
            )));
        }
        let short = |vec: &[f64; 3]| norm3(*vec).is_nan() || norm3(*vec) < MINVAL;
        match vec.as_chunks().0.iter().position(short) {
            Some(k) => Err(Error::Input(format!(
                "vec: the direction of row {k} has no length"
            ))),
            None => Ok(()),
        }
    }
}
