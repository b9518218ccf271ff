//! Jacobians of points of bodies: how they move and turn with the dofs.

use super::Batch;
use super::look::{Sight, check_id, columns, row_of, vec3_of};
use crate::cpu::lib::jac::add_jac;
use crate::error::Result;
use crate::fields::{Data, Model};

/// Jacobians of a point in every world.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Jacobian {
    /// Velocity of the point along the world's axes for a unit velocity of each dof, N × 3 × nv.
    pub jacp: Vec<f64>,
    /// Angular velocity of its body along the world's axes for a unit velocity of each dof, N × 3 × nv.
    pub jacr: Vec<f64>,
}

const OF_POINT: Sight = Sight::of_poses(&["subtree_com", "cdof"]);
const OF_BODY: Sight = Sight::of_poses(&["subtree_com", "cdof", "xpos"]);
const OF_COM: Sight = Sight::of_poses(&["subtree_com", "cdof", "xipos"]);
const OF_SITE: Sight = Sight::of_poses(&["subtree_com", "cdof", "site_xpos"]);
const OF_GEOM: Sight = Sight::of_poses(&["subtree_com", "cdof", "geom_xpos"]);

impl Batch {
    /// Jacobians of a point that moves with a body (`mj_jac`).
    ///
    /// `points` are in the world's frame (m): N × 3, or one for all worlds. `body` is the number of a body for every world, or one
    /// for all. Poses are those that [`Batch::look`] says; nothing changes.
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

    /// Jacobian of the centre of mass of a body and all that it carries, N × 3 × nv, along the world's axes
    /// (`mj_jacSubtreeCom`). Like [`Batch::jac`].
    ///
    /// Fails with [`crate::Error::Input`] on a body that the model does not have.
    pub fn jac_subtree_com(&mut self, body: usize) -> Result<Vec<f64>> {
        check_id("body", body, self.model.nbody)?;
        let dofs = self.dofs();
        self.find(OF_COM, 3 * self.model.nv, |m, d, _, row| {
            for b in subtree(m, body) {
                let share = m.body_mass[b] / m.body_subtreemass[body];
                for (k, row) in row.chunks_mut(m.nv).enumerate() {
                    let dir = unit(k).map(|x| share * x);
                    add_jac(m, d, row, &dofs, b, d.xipos[b], dir, [0.0; 3]);
                }
            }
        })
    }

    // of a point of a body in every world
    fn jac_of(
        &mut self,
        sight: Sight,
        point: impl Fn(&Model, &Data, usize) -> (usize, [f64; 3]) + Sync,
    ) -> Result<Jacobian> {
        let (nv, dofs) = (self.model.nv, self.dofs());
        let rows = self.find(sight, 6 * nv, |m, d, w, row| {
            let (body, point) = point(m, d, w);
            for (k, row) in row.chunks_mut(nv).enumerate() {
                // three directions, then three axes
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

    // a row that holds every dof
    fn dofs(&self) -> Vec<i32> {
        (0..self.model.nv as i32).collect()
    }
}

// along an axis of the world
fn unit(k: usize) -> [f64; 3] {
    std::array::from_fn(|i| f64::from(u8::from(i == k)))
}

// a body and all that it carries, which follow it
fn subtree(m: &Model, body: usize) -> impl Iterator<Item = usize> {
    let carried = move |&b: &usize| b == body || m.body_parentid[b] as usize >= body;
    (body..m.nbody).take_while(carried)
}
