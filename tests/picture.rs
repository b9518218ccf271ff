//! Pictures of worlds, drawn on a software adapter: every world that is shown has pixels, backends make the same picture, and the
//! pictures are those that were kept (by tolerance: drivers differ by a few shades).

mod common;

use manyworlds::batch::{Backend, Settings};
use manyworlds::gpu::device::{Choice, Device, Request};
use manyworlds::picture::{Options, Picture, Renderer, Sight};
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
    Options {
        size: [320, 180],
        ..Options::default()
    }
}

fn model(name: &str) -> Model {
    Model::from_xml_path(format!("models/{name}.xml")).unwrap_or_else(|e| panic!("{e}"))
}

// worlds that have moved apart
fn batch(m: &Model, nworld: usize, backend: Backend) -> Batch {
    let settings = Settings {
        backend,
        ..Settings::default()
    };
    let mut batch = Batch::with(m, nworld, settings).unwrap();
    let nv = m.nv;
    let qvel: Vec<f64> = (0..nworld * nv)
        .map(|k| 0.5 * f64::sin(0.7 * (k / nv) as f64 + k as f64))
        .collect();
    batch.set("qvel", &qvel).unwrap();
    batch.step(20).unwrap();
    batch
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

// seen from above, x is to the right and y up
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
    // the middle of the pixels of each
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

// PICTURES=write makes them anew
#[test]
fn pictures_are_those_that_were_kept() {
    let device = device();
    let mut contacts = options();
    contacts.contacts = true;
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
        // a picture of one colour is none
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
