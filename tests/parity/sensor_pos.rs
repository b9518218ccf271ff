//! Parity of `sensor_pos`.

use manyworlds::gpu::verify::{compare, round_model, up_to};
use manyworlds::types::DSBL_NATIVECCD;
use manyworlds::{Data, Model, stages};

use super::body::{TEAMS, device};

// if a ray grazes a round shape, the last bits of its direction change many digits of the normal
#[test]
fn shader_and_twin_agree() {
    super::body::parity("sensor_pos", 1e-4, &["sensordata"]);
}

// distances of convex solids are measured by the newer search, those of height fields by the older one: where a solid is round, the
// depth depends on the portal at which that search ends, and shader and twin differ as much as the twin and MuJoCo may
#[test]
fn distances_without_the_newer_collider_agree() {
    super::body::parity_without("sensor_pos", &["distances", "lands"], DSBL_NATIVECCD, 2e-4);
}

// a height field that nothing touches
#[test]
fn the_distance_of_a_field_alone_is_measured() {
    let xml = r#"<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody>
        <body name="land"><geom type="hfield" hfield="h" contype="0" conaffinity="0"/></body>
        <body pos=".1 .2 .5"><freejoint/><geom name="ball" size=".1"/></body></worldbody>
        <sensor><distance body1="land" geom2="ball" cutoff="1"/></sensor></mujoco>"#;
    let stage = stages::stage("sensor_pos").unwrap();
    for flags in [0, DSBL_NATIVECCD] {
        let mut m = Model::from_xml_str(xml).unwrap();
        m.edit(|m| m.opt.disableflags |= flags).unwrap();
        round_model(&mut m);
        let mut worlds = vec![Data::new(&m)];
        up_to(&m, stage, 0, &mut worlds);
        let report = compare(device(), &m, stage, &worlds, &TEAMS[0].config()).unwrap();
        for (field, worst) in report.worst {
            assert!(
                worst.error < 1e-5 && worst.twin != 1.0,
                "{field}: {worst:?}"
            );
        }
    }
}
