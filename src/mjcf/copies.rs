//! `replicate`: copies of a part of the tree, and of the elements that refer to it.

use super::attrs::{self, Plain};
use super::names::{Named, Names, subtree};
use super::read::Reader;
use super::schema::{Angle, Body, Compiler, Frame, Replicate};
use super::spec::Spec;
use super::tree::Place;
use super::xml::Node;

impl Reader<'_> {
    /// Reads a `<replicate>`: its contents once, then the number of copies that it asks for.
    pub fn replicate(&mut self, node: &Node, body: &mut Body, place: Place) {
        let said: Replicate = attrs::read(&mut self.log, node, &Plain);
        let class = self.childclass(node, place.class);
        let count = said.count.unwrap_or(1);
        // no copies, as in MuJoCo
        if count < 1 {
            return;
        }
        // too many copies are refused before they are made, those of nested replicates too
        let before = self.elements;
        let most = self.limits.elements;
        let msg = format!(
            "count {count} makes more than {most} elements in all; raise `Limits::elements`"
        );
        if before.saturating_add(expanded(node)) > most {
            return self.log.stop(node.origin, msg);
        }
        let mut part = Box::new(Body {
            frames: vec![Frame {
                origin: node.origin,
                ..Frame::default()
            }],
            ..Body::default()
        });
        self.contents(
            node,
            &mut part,
            Place {
                class,
                frame: Some(0),
                world: false,
                replicate: true,
                depth: place.depth,
            },
        );
        if let Some(inertial) = part.inertial.take() {
            self.log.mistake(
                inertial.origin,
                None,
                "an inertial may not stand directly in a replicate; wrap it in a body",
            );
        }

        // attached models are in the copies too
        let mut size = 1;
        subtree(&mut part, &mut |_, _| size += 1);
        self.elements = before.saturating_add(size * count as u64);
        if self.elements > most {
            return self.log.stop(node.origin, msg);
        }

        let inside = names_of(&mut part);
        let originals = take_referring(&mut self.spec, &inside);
        let steps = steps(&said, self.compiler());
        let digits = count.to_string().len();
        for (i, (pos, quat)) in steps.into_iter().take(count as usize).enumerate() {
            let suffix = format!("{}{i:0digits$}", said.sep());
            let mut copy = part.clone();
            if let Some(frame) = copy.frames.first_mut() {
                frame.pos = Some(pos);
                frame.orientation.quat = Some(quat);
            }
            rename(&mut copy, &inside, &|name| format!("{name}{suffix}"));
            graft(body, *copy, place.frame);
            originals.copy_into(&mut self.spec, &inside, &|name| format!("{name}{suffix}"));
        }
    }
}

/// Number of elements that an element becomes, copies counted.
fn expanded(node: &Node) -> u64 {
    let inside = node.children.iter().map(expanded);
    let inside = inside.fold(1, |a: u64, b| a.saturating_add(b));
    let count = if node.tag == "replicate" {
        node.attr("count")
    } else {
        None
    };
    let count = count.and_then(|c| c.trim().parse().ok()).unwrap_or(1);
    inside.saturating_mul(count)
}

/// The poses of the copies: each is offset and rotated in the frame of the copy before.
fn steps(
    said: &Replicate,
    compiler: &Compiler,
) -> impl Iterator<Item = ([f64; 3], [f64; 4])> + use<> {
    let (offset, euler) = (said.offset(), said.euler());
    let (degree, seq) = (compiler.angle() == Angle::Degree, compiler.eulerseq());
    let mut pos = [0.0; 3];
    (0..).map(move |i| {
        // rotated from the start each time, so that errors do not add up
        let quat = euler_quat(euler.map(|e| f64::from(i) * e), degree, &seq);
        let here = pos;
        let step = rotate(offset, quat);
        for (p, s) in pos.iter_mut().zip(step) {
            *p += s;
        }
        (here, quat)
    })
}

/// The quaternion of Euler angles (MuJoCo's `mjs_resolveOrientation`).
pub(crate) fn euler_quat(euler: [f64; 3], degree: bool, seq: &str) -> [f64; 4] {
    let mut quat = [1.0, 0.0, 0.0, 0.0];
    for (angle, axis) in euler.into_iter().zip(seq.bytes()) {
        let angle = if degree {
            angle / 180.0 * std::f64::consts::PI
        } else {
            angle
        };
        let (sin, cos) = ((angle / 2.0).sin(), (angle / 2.0).cos());
        let turn = match axis {
            b'x' | b'X' => [cos, sin, 0.0, 0.0],
            b'y' | b'Y' => [cos, 0.0, sin, 0.0],
            _ => [cos, 0.0, 0.0, sin],
        };
        // lower case turns about the axes of the moving frame
        quat = if axis.is_ascii_lowercase() {
            mul(quat, turn)
        } else {
            mul(turn, quat)
        };
    }
    let norm = quat.iter().map(|q| q * q).sum::<f64>().sqrt();
    quat.map(|q| q / norm)
}

fn mul(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (a, b);
    [
        a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3,
        a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2,
        a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1,
        a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
    ]
}

fn rotate(v: [f64; 3], q: [f64; 4]) -> [f64; 3] {
    let ([x, y, z], [w, a, b, c]) = (v, q);
    // v + 2 u × (u × v + w v)
    let t = [
        w * x + b * z - c * y,
        w * y + c * x - a * z,
        w * z + a * y - b * x,
    ];
    let [t0, t1, t2] = t;
    [
        x + 2.0 * (b * t2 - c * t1),
        y + 2.0 * (c * t0 - a * t2),
        z + 2.0 * (a * t1 - b * t0),
    ]
}

/// The names of all elements in a part of the tree.
pub(crate) fn names_of(part: &mut Body) -> Names {
    let mut names = Names::default();
    subtree(part, &mut |kind, e| {
        if let Some(name) = e.name() {
            names.add(kind, name);
        }
    });
    names
}

/// Renames all elements of a part of the tree, and the references to them from inside.
pub(crate) fn rename(part: &mut Body, inside: &Names, to: &dyn Fn(&str) -> String) {
    subtree(part, &mut |_, e| rename_one(e, inside, to));
}

/// Renames an element, and its references to elements inside.
pub(crate) fn rename_one(e: &mut dyn Named, inside: &Names, to: &dyn Fn(&str) -> String) {
    if let Some(name) = e.name().as_mut().filter(|n| !n.is_empty()) {
        *name = to(name);
    }
    e.refers(&mut |_, kind, name| {
        if inside.has(kind, name) {
            *name = to(name);
        }
    });
}

/// Appends a part of the tree to a body, inside one of its frames.
pub(crate) fn graft(body: &mut Body, part: Body, around: Option<usize>) {
    let shift = body.frames.len();
    let place = |frame: Option<usize>| frame.map_or(around, |f| Some(f + shift));
    body.frames.extend(part.frames.into_iter().map(|mut x| {
        x.parent = place(x.parent);
        x
    }));
    macro_rules! append {
        ($($list:ident)*) => { $( body.$list.extend(part.$list.into_iter().map(|mut x| {
            x.frame = place(x.frame);
            x
        })); )* };
    }
    append!(joints geoms sites cameras lights bodies);
}

/// Elements outside of the tree that refer to a part of it.
pub(crate) struct Referring(Spec);

/// How many of an element's references must lead into the part for the element to be copied with the part.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Tie {
    /// One is enough; other references stay as they are.
    Any,
    /// All, except references to the world.
    AllButWorld,
    /// All.
    All,
}

/// The lists outside of the tree that refer to the tree, in MuJoCo's order of copying.
macro_rules! referring_lists {
    ($m:ident) => {
        $m!(pairs "pair" Any, excludes "exclude" Any, flexes "flex" Any, tendons "tendon" Any, equalities "equality" AllButWorld,
            actuators "actuator" All, sensors "sensor" Any, tuples "tuple" All);
    };
}

/// Takes the elements out of the model that refer to a part of the tree, which is about to be replaced by copies.
pub(crate) fn take_referring(spec: &mut Spec, inside: &Names) -> Referring {
    let mut out = Referring(Spec::default());
    // elements that refer to a removed tendon are removed, too
    let mut gone = inside.clone();
    macro_rules! take {
        ($($list:ident $kind:literal $tie:ident),*) => { $(
            let mut kept = Vec::new();
            for mut e in std::mem::take(&mut spec.$list) {
                let (mut any, mut name) = (false, e.name().clone());
                e.refers(&mut |_, kind, name| any |= gone.has(kind, name));
                if any {
                    if let Some(name) = name.take() {
                        gone.add($kind, &name);
                    }
                    out.0.$list.push(e);
                } else {
                    kept.push(e);
                }
            }
            spec.$list = kept;
        )* };
    }
    referring_lists!(take);
    out
}

/// Copies the elements of the model that refer to a part of the tree.
pub(crate) fn clone_referring(spec: &mut Spec, inside: &Names) -> Referring {
    let mut whole = spec.clone();
    take_referring(&mut whole, inside)
}

impl Referring {
    /// Puts renamed copies into a model, as far as the elements that they refer to are in the part.
    pub fn copy_into(&self, spec: &mut Spec, inside: &Names, to: &dyn Fn(&str) -> String) {
        let mut copied = inside.clone();
        macro_rules! copy {
            ($($list:ident $kind:literal $tie:ident),*) => { $(
                for e in &self.0.$list {
                    let mut e = e.clone();
                    if tied(&mut e, &copied, Tie::$tie) {
                        if let Some(name) = e.name() {
                            copied.add($kind, name);
                        }
                        rename_one(&mut e, &copied, to);
                        spec.$list.push(e);
                    }
                }
            )* };
        }
        referring_lists!(copy);
    }
}

/// Removes the elements of a partly attached model that refer to anything outside of the part; adds the names of the remaining ones.
pub(crate) fn take_for_attachment(spec: &mut Spec, inside: &mut Names) {
    macro_rules! retain {
        ($($list:ident $kind:literal $tie:ident),*) => { $(
            spec.$list.retain_mut(|e| {
                let mut all = true;
                e.refers(&mut |_, kind, name| all &= inside.has(kind, name) || kind == "body" && name == "world");
                if let (true, Some(name)) = (all, e.name()) {
                    inside.add($kind, name);
                }
                all
            });
        )* };
    }
    referring_lists!(retain);
}

/// Whether an element is copied with a part of the tree.
fn tied(e: &mut impl Named, inside: &Names, tie: Tie) -> bool {
    let (mut any, mut all) = (false, true);
    e.refers(&mut |_, kind, name| {
        // a plugin's instance is no part of the tree
        let is = inside.has(kind, name) || kind == "plugin";
        any |= is && kind != "plugin";
        all &= is || tie == Tie::AllButWorld && kind == "body" && name == "world";
    });
    any && (all || tie == Tie::Any) && !e.tears(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn euler_angles_turn_like_mujocos() {
        let close = |a: [f64; 4], b: [f64; 4]| a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-15);
        let s = 0.5f64.sqrt();
        assert!(close(
            euler_quat([90.0, 0.0, 0.0], true, "xyz"),
            [s, s, 0.0, 0.0]
        ));
        assert!(close(
            euler_quat([90.0, 90.0, 0.0], true, "xyz"),
            [0.5, 0.5, 0.5, 0.5]
        ));
        assert!(close(
            euler_quat([90.0, 90.0, 0.0], true, "XYZ"),
            [0.5, 0.5, 0.5, -0.5]
        ));
        let v = rotate([1.0, 0.0, 0.0], [s, 0.0, 0.0, s]);
        assert!((v[1] - 1.0).abs() < 1e-15 && v[0].abs() < 1e-15);
    }
}
