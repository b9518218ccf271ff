//! Pictures of worlds, drawn on a software adapter: every drawn world has pixels, all backends give the same picture, and the
//! pictures equal the committed ones (with a tolerance: drivers differ by a few shades).

use crate::common::backends::BACKENDS;
use manyworlds::batch::{Backend, Settings};
use manyworlds::gpu::device::{Choice, Device, Request};
use manyworlds::picture::{Options, Overlay, Picture, Renderer, Scene, Sight};
use manyworlds::{Batch, Model};
use std::path::Path;

fn device() -> Device {
    let request = Request {
        choice: Choice::Software,
        portable: false,
    };
    Device::open(&request).unwrap_or_else(|e| panic!("{e}"))
}

fn options() -> Options {
    Options::default().size([320, 180])
}

fn model(name: &str) -> Model {
    Model::from_xml_path(format!("models/{name}.xml")).unwrap_or_else(|e| panic!("{e}"))
}

// worlds in different states
fn batch(m: &Model, nworld: usize, backend: Backend) -> Batch {
    let settings = Settings::default().backend(backend);
    let mut batch = Batch::with(m, nworld, settings).unwrap();
    stir(&mut batch);
    batch
}

fn stir(batch: &mut Batch) {
    let (nworld, nv) = (batch.nworld(), batch.model().nv);
    let qvel: Vec<f64> = (0..nworld * nv)
        .map(|k| 0.5 * f64::sin(0.7 * (k / nv) as f64 + k as f64))
        .collect();
    batch.set("qvel", &qvel).unwrap();
    batch.step(20).unwrap();
}

// mean difference of the colours, 0 to 255
fn difference(a: &Picture, b: &Picture) -> f64 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let sum: u64 = a
        .rgba
        .iter()
        .zip(&b.rgba)
        .map(|(x, y)| u64::from(x.abs_diff(*y)))
        .sum();
    sum as f64 / (0.75 * a.rgba.len() as f64)
}

fn read(path: &Path) -> Picture {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    let rgba = rgb.chunks(3).flat_map(|p| [p[0], p[1], p[2], 255]);
    Picture {
        width: info.width,
        height: info.height,
        rgba: rgba.collect(),
    }
}

fn write(path: &Path, picture: &Picture) {
    let file = std::fs::File::create(path).unwrap();
    let mut encoder = png::Encoder::new(file, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    let rgb: Vec<u8> = picture
        .rgba
        .chunks(4)
        .flat_map(|p| [p[0], p[1], p[2]])
        .collect();
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&rgb).unwrap();
}

#[test]
fn every_world_that_is_shown_has_pixels() {
    let device = device();
    for (name, nworld) in [("humanoid", 30), ("boxes", 9), ("hand", 4)] {
        let m = model(name);
        let mut batch = batch(&m, nworld, Backend::Simd);
        let mut options = options();
        options.worlds = nworld - 1;
        let mut renderer = Renderer::on(&device, &m, nworld, &options).unwrap();
        let shown = renderer.identify(&mut batch).unwrap();
        assert_eq!(shown.len(), 320 * 180);
        let mut pixels = vec![0; nworld];
        for [world, geom] in shown.into_iter().flatten() {
            assert!((geom as usize) < m.ngeom);
            pixels[world as usize] += 1;
        }
        assert!(
            pixels[..nworld - 1].iter().all(|&n| n > 5),
            "{name}: {pixels:?}"
        );
        assert_eq!(pixels[nworld - 1], 0, "{name}");
    }
}

const BALLS: &str = r#"<mujoco><worldbody>
  <geom type="plane" size="0 0 1"/>
  <body pos="-2 -1 1"><freejoint/><geom size=".2"/></body>
  <body pos="1 1.5 1"><freejoint/><geom size=".2"/></body>
  <body pos="3 -.5 1"><freejoint/><geom size=".2"/></body>
  <body pos="0 0 1"><freejoint/><geom size=".2"/></body>
</worldbody></mujoco>"#;

// in a view from above x points to the right and y up
#[test]
fn a_geom_is_where_its_twin_is() {
    let m = Model::from_xml_str(BALLS).unwrap();
    let mut batch = batch(&m, 1, Backend::Cpu);
    let mut options = options();
    options.sight = Sight::Around {
        azimuth: 90.0,
        elevation: -89.9,
        distance: Some(8.0),
    };
    let mut renderer = Renderer::on(&device(), &m, 1, &options).unwrap();
    let shown = renderer.identify(&mut batch).unwrap();
    // the mean position of the pixels of each geom
    let middle = |geom: usize| {
        let own = (0..shown.len()).filter(|&k| shown[k] == Some([0, geom as u32]));
        let own: Vec<[f64; 2]> = own
            .map(|k| [(k % 320) as f64, -((k / 320) as f64)])
            .collect();
        assert!(own.len() > 20, "geom {geom}: {} pixels", own.len());
        [0, 1].map(|i| own.iter().map(|x| x[i]).sum::<f64>() / own.len() as f64)
    };
    let pos = batch.reals("geom_xpos").unwrap();
    let pixels = 0.5 * 180.0 / f64::tan(22.5f64.to_radians()) / 8.0;
    let last = middle(4);
    for geom in 1..4 {
        let seen = middle(geom);
        let apart =
            [0, 1].map(|i| pixels * (pos[3 * geom + i] - pos[12 + i]) - (seen[i] - last[i]));
        let error = apart[0].hypot(apart[1]);
        assert!(error < 1.5, "geom {geom}: {error} pixels");
    }
}

#[test]
fn backends_make_the_same_picture() {
    let m = model("quadruped");
    let device = device();
    let draw = |backend| {
        let mut batch = batch(&m, 4, backend);
        let mut renderer = Renderer::on(&device, &m, 4, &options()).unwrap();
        renderer.draw(&mut batch).unwrap()
    };
    let want = draw(Backend::Cpu);
    for backend in [Backend::Simd, Backend::Gpu] {
        let error = difference(&draw(backend), &want);
        assert!(error < 0.5, "{backend:?}: {error}");
    }
}

// if the worlds are on the device that draws, poses stay there; another device gets them from the host
#[test]
fn poses_in_place_make_the_same_picture() {
    let (here, elsewhere) = (device(), device());
    let glass = options().spacing(Some(0.0));
    let marked = options().overlays(vec![Overlay::Contacts]).sites(true);
    for (name, nworld, options) in [
        ("quadruped", 9, options()),
        ("spatial_tendons", 2, marked),
        ("cartpole", 8, glass),
    ] {
        let m = model(name);
        let on = Batch::on(&here, &m, nworld, Settings::default());
        let mut batch = pollster::block_on(on).unwrap();
        stir(&mut batch);
        let mut draw = |device: &Device| {
            let mut renderer = Renderer::on(device, &m, nworld, &options).unwrap();
            let picture = renderer.draw(&mut batch).unwrap();
            (picture, renderer.identify(&mut batch).unwrap())
        };
        let (got, want) = (draw(&here), draw(&elsewhere));
        let error = difference(&got.0, &want.0);
        assert!(error < 0.5, "{name}: {error}");
        let other = got.1.iter().zip(&want.1).filter(|(a, b)| a != b).count();
        assert!(
            other < want.1.len() / 100,
            "{name}: {other} pixels show another part"
        );
    }
}

// PICTURES=write rewrites the committed pictures
#[test]
fn pictures_are_those_that_were_kept() {
    let device = device();
    let mut contacts = options();
    contacts.overlays = vec![Overlay::Contacts];
    contacts.sites = true;
    let mut glass = options();
    glass.spacing = Some(0.0);
    for (name, nworld, options) in [
        ("humanoid", 16, options()),
        ("hand", 1, contacts.clone()),
        ("boxes", 1, contacts),
        ("cartpole", 8, glass),
    ] {
        let m = model(name);
        let mut batch = batch(&m, nworld, Backend::Cpu);
        let mut renderer = Renderer::on(&device, &m, nworld, &options).unwrap();
        let picture = renderer.draw(&mut batch).unwrap();
        // a picture must have several colours
        let mut colors: Vec<_> = picture.rgba.chunks(4).collect();
        colors.sort_unstable();
        colors.dedup();
        assert!(colors.len() > 300, "{name}: {} colours", colors.len());
        let path = Path::new("tests/golden/pictures").join(format!("{name}.png"));
        if std::env::var_os("PICTURES").is_some_and(|x| x == "write") {
            write(&path, &picture);
        }
        let error = difference(&picture, &read(&path));
        assert!(error < 2.0, "{name}: {error}");
    }
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let (m, device) = (model("cartpole"), device());
    let fails = |options: &Options| {
        let made = Renderer::on(&device, &m, 1, options);
        made.err().map(|e| e.to_string()).unwrap_or_default()
    };
    let mut options = options();
    options.sight = Sight::Named("nobody".to_owned());
    let said = fails(&options);
    assert!(said.contains("no camera nobody"), "{said}");
    options.sight = Sight::default();
    options.size = [1 << 20, 16];
    let said = fails(&options);
    assert!(said.contains("1048576x16 pixels"), "{said}");
    options.size = [0, 16];
    let said = fails(&options);
    assert!(said.contains("0x16 pixels"), "{said}");
}

#[test]
fn tendons_are_drawn() {
    let m = model("spatial_tendons");
    let mut thin = m.clone();
    thin.edit(|m| m.tendon_width.fill(0.0)).unwrap();
    let device = device();
    for backend in BACKENDS {
        let draw = |m: &Model| {
            let mut batch = batch(m, 2, backend);
            let mut renderer = Renderer::on(&device, m, 2, &options()).unwrap();
            renderer.draw(&mut batch).unwrap().rgba
        };
        let (with, without) = (draw(&m), draw(&thin));
        let pixels = with.chunks(4).zip(without.chunks(4));
        let other = pixels.filter(|(a, b)| a != b).count();
        assert!(other > 100, "{backend:?}: {other} pixels show tendons");
    }
}

// number of pixels that differ between two pictures of the same worlds
fn other(a: &Picture, b: &Picture) -> usize {
    let pixels = a.rgba.chunks(4).zip(b.rgba.chunks(4));
    pixels.filter(|(a, b)| a != b).count()
}

#[test]
fn overlays_are_drawn_over_the_worlds() {
    let (m, device) = (model("quadruped"), device());
    for backend in BACKENDS {
        let mut batch = batch(&m, 2, backend);
        batch.reset(manyworlds::To::Key(0)).unwrap();
        batch.step(40).unwrap();
        let mut draw = |overlays: Vec<Overlay>| {
            let options = options().overlays(overlays);
            let mut renderer = Renderer::on(&device, &m, 2, &options).unwrap();
            renderer.draw(&mut batch).unwrap()
        };
        let plain = draw(Vec::new());
        for overlay in Overlay::ALL {
            let pixels = other(&plain, &draw(vec![overlay]));
            // few pixels suffice, since a centre of mass is mostly hidden by the body around it
            assert!(pixels > 8, "{backend:?}: {pixels} pixels show {overlay:?}");
            assert_eq!(overlay.word().parse(), Ok(overlay));
        }
    }
    let said = "bones".parse::<Overlay>().unwrap_err();
    assert!(said.contains("contacts, joints, com, frames"), "{said}");
}

#[test]
fn soft_bodies_are_drawn() {
    const TEXT: &str = r#"<mujoco><worldbody><light pos="0 0 3"/><flexcomp name="f" type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1" mass="1" radius=".01" GROUP>
        <elasticity young="1e3" thickness=".01" elastic2d="stretch"/><contact contype="0" conaffinity="0" selfcollide="none"/></flexcomp></worldbody></mujoco>"#;
    let device = device();
    for backend in BACKENDS {
        let draw = |group: &str| {
            let m = Model::from_xml_str(&TEXT.replace("GROUP", group)).unwrap();
            let settings = Settings::default().backend(backend);
            let mut batch = Batch::with(&m, 2, settings).unwrap();
            batch.step(2).unwrap();
            let mut renderer = Renderer::on(&device, &m, 2, &options()).unwrap();
            renderer.draw(&mut batch).unwrap()
        };
        let pixels = other(&draw(""), &draw(r#"group="4""#));
        assert!(pixels > 200, "{backend:?}: {pixels} pixels show the cloth");
    }
}

#[test]
fn a_hand_takes_what_is_seen() {
    let m = model("humanoid");
    let (nworld, options) = (4, options());
    let [width, height] = options.size.map(|x| x as usize);
    let mut renderer = Renderer::on(&device(), &m, nworld, &options).unwrap();
    let scene = Scene::new(&m, nworld, &options).unwrap();
    for backend in [Backend::Cpu, Backend::Simd] {
        let mut batch = batch(&m, nworld, backend);
        let shown = renderer.identify(&mut batch).unwrap();
        let (mut same, mut all) = (0, 0);
        for (row, column) in
            (0..height / 5).flat_map(|i| (0..width / 5).map(move |j| (5 * i, 5 * j)))
        {
            let Some(seen) = shown[row * width + column] else {
                continue;
            };
            let x = (2.0 * column as f32 + 1.0) / width as f32 - 1.0;
            let y = 1.0 - (2.0 * row as f32 + 1.0) / height as f32;
            let aspect = width as f32 / height as f32;
            let grip = scene.grip(&mut batch, [x, y], aspect).unwrap();
            let taken = grip.map(|grip| [grip.world as u32, grip.geom as u32]);
            all += 1;
            same += usize::from(taken == Some(seen));
        }
        // round shapes are drawn as polyhedra
        assert!(
            all > 30 && same * 20 >= all * 19,
            "{backend:?}: {same} of {all}"
        );
        let sky = scene.grip(&mut batch, [0.99, 0.99], 1.8).unwrap();
        assert_eq!(sky, None, "{backend:?}");
    }
}

#[test]
fn a_pull_moves_a_body_there_and_no_other_world() {
    let m = model("quadruped");
    for backend in BACKENDS {
        let mut scene = Scene::new(&m, 3, &options()).unwrap();
        let mut pulled = batch(&m, 3, backend);
        let mut alone = batch(&m, 3, backend);
        let sight = scene.standing(&mut pulled, 90.0, -10.0).unwrap();
        scene.look_from(sight).unwrap();
        // the first point of the picture with a body that can be gripped
        let points = (-9..10).flat_map(|i| (-9..10).map(move |j| [0.1 * j as f32, 0.1 * i as f32]));
        let found = points
            .map(|at| (at, scene.grip(&mut pulled, at, 1.8).unwrap()))
            .find_map(|(at, grip)| Some((at, grip?)));
        let ([x, y], grip) = found.unwrap_or_else(|| panic!("{backend:?}: nothing is taken"));
        let height = |batch: &mut Batch| {
            let xpos = batch.reals("xpos").unwrap();
            xpos[3 * (grip.world * m.nbody + grip.body) + 2]
        };
        let before = height(&mut pulled);
        for _ in 0..20 {
            scene.pull(&mut pulled, &grip, [x, y + 2.0], 1.8).unwrap();
            pulled.step(5).unwrap();
            alone.step(5).unwrap();
        }
        let (with, without) = (height(&mut pulled), height(&mut alone));
        assert!(
            with > without + 0.02,
            "{backend:?}: {before} {with} {without}"
        );
        scene.release(&mut pulled, &grip).unwrap();
        let force = pulled.reals("xfrc_applied").unwrap();
        assert!(force.iter().all(|&x| x == 0.0), "{backend:?}");
        let others = |batch: &mut Batch| {
            let rows = batch.reals("qpos").unwrap().chunks(m.nq).enumerate();
            let rows = rows.filter(|(w, _)| *w != grip.world);
            rows.flat_map(|(_, row)| row.to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(others(&mut pulled), others(&mut alone), "{backend:?}");
    }
}
