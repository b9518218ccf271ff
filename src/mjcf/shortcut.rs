//! The meaning of the shortcuts of actuators (MuJoCo's `mjs_setTo…`).

use super::actuator::{Wrong, ctrlspec, wrong};
use super::schema::{ActuatorTag, SaidActuator, Tri};
use super::spec::Actuator;
use super::table::fill;
use crate::types::{BiasType, CtrlInput, DynType, GainType};

/// The parameters of a shortcut.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shortcut {
    kp: f64,
    kv: Option<f64>,
    dampratio: Option<f64>,
    /// The first is not given for the servos.
    timeconst: [Option<f64>; 2],
    ki: f64,
    imax: f64,
    slewmax: f64,
    inheritrange: f64,
    ctrlspec: i32,
    area: f64,
    diameter: f64,
    bias: [f64; 3],
    tausmooth: f64,
    /// range, force, scale, lmin, lmax, vmax, fpmax, fvmax
    muscle: [f64; 9],
    gain: f64,
    motorconst: [f64; 2],
    resistance: f64,
    nominal: [f64; 3],
    saturation: [f64; 3],
    inductance: [f64; 2],
    cogging: [f64; 3],
    controller: [f64; 6],
    thermal: [f64; 6],
    lugre: [f64; 5],
}

const MUSCLE: [f64; 9] = [0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2];
const MUSCLE_TIMECONST: [f64; 2] = [0.01, 0.04];

impl Shortcut {
    /// The built-in parameters of a shortcut.
    pub fn documented(tag: ActuatorTag) -> Shortcut {
        use ActuatorTag as A;
        let mut p = Shortcut {
            diameter: -1.0,
            ..Shortcut::default()
        };
        match tag {
            A::Position | A::IntVelocity | A::Orientation | A::Pid => p.kp = 1.0,
            A::Velocity => p.kv = Some(1.0),
            A::Cylinder => (p.timeconst[0], p.area) = (Some(1.0), 1.0),
            A::Muscle => (p.timeconst, p.muscle) = (MUSCLE_TIMECONST.map(Some), MUSCLE),
            A::Adhesion => p.gain = 1.0,
            _ => {}
        }
        p
    }

    /// The parameters of a shortcut that would give an actuator.
    pub fn of(a: &Actuator, tag: ActuatorTag) -> Shortcut {
        use ActuatorTag as A;
        let mut p = Shortcut {
            ctrlspec: a.ctrlspec,
            ..Shortcut::documented(tag)
        };
        let ([g0, g1, g2, g3, g4, g5, g6, g7, g8, _], [b0, b1, b2, b3, b4, b5, ..]) =
            (a.gainprm, a.biasprm);
        let [d0, d1, d2, d3, d4, d5, d6, d7, d8, _] = a.dynprm;
        if matches!(tag, A::Position | A::IntVelocity | A::Orientation | A::Pid) {
            // a servo's damping is negative, its damping ratio positive
            p.kv = (b2 < 0.0).then_some(-b2);
            p.dampratio = (b2 > 0.0).then_some(b2);
        }
        match tag {
            A::Position | A::IntVelocity => {
                p.kp = g0;
                p.timeconst[0] = (a.dyntype == DynType::FilterExact).then_some(d0);
                p.inheritrange = a.inheritrange;
            }
            A::Orientation => p.kp = g0,
            A::Pid => {
                (p.kp, p.ki, p.imax, p.slewmax) = (-b1, g0, d0, d1);
                p.inheritrange = a.inheritrange;
            }
            A::Velocity => p.kv = Some(g0),
            A::Damper => p.kv = Some(-g2),
            A::Cylinder => {
                (p.timeconst[0], p.area) = (Some(d0), g0);
                p.bias = [b0, b1, b2];
            }
            A::Muscle => {
                p.timeconst = [Some(d0), Some(d1)];
                p.tausmooth = d2;
                p.muscle = [g0, g1, g2, g3, g4, g5, g6, g7, g8];
            }
            A::Adhesion => p.gain = g0,
            A::DcMotor => {
                (p.motorconst[0], p.resistance) = (g1, g0);
                let [lo, hi] = a.forcerange;
                if a.forcelimited == Tri::True && hi > 0.0 && lo == -hi {
                    p.saturation[0] = hi;
                }
                p.saturation[2] = d1;
                p.inductance[1] = d0;
                p.cogging = [b0, b1, b2];
                p.controller = [g4, g5, g6, d7, d8, g7];
                p.thermal = [d2, d3, 0.0, g2, g3, d4];
                p.lugre = [d5, d6, b3, b4, b5];
            }
            A::General | A::Motor | A::Plugin | A::Unsaid => {}
        }
        p
    }

    /// Takes the parameters that an element gives.
    pub fn say(&mut self, s: &SaidActuator) -> Result<(), Wrong> {
        let put = |into: &mut f64, said: Option<f64>| *into = said.unwrap_or(*into);
        if s.kv.is_some() || s.dampratio.is_some() {
            (self.kv, self.dampratio) = (s.kv, s.dampratio);
        }
        put(&mut self.kp, s.kp);
        put(&mut self.ki, s.ki);
        put(&mut self.imax, s.imax);
        put(&mut self.slewmax, s.slewmax);
        put(&mut self.inheritrange, s.inheritrange);
        put(&mut self.area, s.area);
        put(&mut self.diameter, s.diameter);
        self.bias = s.bias.unwrap_or(self.bias);
        put(&mut self.tausmooth, s.tausmooth);
        put(&mut self.gain, s.gain);
        put(&mut self.resistance, s.resistance);
        if let Some(t) = &s.timeconst {
            let wanted = if s.tag == ActuatorTag::Muscle { 2 } else { 1 };
            if t.len() != wanted {
                let s = if wanted == 1 { "" } else { "s" };
                return wrong(
                    "timeconst",
                    format!("timeconst needs {wanted} number{s}, found {}", t.len()),
                );
            }
            for (into, said) in self.timeconst.iter_mut().zip(t) {
                *into = Some(*said);
            }
        }
        let [lo, hi] = s.range.map_or([None; 2], |r| r.map(Some));
        let muscle = [
            lo, hi, s.force, s.scale, s.lmin, s.lmax, s.vmax, s.fpmax, s.fvmax,
        ];
        for (into, said) in self.muscle.iter_mut().zip(muscle) {
            put(into, said);
        }
        self.motorconst = fill(s.motorconst.as_deref(), self.motorconst);
        self.nominal = fill(s.nominal.as_deref(), self.nominal);
        self.saturation = fill(s.saturation.as_deref(), self.saturation);
        if s.inductance.is_some() {
            self.inductance = fill(s.inductance.as_deref(), [0.0; 2]);
        }
        self.cogging = fill(s.cogging.as_deref(), self.cogging);
        self.controller = fill(s.controller.as_deref(), self.controller);
        self.thermal = fill(s.thermal.as_deref(), self.thermal);
        self.lugre = fill(s.lugre.as_deref(), self.lugre);
        if let Some(input) = &s.input {
            self.ctrlspec = ctrlspec(input)?;
        }
        Ok(())
    }

    /// Gives an actuator the dynamics, gain and bias of the shortcut.
    pub fn set(&self, a: &mut Actuator, s: &SaidActuator) -> Result<(), Wrong> {
        use ActuatorTag as A;
        // every shortcut sets all of its dynamics, gain, bias and activation
        (a.dyntype, a.gaintype, a.biastype) = (DynType::None, GainType::Fixed, BiasType::None);
        (a.dynprm, a.gainprm, a.biasprm) = ([0.0; 10], [0.0; 10], [0.0; 10]);
        a.dynprm[0] = 1.0;
        (a.actdim, a.actearly, a.actlimited, a.ctrlspec) = (-1, false, Tri::Auto, 0);
        match s.tag {
            A::Motor => a.gainprm[0] = 1.0,
            A::Position | A::IntVelocity => {
                a.gainprm[0] = self.kp;
                a.biastype = BiasType::Affine;
                a.biasprm[1] = -self.kp;
                a.biasprm[2] = self.damping()?;
                a.ctrlspec = CtrlInput::Pos as i32;
                if let Some(t) = self.timeconst[0] {
                    if t < 0.0 {
                        return wrong("timeconst", "timeconst may not be negative");
                    }
                    a.dynprm[0] = t;
                    a.dyntype = if t == 0.0 {
                        DynType::None
                    } else {
                        DynType::FilterExact
                    };
                }
                if s.tag == A::IntVelocity {
                    a.dyntype = DynType::Integrator;
                    a.ctrlspec = CtrlInput::Vel as i32;
                    a.inheritrange =
                        self.range(&mut a.actrange, "actrange", s.actrange.is_some(), s)?;
                } else {
                    a.inheritrange =
                        self.range(&mut a.ctrlrange, "ctrlrange", s.ctrlrange.is_some(), s)?;
                }
            }
            A::Velocity => {
                let kv = self.kv.unwrap_or(1.0);
                a.gainprm[0] = kv;
                a.biastype = BiasType::Affine;
                a.biasprm[2] = -kv;
                a.ctrlspec = CtrlInput::Vel as i32;
            }
            A::Orientation => {
                a.gaintype = GainType::So3;
                a.gainprm[0] = self.kp;
                a.biastype = BiasType::So3;
                a.biasprm[1] = -self.kp;
                a.biasprm[2] = self.damping()?;
                a.ctrlspec = self.ctrlspec;
            }
            A::Pid => self.pid(a, s)?,
            A::Damper => {
                let kv = self.kv.unwrap_or(0.0);
                if kv < 0.0 {
                    return wrong("kv", "kv of a damper may not be negative");
                }
                a.gaintype = GainType::Affine;
                a.gainprm[2] = -kv;
                nonnegative_control(a, "a damper")?;
            }
            A::Cylinder => {
                a.dyntype = DynType::Filter;
                a.dynprm[0] = self.timeconst[0].unwrap_or(1.0);
                a.gainprm[0] = self.area;
                if self.diameter >= 0.0 {
                    a.gainprm[0] = std::f64::consts::PI / 4.0 * self.diameter * self.diameter;
                }
                a.biastype = BiasType::Affine;
                let [b0, b1, b2] = self.bias;
                a.biasprm = [b0, b1, b2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
                a.ctrlspec = CtrlInput::Pressure as i32;
            }
            A::Muscle => self.muscle(a)?,
            A::Adhesion => {
                if self.gain < 0.0 {
                    return wrong("gain", "gain of adhesion may not be negative");
                }
                a.gainprm[0] = self.gain;
                nonnegative_control(a, "adhesion")?;
            }
            A::DcMotor => self.dcmotor(a, s)?,
            A::General | A::Plugin | A::Unsaid => {}
        }
        Ok(())
    }

    /// The third bias parameter of a servo: minus its damping, or its damping ratio.
    fn damping(&self) -> Result<f64, Wrong> {
        match (self.kv, self.dampratio) {
            (Some(_), Some(_)) => {
                wrong("dampratio", "kv and dampratio exclude each other; keep one")
            }
            (Some(kv), None) if kv < 0.0 => wrong("kv", "kv may not be negative"),
            (None, Some(ratio)) if ratio < 0.0 => {
                wrong("dampratio", "dampratio may not be negative")
            }
            (Some(kv), None) => Ok(-kv),
            (None, Some(ratio)) => Ok(ratio),
            (None, None) => Ok(0.0),
        }
    }

    /// The scale of an inherited range: the element's `range` or `inheritrange` replaces the other of the two from a class.
    fn range(
        &self,
        range: &mut [f64; 2],
        name: &'static str,
        said: bool,
        s: &SaidActuator,
    ) -> Result<f64, Wrong> {
        if self.inheritrange <= 0.0 || *range == [0.0; 2] {
            return Ok(self.inheritrange);
        }
        match (said, s.inheritrange.is_some()) {
            (true, false) => Ok(0.0),
            (false, true) => {
                *range = [0.0; 2];
                Ok(self.inheritrange)
            }
            _ => wrong(
                "inheritrange",
                format!("{name} and inheritrange exclude each other; keep one"),
            ),
        }
    }

    fn pid(&self, a: &mut Actuator, s: &SaidActuator) -> Result<(), Wrong> {
        if self.slewmax < 0.0 {
            return wrong("slewmax", "slewmax may not be negative");
        }
        a.gaintype = GainType::Pid;
        a.gainprm[0] = self.ki;
        a.biastype = BiasType::Affine;
        a.biasprm[1] = -self.kp;
        a.biasprm[2] = self.damping()?;
        (a.dynprm[0], a.dynprm[1]) = (if self.ki != 0.0 { self.imax } else { 0.0 }, self.slewmax);
        if self.ki != 0.0 || self.slewmax > 0.0 {
            a.dyntype = DynType::Pid;
        }
        a.ctrlspec = self.ctrlspec;
        let said = s.posrange.is_some() || s.ctrlrange.is_some();
        a.inheritrange = self.range(&mut a.ctrlrange, "posrange", said, s)?;
        Ok(())
    }

    fn muscle(&self, a: &mut Actuator) -> Result<(), Wrong> {
        if self.tausmooth < 0.0 {
            return wrong("tausmooth", "tausmooth may not be negative");
        }
        (a.dyntype, a.gaintype, a.biastype) = (DynType::Muscle, GainType::Muscle, BiasType::Muscle);
        // negative parameters stand for the built-in ones
        let or = |v: f64, builtin: f64| if v >= 0.0 { v } else { builtin };
        for ((d, said), builtin) in a
            .dynprm
            .iter_mut()
            .zip(self.timeconst)
            .zip(MUSCLE_TIMECONST)
        {
            *d = or(said.unwrap_or(builtin), builtin);
        }
        a.dynprm[2] = self.tausmooth;
        for ((g, said), builtin) in a.gainprm.iter_mut().zip(self.muscle).zip(MUSCLE) {
            *g = or(said, builtin);
        }
        a.biasprm = a.gainprm;
        Ok(())
    }

    fn dcmotor(&self, a: &mut Actuator, s: &SaidActuator) -> Result<(), Wrong> {
        let (k, r) = self.motor_constants(a.damping[0])?;
        let [kp, ki, kd, slewmax, imax, vmax] = self.controller;
        let [l, te] = self.inductance;
        if l < 0.0 || te < 0.0 {
            return wrong("inductance", "inductance may not be negative");
        }
        let te = if l > 0.0 { l / r } else { te };
        (a.dyntype, a.gaintype, a.biastype) =
            (DynType::DcMotor, GainType::DcMotor, BiasType::DcMotor);
        a.gainprm = [r, k, 0.0, 0.0, kp, ki, kd, vmax.max(0.0), 0.0, 0.0];
        a.dynprm = [
            te,
            self.saturation[2].max(0.0),
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            slewmax,
            imax,
            0.0,
        ];
        let [c0, c1, c2] = self.cogging;
        a.biasprm = [c0, c1, c2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        // the activations: slew, integral, temperature, bristle, current
        let mut actdim = i32::from(te > 0.0) + i32::from(slewmax > 0.0) + i32::from(ki > 0.0);
        // saturation is a force limit; without one the limit of a class is cleared
        let [tau, current, _] = self.saturation;
        if tau > 0.0 || current > 0.0 {
            let tau = if tau == 0.0 { k * current } else { tau };
            (a.forcerange, a.forcelimited) = ([-tau, tau], Tri::True);
        } else if s.saturation.is_some() {
            (a.forcerange, a.forcelimited) = ([0.0; 2], Tri::Auto);
        }
        if let Some([rt, c]) = self.thermal_constants()? {
            let [.., alpha, t0, ta] = self.thermal;
            (a.dynprm[2], a.dynprm[3], a.dynprm[4]) = (rt, c, ta);
            (a.gainprm[2], a.gainprm[3]) = (alpha, t0);
            actdim += 1;
        }
        let [stiffness, damping, coulomb, r#static, stribeck] = self.lugre;
        if stiffness > 0.0 {
            (a.dynprm[5], a.dynprm[6]) = (stiffness, damping);
            (a.biasprm[3], a.biasprm[4], a.biasprm[5]) = (coulomb, r#static, stribeck);
            actdim += 1;
        }
        (a.actdim, a.actlimited, a.actearly, a.ctrlspec) =
            (actdim, Tri::False, true, self.ctrlspec);
        Ok(())
    }

    // motor constant (N m / A) and resistance (ohm) of a DC motor with a linear damping
    fn motor_constants(&self, damping: f64) -> Result<(f64, f64), Wrong> {
        let [kt, ke] = self.motorconst;
        let (mut r, [vn, tau0, _]) = (self.resistance, self.nominal);
        if kt < 0.0 || ke < 0.0 {
            return wrong("motorconst", "motor constants may not be negative");
        }
        let ke = if ke > 0.0 { ke } else { self.back_emf(damping) };
        let k = if kt > 0.0 && ke > 0.0 {
            (kt * ke).sqrt()
        } else {
            kt.max(ke)
        };
        // resistance from the stall torque: tau0 = K vn / R
        if r == 0.0 && vn > 0.0 && tau0 > 0.0 && k > 0.0 {
            r = k * vn / tau0;
        }
        if k <= 0.0 && self.ctrlspec != CtrlInput::None as i32 {
            return wrong(
                "motorconst",
                "a DC motor needs a positive motorconst, or nominal values that give it",
            );
        }
        if r <= 0.0 {
            return wrong(
                "resistance",
                "a DC motor needs a positive resistance, or nominal values that give it",
            );
        }
        Ok((k, r))
    }

    // back-EMF constant from the no-load speed: omega0 = vn Ke / (Ke² + R B); 0 without nominal values
    fn back_emf(&self, b: f64) -> f64 {
        let (r, [vn, tau0, omega0]) = (self.resistance, self.nominal);
        if vn <= 0.0 || omega0 <= 0.0 {
            return 0.0;
        }
        let undamped = vn / omega0;
        if b > 0.0 && r > 0.0 {
            let disc = vn * vn - 4.0 * r * b * omega0 * omega0;
            if disc > 0.0 {
                return (vn + disc.sqrt()) / (2.0 * omega0);
            }
        } else if b > 0.0 && tau0 > 0.0 {
            let exact = undamped - vn * b / tau0;
            if exact > 0.0 {
                return exact;
            }
        }
        undamped
    }

    // thermal resistance and capacitance, of which their product may give one; none if the motor does not heat up
    fn thermal_constants(&self) -> Result<Option<[f64; 2]>, Wrong> {
        let [mut rt, mut c, product, ..] = self.thermal;
        if [rt, c, product].iter().all(|x| *x <= 0.0) {
            return Ok(None);
        }
        if product > 0.0 && rt > 0.0 {
            c = product / rt;
        } else if product > 0.0 && c > 0.0 && rt == 0.0 {
            rt = product / c;
        }
        if rt <= 0.0 || c <= 0.0 {
            return wrong(
                "thermal",
                "thermal resistance and capacitance must be positive: give two of R, C and their product",
            );
        }
        Ok(Some([rt, c]))
    }
}

fn nonnegative_control(a: &mut Actuator, what: &str) -> Result<(), Wrong> {
    a.ctrllimited = Tri::True;
    if a.ctrlrange.iter().any(|c| *c < 0.0) {
        return wrong(
            "ctrlrange",
            format!("ctrlrange of {what} may not be negative"),
        );
    }
    Ok(())
}
