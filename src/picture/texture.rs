//! Textures of a model: built-in ones, as MuJoCo's compiler makes them, and those from PNG files.

use crate::compile::appearance::Appearance;
use crate::error::{Error, Result};
use crate::mjcf::Limits;
use crate::mjcf::schema::{self, Mark, Material, TexRole, TextureBuiltin, TextureType};
use manyworlds_view::Texture;
use std::io::Cursor;

/// Largest number of pixels of a texture.
const MOST: usize = 1 << 26;
/// The sides of a cube in stored order: right, left, up, down, front, back.
const SIDES: &str = "RLUDFB";

type Rgb = [u8; 3];
type Made<T> = std::result::Result<T, String>;

/// Textures in order of their ids; textures that no material or sky uses are empty.
pub fn textures(appearance: &Appearance) -> Result<Vec<Texture>> {
    let mut looked_at = vec![false; appearance.textures.len()];
    let of_materials = appearance.materials.iter();
    let of_materials = of_materials.filter_map(|said| of_material(appearance, said));
    of_materials
        .chain(sky(appearance))
        .for_each(|k| looked_at[k] = true);
    let all = appearance.textures.iter().zip(looked_at);
    all.map(|(said, looked_at)| match looked_at {
        true => texture(appearance, said).map_err(|why| {
            let name = said.name.as_deref().unwrap_or_default();
            Error::Input(format!("texture {name:?} cannot be drawn: {why}"))
        }),
        false => Ok(Texture::default()),
    })
    .collect()
}

/// The texture of a material's colour layer.
pub fn of_material(appearance: &Appearance, said: &Material) -> Option<usize> {
    let layer = |role| said.layers.iter().find(|layer| layer.role == Some(role));
    let name = &layer(TexRole::Rgb).or(layer(TexRole::Rgba))?.texture;
    let mut textures = appearance.textures.iter();
    textures.position(|texture| texture.name == *name)
}

/// The first texture of type skybox.
pub fn sky(appearance: &Appearance) -> Option<usize> {
    let mut textures = appearance.textures.iter();
    textures.position(|said| said.type_() == TextureType::Skybox)
}

fn texture(appearance: &Appearance, said: &schema::Texture) -> Made<Texture> {
    if said.builtin() != TextureBuiltin::None {
        return builtin(said);
    }
    let read = |file: &str| read(appearance, said, file);
    match (&said.file, said.type_()) {
        // a file that is not a PNG is not drawn
        (Some(file), _) if !is_png(said, file) => Ok(Texture::default()),
        (Some(file), TextureType::TwoD) => Ok(read(file)?.texture()),
        (Some(file), _) => composed(said, &read(file)?),
        (None, _) => separate(said, read),
    }
}

fn is_png(said: &schema::Texture, file: &str) -> bool {
    match &said.content_type {
        Some(kind) => kind == "image/png",
        None => file.to_ascii_lowercase().ends_with(".png"),
    }
}

/// Pixels, row by row from the top.
struct Image {
    size: [usize; 2],
    pixels: Vec<Rgb>,
}

impl Image {
    fn texture(self) -> Texture {
        Texture {
            size: self.size.map(|n| n as u32),
            rgba: bytes(self.pixels),
        }
    }

    // a square of the image, with its upper left corner at `[left, top]`
    fn square(&self, side: usize, [left, top]: [usize; 2]) -> Vec<Rgb> {
        let row = |y: usize| &self.pixels[(top + y) * self.size[0] + left..][..side];
        (0..side).flat_map(row).copied().collect()
    }
}

fn bytes(pixels: Vec<Rgb>) -> Vec<u8> {
    let all = pixels.into_iter();
    all.flat_map(|[r, g, b]| [r, g, b, 255]).collect()
}

// the pixels of six sides; missing sides have the first colour
fn cube(said: &schema::Texture, side: usize, sides: [Option<Vec<Rgb>>; 6]) -> Texture {
    let plain = || vec![rgb(said.rgb1()); side * side];
    let sides = sides.into_iter().map(|own| own.unwrap_or_else(plain));
    Texture {
        size: [side as u32; 2],
        rgba: bytes(sides.flatten().collect()),
    }
}

// a cube from one square for all sides, or from a grid of squares
fn composed(said: &schema::Texture, image: &Image) -> Made<Texture> {
    let [rows, columns] = said.gridsize().map(|n| usize::try_from(n).unwrap_or(0));
    let [width, height] = image.size;
    let fits = rows * columns > 0
        && width.is_multiple_of(columns)
        && height.is_multiple_of(rows)
        && width / columns == height / rows;
    if !fits {
        return Err(format!(
            "{width} x {height} pixels are no grid of {rows} x {columns} squares"
        ));
    }
    let side = width / columns;
    if rows * columns == 1 {
        return Ok(Texture {
            size: [side as u32; 2],
            rgba: bytes(image.pixels.clone()),
        });
    }
    let mut sides = [const { None }; 6];
    let layout = said.gridlayout.as_deref().unwrap_or_default();
    for (k, letter) in layout.chars().take(rows * columns).enumerate() {
        if let Some(own) = SIDES.find(letter) {
            let corner = [side * (k % columns), side * (k / columns)];
            sides[own] = Some(image.square(side, corner));
        }
    }
    Ok(cube(said, side, sides))
}

// a cube from one file for each side
fn separate(said: &schema::Texture, read: impl Fn(&str) -> Made<Image>) -> Made<Texture> {
    let files = said.sides().map(|(_, file)| file);
    if files.into_iter().flatten().any(|file| !is_png(said, file)) {
        return Ok(Texture::default());
    }
    let mut sides = [const { None }; 6];
    let mut side = None;
    for (own, file) in sides.iter_mut().zip(files) {
        let Some(file) = file else { continue };
        let image = read(file)?;
        let [width, height] = image.size;
        if width != height || side.is_some_and(|side| side != width) {
            return Err(format!(
                "{file:?} has {width} x {height} pixels: sides are squares of one size"
            ));
        }
        side = Some(width);
        *own = Some(image.pixels);
    }
    Ok(cube(said, side.unwrap_or(0), sides))
}

fn read(appearance: &Appearance, said: &schema::Texture, file: &str) -> Made<Image> {
    let most = Limits::default().file;
    let bytes = appearance.files.read(file, most)?;
    let mut image = decode(&bytes).map_err(|why| format!("{file:?} {why}"))?;
    let width = image.size[0];
    if said.hflip() {
        image.pixels.chunks_mut(width).for_each(<[Rgb]>::reverse);
    }
    if said.vflip() {
        let rows = image.pixels.chunks(width).rev();
        image.pixels = rows.flatten().copied().collect();
    }
    Ok(image)
}

fn decode(bytes: &[u8]) -> Made<Image> {
    let bad = |e: png::DecodingError| format!("is no PNG file that can be read: {e}");
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    // the size is checked before the pixels are decoded
    let header = decoder.read_header_info().map_err(bad)?;
    let size = [header.width as usize, header.height as usize];
    room(size)?;
    let mut reader = decoder.read_info().map_err(bad)?;
    let room = reader.output_buffer_size().ok_or("is too large")?;
    let mut data = vec![0; room];
    let info = reader.next_frame(&mut data).map_err(bad)?;
    let step = info.color_type.samples();
    let rows = data.chunks_exact(info.line_size.max(1)).take(size[1]);
    let pixels = rows.flat_map(|row| row.chunks_exact(step).take(size[0]));
    let pixels = pixels.map(|pixel| match *pixel {
        [r, g, b, ..] => [r, g, b],
        [gray, ..] => [gray; 3],
        [] => [0; 3],
    });
    Ok(Image {
        size,
        pixels: pixels.collect(),
    })
}

fn room([width, height]: [usize; 2]) -> Made<()> {
    match width.checked_mul(height) {
        Some(n) if n <= MOST => Ok(()),
        _ => Err(format!("has {width} x {height} pixels, more than {MOST}")),
    }
}

fn rgb(color: [f64; 3]) -> Rgb {
    color.map(|x| (255.0 * x) as u8)
}

// a blend of two colours, by a number from -1 to 1
fn between(first: [f64; 3], second: [f64; 3], at: f64) -> Rgb {
    let share = 0.5 + 0.5 * at / (1.0 + at * at).sqrt() * 2f64.sqrt();
    let share = share.clamp(0.0, 1.0);
    std::array::from_fn(|i| (255.0 * (share * first[i] + (1.0 - share) * second[i])) as u8)
}

// maps pixel `k` of `n` from -1 at the first to 1 at the last
fn centered(k: usize, n: usize) -> f64 {
    2.0 * k as f64 / (n as f64 - 1.0).max(1.0) - 1.0
}

/// A built-in texture, equal to MuJoCo's byte by byte, except for the positions of random dots.
fn builtin(said: &schema::Texture) -> Made<Texture> {
    let size = [said.width(), said.height()].map(|n| usize::try_from(n).unwrap_or(0));
    let flat = said.type_() == TextureType::TwoD;
    let [width, height] = if flat { size } else { [size[0]; 2] };
    room([width, if flat { height } else { 6 * height }])?;
    let sides = if flat { 1 } else { 6 };
    let mut pixels = Vec::with_capacity(sides * width * height);
    for side in 0..sides {
        let kind = if flat { Side::Flat } else { Side::of(side) };
        for at in 0..width * height {
            pixels.push(pixel(said, kind, [at % width, at / width], [width, height]));
        }
    }
    if said.mark() == Mark::Random {
        dots(&mut pixels, said.random(), rgb(said.markrgb()));
    }
    Ok(Texture {
        size: [width as u32, height as u32],
        rgba: bytes(pixels),
    })
}

/// The side of a pixel.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// A flat texture.
    Flat,
    /// A side of a cube: right and left, up, down, front and back.
    Beside,
    Up,
    Down,
    Ahead,
}

impl Side {
    fn of(side: usize) -> Self {
        match side {
            2 => Self::Up,
            3 => Self::Down,
            4 | 5 => Self::Ahead,
            _ => Self::Beside,
        }
    }
}

fn pixel(said: &schema::Texture, side: Side, [c, r]: [usize; 2], [w, h]: [usize; 2]) -> Rgb {
    let marked = match said.mark() {
        Mark::Edge => r == 0 || c == 0 || r == h - 1 || c == w - 1,
        Mark::Cross => r == h / 2 || c == w / 2,
        Mark::None | Mark::Random => false,
    };
    if marked {
        return rgb(said.markrgb());
    }
    let (first, second) = (said.rgb1(), said.rgb2());
    match said.builtin() {
        TextureBuiltin::Checker => {
            let even = (r < h / 2) == (c < w / 2);
            rgb(if even != (side == Side::Ahead) {
                first
            } else {
                second
            })
        }
        TextureBuiltin::Gradient => gradient(said, side, [centered(c, w), -centered(r, h)]),
        TextureBuiltin::Flat if side == Side::Down => rgb(second),
        TextureBuiltin::Flat | TextureBuiltin::None => rgb(first),
    }
}

// for a flat texture from its middle outwards, for a cube from the top down
fn gradient(said: &schema::Texture, side: Side, [x, y]: [f64; 2]) -> Rgb {
    let (first, second) = (said.rgb1(), said.rgb2());
    let far = (1.0 + x * x + y * y).sqrt();
    let right_angle = std::f64::consts::FRAC_PI_2;
    let up = 1.0 - (1.0 / far).acos() / right_angle;
    match side {
        Side::Flat => between(second, first, 2.0 * x.hypot(y) - 1.0),
        Side::Up => between(first, second, up),
        Side::Down => between(first, second, -up),
        Side::Beside | Side::Ahead => between(first, second, (y / far).asin() / right_angle),
    }
}

// dots at a fraction of the pixels, the same every time (a hash of the pixel's index)
fn dots(pixels: &mut [Rgb], share: f64, color: Rgb) {
    for (k, pixel) in pixels.iter_mut().enumerate() {
        let mut x = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let random = (x >> 11) as f64 / (1u64 << 53) as f64;
        if random < share {
            *pixel = color;
        }
    }
}

#[cfg(test)]
#[path = "texture_test.rs"]
mod tests;
