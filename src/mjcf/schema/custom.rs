//! `custom` and `keyframe`.

use crate::types::ObjType;

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
    }
}
