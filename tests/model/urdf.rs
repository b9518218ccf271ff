//! URDF features beyond compiled numbers (which tests/model/compile.rs compares with MuJoCo): files of packages, errors, unusual texts.

use manyworlds::compile::compile;
use manyworlds::mjcf::{Files, Limits, Spec};
use manyworlds::{Model, Result};
use std::collections::BTreeMap;

const TETRAHEDRON: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// A robot with one moving link whose shape is a file.
fn robot(file: &str) -> String {
    format!(
        r#"<robot name="r"><link name="a"/>
<link name="b"><collision><geometry><mesh filename="{file}"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>"#
    )
}

fn in_memory(files: &[(&str, &str)], file: &str, model: &str) -> Result<Model> {
    let mut all: Vec<(String, String)> = vec![(model.to_owned(), robot(file))];
    all.extend(
        files
            .iter()
            .map(|(p, t)| ((*p).to_owned(), (*t).to_owned())),
    );
    compile(&Spec::from_vfs(Files::memory(all), model)?)
}

// other programs' additions to URDF, which MuJoCo ignores
#[test]
fn names_with_undeclared_prefixes_are_ignored() {
    let link = |name: &str| {
        format!(
            "<link name='{name}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        )
    };
    let xml = format!(
        "<robot name='r'><drake:group name='g'><drake:member link='b'/></drake:group>{}{}<joint name='j' type='revolute'>\
         <parent link='a'/><child link='b'/><limit drake:acceleration='2' effort='3' lower='-1' upper='1'/></joint></robot>",
        link("a"),
        link("b")
    );
    let m = Model::from_xml_str(&xml).unwrap();
    assert_eq!((m.nv, m.jnt_range[..2].to_vec()), (1, vec![-1.0, 1.0]));
}

#[test]
fn packages_are_found_around_the_model() {
    let file = "package://arm/meshes/m.obj";
    // the model is in the package, or beside it
    for (path, model) in [
        ("ws/arm/meshes/m.obj", "ws/arm/urdf/deep/r.urdf"),
        ("ws/arm/meshes/m.obj", "ws/other/urdf/r.urdf"),
        ("arm/meshes/m.obj", "r.urdf"),
    ] {
        for file in [file, "model://arm/meshes/m.obj"] {
            let m = in_memory(&[(path, TETRAHEDRON)], file, model).unwrap();
            assert_eq!((m.nmesh, m.names.mesh[0].as_str()), (1, "m"), "{model}");
        }
    }
    let e = in_memory(&[("m/m.obj", TETRAHEDRON)], file, "r.urdf").unwrap_err();
    assert_eq!(
        e.to_string(),
        "r.urdf:2:43 <mesh>: there is no file \"meshes/m.obj\" of a package \"arm\" in the folders around the model; give the \
         folder of the package: `--package arm=DIR` of the program, `Limits::packages` of the library"
    );
}

#[test]
fn packages_on_disk_may_lie_anywhere_if_they_are_given() -> std::io::Result<()> {
    let tmp = tempfile::tempdir()?;
    let write = |path: &str, text: &str| {
        let path = tmp.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap())?;
        std::fs::write(path, text)
    };
    write("ws/arm/urdf/near.urdf", &robot("package://arm/m.obj"))?;
    write("ws/arm/urdf/far.urdf", &robot("package://hand/m.obj"))?;
    write("ws/arm/m.obj", TETRAHEDRON)?;
    write("elsewhere/m.obj", TETRAHEDRON)?;
    let model = |name: &str| tmp.path().join("ws/arm/urdf").join(name);
    let near = Spec::from_file(model("near.urdf")).unwrap();
    assert_eq!(near.meshes[0].file.as_deref(), Some("../m.obj"));
    assert_eq!(compile(&near).unwrap().nmesh, 1);
    // explicitly given packages come first
    let with = |name: &str| {
        Limits::default().packages(BTreeMap::from([(
            name.to_owned(),
            tmp.path().join("elsewhere"),
        )]))
    };
    for (name, package) in [("far.urdf", "hand"), ("near.urdf", "arm")] {
        let spec = Spec::from_file_with(model(name), &with(package)).unwrap();
        let file = spec.meshes[0].file.clone().unwrap();
        assert!(file.ends_with("elsewhere/m.obj"), "{file}");
        assert_eq!(compile(&spec).unwrap().nmesh, 1);
    }
    let e = Spec::from_file(model("far.urdf")).unwrap_err().to_string();
    assert!(e.contains("--package hand=DIR"), "{e}");
    // a file URI is a path, restricted to the root like any other
    let uri = format!("file://{}", tmp.path().join("ws/arm/m.obj").display());
    write("ws/arm/urdf/uri.urdf", &robot(&uri))?;
    assert_eq!(Model::from_xml_path(model("uri.urdf")).unwrap().nmesh, 1);
    let uri = format!("file://{}", tmp.path().join("elsewhere/m.obj").display());
    write("ws/arm/urdf/uri.urdf", &robot(&uri))?;
    let e = Model::from_xml_path(model("uri.urdf")).unwrap_err();
    assert!(e.to_string().contains("lies outside of"), "{e}");
    Ok(())
}

#[test]
fn an_mjcf_model_may_name_packages_too() {
    let xml = r#"<mujoco><compiler meshdir="nowhere"/><asset><mesh file="package://arm/m.obj"/></asset>
        <worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>"#;
    let files = Files::memory([("a/r.xml", xml), ("a/arm/m.obj", TETRAHEDRON)]);
    let spec = Spec::from_vfs(files, "a/r.xml").unwrap();
    assert_eq!(spec.meshes[0].file.as_deref(), Some("a/arm/m.obj"));
    assert_eq!(compile(&spec).unwrap().nmesh, 1);
}

#[test]
fn long_chains_are_whole_and_endless_ones_are_refused() {
    let chain = |n: usize| {
        let mut xml = String::from("<robot name=\"r\">");
        // links in reverse order, so that they are not in the order of the tree
        for i in (0..n).rev() {
            xml += &format!(
                "<link name=\"l{i}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>\
                 </inertial></link>"
            );
        }
        for i in 1..n {
            let parent = i - 1;
            xml += &format!(
                "<joint name=\"j{i}\" type=\"continuous\"><parent link=\"l{parent}\"/><child link=\"l{i}\"/></joint>"
            );
        }
        Model::from_xml_str(&(xml + "</robot>"))
    };
    let m = chain(400).unwrap();
    assert_eq!((m.nbody, m.nv), (400, 399));
    let parents: Vec<i32> = (0..400).map(|i| i32::max(i - 1, 0)).collect();
    assert_eq!(m.body_parentid, parents);
    let e = chain(600).unwrap_err().to_string();
    assert!(e.contains("nested more than 500 deep"), "{e}");
}

#[test]
fn a_robot_may_be_attached() {
    let urdf = r#"<robot name="r"><link name="a"><collision><geometry><sphere radius=".1"/></geometry></collision></link>
        <link name="b"><collision><geometry><sphere radius=".1"/></geometry></collision></link>
        <joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="2" effort="3"/></joint></robot>"#;
    let xml = r#"<mujoco><asset><model name="r" file="r.urdf"/></asset>
        <worldbody><frame pos="0 0 1"><attach model="r" body="a" prefix="x_"/></frame></worldbody></mujoco>"#;
    let files = Files::memory([("w.xml", xml), ("r.urdf", urdf)]);
    let m = compile(&Spec::from_vfs(files, "w.xml").unwrap()).unwrap();
    assert_eq!(m.names.body, ["world", "x_a", "x_b"]);
    assert_eq!(m.jnt_range, [-1.0, 2.0]);
    assert_eq!(m.jnt_actfrcrange, [-3.0, 3.0]);
    assert_eq!(m.body_pos[1], [0.0, 0.0, 1.0]);
}
