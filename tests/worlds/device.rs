//! Worlds on the device: written values read back, chunks and masks do not change results, too large requests are refused.

use crate::common::Golden;
use manyworlds::batch::{Backend, Memory, Overflow, Settings};
use manyworlds::gpu::config::{Unroll, hardware_team};
use manyworlds::gpu::device::{Choice, Request};
use manyworlds::gpu::{Config, Gpu, Values};
use manyworlds::picture::{Options, Show};
use manyworlds::stages::{com_pos, kinematics};
use manyworlds::wgpu_interop::{Device, wgpu};
use manyworlds::{Batch, Error, Model};

fn device() -> Device {
    Device::open(&Request::any())
        .expect("these tests need an adapter; mesa-vulkan-drivers has a software one")
}

fn model() -> Model {
    Golden::open("tests/golden/pendula.npz").model()
}

// different numbers for every world
fn positions(m: &Model, nworld: usize) -> Vec<f32> {
    (0..nworld * m.nq)
        .map(|k| (k as f32 * 0.37).sin())
        .collect()
}

fn poses(gpu: &mut Gpu, qpos: &[f32]) -> Vec<u32> {
    gpu.write("qpos", &Values::Real(qpos.to_vec())).unwrap();
    gpu.run_stages(&[&kinematics, &com_pos]).unwrap();
    let mut bits = Vec::new();
    for name in ["xpos", "xquat", "cdof"] {
        bits.extend(gpu.read_real(name).unwrap().iter().map(|x| x.to_bits()));
    }
    bits
}

#[test]
fn what_is_written_is_read_whatever_the_layout() {
    let (device, m) = (device(), model());
    for (lanes, worlds, tile, chunk) in [
        (1, 4, 8, None),
        (1, 8, 2, Some(16)),
        (4, 2, 1, Some(2)),
        (2, 1, 4, Some(8)),
    ] {
        let config = Config {
            nworld: 21,
            lanes,
            worlds,
            tile,
            chunk,
            ..Config::default()
        };
        let mut gpu = Gpu::new(&device, &m, &config).unwrap();
        // worlds begin at qpos0
        let start: Vec<f32> = m.qpos0.iter().map(|&x| x as f32).collect();
        assert_eq!(gpu.read_real("qpos").unwrap(), start.repeat(21));

        let qpos = positions(&m, 21);
        gpu.write("qpos", &Values::Real(qpos.clone())).unwrap();
        assert_eq!(gpu.read_real("qpos").unwrap(), qpos);

        // some worlds, out of order, in several chunks
        let some = [20, 3, 17];
        let row = vec![0.5; m.nq];
        gpu.write_worlds("qpos", &some, &Values::Real(row.clone()))
            .unwrap();
        let rows: Vec<f32> = (0..3 * m.nv).map(|k| k as f32).collect();
        gpu.write_worlds("qvel", &some, &Values::Real(rows.clone()))
            .unwrap();
        let (have_q, have_v) = (
            gpu.read_real("qpos").unwrap(),
            gpu.read_real("qvel").unwrap(),
        );
        for w in 0..21 {
            let q = &have_q[w * m.nq..][..m.nq];
            let v = &have_v[w * m.nv..][..m.nv];
            match some.iter().position(|&s| s as usize == w) {
                Some(k) => assert!(q == row && v == &rows[k * m.nv..][..m.nv]),
                None => assert!(q == &qpos[w * m.nq..][..m.nq] && v.iter().all(|&v| v == 0.0)),
            }
        }

        // a reset of some worlds leaves the others unchanged
        gpu.reset(Some(&[3, 4])).unwrap();
        let after = gpu.read_real("qpos").unwrap();
        for w in 0..21 {
            let want = if [3, 4].contains(&w) {
                &start[..]
            } else {
                &have_q[w * m.nq..][..m.nq]
            };
            assert_eq!(&after[w * m.nq..][..m.nq], want);
        }
    }
}

#[test]
fn a_world_is_the_same_bits_alone_among_others_and_in_any_chunk() {
    let (device, m) = (device(), model());
    let qpos = positions(&m, 13);
    let config = Config {
        nworld: 13,
        lanes: 4,
        worlds: 2,
        tile: 2,
        fuse: 1,
        ..Config::default()
    };
    let mut whole = Gpu::new(&device, &m, &config).unwrap();
    let want = poses(&mut whole, &qpos);
    for (chunk, fuse, checked) in [
        (Some(4), 1, true),
        (None, 2, true),
        (None, 1, false),
        (Some(2), 2, false),
    ] {
        let mut gpu = Gpu::new(
            &device,
            &m,
            &Config {
                chunk,
                fuse,
                checked,
                ..config.clone()
            },
        )
        .unwrap();
        assert!(
            poses(&mut gpu, &qpos) == want,
            "chunks of {chunk:?}, {fuse} stages a kernel, checked: {checked}"
        );
    }
    let mut alone = Gpu::new(
        &device,
        &m,
        &Config {
            nworld: 1,
            ..config
        },
    )
    .unwrap();
    let w = 7;
    let have = poses(&mut alone, &qpos[w * m.nq..][..m.nq]);
    let (mut from_want, mut from_have) = (0, 0);
    for words in [3 * m.nbody, 4 * m.nbody, 6 * m.nv] {
        assert_eq!(
            want[from_want + w * words..][..words],
            have[from_have..][..words]
        );
        (from_want, from_have) = (from_want + 13 * words, from_have + words);
    }
}

#[test]
fn a_device_compiles_a_kernel_once() {
    let (device, m) = (device(), model());
    for checked in [false, true] {
        let config = Config {
            nworld: 5,
            checked,
            ..Config::default()
        };
        let [first, again] = [(); 2].map(|()| {
            let before = device.kernels();
            let mut gpu = Gpu::new(&device, &m, &config).unwrap();
            let found = poses(&mut gpu, &positions(&m, 5));
            (found, device.kernels() - before)
        });
        assert_eq!((first.1, again.1), (2, 0), "kernels compiled");
        assert_eq!(first.0, again.0);
    }
}

#[test]
fn a_field_of_the_model_may_differ_from_world_to_world() {
    let (device, m) = (device(), model());
    let config = Config {
        nworld: 3,
        varies: vec!["body_pos".to_owned()],
        ..Config::default()
    };
    let mut gpu = Gpu::new(&device, &m, &config).unwrap();
    let mut pos = gpu.read_real("body_pos").unwrap();
    let words = 3 * m.nbody;
    let before = {
        gpu.run_stages(&[&kinematics]).unwrap();
        gpu.read_real("xpos").unwrap()
    };
    // raises body 1 of world 1 by a metre
    pos[words + 3 + 2] += 1.0;
    gpu.write("body_pos", &Values::Real(pos)).unwrap();
    // a reset keeps the values of varying fields
    gpu.reset(None).unwrap();
    gpu.run_stages(&[&kinematics]).unwrap();
    let after = gpu.read_real("xpos").unwrap();
    assert_eq!(before[..words], after[..words]);
    assert_eq!(before[2 * words..], after[2 * words..]);
    assert!((after[words + 5] - before[words + 5] - 1.0).abs() < 1e-6);
    // a field that is not named in `varies` is shared by all worlds
    let fixed = Gpu::new(&device, &m, &Config::default()).unwrap();
    assert!(matches!(fixed.read("body_pos"), Err(Error::Input(msg)) if msg.contains("varies")));
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_allocated() {
    let (device, m) = (device(), model());
    let one = Gpu::new(&device, &m, &Config::default()).unwrap().memory();
    let have = one.total() - one.worlds + 1000 * one.world;
    let config = Config {
        nworld: 100_000,
        memory: Some(have),
        ..Config::default()
    };
    let Err(Error::Size { what, need, have }) = Gpu::new(&device, &m, &config) else {
        panic!("100000 worlds are more than 1000");
    };
    assert!(need > have);
    let fit: usize = what
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|n| n.parse().ok())
        .nth(1)
        .unwrap();
    let told = Config {
        nworld: fit,
        memory: Some(have),
        ..Config::default()
    };
    assert!(fit > 900 && Gpu::new(&device, &m, &told).is_ok(), "{what}");
}

#[test]
fn an_adapter_that_is_not_there_is_an_error_that_says_what_is() {
    let request = Request {
        choice: Choice::Named("no such adapter".to_owned()),
        portable: false,
    };
    let Err(Error::Device(msg)) = Device::open(&request) else {
        panic!("there is such an adapter")
    };
    assert!(msg.contains("no such adapter"), "{msg}");
}

#[test]
fn steps_on_the_device_stay_near_those_of_the_twins() {
    let device = device();
    let golden = Golden::open("tests/golden/humanoid.npz");
    let m = golden.model();
    let start: Vec<_> = (0..5).map(|k| golden.world(&m, k)).collect();
    let mut twins = start.clone();
    for d in &mut twins {
        (0..5).for_each(|_| manyworlds::cpu::step(&m, d));
    }
    let mut bits = Vec::new();
    // a software adapter may end the loops of an invocation after 65,535 iterations in all, too few for a team of one lane
    for (lanes, chunk) in [(8, None), (8, Some(2))] {
        let config = Config {
            nworld: 5,
            lanes,
            worlds: 2,
            tile: 1,
            chunk,
            ..Config::default()
        };
        let mut gpu = Gpu::new(&device, &m, &config).unwrap();
        println!("{} bytes a world", gpu.memory().world);
        gpu.set_data(&start).unwrap();
        gpu.step(5).unwrap();
        gpu.wait().unwrap();
        let have = gpu.read_real("qpos").unwrap();
        for (w, d) in twins.iter().enumerate() {
            for (k, (have, want)) in have[w * m.nq..].iter().zip(&d.qpos).enumerate() {
                let error = (f64::from(*have) - want).abs();
                let tolerance = 1e-5;
                assert!(
                    error < tolerance,
                    "{lanes} lanes, world {w}: qpos[{k}] is {have}, the twin says {want}"
                );
            }
        }
        if lanes == 8 {
            bits.push(have.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        }
    }
    // chunks do not change results by a bit
    assert!(bits[0] == bits[1]);
}

#[test]
fn fused_and_checked_or_not_a_step_is_the_same_bits() {
    let device = device();
    // a small model, since a software adapter takes long over large kernels
    let xml = r#"<mujoco><option timestep="0.01"/><worldbody><body pos="0 0 1">
        <joint name="hinge" type="hinge" axis="0 1 0" damping="0.1" range="-20 40"/><geom type="capsule" size=".05 .2" pos="0 0 -.2"/>
        </body></worldbody><actuator><motor joint="hinge" name="m"/></actuator></mujoco>"#;
    let m = Model::from_xml_str(xml).unwrap();
    let qpos: Vec<f32> = (0..5).map(|k| 0.3 * k as f32 - 0.6).collect();
    let mut want: Option<Vec<u32>> = None;
    for (fuse, checked) in [(1, false), (1, true), (usize::MAX, false)] {
        let config = Config {
            nworld: 5,
            lanes: 1,
            fuse,
            checked,
            // an unrolled kernel rounds in another order
            unroll: Unroll::Never,
            ..Config::default()
        };
        let mut gpu = Gpu::new(&device, &m, &config).unwrap();
        gpu.write("qpos", &Values::Real(qpos.clone())).unwrap();
        gpu.step(20).unwrap();
        let mut bits = Vec::new();
        for name in ["time", "qpos", "qvel", "qacc", "efc_force", "cvel"] {
            bits.extend(gpu.read_real(name).unwrap().iter().map(|x| x.to_bits()));
        }
        let dispatches = gpu.dispatches().unwrap();
        assert!((dispatches <= 6) == (fuse > 1), "{dispatches} dispatches");
        let want = want.get_or_insert_with(|| bits.clone());
        assert!(bits == *want, "{fuse} stages a kernel, checked: {checked}");
    }
}

#[test]
fn what_a_world_is_said_to_take_is_what_it_takes() {
    let device = device();
    let m = Model::from_xml_path("models/humanoid.xml").unwrap();
    let said = Memory::device(&m).unwrap().world;
    let (team, tile) = hardware_team(&m);
    let config = Config {
        nworld: 64,
        lanes: team.lanes,
        worlds: team.worlds,
        tile,
        ..Config::default()
    };
    let gpu = Gpu::new(&device, &m, &config).unwrap();
    assert_eq!(gpu.memory().world, said);
    assert_eq!(gpu.memory().worlds, 64 * said);
    assert!(said <= 24 << 10, "{said} bytes for a humanoid");
    // arrays are consecutive, with less than a sector of padding before each
    let arrays = Memory::device_arrays(&m).unwrap();
    let kept = arrays.iter().filter(|array| !array.2);
    let bytes: u64 = kept.clone().map(|array| array.1).sum();
    let shared = 2048;
    assert!(bytes < said + shared && said < bytes + 32 * kept.count() as u64);
    // an array that no stage accesses gets no memory, and reads as after a reset
    assert!(arrays.iter().all(|array| array.0 != "qfrc_inverse"));
    let untouched = gpu.read_real("qfrc_inverse").unwrap();
    assert!(untouched.len() == 64 * m.nv && untouched.iter().all(|&x| x == 0.0));
}

// spheres above a plane, the first of them touching it
const SPHERES: &str = r#"<mujoco><worldbody><geom type="plane" size="5 5 1"/>
    <body pos="0 0 .09"><freejoint/><geom size=".1"/></body>
    <body pos=".3 0 .3"><freejoint/><geom size=".1"/></body>
    <body pos=".6 0 .35"><freejoint/><geom size=".1"/></body>
    </worldbody></mujoco>"#;

#[test]
fn a_world_that_needs_more_room_gets_it_and_loses_nothing() {
    let m = Model::from_xml_str(SPHERES).unwrap();
    let run = |nconmax: Option<usize>| {
        let settings = Settings::default()
            .backend(Backend::Gpu)
            .overflow(Overflow::Grow)
            .nconmax(nconmax);
        let mut batch = Batch::with(&m, 3, settings).unwrap();
        // world 1 starts lower, so that all its spheres land, one after the other
        let mut qpos = batch.reals("qpos").unwrap().to_vec();
        qpos[m.nq + 9] = 0.11;
        qpos[m.nq + 16] = 0.12;
        batch.set("qpos", &qpos).unwrap();
        for _ in 0..4 {
            batch.step(10).unwrap();
        }
        let room = batch.model().nconmax;
        let bits: Vec<u64> = batch
            .reals("qpos")
            .unwrap()
            .iter()
            .map(|x| x.to_bits())
            .collect();
        (room, bits)
    };
    let (ample, want) = run(None);
    let (grown, have) = run(Some(1));
    assert!(ample >= 3 && grown > 1);
    assert!(want == have);
}

// a device that the caller opened, with these limits
fn opened(limits: wgpu::Limits) -> (wgpu::Device, wgpu::Queue) {
    let desc = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let instance = wgpu::Instance::new(desc);
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    let wanted = wgpu::DeviceDescriptor {
        required_limits: limits,
        ..wgpu::DeviceDescriptor::default()
    };
    pollster::block_on(adapters[0].request_device(&wanted)).unwrap()
}

#[test]
fn worlds_on_a_device_that_was_open_already_are_the_same_and_stay_there() {
    let m = Model::from_xml_str(SPHERES).unwrap();
    let settings = |nconmax| Settings::default().backend(Backend::Gpu).nconmax(nconmax);
    let falls = |batch: &mut Batch| {
        // all spheres touch the plane
        let mut row = m.qpos0.to_vec();
        (row[m.nq - 12], row[m.nq - 5]) = (0.09, 0.09);
        batch.set("qpos", &row).unwrap();
        batch.step(5).unwrap();
        batch.reals("qpos").unwrap().to_vec()
    };
    let want = falls(&mut Batch::with(&m, 3, settings(None)).unwrap());

    let (device, queue) = opened(wgpu::Limits::default());
    let given = Device::from_wgpu(device.clone(), queue).unwrap();
    assert!(given.waits() && given.adapter.backend == "vulkan");
    // with too small a capacity, which grows on the same device
    let worlds = Batch::on(&given, &m, 3, settings(Some(1)));
    let mut batch = pollster::block_on(worlds).unwrap();
    assert_eq!(falls(&mut batch), want);
    assert!(batch.model().nconmax > 1);
    let slopes = batch.transition(None).map(|_| ());
    assert!(slopes.is_ok(), "{slopes:?}");
    // an uncaptured error of the device is reported by the batch
    let _ = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("a fault"),
        size: u64::MAX,
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    assert!(matches!(given.check(), Err(Error::Device(msg)) if msg.contains("a fault")));
}

// a thread of the adapter that still runs a kernel at the end of the process may crash it
#[test]
fn worlds_that_are_dropped_leave_no_work_to_a_software_adapter() {
    let (device, queue) = opened(wgpu::Limits::default());
    let given = Device::from_wgpu(device.clone(), queue).unwrap();
    assert!(given.adapter.software);
    let config = Config {
        nworld: 64,
        ..Config::default()
    };
    let mut gpu = Gpu::new(&given, &model(), &config).unwrap();
    gpu.step(100).unwrap();
    drop(gpu);
    let left = device.poll(wgpu::PollType::Poll).unwrap();
    assert!(left.is_queue_empty(), "{left:?}");
}

#[test]
fn a_device_that_was_opened_with_too_little_is_refused() {
    let (device, queue) = opened(wgpu::Limits {
        max_storage_buffers_per_shader_stage: 2,
        ..wgpu::Limits::downlevel_defaults()
    });
    let refused = Device::from_wgpu(device, queue).unwrap_err();
    assert!(matches!(
        &refused,
        Error::Size { what, need: 3, have: 2 } if what.contains("storage buffers")
    ));
}

#[test]
fn what_cannot_be_waited_for_is_asked_for() {
    let m = Model::from_xml_str(SPHERES).unwrap();
    let device = device().without_waiting();
    let with = |overflow| Settings::default().overflow(overflow);
    let refused = pollster::block_on(Batch::on(&device, &m, 3, with(Overflow::Grow)));
    assert!(matches!(refused, Err(Error::Input(msg)) if msg.contains("Overflow::Continue")));
    let on = Batch::on(&device, &m, 3, with(Overflow::Continue));
    let mut batch = pollster::block_on(on).unwrap();
    let mut other = Batch::with(&m, 3, with(Overflow::Continue).backend(Backend::Gpu)).unwrap();

    for steps in [1, 7] {
        batch.step(steps).unwrap();
        other.step(steps).unwrap();
        // before `ask` the array is on the device only
        let error = batch.reals("qpos").unwrap_err().to_string();
        assert!(error.contains("qpos") && batch.lacks(), "{error}");
        // several arrays at once, integers too
        let read = |batch: &mut Batch| {
            let [qpos, xpos] =
                ["qpos", "geom_xpos"].map(|name| batch.reals(name).map(<[f64]>::to_vec));
            Ok((qpos?, xpos?, batch.ints("ncon")?.to_vec()))
        };
        let have = pollster::block_on(batch.reading(read)).unwrap();
        assert_eq!(have, read(&mut other).unwrap());
        assert!(!batch.lacks());
        // arrays that were brought stay readable until the worlds change
        assert_eq!(read(&mut batch).unwrap(), have);
        // the arrays of `flags`, which the first round read, are brought with the others in the second
        assert_eq!(batch.flags().is_err(), steps == 1);
        let flags = pollster::block_on(batch.reading(Batch::flags)).unwrap();
        assert_eq!(flags, other.flags().unwrap());
    }

    // arrays that were asked for before the worlds changed are not taken
    let late = {
        let _ = batch.reals("time");
        batch.ask().unwrap()
    };
    batch.reset(manyworlds::batch::To::Qpos0).unwrap();
    batch.set("qvel", &vec![0.5; m.nv]).unwrap();
    batch.take(pollster::block_on(late).unwrap());
    assert!(batch.reals("time").is_err());
    let time = pollster::block_on(batch.reading(|batch| Ok(batch.reals("time")?.to_vec())));
    assert_eq!(time.unwrap(), [0.0; 3]);
    let qvel = pollster::block_on(batch.reading(|batch| Ok(batch.reals("qvel")?.to_vec())));
    assert!(qvel.unwrap().iter().all(|&x| x == 0.5));
    // another error does not count as a missing array
    let none = pollster::block_on(batch.reading(|batch| Ok(batch.reals("nonsense")?.len())));
    assert!(matches!(none, Err(Error::Input(_))));
    // on a backend with immediate reads nothing is missing
    assert!(!other.lacks());
    let nothing = pollster::block_on(other.ask().unwrap()).unwrap();
    other.take(nothing);
    assert_eq!(other.reals("time").unwrap().len(), 3);
}

#[test]
fn worlds_that_cannot_be_waited_for_are_watched_and_pulled() {
    let m = Model::from_xml_str(SPHERES).unwrap();
    let settings = Settings::default().overflow(Overflow::Continue);
    let options = Options::default();
    let device = device().without_waiting();
    let on = Show::on(&device, &m, 2, settings.clone(), &options);
    let mut show = pollster::block_on(on).unwrap();
    let here = settings.backend(Backend::Gpu);
    let mut other = Show::new(&m, 2, here, &options).unwrap();
    // as the browser page does
    let bring = |show: &mut Show| {
        assert!(show.batch_mut().lacks());
        let brought = pollster::block_on(show.batch_mut().ask().unwrap()).unwrap();
        show.batch_mut().take(brought);
    };
    for _ in 0..2 {
        show.step(3).unwrap();
        other.step(3).unwrap();
        let shot = loop {
            match show.shoot() {
                Ok(shot) => break shot,
                Err(_) => bring(&mut show),
            }
        };
        let want = other.shoot().unwrap();
        assert_eq!(shot.camera.eye, want.camera.eye);
        for (layer, want) in shot.layers.iter().zip(&want.layers) {
            assert_eq!(layer.poses, want.poses);
        }
    }
    let grip = loop {
        match show.take([0.0, 0.0], 1.0) {
            Ok(grip) => break grip,
            Err(_) => bring(&mut show),
        }
    };
    assert_eq!(grip, other.take([0.0, 0.0], 1.0).unwrap());
    show.reset().unwrap();
}

// a buffer of the test's own on the worlds' device, with the usage that kernels need
fn buffer(device: &Device, words: &[f32]) -> wgpu::Buffer {
    use wgpu::BufferUsages as Use;
    let (device, queue) = device.wgpu();
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4 * words.len() as u64,
        usage: Use::STORAGE | Use::COPY_DST | Use::COPY_SRC,
        mapped_at_creation: false,
    });
    let bytes: Vec<u8> = words.iter().flat_map(|x| x.to_le_bytes()).collect();
    queue.write_buffer(&buffer, 0, &bytes);
    buffer
}

#[test]
fn arrays_are_exchanged_with_buffers_of_others_on_the_device() {
    let (device, m) = (device(), model());
    let n = 5;
    let open = || pollster::block_on(Batch::on(&device, &m, n, Settings::default())).unwrap();
    let (mut batch, mut other) = (open(), open());
    let (nq, nv) = (m.nq, m.nv);
    // the rows begin in the middle of a buffer, whose other words stay what they are
    let qvel: Vec<f32> = (0..n * nv).map(|k| (k as f32).cos()).collect();
    let mut words = vec![7.0; 3];
    words.extend(&qvel);
    let from = buffer(&device, &words);
    let to = buffer(&device, &vec![7.0; 67 + n * nq + 1]);
    batch.set_from("qvel", &from, 12).unwrap();
    batch.step(3).unwrap();
    batch.copy_to("qpos", &to, 4 * 67).unwrap();
    // what the buffer has now is read through an input of the other worlds
    let qvel: Vec<f64> = qvel.into_iter().map(f64::from).collect();
    other.set("qvel", &qvel).unwrap();
    other.step(3).unwrap();
    let stepped = other.reals("qpos").unwrap().to_vec();
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(batch.reals("qpos").unwrap()), bits(&stepped));
    other.reset(manyworlds::batch::To::Qpos0).unwrap();
    other.set_from("qpos", &to, 4 * 67).unwrap();
    assert_eq!(bits(other.reals("qpos").unwrap()), bits(&stepped));
    for (at, word) in [(66, 7.0), (67 + n * nq, 7.0)] {
        other
            .set_from("time", &to, 4 * (at - at.min(n - 1)) as u64)
            .unwrap();
        let time = other.reals("time").unwrap();
        assert_eq!(time[at.min(n - 1)], word, "word {at}");
    }
}

#[test]
fn what_cannot_be_exchanged_is_told() {
    let (device, m) = (device(), model());
    let mut batch = pollster::block_on(Batch::on(&device, &m, 5, Settings::default())).unwrap();
    let small = buffer(&device, &[0.0; 4]);
    let told = |got: Result<(), Error>| got.expect_err("must fail").to_string();
    assert!(told(batch.copy_to("qpos", &small, 0)).contains("qpos of all worlds"));
    assert!(told(batch.set_from("qpos", &small, u64::MAX - 3)).contains("qpos of all worlds"));
    assert!(told(batch.set_from("xpos", &small, 0)).contains("is computed"));
    assert!(told(batch.set_from("eq_active", &small, 0)).contains("integers"));
    assert!(told(batch.copy_to("qpo", &small, 0)).contains("qpo"));
    assert!(told(batch.copy_to("time", &buffer(&device, &[0.0; 9]), 2)).contains("multiple of 4"));
    let on_cores = Settings::default().backend(Backend::Cpu);
    let mut cores = Batch::with(&m, 5, on_cores).unwrap();
    assert!(told(cores.copy_to("qpos", &small, 0)).contains("Batch::on"));
    let mapped = device.wgpu().0.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4096,
        usage: wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    assert!(told(batch.copy_to("time", &mapped, 0)).contains("STORAGE"));
}
