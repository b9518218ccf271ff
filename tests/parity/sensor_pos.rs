//! Parity of `sensor_pos`.

use manyworlds::cpu::lib::math::norm3;
use manyworlds::cpu::sensor_pos::sensor_pos;
use manyworlds::gpu::ties::Ties;
use manyworlds::gpu::verify::{compare, round_model, up_to};
use manyworlds::types::DSBL_NATIVECCD;
use manyworlds::{Data, Model, stages};

use super::body::{TEAMS, device, differences};
use super::fields::{for_pairs, posed};

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

// rays at signed distance fields of plugins and meshes, and distances of these from shapes, meshes and each other, in the poses and along
// the rays of tests/golden/make_sdf.py
#[test]
fn rays_and_distances_of_signed_distance_fields_agree() {
    let chosen = [
        "plane and nut",
        "sphere and bowl",
        "ellipsoid and gear",
        "cylinder and bolt",
        "torus and mesh",
        "star and torus",
        "hull and mesh",
    ];
    let scale = std::env::var("TOL_SCALE").map_or(1.0, |x| x.parse().unwrap());
    let stage = stages::stage("sensor_pos").unwrap();
    let (mut faults, mut all) = (Vec::new(), Ties::default());
    for_pairs(&chosen, &mut |pair| {
        // a gear that is turned, with fewer teeth and a hole
        let gear = r#"<config key="alpha" value=".3"/><config key="teeth" value="13"/><config key="innerdiameter" value=".5"/></plugin>"#;
        let text = match pair.name.ends_with("gear") {
            true => &pair.xml.replace("</plugin>", gear),
            false => pair.xml,
        };
        let xml = match pair.of_mesh {
            true => text.to_owned(),
            false => {
                let rays = pair.golden.get(&format!("ray/{}", pair.number)).unwrap();
                sensing(text, &steady(text, rays, pair.poses()))
            }
        };
        let (m, before) = posed(&xml, pair.poses(), stage);
        let (name, teams) = (pair.name, &TEAMS[2..]);
        let ties = differences(name, &m, stage, &before, teams, 1e-4 * scale, &mut faults);
        println!("{name}: {ties:?}");
        all.met += ties.met;
        all.ties += ties.ties;
    });
    assert!(all.met >= 60 && all.ties * 8 <= all.met, "{all:?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

// the rays that hit the same place from nearer: the steps of a ray are limited, so one that grazes a field may end before it hits
fn steady(xml: &str, rays: &[f64], poses: &[f64]) -> Vec<f64> {
    let told = |far: f64| -> Vec<Vec<f64>> {
        let nearer = |ray: &[f64]| {
            let len = norm3([ray[3], ray[4], ray[5]]);
            let at = (0..3).map(|k| ray[k] + far / len * ray[3 + k]);
            at.chain(ray[3..].iter().copied()).collect::<Vec<f64>>()
        };
        let rays: Vec<f64> = rays.chunks_exact(6).flat_map(nearer).collect();
        let stage = stages::stage("sensor_pos").unwrap();
        let (m, mut worlds) = posed(&sensing(xml, &rays), poses, stage);
        let dist = |d: &mut Data| {
            sensor_pos(&m, d);
            let dist = d.sensordata[10..].iter().step_by(4);
            dist.map(|x| if *x < 0.0 { *x } else { x + far }).collect()
        };
        worlds.iter_mut().map(dist).collect()
    };
    let first = told(0.0);
    let nearer = [0.1, 0.5, 1.0, 1.5].map(|far| (far, told(far)));
    let same = |i: &usize| {
        let mut all = nearer
            .iter()
            .flat_map(|(far, told)| first.iter().zip(told).map(move |both| (far, both)));
        all.all(|(far, (first, told))| {
            (0.0..*far).contains(&first[*i]) || (told[*i] - first[*i]).abs() < 1e-5
        })
    };
    let kept: Vec<usize> = (0..rays.len() / 6).filter(same).collect();
    println!("{} of {} rays are steady", kept.len(), rays.len() / 6);
    kept.into_iter()
        .flat_map(|i| rays[6 * i..6 * i + 6].to_vec())
        .collect()
}

// a model of two geoms with sensors of their distance, and with rangefinders along some rays
fn sensing(xml: &str, rays: &[f64]) -> String {
    let mut xml = xml
        .replacen("<body>", r#"<body name="b">"#, 1)
        .replacen("<body>", r#"<body name="a">"#, 1)
        .replacen(r#"<geom type="plane""#, r#"<geom name="a" type="plane""#, 1);
    let of = if xml.contains(r#"body name="a""#) {
        r#"body1="a" body2="b""#
    } else {
        r#"geom1="a" body2="b""#
    };
    let (mut sites, mut sensors) = (String::new(), String::new());
    for kind in ["distance", "normal", "fromto"] {
        sensors += &format!(r#"<{kind} {of} cutoff="1"/>"#);
    }
    for (i, ray) in rays.chunks_exact(6).enumerate() {
        let [x, y, z, a, b, c] = ray.try_into().unwrap();
        sites += &format!(r#"<site name="s{i}" pos="{x} {y} {z}" zaxis="{a} {b} {c}"/>"#);
        sensors += &format!(r#"<rangefinder site="s{i}" data="dist normal"/>"#);
    }
    xml = xml.replace(
        "</worldbody>",
        &format!("{sites}</worldbody><sensor>{sensors}</sensor>"),
    );
    xml
}
