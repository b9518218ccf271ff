use super::*;
use crate::Model;
use crate::mjcf::{Files, Spec};

fn made(m: &Model) -> Result<Vec<Texture>> {
    m.appearance().map_or(Ok(Vec::new()), textures)
}

fn with_material(said: &str) -> String {
    format!(
        r#"<mujoco><asset><texture name="t" {said}/><material name="m" texture="t"/></asset></mujoco>"#
    )
}

#[test]
fn builtin_textures_are_mujocos() -> Result<()> {
    let golden = include_str!("../../tests/golden/textures.txt");
    for line in golden.lines() {
        let (said, want) = line.rsplit_once(" = ").unwrap_or_default();
        let m = Model::from_xml_str(&with_material(said))?;
        let got = &made(&m)?[0];
        let (pixels, _) = got.rgba.as_chunks::<4>();
        let hex = pixels.iter().flat_map(|p| &p[..3]);
        let hex: String = hex.map(|byte| format!("{byte:02x}")).collect();
        let [w, h] = got.size.map(|n| n as usize);
        assert_eq!(
            format!("{w} {} {hex}", h * got.sides()),
            want,
            "{said}: {} sides",
            got.sides()
        );
    }
    assert_eq!(golden.lines().count(), 27);
    Ok(())
}

#[test]
fn random_dots_are_as_many_as_were_asked_for() -> Result<()> {
    let said = r#"type="2d" builtin="flat" rgb1="0 0 0" mark="random" markrgb="1 1 1" random=".2" width="100" height="80""#;
    let got = made(&Model::from_xml_str(&with_material(said))?)?;
    let (pixels, _) = got[0].rgba.as_chunks::<4>();
    let dots = pixels.iter().filter(|pixel| pixel[0] == 255).count();
    assert!((1400..1800).contains(&dots), "{dots} of 8000");
    Ok(())
}

fn png(size: [u32; 2], rgb: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size[0], size[1]);
    encoder.set_color(png::ColorType::Rgb);
    let written = encoder
        .write_header()
        .map(|mut it| it.write_image_data(rgb));
    assert!(written.is_ok_and(|it| it.is_ok()));
    bytes
}

// three squares of one pixel: red, green, blue
fn from_file(said: &str, file: Vec<u8>) -> Result<Model> {
    let text = with_material(said).into_bytes();
    let files = Files::memory([("m.xml", text), ("t.png", file)]);
    crate::compile::compile(&Spec::from_vfs(files, "m.xml")?)
}

#[test]
fn files_are_read_turned_and_cut_into_squares() -> Result<()> {
    let (red, green, blue) = ([255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]);
    let file = || png([3, 1], &[255, 0, 0, 0, 255, 0, 0, 0, 255]);
    let got = made(&from_file(r#"type="2d" file="t.png""#, file())?)?;
    assert_eq!(got[0].rgba, [red, green, blue].concat());
    let got = made(&from_file(
        r#"type="2d" file="t.png" hflip="true""#,
        file(),
    )?)?;
    assert_eq!(got[0].rgba, [blue, green, red].concat());
    let said = r#"type="cube" file="t.png" gridsize="1 3" gridlayout="U.R" rgb1="0 0 0""#;
    let got = made(&from_file(said, file())?)?;
    let black = [0, 0, 0, 255];
    let sides = [blue, black, red, black, black, black];
    assert_eq!((got[0].sides(), &got[0].rgba), (6, &sides.concat()));
    let said = r#"type="cube" fileup="t.png" rgb1="0 0 0""#;
    let got = made(&from_file(said, png([1, 1], &[0, 255, 0]))?)?;
    let sides = [black, black, green, black, black, black];
    assert_eq!(got[0].rgba, sides.concat());
    Ok(())
}

#[test]
fn what_cannot_be_drawn_is_said() -> Result<()> {
    let fails = |said: &str, file: Vec<u8>| -> Result<String> {
        let failed = made(&from_file(said, file)?).err();
        Ok(failed.map(|e| e.to_string()).unwrap_or_default())
    };
    let said = fails(r#"type="2d" file="t.png""#, vec![1, 2, 3])?;
    assert!(said.contains(r#"texture "t" cannot be drawn"#), "{said}");
    assert!(said.contains("is no PNG file"), "{said}");
    let file = png([3, 1], &[0; 9]);
    let said = fails(r#"type="cube" file="t.png""#, file.clone())?;
    assert!(said.contains("no grid of 1 x 1 squares"), "{said}");
    let said = fails(r#"type="skybox" fileup="t.png""#, file)?;
    assert!(said.contains("squares of one size"), "{said}");
    // a texture that nothing uses is not read
    let text = r#"<mujoco><asset><texture name="t" type="2d" file="t.png"/></asset></mujoco>"#;
    let files = Files::memory([("m.xml", text.into()), ("t.png", vec![1])]);
    let m = crate::compile::compile(&Spec::from_vfs(files, "m.xml")?)?;
    assert_eq!(made(&m)?, [Texture::default()]);
    Ok(())
}
