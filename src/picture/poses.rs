//! Poses of geoms and sites in every world of a batch.

use super::looks::{Element, Kind};
use crate::batch::Batch;
use crate::error::Result;
use manyworlds_view::POSE;
use rayon::prelude::*;

/// Positions and orientations of all elements of a kind, world after world.
struct Arrays {
    kind: Kind,
    // elements of one world
    num: usize,
    pos: Vec<f32>,
    mat: Vec<f32>,
}

/// Poses of geoms, and of sites if asked for, in every world of a batch.
pub struct Poses(Vec<Arrays>);

impl Poses {
    /// Reads the poses, once per picture.
    pub fn read(batch: &mut Batch, sites: bool) -> Result<Self> {
        let (ngeom, nsite) = (batch.model().ngeom, batch.model().nsite);
        let mut kinds = vec![(Kind::Geom, ngeom)];
        kinds.extend(sites.then_some((Kind::Site, nsite)));
        let read = |(kind, num): (Kind, usize)| {
            let all = num * batch.nworld();
            let (mut pos, mut mat) = (vec![0.0; 3 * all], vec![0.0; 9 * all]);
            let [xpos, xmat] = kind.fields();
            batch.read_into(xpos, pos.as_mut_slice())?;
            batch.read_into(xmat, mat.as_mut_slice())?;
            Ok(Arrays {
                kind,
                num,
                pos,
                mat,
            })
        };
        Ok(Self(kinds.into_iter().map(read).collect::<Result<_>>()?))
    }

    /// The poses of some elements in the first worlds.
    pub fn of(&self, elements: &[Element], nworld: usize) -> Vec<f32> {
        let mut poses = vec![0.0; nworld * elements.len() * POSE];
        // chunks of size 0 are not allowed
        let row = (elements.len() * POSE).max(1);
        let rows = poses.par_chunks_exact_mut(row).enumerate();
        rows.for_each(|(world, row)| {
            for (to, element) in row.chunks_exact_mut(POSE).zip(elements) {
                let arrays = self.0.iter().find(|arrays| arrays.kind == element.kind);
                if let Some(arrays) = arrays {
                    let at = world * arrays.num + element.id;
                    to[..3].copy_from_slice(&arrays.pos[3 * at..3 * at + 3]);
                    to[3..].copy_from_slice(&arrays.mat[9 * at..9 * at + 9]);
                }
            }
        });
        poses
    }
}
