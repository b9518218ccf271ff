//! Instance buffers made on the device are compared with those of the host and of the twins.

use super::Live;
use crate::batch::{Backend, Batch, Settings};
use crate::error::Result;
use crate::gpu::device::{Choice, Request, block_on};
use crate::gpu::{Config, Device, Gpu};
use crate::model::Model;
use crate::picture::{Options, Scene};
use manyworlds_view::Layer;

const MODELS: [&str; 5] = ["humanoid", "meshes", "boxes", "sensors", "cartpole"];
const NWORLD: usize = 11;
/// Worlds per tile, and largest number of worlds per buffer.
const LIES: [(u32, Option<u64>); 4] = [(1, None), (4, None), (1, Some(4)), (4, Some(8))];

fn device() -> Result<Device> {
    Device::open(&Request {
        choice: Choice::Software,
        portable: false,
    })
}

// worlds of the twins in different states
fn twins(m: &Model) -> Result<Batch> {
    let settings = Settings::default().backend(Backend::Cpu);
    let mut batch = Batch::with(m, NWORLD, settings)?;
    let qvel = (0..NWORLD * m.nv).map(|k| 0.8 * f64::sin(1.7 * k as f64));
    batch.set("qvel", &qvel.collect::<Vec<_>>())?;
    batch.step(5)?;
    batch.forward()?;
    Ok(batch)
}

// the first `num` numbers of a layer's instance buffer
fn poses(device: &Device, layer: &Layer, num: usize) -> Result<Vec<f32>> {
    let Some(live) = &layer.live else {
        return Ok(Vec::new());
    };
    let words = num as u64;
    let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
    let back = device.buffer("back", words, usage);
    let mut encoder = device.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(live.buffer(), 0, &back, 0, 4 * words);
    device.queue.submit([encoder.finish()]);
    let mut out = Vec::new();
    block_on(device.words_of(&back, words, &mut out))?;
    Ok(out.into_iter().map(f32::from_bits).collect())
}

#[test]
fn instance_buffers_are_those_of_the_twin() -> Result<()> {
    let device = device()?;
    let live = Live::on(&device);
    for name in MODELS {
        let m = Model::from_xml_path(format!("models/{name}.xml"))?;
        let mut twins = twins(&m)?;
        // with sites, and with fewer worlds shown than there are
        let options = Options::default().sites(true).worlds(9);
        let mut scene = Scene::new(&m, NWORLD, &options)?;
        let host = scene.layers(&mut twins)?;
        for (tile, chunk) in LIES {
            let what = format!("{name}: tiles of {tile}, buffers of {chunk:?}");
            let config = Config {
                nworld: NWORLD,
                lanes: 1,
                worlds: 4,
                tile,
                chunk,
                ..Config::default()
            };
            let mut gpu = Gpu::new(&device, &m, &config)?;
            gpu.set_data(&twins.worlds()?)?;
            for (k, (want, shown)) in host.iter().zip(scene.looks.shown()).enumerate() {
                let made = live.poses(k, &gpu, shown, want.worlds.len(), scene.reach())?;
                let layer = Layer {
                    poses: Vec::new(),
                    live: made,
                    ..want.clone()
                };
                let got = poses(&device, &layer, want.poses.len())?;
                assert_eq!(got, want.poses, "{what}, layer {k}");
                if k == 1 {
                    let (one, other) = (scene.region(&layer), scene.region(want));
                    let apart =
                        one.center.distance(other.center) + (one.radius - other.radius).abs();
                    assert!(apart < 1e-5 * other.radius, "{what}: {apart}");
                }
            }
        }
        // poses of worlds that are not on the device are read through the host
        scene.draws_on(&device);
        assert_eq!(scene.layers(&mut twins)?, host, "{name}");
    }
    Ok(())
}

#[test]
fn poses_stay_where_a_batch_is_drawn_on_its_own_device() -> Result<()> {
    let device = device()?;
    let m = Model::from_xml_path("models/cartpole.xml")?;
    let mut batch = block_on(Batch::on(&device, &m, 2, Settings::default()))?;
    let mut scene = Scene::new(&m, 2, &Options::default())?;
    let stays = |scene: &Scene, batch: &mut Batch| -> Result<[bool; 2]> {
        Ok(scene.layers(batch)?.map(|layer| layer.live.is_some()))
    };
    assert_eq!(stays(&scene, &mut batch)?, [false; 2]);
    scene.draws_on(&device);
    assert_eq!(stays(&scene, &mut batch)?, [true; 2]);
    scene.draws_on(&self::device()?);
    assert_eq!(stays(&scene, &mut batch)?, [false; 2]);
    Ok(())
}
