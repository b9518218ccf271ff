//! A batch of worlds side by side against a batch of the reference.

use manyworlds::batch::{Backend, Settings};
use manyworlds::{Batch, Model};

fn batch(model: &Model, nworld: usize, backend: Backend) -> Batch {
    let settings = Settings::default().backend(backend);
    let mut batch = Batch::with(model, nworld, settings).unwrap();
    let lift: Vec<f64> = (0..nworld)
        .flat_map(|w| {
            let mut qpos = model.qpos0.clone();
            qpos[2] += 0.01 * w as f64;
            qpos
        })
        .collect();
    batch.set("qpos", &lift).unwrap();
    batch.set("ctrl", &vec![0.2; model.nu]).unwrap();
    batch
}

#[test]
fn rows_and_contacts_are_read_world_by_world() {
    let model = Model::from_xml_path("models/quadruped.xml").unwrap();
    let [mut side, mut reference] = [Backend::Simd, Backend::Cpu].map(|b| batch(&model, 21, b));
    for b in [&mut side, &mut reference] {
        b.step(40).unwrap();
    }
    // both start from the same state, representable in single precision
    let state: Vec<[Vec<f64>; 3]> = vec![["qpos", "qvel", "qacc_warmstart"].map(|name| {
        reference
            .reals(name)
            .unwrap()
            .iter()
            .map(|&x| f64::from(x as f32))
            .collect()
    })];
    for b in [&mut side, &mut reference] {
        for (name, values) in ["qpos", "qvel", "qacc_warmstart"].iter().zip(&state[0]) {
            b.set(name, values).unwrap();
        }
        b.forward().unwrap();
    }
    assert_eq!(side.ints("nefc").unwrap(), reference.ints("nefc").unwrap());

    // compares only the world's own rows and contacts; later entries are undefined
    let nefc = side.ints("nefc").unwrap().to_vec();
    let ncon = reference.ints("ncon").unwrap().to_vec();
    assert!(nefc.iter().sum::<i32>() > 50, "contacts are live");
    let counts = |name: &str| {
        if name.starts_with("efc") {
            nefc.clone()
        } else {
            ncon.clone()
        }
    };
    for name in [
        "efc_type",
        "efc_id",
        "contact_collision",
        "contact_efc_address",
        "efc_state",
        "map_iefc2efc",
    ] {
        let (have, want) = (side.ints(name).unwrap(), reference.ints(name).unwrap());
        let width = have.len() / 21;
        for (w, n) in counts(name).into_iter().enumerate() {
            let own = w * width..w * width + n as usize;
            assert_eq!(have[own.clone()], want[own], "{name} of world {w}");
        }
    }
    for (name, tolerance) in [
        ("efc_pos", 1e-6),
        ("efc_force", 2e-5),
        ("contact_dist", 1e-6),
    ] {
        let want = reference.reals(name).unwrap().to_vec();
        let have = side.reals(name).unwrap();
        let width = have.len() / 21;
        for (w, n) in counts(name).into_iter().enumerate() {
            let own = w * width..w * width + n as usize;
            let scale = want[own.clone()].iter().fold(1.0f64, |s, x| s.max(x.abs()));
            for k in own {
                assert!(
                    (have[k] - want[k]).abs() < tolerance * scale,
                    "{name} of world {w}"
                );
            }
        }
    }
}

// the backend that `Backend::Auto` took, and the reason
fn auto(xml: &str, nworld: usize) -> String {
    let model = Model::from_xml_str(xml).unwrap();
    Batch::new(&model, nworld).unwrap().device()
}

const TWO_BALLS: &str = "<worldbody><geom type='plane' size='1 1 1'/><body name='a' pos='0 0 1'><freejoint/>
    <geom size='0.1'/></body><body name='b' pos='1 0 1'><freejoint/><geom size='0.1'/></body></worldbody>";

#[test]
fn auto_takes_the_fastest_and_says_why() {
    let hardware = manyworlds::gpu::device::adapters()
        .iter()
        .any(|adapter| !adapter.software);
    let plain = format!("<mujoco>{TWO_BALLS}</mujoco>");
    let pgs = format!("<mujoco><option solver='PGS' noslip_iterations='3'/>{TWO_BALLS}</mujoco>");
    let many = auto(&plain, 64);
    if hardware {
        assert!(many.contains("(auto: the hardware GPU"), "{many}");
        return;
    }
    // a software adapter is never taken
    assert!(
        many.contains("worlds side by side (auto: no hardware GPU)"),
        "{many}"
    );
    let few = auto(&plain, 1);
    assert!(
        few.contains("f64 (auto: no hardware GPU, and too few"),
        "{few}"
    );
    // `simd` has every solver
    let sweeps = auto(&pgs, 64);
    assert!(sweeps.contains("worlds side by side"), "{sweeps}");
}
