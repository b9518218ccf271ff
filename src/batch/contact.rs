//! Contact forces.

use super::Batch;
use super::look::{Sight, columns};
use crate::cpu::lib::touch::contact_force_at;
use crate::error::Result;

/// Forces of all contacts of all worlds.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ContactForces {
    /// Number of contacts of every world, N.
    pub ncon: Vec<usize>,
    /// Room for contacts in a world: its rows in `force`.
    pub nconmax: usize,
    /// Force (N), then torque (N m), in the frame of the contact, whose first axis is its normal, N × nconmax × 6; zero behind the
    /// last contact of a world.
    pub force: Vec<f64>,
}

const ROWS: Sight = Sight::of_last_call(&[
    "ncon",
    "contact_efc_address",
    "contact_collision",
    "efc_type",
    "efc_force",
]);

impl Batch {
    /// The force of every contact of every world, which acts on the contact's second geom (`mj_contactForce`). It is zero for a contact without
    /// constraint rows, such as one outside its margin. For a contact with adhesion it is the net force, and may pull.
    ///
    /// The contacts are those of the last call, in the order of the arrays `contact_pos`, `contact_frame` and their likes, whatever
    /// [`Batch::look`] says. The batch does not change.
    pub fn contact_force(&mut self) -> Result<ContactForces> {
        let nconmax = self.model.nconmax;
        let width = 1 + 6 * nconmax;
        let rows = self.find(ROWS, width, &|m, d, _, row| {
            let ncon = d.ncon[0] as usize;
            row[0] = ncon as f64;
            for (c, force) in row[1..].chunks_mut(6).enumerate().take(ncon) {
                let pair = d.contact_collision[c] as usize;
                if let Ok(r) = usize::try_from(d.contact_efc_address[c]) {
                    force.copy_from_slice(&contact_force_at(m, d, pair, r));
                }
            }
        })?;
        let ncon = columns(&rows, width, 0..1);
        Ok(ContactForces {
            ncon: ncon.iter().map(|&n| n as usize).collect(),
            nconmax,
            force: columns(&rows, width, 1..width),
        })
    }
}
