//! Worlds in cold states: deep overlaps, high speeds, stiff and slippery contacts, and an unrelated warm start.

use manyworlds::types::JointType;
use manyworlds::{Data, Model};

/// Shapes that touch a floor and each other, and the contact attributes that replace `CONTACT`.
const SHAPES: &[(&str, &str, &str)] = &[
    (
        "two boxes, stiff and slippery",
        r#"<worldbody><geom type="plane" size="5 5 .1" CONTACT/>
             <body pos="0 0 .09"><freejoint/><geom type="box" size=".1 .1 .1" CONTACT/></body>
             <body pos=".12 0 .28"><freejoint/><geom type="box" size=".1 .12 .1" CONTACT/></body></worldbody>"#,
        r#"solref=".004 1" solimp=".99 .999 .0005" friction=".05 .005 .0001""#,
    ),
    (
        "an arm with stops and dry joints, bouncing, with friction that turns",
        r#"<default><joint damping=".1" armature=".01" frictionloss=".3" range="-40 40" limited="true"/></default>
           <worldbody><geom type="plane" size="5 5 .1" CONTACT/>
             <body pos="0 0 .12"><joint axis="0 1 0"/><geom type="capsule" size=".03" fromto="0 0 0 .3 0 0" CONTACT/>
               <body pos=".3 0 0"><joint axis="0 1 0"/><joint axis="0 0 1"/><geom type="capsule" size=".03" fromto="0 0 0 .3 0 0" CONTACT/>
                 <body pos=".3 0 0"><joint axis="1 0 0"/><joint axis="0 1 0"/><geom type="box" size=".05 .04 .02" CONTACT/></body>
               </body></body>
             <body pos=".7 .02 .03"><freejoint/><geom type="sphere" size=".05" CONTACT/></body></worldbody>"#,
        r#"solref=".03 .7" condim="4" friction=".3 .02 .001""#,
    ),
    (
        "a light body under a heavy one, with friction that rolls",
        r#"<worldbody><geom type="plane" size="5 5 .1" CONTACT/>
             <body pos="0 0 .04"><freejoint/><geom type="cylinder" size=".05 .04" density="50" CONTACT/></body>
             <body pos=".01 0 .17"><freejoint/><geom type="box" size=".1 .1 .1" density="8000" CONTACT/></body></worldbody>"#,
        r#"condim="6" friction=".7 .02 .01""#,
    ),
];

const CONES: &[(&str, &str)] = &[
    ("pyramids", r#"cone="pyramidal""#),
    ("cones", r#"cone="elliptic""#),
    ("cones of impratio 10", r#"cone="elliptic" impratio="10""#),
];

/// Whether the contacts of a model slide on stiff and narrow friction cones. The distance to such a cone is the difference of two
/// numbers that are larger by the inverse of the friction, so that an `f32` keeps fewer bits of the force.
pub fn narrow(place: &str) -> bool {
    place.contains("slippery") && place.contains("cones")
}

/// The models, by description; `option` are attributes of `<option>`.
pub fn models(option: &str) -> Vec<(String, Model)> {
    let model = |(cone_name, cone): &(&str, &str), (name, shape, contact): &(&str, &str, &str)| {
        let shape = shape.replace("CONTACT", contact);
        let text = format!("<mujoco><option timestep=\".004\" {cone} {option}/>{shape}</mujoco>");
        let m = Model::from_xml_str(&text).unwrap_or_else(|e| panic!("{e}"));
        (format!("{name}, {cone_name}"), m)
    };
    let both = CONES
        .iter()
        .flat_map(|c| SHAPES.iter().map(move |s| model(c, s)));
    both.collect()
}

/// Deterministic random numbers, uniform in [-1, 1).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// `n` worlds in random cold states, representable in `f32`.
pub fn worlds(m: &Model, n: usize) -> Vec<Data> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut world = |k: usize| {
        let mut d = Data::new(m);
        let [shake, speed] = [[0.01, 0.3], [0.03, 3.0], [0.1, 10.0]][k % 3];
        for j in 0..m.njnt {
            let q = m.jnt_qposadr[j] as usize;
            if m.jnt_type[j] == JointType::Free {
                // half of the bodies lie flat
                let turn = if k.is_multiple_of(2) { shake } else { 0.001 };
                (0..3).for_each(|i| d.qpos[q + i] += shake * random.uniform());
                (3..7).for_each(|i| d.qpos[q + i] += turn * random.uniform());
            } else {
                d.qpos[q] += 10.0 * shake * random.uniform();
            }
        }
        d.qvel
            .iter_mut()
            .for_each(|v| *v = speed * random.uniform());
        if k.is_multiple_of(5) {
            // the warm start of another state
            let last = d.qacc_warmstart.iter_mut();
            last.for_each(|a| *a = 100.0 * speed * random.uniform());
        }
        for x in [&mut d.qpos, &mut d.qvel, &mut d.qacc_warmstart] {
            x.iter_mut().for_each(|x| *x = f64::from(*x as f32));
        }
        d
    };
    (0..n).map(&mut world).collect()
}

/// The largest difference of two arrays, relative to the largest number.
pub fn off(have: &[f64], want: &[f64]) -> f64 {
    let size = want.iter().fold(1.0f64, |s, x| s.max(x.abs()));
    have.iter().zip(want).fold(0.0, |worst: f64, (a, b)| {
        let off = (a - b).abs() / size;
        worst.max(if off.is_nan() { f64::INFINITY } else { off })
    })
}

/// Errors of the worlds of a model, and the iterations of both solvers.
#[derive(Default)]
pub struct Tally {
    errors: Vec<f64>,
    beyond: usize,
    iterations: [i32; 2],
    told: String,
}

impl Tally {
    /// Adds a world: its error, and the iterations of the tested solver and of the reference.
    pub fn add(&mut self, world: usize, error: f64, tolerance: f64, iterations: [i32; 2]) {
        self.errors.push(error);
        (0..2).for_each(|k| self.iterations[k] += iterations[k]);
        if error > tolerance {
            self.beyond += 1;
            if self.beyond <= 3 {
                let [a, b] = iterations;
                self.told +=
                    &format!("    world {world}: {error:.1e}, {a} against {b} iterations\n");
            }
        }
    }

    /// Adds the worlds of another model to these; returns a summary of them.
    pub fn join(&mut self, place: &str, mut other: Tally) -> String {
        other.errors.sort_by(f64::total_cmp);
        let n = other.errors.len();
        let at = |p: f64| other.errors[(p * (n - 1) as f64) as usize];
        let mean = other.iterations.map(|k| f64::from(k) / n as f64);
        let said = format!(
            "{place}: {} of {n} beyond; median {:.1e}, 99 % {:.1e}, all {:.1e}; {:.2} against {:.2} iterations\n{}",
            other.beyond,
            at(0.5),
            at(0.99),
            at(1.0),
            mean[0],
            mean[1],
            other.told,
        );
        self.errors.append(&mut other.errors);
        self.beyond += other.beyond;
        said
    }

    /// Asserts that at most one world in `many` has an error above the tolerance, and none above `most`.
    pub fn at_most_one_in(&self, many: usize, most: f64, said: &str) {
        let n = self.errors.len();
        println!("{said}{} of {n} beyond", self.beyond);
        let worst = self.errors.iter().copied().fold(0.0, f64::max);
        assert!(n >= many, "{n} worlds");
        assert!(worst <= most, "{worst:.1e}:\n{said}");
        assert!(
            self.beyond * many <= n,
            "{} of {n} beyond:\n{said}",
            self.beyond
        );
    }
}
