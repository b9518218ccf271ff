//! Small facts of MuJoCo 4.0.0, each tested on every backend.

use crate::common::backends::{BACKENDS, worlds};
use manyworlds::batch::{Backend, To};
use manyworlds::types::Warning;
use manyworlds::{Batch, Model};

/// Calls `check` with a batch of a model on every backend.
fn on_every_backend(xml: &str, nworld: usize, mut check: impl FnMut(Batch, String)) {
    let m = Model::from_xml_str(xml).unwrap_or_else(|e| panic!("{xml}\n{e}"));
    for backend in BACKENDS {
        let batch = worlds(&m, nworld, backend);
        check(batch, format!("{backend:?}: {xml}"));
    }
}

// groups of overlapping shapes, far from each other; the expected contacts are those of mj_forward
#[test]
fn bodies_that_cannot_move_do_not_touch() {
    let xml = r#"<mujoco><worldbody>
        <geom name="floor" type="plane" size="0 0 1"/>
        <body name="rests" pos="0 0 .05"><geom size=".1"/></body>
        <body name="carried" pos="9 0 .05" mocap="true"><geom size=".1"/>
          <body><geom size=".1" pos=".15 0 0"/></body>
          <body name="hangs" pos="0 0 .02"><joint/><geom size=".12"/></body></body>
        <body name="slab" pos="0 9 1" mocap="true"><geom type="box" size="1 1 .1"/></body>
        <body pos="0 9 1.15" mocap="true"><geom size=".1"/></body>
        <body name="falls" pos=".5 9 1.15"><freejoint/><geom size=".1"/></body>
        <body pos="0 -9 1" mocap="true"><geom name="a" type="box" size="1 1 .1"/></body>
        <body pos="0 -9 1.15" mocap="true"><geom name="b" size=".1"/></body>
        </worldbody><contact><pair geom1="a" geom2="b"/></contact></mujoco>"#;
    // floor and `hangs`, slab and `falls`, and the predefined pair
    let want = [[0, 4], [7, 5], [9, 8]];
    on_every_backend(xml, 3, |mut batch, what| {
        batch.forward().unwrap();
        assert_eq!(batch.ints("ncon").unwrap(), [3; 3], "{what}");
        for d in batch.worlds().unwrap() {
            let m = batch.model();
            let mut pairs: Vec<[i32; 2]> = (0..3)
                .map(|c| d.contact_collision[c] as usize)
                .map(|k| [m.collision_geom1[k], m.collision_geom2[k]])
                .collect();
            pairs.sort_unstable();
            assert_eq!(pairs, want, "{what}");
        }
    });
}

// the inside of a site with a nonconvex mesh is that of the convex hull
#[test]
fn a_site_of_a_mesh_has_an_inside() {
    let corner = [
        (0.0, 0.0),
        (1.0, 0.0),
        (1.0, 0.4),
        (0.4, 0.4),
        (0.4, 1.0),
        (0.0, 1.0),
    ];
    let corners = [0.0, 0.5]
        .iter()
        .flat_map(|z| corner.iter().map(move |(x, y)| format!("{x} {y} {z}")));
    let vertex = corners.collect::<Vec<_>>().join(" ");
    let face = "0 3 1 1 3 2 0 5 3 3 5 4 6 7 9 7 8 9 6 9 11 9 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11";
    let xml = format!(
        r#"<mujoco><option><flag constraint="disable"/></option><asset><mesh name="m" vertex="{vertex}" face="{face}"/></asset><worldbody>
        <site name="s" type="mesh" mesh="m" pos="0 .1 0" quat="1 1 0 0"/>
        <body name="b" mocap="true"><geom size=".01"/></body><body pos="9 9 9"><joint/><geom size=".01"/></body></worldbody>
        <sensor><insidesite site="s" objtype="body" objname="b"/></sensor></mujoco>"#
    );
    // the mesh's point (x, y, z) is at (x, 0.1 - z, y) in the world: points in the mesh, in the hull beyond it, and outside of each side
    let at = |[x, y, z]: [f64; 3]| [x, 0.1 - z, y];
    let points = [
        ([0.2, 0.7, 0.4], 1.0),
        ([0.9, 0.3, 0.1], 1.0),
        ([0.6, 0.6, 0.25], 1.0),
        ([0.8, 0.8, 0.25], 0.0),
        ([0.2, 0.2, 0.6], 0.0),
        ([0.2, 0.2, -0.1], 0.0),
        ([-0.1, 0.2, 0.2], 0.0),
        ([0.2, -0.1, 0.2], 0.0),
    ];
    on_every_backend(&xml, points.len(), |mut batch, what| {
        let pos: Vec<f64> = points.iter().flat_map(|(p, _)| at(*p)).collect();
        batch.set("mocap_pos", &pos).unwrap();
        batch.forward().unwrap();
        let want: Vec<f64> = points.iter().map(|(_, inside)| *inside).collect();
        assert_eq!(batch.reals("sensordata").unwrap(), want, "{what}");
    });
}

// effects of a reset by mask, of a reset by a bad number, and of restoring a state on controls and user data (`mj_resetData`)
#[test]
fn resets_reach_controls_and_user_data() {
    const XML: &str = r#"<mujoco><size nuserdata="3"/><option><flag constraint="disable"/></option><worldbody>
        <body><joint name="h"/><geom size=".1"/></body>
        <body pos="0 0 1"><joint name="j" type="ball"/><geom size=".1 .15 .2" type="box"/></body></worldbody><actuator>
        <motor joint="h"/><orientation joint="j" kp="20" kv="2" input="quat"/><motor joint="h"/></actuator></mujoco>"#;
    // the controls after a reset: the identity quaternion for the actuator with a quaternion input
    const NEUTRAL: [f64; 6] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    on_every_backend(XML, 2, |mut batch, what| {
        let holds = |batch: &mut Batch, ctrl: [[f64; 6]; 2], userdata: [f64; 6]| {
            assert_eq!(batch.reals("ctrl").unwrap(), ctrl.concat(), "{what}");
            assert_eq!(batch.reals("userdata").unwrap(), userdata, "{what}");
        };
        holds(&mut batch, [NEUTRAL; 2], [0.0; 6]);
        let (half, mine) = ([0.5; 6], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        batch.set("ctrl", &half).unwrap();
        batch.set("userdata", &mine).unwrap();
        batch.step(2).unwrap();
        holds(&mut batch, [half; 2], mine);
        let saved = batch.save().unwrap();

        // resets one world by a mask
        batch.reset_where(&[true, false], To::Qpos0).unwrap();
        let rest = [0.0, 0.0, 0.0, 4.0, 5.0, 6.0];
        holds(&mut batch, [NEUTRAL, half], rest);
        batch.restore(&saved).unwrap();
        holds(&mut batch, [half; 2], mine);

        // a bad velocity resets one world
        let mut qvel = vec![0.0; 2 * batch.model().nv];
        qvel[0] = f64::NAN;
        batch.set("qvel", &qvel).unwrap();
        batch.step(1).unwrap();
        let warnings = batch.ints("warning").unwrap();
        assert_eq!(warnings[Warning::BadQvel as usize], 1, "{what}");
        holds(&mut batch, [NEUTRAL, half], rest);
    });
}

// no dof changes the length of a tendon between static sites: neither friction nor a limit of it makes a row
#[test]
fn a_tendon_that_nothing_moves_makes_no_row() {
    let tendon = |body: &str| {
        format!(
            r#"<mujoco><worldbody><site name="1"/><site name="2" pos="1 0 0"/>{body}</worldbody><tendon>
            <spatial frictionloss="1" range="2 3" limited="true"><site site="1"/><site site="2"/></spatial></tendon></mujoco>"#
        )
    };
    for body in ["", r#"<body><joint/><geom size=".1"/></body>"#] {
        on_every_backend(&tendon(body), 3, |mut batch, what| {
            batch.step(2).unwrap();
            assert_eq!(batch.ints("nefc").unwrap(), [0; 3], "{what}");
        });
    }
}

// the moments of a ball are equal, so it turns without a torque; 4 tonnes make any rounding of them visible
#[test]
fn a_heavy_ball_turns_without_a_torque() {
    let xml = r#"<mujoco><worldbody><body pos=".1 .2 .3" euler="10 20 30"><freejoint/><geom size="1"/></body></worldbody></mujoco>"#;
    on_every_backend(xml, 3, |mut batch, what| {
        batch
            .set("qvel", &[1.0, -2.0, 3.0, 3.0, 2.0, -1.0].repeat(3))
            .unwrap();
        batch.forward().unwrap();
        let bias = batch.reals("qfrc_bias").unwrap();
        for world in bias.chunks_exact(6) {
            assert!(
                world[3..].iter().all(|torque| torque.abs() < 1e-9),
                "{what}: {world:?}"
            );
        }
    });
}

// a ball on a hinge through its centre has no weight to hold, however far it is from its tree's centre of mass; a device may
// multiply and add in one rounding, which leaves that of a product of 41 N and 1 m
#[test]
fn a_ball_on_its_axis_holds_no_weight() {
    let xml = r#"<mujoco><worldbody><body pos="0 0 1"><joint/><geom type="box" size=".1 .2 .3" pos=".1 .2 .3"/>
        <body pos=".97 .3 .1"><joint axis="0 1 0"/><geom size=".1"/></body></body></worldbody></mujoco>"#;
    on_every_backend(xml, 3, |mut batch, what| {
        batch
            .set("qpos", &[0.4, 0.3, -0.7, 0.2, 1.9, -1.0])
            .unwrap();
        batch.forward().unwrap();
        let on_device = batch.backend() == Backend::Gpu;
        let bound = if on_device { 4e-6 } else { 1e-12 };
        let bias = batch.reals("qfrc_bias").unwrap();
        for world in bias.chunks_exact(2) {
            assert!(world[1].abs() <= bound, "{what}: {world:?}");
        }
    });
}

// a beam whose centre of mass lies on its hinge has no inverse weight, so the anchor is as stiff as 1e15 N s^2/m: the rounding of its
// acceleration would be a torque of 1e8 N m
#[test]
fn the_force_of_a_hard_row_balances_the_acceleration() {
    let xml = r#"<mujoco><option timestep=".01"/><worldbody><body name="beam">
        <joint name="j" axis="0 1 0" damping="1"/><geom type="box" size=".2 1 .2" pos="0 -1 0"/></body></worldbody>
        <equality><connect body1="beam" body2="world" anchor="1 0 -1"/></equality>
        <actuator><motor joint="j" gear="30000"/></actuator></mujoco>"#;
    for solver in ["Newton", "CG"] {
        let xml = xml.replace("timestep", &format!("solver=\"{solver}\" timestep"));
        on_every_backend(&xml, 3, |mut batch, what| {
            batch.set("qpos", &[0.001, -0.002, 0.003]).unwrap();
            batch.set("ctrl", &[1.0, 0.7, -0.3]).unwrap();
            batch.forward().unwrap();
            let torque = batch.reals("qfrc_constraint").unwrap();
            for (have, ctrl) in torque.iter().zip([1.0, 0.7, -0.3]) {
                let want = -30000.0 * ctrl;
                assert!((have - want).abs() < 1e3, "{what}: {have} N m, not {want}");
            }
            batch.step(1).unwrap();
            let speed = batch.reals("qvel").unwrap();
            assert!(speed.iter().all(|v| v.abs() < 1.0), "{what}: {speed:?}");
        });
    }
}

// a joint that no contact moves has forces of 1e-15 N m, whose rounding is no reason to go on
#[test]
fn a_joint_without_forces_does_not_delay_the_others() {
    let leg = |name: &str| {
        format!("<geom name='{name}' type='cylinder' size='.02 .125' pos='0 0 -.125' mass='2'/>")
    };
    let xml = format!(
        "<mujoco><worldbody><geom type='cylinder' size='.1 .375' quat='1 0 1 0'/>
        <body pos='.2999 .104 0'><joint axis='1 0 0'/><geom type='cylinder' size='.04 .025' quat='1 1 0 0' mass='2'/>
        <body pos='0 .05 0' quat='1 0 0 1'><joint axis='1 0 0'/>{}
        <body pos='0 0 -.25'><joint axis='1 0 0'/>{}</body></body></body></worldbody></mujoco>",
        leg("thigh"),
        leg("shank")
    );
    on_every_backend(&xml, 3, |mut batch, what| {
        let mut most = 0;
        for _ in 0..30 {
            batch.step(1).unwrap();
            let niter = batch.ints("solver_niter").unwrap();
            most = niter.iter().fold(most, |most, &n| most.max(n));
        }
        assert!(most <= 15, "{what}: {most} iterations");
    });
}

// one light body under a contact as stiff as a heavy one: rounding in single precision takes the last pivot of the Hessian away
#[test]
fn a_light_body_in_a_stiff_contact_stays_finite() {
    let xml = r#"<mujoco><worldbody>
        <body pos=".1 .1 .1"><joint type="ball" pos="0.1 0.1 0.1"/><geom size="1"/></body>
        <body><joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/><geom size="0.1"/></body>
        </worldbody></mujoco>"#;
    on_every_backend(xml, 40, |mut batch, what| {
        let qpos = [
            0.9415609887,
            -0.1316999647,
            0.2761521654,
            -0.1409184347,
            -0.5287904142,
            1.0871532,
            -0.46777752,
        ];
        // states near the one that was found
        let near = |w: usize, k: usize| qpos[k] + 1e-7 * (w as f64 + k as f64).sin();
        let rows: Vec<f64> = (0..40)
            .flat_map(|w| (0..7).map(move |k| near(w, k)))
            .collect();
        batch.set("qpos", &rows).unwrap();
        let qvel = [-43.966, 91.885, -46.351, -79.765, 188.355, -49.233];
        batch.set("qvel", &qvel).unwrap();
        batch.forward().unwrap();
        let qacc = batch.reals("qacc").unwrap();
        // MuJoCo's largest is 15,037
        let most = qacc.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!(
            qacc.iter().all(|x| x.is_finite()) && most < 1e5,
            "{what}: {most}"
        );
    });
}

// in single precision the solver ends where it resolves no more: iterations after that add roundings to residuals
#[test]
fn a_body_that_contacts_hold_on_all_sides_takes_few_iterations() {
    let xml = r#"<mujoco><default><geom type="box" size=".1 .2 .3"/></default><worldbody><geom/><geom pos=".4 0 0" euler="0 0 50"/>
        <geom euler="0 0 50"/><body><joint axis="0 1 0"/><geom/></body></worldbody></mujoco>"#;
    on_every_backend(xml, 3, |mut batch, what| {
        batch.step(20).unwrap();
        let niter = batch.ints("solver_niter").unwrap();
        assert!(niter.iter().all(|n| *n <= 4), "{what}: {niter:?}");
    });
}
