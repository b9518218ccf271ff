//! Textures of parts, packed into one buffer that the shader reads.

/// A flat texture, or the six sides of a cube.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texture {
    /// Width and height of a side (pixels).
    pub size: [u32; 2],
    /// Sides x height x width x 4 bytes, rows from the top: red, green, blue, gamma-encoded, and an unused byte. Six
    /// sides are those towards x, -x, y, -y, z and -z; with one side, all six are the same.
    pub rgba: Vec<u8>,
}

/// Largest number of mipmap levels of a side, the finest included.
const LEVELS: usize = 12;
/// Words in the head of a texture: width, height, sides, number of levels, then the first texel of each level.
const HEAD: usize = 4 + LEVELS;
/// Largest number of texels of all textures together; above it, the largest textures are drawn at half their size.
const TEXELS: usize = 1 << 24;

impl Texture {
    /// Number of sides: 1 or 6, or 0 where there are no pixels.
    pub fn sides(&self) -> usize {
        self.rgba.len() / (4 * self.area()).max(1)
    }

    fn area(&self) -> usize {
        self.size[0] as usize * self.size[1] as usize
    }

    // the texture at half its size: each pixel is the mean of four
    fn half(&self) -> Self {
        let [width, height] = self.size.map(|n| n as usize);
        let [w, h] = [width, height].map(|n| (n / 2).max(1));
        let mut rgba = Vec::with_capacity(self.sides() * w * h * 4);
        for side in self.rgba.chunks_exact(4 * width * height) {
            for at in 0..w * h {
                let (x, y) = (at % w, at / w);
                let (right, below) = ((2 * x + 1).min(width - 1), (2 * y + 1).min(height - 1));
                let four = [
                    (2 * x, 2 * y),
                    (right, 2 * y),
                    (2 * x, below),
                    (right, below),
                ];
                rgba.extend((0..4).map(|i| {
                    let sum = four.map(|(x, y)| u16::from(side[4 * (y * width + x) + i]));
                    ((sum.iter().sum::<u16>() + 2) / 4) as u8
                }));
            }
        }
        Self {
            size: [w as u32, h as u32],
            rgba,
        }
    }

    // mipmap levels of the texture, down to a single pixel
    fn levels(self) -> Vec<Self> {
        let any = self.sides() > 0;
        let mut levels = vec![self];
        while let Some(last) = levels.last()
            && any
            && last.size != [1, 1]
            && levels.len() < LEVELS
        {
            let next = last.half();
            levels.push(next);
        }
        levels
    }
}

/// The words of the buffer: heads of all textures, then their texels, level by level, side by side, row by row. Never empty.
pub fn pack(textures: &[Texture]) -> Vec<u32> {
    let mut textures = textures.to_vec();
    let largest = |textures: &[Texture]| {
        let all: usize = textures.iter().map(|it| it.rgba.len() / 4).sum();
        let side = textures.iter().flat_map(|it| it.size).max().unwrap_or(0);
        (all > TEXELS || side > 1 << (LEVELS - 1)).then_some(side)
    };
    while let Some(side) = largest(&textures) {
        let large = textures.iter_mut().filter(|it| it.size.contains(&side));
        large.for_each(|it| *it = it.half());
    }
    let mut words = vec![0; (HEAD * textures.len()).max(1)];
    for (k, texture) in textures.into_iter().enumerate() {
        let (size, sides) = (texture.size, texture.sides() as u32);
        let levels = texture.levels();
        words[HEAD * k..HEAD * k + 4].copy_from_slice(&[
            size[0],
            size[1],
            sides,
            levels.len() as u32,
        ]);
        for (l, level) in levels.iter().enumerate() {
            words[HEAD * k + 4 + l] = words.len() as u32;
            let (texels, _) = level.rgba.as_chunks::<4>();
            words.extend(texels.iter().map(|rgba| u32::from_le_bytes(*rgba)));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_means_and_lie_where_their_head_says() {
        let gray = |x: u8| [x, x, x, 255];
        let texture = Texture {
            size: [4, 2],
            rgba: [0, 4, 8, 8, 0, 4, 8, 8].map(gray).concat(),
        };
        assert_eq!(texture.sides(), 1);
        let words = pack(&[Texture::default(), texture]);
        let head = &words[HEAD..2 * HEAD];
        assert_eq!(head[..4], [4, 2, 1, 3]);
        let red = |level: usize, k: u32| words[(head[4 + level] + k) as usize] & 255;
        assert_eq!([red(0, 1), red(1, 0), red(1, 1), red(2, 0)], [4, 2, 8, 5]);
        assert_eq!(words.len(), 2 * HEAD + 8 + 2 + 1);
    }

    #[test]
    fn what_is_too_large_is_halved() {
        let side = 1 << 13;
        let large = Texture {
            size: [side, 2],
            rgba: vec![7; 8 * side as usize],
        };
        let words = pack(&[large]);
        assert_eq!(words[..4], [2048, 1, 1, 12]);
        assert_eq!(pack(&[]), [0]);
    }
}
