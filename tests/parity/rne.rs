//! Parity of `rne`.

use crate::body::{TEAMS, device};
use manyworlds::gpu::verify::{compare, round_model, up_to};
use manyworlds::{Data, Model, stages};

#[test]
fn shader_and_twin_agree() {
    super::body::parity("rne", 5e-4, &[]);
}

// sums of bodies that are too many for the chip; those of the twin have gravity, those of the kernel do not
#[test]
fn forces_of_many_bodies_agree() {
    let arm = r#"<body pos="1 2 0"><joint axis="0 1 .2"/><geom size=".05" pos=".1 0 .02"/></body>"#;
    let text = format!(
        "<mujoco><worldbody>{}</worldbody></mujoco>",
        arm.repeat(150)
    );
    let stage = stages::stage("rne").unwrap();
    let mut m = Model::from_xml_str(&text).unwrap();
    round_model(&mut m);
    let mut worlds = vec![Data::new(&m)];
    worlds[0].qvel.fill(0.5);
    up_to(&m, stage, 0, &mut worlds);
    for team in &TEAMS {
        let report = compare(device(), &m, stage, &worlds, &team.config()).unwrap();
        assert!(report.worst.contains_key("qfrc_bias"));
        for (field, worst) in report.worst {
            assert!(worst.error < 5e-4, "{team:?}, {field}: {worst:?}");
        }
    }
}
