//! Edits of a compiled model: they agree with MuJoCo 4.0.0's edits followed by `mj_setConst` (`tests/golden/make_edit.py`),
//! derived fields are derived again, and other edits are refused by name.

use crate::common::backends::BACKENDS;
use crate::common::{Golden, error, start_edited};
use manyworlds::batch::{Backend, Settings};
use manyworlds::fields::View;
use manyworlds::model::Arrays;
use manyworlds::types::*;
use manyworlds::{Batch, Error, Model};

const PATH: &str = "tests/golden/edit.xml";
const STEPS: usize = 15;

fn model() -> Model {
    Model::from_xml_path(PATH).unwrap_or_else(|e| panic!("{e}"))
}

fn at(names: &[String], name: &str) -> usize {
    let found = names.iter().position(|n| n == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

fn put<const N: usize>(array: &mut [f64], i: usize, row: [f64; N]) {
    array[N * i..N * i + N].copy_from_slice(&row);
}

/// Ids of elements, by name.
macro_rules! ids {
    ($m:ident: $geom:ident $body:ident $joint:ident $dof:ident $actuator:ident $tendon:ident $site:ident) => {
        let names = $m.names.clone();
        let dofs = $m.jnt_dofadr.clone();
        let $geom = |name: &str| at(&names.geom, name);
        let $body = |name: &str| at(&names.body, name);
        let $joint = |name: &str| at(&names.joint, name);
        let $dof = |name: &str| dofs[at(&names.joint, name)] as usize;
        let $actuator = |name: &str| at(&names.actuator, name);
        let $tendon = |name: &str| at(&names.tendon, name);
        let $site = |name: &str| at(&names.site, name);
    };
}

/// The edits of `make_edit.py`, by name; the name of a topic stands for all of its edits.
const EDITS: &[&str] = &[
    "inertia.mass",
    "inertia.frame",
    "inertia.turn",
    "inertia.place",
    "inertia.gravcomp",
    "inertia.start",
    "contact.friction",
    "contact.solref",
    "contact.margin",
    "contact.condim",
    "contact.priority",
    "contact.masks",
    "contact.hill",
    "contact.heights",
    "contact.pair",
    "contact.exclude",
    "shape.size",
    "shape.shift",
    "joint.damping",
    "joint.armature",
    "joint.loss",
    "joint.limits",
    "joint.spring",
    "joint.axis",
    "actuator.gain",
    "actuator.gear",
    "actuator.lend",
    "actuator.clamp",
    "actuator.lag",
    "tendon.tendon",
    "tendon.rope",
    "tendon.site",
    "equality.anchor",
    "equality.apart",
    "equality.torque",
    "equality.off",
    "option.override",
    "option.parents",
    "option.rk4",
    "option.implicit",
    "option.implicitfast",
    "option.elliptic",
    "option.cg",
    "option.pgs",
    "option.noslip",
    "option.medium",
    "option.fluid",
    "option.gravity",
    "option.disable",
    "option.disable2",
    "option.group",
];

const TOPICS: &[&str] = &[
    "inertia", "contact", "shape", "joint", "actuator", "tendon", "equality",
];

fn edit(m: &mut Arrays, name: &str) {
    for one in EDITS
        .iter()
        .filter(|one| **one == name || one.split('.').next() == Some(name))
    {
        match one.split_once('.').unwrap().0 {
            "inertia" => inertia(m, one),
            "contact" => contact(m, one),
            "shape" | "option" => shape_or_option(m, one),
            "joint" | "equality" => joint_or_equality(m, one),
            _ => actuator_or_tendon(m, one),
        }
    }
}

fn inertia(m: &mut Arrays, name: &str) {
    ids!(m: _g b _j _d _a _t _s);
    match name {
        "inertia.mass" => {
            m.body_mass[b("fore")] *= 3.0;
            m.body_inertia[b("fore")] = m.body_inertia[b("fore")].map(|x| 3.0 * x);
        }
        "inertia.frame" => {
            let [x, y, z] = m.body_ipos[b("fore")];
            m.body_ipos[b("fore")] = [x + 0.03, y + 0.02, z - 0.01];
        }
        "inertia.turn" => m.body_iquat[b("arm")] = [0.8, 0.6, 0.0, 0.0],
        "inertia.place" => {
            m.body_pos[b("fore")] = [0.35, 0.05, 0.02];
            m.body_quat[b("hand")] = [0.8, 0.0, 0.6, 0.0];
        }
        "inertia.gravcomp" => m.body_gravcomp[b("arm")] = 0.7,
        "inertia.start" => {
            let adr = m.jnt_qposadr[at(&m.names.joint, "elbow")] as usize;
            m.qpos0[adr] = 0.2;
        }
        _ => panic!("{name}"),
    }
}

fn contact(m: &mut Arrays, name: &str) {
    ids!(m: g b _j _d _a _t _s);
    match name {
        "contact.friction" => {
            m.geom_friction[g("wedge")] = [0.05, 0.001, 0.0001];
            m.geom_friction[g("floor")][0] = 0.1;
        }
        "contact.solref" => {
            put(&mut m.geom_solref, g("ball"), [0.2, 0.7]);
            put(&mut m.geom_solimp, g("wedge"), [0.5, 0.8, 0.01, 0.4, 3.0]);
        }
        "contact.margin" => {
            m.geom_margin[g("wedge")] = 0.03;
            m.geom_gap[g("ball")] = 0.02;
        }
        "contact.condim" => {
            m.geom_condim[g("wedge")] = 6;
            m.geom_condim[g("ball")] = 1;
        }
        "contact.priority" => {
            m.geom_priority[g("ball")] = 2;
            m.geom_friction[g("ball")] = [0.2, 0.1, 0.1];
            m.geom_solmix[g("wedge")] = 4.0;
        }
        "contact.masks" => {
            m.geom_contype[g("wedge")] = 2;
            m.geom_conaffinity[g("wedge")] = 0;
        }
        "contact.hill" => put(&mut m.hfield_size, 0, [1.2, 0.9, 0.4, 0.2]),
        "contact.heights" => m.hfield_data = vec![0.5, 0.1, 0.0, 0.0, 0.6, 1.0, 0.2, 0.2, 0.3],
        "contact.pair" => {
            put(&mut m.pair_friction, 0, [0.05, 0.02, 0.001, 0.001, 0.001]);
            put(&mut m.pair_solref, 0, [0.05, 1.2]);
            m.pair_margin[0] = 0.01;
        }
        "contact.exclude" => m.exclude_signature[0] = ((b("arm") << 16) + b("hand")) as i32,
        _ => panic!("{name}"),
    }
}

fn joint_or_equality(m: &mut Arrays, name: &str) {
    ids!(m: _g b j d _a _t _s);
    match name {
        "joint.damping" => m.dof_damping.iter_mut().for_each(|x| *x = *x * 4.0 + 0.05),
        "joint.armature" => {
            m.dof_armature[d("shoulder")] = 0.2;
            m.dof_armature[d("pole")] = 0.1;
        }
        "joint.loss" => {
            m.dof_frictionloss[d("shoulder")] = 0.4;
            m.dof_frictionloss[d("twist")] = 0.0;
        }
        "joint.limits" => {
            put(&mut m.jnt_range, j("shoulder"), [0.05, 0.3]);
            m.jnt_limited[j("elbow")] = 1;
            put(&mut m.jnt_range, j("elbow"), [-0.2, 0.1]);
            m.jnt_margin[j("elbow")] = 0.05;
        }
        "joint.spring" => {
            m.jnt_stiffness[j("shoulder")] = 6.0;
            m.qpos_spring[m.jnt_qposadr[j("shoulder")] as usize] = 0.4;
        }
        "joint.axis" => {
            m.jnt_axis[j("twist")] = [0.8, 0.6, 0.0];
            m.jnt_pos[j("elbow")] = [0.0, 0.05, 0.02];
        }
        "equality.anchor" => {
            m.eq_data[..3].copy_from_slice(&[0.1, 0.05, 0.0]);
            put(&mut m.eq_solref, 0, [0.05, 1.0]);
            m.eq_data[2 * 12 + 1] = 0.8;
        }
        "equality.apart" => {
            let welded = b("welded");
            let [x, y, z] = m.body_pos[welded];
            m.body_pos[welded] = [x + 0.05, y + 0.02, z - 0.03];
            let adr = m.jnt_qposadr[m.body_jntadr[welded] as usize] as usize;
            m.qpos0[adr] += 0.05;
        }
        "equality.torque" => {
            m.eq_data[12 + 10] = 0.2;
            put(&mut m.eq_solimp, 1, [0.5, 0.6, 0.01, 0.5, 2.0]);
        }
        "equality.off" => m.eq_active0 = vec![0, 1, 0],
        _ => panic!("{name}"),
    }
}

fn actuator_or_tendon(m: &mut Arrays, name: &str) {
    ids!(m: _g _b _j _d a t s);
    match name {
        "actuator.gain" => {
            m.actuator_gainprm[10 * a("shoulder")] = 2.5;
            m.actuator_biasprm[10 * a("elbow") + 1] = -12.0;
            m.actuator_gainprm[10 * a("elbow")] = 12.0;
        }
        "actuator.gear" => {
            m.actuator_gear[6 * a("shoulder")] = -3.0;
            m.actuator_gear[6 * a("sum")] = 4.0;
        }
        "actuator.lend" => {
            m.actuator_damping[a("shoulder")] = 0.3;
            m.actuator_armature[a("shoulder")] = 0.01;
            m.actuator_damping[a("sum")] = 0.1;
        }
        "actuator.clamp" => {
            m.actuator_forcelimited[a("shoulder")] = 1;
            put(&mut m.actuator_forcerange, a("shoulder"), [-0.5, 0.5]);
            m.actuator_ctrllimited[a("lag")] = 1;
            put(&mut m.actuator_ctrlrange, a("lag"), [-0.1, 0.1]);
        }
        "actuator.lag" => {
            m.actuator_dynprm[10 * a("lag")] = 0.4;
            m.actuator_actearly[a("lag")] = 1;
        }
        "tendon.tendon" => {
            m.tendon_stiffness[t("cord")] = 80.0;
            m.tendon_damping[t("sum")] = 0.3;
            put(&mut m.tendon_lengthspring, t("cord"), [0.2, 0.25]);
            m.tendon_armature[t("sum")] = 0.02;
        }
        "tendon.rope" => {
            m.tendon_range[2 * t("cord") + 1] = 0.3;
            m.tendon_frictionloss[t("cord")] = 0.2;
            m.tendon_limited[t("sum")] = 1;
            put(&mut m.tendon_range, t("sum"), [-0.1, 0.1]);
        }
        "tendon.site" => m.site_pos[s("fore")] = [0.1, -0.1, 0.15],
        _ => panic!("{name}"),
    }
}

fn shape_or_option(m: &mut Arrays, name: &str) {
    ids!(m: g _b _j _d _a _t _s);
    let opt = &mut m.opt;
    match name {
        "shape.size" => {
            m.geom_size[g("ball")][0] = 0.16;
            m.geom_size[g("box")] = [0.15, 0.2, 0.13];
            m.geom_size[g("upper")][..2].copy_from_slice(&[0.07, 0.25]);
        }
        "shape.shift" => {
            m.geom_pos[g("ball")] = [0.0, 0.0, 0.03];
            m.geom_pos[g("tip")] = [0.3, 0.1, -0.1];
            m.geom_quat[g("hand")] = [0.6, 0.0, 0.0, 0.8];
        }
        "option.override" => {
            opt.enableflags |= ENBL_OVERRIDE;
            (opt.o_margin, opt.o_solref) = (0.01, [0.1, 0.8]);
            opt.o_solimp = [0.7, 0.8, 0.01, 0.5, 2.0];
            opt.o_friction = [0.1, 0.2, 0.01, 0.001, 0.001];
        }
        "option.parents" => opt.disableflags |= DSBL_FILTERPARENT,
        "option.rk4" => opt.integrator = Integrator::Rk4 as i32,
        "option.implicit" => opt.integrator = Integrator::Implicit as i32,
        "option.implicitfast" => opt.integrator = Integrator::ImplicitFast as i32,
        "option.elliptic" => (opt.cone, opt.impratio) = (Cone::Elliptic as i32, 3.0),
        "option.cg" => {
            (opt.solver, opt.iterations, opt.tolerance) = (Solver::Cg as i32, 1000, 1e-14)
        }
        "option.pgs" => {
            (opt.solver, opt.iterations, opt.tolerance) = (Solver::Pgs as i32, 5000, 1e-14)
        }
        "option.noslip" => opt.noslip_iterations = 5,
        "option.medium" => (opt.density, opt.viscosity, opt.wind) = (300.0, 0.5, [1.0, 0.5, 0.0]),
        "option.fluid" => {
            opt.density = 100.0;
            let box_ = g("box");
            m.geom_fluid[12 * box_ + 1..][..5].copy_from_slice(&[0.3, 0.4, 2.0, 0.5, 0.6]);
            m.geom_size[box_] = [0.25, 0.1, 0.1];
        }
        "option.gravity" => (opt.gravity, opt.timestep) = ([1.0, 0.0, -5.0], 0.002),
        "option.disable" => {
            opt.disableflags |= DSBL_SPRING | DSBL_LIMIT | DSBL_EQUALITY | DSBL_CLAMPCTRL
        }
        "option.disable2" => {
            opt.disableflags |=
                DSBL_DAMPER | DSBL_FRICTIONLOSS | DSBL_WARMSTART | DSBL_REFSAFE | DSBL_MULTICCD
        }
        "option.group" => opt.disableactuator = 2,
        _ => panic!("{name}"),
    }
}

fn edited(name: &str) -> Model {
    let mut m = model();
    m.edit(|m| edit(m, name))
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    m
}

fn golden() -> Golden {
    Golden::open("tests/golden/edit.npz")
}

/// The field of an edit, or that of the unedited model if the edit does not change it.
fn wanted<'a>(golden: &'a Golden, name: &str, field: &str) -> &'a [f64] {
    let own = golden.get(&format!("{name}/{field}"));
    own.or(golden.get(&format!("plain/{field}"))).unwrap()
}

#[test]
fn constants_follow_as_with_set_const() {
    let golden = golden();
    let fields: Vec<&str> = golden
        .arrays
        .keys()
        .filter_map(|name| name.strip_prefix("plain/"))
        .filter(|field| !["qpos", "qvel"].contains(field))
        .collect();
    assert!(fields.len() > 20);
    for name in EDITS.iter().chain(TOPICS) {
        let m = edited(name);
        for field in &fields {
            let have = match m.field(field) {
                Some(View::Real(x)) => x.to_vec(),
                Some(View::Int(x)) => x.iter().map(|&x| f64::from(x)).collect(),
                None => panic!("no {field}"),
            };
            let e = error(&have, wanted(&golden, name, field));
            assert!(e < 1e-9, "{name}: {field} is off by {e:e}");
        }
    }
}

/// Steps of an edited model from the golden's initial state, or `None` if the backend lacks a feature of the model.
fn stepped(m: &Model, backend: Backend) -> Option<Batch> {
    let settings = Settings::default().backend(backend);
    let mut batch = Batch::with(m, 3, settings).unwrap_or_else(|e| panic!("{e}"));
    start_edited(&mut batch, m);
    batch.step(STEPS).unwrap();
    assert_eq!(batch.flags().unwrap(), []);
    Some(batch)
}

fn steps_are_mujocos(backend: Backend, names: &[&str], tolerance: f64) {
    let golden = golden();
    let mut wrong = Vec::new();
    for name in names {
        let Some(mut batch) = stepped(&edited(name), backend) else {
            assert!(["option.pgs", "option.noslip"].contains(name), "{name}");
            continue;
        };
        for (field, scale) in [("qpos", 1.0), ("qvel", 20.0)] {
            let want = golden.get(&format!("{name}/{field}")).unwrap();
            for world in batch.reals(field).unwrap().chunks(want.len()) {
                let e = error(world, want);
                if e > scale * tolerance {
                    wrong.push(format!("{name}: {field} is off by {e:e}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn steps_of_an_edited_model_are_mujocos_on_the_cpu() {
    let names: Vec<&str> = ["plain"]
        .iter()
        .chain(EDITS)
        .chain(TOPICS)
        .copied()
        .collect();
    steps_are_mujocos(Backend::Cpu, &names, 1e-7);
}

#[test]
fn steps_of_an_edited_model_are_mujocos_side_by_side() {
    let names: Vec<&str> = ["plain"]
        .iter()
        .chain(EDITS)
        .chain(TOPICS)
        .copied()
        .collect();
    steps_are_mujocos(Backend::Simd, &names, 2e-4);
}

// a software adapter compiles the kernels of a case for half a minute: one case of each kind
#[test]
fn steps_of_an_edited_model_are_mujocos_on_a_device() {
    steps_are_mujocos(
        Backend::Gpu,
        &["inertia", "contact", "equality", "option.elliptic"],
        2e-4,
    );
}

/// Editing an option gives the model that the compiler makes of a text with that option.
#[test]
fn an_edited_option_is_as_if_it_had_been_said() {
    let text = std::fs::read_to_string(PATH).unwrap();
    let said = |option: &str| {
        let inside = match option.starts_with('<') {
            true => format!("<option timestep=\"0.004\">{option}</option>"),
            false => format!("<option timestep=\"0.004\" {option}/>"),
        };
        let text = text.replace("<option timestep=\"0.004\"/>", &inside);
        Model::from_xml_str(&text).unwrap_or_else(|e| panic!("{option}: {e}"))
    };
    type Edit = fn(&mut Arrays);
    let pairs: &[(&str, Edit)] = &[
        ("integrator=\"RK4\"", |m| m.opt.integrator = 1),
        ("integrator=\"implicit\"", |m| m.opt.integrator = 2),
        ("integrator=\"implicitfast\"", |m| m.opt.integrator = 3),
        ("integrator=\"implicitfast\" density=\"1\"", |m| {
            (m.opt.integrator, m.opt.density) = (3, 1.0)
        }),
        ("cone=\"elliptic\"", |m| m.opt.cone = 1),
        ("solver=\"PGS\"", |m| m.opt.solver = 0),
        ("solver=\"CG\"", |m| m.opt.solver = 1),
        ("noslip_iterations=\"3\"", |m| m.opt.noslip_iterations = 3),
        ("jacobian=\"sparse\"", |m| m.opt.jacobian = 1),
        ("<flag filterparent=\"disable\"/>", |m| {
            m.opt.disableflags = DSBL_FILTERPARENT
        }),
        ("<flag multiccd=\"disable\"/>", |m| {
            m.opt.disableflags = DSBL_MULTICCD
        }),
        ("<flag midphase=\"disable\"/>", |m| {
            m.opt.disableflags = DSBL_MIDPHASE
        }),
        ("<flag contact=\"disable\"/>", |m| {
            m.opt.disableflags = DSBL_CONTACT
        }),
        ("<flag override=\"enable\"/>", |m| {
            m.opt.enableflags = ENBL_OVERRIDE
        }),
        ("<flag energy=\"enable\"/>", |m| {
            m.opt.enableflags = ENBL_ENERGY
        }),
    ];
    let plain = model();
    for (option, change) in pairs {
        let said = said(option);
        let mut edited = plain.clone();
        edited.edit(change).unwrap();
        assert!(edited == said, "{option}");
        // editing back restores the model
        let opt = plain.opt.clone();
        edited.edit(|m| m.opt = opt).unwrap();
        assert!(edited == plain, "{option}");
        // from any option to any other
        for (other, change) in pairs {
            let mut edited = said.clone();
            let opt = plain.opt.clone();
            edited
                .edit(|m| {
                    m.opt = opt;
                    change(m);
                })
                .unwrap();
            let mut want = plain.clone();
            want.edit(change).unwrap();
            assert!(edited == want, "from {option} to {other}");
        }
    }
}

/// An edit and its reverse give the compiled model, to the bit.
#[test]
fn an_edit_and_its_opposite_change_nothing() {
    let mut met = 0;
    for entry in std::fs::read_dir("models").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ext| ext != "xml") {
            continue;
        }
        let plain = Model::from_xml_path(&path).unwrap_or_else(|e| panic!("{e}"));
        let mut m = plain.clone();
        let scale = |m: &mut Arrays, by: f64| {
            m.body_mass.iter_mut().for_each(|x| *x *= by);
            m.geom_solmix.iter_mut().for_each(|x| *x *= by);
        };
        m.edit(|m| scale(m, 2.0))
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        m.edit(|m| scale(m, 0.5)).unwrap();
        for field in manyworlds::fields::FIELDS {
            let (have, want) = (m.field(field.name), plain.field(field.name));
            assert_eq!(have, want, "{}: {}", path.display(), field.name);
        }
        assert!(m == plain, "{}", path.display());
        met += 1;
    }
    assert!(met > 20, "{met}");
}

#[test]
fn what_cannot_be_edited_is_refused_by_name() {
    type Edit = fn(&mut Arrays);
    let cases: &[(Edit, &[&str])] = &[
        (|m| m.nv += 1, &["nv", "compile it again"]),
        (
            |m| m.body_parentid[3] = 1,
            &["body_parentid", "compile it again"],
        ),
        (|m| m.jnt_type[0] = 1, &["jnt_type", "compile it again"]),
        (|m| m.geom_type[0] = 2, &["geom_type", "compile it again"]),
        (
            |m| m.mesh_vert[0][0] = 2.0,
            &["mesh_vert", "compile it again"],
        ),
        (
            |m| m.collision_friction[0] = 0.1,
            &["collision_friction", "is derived from other fields"],
        ),
        (
            |m| m.body_invweight0[2] = 0.1,
            &["body_invweight0", "is derived from other fields"],
        ),
        (
            |m| m.dof_damping_all[0] = 0.1,
            &["dof_damping_all", "is derived from other fields"],
        ),
        (
            |m| m.geom_size[at(&m.names.geom, "wedge")][0] = 1.0,
            &["geom_size", "mesh"],
        ),
        (|m| m.body_mass.push(1.0), &["body_mass", "sizes"]),
        (
            |m| m.body_mass[1] = f64::NAN,
            &["body_mass[1]", "not a number"],
        ),
        (
            |m| m.geom_size[at(&m.names.geom, "ball")][0] = 0.0,
            &["geom_size", "positive"],
        ),
        (
            |m| m.geom_condim[0] = 2,
            &["geom_condim[0]", "1, 3, 4 or 6"],
        ),
        (
            |m| m.hfield_data[0] = 2.0,
            &["hfield_data[0]", "between 0 and 1"],
        ),
        (|m| m.geom_matid[0] = 7, &["geom_matid[0]", "nmat"]),
        (|m| m.jnt_limited[0] = 2, &["jnt_limited[0]", "below 2"]),
        (
            |m| m.body_ipos[1] = [0.1, 0.0, 0.0],
            &["body_simple[1]", "simple=\"false\"", "body_ipos"],
        ),
        (|m| m.opt.timestep = 0.0, &["timestep", "positive"]),
        (|m| m.opt.timestep = -1.0, &["timestep", "positive"]),
        (
            |m| m.opt.timestep = f64::INFINITY,
            &["timestep", "positive"],
        ),
        (
            |m| m.opt.gravity[2] = f64::NAN,
            &["gravity", "not a number"],
        ),
        (|m| m.opt.cone = 7, &["cone", "7"]),
        (|m| m.opt.integrator = 9, &["integrator", "9"]),
        (|m| m.opt.solver = -1, &["solver", "-1"]),
        (
            |m| m.opt.disableflags = 1 << 25,
            &["disableflags", "0x2000000"],
        ),
        (
            |m| m.nconmax = usize::MAX,
            &["nconmax = 18446744073709551615"],
        ),
        (|m| m.njmax = 1 << 40, &["njmax = 1099511627776"]),
        (|m| m.names.body.truncate(2), &["names.body", "2 names"]),
        (|m| m.cam_mode.push(1), &["cam_mode"]),
    ];
    for (k, (change, words)) in cases.iter().enumerate() {
        let plain = model();
        let mut m = plain.clone();
        let refused = match m.edit(change) {
            Err(e) => e.to_string(),
            Ok(()) => panic!("case {k}, of {words:?}, is not refused"),
        };
        for word in *words {
            assert!(refused.contains(word), "case {k}: {refused}");
        }
        assert!(m == plain, "case {k}: the model is as it was");
    }
}

#[test]
fn a_parameter_that_takes_an_activation_away_is_refused() {
    let mut m = Model::from_xml_path("models/dcmotors.xml").unwrap();
    let motor = (0..m.nactuator)
        .find(|&i| m.actuator_dyntype[i] == DynType::DcMotor && m.actuator_actnum[i] > 0)
        .unwrap();
    let refused = m
        .edit(|m| m.actuator_dynprm[10 * motor..][..10].fill(0.0))
        .unwrap_err();
    assert!(refused.to_string().contains("actuator_actnum"), "{refused}");
}

/// Estimated capacities follow the options; capacities set by the model stay.
#[test]
fn room_is_estimated_again_unless_it_was_said() {
    let mut m = model();
    let before = m.njmax;
    m.edit(|m| m.geom_condim.fill(6)).unwrap();
    assert!(m.njmax > before);
    m.edit(|m| (m.nconmax, m.njmax) = (7, 31)).unwrap();
    m.edit(|m| m.opt.cone = Cone::Elliptic as i32).unwrap();
    assert_eq!((m.nconmax, m.njmax), (7, 31));
}

/// Capacities that exceed the memory are an error on every backend.
#[test]
fn room_without_measure_is_refused() {
    let m = model();
    for backend in BACKENDS {
        for n in [
            1 << 28,
            1 << 31,
            1 << 32,
            1 << 33,
            usize::MAX / 2,
            usize::MAX,
        ] {
            for (nconmax, njmax) in [(Some(n), None), (None, Some(n)), (Some(n), Some(n))] {
                let settings = Settings::default()
                    .backend(backend)
                    .nconmax(nconmax)
                    .njmax(njmax);
                match Batch::with(&m, 1, settings) {
                    Err(Error::Size { .. } | Error::Input(_)) => {}
                    other => panic!("{backend:?} {nconmax:?} {njmax:?}: {:?}", other.err()),
                }
            }
        }
    }
}

/// A batch keeps the model that it was made with; an edit changes only batches made from the edited model.
#[test]
fn worlds_that_are_there_keep_their_model() {
    for backend in [Backend::Cpu, Backend::Simd] {
        let mut m = model();
        let mut before = stepped(&m, backend).unwrap();
        let state = before.save().unwrap();
        m.edit(|m| m.opt.gravity = [0.0; 3]).unwrap();
        assert_eq!(before.model().opt.gravity[2], -9.81);
        let mut after = stepped(&m, backend).unwrap();
        assert!(after.restore(&state).is_err(), "a state of another model");
        assert_ne!(before.reals("qpos").unwrap(), after.reals("qpos").unwrap());
    }
}

/// An element at its body's frame or inertial frame can be moved away from it; its position is computed without MuJoCo.
#[test]
fn a_site_moves_off_the_frame_of_its_body() {
    let text = r#"<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size=".1" pos=".3 0 0"/>
        <site name="on"/><site name="inertial" pos=".3 0 0"/></body></worldbody></mujoco>"#;
    let mut m = Model::from_xml_str(text).unwrap();
    m.edit(|m| m.site_pos = vec![[0.1, 0.2, 0.3], [0.0; 3]])
        .unwrap();
    for backend in [Backend::Cpu, Backend::Simd] {
        let settings = Settings::default().backend(backend);
        let mut batch = Batch::with(&m, 1, settings).unwrap();
        batch.forward().unwrap();
        let want = [0.1, 0.2, 1.3, 0.0, 0.0, 1.0];
        assert!(error(batch.reals("site_xpos").unwrap(), &want) < 1e-7);
    }
}
