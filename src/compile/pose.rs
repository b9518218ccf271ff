//! Poses, and conversions of given orientations.
//!
//! The order of operations is that of MuJoCo's compiler (`mjuu_frameaccum` and its kin), so that results agree to the last bits.

use std::f64::consts::PI;

use crate::asset::vec3::{EPS, mulmatvec, mulquat, normalize, quat2mat};
use crate::mjcf::schema::Orientation;
use glam::DVec3;

pub(crate) use crate::asset::vec3::V3;

/// A unit quaternion, real part first.
pub(crate) type Quat = [f64; 4];

/// The quaternion of no rotation.
pub(crate) const UNIT: Quat = [1.0, 0.0, 0.0, 0.0];

/// A position and an orientation, in some parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pose {
    pub pos: V3,
    pub quat: Quat,
}

impl Pose {
    /// The pose of the parent itself.
    pub const NULL: Pose = Pose {
        pos: [0.0; 3],
        quat: UNIT,
    };

    /// A pose without rotation.
    pub fn at(pos: V3) -> Pose {
        Pose { pos, quat: UNIT }
    }

    /// Converts the pose `child` from this frame into the frame of this pose's parent.
    pub fn then(self, child: Pose) -> Pose {
        let shift = mulmatvec(&quat2mat(self.quat), child.pos);
        Pose {
            pos: [
                self.pos[0] + shift[0],
                self.pos[1] + shift[1],
                self.pos[2] + shift[2],
            ],
            quat: mulquat(self.quat, child.quat),
        }
    }

    /// The pose of the parent in this one.
    pub fn inverse(self) -> Pose {
        let quat = conjugate(self.quat);
        let pos = mulmatvec(&quat2mat(quat), self.pos);
        Pose {
            pos: pos.map(|x| -x),
            quat,
        }
    }
}

/// The opposite rotation.
pub(super) fn conjugate(q: Quat) -> Quat {
    [q[0], -q[1], -q[2], -q[3]]
}

/// A quaternion of unit length; one that is too short to have a direction stays as it is.
pub(crate) fn unit(mut quat: Quat) -> Quat {
    normalize(&mut quat);
    quat
}

/// The smallest rotation that takes the z axis to `vec`, which has unit length.
pub(super) fn z2quat(vec: V3) -> Quat {
    let mut axis = DVec3::Z.cross(vec.into()).to_array();
    let s = normalize(&mut axis);
    if s < 1e-10 {
        axis = [1.0, 0.0, 0.0];
    }
    let half = s.atan2(vec[2]) / 2.0;
    let sin = half.sin();
    [half.cos(), axis[0] * sin, axis[1] * sin, axis[2] * sin]
}

/// The quaternion of a frame whose axes are orthogonal and of unit length.
pub(super) fn frame2quat(x: V3, y: V3, z: V3) -> Quat {
    let trace = x[0] + y[1] + z[2];
    // divide by the largest component
    let quat = if trace > 0.0 {
        let w = 0.5 * (1.0 + trace).sqrt();
        [
            w,
            0.25 * (y[2] - z[1]) / w,
            0.25 * (z[0] - x[2]) / w,
            0.25 * (x[1] - y[0]) / w,
        ]
    } else if x[0] > y[1] && x[0] > z[2] {
        let q = 0.5 * (1.0 + x[0] - y[1] - z[2]).sqrt();
        [
            0.25 * (y[2] - z[1]) / q,
            q,
            0.25 * (y[0] + x[1]) / q,
            0.25 * (z[0] + x[2]) / q,
        ]
    } else if y[1] > z[2] {
        let q = 0.5 * (1.0 - x[0] + y[1] - z[2]).sqrt();
        [
            0.25 * (z[0] - x[2]) / q,
            0.25 * (y[0] + x[1]) / q,
            q,
            0.25 * (z[1] + y[2]) / q,
        ]
    } else {
        let q = 0.5 * (1.0 - x[0] - y[1] + z[2]).sqrt();
        [
            0.25 * (x[1] - y[0]) / q,
            0.25 * (z[0] + x[2]) / q,
            0.25 * (z[1] + y[2]) / q,
            q,
        ]
    };
    unit(quat)
}

/// Conventions for angles and Euler sequences in a model.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    /// Angles are in degrees.
    pub degree: bool,
    /// Axes of the Euler rotations.
    pub eulerseq: [u8; 3],
}

impl Units {
    /// An angle in radians.
    pub fn angle(&self, x: f64) -> f64 {
        if self.degree { x / 180.0 * PI } else { x }
    }

    /// The given orientation, if any. Fails with a message.
    pub fn orientation(&self, said: &Orientation) -> Result<Option<Quat>, &'static str> {
        Ok(Some(if let Some(euler) = said.euler {
            self.euler(euler)
        } else if let Some(mut zaxis) = said.zaxis {
            if normalize(&mut zaxis) < EPS {
                return Err("zaxis is too short to have a direction");
            }
            z2quat(zaxis)
        } else if let Some(xyaxes) = said.xyaxes {
            xyaxes2quat(xyaxes)?
        } else if let Some([x, y, z, angle]) = said.axisangle {
            let mut axis = [x, y, z];
            if normalize(&mut axis) < EPS {
                return Err("the axis of axisangle is too short to have a direction");
            }
            let half = self.angle(angle) / 2.0;
            let sin = half.sin();
            [half.cos(), sin * axis[0], sin * axis[1], sin * axis[2]]
        } else if let Some(quat) = said.quat {
            unit(quat)
        } else {
            return Ok(None);
        }))
    }

    // lower case turns about the moving axes, upper case about the fixed ones
    fn euler(&self, euler: V3) -> Quat {
        let mut quat = UNIT;
        for (axis, angle) in self.eulerseq.into_iter().zip(euler) {
            let half = self.angle(angle) / 2.0;
            let mut turn = [half.cos(), 0.0, 0.0, 0.0];
            let k = match axis.to_ascii_lowercase() {
                b'x' => 1,
                b'y' => 2,
                _ => 3,
            };
            turn[k] = half.sin();
            quat = if axis.is_ascii_lowercase() {
                mulquat(quat, turn)
            } else {
                mulquat(turn, quat)
            };
        }
        unit(quat)
    }
}

fn xyaxes2quat(xyaxes: [f64; 6]) -> Result<Quat, &'static str> {
    let [a, b, c, d, e, f] = xyaxes;
    let (mut x, mut y) = ([a, b, c], [d, e, f]);
    if normalize(&mut x) < EPS {
        return Err("the x axis of xyaxes is too short to have a direction");
    }
    let (u, v) = (DVec3::from_array(x), DVec3::from_array(y));
    y = (v - u * u.dot(v)).to_array();
    if normalize(&mut y) < EPS {
        return Err("the y axis of xyaxes must not be parallel to the x axis");
    }
    let mut z = u.cross(y.into()).to_array();
    if normalize(&mut z) < EPS {
        return Err("the axes of xyaxes must not be parallel");
    }
    Ok(frame2quat(x, y, z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::vec3::rotvecquat;

    #[test]
    fn a_pose_undone_is_null() {
        let pose = Pose {
            pos: [1.0, -2.0, 0.5],
            quat: unit([1.0, 2.0, 3.0, -4.0]),
        };
        for null in [pose.then(pose.inverse()), pose.inverse().then(pose)] {
            for (x, y) in null.pos.into_iter().zip([0.0; 3]) {
                assert!((x - y).abs() < 1e-15);
            }
            for (x, y) in null.quat.into_iter().zip(UNIT) {
                assert!((x - y).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn every_way_to_say_a_quarter_turn_agrees() {
        let units = Units {
            degree: true,
            eulerseq: *b"xyz",
        };
        let s = std::f64::consts::FRAC_1_SQRT_2;
        let ways = [
            Orientation {
                euler: Some([90.0, 0.0, 0.0]),
                ..Default::default()
            },
            Orientation {
                axisangle: Some([2.0, 0.0, 0.0, 90.0]),
                ..Default::default()
            },
            Orientation {
                xyaxes: Some([3.0, 0.0, 0.0, 1.0, 0.0, 5.0]),
                ..Default::default()
            },
            Orientation {
                zaxis: Some([0.0, -2.0, 0.0]),
                ..Default::default()
            },
            Orientation {
                quat: Some([3.0, 3.0, 0.0, 0.0]),
                ..Default::default()
            },
        ];
        for way in ways {
            let quat = units.orientation(&way).unwrap().unwrap();
            for (x, y) in quat.into_iter().zip([s, s, 0.0, 0.0]) {
                assert!((x - y).abs() < 1e-15, "{way:?}: {quat:?}");
            }
        }
    }

    #[test]
    fn frames_of_every_branch_turn_back() {
        let quats = [
            [1.0, 0.1, 0.2, 0.3],
            [0.1, 1.0, 0.2, 0.3],
            [0.1, 0.2, 1.0, -0.3],
            [0.1, -0.2, 0.3, 1.0],
        ];
        for quat in quats.map(unit) {
            let axis = |k: usize| {
                let mut e = [0.0; 3];
                e[k] = 1.0;
                rotvecquat(e, quat)
            };
            let back = frame2quat(axis(0), axis(1), axis(2));
            for (x, y) in back.into_iter().zip(quat) {
                assert!((x - y).abs() < 1e-15, "{quat:?}: {back:?}");
            }
        }
    }
}
