//! Signed distance fields that the kernels of a model meet.

use crate::cpu::collision::{Kind, soft};
use crate::fields::Model;
use crate::gpu::solids;
use crate::types::{GeomType, PluginKind};

/// Whether the model has signed distances of geoms of type `sdf` or of meshes.
pub fn any(m: &Model) -> bool {
    m.noct > 0 || m.geom_type.contains(&(GeomType::Sdf as i32))
}

/// Whether pairs of this kind may collide, or a sensor measures the distance of one.
pub fn searches(m: &Model, what: Kind) -> bool {
    solids::collides(m, what) || solids::measures(m, what)
}

/// Whether the model has a geom with the shape of this plugin, named like `torus`.
pub fn shaped(m: &Model, name: &str) -> Option<bool> {
    let is = |kind: &&PluginKind| format!("{kind:?}").eq_ignore_ascii_case(name);
    let kind = *PluginKind::ALL.iter().find(is)? as i32;
    let mut fields = (0..m.ngeom).filter(|&g| m.geom_type[g] == GeomType::Sdf);
    Some(fields.any(|g| usize::try_from(m.geom_plugin[g]).is_ok_and(|id| m.plugin[id] == kind)))
}

/// Whether a search for an overlap with a signed distance field meets a geom of this type.
pub fn meets(m: &Model, name: &str) -> Option<bool> {
    let is = |t: &&GeomType| format!("{t:?}").eq_ignore_ascii_case(name);
    let of_type = *GeomType::ALL.iter().find(is)? as i32;
    let all = solids::pairs(m).chain(solids::measured(m));
    let mut fields = all.filter(|(_, k)| *k == Kind::Sdf);
    Some(fields.any(|(geoms, _)| m.geom_type[geoms[0]] == of_type))
}

/// Whether elements of flexes may touch a geom of type `sdf`.
pub fn meets_elements(m: &Model) -> bool {
    (0..m.ncollisionflex).any(|k| soft::is_soft(m, k) && soft::is_field(m, k))
}

/// Room for the boxes of a mesh that wait while its tree is searched: one for each level below the first, and the last one's two parts.
pub fn boxes(m: &Model) -> usize {
    let levels = (0..m.nmesh).map(|mesh| {
        let first = m.mesh_bvhadr[mesh].max(0) as usize;
        let num = m.mesh_bvhnum[mesh] as usize;
        // boxes come before their parts
        let mut level = vec![0; num];
        for own in 0..num {
            let parts = &m.bvh_child[2 * (first + own)..2 * (first + own) + 2];
            for part in parts.iter().filter_map(|part| usize::try_from(*part).ok()) {
                level[part] = level[own] + 1;
            }
        }
        level.into_iter().max().unwrap_or(0)
    });
    levels.max().unwrap_or(0) + 2
}
