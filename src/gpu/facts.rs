//! Facts about a model: constants that let its kernels leave out branches, and stubs of functions that they never call.

use crate::cpu::collision::Kind;
use crate::cpu::lib::penalty::has_penalties;
use crate::cpu::lib::rod::{is_boxed, is_rod, twists};
use crate::cpu::lib::yielding::model_yields;
use crate::fields::{Arrays, Model};
use crate::gpu::{sdf, solids};
use crate::types::{
    self, BLOCK_RUN, BiasType, ConDataField, DSBL_NATIVECCD, DynType, GainType, GeomType, Reduce,
    SensorType, TendonType, TrnType, WrapType,
};

/// A fact about a model: the name of its constant, and the test for it.
pub type Fact = (&'static str, fn(&Model) -> bool);

/// Facts about a model, by which its kernels leave out branches.
pub const FACTS: &[Fact] = &[
    ("model_damped", crate::cpu::euler::damped),
    ("model_rigid", |m| {
        (0..m.nv).any(|i| crate::cpu::lib::slope::rigid(m, i))
    }),
    // pattern i of rows is dof i alone, as the compiler numbers them
    ("patterns_begin_with_dofs", |m| {
        let is_dof =
            |i: usize| m.Jpat_num[i] == 1 && m.Jpat_dof[m.Jpat_adr[i] as usize] == i as i32;
        m.nJpat >= m.nv && (0..m.nv).all(is_dof)
    }),
    // geoms of the convex collider
    ("collides_convex", |m| {
        solids::collides(m, Kind::Convex) || solids::speculates(m)
    }),
    ("collides_hfield", |m| solids::collides(m, Kind::Hfield)),
    ("measures_convex", |m| solids::measures(m, Kind::Convex)),
    ("measures_hfield", |m| solids::measures(m, Kind::Hfield)),
    // searches for overlaps of signed distance fields with other solids, and for triangles of meshes or flexes in them
    ("searches_overlaps", |m| sdf::searches(m, Kind::Sdf)),
    ("searches_triangles", |m| sdf::searches(m, Kind::MeshSdf)),
    ("searches_fields", |m| {
        sdf::searches(m, Kind::Sdf) || sdf::searches(m, Kind::MeshSdf)
    }),
    ("searches_elements", sdf::meets_elements),
    // contacts are made before geoms touch
    ("model_speculates", solids::speculates),
    ("solid_faces", solids::meet_in_several),
    ("solid_mesh_searched", |m| solids::mesh_that(m, false)),
    ("solid_mesh_climbed", |m| solids::mesh_that(m, true)),
    // types of actuators
    ("model_muscles", |m| {
        m.actuator_dyntype.contains(&(DynType::Muscle as i32))
            || m.actuator_gaintype.contains(&(GainType::Muscle as i32))
            || m.actuator_biastype.contains(&(BiasType::Muscle as i32))
    }),
    ("model_dcmotors", |m| {
        m.actuator_dyntype.contains(&(DynType::DcMotor as i32))
            || m.actuator_gaintype.contains(&(GainType::DcMotor as i32))
            || m.actuator_biastype.contains(&(BiasType::DcMotor as i32))
    }),
    ("model_pids", |m| {
        m.actuator_dyntype.contains(&(DynType::Pid as i32))
            || m.actuator_gaintype.contains(&(GainType::Pid as i32))
    }),
    ("model_so3", |m| {
        m.actuator_gaintype.contains(&(GainType::So3 as i32))
            || m.actuator_trntype.contains(&(TrnType::So3 as i32))
    }),
    // transmissions of actuators
    ("model_cranks", |m| {
        m.actuator_trntype.contains(&(TrnType::SliderCrank as i32))
    }),
    ("model_sites", |m| {
        m.actuator_trntype.contains(&(TrnType::Site as i32))
    }),
    ("model_adhesion", |m| {
        m.actuator_trntype.contains(&(TrnType::Body as i32))
    }),
    // types of sensors that share their inputs
    ("senses_distances", solids::tells_distances),
    ("senses_enclosure", solids::encloses),
    ("senses_frame", |m| {
        let axes = SensorType::FrameXAxis as i32..=SensorType::FrameZAxis as i32;
        let frame = |t: &i32| *t == SensorType::FramePos || axes.contains(t);
        m.sensor_type.iter().any(frame)
    }),
    ("sites_mesh", |m| {
        m.site_type.contains(&(GeomType::Mesh as i32))
    }),
    ("senses_acceleration", |m| {
        use SensorType::{Accelerometer, FrameAngAcc, FrameLinAcc};
        let types = [Accelerometer, FrameLinAcc, FrameAngAcc];
        let moving = |t: &i32| types.iter().any(|moving| *t == *moving);
        m.sensor_type.iter().any(moving)
    }),
    ("senses_force", |m| {
        let types = [SensorType::Force, SensorType::Torque];
        let force = |t: &i32| types.iter().any(|force| *t == *force);
        m.sensor_type.iter().any(force)
    }),
    ("contact_forces", |m| {
        contacts_sensed(m, &[ConDataField::Force, ConDataField::Torque])
            || reduced(m, &[Reduce::MaxForce, Reduce::NetForce])
    }),
    ("contact_velocities", |m| {
        contacts_sensed(m, &[ConDataField::LinVel, ConDataField::AngVel])
    }),
    ("senses_motion", |m| {
        use SensorType::{FrameAngVel, FrameLinVel, Gyro, Velocimeter};
        let types = [Velocimeter, Gyro, FrameLinVel, FrameAngVel];
        let motion = |t: &i32| types.iter().any(|motion| *t == *motion);
        m.sensor_type.iter().any(motion)
    }),
    ("has_medium", |m| m.opt.has_medium()),
    // meshes whose distances are a text of the user's own
    ("own_sdfs", |m| crate::gpu::own::has_sdfs(m)),
    // soft bodies whose vertices lie between nodes
    ("model_cages", |m| {
        m.flex_interp.iter().any(|order| *order != 0)
    }),
    ("model_shells", |m| {
        m.flex_interp.iter().any(|order| *order < 0)
    }),
    // soft bodies that yield, and those whose strains are held by rows
    ("model_yields", model_yields),
    // contacts that are springs
    ("model_penalties", |m| has_penalties(m)),
    ("model_strains", |m| {
        m.eq_type.contains(&(types::EqType::FlexStrain as i32))
    }),
    // elements of flexes that collide, by their number of dimensions, and those whose contacts need a search
    ("flexes_of_lines", |m| solids::elements_of(m, 1)),
    ("flexes_of_triangles", |m| solids::elements_of(m, 2)),
    ("flexes_of_tetrahedra", |m| solids::elements_of(m, 3)),
    ("elements_searched", solids::elements_searched),
    ("flexes_crowd", solids::crowds),
    // pairs of elements are found as worlds run
    ("model_blocks", |m| m.nblock > 0),
    // flexes that touch themselves and are swept over
    ("flexes_swept", solids::sweeps),
    // flexes of lines that bend and twist, and those that contacts turn
    ("model_rods", |m| (0..m.nflex).any(|f| is_rod(m, f))),
    ("rods_touch", |m| some_touches(m, twists)),
    ("rods_boxed", rods_boxed),
    // types of tendons
    ("model_spatial_tendons", |m| {
        m.tendon_type.contains(&(TendonType::Spatial as i32))
    }),
    ("model_wraps", |m| {
        m.wrap_type.contains(&(WrapType::Sphere as i32))
            || m.wrap_type.contains(&(WrapType::Cylinder as i32))
    }),
];

/// Whether a fact holds for a model, by the name of its constant: one of [`FACTS`], or of a family, named like `collides_plane_capsule`.
pub(super) fn fact(m: &Model, name: &str) -> Option<bool> {
    if let Some((_, holds)) = FACTS.iter().find(|(fact, _)| *fact == name) {
        return Some(holds(m));
    }
    let (family, of) = name.split_once('_')?;
    match family {
        "collides" => collides(m, of),
        "field" => sdf::shaped(m, of),
        "geoms" => geoms(m, of),
        "measures" => measures(m, of),
        "meets" => sdf::meets(m, of),
        "senses" => senses(m, of),
        "solid" => solids::solid(m, of),
        _ => None,
    }
}

// whether edges of rods touch as boxes
fn rods_boxed(m: &Model) -> bool {
    some_touches(m, is_boxed)
}

// whether a flex of a kind may touch something
fn some_touches(m: &Model, is: fn(&Arrays, usize) -> bool) -> bool {
    let mut sides = m.collision_flex.iter();
    sides.any(|f| usize::try_from(*f).is_ok_and(|f| is(m, f)))
}

// whether a contact sensor reports one of these fields
fn contacts_sensed(m: &Model, fields: &[ConDataField]) -> bool {
    let bits = fields
        .iter()
        .fold(0, |bits, field| bits | 1 << *field as i32);
    contact_sensors(m).any(|prm| prm[0] & bits != 0)
}

// whether a contact sensor reduces contacts in one of these ways
fn reduced(m: &Model, ways: &[Reduce]) -> bool {
    contact_sensors(m).any(|prm| ways.iter().any(|way| prm[1] == *way))
}

// integer parameters of all contact sensors
fn contact_sensors(m: &Model) -> impl Iterator<Item = &[i32]> {
    let sensors = m.sensor_type.iter().zip(m.sensor_intprm.chunks_exact(3));
    sensors.filter_map(|(t, prm)| (*t == types::SensorType::Contact).then_some(prm))
}

// whether the model has a geom of a type, named like `mesh`
fn geoms(m: &Model, name: &str) -> Option<bool> {
    let is = |t: &&types::GeomType| format!("{t:?}").eq_ignore_ascii_case(name);
    let geom = *types::GeomType::ALL.iter().find(is)? as i32;
    Some(m.geom_type.contains(&geom))
}

// whether a pair of two types, named like `plane_capsule`, may collide
fn collides(m: &Model, pair: &str) -> Option<bool> {
    let pairs = m.collision_geom1.iter().zip(&m.collision_geom2);
    any_of(m, pair, pairs.map(|(&a, &b)| [a, b]))
}

// whether a sensor measures the distance of such a pair
fn measures(m: &Model, pair: &str) -> Option<bool> {
    let pairs = solids::measured(m);
    any_of(m, pair, pairs.map(|(geoms, _)| geoms.map(|g| g as i32)))
}

// whether a pair of two types, named like `plane_capsule`, is among pairs of geoms
fn any_of(m: &Model, pair: &str, mut pairs: impl Iterator<Item = [i32; 2]>) -> Option<bool> {
    let named = |name: &str| {
        let is = |t: &&types::GeomType| format!("{t:?}").eq_ignore_ascii_case(name);
        types::GeomType::ALL.iter().find(is).copied()
    };
    let (first, second) = pair.split_once('_')?;
    let (first, second) = (named(first)?, named(second)?);
    let is = |geom: i32, kind| usize::try_from(geom).is_ok_and(|g| m.geom_type[g] == kind);
    Some(pairs.any(|[a, b]| is(a, first) && is(b, second)))
}

// whether the model has a sensor of a type, named like `framepos`
fn senses(m: &Model, name: &str) -> Option<bool> {
    let is = |t: &&types::SensorType| format!("{t:?}").eq_ignore_ascii_case(name);
    let sensor = *types::SensorType::ALL.iter().find(is)? as i32;
    Some(m.sensor_type.contains(&sensor))
}

// the stub of a function that the model's kernels never call, or an array size where the default is too small
pub(super) fn stub(m: &Model, name: &str) -> Option<String> {
    let ahead = solids::speculates(m);
    let lacks = |kind: Kind| !ahead && !solids::collides(m, kind);
    let newer = !m.opt.disabled(DSBL_NATIVECCD);
    let lacks_too = |kind: Kind| lacks(kind) && !solids::measures(m, kind);
    let text = match name {
        "plane_mesh" if lacks_too(Kind::PlaneMesh) => {
            "fn plane_mesh(plane: Shape, geom: i32, margin: f32) {}"
        }
        "convex" if lacks(Kind::Convex) && lacks(Kind::Hfield) => {
            "fn convex(a: Shape, b: Shape, geom1: i32, geom2: i32, margin: f32) {}"
        }
        "convex_manifold" if !solids::meet_in_several(m) => "fn convex_manifold(margin: f32) {}",
        "ccd_search"
            if lacks_too(Kind::Convex)
                && lacks_too(Kind::Hfield)
                && !solids::elements_searched(m) =>
        {
            "fn ccd_search(a: Shape, b: Shape, geom1: i32, geom2: i32, margin: f32) {}"
        }
        "look_ahead" if !ahead => {
            "fn look_ahead(k: i32, a: Shape, b: Shape, search: bool, soon: bool) {}"
        }
        "sweeps_meet" if !ahead => "fn sweeps_meet(k: i32) -> bool { return false; }",
        "portal_begin" if newer => "fn portal_begin() {}",
        "portal_move" if newer => "fn portal_move(corner: Corner) {}",
        "portal_dir" if newer => "const portal_dir = vec3f(0.0);",
        "older_found" if newer => "fn older_found(a: Shape, b: Shape, geom1: i32, geom2: i32) {}",
        "sdf_sdf" if !sdf::searches(m, Kind::Sdf) => "fn sdf_sdf(geom1: i32, geom2: i32) {}",
        "mesh_sdf" if !sdf::searches(m, Kind::MeshSdf) => "fn mesh_sdf(geom1: i32, geom2: i32) {}",
        "sdf_at" if !sdf::any(m) => {
            "fn sdf_at(geom: i32, x: vec3f) -> vec4f { return vec4f(0.0); }"
        }
        "field_ray" if !sdf::any(m) => "fn field_ray(geom: i32, r: Ray) -> Hit { return miss(); }",
        "triangle_sdf" if !sdf::meets_elements(m) => "fn triangle_sdf(geom: i32) {}",
        "drop_doubles" if !sdf::meets_elements(m) => "fn drop_doubles() {}",
        "touch_boxed" if !rods_boxed(m) => {
            "fn touch_boxed(k: i32, radius: f32, detect: f32) -> bool { return false; }"
        }
        "plane_section" if !rods_boxed(m) => {
            "fn plane_section(geom: i32, f: i32, v: i32, detect: f32) {}"
        }
        "BLOCK_RUN" => &format!("const BLOCK_RUN: i32 = {BLOCK_RUN};"),
        "MESH_BOXES" => &format!("const MESH_BOXES: i32 = {};", sdf::boxes(m)),
        "ccd_newer" if !solids::tells_distances(m) => "const ccd_newer: bool = false;",
        "ccd_beyond" if !ahead && !solids::tells_distances(m) => "const ccd_beyond: f32 = 0.0;",
        "geom_distance" if !solids::tells_distances(m) => {
            "fn geom_distance(first: i32, second: i32, most: f32) -> Apart { return Apart(); }"
        }
        "juts_out_of_site" if !solids::encloses(m) => {
            "fn juts_out_of_site(kind: i32, id: i32, site: i32) -> f32 { return 0.0; }"
        }
        "MESH_CORNERS" => &format!("const MESH_CORNERS: i32 = {};", solids::left(m)?),
        "CLIP_MOST" => {
            let most = solids::left(m)?.min(2 * solids::corners(m) + 2);
            &format!("const CLIP_MOST: i32 = {most};")
        }
        _ => return None,
    };
    Some(format!("{text}\n"))
}
