//! Bad models, one for each kind of mistake: the error messages are recorded in a snapshot.

use std::fmt::Write as _;

use manyworlds::compile::compile;
use manyworlds::mjcf::{Files, Limits, Spec};
use manyworlds::{Error, Result};

/// A kind of mistake, and a model with it.
const BAD: &[(&str, &str)] = &[
    // the text
    ("empty text", ""),
    ("no XML", "hello"),
    ("tag not closed", "<mujoco>\n  <worldbody>\n</mujoco>"),
    ("DTD", "<!DOCTYPE mujoco [<!ENTITY a \"b\">]>\n<mujoco/>"),
    (
        "declaration inside",
        "<mujoco>\n  <?xml version=\"1.0\"?></mujoco>",
    ),
    ("attribute twice", "<mujoco model=\"a\" model=\"b\"/>"),
    ("other root", "<sdf/>"),
    (
        "URDF: link twice",
        "<robot name=\"r\"><link name=\"a\"></link>\n<link name=\"a\"></link></robot>",
    ),
    (
        "URDF: link unknown",
        "<robot name=\"r\"><link name=\"arm\"></link><joint name=\"j\" type=\"fixed\">\n<parent link=\"arm\"/>\n<child link=\"hand\"/></joint><link name=\"hands\"></link></robot>",
    ),
    (
        "URDF: two parents",
        "<robot name=\"r\"><link name=\"a\"></link><link name=\"b\"></link><link name=\"c\"></link><joint name=\"j\" type=\"fixed\">\n<parent link=\"a\"/>\n<child link=\"c\"/></joint>\n<joint name=\"k\" type=\"fixed\">\n<parent link=\"b\"/>\n<child link=\"c\"/></joint></robot>",
    ),
    (
        "URDF: a ring",
        "<robot name=\"r\"><link name=\"a\"></link><link name=\"b\"></link><joint name=\"j\" type=\"fixed\">\n<parent link=\"a\"/>\n<child link=\"b\"/></joint><joint name=\"j\" type=\"fixed\">\n<parent link=\"b\"/>\n<child link=\"a\"/></joint></robot>",
    ),
    (
        "URDF: type of a joint",
        "<robot name=\"r\"><link name=\"a\"></link><link name=\"b\"></link><joint name=\"j\" type=\"revolut\">\n<parent link=\"a\"/>\n<child link=\"b\"/></joint></robot>",
    ),
    (
        "URDF: no geometry",
        "<robot name=\"r\"><link name=\"a\">\n<collision/></link></robot>",
    ),
    (
        "URDF: no shape",
        "<robot name=\"r\"><link name=\"a\"><collision><geometry>\n</geometry></collision></link></robot>",
    ),
    (
        "URDF: numbers with commas",
        "<robot name=\"r\"><link name=\"a\"><collision><geometry>\n<box size=\"1,2,3\"/></geometry></collision></link></robot>",
    ),
    (
        "URDF: no mass",
        "<robot name=\"r\"><link name=\"a\"><inertial/></link></robot>",
    ),
    (
        "URDF: element twice",
        "<robot name=\"r\"><link name=\"a\"></link><link name=\"b\"></link><joint name=\"j\" type=\"revolute\">\n<parent link=\"a\"/>\n<child link=\"b\"/><limit/>\n<limit/></joint></robot>",
    ),
    (
        "URDF: follows nothing",
        "<robot name=\"r\"><link name=\"a\"></link><link name=\"b\"></link><joint name=\"j\" type=\"revolute\">\n<parent link=\"a\"/>\n<child link=\"b\"/><mimic joint=\"i\"/></joint></robot>",
    ),
    (
        "URDF: follows itself",
        "<robot name=\"r\"><link name=\"a\"></link><link name=\"b\"></link><joint name=\"j\" type=\"revolute\">\n<parent link=\"a\"/>\n<child link=\"b\"/><mimic joint=\"j\"/></joint></robot>",
    ),
    (
        "URDF: the world moves",
        "<robot name=\"r\"><link name=\"a\"></link><link name=\"world\"></link><joint name=\"j\" type=\"revolute\">\n<parent link=\"a\"/>\n<child link=\"world\"/></joint></robot>",
    ),
    (
        "URDF: file without a name",
        "<robot name=\"r\"><link name=\"a\"><collision><geometry><mesh filename=\"\"/></geometry></collision></link></robot>",
    ),
    (
        "URDF: slip in the settings",
        "<robot name=\"r\"><mujoco><compiler meshdirs=\"m\"/></mujoco><link name=\"a\"></link></robot>",
    ),
    // elements
    ("unknown section", "<mujoco><wordlbody/></mujoco>"),
    (
        "element outside of its section",
        "<mujoco>\n  <body name=\"arm\"/>\n</mujoco>",
    ),
    (
        "unknown element in a body",
        "<mujoco><worldbody><body><goem size=\"1\"/></body></worldbody></mujoco>",
    ),
    (
        "element where there may be none",
        "<mujoco><worldbody><geom size=\"1\"><site/></geom></worldbody></mujoco>",
    ),
    (
        "block twice",
        "<mujoco><option><flag/><flag/></option></mujoco>",
    ),
    (
        "inertial twice",
        "<mujoco><worldbody><body><inertial pos=\"0 0 0\" mass=\"1\"/><inertial pos=\"0 0 0\" mass=\"1\"/></body></worldbody></mujoco>",
    ),
    // attributes
    (
        "unknown attribute",
        "<mujoco><worldbody>\n  <geom sise=\"1\"/>\n</worldbody></mujoco>",
    ),
    (
        "unknown attribute without a near one",
        "<mujoco><custom><text name=\"t\" data=\"x\" zzzzzz=\"1\"/></custom></mujoco>",
    ),
    (
        "attribute missing",
        "<mujoco><worldbody><body><inertial pos=\"0 0 0\"/></body></worldbody></mujoco>",
    ),
    (
        "too few numbers",
        "<mujoco><worldbody><geom pos=\"1 2\" size=\"1\"/></worldbody></mujoco>",
    ),
    (
        "too many numbers",
        "<mujoco><worldbody><geom size=\"1 2 3 4\"/></worldbody></mujoco>",
    ),
    ("no number", "<mujoco><option timestep=\"fast\"/></mujoco>"),
    (
        "commas between numbers",
        "<mujoco><option gravity=\"0, 0, -9.81\"/></mujoco>",
    ),
    (
        "NaN",
        "<mujoco><worldbody><geom size=\"nan\"/></worldbody></mujoco>",
    ),
    (
        "infinity",
        "<mujoco><worldbody><geom size=\"-inf\"/></worldbody></mujoco>",
    ),
    (
        "number too large",
        "<mujoco><worldbody><geom size=\"1e999\"/></worldbody></mujoco>",
    ),
    (
        "fraction for an integer",
        "<mujoco><worldbody><geom size=\"1\" condim=\"1.5\"/></worldbody></mujoco>",
    ),
    (
        "integer out of range",
        "<mujoco><worldbody><geom size=\"1\" group=\"4294967296\"/></worldbody></mujoco>",
    ),
    (
        "unknown keyword",
        "<mujoco><worldbody><geom type=\"capsul\" size=\"1\"/></worldbody></mujoco>",
    ),
    (
        "keyword in the wrong case",
        "<mujoco><option integrator=\"euler\"/></mujoco>",
    ),
    (
        "no boolean",
        "<mujoco><compiler autolimits=\"yes\"/></mujoco>",
    ),
    (
        "attribute of another tag",
        "<mujoco><tendon><fixed width=\"1\"/></tendon></mujoco>",
    ),
    (
        "attribute of the world",
        "<mujoco><worldbody name=\"w\"/></mujoco>",
    ),
    (
        "attribute of a section",
        "<mujoco><asset class=\"a\"/></mujoco>",
    ),
    // settings
    (
        "global coordinates",
        "<mujoco><compiler coordinate=\"global\"/></mujoco>",
    ),
    (
        "Euler sequence",
        "<mujoco><compiler eulerseq=\"xyw\"/></mujoco>",
    ),
    ("timestep", "<mujoco><option timestep=\"0\"/></mujoco>"),
    (
        "negative iterations",
        "<mujoco><option iterations=\"-1\"/></mujoco>",
    ),
    (
        "actuator group",
        "<mujoco><option actuatorgroupdisable=\"1 31\"/></mujoco>",
    ),
    ("memory", "<mujoco><size memory=\"10 MB\"/></mujoco>"),
    (
        "memory and njmax",
        "<mujoco><size memory=\"10M\" njmax=\"5\"/></mujoco>",
    ),
    (
        "size out of range",
        "<mujoco><size nuser_body=\"2147483647\"/></mujoco>",
    ),
    ("extent", "<mujoco><statistic extent=\"0\"/></mujoco>"),
    (
        "znear",
        "<mujoco><visual><map znear=\"0\"/></visual></mujoco>",
    ),
    // classes
    (
        "unknown class",
        "<mujoco><default><default class=\"leg\"/></default><worldbody><geom class=\"legs\" size=\"1\"/></worldbody></mujoco>",
    ),
    (
        "unknown childclass",
        "<mujoco><worldbody><body childclass=\"nope\"/></worldbody></mujoco>",
    ),
    (
        "class twice",
        "<mujoco><default><default class=\"a\"/><default class=\"a\"/></default></mujoco>",
    ),
    (
        "class without a name",
        "<mujoco><default><default/></default></mujoco>",
    ),
    (
        "top-level class renamed",
        "<mujoco><default class=\"a\"/></mujoco>",
    ),
    (
        "name in a class",
        "<mujoco><default><geom name=\"g\"/></default></mujoco>",
    ),
    (
        "element twice in a class",
        "<mujoco><default><geom/><geom/></default></mujoco>",
    ),
    (
        "no such element in a class",
        "<mujoco><default><sensor/></default></mujoco>",
    ),
    // the tree
    (
        "two orientations",
        "<mujoco><worldbody><body quat=\"1 0 0 0\" euler=\"0 0 0\"/></worldbody></mujoco>",
    ),
    (
        "zero quaternion",
        "<mujoco><worldbody><geom size=\"1\" quat=\"0 0 0 0\"/></worldbody></mujoco>",
    ),
    (
        "joint in the world",
        "<mujoco><worldbody><joint/></worldbody></mujoco>",
    ),
    (
        "inertia of the world",
        "<mujoco><worldbody><inertial pos=\"0 0 0\" mass=\"1\"/></worldbody></mujoco>",
    ),
    (
        "inertia in two ways",
        "<mujoco><worldbody><body><inertial pos=\"0 0 0\" mass=\"1\" quat=\"1 0 0 0\" fullinertia=\"1 1 1 0 0 0\"/></body></worldbody></mujoco>",
    ),
    (
        "a body called world",
        "<mujoco><worldbody><body name=\"world\"/></worldbody></mujoco>",
    ),
    (
        "two of a name",
        "<mujoco><worldbody>\n  <geom name=\"a\" size=\"1\"/>\n  <geom name=\"a\" size=\"2\"/>\n</worldbody></mujoco>",
    ),
    (
        "fovy and sensorsize",
        "<mujoco><worldbody><camera fovy=\"30\" sensorsize=\"1 1\"/></worldbody></mujoco>",
    ),
    (
        "directional and type",
        "<mujoco><worldbody><light directional=\"true\" type=\"spot\"/></worldbody></mujoco>",
    ),
    (
        "texture coordinates of a part of the points",
        "<mujoco><worldbody><flexcomp name=\"f\" type=\"direct\" dim=\"2\" point=\"0 0 0 1 0 0 0 1 0\" element=\"0 1 2\" texcoord=\"0 0 1 0\"/></worldbody></mujoco>",
    ),
    (
        "too many copies",
        "<mujoco><worldbody><replicate count=\"2000000000\"><geom size=\"1\"/></replicate></worldbody></mujoco>",
    ),
    (
        "joint in a replicate",
        "<mujoco><worldbody><replicate count=\"2\"><joint/></replicate></worldbody></mujoco>",
    ),
    (
        "inertial in a replicate",
        "<mujoco><worldbody><replicate count=\"2\"><inertial pos=\"0 0 0\" mass=\"1\"/></replicate></worldbody></mujoco>",
    ),
    // assets
    (
        "material in two ways",
        "<mujoco><asset><texture name=\"t\" builtin=\"flat\" width=\"4\"/><material name=\"m\" texture=\"t\"><layer texture=\"t\" role=\"rgb\"/></material></asset></mujoco>",
    ),
    (
        "hull vertices",
        "<mujoco><asset><mesh name=\"m\" vertex=\"0 0 0\" maxhullvert=\"3\"/></asset></mujoco>",
    ),
    (
        "builtin mesh with a file",
        "<mujoco><asset><mesh name=\"m\" builtin=\"sphere\" params=\"1\" file=\"a.stl\"/></asset></mujoco>",
    ),
    (
        "builtin mesh without parameters",
        "<mujoco><asset><mesh name=\"m\" builtin=\"sphere\"/></asset></mujoco>",
    ),
    (
        "height field of one row",
        "<mujoco><asset><hfield name=\"h\" nrow=\"1\" ncol=\"5\" size=\"1 1 1 1\"/></asset></mujoco>",
    ),
    (
        "heights",
        "<mujoco><asset><hfield name=\"h\" nrow=\"2\" ncol=\"2\" size=\"1 1 1 1\" elevation=\"1 2 3\"/></asset></mujoco>",
    ),
    (
        "grid layout",
        "<mujoco><asset><texture name=\"t\" file=\"t.png\" gridsize=\"3 4\" gridlayout=\"RLU\"/></asset></mujoco>",
    ),
    (
        "texture without a width",
        "<mujoco><asset><texture name=\"t\" type=\"2d\" builtin=\"flat\" nchannel=\"4\"/></asset></mujoco>",
    ),
    (
        "path of a texture that is made",
        "<mujoco><asset><texture name=\"t\" type=\"2d\" builtin=\"flat\" width=\"4\" height=\"4\" embed=\"false\"/></asset></mujoco>",
    ),
    (
        "texture of nothing",
        "<mujoco><asset><texture name=\"t\" type=\"2d\"/></asset></mujoco>",
    ),
    (
        "group of a skin",
        "<mujoco><asset><skin name=\"s\" file=\"s.skn\" group=\"9\"/></asset></mujoco>",
    ),
    (
        "skin of nothing",
        "<mujoco><asset><skin name=\"s\"/></asset></mujoco>",
    ),
    (
        "vertex of a skin",
        "<mujoco><worldbody><body name=\"b\"/></worldbody><asset><skin name=\"s\" vertex=\"0 0 0\" face=\"0 0 1\"><bone body=\"b\" bindpos=\"0 0 0\" bindquat=\"1 0 0 0\" vertid=\"0\" vertweight=\"1\"/></skin></asset></mujoco>",
    ),
    (
        "asset without a name",
        "<mujoco><asset><material rgba=\"1 0 0 1\"/></asset></mujoco>",
    ),
    (
        "tuple of nothing",
        "<mujoco><custom><tuple name=\"t\"/></custom></mujoco>",
    ),
    // references
    (
        "unknown geom",
        "<mujoco><worldbody><geom name=\"floor\" size=\"1\"/></worldbody><contact><pair geom1=\"floor\" geom2=\"flor\"/></contact></mujoco>",
    ),
    (
        "unknown joint of an actuator",
        "<mujoco><actuator><motor joint=\"knee\"/></actuator></mujoco>",
    ),
    (
        "unknown object of a sensor",
        "<mujoco><sensor><framepos objtype=\"site\" objname=\"tip\"/></sensor></mujoco>",
    ),
    (
        "unknown material",
        "<mujoco><worldbody><geom size=\"1\" material=\"wood\"/></worldbody></mujoco>",
    ),
    // constraints
    (
        "connect without an anchor",
        "<mujoco><worldbody><body name=\"b\"/></worldbody><equality><connect body1=\"b\"/></equality></mujoco>",
    ),
    (
        "connect in two ways",
        "<mujoco><worldbody><body name=\"b\"><site name=\"s\"/></body></worldbody><equality><connect body1=\"b\" anchor=\"0 0 0\" site1=\"s\" site2=\"s\"/></equality></mujoco>",
    ),
    (
        "weld with one site",
        "<mujoco><worldbody><site name=\"s\"/></worldbody><equality><weld site1=\"s\"/></equality></mujoco>",
    ),
    (
        "distance equality",
        "<mujoco><equality><distance/></equality></mujoco>",
    ),
    (
        "pulley",
        "<mujoco><tendon><spatial><pulley divisor=\"0\"/></spatial></tendon></mujoco>",
    ),
    (
        "joint in a spatial tendon",
        "<mujoco><tendon><spatial><joint joint=\"j\" coef=\"1\"/></spatial></tendon></mujoco>",
    ),
    // actuators
    (
        "two targets",
        "<mujoco><worldbody><body><joint name=\"j\"/><site name=\"s\"/></body></worldbody><actuator><motor joint=\"j\" site=\"s\"/></actuator></mujoco>",
    ),
    (
        "crank length of a joint",
        "<mujoco><worldbody><body><joint name=\"j\"/></body></worldbody><actuator><motor joint=\"j\" cranklength=\"1\"/></actuator></mujoco>",
    ),
    (
        "kv and dampratio",
        "<mujoco><worldbody><body><joint name=\"j\"/></body></worldbody><actuator><position joint=\"j\" kv=\"1\" dampratio=\"1\"/></actuator></mujoco>",
    ),
    (
        "range and inheritrange",
        "<mujoco><worldbody><body><joint name=\"j\"/></body></worldbody><actuator><position joint=\"j\" ctrlrange=\"0 1\" inheritrange=\"1\"/></actuator></mujoco>",
    ),
    (
        "order of inputs",
        "<mujoco><worldbody><body><joint name=\"j\"/></body></worldbody><actuator><pid joint=\"j\" input=\"vel pos\"/></actuator></mujoco>",
    ),
    (
        "unknown input",
        "<mujoco><worldbody><body><joint name=\"j\"/></body></worldbody><actuator><pid joint=\"j\" input=\"speed\"/></actuator></mujoco>",
    ),
    (
        "negative damping",
        "<mujoco><worldbody><body><joint name=\"j\"/></body></worldbody><actuator><damper joint=\"j\" kv=\"-1\"/></actuator></mujoco>",
    ),
    (
        "control of adhesion",
        "<mujoco><worldbody><body name=\"b\"/></worldbody><actuator><adhesion body=\"b\" ctrlrange=\"-1 1\"/></actuator></mujoco>",
    ),
    (
        "time constants of a muscle",
        "<mujoco><worldbody><body><joint name=\"j\"/></body></worldbody><actuator><muscle joint=\"j\" timeconst=\"1\"/></actuator></mujoco>",
    ),
    (
        "motor constant",
        "<mujoco><worldbody><body><joint name=\"j\"/></body></worldbody><actuator><dcmotor joint=\"j\" resistance=\"1\"/></actuator></mujoco>",
    ),
    (
        "resistance",
        "<mujoco><worldbody><body><joint name=\"j\"/></body></worldbody><actuator><dcmotor joint=\"j\" motorconst=\"1\"/></actuator></mujoco>",
    ),
    // sensors
    (
        "unknown sensor",
        "<mujoco><sensor><gyroscope site=\"s\"/></sensor></mujoco>",
    ),
    (
        "rangefinder of nothing",
        "<mujoco><sensor><rangefinder/></sensor></mujoco>",
    ),
    (
        "order of data",
        "<mujoco><sensor><contact data=\"force found\"/></sensor></mujoco>",
    ),
    (
        "unknown data",
        "<mujoco><sensor><contact data=\"heat\"/></sensor></mujoco>",
    ),
    (
        "number of contacts",
        "<mujoco><sensor><contact num=\"0\"/></sensor></mujoco>",
    ),
    (
        "object without a frame",
        "<mujoco><worldbody><body><joint name=\"j\"/></body></worldbody><sensor><framepos objtype=\"joint\" objname=\"j\"/></sensor></mujoco>",
    ),
    (
        "reference without a type",
        "<mujoco><worldbody><body name=\"b\"/></worldbody><sensor><framepos objtype=\"body\" objname=\"b\" refname=\"b\"/></sensor></mujoco>",
    ),
    (
        "distance of one geom",
        "<mujoco><worldbody><geom name=\"g\" size=\"1\"/></worldbody><sensor><distance geom1=\"g\"/></sensor></mujoco>",
    ),
    // custom fields
    (
        "numeric without numbers",
        "<mujoco><custom><numeric name=\"n\"/></custom></mujoco>",
    ),
    (
        "numeric with too many",
        "<mujoco><custom><numeric name=\"n\" size=\"1\" data=\"1 2\"/></custom></mujoco>",
    ),
    (
        "empty text field",
        "<mujoco><custom><text name=\"t\"/></custom></mujoco>",
    ),
    (
        "tuple of a thing",
        "<mujoco><custom><tuple name=\"t\"><element objtype=\"thing\" objname=\"x\"/></tuple></custom></mujoco>",
    ),
    // unsupported features
    (
        "plugin that nobody ships",
        "<mujoco><extension>\n<plugin plugin=\"mujoco.pit\"/></extension></mujoco>",
    ),
    (
        "plugin of nothing",
        "<mujoco><worldbody><body><joint name=\"j\"/><geom size=\"1\"/><site name=\"s\"/></body></worldbody><extension><plugin plugin=\"mujoco.pid\"></plugin></extension><actuator>\n<plugin joint=\"j\" ></plugin></actuator></mujoco>",
    ),
    (
        "instance unknown",
        "<mujoco><worldbody><body><joint name=\"j\"/><geom size=\"1\"/><site name=\"s\"/></body></worldbody><extension><plugin plugin=\"mujoco.pid\"><instance name=\"left\"/></plugin></extension><actuator>\n<plugin joint=\"j\" instance=\"lift\"></plugin></actuator></mujoco>",
    ),
    (
        "instance configured outside",
        "<mujoco><worldbody><body><joint name=\"j\"/><geom size=\"1\"/><site name=\"s\"/></body></worldbody><extension><plugin plugin=\"mujoco.pid\"><instance name=\"i\"/></plugin></extension><actuator>\n<plugin joint=\"j\" instance=\"i\"><config key=\"kp\" value=\"1\"/></plugin></actuator></mujoco>",
    ),
    (
        "key twice",
        "<mujoco><worldbody><body><joint name=\"j\"/><geom size=\"1\"/><site name=\"s\"/></body></worldbody><extension><plugin plugin=\"mujoco.pid\"></plugin></extension><actuator>\n<plugin joint=\"j\" plugin=\"mujoco.pid\"><config key=\"kp\" value=\"1\"/>\n<config key=\"kp\" value=\"2\"/></plugin></actuator></mujoco>",
    ),
    (
        "plugin of a body",
        "<mujoco><worldbody><body><plugin plugin=\"mujoco.pid\"/></body></worldbody></mujoco>",
    ),
    (
        "flexcomp",
        "<mujoco><worldbody>\n  <flexcomp name=\"f\" dof=\"trilinear\" count=\"2 2 2\"/>\n</worldbody></mujoco>",
    ),
    (
        "flexcomp of more points than its dimension has",
        "<mujoco><worldbody><flexcomp name=\"f\"/></worldbody></mujoco>",
    ),
    (
        "flexcomp that is too narrow",
        "<mujoco><worldbody><flexcomp name=\"f\" count=\"2 2 1\" radius=\".02\"/></worldbody></mujoco>",
    ),
    (
        "pin that is not there",
        "<mujoco><worldbody><flexcomp name=\"f\" count=\"2 2 1\">\n<pin id=\"0 4\"/></flexcomp></worldbody></mujoco>",
    ),
    (
        "flexcomp in a body without a name",
        "<mujoco><worldbody><body><flexcomp name=\"f\" count=\"2 2 1\"/></body></worldbody></mujoco>",
    ),
    (
        "flex",
        "<mujoco><deformable><flex name=\"f\" body=\"b\" element=\"0 1 2\"/></deformable></mujoco>",
    ),
    (
        "plugin that was removed",
        "<mujoco><extension><plugin plugin=\"mujoco.elasticity.cable\"/></extension></mujoco>",
    ),
    (
        "composite",
        "<mujoco><worldbody><composite type=\"cable\"/></worldbody></mujoco>",
    ),
    (
        "conflicts that cannot be merged",
        "<mujoco><compiler conflict=\"merge\"/><option gravity=\"0 0 -1\"/><asset><model name=\"m\" file=\"part.xml\"/></asset><worldbody><attach model=\"m\" prefix=\"p\"/></worldbody></mujoco>",
    ),
    (
        "attachment of nothing",
        "<mujoco><worldbody><attach prefix=\"p\"/></worldbody></mujoco>",
    ),
    // files
    ("include without a file", "<mujoco><include/></mujoco>"),
    (
        "include of a missing file",
        "<mujoco><include file=\"comon.xml\"/></mujoco>",
    ),
    (
        "include twice",
        "<mujoco><include file=\"common.xml\"/><include file=\"./common.xml\"/></mujoco>",
    ),
    (
        "include of itself",
        "<mujoco><include file=\"self.xml\"/></mujoco>",
    ),
    (
        "mistake in an included file",
        "<mujoco>\n  <include file=\"bad.xml\"/>\n</mujoco>",
    ),
    (
        "include of an empty file",
        "<mujoco><include file=\"empty.xml\"/></mujoco>",
    ),
    (
        "include with children",
        "<mujoco><include file=\"common.xml\"><option/></include></mujoco>",
    ),
    (
        "file that is no text",
        "<mujoco><include file=\"bytes.xml\"/></mujoco>",
    ),
    (
        "model that contains itself",
        "<mujoco><asset><model name=\"m\" file=\"snake.xml\"/></asset></mujoco>",
    ),
    (
        "unknown model",
        "<mujoco><worldbody><attach model=\"m\" prefix=\"p\"/></worldbody></mujoco>",
    ),
    (
        "unknown body of a model",
        "<mujoco><asset><model name=\"m\" file=\"part.xml\"/></asset><worldbody><attach model=\"m\" body=\"b\" prefix=\"p\"/></worldbody></mujoco>",
    ),
    (
        "models that disagree",
        "<mujoco><compiler conflict=\"error\"/><option timestep=\"1\"/><asset><model name=\"m\" file=\"part.xml\"/></asset><worldbody><attach model=\"m\" prefix=\"p\"/></worldbody></mujoco>",
    ),
    // several at once
    (
        "several mistakes",
        "<mujoco>\n  <option timestep=\"-1\"/>\n  <worldbody>\n    <geom sise=\"1\"/>\n    <site rgb=\"1 1 1 1\"/>\n  </worldbody>\n</mujoco>",
    ),
];

/// The bodies of the models in [`UNFIT`].
const PARTS: &str = r#"<worldbody>
<geom name="floor" type="plane" size="1 1 1"/><site name="hook" pos="1 0 0"/><site name="eye" pos="-1 0 0"/>
<body name="arm"><joint name="elbow"/><geom name="bone" size=".1"/><site name="tip"/><body name="hand"><joint name="wrist" axis="1 0 0"/>
<geom name="palm" size=".1"/></body></body>
</worldbody>"#;

/// A kind of mistake, and a text to append to [`PARTS`]: names that do not exist, and elements that cannot be compiled.
const UNFIT: &[(&str, &str)] = &[
    (
        "negative springyield of a joint",
        "<worldbody><body><joint springyield=\"-1\"/><geom size=\".1\"/></body></worldbody>",
    ),
    (
        "negative springyield of a tendon",
        "<tendon><fixed springyield=\"-1\"><joint joint=\"elbow\" coef=\"1\"/></fixed></tendon>",
    ),
    (
        "softness of a light",
        "<worldbody><light softness=\"2\"/></worldbody>",
    ),
    (
        "site of no mesh",
        "<worldbody><site type=\"mesh\"/></worldbody>",
    ),
    (
        "frame that stretches forces",
        "<worldbody><frame scale=\"1 2 3\"/></worldbody>",
    ),
    (
        "frame of no size",
        "<worldbody><frame scale=\"0\"/></worldbody>",
    ),
    (
        "plugin that is not declared",
        r#"<actuator><plugin joint="elbow" plugin="mujoco.pid"></plugin></actuator>"#,
    ),
    (
        "instance of another plugin",
        r#"<extension><plugin plugin="mujoco.pid"><instance name="i"/></plugin></extension><extension><plugin plugin="mujoco.sensor.touch_grid"/></extension><actuator><plugin joint="elbow" instance="i" plugin="mujoco.sensor.touch_grid"></plugin></actuator>"#,
    ),
    (
        "instance that nobody has",
        r#"<extension><plugin plugin="mujoco.pid"><instance name="i"/></plugin></extension>"#,
    ),
    (
        "key of a plugin",
        r#"<extension><plugin plugin="mujoco.pid"></plugin></extension><actuator><plugin joint="elbow" plugin="mujoco.pid"><config key="slewrate" value="1"/></plugin></actuator>"#,
    ),
    (
        "value of a plugin that is no number",
        r#"<extension><plugin plugin="mujoco.pid"></plugin></extension><actuator><plugin joint="elbow" plugin="mujoco.pid"><config key="kp" value="1,5"/></plugin></actuator>"#,
    ),
    (
        "controller without room",
        r#"<extension><plugin plugin="mujoco.pid"></plugin></extension><actuator><plugin joint="elbow" plugin="mujoco.pid"><config key="ki" value="1"/></plugin></actuator>"#,
    ),
    (
        "controller as a shape",
        r#"<extension><plugin plugin="mujoco.pid"/></extension><worldbody><geom size="1"><plugin plugin="mujoco.pid"/></geom></worldbody>"#,
    ),
    (
        "shape without size",
        r#"<extension><plugin plugin="mujoco.sdf.torus"/></extension><asset><mesh name="t"><plugin plugin="mujoco.sdf.torus"><config key="radius2" value="-1"/></plugin></mesh></asset>"#,
    ),
    (
        "controller as a sensor",
        r#"<extension><plugin plugin="mujoco.pid"></plugin></extension><sensor><plugin plugin="mujoco.pid"/></sensor>"#,
    ),
    (
        "touch grid without a view",
        r#"<extension><plugin plugin="mujoco.sensor.touch_grid"/></extension><sensor><plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="tip"><config key="size" value="2 3"/></plugin></sensor>"#,
    ),
    (
        "touch grid without a site",
        r#"<extension><plugin plugin="mujoco.sensor.touch_grid"/></extension><sensor><plugin plugin="mujoco.sensor.touch_grid"><config key="size" value="2 3"/><config key="fov" value="9 9"/></plugin></sensor>"#,
    ),
    (
        "joint of a motor",
        r#"<actuator><motor joint="elbw"/></actuator>"#,
    ),
    (
        "tendon of a motor",
        r#"<actuator><motor tendon="sinew"/></actuator>"#,
    ),
    (
        "site of a motor",
        r#"<actuator><motor site="tipp"/></actuator>"#,
    ),
    (
        "motor of nothing",
        r#"<actuator><motor name="m"/></actuator>"#,
    ),
    (
        "damping of a site",
        r#"<actuator><motor site="tip" damping="1"/></actuator>"#,
    ),
    (
        "integral without a setpoint",
        r#"<actuator><pid joint="elbow" ki="1" input="vel"/></actuator>"#,
    ),
    (
        "range the wrong way",
        r#"<actuator><motor joint="elbow" ctrlrange="1 -1" ctrllimited="true"/></actuator>"#,
    ),
    (
        "muscle that turns for ever",
        r#"<actuator><muscle joint="elbow"/></actuator>"#,
    ),
    (
        "delay without samples",
        r#"<actuator><motor joint="elbow" delay=".1"/></actuator>"#,
    ),
    (
        "body of an equality",
        r#"<equality><weld body1="Arm" body2="hand"/></equality>"#,
    ),
    (
        "joint of an equality",
        r#"<equality><joint joint1="elbow" joint2="wrst"/></equality>"#,
    ),
    (
        "geom of a pair",
        r#"<contact><pair geom1="bone" geom2="flor"/></contact>"#,
    ),
    (
        "body that is excluded",
        r#"<contact><exclude body1="arm" body2="hands"/></contact>"#,
    ),
    (
        "site of a tendon",
        r#"<tendon><spatial><site site="hook"/><site site="ey"/></spatial></tendon>"#,
    ),
    (
        "tendon of one site",
        r#"<tendon><spatial><site site="hook"/></spatial></tendon>"#,
    ),
    (
        "tendon around a plane",
        r#"<tendon><spatial><site site="hook"/><geom geom="floor"/><site site="eye"/></spatial></tendon>"#,
    ),
    (
        "site of a sensor",
        r#"<sensor><touch site="top"/></sensor>"#,
    ),
    (
        "object of a sensor",
        r#"<sensor><framepos objtype="body" objname="amr"/></sensor>"#,
    ),
    (
        "limit that is none",
        r#"<sensor><jointlimitpos joint="elbow"/></sensor>"#,
    ),
    (
        "keyframe of another model",
        r#"<keyframe><key qpos="1 2 3"/></keyframe>"#,
    ),
    (
        "element of a tuple",
        r#"<custom><tuple name="t"><element objtype="geom" objname="plam"/></tuple></custom>"#,
    ),
    (
        "target of a camera",
        r#"<worldbody><camera mode="targetbody" target="hnad"/></worldbody>"#,
    ),
    (
        "focal length without a sensor",
        r#"<worldbody><camera focal=".1 .1"/></worldbody>"#,
    ),
    (
        "mesh of a geom",
        r#"<asset><mesh name="cube" builtin="cone" params="4 1"/></asset><worldbody><geom type="mesh" mesh="cub"/></worldbody>"#,
    ),
    (
        "flat mesh",
        r#"<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 1 1 0"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody>"#,
    ),
    (
        "body without mass",
        r#"<worldbody><body><joint/></body></worldbody>"#,
    ),
    (
        "negative moment",
        r#"<worldbody><body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 -1"/></body></worldbody>"#,
    ),
    (
        "geoms that are too light",
        r#"<worldbody><body><joint/><geom size=".1" density="0"/></body></worldbody>"#,
    ),
    (
        "scale that makes too much of a mesh",
        r#"<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="1e200 1e200 1e200"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody>"#,
    ),
    (
        "texture that is not there",
        r#"<asset><texture name="t" type="2d" file="commn.xml"/></asset>"#,
    ),
    (
        "side of a texture that is not there",
        r#"<asset><texture name="t" fileright="common.xml" fileleft="left.png"/></asset>"#,
    ),
    (
        "skin that is not there",
        r#"<asset><skin name="s" file="none.skn"/></asset>"#,
    ),
    (
        "negative friction loss",
        r#"<worldbody><body><joint name="h" frictionloss="-.1"/><geom size=".1"/></body></worldbody>"#,
    ),
    (
        "negative friction loss of a tendon",
        r#"<worldbody><body><joint name="h"/><geom size=".1"/></body></worldbody><tendon><fixed frictionloss="-1"><joint joint="h" coef="1"/></fixed></tendon>"#,
    ),
    (
        "size of nothing",
        r#"<worldbody><geom type="box" size="1 1 0"/></worldbody>"#,
    ),
    (
        "triangle inequality",
        r#"<worldbody><body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body></worldbody>"#,
    ),
];

fn files() -> Files {
    Files::memory([
        ("common.xml", b"<mujoco><option/></mujoco>".to_vec()),
        (
            "self.xml",
            b"<mujoco><include file=\"self.xml\"/></mujoco>".to_vec(),
        ),
        (
            "bad.xml",
            b"<mujoco>\n  <!-- here -->\n  <option timestep=\"slow\"/>\n</mujoco>".to_vec(),
        ),
        ("empty.xml", b"".to_vec()),
        ("bytes.xml", b"<mujoco model=\"\0\"/>".to_vec()),
        (
            "snake.xml",
            b"<mujoco><asset><model name=\"m\" file=\"snake.xml\"/></asset></mujoco>".to_vec(),
        ),
        (
            "part.xml",
            b"<mujoco><option timestep=\"2\" gravity=\"0 0 1\"/><worldbody><body name=\"a\"/></worldbody></mujoco>"
                .to_vec(),
        ),
    ])
}

fn read(xml: &str) -> Result<Spec> {
    Spec::from_text(xml, files(), &Limits::default())
}

#[test]
fn every_mistake_is_told_with_its_place() {
    let mut out = String::new();
    for (title, xml) in BAD {
        let error = read(xml).expect_err(title);
        for e in error.each() {
            match e {
                Error::Mjcf { line, col, msg, .. } => {
                    assert!(*line > 0 && *col > 0 && !msg.is_empty(), "{title}: {e}")
                }
                other => panic!("{title}: not a mistake of the model but {other}"),
            }
        }
        let _ = writeln!(
            out,
            "{title}\n    {}",
            error.to_string().replace('\n', "\n    ")
        );
    }
    insta::assert_snapshot!("one_line", out);
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let mut out = String::new();
    for (title, xml) in UNFIT {
        let xml = format!("<mujoco>{PARTS}\n{xml}</mujoco>");
        let model = read(&xml).and_then(|spec| compile(&spec));
        let error = model.expect_err(title);
        // the mistakes are in the text after the parts
        for e in error.each() {
            assert!(
                matches!(e, Error::Mjcf { line: 6, col, .. } if *col > 0),
                "{title}: {e}"
            );
        }
        let _ = writeln!(out, "{title}\n    {error}");
    }
    insta::assert_snapshot!("unfit", out);
}

#[test]
fn people_are_shown_the_line() {
    let shown = [
        "too few numbers",
        "unknown attribute",
        "two of a name",
        "mistake in an included file",
        "flexcomp",
        "tag not closed",
        "several mistakes",
    ];
    let mut out = String::new();
    for (title, xml) in BAD.iter().filter(|(title, _)| shown.contains(title)) {
        let _ = writeln!(out, "{title}\n{}", read(xml).expect_err(title).render());
    }
    insta::assert_snapshot!("rendered", out);
}
