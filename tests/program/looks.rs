//! Appearance of models: textures, skies, soft bodies and lights in pictures, drawn on a software adapter and compared with their definitions.
//! Expected texture coordinates were measured in MuJoCo's renderer, at points of every shape.

use crate::common::backends::BACKENDS;
use manyworlds::batch::{Backend, Settings};
use manyworlds::gpu::device::{Choice, Device, Request};
use manyworlds::mjcf::{Files, Spec};
use manyworlds::picture::{Options, Picture, Renderer, Sight};
use manyworlds::{Batch, Model};

const SIDE: u32 = 200;

fn device() -> Device {
    let request = Request {
        choice: Choice::Software,
        portable: false,
    };
    Device::open(&request).unwrap_or_else(|e| panic!("{e}"))
}

fn draw_on(m: &Model, nworld: usize, sight: Sight, backend: Backend) -> Picture {
    let settings = Settings::default().backend(backend);
    let mut batch = Batch::with(m, nworld, settings).unwrap();
    batch.forward().unwrap();
    let options = Options::default().size([SIDE; 2]).sight(sight);
    let mut renderer = Renderer::on(&device(), m, nworld, &options).unwrap();
    renderer.draw(&mut batch).unwrap()
}

fn draw(text: &str, sight: Sight) -> Picture {
    let m = Model::from_xml_str(text).unwrap_or_else(|e| panic!("{e}"));
    draw_on(&m, 1, sight, Backend::Cpu)
}

// a camera around the origin; at an azimuth of 90 degrees x points to the right
fn from(azimuth: f64, elevation: f64, distance: f64) -> Sight {
    Sight::Free {
        lookat: [0.0; 3],
        distance,
        azimuth,
        elevation,
    }
}

// a camera straight above; y points up in the picture
fn above() -> Sight {
    from(90.0, -89.9, DISTANCE)
}

const DISTANCE: f64 = 4.0;

// the pixel of a point right of and above the centre (m), at a distance from the camera (m)
fn at(picture: &Picture, [x, y]: [f64; 2], distance: f64) -> [u8; 3] {
    let pixels = 0.5 * f64::from(SIDE) / f64::tan(22.5f64.to_radians()) / distance;
    let column = (0.5 * f64::from(SIDE) + pixels * x) as usize;
    let row = (0.5 * f64::from(SIDE) - pixels * y) as usize;
    let k = 4 * (row * SIDE as usize + column);
    [0, 1, 2].map(|i| picture.rgba[k + i])
}

// the largest of red (0), green (1) and blue (2)
fn strongest(rgb: [u8; 3]) -> usize {
    (0..3).max_by_key(|&i| rgb[i]).unwrap_or(0)
}

// number of pixels in the red (0) or blue (2) of a checker
fn many(picture: &Picture, color: usize) -> usize {
    let (pixels, _) = picture.rgba.as_chunks::<4>();
    let pixels = pixels.iter().map(|p| p.map(u16::from));
    let of_color = |p: &[u16; 4]| p[color] > 2 * p[1] && p[color] > p[2 - color] + 40;
    pixels.filter(of_color).count()
}

const CHECKER: &str = r#"<texture name="t" type="2d" builtin="checker" rgb1=".8 .1 .1" rgb2=".1 .1 .8" width="64" height="64"/>"#;

fn with(assets: &str, world: &str) -> String {
    format!("<mujoco><asset>{assets}</asset><worldbody>{world}</worldbody></mujoco>")
}

#[test]
fn a_checker_lies_on_a_plane_where_mujoco_has_it() {
    // (texrepeat and texuniform, size, and the texture coordinates along x and y: offset, change per metre)
    let cases = [
        (r#"texrepeat="2 2""#, "1 1 .1", [[1.0, 1.0], [1.0, -1.0]]),
        (r#"texrepeat="2 1""#, "1 1 .1", [[1.0, 1.0], [0.5, -0.5]]),
        (
            r#"texrepeat="3 2" texuniform="true""#,
            "1 .8 .1",
            [[1.5, 1.5], [0.8, -1.0]],
        ),
        (r#"texrepeat="2 2""#, "0 0 .1", [[-0.5, 1.0], [-0.5, -1.0]]),
    ];
    for (repeat, size, [u, v]) in cases {
        let assets = format!(r#"{CHECKER}<material name="m" texture="t" {repeat}/>"#);
        let world = format!(r#"<geom type="plane" size="{size}" material="m"/>"#);
        let picture = draw(&with(&assets, &world), above());
        let mut seen = [0, 0, 0];
        for (i, j) in (-9..10).flat_map(|i| (-7..8).map(move |j| (i, j))) {
            let (x, y) = (0.1 * f64::from(i), 0.1 * f64::from(j));
            let (u, v) = (u[0] + u[1] * x, v[0] + v[1] * y);
            // at an edge of a square colours are mixed
            let beside = |w: f64| ((2.0 * w).fract().abs() - 0.5).abs() > 0.4;
            if beside(u) || beside(v) {
                continue;
            }
            let half = |w: f64| (2.0 * w).floor() as i32;
            let want = if (half(u) + half(v)) % 2 == 0 { 0 } else { 2 };
            let got = strongest(at(&picture, [x, y], DISTANCE));
            assert_eq!(got, want, "{repeat}, {size}: at {x:.1} {y:.1}");
            seen[got] += 1;
        }
        // both colours have equal shares
        let share = f64::from(seen[0]) / f64::from(seen[0] + seen[2]);
        assert!((0.4..0.6).contains(&share), "{repeat}: {seen:?}");
    }
}

#[test]
fn a_textures_colour_is_multiplied_by_the_materials_unless_a_geom_has_its_own() {
    let assets = r#"<texture name="t" type="2d" builtin="flat" rgb1="1 .6 0" width="2" height="2"/>
        <material name="m" texture="t" rgba="0 1 0 1"/>"#;
    let plane = |rgba: &str| {
        let world = format!(r#"<geom type="plane" size="1 1 .1" material="m" {rgba}/>"#);
        at(&draw(&with(assets, &world), above()), [0.1, 0.2], DISTANCE)
    };
    let [r, g, b] = plane("");
    // the floor fades a little into the sky
    assert!(r < 70 && g > 120 && b < 70, "{r} {g} {b}");
    let [r, g, b] = plane(r#"rgba="1 0 0 1""#);
    assert!(r > 120 && g < 70 && b < 70, "{r} {g} {b}");
}

// the six sides of a cube texture (right, left, up, down, front, back), each with a darker upper half
fn sides() -> Vec<u8> {
    const COLORS: [[u8; 3]; 6] = [
        [200, 0, 0],
        [0, 200, 0],
        [0, 0, 200],
        [200, 200, 0],
        [0, 200, 200],
        [200, 0, 200],
    ];
    let row = |share: u8| {
        COLORS
            .iter()
            .flat_map(move |c| c.map(|x| x / 4 * share).repeat(2))
    };
    let pixels: Vec<u8> = row(3).chain(row(4)).collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 12, 2);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&pixels).unwrap();
    drop(writer);
    file
}

fn with_sides(world: &str) -> Model {
    let text = with(
        r#"<texture name="t" type="cube" file="sides.png" gridsize="1 6" gridlayout="RLUDFB"/><material name="m" texture="t"/>"#,
        world,
    );
    let files = Files::memory([("m.xml", text.into_bytes()), ("sides.png", sides())]);
    let spec = Spec::from_vfs(files, "m.xml").unwrap_or_else(|e| panic!("{e}"));
    manyworlds::compile::compile(&spec).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn the_sides_of_a_cube_lie_where_their_directions_are() {
    // expected red, green, blue of each side, seen from x, -x, y, -y, z, -z
    let views = [
        (180.0, 0.0, [1, 0, 0]),
        (0.0, 0.0, [0, 1, 0]),
        (270.0, 0.0, [0, 0, 1]),
        (90.0, 0.0, [1, 1, 0]),
        (90.0, -89.0, [0, 1, 1]),
        (90.0, 89.0, [1, 0, 1]),
    ];
    let shapes = [
        r#"type="box" size=".5 .4 .3""#,
        r#"type="sphere" size=".4""#,
        r#"type="ellipsoid" size=".5 .4 .3""#,
        r#"type="capsule" size=".3 .3""#,
        r#"type="cylinder" size=".4 .4""#,
    ];
    for shape in shapes {
        let m = with_sides(&format!(r#"<geom {shape} material="m"/>"#));
        for (azimuth, elevation, want) in views {
            let picture = draw_on(&m, 1, from(azimuth, elevation, 3.0), Backend::Cpu);
            let got = at(&picture, [0.02, 0.02], 3.0);
            let got = got.map(|x| u8::from(x > 70));
            assert_eq!(got, want, "{shape} from {azimuth} {elevation}");
        }
    }
    // on the right side of a box the upper half of the texture is towards y
    let m = with_sides(r#"<geom type="box" size=".5 .5 .5" material="m"/>"#);
    let picture = draw_on(&m, 1, from(180.0, 0.0, 4.0), Backend::Cpu);
    let [upper, lower] = [0.3, -0.3].map(|y| at(&picture, [y, 0.1], 3.5)[0]);
    assert!(lower > upper + 10, "{upper} {lower}");
}

#[test]
fn two_colours_of_a_checker_are_on_every_side_of_a_box_and_around_round_shapes() {
    let assets = format!(r#"{CHECKER}<material name="m" texture="t"/>"#);
    for shape in [
        r#"type="box" size=".5 .5 .5""#,
        r#"type="sphere" size=".5""#,
        r#"type="capsule" size=".3 .4""#,
        r#"type="cylinder" size=".5 .5""#,
        r#"type="mesh" mesh="wedge""#,
    ] {
        let mesh = r#"<mesh name="wedge" vertex="-.5 -.5 0 .5 -.5 0 0 .5 0 0 0 .6"/>"#;
        let text = with(
            &format!("{assets}{mesh}"),
            &format!("<geom {shape} material=\"m\"/>"),
        );
        for (azimuth, elevation) in [(35.0, -30.0), (215.0, -30.0), (120.0, 30.0)] {
            let picture = draw(&text, from(azimuth, elevation, 3.0));
            let (red, blue) = (many(&picture, 0), many(&picture, 2));
            assert!(
                red > 150 && blue > 150,
                "{shape} from {azimuth}: {red} {blue}"
            );
        }
    }
}

#[test]
fn a_mesh_has_its_texture_where_it_says() {
    // a square whose texture coordinates cover the left half: one column of a checker of two
    let assets = |uv: &str| {
        format!(
            r#"{CHECKER}<material name="m" texture="t"/><mesh name="s" inertia="shell" vertex="-1 -1 0 1 -1 0 1 1 0 -1 1 0 0 0 -1"
            texcoord="{uv}" face="0 1 2 0 2 3 0 4 1 1 4 2 2 4 3 3 4 0"/>"#
        )
    };
    let world = r#"<body euler="90 0 0"><geom type="mesh" mesh="s" material="m"/></body>"#;
    // coordinates begin at the lower left corner; the mesh is rotated to its principal axes, so the whole picture is compared
    let whole = draw(
        &with(&assets("0 1 1 1 1 0 0 0 .5 .5"), world),
        from(90.0, -20.0, 4.0),
    );
    let quarter = draw(
        &with(&assets("0 .4 .4 .4 .4 0 0 0 .2 .2"), world),
        from(90.0, -20.0, 4.0),
    );
    let (whole, quarter) = (many(&whole, 2), many(&quarter, 2));
    assert!(whole > 300 && quarter == 0, "{whole} {quarter}");
}

#[test]
fn a_sky_is_light_above_and_dark_below() {
    let text = with(
        r#"<texture type="skybox" builtin="gradient" rgb1=".9 .5 .1" rgb2="0 0 .2" width="64" height="64"/>"#,
        r#"<geom size=".01"/>"#,
    );
    let picture = draw(&text, from(90.0, 0.0, 5.0));
    let rows = picture.rgba.chunks(4 * SIDE as usize);
    let mean = |row: &[u8]| row.chunks(4).map(|p| f64::from(p[0])).sum::<f64>() / f64::from(SIDE);
    let red: Vec<f64> = rows.map(mean).collect();
    let last = red.len() - 1;
    assert!(
        red[0] > red[last / 4]
            && red[last / 4] > red[3 * last / 4]
            && red[3 * last / 4] > red[last],
        "{red:?}"
    );
    // MuJoCo's sky at 22.5 degrees above and below the horizon mixes 0.9 and 0 with weights of 0.67 and 0.33
    assert!((red[0] / 255.0 - 0.9 * 0.67).abs() < 0.03, "{}", red[0]);
    assert!(
        (red[last] / 255.0 - 0.9 * 0.33).abs() < 0.03,
        "{}",
        red[last]
    );
    // straight up the sky has the first colour
    let up = at(&draw(&text, from(90.0, 89.0, 5.0)), [0.5, 0.5], 5.0);
    assert!(up[0] > 215, "{up:?}");
}

const CLOTH: &str = r#"<mujoco><asset>ASSETS</asset><worldbody>
    <flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing="1 1 .1" mass="1" radius=".01" LOOK>
    <contact contype="0" conaffinity="0" selfcollide="none"/></flexcomp></worldbody></mujoco>"#;

#[test]
fn a_cloth_covers_what_lies_below_it() {
    let text = CLOTH
        .replace("ASSETS", "")
        .replace("LOOK", r#"rgba=".9 .1 .1 1""#);
    let m = Model::from_xml_str(&text).unwrap_or_else(|e| panic!("{e}"));
    for backend in BACKENDS {
        let picture = draw_on(&m, 1, above(), backend);
        for (i, j) in (-9..10).flat_map(|i| (-9..10).map(move |j| (i, j))) {
            let place = [0.1 * f64::from(i), 0.1 * f64::from(j)];
            let [r, g, b] = at(&picture, place, DISTANCE);
            let shown = r > 60 && g < r / 2 && b < r / 2;
            assert!(shown, "{backend:?} at {place:?}: {r} {g} {b}");
        }
        assert!(
            strongest(at(&picture, [1.2, 0.0], DISTANCE)) != 0,
            "{backend:?}"
        );
    }
}

#[test]
fn a_cloth_has_its_materials_texture() {
    let assets = format!(r#"{CHECKER}<material name="m" texture="t"/>"#);
    let text = CLOTH
        .replace("ASSETS", &assets)
        .replace("LOOK", r#"material="m""#);
    let picture = draw(&text, above());
    let corner = |x, y| strongest(at(&picture, [x, y], DISTANCE));
    let all = [
        corner(-0.5, -0.5),
        corner(0.5, -0.5),
        corner(0.5, 0.5),
        corner(-0.5, 0.5),
    ];
    assert!(all == [0, 2, 0, 2] || all == [2, 0, 2, 0], "{all:?}");
}

#[test]
fn the_surface_of_a_solid_is_closed() {
    const TEXT: &str = r#"<mujoco><worldbody>
        <flexcomp name="f" type="grid" dim="3" count="3 3 3" spacing=".4 .4 .4" mass="1" radius=".01" rgba=".1 .8 .1 1">
        <contact contype="0" conaffinity="0" selfcollide="none"/></flexcomp></worldbody></mujoco>"#;
    let m = Model::from_xml_str(TEXT).unwrap_or_else(|e| panic!("{e}"));
    for (azimuth, elevation) in [(0.0, 0.0), (90.0, 0.0), (90.0, -89.0), (90.0, 89.0)] {
        let picture = draw_on(&m, 1, from(azimuth, elevation, 3.0), Backend::Cpu);
        for (i, j) in (-3..4).flat_map(|i| (-3..4).map(move |j| (i, j))) {
            let place = [0.1 * f64::from(i), 0.1 * f64::from(j)];
            assert_eq!(
                strongest(at(&picture, place, 3.0)),
                1,
                "{azimuth} {elevation} {place:?}"
            );
        }
    }
}

const WALL: &str = r#"<geom type="box" size="1 1 .1" pos="0 0 -.1" rgba="1 1 1 1"/>"#;
const NO_HEADLIGHT: &str = r#"<visual><headlight active="false"/></visual>"#;

fn lit(lights: &str, more: &str) -> Picture {
    let text = format!("<mujoco>{more}<worldbody>{WALL}{lights}</worldbody></mujoco>");
    draw(&text, above())
}

#[test]
fn lights_have_their_colours_and_directions() {
    // light straight down gives the whole diffuse colour; oblique light gives it times the cosine
    let light = |dir: &str| {
        format!(
            r#"<light type="directional" dir="{dir}" diffuse=".8 .4 0" specular="0 0 0" castshadow="false"/>"#
        )
    };
    let straight = at(&lit(&light("0 0 -1"), NO_HEADLIGHT), [0.2, 0.3], DISTANCE);
    assert!(
        straight[0].abs_diff(204) < 4 && straight[1].abs_diff(102) < 4 && straight[2] < 3,
        "{straight:?}"
    );
    let aslant = at(
        &lit(&light("0 -1.7320508 -1"), NO_HEADLIGHT),
        [0.2, 0.3],
        DISTANCE,
    );
    assert!(aslant[0].abs_diff(102) < 4, "{aslant:?}");
    let away = at(&lit(&light("0 0 1"), NO_HEADLIGHT), [0.2, 0.3], DISTANCE);
    assert!(away[0] < 3, "{away:?}");
    let ambient = r#"<light type="directional" dir="0 0 1" ambient="0 0 .5"/>"#;
    let ambient = at(&lit(ambient, NO_HEADLIGHT), [0.2, 0.3], DISTANCE);
    assert!(
        ambient[2].abs_diff(128) < 4 && ambient[0] < 3,
        "{ambient:?}"
    );
    // inactive lights count as no lights
    let off = light("0 0 -1").replace("<light", r#"<light active="false""#);
    assert!(lit(&off, NO_HEADLIGHT) == lit("", ""));
}

#[test]
fn a_spot_lights_a_circle() {
    let spot = r#"<light type="spot" pos=".3 0 1" dir="0 0 -1" cutoff="20" exponent="0" diffuse="1 1 1" specular="0 0 0" castshadow="false"/>"#;
    let picture = lit(spot, NO_HEADLIGHT);
    // the radius of the spot is 0.36 m
    for (x, light) in [
        (0.3, true),
        (0.6, true),
        (0.0, true),
        (0.75, false),
        (-0.15, false),
    ] {
        let [r, ..] = at(&picture, [x, 0.0], DISTANCE);
        assert_eq!(r > 200, light, "at {x}: {r}");
        assert_eq!(r < 3, !light, "at {x}: {r}");
    }
}

#[test]
fn the_headlight_is_what_the_model_says() {
    let head = |said: &str| lit("", &format!("<visual><headlight {said}/></visual>"));
    let dark = at(
        &head(r#"ambient=".3 .5 .7" diffuse="0 0 0" specular="0 0 0""#),
        [0.2, 0.3],
        DISTANCE,
    );
    assert!(
        dark[0].abs_diff(77) < 4 && dark[1].abs_diff(128) < 4 && dark[2].abs_diff(179) < 4,
        "{dark:?}"
    );
    // the diffuse light, the headlight's diffuse and its ambient light: 0.7 + 0.1 + 0.1
    let both = r#"<light type="directional" dir="0 0 -1" specular="0 0 0" castshadow="false"/>"#;
    let both = at(
        &lit(
            both,
            r#"<visual><headlight diffuse=".1 .1 .1" specular="0 0 0"/></visual>"#,
        ),
        [0.2, 0.3],
        DISTANCE,
    );
    assert!(both[0].abs_diff(230) < 4, "{both:?}");
}

#[test]
fn the_first_light_that_casts_shadows_does() {
    let ball = r#"<geom size=".2" pos="0 0 .5" rgba="1 1 1 1"/>"#;
    // with oblique light the shadow of the ball is displaced by half a metre
    let shadow = |cast: &str| {
        let light = format!(
            r#"<light type="directional" dir="1 0 -1" diffuse="1 1 1" castshadow="{cast}"/>"#
        );
        let picture = lit(&format!("{ball}{light}"), NO_HEADLIGHT);
        at(&picture, [0.5, 0.0], DISTANCE)[0]
    };
    let (with, without) = (shadow("true"), shadow("false"));
    assert!(with < 10 && without > 150, "{with} {without}");
}

#[test]
fn many_worlds_are_lit_alike() {
    let text = r#"<mujoco><statistic extent="2"/><worldbody><light pos="0 0 3" castshadow="false"/>
        <body><freejoint/><geom type="box" size=".4 .4 .1" rgba="1 1 1 1"/></body></worldbody></mujoco>"#;
    let m = Model::from_xml_str(text).unwrap_or_else(|e| panic!("{e}"));
    let picture = draw_on(&m, 4, from(90.0, -89.9, 8.0), Backend::Simd);
    let light: Vec<_> = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]
        .map(|place| at(&picture, place, 8.0)[0])
        .into();
    assert!(
        light.iter().all(|&x| x > 150 && x.abs_diff(light[0]) < 25),
        "{light:?}"
    );
}
