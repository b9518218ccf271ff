//! `sensor`: all sensors share one struct; the tag determines which attributes apply.

use super::plugin::Config;
use crate::types::{ConDataField, DataType, Interp, NeedStage, ObjType, PluginKind, Reduce};

elements! {
    /// A sensor of any kind.
    Sensor {
        name: name, "Name.";
        nsample: int = 0, "Samples in the history buffer.";
        interp: key<Interp> = Interp::Zoh, "How the history is read between samples.";
        delay: real = 0.0, "Delay of the reading (s).";
        interval: real[1..2] = [0.0, 0.0], "Period of the readings, and phase of the first (s).";
        cutoff: real = 0.0, "Largest absolute value of the reading, if positive.";
        noise: real = 0.0, "Standard deviation of noise; kept, not applied.";
        user: real[..], "User numbers.";
        site: ref<site>, "Site of the sensor.";
        joint: ref<joint>, "Joint that is measured.";
        tendon: ref<tendon>, "Tendon that is measured.";
        actuator: ref<actuator>, "Actuator that is measured.";
        camera: ref<camera>, "Camera of the sensor.";
        body: ref<body>, "Body whose subtree is measured.";
        objtype: key<ObjType>, "Kind of the object that is measured.";
        objname: text, "Object that is measured.";
        reftype: key<ObjType>, "Kind of the object relative to which is measured.";
        refname: text, "Object relative to which is measured.";
        geom: ref<geom>, "Geom of a tactile sensor.";
        mesh: ref<mesh>, "Mesh of a tactile sensor: where it feels.";
        geom1: ref<geom>, "First geom.";
        geom2: ref<geom>, "Second geom.";
        body1: ref<body>, "First body.";
        body2: ref<body>, "Second body.";
        subtree1: ref<body>, "First subtree.";
        subtree2: ref<body>, "Second subtree.";
        data: text, "What a rangefinder or contact sensor reports, in order.";
        num: int = 1, "Number of contacts that are reported.";
        reduce: key<Reduce> = Reduce::None, "Which contacts are reported.";
        enclosed: bool = false, "Ask for full enclosure, not for the origin.";
        datatype: key<DataType> = DataType::Real, "Kind of a user sensor's data.";
        needstage: key<NeedStage> = NeedStage::Acc, "Stage after which a user sensor can be computed.";
        dim: int, "Numbers of a user sensor.";
        plugin: key<PluginKind>, "Plugin, for an instance of its own.";
        instance: ref<plugin>, "Instance of a plugin that `<extension>` declares.";
    } with {
        /// The kind of sensor.
        tag: SensorTag,
        /// Settings of an instance of a plugin of the sensor's own.
        config: Vec<Config>,
    }
}

/// The fields that a contact sensor reports, as a list.
pub type ContactData = crate::mjcf::table::Keys<ConDataField>;

tags! {
    /// The elements under `<sensor>`.
    SensorTag {
        "touch" Touch [name nsample interp delay interval cutoff noise user] [site];
        "accelerometer" Accelerometer [name nsample interp delay interval cutoff noise user] [site];
        "velocimeter" Velocimeter [name nsample interp delay interval cutoff noise user] [site];
        "gyro" Gyro [name nsample interp delay interval cutoff noise user] [site];
        "force" Force [name nsample interp delay interval cutoff noise user] [site];
        "torque" Torque [name nsample interp delay interval cutoff noise user] [site];
        "magnetometer" Magnetometer [name nsample interp delay interval cutoff noise user] [site];
        "camprojection" CamProjection [name nsample interp delay interval cutoff noise user] [site camera];
        "rangefinder" Rangefinder [name nsample interp delay interval cutoff noise user site camera data];
        "jointpos" JointPos [name nsample interp delay interval cutoff noise user] [joint];
        "jointvel" JointVel [name nsample interp delay interval cutoff noise user] [joint];
        "tendonpos" TendonPos [name nsample interp delay interval cutoff noise user] [tendon];
        "tendonvel" TendonVel [name nsample interp delay interval cutoff noise user] [tendon];
        "actuatorpos" ActuatorPos [name nsample interp delay interval cutoff noise user] [actuator];
        "actuatorvel" ActuatorVel [name nsample interp delay interval cutoff noise user] [actuator];
        "actuatorfrc" ActuatorFrc [name nsample interp delay interval cutoff noise user] [actuator];
        "jointactuatorfrc" JointActuatorFrc [name nsample interp delay interval cutoff noise user] [joint];
        "tendonactuatorfrc" TendonActuatorFrc [name nsample interp delay interval cutoff noise user] [tendon];
        "ballquat" BallQuat [name nsample interp delay interval cutoff noise user] [joint];
        "ballangvel" BallAngVel [name nsample interp delay interval cutoff noise user] [joint];
        "jointlimitpos" JointLimitPos [name nsample interp delay interval cutoff noise user] [joint];
        "jointlimitvel" JointLimitVel [name nsample interp delay interval cutoff noise user] [joint];
        "jointlimitfrc" JointLimitFrc [name nsample interp delay interval cutoff noise user] [joint];
        "tendonlimitpos" TendonLimitPos [name nsample interp delay interval cutoff noise user] [tendon];
        "tendonlimitvel" TendonLimitVel [name nsample interp delay interval cutoff noise user] [tendon];
        "tendonlimitfrc" TendonLimitFrc [name nsample interp delay interval cutoff noise user] [tendon];
        "framepos" FramePos [name nsample interp delay interval cutoff noise user reftype refname] [objtype objname];
        "framequat" FrameQuat [name nsample interp delay interval cutoff noise user reftype refname] [objtype objname];
        "framexaxis" FrameXAxis [name nsample interp delay interval cutoff noise user reftype refname] [objtype objname];
        "frameyaxis" FrameYAxis [name nsample interp delay interval cutoff noise user reftype refname] [objtype objname];
        "framezaxis" FrameZAxis [name nsample interp delay interval cutoff noise user reftype refname] [objtype objname];
        "framelinvel" FrameLinVel [name nsample interp delay interval cutoff noise user reftype refname] [objtype objname];
        "frameangvel" FrameAngVel [name nsample interp delay interval cutoff noise user reftype refname] [objtype objname];
        "framelinacc" FrameLinAcc [name nsample interp delay interval cutoff noise user] [objtype objname];
        "frameangacc" FrameAngAcc [name nsample interp delay interval cutoff noise user] [objtype objname];
        "subtreecom" SubtreeCom [name nsample interp delay interval cutoff noise user] [body];
        "subtreelinvel" SubtreeLinVel [name nsample interp delay interval cutoff noise user] [body];
        "subtreeangmom" SubtreeAngMom [name nsample interp delay interval cutoff noise user] [body];
        "insidesite" InsideSite [name nsample interp delay interval cutoff noise user enclosed] [site objtype objname];
        "distance" Distance [name nsample interp delay interval cutoff noise user geom1 geom2 body1 body2];
        "normal" Normal [name nsample interp delay interval cutoff noise user geom1 geom2 body1 body2];
        "fromto" FromTo [name nsample interp delay interval cutoff noise user geom1 geom2 body1 body2];
        "contact" Contact [name nsample interp delay interval cutoff noise user geom1 geom2 body1 body2 subtree1 subtree2
            site num data reduce];
        "e_potential" EPotential [name nsample interp delay interval cutoff noise user];
        "e_kinetic" EKinetic [name nsample interp delay interval cutoff noise user];
        "clock" Clock [name nsample interp delay interval cutoff noise user];
        "tactile" Tactile [name nsample interp delay interval cutoff user] [geom mesh];
        "user" User [name cutoff noise user objtype objname datatype needstage] [dim];
        "plugin" Plugin [name cutoff user objtype objname reftype refname plugin instance];
    }
}
