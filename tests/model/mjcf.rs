//! The rules of MJCF: texts are interpreted as by MuJoCo 4.0.0.

use manyworlds::mjcf::schema::{Able, EqualityTag, SensorTag, TendonTag, TexRole, Tri, WrapTag};
use manyworlds::mjcf::spec::Actuator;
use manyworlds::mjcf::{Files, Limits, Spec};
use manyworlds::types::{
    BiasType, CamLight, CtrlInput, DynType, GainType, GeomType, Integrator, JointType, LightType,
    TrnType,
};

fn read(xml: &str) -> Spec {
    Spec::from_str(xml).unwrap_or_else(|e| panic!("{}", e.render()))
}

fn refused(xml: &str) -> String {
    Spec::from_str(xml)
        .expect_err("should be refused")
        .to_string()
}

/// A model of one body with the given contents, and more sections.
fn body(inside: &str, more: &str) -> Spec {
    read(&format!(
        "<mujoco>{more}<worldbody><body name=\"b\">{inside}</body></worldbody></mujoco>"
    ))
}

fn actuator(default: &str, element: &str) -> Actuator {
    let spec = body(
        "<joint name=\"j\"/><geom size=\"1\"/><site name=\"s\"/>",
        &format!("<default>{default}</default><actuator>{element}</actuator>"),
    );
    spec.actuators[0].clone()
}

#[test]
fn attributes_need_no_blank_between_them() {
    let xml = "<mujoco>\n<!-- a=\"1\"b -->\n<worldbody><geom name=\"a\"type='box'size=\".1 .2 .3\"/></worldbody></mujoco>";
    let geom = &read(xml).world.geoms[0];
    assert_eq!(geom.name.as_deref(), Some("a"));
    assert_eq!(
        (geom.type_(), geom.size.clone()),
        (GeomType::Box, Some(vec![0.1, 0.2, 0.3]))
    );
    // places refer to the original text
    assert_eq!(
        refused(&xml.replace(".2", "x")),
        "model.xml:3:36 <geom name=\"a\">: size needs numbers, found \"x\""
    );
    assert!(
        refused(&xml.replace("/></w", "></w")).starts_with("model.xml:3:5"),
        "{}",
        refused(&xml.replace("/></w", "></w"))
    );
}

// MuJoCo's parser accepts hyphens in comments, and its reader the schema that editors are told
#[test]
fn comments_and_schemas_are_for_people_and_editors() {
    let xml = r#"<!--- a -- b ---><mujoco xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
        xsi:noNamespaceSchemaLocation="mjcf.xsd" model="m"><!-------><worldbody><geom size="-1"/></worldbody></mujoco>"#;
    assert_eq!(read(xml).name, "m");
    let text = refused(&xml.replace("<worldbody>", "<worldbody><!-- - -- --><nothing/>"));
    assert!(text.contains("nothing") && text.contains(":2:94"), "{text}");
    assert!(refused(&xml.replace("<geom", "<geom xsi:nil=\"true\"")).contains("nil"));
}

// to MuJoCo's parser a name with a colon is a name like others, and needs no declaration
#[test]
fn names_with_a_colon_are_names() {
    let geom =
        |attrs: &str| format!("<mujoco><worldbody><geom size='1' {attrs}/></worldbody></mujoco>");
    for (attrs, told) in [
        ("a:size='2'", "a:size"),
        ("size:='2'", "size:"),
        ("xmlns:a='b' a:c='2'", "xmlns:a"),
        ("xmlns='b'", "xmlns"),
    ] {
        let text = refused(&geom(attrs));
        assert!(text.starts_with("model.xml:1:35"), "{text}");
        assert!(
            text.contains(&format!("unknown attribute {told:?}")),
            "{text}"
        );
    }
    let text = refused("<mujoco><worldbody><a:geom size='1'/></worldbody></mujoco>");
    assert!(text.contains("<a:geom>"), "{text}");
    // the root ignores them
    let xml = "<mujoco a:model='b' xmlns='c' xmlns:d='e' model='f'/>";
    assert_eq!(read(xml).name, "f");
    let text = refused("<mujoco><a:b></a:c></mujoco>");
    assert!(text.contains("'a:b'"), "{text}");
}

// MuJoCo's parser takes what XML does not allow
#[test]
fn what_mujocos_parser_takes_is_read_alike() {
    let xml = "hi <!DOCTYPE mujoco>\n <?xml version=\"1.0\"?><mujoco model=\"a&b &foo; &lt; <\r\n\tc\"><worldbody><geom size=\"-0x1.8p-2 +0X10 .1\" type=\"box\"/></worldbody></mujoco>";
    let spec = read(xml);
    assert_eq!(spec.name, "a&b &foo; < <\n\tc");
    let size = spec.world.geoms[0].size.clone();
    assert_eq!(size, Some(vec![-0.375, 16.0, 0.1]));
    for bad in ["0x", "0x1p", "0xg", "0x1.2.3", "--0x1", "0x-1"] {
        let text = refused(&xml.replace("+0X10", bad));
        assert!(text.contains(&format!("found {bad:?}")), "{text}");
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_latin_1() {
    let bytes = b"<!-- \xe9 --><mujoco model=\"caf\xe9 \xc3\xa9\"/>".to_vec();
    let files = Files::memory([("m.xml", bytes)]);
    let spec = Spec::from_vfs(files, "m.xml").map(|s| s.name);
    assert_eq!(spec.unwrap_or_else(|e| e.to_string()), "caf\u{e9} \u{e9}");
}

#[test]
fn a_body_may_be_kept_from_being_fused() {
    let body =
        |fuse: &str| format!(r#"<mujoco><worldbody><body fuse="{fuse}"/></worldbody></mujoco>"#);
    read(&body("auto"));
    read(&body("false"));
    assert!(refused(&body("true")).contains("fuse"));
}

#[test]
fn built_in_values_are_methods_of_the_same_name() {
    let spec = body("<geom size=\".1\" friction=\".5\"/>", "");
    let geom = &spec.world.bodies[0].geoms[0];
    assert_eq!((geom.type_, geom.type_()), (None, GeomType::Sphere));
    assert_eq!(geom.friction, Some(vec![0.5]));
    assert_eq!(geom.friction(), [0.5, 0.005, 0.0001]);
    assert_eq!(geom.solimp(), [0.9, 0.95, 0.001, 0.5, 2.0]);
    assert_eq!((geom.mass, geom.density()), (None, 1000.0));
    assert_eq!(spec.option.gravity(), [0.0, 0.0, -9.81]);
    assert_eq!(spec.option.integrator(), Integrator::Euler);
}

#[test]
fn elements_are_completed_by_their_class() {
    let spec = read(
        "<mujoco>
           <default>
             <geom friction='.9 .8 .7' rgba='1 0 0 1'/>
             <default class='leg'> <geom friction='.6' margin='.1'/> <joint damping='1 2 3' armature='5'/>
               <default class='foot'> <geom condim='6'/> </default>
             </default>
             <joint armature='7'/>
           </default>
           <worldbody>
             <geom name='plain' size='1'/>
             <body childclass='leg'>
               <joint name='j' damping='9'/>
               <geom name='inherits' size='1'/>
               <geom name='own' class='foot' size='1' friction='.5 .4'/>
               <geom name='main' class='main' size='1'/>
               <body> <geom name='deeper' size='1'/> </body>
               <body childclass='foot'> <geom name='foot' size='1'/> <freejoint/> </body>
             </body>
           </worldbody>
         </mujoco>",
    );
    let mut friction = Vec::new();
    spec.each_geom(&mut |_, g| {
        friction.push((
            g.name.clone().unwrap_or_default(),
            g.friction(),
            g.condim(),
            g.margin(),
        ))
    });
    let expect = [
        ("plain", [0.9, 0.8, 0.7], 3, 0.0),
        ("inherits", [0.6, 0.8, 0.7], 3, 0.1),
        ("own", [0.5, 0.4, 0.7], 6, 0.1),
        ("main", [0.9, 0.8, 0.7], 3, 0.0),
        ("deeper", [0.6, 0.8, 0.7], 3, 0.1),
        ("foot", [0.6, 0.8, 0.7], 6, 0.1),
    ];
    let expect: Vec<_> = expect
        .iter()
        .map(|(n, f, c, m)| ((*n).to_owned(), *f, *c, *m))
        .collect();
    assert_eq!(friction, expect);
    // a nested class inherits from the class around it, even from settings that come later
    let leg = &spec.world.bodies[0];
    assert_eq!(
        (leg.joints[0].damping(), leg.joints[0].armature()),
        ([9.0, 2.0, 3.0], 5.0)
    );
    // a free joint ignores default classes
    let free = &leg.bodies[1].joints[0];
    assert_eq!(
        (free.type_(), free.armature(), free.free),
        (JointType::Free, 0.0, true)
    );
    // resolved class references are removed
    assert!(leg.childclass.is_none() && leg.geoms[1].class.is_none());
}

#[test]
fn an_orientation_replaces_that_of_the_class() {
    let class = "<default><geom euler='90 0 0'/><site quat='0 1 0 0'/></default>";
    let spec = body(
        "<geom name='a' size='1'/><geom name='b' size='1' quat='0 0 1 0'/><site zaxis='1 0 0'/>",
        class,
    );
    let b = &spec.world.bodies[0];
    assert_eq!(
        (b.geoms[0].orientation.euler, b.geoms[0].orientation.quat),
        (Some([90.0, 0.0, 0.0]), None)
    );
    assert_eq!(
        (b.geoms[1].orientation.euler, b.geoms[1].orientation.quat),
        (None, Some([0.0, 0.0, 1.0, 0.0]))
    );
    assert_eq!(
        (b.sites[0].orientation.zaxis, b.sites[0].orientation.quat),
        (Some([1.0, 0.0, 0.0]), None)
    );
}

#[test]
fn frames_keep_their_poses_and_say_what_stands_in_them() {
    let spec = body(
        "<geom name='out' size='1'/>
         <frame name='f' pos='1 0 0' childclass='c'>
           <geom name='in' size='1'/>
           <frame euler='0 0 90'> <site name='deep'/> <body name='child'/> </frame>
         </frame>
         <frame pos='2 0 0'/>",
        "<default><default class='c'><geom margin='.5'/><site size='.7'/></default></default>",
    );
    let b = &spec.world.bodies[0];
    let parents: Vec<_> = b.frames.iter().map(|f| f.parent).collect();
    assert_eq!(parents, [None, Some(0), None]);
    assert_eq!((b.geoms[0].frame, b.geoms[1].frame), (None, Some(0)));
    assert_eq!((b.geoms[0].margin(), b.geoms[1].margin()), (0.0, 0.5));
    assert_eq!(
        (b.sites[0].frame, b.sites[0].size()),
        (Some(1), [0.7, 0.005, 0.005])
    );
    assert_eq!(b.bodies[0].frame, Some(1));
}

#[test]
fn sections_add_up_and_later_settings_win() {
    let spec = read(
        "<mujoco model='m'>
           <compiler angle='radian' meshdir='a'/> <option timestep='.1' gravity='1 2 3'> <flag energy='enable'/> </option>
           <option timestep='.2' actuatorgroupdisable='1'> <flag contact='disable'/> </option>
           <option actuatorgroupdisable='3'/>
           <compiler autolimits='false'/>
           <worldbody> <geom name='a' size='1'/> </worldbody>
           <worldbody> <geom name='b' size='1'/> </worldbody>
           <size nkey='3' memory='10M'/>
           <statistic center='1 2 3'/>
           <visual> <headlight active='1'/> <global fovy='30'/> </visual> <visual> <global azimuth='10'/> </visual>
         </mujoco>",
    );
    assert_eq!(spec.name, "m");
    assert_eq!(
        (spec.option.timestep(), spec.option.gravity()),
        (0.2, [1.0, 2.0, 3.0])
    );
    assert_eq!(
        (spec.option.flag.energy(), spec.option.flag.contact()),
        (Able::Enable, Able::Disable)
    );
    assert_eq!(spec.option.actuatorgroupdisable, Some(vec![1, 3]));
    assert!(!spec.compiler().autolimits());
    assert_eq!(spec.world.geoms.len(), 2);
    assert_eq!(
        (spec.size.nkey(), spec.statistic.center),
        (3, Some([1.0, 2.0, 3.0]))
    );
    assert_eq!(spec.visual.headlight.active(), Tri::True);
    assert_eq!(
        (spec.visual.global.fovy(), spec.visual.global.azimuth()),
        (30.0, 10.0)
    );
    assert_eq!(read("<mujoco/>").name, "MuJoCo Model");
}

#[test]
fn numbers_may_be_absent_or_spread_over_lines() {
    let spec = body("<geom size='\n  1\t 2\n 3 ' user='' type='box'/>", "");
    let geom = &spec.world.bodies[0].geoms[0];
    assert_eq!(
        (geom.size.as_deref(), geom.user.as_deref()),
        (Some([1.0, 2.0, 3.0].as_slice()), None)
    );
    let spec = body("<geom size='.5 +1 1e-3' type='box'/>", "");
    assert_eq!(
        spec.world.bodies[0].geoms[0].size.as_deref(),
        Some([0.5, 1.0, 0.001].as_slice())
    );
}

#[test]
fn lights_cameras_and_materials_are_read_in_one_way() {
    let spec = body(
        "<light directional='true'/><light/><light type='point'/>
         <camera mode='targetbody' target='b' output='depth rgb' sensorsize='1 1'/>",
        "<default><camera fovy='30'/></default>
         <asset><texture name='t' builtin='flat' width='4'/>
           <material name='m' texture='t'/>
           <material name='n'><layer role='orm' texture='t'/><layer role='rgb' texture='t'/></material></asset>",
    );
    let b = &spec.world.bodies[0];
    let types: Vec<_> = b.lights.iter().map(|l| l.type_()).collect();
    assert_eq!(
        types,
        [LightType::Directional, LightType::Spot, LightType::Point]
    );
    assert_eq!(
        (b.cameras[0].mode(), b.cameras[0].fovy),
        (CamLight::TargetBody, None)
    );
    let roles = |i: usize| {
        spec.materials[i]
            .layers
            .iter()
            .filter_map(|l| l.role)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (roles(0), roles(1)),
        (vec![TexRole::Rgb], vec![TexRole::Rgb, TexRole::Orm])
    );
}

#[test]
fn tendons_equalities_sensors_and_custom_fields() {
    let spec = body(
        "<joint name='j'/><geom name='g' size='1'/><site name='s'/>",
        "<default><equality solref='.1'/><tendon damping='4' width='.5'/></default>
         <tendon>
           <spatial name='t' springlength='2'> <site site='s'/> <pulley divisor='2'/> <geom geom='g' sidesite='s'/> </spatial>
           <fixed name='f'> <joint joint='j' coef='3'/> </fixed>
         </tendon>
         <equality> <joint joint1='j' polycoef='1'/> <connect body1='b' anchor='1 2 3'/> </equality>
         <sensor> <framepos objtype='xbody' objname='b' reftype='site' refname='s' cutoff='2'/> <contact geom1='g' data='found pos'/> </sensor>
         <custom> <numeric name='n' size='3' data='1'/> <text name='x'><![CDATA[a < b]]></text>
           <tuple name='tt'> <element objtype='body' objname='b' prm='2'/> </tuple> </custom>
         <keyframe> <key name='k' qpos='1' time='2'/> </keyframe>",
    );
    let (t, f) = (&spec.tendons[0], &spec.tendons[1]);
    assert_eq!((t.tag, f.tag), (TendonTag::Spatial, TendonTag::Fixed));
    assert_eq!(
        (t.springlength(), t.damping(), t.width()),
        ([2.0, 2.0], [4.0, 0.0, 0.0], 0.5)
    );
    let path: Vec<_> = t.path.iter().map(|w| w.tag).collect();
    assert_eq!(path, [WrapTag::Site, WrapTag::Pulley, WrapTag::Geom]);
    assert_eq!(
        (f.path[0].joint.as_deref(), f.path[0].coef),
        (Some("j"), Some(3.0))
    );
    let e = &spec.equalities[0];
    assert_eq!(
        (e.tag, e.polycoef(), e.solref()),
        (EqualityTag::Joint, [1.0, 1.0, 0.0, 0.0, 0.0], [0.1, 1.0])
    );
    assert_eq!(
        (spec.sensors[0].tag, spec.sensors[1].tag),
        (SensorTag::FramePos, SensorTag::Contact)
    );
    assert_eq!(
        (spec.numerics[0].size, spec.texts[0].data.as_deref()),
        (Some(3), Some("a < b"))
    );
    assert_eq!(
        (
            spec.tuples[0].elements[0].prm(),
            spec.keys[0].qpos.as_deref()
        ),
        (2.0, Some([1.0].as_slice()))
    );
}

#[test]
fn shortcuts_become_general_actuators() {
    let a = actuator(
        "",
        "<position joint='j' kp='3' dampratio='2' timeconst='.1'/>",
    );
    assert_eq!(
        (a.gaintype, a.biastype, a.dyntype),
        (GainType::Fixed, BiasType::Affine, DynType::FilterExact)
    );
    assert_eq!(
        (a.gainprm[0], &a.biasprm[..3], a.dynprm[0]),
        (3.0, [0.0, -3.0, 2.0].as_slice(), 0.1)
    );
    assert_eq!(
        (a.trntype, a.target.as_deref(), a.ctrlspec),
        (TrnType::Joint, Some("j"), CtrlInput::Pos as i32)
    );
    let a = actuator("", "<cylinder joint='j' diameter='2' bias='1 2 3'/>");
    assert_eq!(
        (a.gainprm[0], &a.biasprm[..3], a.dyntype),
        (
            std::f64::consts::PI,
            [1.0, 2.0, 3.0].as_slice(),
            DynType::Filter
        )
    );
    let a = actuator("", "<muscle joint='j' force='5'/>");
    assert_eq!(
        &a.gainprm[..9],
        [0.75, 1.05, 5.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2]
    );
    assert_eq!(
        (a.biasprm, &a.dynprm[..2]),
        (a.gainprm, [0.01, 0.04].as_slice())
    );
    let a = actuator(
        "",
        "<pid joint='j' kp='2' kv='3' ki='4' imax='5' slewmax='6' input='pos vel' posrange='-1 1'/>",
    );
    assert_eq!(
        (a.gaintype, a.dyntype, a.ctrlspec),
        (GainType::Pid, DynType::Pid, 3)
    );
    assert_eq!(
        (a.gainprm[0], &a.biasprm[..3], &a.dynprm[..2]),
        (4.0, [0.0, -2.0, -3.0].as_slice(), [5.0, 6.0].as_slice())
    );
    assert_eq!(a.ctrlrange, [-1.0, 1.0]);
    let a = actuator(
        "",
        "<dcmotor joint='j' nominal='12 2 300' inductance='1' lugre='1 2 3 4 5'/>",
    );
    assert_eq!(
        (&a.gainprm[..2], a.dynprm[0], a.actdim, a.actearly),
        ([0.24, 0.04].as_slice(), 1.0 / 0.24, 2, true)
    );
    let a = actuator("", "<adhesion body='b' gain='3' ctrlrange='0 1'/>");
    assert_eq!(
        (a.trntype, a.gainprm[0], a.ctrllimited),
        (TrnType::Body, 3.0, Tri::True)
    );
}

#[test]
fn shortcuts_inherit_from_their_own_kind_and_from_general() {
    // a motor does not become a position servo through its class
    let a = actuator(
        "<position kp='5' kv='2' ctrlrange='-1 1'/>",
        "<motor joint='j'/>",
    );
    assert_eq!(
        (a.gainprm[0], a.biastype, a.ctrlrange),
        (1.0, BiasType::None, [-1.0, 1.0])
    );
    let a = actuator(
        "<position kp='5' kv='2'/>",
        "<position joint='j' dampratio='1'/>",
    );
    assert_eq!((a.gainprm[0], a.biasprm[2]), (5.0, 1.0));
    let a = actuator(
        "<general gainprm='4' dyntype='filterexact' dynprm='.3'/>",
        "<position joint='j'/>",
    );
    assert_eq!((a.gainprm[0], a.biasprm[1], a.dynprm[0]), (4.0, -4.0, 0.3));
    let a = actuator(
        "<general gainprm='4' gaintype='affine'/>",
        "<position joint='j'/>",
    );
    assert_eq!((a.gainprm[0], a.gaintype), (1.0, GainType::Fixed));
    // the nearest ancestor class with the attribute counts
    let a = actuator(
        "<velocity kv='7'/><default class='c'><motor gear='2'/></default>",
        "<velocity joint='j' class='c'/>",
    );
    assert_eq!((a.gainprm[0], a.gear[0]), (7.0, 2.0));
    // an explicit range replaces an inherited scale, and the other way round
    let a = actuator(
        "<position inheritrange='1'/>",
        "<position joint='j' ctrlrange='-1 1'/>",
    );
    assert_eq!((a.inheritrange, a.ctrlrange), (0.0, [-1.0, 1.0]));
    let a = actuator(
        "<position ctrlrange='-1 1'/>",
        "<position joint='j' inheritrange='1'/>",
    );
    assert_eq!((a.inheritrange, a.ctrlrange), (1.0, [0.0, 0.0]));
    // a gain of another type discards the inherited input settings
    let a = actuator(
        "<general input='pos'/>",
        "<general joint='j' gaintype='affine'/>",
    );
    assert_eq!(a.ctrlspec, 0);
}

#[test]
fn files_are_included_once_and_found_from_both_folders() {
    let files = Files::memory([
        (
            "robots/main.xml",
            "<mujoco><compiler meshdir='assets'/><include file='parts/arm.xml'/></mujoco>",
        ),
        (
            "robots/parts/arm.xml",
            "<mujoco><include file='hand.xml'/><asset><mesh file='arm.stl'/></asset></mujoco>",
        ),
        (
            "robots/parts/hand.xml",
            "<x><worldbody><geom name='palm' size='1'/></worldbody><asset><mesh file='sub/hand.v2.stl'/></asset></x>",
        ),
        ("robots/assets/arm.stl", "s"),
        ("robots/assets/parts/sub/hand.v2.stl", "h"),
    ]);
    let spec =
        Spec::from_vfs(files, "robots/main.xml").unwrap_or_else(|e| panic!("{}", e.render()));
    assert_eq!(spec.world.geoms[0].name.as_deref(), Some("palm"));
    let meshes: Vec<_> = spec
        .meshes
        .iter()
        .map(|m| (m.name.as_deref(), m.file.as_deref()))
        .collect();
    let hand = (Some("hand.v2"), Some("robots/assets/parts/sub/hand.v2.stl"));
    assert_eq!(meshes, [hand, (Some("arm"), Some("robots/assets/arm.stl"))]);
    assert_eq!(
        spec.read_file("robots/assets/parts/sub/hand.v2.stl", 9)
            .as_deref(),
        Ok(b"h".as_slice())
    );
    // saved paths are not resolved again
    assert!(spec.compiler().meshdir.is_none());
}

#[test]
fn included_files_find_assets_in_their_own_folders() {
    // paths where MuJoCo finds the mesh `x.obj` of an included file, if the model has an absolute path
    let cases: [(&str, &[&str], &str); 6] = [
        ("arm.xml", &["assets/x.obj", "x.obj"], "assets/x.obj"),
        ("arm.xml", &["x.obj"], "x.obj"),
        (
            "sub/arm.xml",
            &["x.obj", "assets/x.obj", "sub/x.obj"],
            "assets/x.obj",
        ),
        ("sub/arm.xml", &["x.obj", "sub/x.obj"], "sub/x.obj"),
        // MuJoCo does not look there
        ("sub/arm.xml", &["sub/assets/x.obj"], "assets/x.obj"),
        ("sub/arm.xml", &["x.obj"], "assets/x.obj"),
    ];
    let arm = "<mujoco><compiler meshdir='assets'/><asset><mesh file='x.obj'/></asset></mujoco>";
    for (included, there, found) in cases {
        let main = format!("<mujoco><include file='{included}'/></mujoco>");
        let meshes = there.iter().map(|path| (*path, "s".to_owned()));
        let said = [("main.xml", main), (included, arm.to_owned())];
        let all = meshes.chain(said);
        let files = Files::memory(all.map(|(path, text)| (format!("robot/{path}"), text)));
        let spec = Spec::from_vfs(files, "robot/main.xml");
        let spec = spec.unwrap_or_else(|e| panic!("{}", e.render()));
        let found = format!("robot/{found}");
        assert_eq!(spec.meshes[0].file.as_ref(), Some(&found), "{there:?}");
    }
    // files that the model itself names are in its own folders
    let files = Files::memory([("robot/main.xml", arm), ("robot/x.obj", "s")]);
    let spec = Spec::from_vfs(files, "robot/main.xml").unwrap_or_else(|e| panic!("{}", e.render()));
    let said = Some("robot/assets/x.obj");
    assert_eq!(spec.meshes[0].file.as_deref(), said);
}

#[test]
fn assets_on_disk_come_from_their_folders() -> std::io::Result<()> {
    let tmp = tempfile::tempdir()?;
    let dir = tmp.path().join("robots/arm");
    std::fs::create_dir_all(&dir)?;
    std::fs::write(tmp.path().join("robots/wood.png"), "w")?;
    let xml = "<mujoco><compiler strippath='true' texturedir='..'/><asset><texture type='2d' file='c:\\x\\wood.png'/></asset></mujoco>";
    std::fs::write(dir.join("arm.xml"), xml)?;
    let spec = Spec::from_file(dir.join("arm.xml")).unwrap_or_else(|e| panic!("{}", e.render()));
    assert_eq!(spec.textures[0].file.as_deref(), Some("../wood.png"));
    assert_eq!(
        spec.read_file("../wood.png", 9).as_deref(),
        Ok(b"w".as_slice())
    );
    assert!(
        Spec::from_file(dir.join("none.xml")).is_err_and(|e| e.to_string().contains("none.xml"))
    );
    assert!(Spec::from_file(&dir).is_err_and(|e| e.to_string().contains("not a regular file")));
    Ok(())
}

#[test]
fn a_project_bounds_what_may_be_opened_where_there_is_no_repository() -> std::io::Result<()> {
    let tmp = tempfile::tempdir()?;
    let base = tmp.path();
    let dir = base.join("suite/envs/assets/hand");
    std::fs::create_dir_all(&dir)?;
    std::fs::write(base.join("suite/arm.xml"), "<x><worldbody/></x>")?;
    std::fs::write(base.join("secret.xml"), "<x><worldbody/></x>")?;
    let read = |file: &str| {
        let text = format!("<mujoco><include file='{file}'/></mujoco>");
        std::fs::write(dir.join("hand.xml"), text)?;
        let spec = Spec::from_file(dir.join("hand.xml"));
        std::io::Result::Ok(spec.map_err(|e| e.to_string()))
    };
    let outside = |spec: Result<Spec, String>| spec.is_err_and(|e| e.contains("lies outside of"));
    assert!(outside(read("../../../arm.xml")?));
    for mark in [
        "LICENSE",
        "COPYING",
        "pyproject.toml",
        "package.xml",
        "__init__.py",
    ] {
        std::fs::write(base.join("suite").join(mark), "")?;
        assert!(read("../../../arm.xml")?.is_ok(), "{mark}");
        assert!(outside(read("../../../../secret.xml")?), "{mark}");
        // the outermost of several markers counts
        std::fs::write(dir.join(mark), "")?;
        assert!(read("../../../arm.xml")?.is_ok(), "{mark}");
        std::fs::remove_file(dir.join(mark))?;
        std::fs::remove_file(base.join("suite").join(mark))?;
    }
    // a repository inside counts as the whole project
    std::fs::write(base.join("suite/LICENSE"), "")?;
    std::fs::create_dir(base.join("suite/envs/.git"))?;
    assert!(outside(read("../../../arm.xml")?));
    Ok(())
}

#[test]
fn replicas_are_numbered_and_take_what_refers_to_them() {
    let spec = read(
        "<mujoco><worldbody>
           <geom name='floor' type='plane' size='1 1 1'/>
           <replicate count='0'> <body name='none'/> </replicate>
           <replicate count='10' offset='1 0 0' euler='0 0 90' sep='-'>
             <body name='b'> <joint name='j'/> <geom name='g' size='.1'/> <camera name='c' mode='targetbody' target='b'/> </body>
           </replicate>
         </worldbody>
         <contact> <pair geom1='floor' geom2='g' name='p'/> </contact>
         <equality> <connect name='w' body1='b' body2='world' anchor='0 0 0'/> </equality>
         <tendon> <fixed name='t'> <joint joint='j' coef='1'/> </fixed> </tendon>
         <actuator> <motor name='m' tendon='t'/> </actuator>
         <sensor> <actuatorpos name='s' actuator='m'/> <clock name='now'/> </sensor></mujoco>",
    );
    assert_eq!(spec.world.bodies.len(), 10);
    let b = &spec.world.bodies[7];
    assert_eq!(
        (b.name.as_deref(), b.cameras[0].target.as_deref()),
        (Some("b-07"), Some("b-07"))
    );
    // copies have the poses of nested frames: each is rotated by 90 degrees and offset in the frame of the one before
    let frames = &spec.world.frames;
    let pos = |i: usize| frames[i].pos().map(|x| (x * 1e9).round() / 1e9);
    assert_eq!(
        (pos(0), pos(1), pos(2), pos(3)),
        (
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 1.0, 0.0],
            [0.0, 1.0, 0.0]
        )
    );
    assert_eq!(b.frame, Some(7));
    assert_eq!(
        (
            spec.pairs.len(),
            spec.pairs[3].geom1.as_deref(),
            spec.pairs[3].geom2.as_deref()
        ),
        (10, Some("floor"), Some("g-03"))
    );
    assert_eq!(
        (
            spec.equalities[2].body1.as_deref(),
            spec.equalities[2].body2.as_deref()
        ),
        (Some("b-02"), Some("world"))
    );
    assert_eq!(
        (
            spec.actuators[9].name.as_deref(),
            spec.actuators[9].target.as_deref()
        ),
        (Some("m-09"), Some("t-09"))
    );
    // a sensor without an object is not copied
    let names: Vec<_> = spec
        .sensors
        .iter()
        .filter_map(|s| s.name.as_deref())
        .collect();
    assert_eq!((names.len(), names[0], names[1]), (11, "now", "s-00"));
}

#[test]
fn nested_replicas_get_the_inner_number_first() {
    let spec = read(
        "<mujoco><worldbody><replicate count='2' offset='0 1 0' euler='90 0 0'>
           <replicate count='2' sep='-' offset='1 0 0' euler='0 90 0'><geom name='Alice' size='.1'/></replicate>
         </replicate></worldbody></mujoco>",
    );
    let names: Vec<_> = spec
        .world
        .geoms
        .iter()
        .filter_map(|g| g.name.as_deref())
        .collect();
    assert_eq!(names, ["Alice-00", "Alice-10", "Alice-01", "Alice-11"]);
    let chain: Vec<_> = spec
        .world
        .geoms
        .iter()
        .map(|g| g.frame.and_then(|f| spec.world.frames[f].parent))
        .collect();
    assert_eq!(chain, [Some(0), Some(0), Some(3), Some(3)]);
}

#[test]
fn attached_models_keep_their_meaning() {
    let files = Files::memory([
        (
            "main.xml",
            "<mujoco><default><geom rgba='0 1 0 1'/></default><asset><model name='kid' file='parts/kid.xml'/></asset>
               <worldbody><body name='base'> <frame pos='0 0 1'><attach model='kid' body='arm' prefix='k_'/></frame> </body>
               <attach model='kid' prefix='all_'/></worldbody></mujoco>",
        ),
        (
            "parts/kid.xml",
            "<mujoco><compiler angle='radian' eulerseq='zyx' boundmass='1' meshdir='m'/>
               <default><geom margin='.25'/><default class='main2'/></default>
               <asset><mesh file='arm.stl'/><material name='steel'/></asset>
               <worldbody> <frame pos='5 5 5'><body name='arm' euler='1 2 3'>
                   <joint name='j' range='0 1'/> <geom name='g' size='1' mesh='arm' material='steel'/> </body></frame>
                 <body name='other' mocap='true'/> </worldbody>
               <contact> <exclude name='e' body1='arm' body2='world'/> <exclude name='o' body1='arm' body2='other'/> </contact>
               <actuator> <motor name='m' joint='j'/> </actuator>
               <keyframe> <key name='home' qpos='.5' ctrl='2' mpos='1 2 3'/> </keyframe></mujoco>",
        ),
        ("parts/m/arm.stl", "s"),
    ]);
    let spec = Spec::from_vfs(files, "main.xml").unwrap_or_else(|e| panic!("{}", e.render()));
    let arm = &spec.world.bodies[0].bodies[0];
    // the attached element is in the frame of the attachment, without its original frames
    assert_eq!(
        (
            arm.name.as_deref(),
            arm.frame,
            spec.world.bodies[0].frames.len()
        ),
        (Some("k_arm"), Some(0), 1)
    );
    // radians are converted to degrees, another Euler sequence to a quaternion, and the child's classes are kept
    let range = arm.joints[0].range();
    assert!((range[1] - 1f64.to_degrees()).abs() < 1e-12);
    assert!(arm.orientation.euler.is_none() && arm.orientation.quat.is_some());
    assert_eq!((arm.geoms[0].margin(), arm.geoms[0].rgba), (0.25, None));
    assert_eq!(arm.geoms[0].material.as_deref(), Some("k_steel"));
    // bodies keep the compiler settings of their model
    assert_eq!(
        (
            spec.world.bodies[0].compiler,
            spec.compilers[arm.compiler].boundmass()
        ),
        (0, 1.0)
    );
    // elements that refer to unattached elements are not attached
    let excludes: Vec<_> = spec
        .excludes
        .iter()
        .filter_map(|e| e.name.as_deref())
        .collect();
    assert_eq!(excludes, ["k_e", "all_e", "all_o"]);
    assert_eq!(spec.meshes[0].file.as_deref(), Some("parts/m/arm.stl"));
    // keyframes of an attached model record the elements that their values belong to
    let (k, all) = (&spec.keys[0], &spec.keys[1]);
    assert_eq!(
        (k.name.as_deref(), all.name.as_deref()),
        (Some("k_home"), Some("all_home"))
    );
    let of = |key: &manyworlds::mjcf::schema::Key| {
        key.of
            .clone()
            .expect("keys of attached models say what they are about")
    };
    // what the first part lacks is that of the next part that has it, as in MuJoCo
    assert_eq!(
        (of(k).joints[0].id, of(k).actuators[0].id, of(k).mocaps[0]),
        (Some(0), Some(0), of(all).mocaps[0])
    );
    assert_eq!(
        (
            of(all).joints[0].id,
            of(all).actuators[0].id,
            of(all).mocaps[0]
        ),
        (Some(1), Some(1), Some(4))
    );
}

#[test]
fn hostile_texts_are_refused_quickly() {
    let start = std::time::Instant::now();
    // nesting at the limit and beyond it
    let deep = |n: usize| {
        format!(
            "<mujoco><worldbody>{}{}</worldbody></mujoco>",
            "<body>".repeat(n),
            "</body>".repeat(n)
        )
    };
    let spec = read(&deep(498));
    let mut bodies = 0;
    spec.each_body(&mut |_, _| bodies += 1);
    assert_eq!(bodies, 499);
    assert!(spec.to_mjcf().is_ok_and(|xml| read(&xml) == spec));
    assert!(refused(&deep(499)).contains("nested more than 500 deep"));
    assert!(refused(&deep(100_000)).contains("nested more than 500 deep"));
    assert!(refused(&"<a>".repeat(100_000)).contains("XML"));
    // copies of copies
    let bomb =
        "<replicate count='100'>".repeat(20) + "<geom size='1'/>" + &"</replicate>".repeat(20);
    assert!(
        refused(&format!("<mujoco><worldbody>{bomb}</worldbody></mujoco>"))
            .contains("elements in all")
    );
    // very many nodes, attributes, errors
    let wide = format!(
        "<mujoco><worldbody>{}</worldbody></mujoco>",
        "<site/>".repeat(1_000_001)
    );
    assert!(refused(&wide).contains("XML nodes"));
    let attrs: String = (0..2000).map(|i| format!(" a{i}='1'")).collect();
    assert!(refused(&format!("<mujoco><option{attrs}/></mujoco>")).contains("attributes"));
    let wrong = format!(
        "<mujoco><worldbody>{}</worldbody></mujoco>",
        "<gem/>".repeat(100_000)
    );
    assert_eq!(refused(&wrong).lines().count(), 20);
    // long values
    let long = format!(
        "<mujoco model='{}'><option gravity='{}'/></mujoco>",
        "x".repeat(1 << 20),
        "1 ".repeat(1 << 20)
    );
    assert!(refused(&long).contains("needs 3 numbers, found 1048576"));
    assert!(start.elapsed().as_secs() < 30, "took {:?}", start.elapsed());
}

#[test]
fn limits_can_be_set() {
    let text = "<mujoco><worldbody><replicate count='20'><geom size='1'/></replicate></worldbody></mujoco>";
    let with = |limits: Limits| {
        Spec::from_text(text, Files::None, &limits)
            .map(|_| ())
            .map_err(|e| e.to_string())
    };
    assert_eq!(with(Limits::default()), Ok(()));
    assert!(
        with(Limits::default().elements(20)).is_err_and(|e| e.contains("more than 20 elements"))
    );
    assert!(with(Limits::default().depth(2)).is_err_and(|e| e.contains("more than 2 deep")));
    assert!(with(Limits::default().nodes(3)).is_err_and(|e| e.contains("more than 3 XML nodes")));
    assert!(with(Limits::default().file(10)).is_err_and(|e| e.contains("10")));
}

#[test]
fn saving_reads_to_an_equal_model() {
    let spec = read(include_str!("../../fuzz/seeds/model/everything.xml"));
    let xml = spec.to_mjcf().unwrap_or_else(|e| panic!("{e}"));
    let again = read(&xml);
    assert_eq!(again, spec, "{xml}");
    // saving again gives the same text
    assert_eq!(again.to_mjcf().ok(), Some(xml));
}

#[test]
fn what_cannot_be_saved_is_said() {
    let mut spec = read("<mujoco><worldbody><geom name='g' size='1'/></worldbody></mujoco>");
    spec.world.geoms[0].name = Some("a\u{1}b".into());
    assert!(
        spec.to_mjcf()
            .is_err_and(|e| e.to_string().contains("XML cannot represent"))
    );
    spec.world.geoms[0].name = Some("a<\"&'>\t\nb".into());
    assert_eq!(read(&spec.to_mjcf().unwrap_or_default()), spec);
}

#[test]
fn models_can_be_made_in_code() {
    use manyworlds::mjcf::schema::{ActuatorTag, Body, Geom, Joint};
    let arm = Body::new("arm")
        .at([0.0, 0.0, 1.0])
        .turned([0.0, 1.0, 0.0, 0.0])
        .joint(Joint::hinge("j", [0.0, 1.0, 0.0]).limits(-90.0, 90.0))
        .geom(
            Geom::capsule(0.1, 0.5)
                .named("g")
                .at([0.0, 0.0, 0.5])
                .mass(2.0),
        )
        .site("tip", [0.0, 0.0, 1.0])
        .body(
            Body::new("hand")
                .joint(Joint::ball("wrist"))
                .geom(Geom::cuboid([0.1; 3])),
        );
    let spec = Spec::new("arm")
        .geom(Geom::plane([0.0, 0.0, 1.0]))
        .body(arm)
        .body(
            Body::new("ball")
                .joint(Joint::free("root"))
                .geom(Geom::sphere(0.2)),
        )
        .sensor(SensorTag::Touch, |s| s.site = Some("tip".into()));
    let servo = spec.actuator(ActuatorTag::Position, |servo| {
        servo.joint = Some("j".into());
        servo.kp = Some(7.0);
    });
    let mut spec = servo.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(spec.actuators[0].biasprm[1], -7.0);
    assert!(spec.check().is_ok());
    // the built spec equals the one read from its text, and compiles
    assert_eq!(read(&spec.to_mjcf().unwrap_or_default()), spec);
    let m = manyworlds::compile::compile(&spec).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((m.nbody, m.nq, m.nu), (4, 12, 1));
    // errors of a built spec have no place
    let wrong = spec.clone().actuator(ActuatorTag::Position, |servo| {
        servo.joint = Some("j".into());
        servo.kv = Some(1.0);
        servo.dampratio = Some(1.0);
    });
    assert!(wrong.is_err_and(|e| e.to_string().contains("keep one")));
    spec.sensors[0].site = Some("top".into());
    let e = spec.check().expect_err("there is no such site").to_string();
    assert!(
        e.contains("there is no site \"top\"; did you mean \"tip\"?"),
        "{e}"
    );
}

#[test]
fn plugins_come_along_with_what_has_them() {
    let kid = "<mujoco><extension><plugin plugin='mujoco.pid'><instance name='i'><config key='kp' value='3'/></instance></plugin>
        <plugin plugin='mujoco.sensor.touch_grid'/></extension><worldbody><body name='a'><joint name='j'/><geom size='1'/>
        <site name='s'/></body></worldbody><actuator><plugin name='n' joint='j' instance='i'/></actuator><sensor>
        <plugin plugin='mujoco.sensor.touch_grid' objtype='site' objname='s'><config key='size' value='1 2'/>
        <config key='fov' value='9 9'/></plugin></sensor></mujoco>";
    let main = "<mujoco><extension><plugin plugin='mujoco.pid'><instance name='i'/></plugin></extension>
        <asset><model name='kid' file='kid.xml'/></asset><worldbody><replicate count='2'><body name='m'><joint name='j'/>
        <geom size='1'/></body></replicate><attach model='kid' body='a' prefix='x_'/></worldbody>
        <actuator><plugin joint='j' instance='i'/></actuator></mujoco>";
    let spec = Spec::from_vfs(
        Files::memory([("kid.xml", kid), ("main.xml", main)]),
        "main.xml",
    );
    let spec = spec.unwrap_or_else(|e| panic!("{}", e.render()));
    let m = manyworlds::compile::compile(&spec).unwrap_or_else(|e| panic!("{e}"));
    // declared instances come first; copies share them, and an attached instance has its prefix
    assert_eq!(m.names.plugin, ["i", "x_i", ""]);
    assert_eq!(m.plugin, [0, 0, 1]);
    assert_eq!(m.names.actuator, ["", "", "x_n"]);
    assert_eq!(m.actuator_plugin, [0, 0, 1]);
    assert_eq!((m.sensor_plugin[0], m.nsensordata), (2, 2));
    assert_eq!(m.plugin_prm[6], 3.0);
}

#[test]
fn plugins_are_written_as_they_were_said() {
    let xml = "<mujoco><extension><plugin plugin='mujoco.pid'><instance name='i'><config key='kp' value=' 3 '/></instance></plugin>
        <plugin plugin='mujoco.sensor.touch_grid'/></extension><default><default class='c'><general biastype='affine' gainprm='7'/>
        </default></default><worldbody><body name='a'><joint name='j'/><geom size='1'/><site name='s'/></body></worldbody>
        <actuator><plugin class='c' joint='j' instance='i' actdim='1'/><plugin joint='j' plugin='mujoco.pid'>
        <config key='ki' value='1'/><config key='imax' value='2'/></plugin></actuator><sensor>
        <plugin plugin='mujoco.sensor.touch_grid' objtype='site' objname='s'><config key='size' value='1 2'/></plugin></sensor>
        </mujoco>";
    let spec = read(xml);
    assert_eq!(spec.actuators[0].gainprm[0], 7.0);
    assert_eq!(spec.actuators[0].biastype, BiasType::Affine);
    assert_eq!(spec.plugins[0].config[0].value.as_deref(), Some(" 3 "));
    let again = read(&spec.to_mjcf().unwrap_or_else(|e| panic!("{e}")));
    assert_eq!(again, spec);
}

#[test]
fn keyframes_of_attached_models_set_their_part() {
    let kid = "<mujoco><worldbody><body name='m' mocap='true' pos='3 2 1'/>
        <body name='a'><joint name='j'/><geom size='1'/><body><joint type='ball'/><geom size='1'/></body></body>
        <body name='b'><joint name='k' ref='2'/><geom size='1'/></body></worldbody>
        <actuator><motor name='n' joint='j'/><motor joint='k'/></actuator>
        <keyframe><key name='home' qpos='.5 0 2 0 0 .7' qvel='1 2 3 4 5' ctrl='6 7' mpos='9 9 9' time='3'/></keyframe></mujoco>";
    let main = "<mujoco><asset><model name='kid' file='kid.xml'/></asset><worldbody>
        <body name='first' pos='1 2 3'><freejoint/><geom size='1'/></body>
        <replicate count='2'><body><attach model='kid' body='a' prefix='x_'/></body></replicate>
        </worldbody><keyframe><key qpos='1 2 3 1 0 0 0 .1 1 0 0 0 .2 1 0 0 0'/></keyframe></mujoco>";
    let spec = Spec::from_vfs(
        Files::memory([("kid.xml", kid), ("main.xml", main)]),
        "main.xml",
    );
    let spec = spec.unwrap_or_else(|e| panic!("{}", e.render()));
    let m = manyworlds::compile::compile(&spec).unwrap_or_else(|e| panic!("{e}"));
    // the model's own keyframe comes first and is complete; a keyframe of replicated elements sets the first copy
    assert_eq!((m.nkey, m.nq, m.nu, m.key_time[1]), (2, 17, 2, 3.0));
    assert_eq!(m.key_qpos[7], 0.1);
    let home = [
        1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0,
    ];
    assert_eq!(m.key_qpos[17..], home);
    assert_eq!(m.key_qvel[m.nv + 6..m.nv + 10], [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(m.key_ctrl[2..], [6.0, 0.0]);
    // a wrong number of values is an error
    let kid = kid.replace(".5 0 2 0 0 .7", ".5");
    let spec = Spec::from_vfs(
        Files::memory([("kid.xml", kid.as_str()), ("main.xml", main)]),
        "main.xml",
    );
    let e = spec
        .and_then(|s| manyworlds::compile::compile(&s))
        .expect_err("one number for six")
        .to_string();
    assert!(
        e.contains("qpos needs 6 numbers for the attached model, found 1"),
        "{e}"
    );
}

#[test]
fn parts_of_the_model_itself_are_attached_again() {
    let text = |more: &str| {
        format!(
            "<mujoco><default><default class='c'><geom size='.3'/></default></default><worldbody>
               <body name='p' childclass='c'><frame pos='1 2 3'><body name='a'><joint name='j'/><geom name='g'/>
                 <frame name='f' pos='0 0 1'><site name='s'/></frame></body></frame></body>{more}</worldbody>
             <actuator><motor name='m' joint='j'/></actuator>
             <sensor><touch name='t' site='s'/><clock name='now'/></sensor></mujoco>"
        )
    };
    let spec = read(&text(
        "<body name='o'><geom size='1'/><attach body='a' prefix='x_'/></body><attach body='o' prefix='z_'/>",
    ));
    let (o, z) = (&spec.world.bodies[1], &spec.world.bodies[2]);
    // the original's enclosing class counts, its frames do not
    let a = &o.bodies[0];
    assert_eq!(
        (
            a.name.as_deref(),
            a.geoms[0].size.as_deref(),
            o.frames.len()
        ),
        (Some("x_a"), Some([0.3].as_slice()), 1)
    );
    assert_eq!(
        (z.name.as_deref(), z.bodies[0].name.as_deref()),
        (Some("z_o"), Some("z_x_a"))
    );
    let names: Vec<_> = spec
        .actuators
        .iter()
        .filter_map(|a| a.target.as_deref())
        .collect();
    assert_eq!(names, ["j", "x_j", "z_x_j"]);
    let names: Vec<_> = spec
        .sensors
        .iter()
        .filter_map(|s| s.name.as_deref())
        .collect();
    assert_eq!(names, ["t", "now", "x_t", "z_x_t"]);
    // a frame can be attached; an element that does not exist yet cannot
    let spec = read(&text("<attach frame='f' prefix='y_'/>"));
    assert_eq!(spec.world.sites[0].name.as_deref(), Some("y_s"));
    assert!(
        refused(&text(
            "<body name='q'><attach body='q' prefix='y_'/></body>"
        ))
        .contains("before this attachment")
    );
    // long chains of attachments are refused
    let mut chain = "<body name='b0'><geom size='1'/></body>".to_owned();
    for i in 1..2000 {
        chain += &format!(
            "<body name='b{i}'><attach body='b{}' prefix='p{i}_'/><attach body='b{}' prefix='q{i}_'/></body>",
            i - 1,
            i - 1
        );
    }
    let e = refused(&format!("<mujoco><worldbody>{chain}</worldbody></mujoco>"));
    assert!(e.contains("elements in all") || e.contains("deep"), "{e}");
}

#[test]
fn an_equality_of_sites_needs_the_names_of_both() {
    for sites in [r#"site1="" site2="s""#, r#"site1="s" site2="""#] {
        let xml = format!(
            r#"<mujoco><worldbody><body><freejoint/><geom size=".1"/><site name="s"/></body></worldbody>
            <equality><connect {sites}/></equality></mujoco>"#
        );
        let e = Spec::from_str(&xml).unwrap_err().to_string();
        assert!(e.contains("also needs site"), "{e}");
    }
}
