//! Jacobians of points of bodies: linear and angular velocity per unit velocity of each dof.

use super::Batch;
use super::look::{Sight, check_id, columns, row_of, vec3_of};
use crate::cpu::lib::jac::add_jac;
use crate::error::Result;
use crate::fields::{Data, Model};

/// Jacobians of a point in every world.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Jacobian {
    /// Linear velocity of the point for a unit velocity of each dof, along the world's axes, N × 3 × nv.
    pub jacp: Vec<f64>,
    /// Angular velocity of the body for a unit velocity of each dof, along the world's axes, N × 3 × nv.
    pub jacr: Vec<f64>,
}

const OF_POINT: Sight = Sight::of_poses(&["subtree_com", "cdof"]);
const OF_BODY: Sight = Sight::of_poses(&["subtree_com", "cdof", "xpos"]);
const OF_COM: Sight = Sight::of_poses(&["subtree_com", "cdof", "xipos"]);
const OF_SITE: Sight = Sight::of_poses(&["subtree_com", "cdof", "site_xpos"]);
const OF_GEOM: Sight = Sight::of_poses(&["subtree_com", "cdof", "geom_xpos"]);

impl Batch {
    /// Jacobians of a point fixed to a body (`mj_jac`).
    ///
    /// `points` are in the world's frame (m): N × 3, or one row for all worlds. `body` is a body id for every world, or one
    /// for all. Poses are those that [`Batch::look`] chooses; the batch does not change.
    ///
    /// ```
    /// use manyworlds::{Batch, Model};
    ///
    /// # fn main() -> manyworlds::Result<()> {
    /// let model = Model::from_xml_path("models/humanoid.xml")?;
    /// let mut batch = Batch::new(&model, 16)?;
    /// batch.forward()?;
    /// let jac = batch.jac(&[0.0, 0.0, 1.0], &[1])?;
    /// assert_eq!(jac.jacp.len(), 16 * 3 * model.nv);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Fails with [`crate::Error::Input`] on another number of values and on a body that the model does not have.
    pub fn jac(&mut self, points: &[f64], body: &[usize]) -> Result<Jacobian> {
        self.check_rows("points", 3, points.len())?;
        self.check_rows("body", 1, body.len())?;
        body.iter()
            .try_for_each(|&body| check_id("body", body, self.model.nbody))?;
        self.jac_of(OF_POINT, |_, _, w| {
            (row_of(body, 1, w)[0], vec3_of(points, w))
        })
    }

    /// Jacobians of the origin of a body's frame (`mj_jacBody`). Like [`Batch::jac`].
    ///
    /// Fails with [`crate::Error::Input`] on a body that the model does not have.
    pub fn jac_body(&mut self, body: usize) -> Result<Jacobian> {
        check_id("body", body, self.model.nbody)?;
        self.jac_of(OF_BODY, |_, d, _| (body, d.xpos[body]))
    }

    /// Jacobians of a body's centre of mass (`mj_jacBodyCom`). Like [`Batch::jac`].
    ///
    /// Fails with [`crate::Error::Input`] on a body that the model does not have.
    pub fn jac_body_com(&mut self, body: usize) -> Result<Jacobian> {
        check_id("body", body, self.model.nbody)?;
        self.jac_of(OF_COM, |_, d, _| (body, d.xipos[body]))
    }

    /// Jacobians of a site (`mj_jacSite`). Like [`Batch::jac`].
    ///
    /// Fails with [`crate::Error::Input`] on a site that the model does not have.
    pub fn jac_site(&mut self, site: usize) -> Result<Jacobian> {
        check_id("site", site, self.model.nsite)?;
        self.jac_of(OF_SITE, |m, d, _| {
            (m.site_bodyid[site] as usize, d.site_xpos[site])
        })
    }

    /// Jacobians of a geom's centre (`mj_jacGeom`). Like [`Batch::jac`].
    ///
    /// Fails with [`crate::Error::Input`] on a geom that the model does not have.
    pub fn jac_geom(&mut self, geom: usize) -> Result<Jacobian> {
        check_id("geom", geom, self.model.ngeom)?;
        self.jac_of(OF_GEOM, |m, d, _| {
            (m.geom_bodyid[geom] as usize, d.geom_xpos[geom])
        })
    }

    /// Jacobian of the centre of mass of a body's subtree, N × 3 × nv, along the world's axes
    /// (`mj_jacSubtreeCom`). Like [`Batch::jac`].
    ///
    /// Fails with [`crate::Error::Input`] on a body that the model does not have.
    pub fn jac_subtree_com(&mut self, body: usize) -> Result<Vec<f64>> {
        check_id("body", body, self.model.nbody)?;
        let dofs = self.dofs();
        self.find(OF_COM, 3 * self.model.nv, &|m, d, _, row| {
            for b in subtree(m, body) {
                let share = m.body_mass[b] / m.body_subtreemass[body];
                for (k, row) in row.chunks_mut(m.nv).enumerate() {
                    let dir = unit(k).map(|x| share * x);
                    add_jac(m, d, row, &dofs, b, d.xipos[b], dir, [0.0; 3]);
                }
            }
        })
    }

    // Jacobians of one point of a body in every world
    fn jac_of(
        &mut self,
        sight: Sight,
        point: impl Fn(&Model, &Data, usize) -> (usize, [f64; 3]) + Sync,
    ) -> Result<Jacobian> {
        let (nv, dofs) = (self.model.nv, self.dofs());
        let rows = self.find(sight, 6 * nv, &|m, d, w, row| {
            let (body, point) = point(m, d, w);
            for (k, row) in row.chunks_mut(nv).enumerate() {
                // rows: three directions, then three axes
                let (dir, axis) = match k {
                    0..3 => (unit(k), [0.0; 3]),
                    _ => ([0.0; 3], unit(k - 3)),
                };
                add_jac(m, d, row, &dofs, body, point, dir, axis);
            }
        })?;
        Ok(Jacobian {
            jacp: columns(&rows, 6 * nv, 0..3 * nv),
            jacr: columns(&rows, 6 * nv, 3 * nv..6 * nv),
        })
    }

    // the ids of all dofs
    fn dofs(&self) -> Vec<i32> {
        (0..self.model.nv as i32).collect()
    }
}

// unit vector of a world axis
fn unit(k: usize) -> [f64; 3] {
    std::array::from_fn(|i| f64::from(u8::from(i == k)))
}

// the bodies of a body's subtree, which follow it in the order of ids
fn subtree(m: &Model, body: usize) -> impl Iterator<Item = usize> {
    let carried = move |&b: &usize| b == body || m.body_parentid[b] as usize >= body;
    (body..m.nbody).take_while(carried)
}
