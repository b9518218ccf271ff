//! Actuators: transmission, inputs and outputs, activations, ranges.

use super::joint::limited;
use super::names::Names;
use super::tree::{Ids, Tree};
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::schema::Tri;
use crate::mjcf::spec::Actuator;
use crate::types::*;

/// Fills `actuator_*` (`mjCActuator::Compile`).
pub(super) fn fill(m: &mut Arrays, tree: &Tree, names: &Names) -> Result<()> {
    for said in &tree.spec.actuators {
        let trnid = transmission(tree, names, said)?;
        let trntype = trntype(m, tree, said, trnid)?;
        check_kind(tree, said)?;
        let ranges = ranges(m, tree, said, trnid)?;
        let inputs = inputs(tree, said, &ranges)?;
        check_muscle(tree, said)?;
        check_target(m, tree, said, trntype, trnid[0])?;
        let actnum = activations(tree, said, ranges.actlimited)?;
        let outnum = if trntype == TrnType::So3 { 3 } else { 1 };

        m.actuator_trntype.push(trntype as i32);
        m.actuator_dyntype.push(said.dyntype as i32);
        m.actuator_gaintype.push(said.gaintype as i32);
        m.actuator_biastype.push(said.biastype as i32);
        m.actuator_trnid.extend(trnid);
        m.actuator_ctrladr.push(m.nu as i32);
        m.actuator_ctrlnum.push(inputs.ranges.len() as i32);
        m.actuator_ctrlspec.push(inputs.spec);
        m.actuator_outadr.push(m.nout as i32);
        m.actuator_outnum.push(outnum as i32);
        m.actuator_actadr
            .push(if actnum > 0 { m.na as i32 } else { -1 });
        m.actuator_actnum.push(actnum as i32);
        m.nu += inputs.ranges.len();
        m.nout += outnum;
        m.na += actnum;
        for (limited, range) in inputs.ranges {
            m.actuator_ctrllimited.push(i32::from(limited));
            m.actuator_ctrlrange.extend(range);
        }
        for _ in 0..outnum {
            m.actuator_gear.extend(said.gear);
            m.actuator_lengthrange.extend(said.lengthrange);
        }
        m.actuator_actlimited.push(i32::from(ranges.actlimited));
        m.actuator_actrange.extend(ranges.act);
        m.actuator_forcelimited.push(i32::from(ranges.forcelimited));
        m.actuator_forcerange.extend(said.forcerange);
        history(m, tree, said)?;
        numbers(m, said);
    }
    m.nactuator = tree.spec.actuators.len();
    Ok(())
}

fn numbers(m: &mut Arrays, said: &Actuator) {
    m.actuator_cranklength.push(said.cranklength);
    m.actuator_dynprm.extend(said.dynprm);
    m.actuator_gainprm.extend(said.gainprm);
    m.actuator_biasprm.extend(said.biasprm);
    m.actuator_actearly.push(i32::from(said.actearly));
    let [damping, poly @ ..] = said.damping;
    m.actuator_damping.push(damping);
    m.actuator_dampingpoly.extend(poly);
    m.actuator_armature.push(said.armature);
    m.actuator_group.push(said.group);
}

fn history(m: &mut Arrays, tree: &Tree, said: &Actuator) -> Result<()> {
    check_history(tree, said.origin, said.nsample, said.delay)?;
    m.actuator_history
        .extend([said.nsample, said.interp as i32]);
    m.actuator_delay.push(said.delay);
    m.actuator_historyadr.push(-1);
    let inputs = m.actuator_ctrlnum.last().map_or(0, |&n| n as usize);
    if said.nsample > 0 {
        if let Some(adr) = m.actuator_historyadr.last_mut() {
            *adr = m.nhistory as i32;
        }
        m.nhistory += 2 + said.nsample as usize * (1 + inputs);
    }
    Ok(())
}

/// Checks the size of a history buffer, and that a delay has one.
pub(super) fn check_history(
    tree: &Tree,
    origin: crate::mjcf::source::Origin,
    nsample: i32,
    delay: f64,
) -> Result<()> {
    let msg = "delay must not be negative";
    tree.ensure(delay >= 0.0, origin, Some("delay"), msg)?;
    let msg = "delay needs nsample: the number of samples that are kept";
    tree.ensure(delay == 0.0 || nsample > 0, origin, Some("delay"), msg)?;
    let msg = "nsample is too large";
    tree.ensure(nsample <= 1 << 20, origin, Some("nsample"), msg)
}

// ids of the target and of the second site
fn transmission(tree: &Tree, names: &Names, said: &Actuator) -> Result<[i32; 2]> {
    let origin = said.origin;
    let find = |ids: &Ids, attr: &str, name: &Option<String>| match name {
        Some(name) => ids.find(tree, origin, attr, name).map(|id| id as i32),
        None => Err(tree.error(origin, None, format!("{attr} is needed: what it acts on"))),
    };
    let target = &said.target;
    Ok(match said.trntype {
        TrnType::Joint => [find(&names.joint, "joint", target)?, -1],
        TrnType::JointInParent => [find(&names.joint, "jointinparent", target)?, -1],
        TrnType::Tendon => [find(&names.tendon, "tendon", target)?, -1],
        TrnType::Body => [find(&names.body, "body", target)?, -1],
        TrnType::SliderCrank => {
            let msg = "cranklength must be positive";
            tree.ensure(said.cranklength > 0.0, origin, Some("cranklength"), msg)?;
            let slider = find(&names.site, "slidersite", &said.slidersite)?;
            [find(&names.site, "cranksite", target)?, slider]
        }
        TrnType::Site | TrnType::So3 => {
            let on_joint = said.trntype == TrnType::So3
                && said.refsite.is_none()
                && target
                    .as_deref()
                    .is_some_and(|t| names.joint.get(t).is_some());
            if on_joint {
                [find(&names.joint, "joint", target)?, -1]
            } else {
                let refid = match &said.refsite {
                    Some(_) => find(&names.site, "refsite", &said.refsite)?,
                    None => -1,
                };
                [find(&names.site, "site", target)?, refid]
            }
        }
        TrnType::Undefined => {
            let msg = "needs a target: joint, jointinparent, tendon, site, body, or cranksite and slidersite";
            return Err(tree.error(origin, None, msg));
        }
    })
}

// a geodesic servo turns its joint or site into a transmission of three outputs
fn trntype(m: &Arrays, tree: &Tree, said: &Actuator, trnid: [i32; 2]) -> Result<TrnType> {
    if said.gaintype != GainType::So3 {
        return Ok(said.trntype);
    }
    let origin = said.origin;
    let msg = "an orientation servo acts on a ball joint, or on a site relative to a refsite";
    let ball = |id: i32| m.jnt_type[id as usize] == JointType::Ball;
    let ok = match said.trntype {
        TrnType::Joint => ball(trnid[0]),
        TrnType::Site => trnid[1] >= 0,
        TrnType::So3 => trnid[1] >= 0 || ball(trnid[0]),
        _ => false,
    };
    tree.ensure(ok, origin, None, msg)?;
    let msg = "forcerange of an orientation servo bounds the size of the torque: its first number must be 0";
    let zero = said.forcerange[0] == 0.0;
    tree.ensure(zero, origin, Some("forcerange"), msg)?;
    Ok(TrnType::So3)
}

struct Ranges {
    ctrl: [f64; 2],
    act: [f64; 2],
    actlimited: bool,
    forcelimited: bool,
}

// ranges of control, activation and force, perhaps inherited from the target, and whether each is limited
fn ranges(m: &Arrays, tree: &Tree, said: &Actuator, trnid: [i32; 2]) -> Result<Ranges> {
    let (mut ctrl, mut act) = (said.ctrlrange, said.actrange);
    if said.inheritrange > 0.0 {
        inherit(m, tree, said, trnid, &mut ctrl, &mut act)?;
    }
    let origin = said.origin;
    let autolimits = tree.spec.compiler().autolimits();
    let holds = |what: &str, tri: Tri, range: [f64; 2]| {
        let is = limited(tree, origin, what, tri, range, autolimits)?;
        let msg = format!("{what}range needs its first number below its second");
        let ok = !is || range[0] < range[1];
        tree.ensure(ok, origin, Some(&format!("{what}range")), &msg)?;
        Ok::<bool, crate::Error>(is)
    };
    let forcelimited = holds("force", said.forcelimited, said.forcerange)?;
    let actlimited = holds("act", said.actlimited, act)?;
    holds("ctrl", said.ctrllimited, ctrl)?;
    Ok(Ranges {
        ctrl,
        act,
        actlimited,
        forcelimited,
    })
}

// the setpoint of a position-like actuator is a coordinate of its target, whose range it may inherit
fn inherit(
    m: &Arrays,
    tree: &Tree,
    said: &Actuator,
    trnid: [i32; 2],
    ctrl: &mut [f64; 2],
    act: &mut [f64; 2],
) -> Result<()> {
    let origin = said.origin;
    let position = said.gaintype == GainType::Fixed
        && said.biastype == BiasType::Affine
        && said.gainprm[0] == -said.biasprm[1];
    if !position && said.gaintype != GainType::Pid {
        return Ok(());
    }
    let id = trnid[0] as usize;
    let range = match said.trntype {
        TrnType::Joint => {
            let kind = m.jnt_type[id];
            let ok = kind == JointType::Hinge || kind == JointType::Slide;
            let msg = "inheritrange needs a slide or hinge joint";
            tree.ensure(ok, origin, Some("inheritrange"), msg)?;
            [m.jnt_range[2 * id], m.jnt_range[2 * id + 1]]
        }
        TrnType::Tendon => [m.tendon_range[2 * id], m.tendon_range[2 * id + 1]],
        _ => {
            let msg = "inheritrange is for actuators of joints and tendons";
            return Err(tree.error(origin, Some("inheritrange"), msg));
        }
    };
    let msg = "inheritrange needs a range of the target";
    tree.ensure(range[0] != range[1], origin, Some("inheritrange"), msg)?;
    let to = match said.dyntype {
        DynType::None | DynType::FilterExact | DynType::Pid => ctrl,
        DynType::Integrator => act,
        _ => {
            let msg = "inheritrange is for position and intvelocity actuators";
            return Err(tree.error(origin, Some("inheritrange"), msg));
        }
    };
    let mean = 0.5 * (range[1] + range[0]);
    let radius = 0.5 * (range[1] - range[0]) * said.inheritrange;
    *to = [mean - radius, mean + radius];
    Ok(())
}

struct Inputs {
    spec: i32,
    ranges: Vec<(bool, [f64; 2])>,
}

/// The inputs that an actuator may have, in the order of its controls.
pub(super) const INPUTS: [CtrlInput; 4] = [
    CtrlInput::Pos,
    CtrlInput::Vel,
    CtrlInput::Ff,
    CtrlInput::Voltage,
];

/// The inputs that an actuator declares, or those of its kind (`actuator_ctrlspec`).
pub(super) fn inputs_said(said: &Actuator) -> i32 {
    let default = match said.gaintype {
        GainType::So3 => CtrlChart::Expmap as i32,
        GainType::Pid => CtrlInput::Pos as i32 | CtrlInput::Vel as i32,
        GainType::DcMotor => CtrlInput::Voltage as i32,
        _ => 0,
    };
    match said.ctrlspec {
        0 => default,
        spec => spec,
    }
}

/// The inputs of a controller or a motor, in the order of its controls.
pub(super) fn inputs_of(said: &Actuator) -> impl Iterator<Item = CtrlInput> + use<> {
    let spec = inputs_said(said);
    let inputs = INPUTS.into_iter();
    inputs.filter(move |&input| spec & input as i32 != 0)
}

/// The number of controls of an actuator.
pub(super) fn controls_said(said: &Actuator) -> usize {
    match said.gaintype {
        GainType::So3 if inputs_said(said) == CtrlChart::Quat as i32 => 4,
        GainType::So3 => 3,
        GainType::Pid | GainType::DcMotor => inputs_of(said).count(),
        _ => 1,
    }
}

// the controls of one actuator, in the order of their bits
fn inputs(tree: &Tree, said: &Actuator, ranges: &Ranges) -> Result<Inputs> {
    let autolimits = tree.spec.compiler().autolimits();
    let row = |what: &str, range: [f64; 2]| {
        let tri = said.ctrllimited;
        limited(tree, said.origin, what, tri, range, autolimits).map(|is| (is, range))
    };
    let spec = inputs_said(said);
    let ranges = match said.gaintype {
        GainType::So3 if spec == CtrlChart::Quat as i32 => vec![row("ctrl", ranges.ctrl)?; 4],
        GainType::So3 => vec![row("ctrl", ranges.ctrl)?; 3],
        GainType::Pid | GainType::DcMotor => {
            let mut rows = Vec::new();
            // the inputs of a motor share one range
            let own = said.gaintype == GainType::Pid;
            let pick = |range| if own { range } else { ranges.ctrl };
            let of_inputs = [
                ("ctrl", ranges.ctrl),
                ("vel", pick(said.velrange)),
                ("ff", pick(said.ffrange)),
                ("ctrl", ranges.ctrl),
            ];
            for (input, (what, range)) in INPUTS.into_iter().zip(of_inputs) {
                if spec & input as i32 != 0 {
                    // `ctrllimited` is for the first input; the other inputs of a PID controller are limited if they have a range
                    rows.push(match what {
                        "ctrl" => row(what, range)?,
                        _ if own => (range[0] < range[1], range),
                        _ => row(what, range)?,
                    });
                }
            }
            rows
        }
        _ => vec![row("ctrl", ranges.ctrl)?],
    };
    check_inputs(tree, said, spec)?;
    Ok(Inputs { spec, ranges })
}

fn check_inputs(tree: &Tree, said: &Actuator, spec: i32) -> Result<()> {
    let bits = |list: &[CtrlInput]| list.iter().fold(0, |bits, input| bits | *input as i32);
    use CtrlInput as I;
    let (ok, msg) = match said.gaintype {
        GainType::Fixed | GainType::Affine => (
            [0, I::Pos as i32, I::Vel as i32, I::Pressure as i32].contains(&spec),
            "input of a fixed or affine gain is one of pos, vel, pressure",
        ),
        GainType::Pid => (
            spec & !bits(&[I::Pos, I::Vel, I::Ff]) == 0,
            "input of a PID controller is some of pos, vel, ff",
        ),
        GainType::DcMotor => (
            spec == I::None as i32 || spec & !bits(&[I::Pos, I::Vel, I::Ff, I::Voltage]) == 0,
            "input of a DC motor is none, or some of pos, vel, ff, voltage",
        ),
        GainType::So3 => (
            [CtrlChart::Expmap as i32, CtrlChart::Quat as i32].contains(&spec),
            "input of an orientation servo is expmap or quat",
        ),
        GainType::Muscle | GainType::User => (spec == 0, "input is not for muscles and user gains"),
    };
    tree.ensure(ok, said.origin, Some("input"), msg)?;
    let msg = "an integral gain or a limited setpoint needs the input pos";
    let setpoint = said.gaintype != GainType::Pid
        || spec & I::Pos as i32 != 0
        || own_activations(said).is_none_or(|n| n == 0);
    tree.ensure(setpoint, said.origin, Some("input"), msg)?;
    if said.gaintype != GainType::DcMotor {
        return Ok(());
    }

    // a motor with a controller of its own needs an input to control
    let [kp, ki, kd] = [4, 5, 6].map(|k| said.gainprm[k]);
    let controlled = spec & bits(&[I::Pos, I::Vel, I::Ff]) != 0;
    let gains = [kp, ki, kd].iter().any(|k| *k != 0.0) || said.dynprm[7] > 0.0;
    let msg = "the controller of a DC motor needs an input to control: pos, vel or ff";
    tree.ensure(controlled || !gains, said.origin, Some("input"), msg)?;
    let msg = "the integral gain of a DC motor needs the input pos";
    let pos = spec & I::Pos as i32 != 0;
    tree.ensure(pos || ki <= 0.0, said.origin, Some("input"), msg)
}

fn check_kind(tree: &Tree, said: &Actuator) -> Result<()> {
    let kind = Kind {
        dyntype: said.dyntype,
        gaintype: said.gaintype,
        biastype: said.biastype,
        ctrlspec: said.ctrlspec,
        actearly: said.actearly,
        gainprm: &said.gainprm,
    };
    let msg = "an orientation servo needs gainprm[0] = -biasprm[1]";
    let ok = said.gaintype != GainType::So3 || said.gainprm[0] == -said.biasprm[1];
    tree.ensure(ok, said.origin, Some("gainprm"), msg)?;
    match kind.misfit() {
        Some((attr, msg)) => tree.ensure(false, said.origin, Some(attr), msg),
        None => Ok(()),
    }
}

/// Types and parameters of gain, bias and dynamics of an actuator, which must agree.
pub(super) struct Kind<'a> {
    pub dyntype: DynType,
    pub gaintype: GainType,
    pub biastype: BiasType,
    pub ctrlspec: i32,
    pub actearly: bool,
    pub gainprm: &'a [f64],
}

impl Kind<'_> {
    /// The first attribute that does not fit the others, and why.
    pub(super) fn misfit(&self) -> Option<(&'static str, &'static str)> {
        use DynType as D;
        let so3 = self.gaintype == GainType::So3;
        let pid = self.gaintype == GainType::Pid;
        let motor = self.dyntype == D::DcMotor;
        let quat = self.ctrlspec == CtrlChart::Quat as i32;
        let integral = self.gainprm[0] != 0.0;
        let fits = [
            (
                so3 == (self.biastype == BiasType::So3),
                "gaintype",
                "gaintype and biastype \"so3\" go together",
            ),
            (
                !so3 || matches!(self.dyntype, D::None | D::Integrator),
                "dyntype",
                "dyntype of an orientation servo is none or integrator",
            ),
            (
                !(so3 && quat) || self.dyntype == D::None,
                "dyntype",
                "input \"quat\" needs dyntype none",
            ),
            (
                pid || self.dyntype != D::Pid,
                "dyntype",
                "dyntype \"pid\" is for gaintype \"pid\"",
            ),
            (
                !pid || self.biastype == BiasType::Affine,
                "biastype",
                "a PID controller needs biastype \"affine\"",
            ),
            (
                !pid || matches!(self.dyntype, D::None | D::Pid),
                "dyntype",
                "dyntype of a PID controller is none or pid",
            ),
            (
                !pid || !integral || self.dyntype == D::Pid,
                "gainprm",
                "an integral gain, gainprm[0], needs dyntype \"pid\"",
            ),
            (
                motor || self.gaintype != GainType::DcMotor,
                "gaintype",
                "gaintype \"dcmotor\" needs dyntype \"dcmotor\"",
            ),
            (
                !motor || self.actearly,
                "actearly",
                "a DC motor needs actearly=\"true\"",
            ),
        ];
        let misfit = fits.into_iter().find(|(fits, ..)| !fits);
        misfit.map(|(_, attr, why)| (attr, why))
    }
}

fn own_activations(said: &Actuator) -> Option<usize> {
    activations_of(said.dyntype, said.gaintype, &said.dynprm, &said.gainprm)
}

/// Number of activation variables by the parameters of a controller, a motor or a servo; `None` if they do not determine it.
pub(super) fn activations_of(
    dyntype: DynType,
    gaintype: GainType,
    dynprm: &[f64],
    gainprm: &[f64],
) -> Option<usize> {
    let count = |list: &[bool]| list.iter().filter(|on| **on).count();
    match dyntype {
        // the limited setpoint, and the integral of the error
        DynType::Pid => Some(count(&[dynprm[1] > 0.0, gainprm[0] != 0.0])),
        // current, setpoint, integral, temperature, bristles
        DynType::DcMotor => Some(count(&[
            dynprm[0] > 0.0,
            dynprm[7] > 0.0,
            gainprm[5] > 0.0,
            dynprm[2] > 0.0,
            dynprm[5] > 0.0,
        ])),
        DynType::Integrator if gaintype == GainType::So3 => Some(3),
        _ => None,
    }
}

// number of activation variables
fn activations(tree: &Tree, said: &Actuator, actlimited: bool) -> Result<usize> {
    let origin = said.origin;
    let stateless = said.dyntype == DynType::None;
    let msg = "actrange is for actuators with an activation: set dyntype";
    tree.ensure(!(actlimited && stateless), origin, Some("actrange"), msg)?;
    if let Some(own) = own_activations(said) {
        let msg = format!("actdim must be {own} with these parameters");
        let ok = said.actdim < 0 || said.actdim as usize == own;
        tree.ensure(ok, origin, Some("actdim"), &msg)?;
        return Ok(own);
    }
    // a plugin determines its own number ([`super::plugin`])
    let several = said.dyntype == DynType::User || said.plugin.is_some();
    let msg = "actdim above 1 is for plugins, and for dyntype=\"user\"";
    tree.ensure(said.actdim <= 1 || several, origin, Some("actdim"), msg)?;
    let msg = "actdim must be 0 without dyntype";
    let alone = said.plugin.is_none();
    let ok = said.actdim <= 0 || !stateless || !alone;
    tree.ensure(ok, origin, Some("actdim"), msg)?;
    let msg = "actdim must be positive with this dyntype";
    let none = said.actdim == 0 && !stateless && alone;
    tree.ensure(!none, origin, Some("actdim"), msg)?;
    let msg = "actdim is too large";
    tree.ensure(said.actdim <= 1 << 20, origin, Some("actdim"), msg)?;
    Ok(activations_said(said))
}

/// The number of activation variables that an actuator declares, or those of its kind.
pub(super) fn activations_said(said: &Actuator) -> usize {
    own_activations(said).unwrap_or(match usize::try_from(said.actdim) {
        Ok(actdim) => actdim,
        Err(_) => usize::from(said.dyntype != DynType::None),
    })
}

// damping and armature need a target to be added to: a joint or a tendon
fn check_target(
    m: &Arrays,
    tree: &Tree,
    said: &Actuator,
    trntype: TrnType,
    target: i32,
) -> Result<()> {
    let ok = matches!(
        trntype,
        TrnType::Joint | TrnType::JointInParent | TrnType::Tendon
    );
    for (attr, asked) in [
        ("damping", said.damping.iter().any(|x| *x != 0.0)),
        ("armature", said.armature != 0.0),
    ] {
        let msg = format!("{attr} is added to a joint or a tendon: this actuator acts on neither");
        tree.ensure(ok || !asked, said.origin, Some(attr), &msg)?;
    }
    if trntype == TrnType::Tendon && said.armature * said.gear[0] != 0.0 {
        let (adr, num) = (
            m.tendon_adr[target as usize] as usize,
            m.tendon_num[target as usize] as usize,
        );
        let around = |t: &i32| *t == WrapType::Sphere || *t == WrapType::Cylinder;
        let wraps = m.wrap_type[adr..adr + num].iter().any(around);
        let msg = "armature cannot be added to a tendon that wraps around geoms";
        tree.ensure(!wraps, said.origin, Some("armature"), msg)?;
    }
    Ok(())
}

fn check_muscle(tree: &Tree, said: &Actuator) -> Result<()> {
    let gain = (said.gaintype == GainType::Muscle).then_some(&said.gainprm);
    let bias = (said.biastype == BiasType::Muscle).then_some(&said.biasprm);
    for prm in gain.into_iter().chain(bias) {
        let origin = said.origin;
        let msg = "range needs its first number below its second";
        tree.ensure(prm[0] < prm[1], origin, Some("range"), msg)?;
        let msg = "a muscle needs lmin < 1 < lmax";
        tree.ensure(prm[4] < 1.0 && prm[5] > 1.0, origin, None, msg)?;
        let msg = "scale, vmax, fpmax and fvmax of a muscle must be positive";
        let ok = [prm[3], prm[6], prm[7], prm[8]].iter().all(|x| *x > 0.0);
        tree.ensure(ok, origin, None, msg)?;
    }
    Ok(())
}
