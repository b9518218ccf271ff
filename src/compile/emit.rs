//! The compiled tree into the arrays of the model (`mjCModel::CopyTree`).

use super::asset::Assets;
use super::body;
use super::mark::{self, single};
use super::pose::{Pose, Quat, V3};
use super::tree::{Ids, Tree, joint_sizes};
use crate::asset::vec3::EPS;
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::schema::FalseAuto;
use crate::types::*;

/// Below this difference frames count as the same (`kFrameEps`).
const FRAME_EPS: f64 = 1e-6;

/// Copies one row of a flat array.
pub(super) fn put<T: Copy>(to: &mut [T], row: usize, from: &[T]) {
    let n = from.len();
    to[row * n..(row + 1) * n].copy_from_slice(from);
}

/// Sets the sizes that the tree gives.
pub(super) fn sizes(m: &mut Arrays, tree: &Tree, bodies: &[body::Compiled]) {
    m.nbody = tree.bodies.len();
    m.njnt = tree.joints.len();
    m.ngeom = tree.geoms.len();
    m.nsite = tree.sites.len();
    m.ncam = tree.cameras.len();
    m.nlight = tree.lights.len();
    for joint in bodies.iter().flat_map(|b| &b.joints) {
        let (nq, nv) = joint_sizes(joint.kind);
        m.nq += nq;
        m.nv += nv;
    }
    m.nmocap = tree.bodies.iter().filter(|b| b.said.mocap()).count();
}

/// Fills the arrays of bodies, joints, dofs, geoms, sites, cameras and lights.
pub(super) fn fill(
    m: &mut Arrays,
    tree: &Tree,
    assets: &Assets,
    bodies: &[body::Compiled],
    materials: &Ids,
    body_ids: &Ids,
) -> Result<()> {
    m.nmat = tree.spec.materials.len();
    let colours = tree
        .spec
        .materials
        .iter()
        .flat_map(|said| said.rgba().map(single));
    m.mat_rgba = colours.collect();
    let mut mocap = 0;
    let mut at = Addresses::default();
    for (i, (node, compiled)) in tree.bodies.iter().zip(bodies).enumerate() {
        emit_body(m, tree, i, compiled, &mut mocap);
        emit_joints(m, tree, i, compiled, &mut at)?;
        for (k, g) in node.geoms.clone().zip(&compiled.geoms) {
            emit_geom(m, tree, assets, k, g, materials)?;
        }
        for k in node.sites.clone() {
            emit_site(m, tree, assets, k, compiled.aligned, materials)?;
        }
        for k in node.cameras.clone() {
            emit_camera(m, tree, k, compiled.aligned, body_ids)?;
        }
        for k in node.lights.clone() {
            emit_light(m, tree, k, compiled.aligned, body_ids)?;
        }
    }
    trees(m, tree)
}

#[derive(Default)]
struct Addresses {
    qpos: usize,
    dof: usize,
}

fn emit_body(m: &mut Arrays, tree: &Tree, i: usize, b: &body::Compiled, mocap: &mut i32) {
    let node = &tree.bodies[i];
    let p = node.parent;
    let first = |range: &super::tree::Range| {
        if range.is_empty() {
            -1
        } else {
            range.start as i32
        }
    };
    m.body_parentid[i] = p as i32;
    m.body_rootid[i] = if p == 0 { i as i32 } else { m.body_rootid[p] };
    m.body_weldid[i] = node.weldid as i32;
    m.body_mocapid[i] = -1;
    if node.said.mocap() {
        m.body_mocapid[i] = *mocap;
        *mocap += 1;
    }
    m.body_jntnum[i] = node.joints.len() as i32;
    m.body_jntadr[i] = first(&node.joints);
    m.body_dofadr[i] = -1;
    m.body_geomnum[i] = node.geoms.len() as i32;
    m.body_geomadr[i] = first(&node.geoms);
    m.body_pos[i] = b.pose.pos;
    m.body_quat[i] = b.pose.quat;
    m.body_ipos[i] = b.inertial.pos;
    m.body_iquat[i] = b.inertial.quat;
    m.body_mass[i] = b.mass;
    m.body_inertia[i] = b.inertia;
    m.body_gravcomp[i] = node.said.gravcomp();

    // which bodies have an inertia matrix of their own without coupling
    let same = same_frame(b.inertial, None);
    m.body_sameframe[i] = same as i32;
    let fixed_parent = m.body_parentid[p] == 0 && m.body_dofnum[p] == 0;
    let alone = m.body_rootid[i] == i as i32 || fixed_parent;
    let allowed = node.said.simple() != FalseAuto::False;
    m.body_simple[i] = i32::from(same == SameFrame::Body && alone && allowed);
    if p > 0 {
        m.body_simple[p] = 0;
    }
}

/// Relation of a frame to that of its body and to that of the body's inertia.
pub(super) fn same_frame(pose: Pose, inertial: Option<Pose>) -> SameFrame {
    match inertial {
        _ if is_zero(pose.pos) && is_unit(pose.quat) => SameFrame::Body,
        _ if is_unit(pose.quat) => SameFrame::BodyRot,
        Some(of) if same_vec(pose.pos, of.pos) && same_quat(pose.quat, of.quat) => {
            SameFrame::Inertia
        }
        Some(of) if same_quat(pose.quat, of.quat) => SameFrame::InertiaRot,
        _ => SameFrame::None,
    }
}

fn same_vec(a: V3, b: V3) -> bool {
    a.iter().zip(b).all(|(x, y)| (x - y).abs() < FRAME_EPS)
}

/// True of a vector that counts as zero.
pub(super) fn is_zero(a: V3) -> bool {
    same_vec(a, [0.0; 3])
}

// a quaternion and its negative are the same rotation
fn same_quat(a: Quat, b: Quat) -> bool {
    let near = |sign: f64| {
        a.iter()
            .zip(b)
            .all(|(x, y)| (x - sign * y).abs() < FRAME_EPS)
    };
    near(1.0) || near(-1.0)
}

fn is_unit(a: Quat) -> bool {
    same_quat(a, [1.0, 0.0, 0.0, 0.0])
}

fn emit_joints(
    m: &mut Arrays,
    tree: &Tree,
    i: usize,
    b: &body::Compiled,
    at: &mut Addresses,
) -> Result<()> {
    let node = &tree.bodies[i];
    let mut rotation = false;
    let mut sliders = true;
    let first = at.dof;
    for (j, compiled) in node.joints.clone().zip(&b.joints) {
        let said = tree.joints[j].said;
        let (nq, nv) = joint_sizes(compiled.kind);
        m.jnt_type[j] = compiled.kind as i32;
        m.jnt_qposadr[j] = at.qpos as i32;
        m.jnt_dofadr[j] = at.dof as i32;
        m.jnt_bodyid[j] = i as i32;
        m.jnt_group[j] = said.group();
        m.jnt_limited[j] = i32::from(compiled.limited);
        m.jnt_actfrclimited[j] = i32::from(compiled.actfrclimited);
        m.jnt_actgravcomp[j] = i32::from(said.actuatorgravcomp());
        put(&mut m.jnt_solref, j, &said.solreflimit());
        put(&mut m.jnt_solimp, j, &said.solimplimit());
        m.jnt_pos[j] = compiled.pos;
        m.jnt_axis[j] = compiled.axis;
        let [stiffness, poly @ ..] = said.stiffness();
        m.jnt_stiffness[j] = stiffness;
        put(&mut m.jnt_stiffnesspoly, j, &poly);
        m.jnt_springyield[j] = compiled.springyield;
        m.jnt_plasticadr[j] = -1;
        if compiled.springyield > 0.0 {
            m.jnt_plasticadr[j] = m.nplastic as i32;
            m.nplastic += nq;
        }
        put(&mut m.jnt_range, j, &compiled.range);
        put(&mut m.jnt_actfrcrange, j, &compiled.actfrcrange);
        m.jnt_margin[j] = said.margin();

        // coupled: a rotation after another, an anchor elsewhere, an oblique axis
        let along = compiled.axis.iter().filter(|x| x.abs() > EPS).count() == 1;
        let scalar = matches!(compiled.kind, JointType::Hinge | JointType::Slide);
        if rotation || !is_zero(compiled.pos) || (scalar && !along) {
            m.body_simple[i] = 0;
        }
        rotation |= matches!(compiled.kind, JointType::Ball | JointType::Hinge);
        sliders &= compiled.kind == JointType::Slide;

        let (q0, spring) = reference(compiled, b.pose);
        m.qpos0[at.qpos..at.qpos + nq].copy_from_slice(&q0[..nq]);
        m.qpos_spring[at.qpos..at.qpos + nq].copy_from_slice(&spring[..nq]);
        for _ in 0..nv {
            emit_dof(m, tree, at.dof, i, j, first);
            at.dof += 1;
        }
        at.qpos += nq;
    }
    m.body_dofnum[i] = (at.dof - first) as i32;
    if at.dof > first {
        m.body_dofadr[i] = first as i32;
        if m.body_simple[i] != 0 && sliders {
            m.body_simple[i] = 2;
        }
    }
    Ok(())
}

// coordinates of the initial and of the relaxed configuration
fn reference(joint: &super::joint::Compiled, body: Pose) -> ([f64; 7], [f64; 7]) {
    let mut q = [0.0; 7];
    match joint.kind {
        JointType::Free => {
            q[..3].copy_from_slice(&body.pos);
            q[3..].copy_from_slice(&body.quat);
            (q, q)
        }
        JointType::Ball => {
            q[0] = 1.0;
            (q, q)
        }
        JointType::Slide | JointType::Hinge => {
            let mut spring = q;
            q[0] = joint.reference;
            spring[0] = joint.springref;
            (q, spring)
        }
    }
}

fn emit_dof(m: &mut Arrays, tree: &Tree, d: usize, i: usize, j: usize, first: usize) {
    let said = tree.joints[j].said;
    m.dof_bodyid[d] = i as i32;
    m.dof_jntid[d] = j as i32;
    m.dof_parentid[d] = if d > first {
        d as i32 - 1
    } else {
        last_dof(m, m.body_parentid[i] as usize)
    };
    put(&mut m.dof_solref, d, &said.solreffriction());
    put(&mut m.dof_solimp, d, &said.solimpfriction());
    m.dof_frictionloss[d] = said.frictionloss();
    m.dof_armature[d] = said.armature();
    let [damping, poly @ ..] = said.damping();
    m.dof_damping[d] = damping;
    put(&mut m.dof_dampingpoly, d, &poly);
}

// the last dof of a body or its nearest ancestor that has one; -1: none
fn last_dof(m: &Arrays, mut i: usize) -> i32 {
    loop {
        if m.body_dofnum[i] > 0 {
            return m.body_dofadr[i] + m.body_dofnum[i] - 1;
        }
        if i == 0 {
            return -1;
        }
        i = m.body_parentid[i] as usize;
    }
}

fn emit_geom(
    m: &mut Arrays,
    tree: &Tree,
    assets: &Assets,
    k: usize,
    g: &super::geom::Compiled,
    materials: &Ids,
) -> Result<()> {
    let part = &tree.geoms[k];
    let said = part.said;
    m.geom_type[k] = g.kind as i32;
    m.geom_contype[k] = said.contype();
    m.geom_conaffinity[k] = said.conaffinity();
    m.geom_condim[k] = said.condim();
    m.geom_bodyid[k] = part.body as i32;
    m.geom_dataid[k] = g.data.map_or(-1, |id| id as i32);
    // a geom without material has that of its mesh
    let mesh = match &said.mesh {
        Some(name) if said.material.is_none() => assets.said(tree, name),
        _ => None,
    };
    let material = said
        .material
        .as_ref()
        .or(mesh.and_then(|m| m.material.as_ref()));
    m.geom_matid[k] = match material {
        Some(name) => materials.find(tree, said.origin, "material", name)? as i32,
        None => -1,
    };
    m.geom_group[k] = said.group();
    m.geom_priority[k] = said.priority();
    m.geom_solmix[k] = said.solmix();
    put(&mut m.geom_solref, k, &said.solref());
    put(&mut m.geom_solimp, k, &said.solimp());
    m.geom_size[k] = g.size;
    put(&mut m.geom_aabb, k, &g.aabb);
    m.geom_rbound[k] = g.rbound;
    m.geom_pos[k] = g.pose.pos;
    m.geom_quat[k] = g.pose.quat;
    m.geom_friction[k] = said.friction();
    m.geom_margin[k] = said.margin();
    m.geom_gap[k] = said.gap();
    put(&mut m.geom_surfacevel, k, &g.surfacevel);
    m.geom_adhesion[k] = said.adhesion();
    put(&mut m.geom_fluid, k, &g.fluid);
    put(&mut m.geom_rgba, k, &said.rgba().map(single));
    m.geom_sameframe[k] = same_frame(g.pose, Some(inertial(m, part.body))) as i32;
    Ok(())
}

/// The inertial frame of a body, in the body's.
pub(super) fn inertial(m: &Arrays, i: usize) -> Pose {
    Pose {
        pos: m.body_ipos[i],
        quat: m.body_iquat[i],
    }
}

fn emit_site(
    m: &mut Arrays,
    tree: &Tree,
    assets: &Assets,
    k: usize,
    aligned: Option<Pose>,
    materials: &Ids,
) -> Result<()> {
    let part = &tree.sites[k];
    let said = part.said;
    let mut site = mark::site(tree, part)?;
    if let Some(back) = aligned {
        site.pose = back.then(site.pose);
    }
    m.site_type[k] = site.kind as i32;
    m.site_bodyid[k] = part.body as i32;
    let mesh = assets.mesh_of(tree, said.origin, said.mesh.as_deref())?;
    m.site_dataid[k] = mesh.map_or(-1, |id| id as i32);
    m.site_matid[k] = match &said.material {
        Some(name) => materials.find(tree, said.origin, "material", name)? as i32,
        None => -1,
    };
    m.site_group[k] = said.group();
    m.site_sameframe[k] = same_frame(site.pose, Some(inertial(m, part.body))) as i32;
    m.site_size[k] = match mesh {
        Some(id) if site.kind == GeomType::Mesh => assets.half_sizes(id),
        _ => site.size,
    };
    m.site_pos[k] = site.pose.pos;
    m.site_quat[k] = site.pose.quat;
    put(&mut m.site_rgba, k, &said.rgba().map(single));
    Ok(())
}

fn target(
    tree: &Tree,
    ids: &Ids,
    origin: crate::mjcf::source::Origin,
    name: &Option<String>,
) -> Result<i32> {
    match name {
        Some(name) => Ok(ids.find(tree, origin, "target", name)? as i32),
        None => Ok(-1),
    }
}

fn emit_camera(
    m: &mut Arrays,
    tree: &Tree,
    k: usize,
    aligned: Option<Pose>,
    body_ids: &Ids,
) -> Result<()> {
    let part = &tree.cameras[k];
    let said = part.said;
    let mut camera = mark::camera(tree, part)?;
    if let Some(back) = aligned {
        camera.pose = back.then(camera.pose);
    }
    m.cam_mode[k] = said.mode() as i32;
    m.cam_bodyid[k] = part.body as i32;
    m.cam_targetbodyid[k] = target(tree, body_ids, said.origin, &said.target)?;
    m.cam_pos[k] = camera.pose.pos;
    m.cam_quat[k] = camera.pose.quat;
    m.cam_projection[k] = said.projection() as i32;
    m.cam_fovy[k] = camera.fovy;
    put(&mut m.cam_resolution, k, &said.resolution());
    m.cam_output[k] = said
        .output()
        .0
        .iter()
        .fold(0, |bits, image| bits | 1 << *image as i32);
    put(&mut m.cam_sensorsize, k, &camera.sensorsize);
    put(&mut m.cam_intrinsic, k, &camera.intrinsic);
    Ok(())
}

fn emit_light(
    m: &mut Arrays,
    tree: &Tree,
    k: usize,
    aligned: Option<Pose>,
    body_ids: &Ids,
) -> Result<()> {
    let part = &tree.lights[k];
    let said = part.said;
    let light = mark::light(tree, part, aligned)?;
    m.light_mode[k] = said.mode() as i32;
    m.light_bodyid[k] = part.body as i32;
    m.light_targetbodyid[k] = target(tree, body_ids, said.origin, &said.target)?;
    m.light_type[k] = said.type_() as i32;
    m.light_active[k] = i32::from(said.active());
    m.light_pos[k] = light.pos;
    m.light_dir[k] = light.dir;
    Ok(())
}

/// Kinematic trees under the world: their dofs and bodies.
pub(super) fn kinematic_trees(m: &mut Arrays) {
    let mut ntree = 0;
    for d in 0..m.nv {
        ntree += usize::from(m.dof_parentid[d] == -1);
        m.dof_treeid[d] = ntree as i32 - 1;
    }
    m.ntree = ntree;
    m.tree_bodyadr = vec![0; ntree];
    m.tree_bodynum = vec![0; ntree];
    m.tree_dofadr = vec![0; ntree];
    m.tree_dofnum = vec![0; ntree];
    for i in 0..m.nbody {
        let weld = m.body_weldid[i] as usize;
        m.body_treeid[i] = -1;
        if m.body_dofnum[weld] > 0 {
            m.body_treeid[i] = m.dof_treeid[m.body_dofadr[weld] as usize];
        }
        let Ok(t) = usize::try_from(m.body_treeid[i]) else {
            continue;
        };
        if m.tree_bodynum[t] == 0 {
            m.tree_bodyadr[t] = i as i32;
        }
        m.tree_bodynum[t] += 1;
    }
    for d in (0..m.nv).rev() {
        let t = m.dof_treeid[d] as usize;
        m.tree_dofadr[t] = d as i32;
        m.tree_dofnum[t] += 1;
    }
}

// the trees, and whether they may sleep
fn trees(m: &mut Arrays, tree: &Tree) -> Result<()> {
    kinematic_trees(m);
    m.tree_sleep_policy = vec![SleepPolicy::Auto as i32; m.ntree];
    for i in 1..m.nbody {
        let said = tree.bodies[i].said;
        let policy = said.sleep();
        if policy == SleepPolicy::Auto {
            continue;
        }
        let t = m.body_treeid[i];
        let root = t >= 0 && t != m.body_treeid[i - 1];
        let msg = "sleep is for the first moving body of a kinematic tree";
        tree.ensure(root, said.origin, Some("sleep"), msg)?;
        m.tree_sleep_policy[t as usize] = policy as i32;
    }
    Ok(())
}
