//! The compiler against MuJoCo 4.0.0: every field of the models that have goldens.

use std::path::Path;

use crate::common::Golden;
use manyworlds::Model;
use manyworlds::compile::compile;
use manyworlds::fields::{Elem, FIELDS, Room, SIZES, View};
use manyworlds::mjcf::{Files, Limits, Spec};

/// Sizes that are chosen differently here: capacities for contacts and rows, and the pattern of moments.
const OWN_SIZES: [&str; 3] = ["njmax", "nconmax", "nJmom"];

/// Tolerance of a real number, relative to itself and to the largest of its array.
const RTOL: f64 = 1e-11;

fn differences(m: &Model, golden: &Golden) -> Vec<String> {
    let mut out = Vec::new();
    for (name, _) in manyworlds::model::Opt::NAMES {
        let want = golden.get(&format!("opt/{name}")).unwrap();
        let have = m.opt.get(name).unwrap();
        if have != want {
            out.push(format!("opt.{name}: {have:?}, MuJoCo has {want:?}"));
        }
    }
    let stat = &m.stat;
    for (name, have) in [
        ("meaninertia", vec![stat.meaninertia]),
        ("meanmass", vec![stat.meanmass]),
        ("meansize", vec![stat.meansize]),
        ("extent", vec![stat.extent]),
        ("center", stat.center.to_vec()),
    ] {
        let want = golden.get(&format!("stat/{name}")).unwrap();
        out.extend(reals(&format!("stat.{name}"), Elem::Real, &have, want));
    }
    out.extend(fields(m, golden));
    out
}

fn fields(m: &Model, golden: &Golden) -> Vec<String> {
    let mut out = Vec::new();
    for (size, _) in SIZES {
        let Some(want) = golden.get(&format!("size/{size}")) else {
            continue;
        };
        let have = m.size(size).unwrap() as f64;
        if !OWN_SIZES.contains(size) && want[0] != have {
            out.push(format!("{size}: {have}, MuJoCo has {}", want[0]));
        }
    }
    for field in FIELDS.iter().filter(|field| field.room == Room::Model) {
        let Some(want) = golden.get(&format!("model/{}", field.name)) else {
            continue;
        };
        match m.field(field.name).unwrap() {
            View::Int(have) => {
                let have: Vec<f64> = have.iter().map(|x| f64::from(*x)).collect();
                if have != want {
                    out.push(format!("{}: {have:?}, MuJoCo has {want:?}", field.name));
                }
            }
            View::Real(have) => out.extend(reals(field.name, field.elem, have, want)),
        }
    }
    out
}

fn reals(name: &str, elem: Elem, have: &[f64], want: &[f64]) -> Option<String> {
    if have.len() != want.len() {
        return Some(format!(
            "{name}: {} numbers, MuJoCo has {}",
            have.len(),
            want.len()
        ));
    }
    let largest = want
        .iter()
        .filter(|x| x.abs() < 1e9)
        .fold(1e-3_f64, |s, x| s.max(x.abs()));
    let rtol = match name {
        // MuJoCo and this program take it from the machine's `atan2f`, which is off by one rounding in older C libraries
        "cam_fovy" => 2.0 * f64::from(f32::EPSILON),
        // large terms cancel in nodes of cells that a shape fills in part
        "flex_stiffness" => 1e-9,
        _ => RTOL,
    };
    let near = |a: f64, b: f64| (a - b).abs() <= rtol * (b.abs() + 0.1 * largest);
    let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| near(*a, *b));
    // a quaternion and its negative are the same rotation
    let width = if elem == Elem::Quat { 4 } else { 1 };
    for (k, (a, b)) in have.chunks(width).zip(want.chunks(width)).enumerate() {
        let negative: Vec<f64> = a.iter().map(|x| -x).collect();
        let turned = elem == Elem::Quat && same(&negative, b);
        if !same(a, b) && !turned {
            return Some(format!("{name}[{k}]: {a:?}, MuJoCo has {b:?}"));
        }
    }
    None
}

/// Models with a golden of the same name.
fn models() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir("models")
        .unwrap()
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let xml = path.extension().is_some_and(|e| e == "xml");
            let name = path.file_stem()?.to_str()?.to_owned();
            let golden = Path::new("tests/golden").join(format!("{name}.npz"));
            (xml && golden.exists()).then_some(name)
        })
        .collect();
    names.sort();
    names
}

#[test]
fn every_field_of_every_model_is_mujocos() {
    let names = models();
    assert!(names.len() >= 5, "{names:?}");
    let mut wrong = Vec::new();
    for name in names {
        let golden = Golden::open(&format!("tests/golden/{name}.npz"));
        match Model::from_xml_path(format!("models/{name}.xml")) {
            Ok(m) => {
                let differences = differences(&m, &golden);
                wrong.extend(differences.iter().map(|d| format!("{name}: {d}")));
            }
            Err(e) => wrong.push(format!("{name}: {e}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn compiling_twice_gives_the_same_model() {
    for name in models() {
        let path = format!("models/{name}.xml");
        let [a, b] = [(); 2].map(|()| Model::from_xml_path(&path).unwrap());
        assert_eq!(a, b, "{name}");
    }
}

/// One case of `compile_cases.txt`: its name, its text, and MuJoCo's result.
struct Case<'a> {
    name: &'a str,
    xml: &'a str,
    refused: bool,
    golden: Golden,
}

fn cases<'a>(text: &'a str, all: &Golden) -> Vec<Case<'a>> {
    let lines: Vec<&str> = text.lines().collect();
    let refused = all.get("refused").unwrap();
    assert_eq!(lines.len(), 2 * refused.len());
    let mut at: std::collections::BTreeMap<&String, usize> = Default::default();
    let mut out = Vec::new();
    for (k, pair) in lines.chunks_exact(2).enumerate() {
        let mut arrays = std::collections::BTreeMap::new();
        for (name, (_, values)) in &all.arrays {
            let Some(count) = all.get(&format!("{name}#")) else {
                continue;
            };
            let start = at.entry(name).or_default();
            let values = values[*start..*start + count[k] as usize].to_vec();
            *start += values.len();
            arrays.insert(name.clone(), (vec![values.len()], values));
        }
        out.push(Case {
            name: pair[0].trim_start_matches("=== "),
            xml: pair[1],
            refused: refused[k] != 0.0,
            golden: Golden { arrays },
        });
    }
    out
}

/// Compares small models with MuJoCo; returns the numbers of compiled models and of models that both refuse.
fn held(text: &str, golden: &str, read: impl Fn(&str) -> manyworlds::Result<Model>) -> [u32; 2] {
    let all = Golden::open(golden);
    let mut wrong = Vec::new();
    let (mut taken, mut refused) = (0, 0);
    for case in cases(text, &all) {
        match read(case.xml) {
            Ok(_) if case.refused => wrong.push(format!("{}: MuJoCo refuses it", case.name)),
            Ok(m) => {
                let mut list = fields(&m, &case.golden);
                list.extend(names(&m, &case.golden));
                wrong.extend(list.iter().map(|d| format!("{}: {d}", case.name)));
                taken += 1;
            }
            Err(e) if !case.refused => wrong.push(format!("{}: {e}", case.name)),
            // a refusal has a place and a remedy
            Err(e) => {
                let text = e.to_string();
                if !text.starts_with("model.xml:") {
                    wrong.push(format!("{}: no place in {text:?}", case.name));
                }
                refused += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    [taken, refused]
}

/// The names of elements that differ from MuJoCo's, if the golden has names.
fn names(m: &Model, golden: &Golden) -> Vec<String> {
    let own = &m.names;
    let kinds = [
        ("body", &own.body),
        ("joint", &own.joint),
        ("geom", &own.geom),
        ("mesh", &own.mesh),
        ("flex", &own.flex),
    ];
    let differ = |(kind, have): &(&str, &Vec<String>)| {
        let want = golden.get(&format!("name/{kind}"))?;
        let want = String::from_utf8(want.iter().map(|b| *b as u8).collect()).unwrap();
        let want: Vec<&str> = want.split_terminator('\n').collect();
        let differs = **have != want;
        differs.then(|| format!("names of {kind}: {have:?}, MuJoCo has {want:?}"))
    };
    kinds.iter().filter_map(differ).collect()
}

#[test]
fn small_models_of_every_feature_are_mujocos() {
    let text = include_str!("../golden/compile_cases.txt");
    let [taken, refused] = held(text, "tests/golden/compile.npz", Model::from_xml_str);
    assert!(taken > 200 && refused > 100, "{taken} {refused}");
}

#[test]
fn robots_of_urdf_are_mujocos() {
    let file = |name: &str| {
        let path = Path::new("tests/golden/urdf").join(name);
        (name.to_owned(), std::fs::read(path).unwrap())
    };
    let files = Files::memory(["t.obj", "t1.obj", "d/t.obj"].map(file));
    let read = |xml: &str| {
        let spec = Spec::from_text(xml, files.clone(), &Limits::default())?;
        // a saved and reloaded text gives the same model
        let saved = Spec::from_text(&spec.to_mjcf()?, files.clone(), &Limits::default())?;
        assert_eq!(saved, spec, "{xml}");
        compile(&spec)
    };
    let text = include_str!("../golden/urdf_cases.txt");
    let [taken, refused] = held(text, "tests/golden/urdf.npz", read);
    assert!(taken > 200 && refused > 60, "{taken} {refused}");
}

#[test]
fn soft_bodies_are_mujocos() {
    let files = std::fs::read_dir("tests/golden/flex").unwrap().map(|file| {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(path).unwrap())
    });
    let files = Files::memory(files);
    let read = |xml: &str| {
        let spec = Spec::from_text(xml, files.clone(), &Limits::default())?;
        // a saved and reloaded text gives the same model
        let saved = Spec::from_text(&spec.to_mjcf()?, files.clone(), &Limits::default())?;
        assert_eq!(saved, spec, "{xml}");
        compile(&spec)
    };
    let text = include_str!("../golden/flex_cases.txt");
    let [taken, refused] = held(text, "tests/golden/flex.npz", read);
    assert!(taken > 90 && refused > 40, "{taken} {refused}");
}

#[test]
fn models_in_frames_with_a_scale_are_mujocos() {
    let parts = ["part.xml", "limbs.xml"].map(|name| {
        let text = std::fs::read(format!("tests/golden/scale/{name}")).unwrap();
        (name.to_owned(), text)
    });
    let files = Files::memory(parts);
    let again = |spec: &Spec| Spec::from_text(&spec.to_mjcf()?, files.clone(), &Limits::default());
    let kept = std::cell::Cell::new(0);
    let read = |xml: &str| {
        let mut spec = Spec::from_text(xml, files.clone(), &Limits::default())?;
        if !spec.keys.iter().any(|key| key.of.is_some()) {
            // a saved and reloaded text has the same scales
            assert_eq!(again(&spec)?, spec, "{xml}");
            return compile(&spec);
        }

        // a keyframe of a part of a model is saved as one of the whole model
        let m = compile(&spec)?;
        assert!(spec.to_mjcf().is_err());
        if spec.keep_keyframes(&m).is_ok() {
            let saved = compile(&again(&spec)?)?;
            assert_eq!(
                [&saved.key_qpos, &saved.key_ctrl],
                [&m.key_qpos, &m.key_ctrl]
            );
            assert_eq!((&saved.key_act, &saved.key_mpos), (&m.key_act, &m.key_mpos));
            kept.set(kept.get() + 1);
        }
        Ok(m)
    };
    let text = include_str!("../golden/scale_cases.txt");
    let [taken, refused] = held(text, "tests/golden/scale.npz", read);
    assert!(taken > 500 && refused > 30, "{taken} {refused}");
    assert!(kept.get() > 12, "{kept:?}");
}

#[test]
fn length_ranges_that_were_computed_are_saved_and_not_computed_again() {
    // no limits: both ends are found by simulation
    let arm = |frame: &str| {
        let tree = r#"<body><joint name="j" axis="0 1 0"/><geom type="capsule" size=".02 .2" pos="0 0 -.2"/><site name="a" pos=".03 0 -.3"/></body>"#;
        let rest = r#"<tendon><spatial name="t"><site site="o"/><site site="a"/></spatial></tendon><actuator><muscle tendon="t"/></actuator>"#;
        format!(
            r#"<mujoco><worldbody><site name="o" pos=".05 0 .1"/><frame {frame}>{tree}</frame></worldbody>{rest}</mujoco>"#
        )
    };
    let mut spec = Spec::from_str(&arm("")).unwrap();
    let m = compile(&spec).unwrap();
    let [short, long] = [m.actuator_lengthrange[0], m.actuator_lengthrange[1]];
    assert!(short > 0.1 && long > short + 0.1, "{short} {long}");
    let computed = spec.to_mjcf().unwrap();
    assert!(!computed.contains("lengthrange"), "{computed}");
    spec.keep_lengthranges(&m).unwrap();
    let kept = spec.to_mjcf().unwrap();
    assert!(kept.contains("lengthrange="), "{kept}");
    // where a simulation would take too many steps
    let text = kept.replace(
        "<worldbody>",
        r#"<compiler><lengthrange inttotal="1e9"/></compiler><worldbody>"#,
    );
    let again = Model::from_xml_str(&text).unwrap();
    assert_eq!(again.actuator_lengthrange, m.actuator_lengthrange);

    let mut scaled = Spec::from_str(&arm("scale=\"2\"")).unwrap();
    let e = scaled.keep_lengthranges(&compile(&scaled).unwrap());
    assert!(e.unwrap_err().to_string().contains("a frame scales"));
    let mut empty = Spec::from_str("<mujoco/>").unwrap();
    let e = empty.keep_lengthranges(&m);
    assert!(e.unwrap_err().to_string().contains("1 actuators"));
}

#[test]
fn settings_of_attached_models_are_merged_as_in_mujoco() {
    let lines: Vec<&str> = include_str!("../golden/merge.txt").lines().collect();
    let mut refused = 0;
    for case in lines.chunks_exact(3) {
        let [mine, theirs, want] = case else {
            panic!("{case:?}")
        };
        let child = format!("<mujoco>{theirs}<worldbody><body name='b'/></worldbody></mujoco>");
        let model = format!(
            "<mujoco><compiler conflict='merge'/>{mine}<asset><model name='m' file='child.xml'/></asset>
             <worldbody><attach model='m' body='b' prefix='x'/></worldbody></mujoco>"
        );
        let files = Files::memory([("model.xml", model), ("child.xml", child)]);
        let m = Spec::from_vfs(files, "model.xml").and_then(|spec| compile(&spec));
        let m = match (m, *want) {
            (Err(e), "refused") => {
                let e = e.to_string();
                assert!(e.contains("conflict=\"merge\" forbids"), "{e}");
                refused += 1;
                continue;
            }
            (m, _) => m.unwrap(),
        };
        for (name, numbers) in want.split(';').filter_map(|field| field.split_once('=')) {
            let numbers: Vec<f64> = numbers.split(' ').map(|n| n.parse().unwrap()).collect();
            let have = match name {
                "nkey" | "nuserdata" => vec![m.size(name).unwrap() as f64],
                name => m.opt.get(name).unwrap(),
            };
            assert_eq!(have, numbers, "{name}: {mine} {theirs}");
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn masses_that_overflow_are_refused() {
    for size in ["1e300", "1e120"] {
        let xml = format!(
            "<mujoco><worldbody><body><freejoint/>\n<geom size='{size}'/></body></worldbody></mujoco>"
        );
        let msg = Model::from_xml_str(&xml).unwrap_err().to_string();
        assert!(msg.contains("<body>: mass and inertia overflow"), "{msg}");
    }
}
