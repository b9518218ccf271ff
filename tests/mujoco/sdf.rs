//! Signed distance fields, of MuJoCo's plugins `mujoco.sdf.*` and of meshes: compiled fields and contacts, against MuJoCo 4.0.0
//! (`tests/golden/make_sdf.py`), and refusals of unsupported features.

use crate::common::Golden;
use crate::common::backends::{BACKENDS, by_precision, worlds};
use manyworlds::batch::{Among, Backend};
use manyworlds::compile::missing;
use manyworlds::mjcf::Spec;
use manyworlds::{Data, Model, cpu};

fn golden() -> Golden {
    Golden::open("tests/golden/sdf.npz")
}

/// Names and texts of models.
fn models(text: &'static str) -> Vec<(&'static str, &'static str)> {
    let lines: Vec<_> = text.lines().collect();
    let pairs = lines.chunks_exact(2);
    pairs
        .map(|pair| (pair[0].trim_start_matches("=== "), pair[1]))
        .collect()
}

// a checksum of 32-bit words that depends on their order
fn checksum(words: impl Iterator<Item = u32>) -> f64 {
    let sum = words.enumerate().fold(0_u64, |sum, (i, word)| {
        sum.wrapping_add(u64::from(word).wrapping_mul(i as u64 % 997 + 1))
    });
    (sum & 0xffff_ffff) as f64
}

#[test]
fn what_stands_for_a_shape_is_mujocos() {
    let golden = golden();
    for (k, (name, xml)) in models(include_str!("../golden/sdf_cases.txt"))
        .iter()
        .enumerate()
    {
        let spec = Spec::from_str(xml).unwrap_or_else(|e| panic!("{name}: {e}"));
        let again = Spec::from_str(&spec.to_mjcf().unwrap()).unwrap();
        assert_eq!(again, spec, "{name}: saved, it is the same model");
        let m = Model::from_xml_str(xml).unwrap_or_else(|e| panic!("{name}: {e}"));
        let ints = |list: &[i32]| checksum(list.iter().map(|x| *x as u32));
        let vert = m.mesh_vert.iter().flatten().map(|x| (*x as f32).to_bits());
        let sizes = [m.nmeshvert, m.nmeshface, m.nmeshgraph, m.nmeshpoly].map(|n| n as f64);
        let sums = [checksum(vert), ints(&m.mesh_face), ints(&m.mesh_graph)];
        assert_eq!(
            [&sizes[..], &sums].concat(),
            golden.get(&format!("mesh/{k}")).unwrap(),
            "{name}"
        );
        let of_geom = |list: &[f64], n: usize| list[..n].to_vec();
        let have = [
            vec![m.body_mass[1]],
            m.body_inertia[1].to_vec(),
            m.body_ipos[1].to_vec(),
            m.geom_pos[0].to_vec(),
            m.geom_size[0].to_vec(),
            of_geom(&m.geom_aabb, 6),
            of_geom(&m.geom_rbound, 1),
            m.mesh_pos[0].to_vec(),
            m.mesh_quat[0].to_vec(),
        ]
        .concat();
        let want = golden.get(&format!("body/{k}")).unwrap();
        assert_eq!(have.len(), want.len());
        for (i, (have, want)) in have.iter().zip(want).enumerate() {
            let near = (have - want).abs() <= 1e-9 * (1.0 + want.abs());
            assert!(near, "{name}: number {i} is {have}, MuJoCo has {want}");
        }
        let plugins = [
            &m.plugin[..],
            &m.plugin_attr,
            &m.plugin_attradr,
            &m.geom_plugin,
        ]
        .concat();
        let plugins: Vec<f64> = plugins.into_iter().map(f64::from).collect();
        assert_eq!(
            plugins,
            golden.get(&format!("plugin/{k}")).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn octrees_of_meshes_are_mujocos() {
    let golden = golden();
    for (k, (name, xml)) in models(include_str!("../golden/sdf_octrees.txt"))
        .iter()
        .enumerate()
    {
        let m = Model::from_xml_str(xml).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!((m.mesh_octadr[0], m.mesh_octnum[0]), (0, m.noct as i32));
        let want = golden.get(&format!("oct/{k}")).unwrap();
        let mut have = vec![0.0; want.len()];
        for cell in 0..m.noct {
            let row = &mut have[10 * m.oct_depth[cell] as usize..][..10];
            row[0] += 1.0;
            row[1] += f64::from(m.oct_child[8 * cell] < 0);
            let aabb = &m.oct_aabb[6 * cell..6 * cell + 6];
            let weights = [1.0, 2.0, 3.0, 0.5, 0.5, 0.5];
            let place: f64 = aabb.iter().zip(weights).map(|(x, w)| x * w).sum();
            for (to, x) in row[2..].iter_mut().zip(&m.oct_coeff[8 * cell..]) {
                *to += (place + 1.0) * x;
            }
        }
        for (i, (have, want)) in have.iter().zip(want).enumerate() {
            let cells = golden.get(&format!("oct/{k}")).unwrap()[i / 10 * 10];
            let near = (have - want).abs() <= 1e-9 * cells;
            assert!(near, "{name}: number {i} is {have}, MuJoCo has {want}");
        }
    }
}

// the number of contacts, then distance, position and normal of each, in MuJoCo's order
fn contacts_are(d: &Data, want: f64, rows: &[f64], tolerance: f64, place: &str) {
    assert_eq!(f64::from(d.ncon[0]), want, "{place}");
    for (c, row) in rows.chunks_exact(7).take(want as usize).enumerate() {
        let have = [
            &[d.contact_dist[c]],
            &d.contact_pos[c][..],
            &d.contact_frame[c][..3],
        ]
        .concat();
        let error = crate::common::error(&have, row);
        assert!(
            error < tolerance,
            "{place}, contact {c}: {error:.1e} {have:?} {row:?}"
        );
    }
}

#[test]
fn contacts_of_shapes_are_mujocos() {
    let golden = golden();
    for (k, (name, xml)) in models(include_str!("../golden/sdf_pairs.txt"))
        .iter()
        .enumerate()
    {
        let m = Model::from_xml_str(xml).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(missing(&m), [""; 0], "{name}");
        // the frame of a mesh is accurate to 1e-9; gradients of shapes except the torus are finite differences over 1e-8 m
        let tolerance = match name {
            _ if name.contains("mesh") => 1e-8,
            _ if name.contains("torus") || name.contains("plane") => 1e-9,
            _ => 1e-5,
        };
        let poses = golden.get(&format!("ncon/{k}")).unwrap().len();
        for pose in 0..poses {
            let mut d = Data::new(&m);
            d.qpos
                .copy_from_slice(golden.state(&format!("qpos/{k}"), pose));
            cpu::kinematics::kinematics(&m, &mut d);
            cpu::collision::collision(&m, &mut d);
            let want = golden.get(&format!("ncon/{k}")).unwrap()[pose];
            let rows = golden.state(&format!("contact/{k}"), pose);
            contacts_are(&d, want, rows, tolerance, &format!("{name}, pose {pose}"));
        }
    }
}

#[test]
fn contacts_and_distances_of_meshes_are_mujocos() {
    let golden = golden();
    for (k, (name, xml)) in models(include_str!("../golden/sdf_meshes.txt"))
        .iter()
        .enumerate()
    {
        let m = Model::from_xml_str(xml).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(missing(&m), [""; 0], "{name}");
        // the frame of a mesh is accurate to 1e-9; gradients of shapes except the torus are finite differences over 1e-8 m
        let tolerance = match name {
            _ if name.contains("torus") || name.ends_with("mesh") => 1e-7,
            _ => 1e-5,
        };
        for (pose, want) in golden
            .get(&format!("mesh_ncon/{k}"))
            .unwrap()
            .iter()
            .enumerate()
        {
            let mut d = Data::new(&m);
            d.qpos
                .copy_from_slice(golden.state(&format!("mesh_qpos/{k}"), pose));
            cpu::kinematics::kinematics(&m, &mut d);
            cpu::collision::collision(&m, &mut d);
            cpu::sensor_pos::sensor_pos(&m, &mut d);
            let rows = golden.state(&format!("mesh_contact/{k}"), pose);
            contacts_are(&d, *want, rows, tolerance, &format!("{name}, pose {pose}"));
            let told = golden.state(&format!("mesh_sensor/{k}"), pose);
            let error = crate::common::error(&d.sensordata, told);
            assert!(
                error < tolerance,
                "{name}, pose {pose}: {error:.1e} {:?} {told:?}",
                d.sensordata
            );
        }
    }
}

#[test]
fn shapes_neither_touch_early_nor_stand_between() {
    let golden = golden();
    for (k, (name, xml)) in models(include_str!("../golden/sdf_early.txt"))
        .iter()
        .enumerate()
    {
        let m = Model::from_xml_str(xml).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(missing(&m), [""; 0], "{name}");
        for backend in BACKENDS.into_iter().filter(|b| *b != Backend::Gpu) {
            let mut batch = worlds(&m, 1, backend);
            batch
                .set("qvel", &[0.0, 0.0, -150.0, 0.0, 0.0, 0.0])
                .unwrap();
            batch.forward().unwrap();
            let want = golden.get(&format!("early/{k}")).unwrap();
            assert_eq!(f64::from(batch.ints("ncon").unwrap()[0]), want[0], "{name}");
            if want[0] > 0.0 {
                let dist = batch.reals("contact_dist").unwrap()[0];
                let tolerance = by_precision(backend, 1e-9, 1e-4);
                assert!((dist - want[1]).abs() < tolerance, "{name}: {dist}");
            }
        }
    }
}

#[test]
fn shapes_are_felt_as_mujocos_are() {
    let golden = golden();
    for (k, (name, xml)) in models(include_str!("../golden/sdf_felt.txt"))
        .iter()
        .enumerate()
    {
        let m = Model::from_xml_str(xml).unwrap_or_else(|e| panic!("{name}: {e}"));
        let poses = golden.get(&format!("felt/{k}")).unwrap().len() / m.nsensordata;
        // on a device the first; tests/parity/sensor_vel.rs has both
        for backend in BACKENDS
            .into_iter()
            .filter(|b| k == 0 || *b != Backend::Gpu)
        {
            let mut batch = worlds(&m, poses, backend);
            for field in ["qpos", "qvel"] {
                let all = golden.get(&format!("felt_{field}/{k}")).unwrap();
                batch.set(field, all).unwrap();
            }
            batch.forward().unwrap();
            let have = batch.reals("sensordata").unwrap();
            let error = crate::common::error(have, golden.get(&format!("felt/{k}")).unwrap());
            let tolerance = by_precision(backend, 1e-9, 1e-4);
            assert!(error < tolerance, "{backend:?}, {name}: {error:.1e}");
        }
    }
}

#[test]
fn a_mesh_comes_to_rest_in_a_bowl() {
    let m = Model::from_xml_str(
        r#"<mujoco><option sdf_initpoints="4" sdf_iterations="10"/><extension><plugin plugin="mujoco.sdf.bowl"/></extension>
<asset><mesh name="t"><plugin plugin="mujoco.sdf.bowl"/></mesh><mesh name="m" builtin="sphere" params="1" scale=".2 .2 .2"/></asset>
<size nconmax="60" njmax="240"/><worldbody><geom type="sdf" mesh="t"><plugin plugin="mujoco.sdf.bowl"/></geom>
<body pos=".1 0 0"><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"#,
    )
    .unwrap();
    for backend in BACKENDS {
        let mut batch = worlds(&m, 2, backend);
        batch.step(400).unwrap();
        for q in batch.reals("qpos").unwrap().chunks(7) {
            // the bowl is one of radius 1 about the origin
            let far = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]).sqrt();
            assert!((far - 0.8).abs() < 0.03, "{backend:?}: {q:?}");
        }
    }
}

#[test]
fn rays_see_shapes_as_mujocos_do() {
    let golden = golden();
    for (k, (name, xml)) in models(include_str!("../golden/sdf_pairs.txt"))
        .iter()
        .enumerate()
    {
        let m = Model::from_xml_str(xml).unwrap();
        let rays = golden.get(&format!("ray/{k}")).unwrap();
        let (pnt, vec): (Vec<_>, Vec<_>) = rays.chunks_exact(6).map(|ray| ray.split_at(3)).unzip();
        let among = Among::default().bodyexclude(vec![m.geom_bodyid[0]]);
        // a device's rays of queries are the twin's
        for backend in BACKENDS.into_iter().filter(|b| *b != Backend::Gpu) {
            let mut batch = worlds(&m, 1, backend);
            let qpos = golden.state(&format!("qpos/{k}"), 0);
            batch.set("qpos", qpos).unwrap();
            batch.forward().unwrap();
            let hits = batch.ray(pnt.len(), &pnt.concat(), &vec.concat(), &among);
            let hits = hits.unwrap();
            let want = golden.get(&format!("hit/{k}")).unwrap();
            for (i, want) in want.chunks_exact(4).enumerate() {
                let have = [&hits.dist[i..=i], &hits.normal[3 * i..3 * i + 3]].concat();
                let error = crate::common::error(&have, want);
                // gradients are finite differences over 1e-8 m
                let tolerance = by_precision(backend, 2e-6, 1e-2);
                assert!(
                    error < tolerance,
                    "{backend:?} {name} {i}: {have:?} {want:?}"
                );
            }
        }
    }
}

/// A ring that falls on a ball in its hole, and lies down on the floor.
const RING: &str = r#"<mujoco><extension><plugin plugin="mujoco.sdf.torus"/></extension>
<asset><mesh name="t"><plugin plugin="mujoco.sdf.torus"/></mesh></asset><worldbody><geom type="plane" size="1 1 1"/>
<body name="b" pos="0 0 .17"><freejoint/><geom type="sdf" mesh="t"><plugin plugin="mujoco.sdf.torus"/></geom></body>
</worldbody></mujoco>"#;

#[test]
fn a_ring_falls_alike_on_every_backend() {
    let m = Model::from_xml_str(RING).unwrap();
    for backend in BACKENDS {
        let mut batch = worlds(&m, 3, backend);
        batch.step(300).unwrap();
        for z in batch.reals("qpos").unwrap().chunks(7).map(|q| q[2]) {
            assert!((z - 0.15).abs() < 2e-3, "{backend:?}: {z}");
        }
        // it lies on the floor
        let dist = batch.geom_distance(0, 1, 1.0).unwrap().dist[0];
        assert!(dist.abs() < 2e-3, "{backend:?}: {dist}");
    }
}

#[test]
fn what_no_backend_does_with_a_shape_is_refused() {
    let with = |asset: &str, geom: &str, sensor: &str| {
        let xml = RING
            .replace("</asset>", &format!("{asset}</asset>"))
            .replace(r#"<geom type="plane" size="1 1 1"/>"#, geom)
            .replace("</worldbody>", &format!("</worldbody>{sensor}"));
        Model::from_xml_str(&xml)
    };
    let floor = r#"<geom name="f" type="plane" size="1 1 1"/><site name="s"/>"#;
    let told =
        r#"<sensor><rangefinder site="s"/><distance geom1="f" body2="b" cutoff="1"/></sensor>"#;
    let m = with("", floor, told).unwrap();
    assert_eq!(missing(&m), [""; 0]);
    // a shape of a plugin without the plugin
    let m = with("", r#"<geom type="sdf" mesh="t"/>"#, "");
    assert!(m.is_err_and(|e| e.to_string().contains("give it the mesh's <plugin>")));
    let m = Model::from_xml_str(
        &RING.replace(r#"<mesh name="t">"#, r#"<mesh name="t" scale="2 2 2">"#),
    );
    assert!(m.is_err_and(|e| {
        e.to_string()
            .contains("scale is not for the shape of a plugin")
    }));
}
