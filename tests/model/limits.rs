//! Models within the default limits are read and compiled on a small stack; models that would take unbounded memory are refused.

use std::thread;

use manyworlds::compile::compile;
use manyworlds::mjcf::Spec;
use manyworlds::{Error, Model};

/// Runs on a thread with the stack that threads have by default, 2 MiB.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(2 << 20).spawn(run);
    thread.unwrap().join().unwrap();
}

fn nested(open: impl Fn(usize) -> String, inner: &str, close: &str, depth: usize) -> String {
    let opened: String = (0..depth).map(open).collect();
    format!("{opened}{inner}{}", close.repeat(depth))
}

const GEOM: &str = "<geom size='.1'/>";
const ARM: &str = "<body><joint/><geom size='.1'/></body>";

#[test]
fn the_deepest_models_need_no_large_stack() {
    // <mujoco>, <worldbody> or <default>, and the innermost elements count too
    let deep = 496;
    let worlds = [
        nested(
            |i| format!("<body name='b{i}'>{GEOM}"),
            ARM,
            "</body>",
            deep,
        ),
        nested(
            |i| format!("<body name='b{i}'><joint armature='1'/>{GEOM}"),
            "",
            "</body>",
            deep,
        ),
        nested(|_| "<frame pos='0 0 1'>".to_owned(), ARM, "</frame>", deep),
        nested(
            |_| "<replicate count='1'>".to_owned(),
            ARM,
            "</replicate>",
            deep,
        ),
    ];
    let mut models: Vec<String> = worlds
        .iter()
        .map(|world| format!("<mujoco><worldbody>{world}</worldbody></mujoco>"))
        .collect();
    let classes = nested(
        |i| format!("<default class='c{i}'><geom rgba='1 0 0 1'/>"),
        "",
        "</default>",
        deep,
    );
    models.push(format!(
        "<mujoco><default>{classes}</default><worldbody><geom class='c{}' size='1'/></worldbody></mujoco>",
        deep - 1
    ));
    // with fusestatic, bodies without joints are merged into their parents
    models.push(models[0].replace("<worldbody>", "<compiler fusestatic='true'/><worldbody>"));
    for xml in models {
        on_a_small_stack(move || {
            let spec = Spec::from_str(&xml).unwrap();
            let again = Spec::from_str(&spec.to_mjcf().unwrap()).unwrap();
            assert!(again == spec.clone());
            compile(&spec).unwrap();
        });
    }
}

#[test]
fn what_is_too_deep_is_refused() {
    let world = nested(|_| "<body>".to_owned(), "", "</body>", 600);
    // repeated attachment nests deeper than the text
    let parts: String = (1..8)
        .map(|i| {
            let inner = format!("<attach body='p{}' prefix='a{i}_'/>", i - 1);
            let frames = nested(|_| "<frame>".to_owned(), &inner, "</frame>", 90);
            format!("<body name='p{i}'>{frames}</body>")
        })
        .collect();
    for world in [world, format!("<body name='p0'/>{parts}")] {
        let xml = format!("<mujoco><worldbody>{world}</worldbody></mujoco>");
        on_a_small_stack(move || {
            let error = Spec::from_str(&xml).unwrap_err().to_string();
            assert!(error.contains("nested more than 500 deep"), "{error}");
        });
    }
}

#[test]
fn a_few_words_do_not_fill_the_memory() {
    for (said, wanted) in [
        (
            "<size nkey='100000000'/>",
            "model.xml:1:15 <size>: nkey 100000000 asks for 100000000 empty keyframes",
        ),
        (
            "<size nuserdata='2000000'/>",
            "nuserdata must be 0 to 1000000",
        ),
        (
            "<custom><numeric name='n' size='100000000'/></custom>",
            "a numeric has 1 to 500 numbers, not 100000000",
        ),
        (
            "<asset><hfield name='h' nrow='9999' ncol='9999' size='1 1 1 1'/></asset>",
            "nrow × ncol is 99980001",
        ),
        (
            "<sensor><contact num='100000000' data='found force'/></sensor>",
            "num must be 1 to 100000, found 100000000",
        ),
        (
            "<worldbody><replicate count='70000'><body/></replicate></worldbody>",
            "there are 70002 bodies, and no more than 65533 are possible",
        ),
    ] {
        let xml = format!(
            "<mujoco>{said}<worldbody><body><freejoint/>{GEOM}</body></worldbody></mujoco>"
        );
        let error = Model::from_xml_str(&xml).unwrap_err();
        assert!(matches!(error, Error::Mjcf { .. }), "{said}: {error:?}");
        let error = error.to_string();
        assert!(error.contains(wanted), "{said}: {error}");
    }
}
