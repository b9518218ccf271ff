//! Units, frames and roles of the table are complete, agree among related fields, and are consistent: a model in other units
//! of length, mass and time moves accordingly.

use manyworlds::fields::{
    Elem, FIELDS, Field, Frame, INPUTS, Role, Room, Unit, View, ViewMut, field, of_role,
};
use manyworlds::model::Arrays;
use manyworlds::types::{JointType, TendonType, TrnType};
use manyworlds::{Data, Model};

/// One metre, kilogram and second in the other units; products of their powers are distinct.
const SCALE: [f64; 3] = [1.7, 0.6, 1.3];

/// Fields that are rounding errors after convergence of a solver.
const LEFT: [&str; 6] = [
    "solver_grad",
    "solver_Mgrad",
    "solver_search",
    "solver_Mv",
    "solver_Jv",
    "solver_quad",
];

/// A model with every kind of unit: bodies that slide, rotate and fly, contacts that slip and roll, tendons, springs and dampers of every order,
/// limits, friction loss, motors and servos, a fluid.
const WORLD: &str = r#"<mujoco>
  <option timestep="0.002" cone="elliptic" integrator="implicitfast" density="1.2" viscosity="0.002" wind="0.3 0.1 -0.2">
    <flag energy="enable" fwdinv="enable"/>
  </option>
  <default><geom condim="6" friction="0.8 0.02 0.01" margin="0.002"/></default>
  <worldbody>
    <geom type="plane" size="1 1 0.1"/>
    <site name="ceiling" pos="0 0 2"/>
    <camera pos="0 -2 1"/>
    <body name="box" pos="0 0 0.0995" gravcomp="0.1">
      <freejoint/>
      <geom type="box" size="0.1 0.12 0.1" density="400" surfacevel="0.1 0 0 0 0 0.2" solref="-3000 -40"/>
      <body pos="0.15 0 0.05">
        <joint axis="0 1 0" range="-10 10" limited="true" damping="0.02 0.01 0.005" armature="0.003"/>
        <geom type="ellipsoid" size="0.03 0.05 0.1" pos="0 0 0.1" fluidshape="ellipsoid"/>
      </body>
    </body>
    <body pos="0.6 0 1">
      <joint name="slide" type="slide" axis="1 0 0.2" stiffness="20 3 2" damping="0.5 0.2 0.1" frictionloss="0.3" armature="0.1"/>
      <geom size="0.08"/>
      <body pos="0 0 -0.2">
        <joint name="hinge" axis="0 1 0" stiffness="0.4 0.1 0.05" damping="0.01" frictionloss="0.02" springref="10"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/>
        <site name="tip" pos="0 0 -0.3"/>
        <body pos="0 0 -0.3">
          <joint type="ball" stiffness="0.2" damping="0.01" range="0 20" limited="true"/>
          <geom type="capsule" fromto="0 0 0 0.1 0 -0.2" size="0.02"/>
        </body>
      </body>
    </body>
    <body name="held" pos="-0.6 0 1">
      <freejoint/>
      <geom type="capsule" size="0.05 0.1" adhesion="0.2"/>
      <site name="held" pos="0.02 0 0.1"/>
    </body>
  </worldbody>
  <equality><connect body1="held" anchor="0 0.02 0.1"/></equality>
  <tendon>
    <spatial name="rope" stiffness="30 2 1" damping="0.4 0.1 0.05" armature="0.05" frictionloss="0.2" springlength="0.5"
             range="0 0.6" limited="true">
      <site site="ceiling"/><site site="tip"/>
    </spatial>
    <fixed name="turns" stiffness="0.3" springlength="0.1"><joint joint="hinge" coef="0.7"/></fixed>
  </tendon>
  <actuator>
    <motor joint="slide" gear="2"/>
    <motor joint="hinge" forcelimited="true" forcerange="-0.2 0.2"/>
    <motor tendon="rope" gear="3" armature="0.01"/>
  </actuator>
</mujoco>"#;

fn real(field: &Field) -> bool {
    field.elem != Elem::Int
}

#[test]
fn every_real_has_a_unit_and_no_integer_has() {
    for field in FIELDS {
        let (name, units) = (field.name, field.units);
        assert_eq!(real(field), !units.is_empty(), "{name}");
        assert_eq!(real(field), !field.unit().is_empty(), "{name}");
        let shares =
            field.elem == Elem::Inert || field.columns().is_multiple_of(units.len().max(1));
        assert!(shares, "{name}: {units:?} of {} columns", field.columns());
        let of = |column| field.unit_of(column);
        let first_and_last = (units.first().copied(), units.last().copied());
        assert_eq!((of(0), of(field.columns() - 1)), first_and_last, "{name}");
        assert_eq!(of(field.columns()), None, "{name}");
    }
    for unit in [Unit::q_s, Unit::kg_m2_s, Unit::ref_time] {
        assert_eq!(unit.to_string(), unit.symbol());
    }
}

#[test]
fn coordinates_have_a_frame() {
    // fields with elements of three or four numbers that are no coordinates
    let none = ["geom_friction", "solver_tile", "solver_rows"];
    for field in FIELDS {
        let coordinates =
            !matches!(field.elem, Elem::Int | Elem::Real) && !none.contains(&field.name);
        let has = field.frame != Frame::None;
        assert!(has || !coordinates, "{} has no frame", field.name);
        assert!(!has || real(field), "{} has a frame", field.name);
    }
    let world = |name: &str| name.ends_with("xpos") || name.ends_with("xmat") || name == "xquat";
    for field in FIELDS.iter().filter(|field| world(field.name)) {
        let unit = if field.name.ends_with("pos") {
            Unit::m
        } else {
            Unit::one
        };
        assert_eq!(
            (field.units, field.frame),
            (&[unit][..], Frame::World),
            "{}",
            field.name
        );
    }
}

#[test]
fn fields_that_belong_together_agree() {
    let units = |name: &str| field(name).map(|field| (field.units, field.frame));
    for field in FIELDS.iter().filter(|field| real(field)) {
        let (name, own) = (field.name, (field.units, field.frame));
        let twins = [
            name.strip_suffix("0"),
            name.strip_suffix("_all"),
            name.strip_prefix("key_"),
            name.strip_prefix("rk_"),
            name.strip_suffix("_warmstart"),
            name.strip_suffix("_smooth"),
        ];
        // fields `…_pos0`, at qpos0, are in the world frame, and `…_pos` in a local frame
        let local = ["_pos", "_dir", "_vert", "_node"];
        let told = |twin: &str| !local.iter().any(|tail| twin.ends_with(tail));
        for twin in twins.into_iter().flatten().filter(|twin| told(twin)) {
            if let Some(units) = units(twin) {
                assert_eq!(own, units, "{name} and {twin}");
            }
        }
        if name.starts_with("qfrc_") {
            assert_eq!(field.units, [Unit::f], "{name}");
        } else if name.starts_with("qacc") {
            assert_eq!(field.units, [Unit::q_s2], "{name}");
        } else if name.contains("_solref") {
            assert_eq!(field.units, [Unit::ref_time, Unit::ref_damp], "{name}");
        } else if name.contains("_solimp") {
            assert_eq!(field.units.len(), 5, "{name}");
        } else if name.ends_with("_margin") || name.ends_with("_range") {
            assert!(
                [Unit::m, Unit::q, Unit::varies].contains(&field.units[0]),
                "{name}"
            );
        } else if name.ends_with("_rgba") {
            assert_eq!(field.units, [Unit::one], "{name}");
        }
    }
    // fields and their time derivatives
    let rates = [
        ("ten_length", "ten_velocity"),
        ("actuator_length", "actuator_velocity"),
        ("flexedge_length", "flexedge_velocity"),
        ("efc_pos", "efc_vel"),
        ("efc_vel", "efc_aref"),
        ("qvel", "qacc"),
        ("cvel", "cacc"),
        ("cdof", "cdof_dot"),
    ];
    for (of, rate) in rates {
        let [of, rate] = [of, rate].map(|name| field(name).expect(name).units);
        for (of, rate) in of.iter().zip(rate) {
            for (of, rate) in powers(*of).into_iter().zip(powers(*rate)) {
                assert_eq!([of[0], of[1], of[2] - 1], rate, "{of:?} by s");
            }
        }
    }
}

// files hold states in this order
#[test]
fn what_may_be_set_and_what_is_kept_stands_in_the_table() {
    let names = |role| of_role(role).map(|field| field.name).collect::<Vec<_>>();
    let inputs = "time qpos qvel act history plastic qacc_warmstart ctrl qfrc_applied xfrc_applied eq_active mocap_pos mocap_quat userdata";
    assert_eq!(INPUTS.join(" "), inputs);
    assert_eq!(names(Role::Input), *INPUTS);
    assert_eq!(names(Role::Flag), ["warning", "overflow", "needed"]);
    assert_eq!(
        names(Role::Kept),
        [
            "tree_asleep",
            "flexvert_lambda",
            "flexvert_conage",
            "latent"
        ]
    );
    for field in FIELDS {
        let of_model = matches!(field.role, Role::Free | Role::Fixed);
        let of_world = matches!(field.role, Role::Input | Role::Flag | Role::Kept);
        assert!(!of_model || field.room == Room::Model, "{}", field.name);
        assert!(!of_world || field.room == Room::Data, "{}", field.name);
    }
}

// powers of m, kg and s in a unit, one set for each alternative; none if the unit varies
fn powers(unit: Unit) -> Vec<[i32; 3]> {
    if matches!(unit, Unit::varies | Unit::fov) {
        return Vec::new();
    }
    let may_be = unit.symbol().replace(" or ", ", ");
    may_be.split(", ").map(power).collect()
}

// powers of a symbol: factors, then divisors
fn power(symbol: &str) -> [i32; 3] {
    let mut sum = [0; 3];
    let mut sign = 1;
    for part in symbol.split('/') {
        for factor in part.trim_matches(|c| "()-".contains(c)).split(' ') {
            let times = match factor.chars().last() {
                Some('²') => 2,
                Some('³') => 3,
                Some('⁵') => 5,
                _ => 1,
            };
            let base = match factor.trim_end_matches(['²', '³', '⁵']) {
                "1" | "rad" => [0, 0, 0],
                "m" => [1, 0, 0],
                "kg" => [0, 1, 0],
                "s" => [0, 0, 1],
                "N" => [1, 1, -2],
                "J" => [2, 1, -2],
                other => panic!("{other} of {symbol}"),
            };
            (0..3).for_each(|k| sum[k] += sign * times * base[k]);
        }
        sign = -1;
    }
    sum
}

fn factor(powers: [i32; 3]) -> f64 {
    (0..3).map(|k| SCALE[k].powi(powers[k])).product()
}

// allowed conversion factors of a number; a single factor if it is known whether its coordinate is a length or an angle
fn factors(m: &Arrays, field: &Field, i: usize, x: f64) -> Vec<f64> {
    let columns = field.columns();
    let (row, unit) = (i / columns, field.unit_of(i % columns));
    let unit = unit.expect("a unit");
    let all: Vec<f64> = powers(unit).into_iter().map(factor).collect();
    let place = match unit {
        Unit::ref_time | Unit::ref_damp => Some(usize::from(x < 0.0)),
        Unit::place if field.dims[0] == "nq" => Some(coordinate(m, row)),
        _ if all.len() == 2 => is_length(m, field.dims[0], row).map(|length| usize::from(!length)),
        _ => None,
    };
    match place {
        Some(place) => vec![all[place]],
        None => all,
    }
}

// kind of a number of qpos: 0 length, 1 angle, 2 component of a quaternion
fn coordinate(m: &Arrays, q: usize) -> usize {
    let j = (0..m.njnt)
        .rfind(|&j| m.jnt_qposadr[j] as usize <= q)
        .expect("a joint");
    match JointType::from_i32(m.jnt_type[j]) {
        Some(JointType::Free) if q < m.jnt_qposadr[j] as usize + 3 => 0,
        Some(JointType::Slide) => 0,
        Some(JointType::Hinge) => 1,
        _ => 2,
    }
}

fn is_length(m: &Arrays, dim: &str, row: usize) -> Option<bool> {
    let slides = |j: usize| m.jnt_type[j] == JointType::Slide as i32;
    let spatial = |t: usize| m.tendon_type[t] == TendonType::Spatial as i32;
    match dim {
        "njnt" => Some(slides(row)),
        "nv" => {
            let j = m.dof_jntid[row] as usize;
            let flies =
                m.jnt_type[j] == JointType::Free as i32 && row < m.jnt_dofadr[j] as usize + 3;
            Some(flies || slides(j))
        }
        "ntendon" => Some(spatial(row)),
        "nactuator" | "nout" => {
            let id = m.actuator_trnid[2 * row] as usize;
            let at_joint = m.actuator_trntype[row] == TrnType::Joint as i32;
            Some(if at_joint { slides(id) } else { spatial(id) })
        }
        // solref and solimp of connects and contacts belong to lengths
        "neq" | "ngeom" | "npair" | "ncollision" => Some(true),
        _ => None,
    }
}

// the same model in the other units
fn told_otherwise(m: &Model) -> Model {
    let mut other = m.clone();
    let change = |to: &mut Arrays| {
        for field in of_role(Role::Free).filter(|field| real(field)) {
            let Some(ViewMut::Real(x)) = to.view_mut(field.row) else {
                continue;
            };
            for (i, x) in x.iter_mut().enumerate() {
                let factor = factors(m, field, i, *x);
                assert!(
                    factor.len() <= 1 || *x == 0.0,
                    "{}[{i}] is {factor:?}",
                    field.name
                );
                *x *= factor.first().unwrap_or(&1.0);
            }
        }
        // gains of motors, whose controls have no unit, and the anchors of a connect
        for i in 0..m.nactuator {
            let length = is_length(m, "nactuator", i) == Some(true);
            to.actuator_gainprm[10 * i] *= factor(powers(Unit::f)[usize::from(!length)]);
        }
        to.eq_data.iter_mut().take(6).for_each(|x| *x *= SCALE[0]);
        let opt = &mut to.opt;
        opt.timestep *= factor([0, 0, 1]);
        opt.gravity = opt.gravity.map(|x| x * factor([1, 0, -2]));
        opt.wind = opt.wind.map(|x| x * factor([1, 0, -1]));
        opt.density *= factor([-3, 1, 0]);
        opt.viscosity *= factor([-1, 1, -1]);
    };
    other.edit(change).unwrap_or_else(|e| panic!("{e}"));
    other
}

// numbers of a field that contradict its unit, and the count of compared numbers
fn differ(
    m: &Arrays,
    field: &Field,
    here: View<'_>,
    there: View<'_>,
    faults: &mut Vec<String>,
) -> usize {
    let (View::Real(here), View::Real(there)) = (here, there) else {
        return 0;
    };
    assert_eq!(here.len(), there.len(), "{}", field.name);
    let most = there.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let mut seen = 0;
    for (i, (&x, &y)) in here.iter().zip(there).enumerate() {
        let may_be = factors(m, field, i, x);
        // the bounds of infinite planes are placeholders
        let endless = x.abs() > 1e9 && x == y;
        let fits = |factor: &f64| endless || (y - factor * x).abs() <= 1e-6 * y.abs() + 1e-8 * most;
        if !may_be.is_empty() && !may_be.iter().any(fits) {
            let ratio = y / x;
            faults.push(format!(
                "{}[{i}] ({}): {x} became {y}, {ratio} times; {may_be:?}",
                field.name,
                field.unit()
            ));
            return seen;
        }
        seen += usize::from(x != 0.0 && !may_be.is_empty());
    }
    seen
}

#[test]
fn a_world_in_other_units_moves_as_the_table_says() {
    let mut m = Model::from_xml_str(WORLD).unwrap_or_else(|e| panic!("{e}"));
    m.edit(|m| {
        (m.opt.tolerance, m.opt.ls_tolerance) = (1e-15, 1e-6);
        (m.opt.iterations, m.opt.ls_iterations) = (200, 100);
    })
    .unwrap();
    let other = told_otherwise(&m);
    let mut faults = Vec::new();
    let mut seen = Vec::new();
    let fields = |model: bool| {
        FIELDS
            .iter()
            .filter(move |field| (field.room == Room::Model) == model)
    };
    for field in fields(true) {
        let views = [m.view(field.row).unwrap(), other.view(field.row).unwrap()];
        if differ(&m, field, views[0], views[1], &mut faults) > 0 {
            seen.push(field.name);
        }
    }

    let [mut here, mut there] = [Data::new(&m), Data::new(&other)];
    for (i, x) in here.qvel.iter_mut().enumerate() {
        *x = 0.3 * (i as f64 + 1.0).sin();
    }
    for q in [7, 9] {
        here.qpos[q] = 0.3;
    }
    here.ctrl.copy_from_slice(&[1.0, 0.4, -0.5]);
    here.qfrc_applied.iter_mut().for_each(|x| *x = 0.01);
    here.xfrc_applied[2] = [0.1, 0.2, 0.0, 0.01, 0.0, 0.02];
    for field in of_role(Role::Input).filter(|field| real(field)) {
        let (Some(View::Real(from)), Some(ViewMut::Real(to))) =
            (here.view(field.row), there.view_mut(field.row))
        else {
            continue;
        };
        for (i, (&from, to)) in from.iter().zip(to).enumerate() {
            *to = from * factors(&m, field, i, from).first().unwrap_or(&1.0);
        }
    }
    for _ in 0..3 {
        manyworlds::cpu::step(&m, &mut here);
        manyworlds::cpu::step(&other, &mut there);
    }
    assert_eq!((here.ncon[0], here.nefc[0]), (there.ncon[0], there.nefc[0]));
    assert!(here.ncon[0] >= 4, "{} contacts", here.ncon[0]);
    for field in fields(false).filter(|field| !LEFT.contains(&field.name)) {
        let views = [
            here.view(field.row).unwrap(),
            there.view(field.row).unwrap(),
        ];
        if differ(&m, field, views[0], views[1], &mut faults) > 0 {
            seen.push(field.name);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(
        seen.len() > 150,
        "only {} fields had numbers: {}",
        seen.len(),
        seen.join(" ")
    );
}
