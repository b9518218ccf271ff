//! `custom` and `keyframe`.

use crate::mjcf::spec::Actuator;
use crate::types::{JointType, ObjType};

elements! {
    /// `<numeric>`: numbers by name.
    Numeric {
        name: name (required), "Name.";
        size: int, "How many numbers; the rest is zero. As many as `data` if absent.";
        data: real[..], "The numbers.";
    }

    /// `<text>`: a text by name.
    Text {
        name: name (required), "Name.";
        data: text, "The text; may be a CDATA section instead.";
    }

    /// `<tuple>`: a list of objects by name.
    Tuple {
        name: name (required), "Name.";
    } with {
        /// The objects.
        elements: Vec<TupleElement>,
    }

    /// `<element>` of a tuple.
    TupleElement {
        objtype: key<ObjType> (required), "Kind of the object.";
        objname: text (required), "Name of the object.";
        prm: real = 0.0, "A number.";
    }

    /// `<key>`: a state by name.
    Key {
        name: name, "Name.";
        time: real = 0.0, "Time (s).";
        qpos: real[..], "Generalized positions; those of qpos0 if absent.";
        qvel: real[..], "Generalized velocities; zero if absent.";
        act: real[..], "Activations; zero if absent.";
        mpos: real[..], "Positions of mocap bodies (m).";
        mquat: real[..], "Orientations of mocap bodies.";
        ctrl: real[..], "Controls; zero if absent.";
        plastic: real[..], "Plastic deformations.";
    } with {
        /// The elements that the vectors are about, if not the whole model.
        of: Option<Box<KeyOf>>,
        /// Factors of `plastic` for stretching and for bending of each flex, where frames scale; empty where none does.
        flex_factors: Vec<[f64; 2]>,
    }
}

/// The elements that the vectors of an attached model's keyframe are about; everything else stays as in qpos0, or zero.
///
/// A vector has, for each of these elements in order, as many numbers as the element has in the model. An element that was not
/// attached has no id; its numbers are to be skipped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyOf {
    /// Joints, for `qpos` and `qvel`.
    pub joints: Vec<JointId>,
    /// Actuators, for `act` and `ctrl`.
    pub actuators: Vec<ActuatorId>,
    /// Ids of mocap bodies, for `mpos` and `mquat`.
    pub mocaps: Vec<Option<usize>>,
}

/// An actuator of an attached model.
#[derive(Clone, Debug, PartialEq)]
pub struct ActuatorId {
    /// Its id in the whole model.
    pub id: Option<usize>,
    /// The actuator as that model says it, which determines how many numbers it has.
    pub said: Actuator,
}

/// A joint of an attached model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointId {
    /// Its id in the whole model.
    pub id: Option<usize>,
    /// Its type, which determines how many numbers it has.
    pub type_: JointType,
}
