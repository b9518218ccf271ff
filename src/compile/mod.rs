//! Spec → Model: the compiler.
//!
//! ```text
//! Spec ─tree──▶ flat lists, frames folded ─body·geom·joint·mark──▶ in body frames, with inertia ─emit──▶ Model
//!      ─contact·equality·tendon·actuator·sensor·custom──▶ Model ─sparse·layout──▶ patterns ─setconst──▶ constants at qpos0
//! ```
//!
//! Numbers and order follow MuJoCo 4.0.0's compiler (`mjCModel::TryCompile`). A model that MuJoCo refuses is refused here, with
//! the place in the text and the remedy.

mod actuator;
#[cfg(feature = "scene")]
pub(crate) mod appearance;
mod asset;
mod body;
mod bounds;
pub(crate) mod capacity;
mod changed;
mod check;
mod contact;
mod couple;
mod custom;
mod edit;
mod emit;
mod equality;
pub(crate) mod flex;
mod fluid;
mod follow;
mod geom;
mod history;
mod invweight;
mod joint;
mod keyof;
pub(crate) mod layout;
mod lengthrange;
mod mark;
pub(crate) mod mesh;
mod mwb;
mod names;
pub(crate) mod needs;
pub(crate) mod pair;
mod parts;
pub(crate) mod pattern;
mod plastic;
mod plugin;
pub(crate) mod pose;
mod qpos0;
mod reduce;
mod scale;
mod sensor;
mod setconst;
mod settings;
mod simple;
mod sleep;
mod sparse;
mod tendon;
mod tree;

use crate::error::Result;
use crate::fields::{Arrays, Model};
use crate::mjcf::spec::Spec;
use crate::model::{Names as ModelNames, Statistic};
use crate::types::MINVAL;
pub(crate) use changed::{COUNTS, Changed, Kept};
pub(crate) use edit::STRUCTURAL;
pub(crate) use follow::{Renumbered, same_sizes};
pub(crate) use layout::dual_rows;
use names::Names;
pub use needs::missing;
pub use parts::Parts;
pub(crate) use qpos0::{WIDTH, Work};
use tree::Tree;

impl Model {
    /// Reads and compiles a model file.
    ///
    /// # Errors
    /// As [`Spec::from_file`] and [`compile`].
    pub fn from_xml_path(path: impl AsRef<std::path::Path>) -> Result<Model> {
        compile(&Spec::from_file(path)?)
    }

    /// Reads and compiles a model file within the given limits: [`Limits::root`](crate::mjcf::Limits::root) says where the
    /// model's other files may lie.
    ///
    /// # Errors
    /// As [`Model::from_xml_path`].
    pub fn from_xml_path_with(
        path: impl AsRef<std::path::Path>,
        limits: &crate::mjcf::Limits,
    ) -> Result<Model> {
        compile(&Spec::from_file_with(path, limits)?)
    }

    /// Reads and compiles the text of a model that needs no other files.
    ///
    /// # Errors
    /// As [`Spec::from_str`] and [`compile`].
    pub fn from_xml_str(xml: &str) -> Result<Model> {
        compile(&Spec::from_str(xml)?)
    }
}

/// Compiles a model.
///
/// The result depends on the spec alone: the same bytes every time. Fails with the place in the text when something is
/// unknown, inconsistent, unphysical, or not supported.
pub fn compile(spec: &Spec) -> Result<Model> {
    if let Some(spec) = scale::scaled(spec)? {
        return compile(&spec);
    }
    let tree = Tree::new(spec)?;
    let names = Names::new(&tree)?;
    let plugins = plugin::Plugins::new(&tree, &names)?;
    let assets = asset::Assets::new(&tree, &names, &plugins)?;
    let bodies = (0..tree.bodies.len())
        .map(|id| body::compile(&tree, &assets, id))
        .collect::<Result<Vec<_>>>()?;
    if let Some(spec) = reduce::reduced(&tree, &bodies)? {
        return compile(&spec);
    }
    check_moving(&tree, &bodies)?;

    let mut m = Arrays {
        opt: settings::options(&tree)?,
        ..Arrays::default()
    };
    settings::capacities(&mut m, &tree);
    emit::sizes(&mut m, &tree, &bodies);
    // arrays of the tree get their size; lists outside of it grow as they are filled
    m.allocate();
    emit::fill(
        &mut m,
        &tree,
        &assets,
        &bodies,
        &names.material,
        &names.body,
    )?;
    #[cfg(feature = "scene")]
    let appearance = appearance::Appearance::of(&tree, &assets);
    assets.fill(&mut m, &tree);
    flex::fill(&mut m, &tree, &names)?;
    equality::fill(&mut m, &tree, &names)?;
    tendon::fill(&mut m, &tree, &names)?;
    flex::plastic::addresses(&mut m);
    let pair = contact::pairs(&mut m, &tree, &names.geom)?;
    let exclude = contact::excludes(&mut m, &tree, &names.body)?;
    actuator::fill(&mut m, &tree, &names)?;
    sensor::fill(&mut m, &tree, &names, &plugins)?;
    plugins.fill(&mut m, &tree)?;
    custom::numerics(&mut m, &tree)?;
    custom::tuples(&tree, &names)?;
    m.names = model_names(spec, &names, pair, exclude);
    m.names.plugin = plugins.names();
    let model = finish(m, &tree)?;
    #[cfg(feature = "scene")]
    let model = model.looking(appearance);
    Ok(model)
}

// patterns, keyframes, and all derived arrays
fn finish(mut arrays: Arrays, tree: &Tree) -> Result<Model> {
    let m = &mut arrays;
    let n = m.ntendon;
    m.ten_J_rownnz = vec![0; n];
    m.ten_J_rowadr = vec![0; n];
    m.tendon_treenum = vec![0; n];
    m.tendon_treeid = vec![-1; 2 * n];
    m.tendon_length0 = vec![0.0; n];
    m.tendon_invweight0 = vec![0.0; n];
    m.actuator_acc0 = vec![0.0; m.nout];
    m.actuator_length0 = vec![0.0; m.nout];
    sparse::fill(m);
    setconst::tendon_pattern(m);

    m.nkey = custom::key_count(m, tree)?;
    m.key_time = vec![0.0; m.nkey];
    m.key_qpos = vec![0.0; m.nkey * m.nq];
    m.key_qvel = vec![0.0; m.nkey * m.nv];
    m.key_act = vec![0.0; m.nkey * m.na];
    m.key_ctrl = vec![0.0; m.nkey * m.nu];
    m.key_mpos = vec![[0.0; 3]; m.nkey * m.nmocap];
    m.key_mquat = vec![[0.0; 4]; m.nkey * m.nmocap];
    m.key_plastic = vec![0.0; m.nkey * m.nplastic];
    custom::keys(m, tree)?;
    m.names.key = custom::key_names(tree, m.nkey)?;

    bounds::bodies(m);
    total_mass(m, tree.spec.compiler().settotalmass());
    setconst::set_fixed(m);
    layout::layout(m, &pair::Pairs::default())?;
    m.stat = Statistic {
        meaninertia: 1.0,
        meanmass: 1.0,
        meansize: 0.2,
        extent: 2.0,
        center: [0.0; 3],
    };
    let mut model = Model::unchecked(arrays);
    setconst::mark_welds(model.arrays_mut());
    let d = qpos0::of_one(&mut model);
    setconst::damping_ratios(model.arrays_mut(), &d);
    setconst::statistics(model.arrays_mut(), &d);
    setconst::set_spring(&mut model);
    let m = model.arrays_mut();
    plastic::begin(m);
    custom::plastic_keys(m, tree)?;
    let springdamper: Vec<[f64; 2]> = tree.joints.iter().map(|p| p.said.springdamper()).collect();
    setconst::spring_dampers(m, &springdamper);
    layout::of_actuators(m);
    lengthrange::fill(&mut model, tree)?;
    override_statistics(model.arrays_mut(), tree.spec);
    model.arrays_mut().names.place = needs::places(&model, tree);
    Model::from_arrays(model.into_arrays())
}

fn total_mass(m: &mut Arrays, total: f64) {
    if total <= 0.0 {
        return;
    }
    let sum = m.body_mass.iter().skip(1).fold(0.0, |sum, x| sum + x);
    let scale = MINVAL.max(total / MINVAL.max(sum));
    for i in 1..m.nbody {
        m.body_mass[i] *= scale;
        m.body_inertia[i] = m.body_inertia[i].map(|x| x * scale);
    }
}

fn override_statistics(m: &mut Arrays, spec: &Spec) {
    let (stat, said) = (&mut m.stat, &spec.statistic);
    for (to, said) in [
        (&mut stat.meaninertia, said.meaninertia),
        (&mut stat.meanmass, said.meanmass),
        (&mut stat.meansize, said.meansize),
        (&mut stat.extent, said.extent),
    ] {
        *to = said.unwrap_or(*to);
    }
    stat.center = said.center.unwrap_or(stat.center);
}

// a moving body needs mass, its own or that of a body welded to it
fn check_moving(tree: &Tree, bodies: &[body::Compiled]) -> Result<()> {
    let heavy =
        |i: usize| bodies[i].mass >= MINVAL && bodies[i].inertia.iter().all(|x| *x >= MINVAL);
    // a body is carried by the nearest ancestor that has joints
    let mut carries = vec![false; bodies.len()];
    for i in (1..bodies.len()).rev() {
        carries[i] |= heavy(i);
        if tree.bodies[i].joints.is_empty() {
            carries[tree.bodies[i].parent] |= carries[i];
        }
    }
    for (i, node) in tree.bodies.iter().enumerate().skip(1) {
        if !node.joints.is_empty() && !carries[i] {
            let (origin, msg) = body::too_light(node, &bodies[i]);
            return Err(tree.error(origin, None, msg));
        }
    }
    Ok(())
}

fn model_names(spec: &Spec, names: &Names, pair: Vec<String>, exclude: Vec<String>) -> ModelNames {
    ModelNames {
        model: spec.name.clone(),
        body: names.body.list(),
        joint: names.joint.list(),
        geom: names.geom.list(),
        site: names.site.list(),
        camera: names.camera.list(),
        light: names.light.list(),
        mesh: names.mesh.list(),
        flex: names.flex.list(),
        hfield: names.hfield.list(),
        pair,
        exclude,
        equality: names.equality.list(),
        tendon: names.tendon.list(),
        actuator: names.actuator.list(),
        sensor: names.sensor.list(),
        numeric: names.numeric.list(),
        plugin: Vec::new(),
        text: spec
            .texts
            .iter()
            .map(|t| {
                (
                    t.name.clone().unwrap_or_default(),
                    t.data.clone().unwrap_or_default(),
                )
            })
            .collect(),
        key: names.key.list(),
        place: Vec::new(),
    }
}
