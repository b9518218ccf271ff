//! Wavefront OBJ, with the rules of the reader in MuJoCo (tinyobjloader).

use super::earclip::cut;
use super::{AssetError, MeshData};

/// Reads an OBJ file: all vertices, and the faces of the first object or group that has any.
///
/// Quadrilaterals are cut along their shorter diagonal, larger polygons have their ears clipped; those of more than 100 corners
/// are left out, as MuJoCo does, and their vertices still count for the hull. Vertices are neither merged
/// nor dropped. Texture coordinates are turned upside down as MuJoCo does. Materials are not read. Where MuJoCo's reader takes
/// a word that is no number for 0, this one gives an error that names the line.
pub fn read_obj(bytes: &[u8]) -> Result<MeshData, AssetError> {
    read(bytes)?.finish(false)
}

/// The same for a flex: if the first object has lines and no faces, each piece of a line is a face that ends twice in its second vertex.
pub fn read_obj_lines(bytes: &[u8]) -> Result<MeshData, AssetError> {
    read(bytes)?.finish(true)
}

fn read(bytes: &[u8]) -> Result<Obj, AssetError> {
    let mut obj = Obj::default();
    for (i, line) in bytes.split(|&b| b == b'\n').enumerate() {
        // a carriage return ends a line too
        for text in line.split(|&b| b == b'\r') {
            let words = text.split(|b| matches!(b, b' ' | b'\t'));
            let mut words = words.filter(|w| !w.is_empty());
            let Some(first) = words.next() else { continue };
            obj.line(first, words)
                .map_err(|msg| AssetError::new(format!("OBJ file, line {}: {msg}", i + 1)))?;
        }
    }
    Ok(obj)
}

/// A corner: numbers of its vertex, texture coordinate and normal, −1 for none.
pub(crate) type Corner = [i32; 3];

#[derive(Default)]
struct Obj {
    data: MeshData,
    /// polygons of the shape being read: corners one after the other, numbers of corners
    corners: Vec<Corner>,
    sizes: Vec<usize>,
    /// triangles of the first shape, once it is complete
    shape: Option<Vec<[Corner; 3]>>,
    /// kind of elements other than faces of the shape being read, and its lines piece by piece
    wires: Wires,
    pieces: Vec<[Corner; 2]>,
    /// lines of the first shape, if it is of lines only
    wireframe: Option<Vec<[Corner; 2]>>,
}

#[derive(Default, PartialEq)]
enum Wires {
    #[default]
    None,
    Points,
    Lines,
}

impl Obj {
    fn line<'a>(
        &mut self,
        first: &[u8],
        mut words: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), String> {
        match first {
            b"v" => {
                let v = numbers(&mut words)?;
                self.data.vert.push(v);
            }
            b"vn" => {
                let n = numbers(&mut words)?;
                self.data.normal.push(n);
            }
            b"vt" => {
                let u = words.next().map_or(Ok(0.0), number)?;
                let v = words.next().map_or(Ok(0.0), number)?;
                self.data.texcoord.push([u, 1.0 - v]);
            }
            b"f" => {
                let before = self.corners.len();
                for word in words {
                    let corner = self.corner(word).ok_or_else(|| bad("index", word))?;
                    self.corners.push(corner);
                }
                self.sizes.push(self.corners.len() - before);
            }
            b"l" => {
                self.wires = Wires::Lines;
                let corner = |word| self.corner(word).ok_or_else(|| bad("index", word));
                let line = words.map(corner).collect::<Result<Vec<_>, _>>()?;
                let ends = line.iter().zip(line.iter().skip(1));
                self.pieces.extend(ends.map(|(a, b)| [*a, *b]));
            }
            b"p" if self.wires == Wires::None => self.wires = Wires::Points,
            b"g" => self.end_shape(false),
            b"o" => self.end_shape(self.wires != Wires::None),
            _ => {}
        }
        Ok(())
    }

    /// `v`, `v/t`, `v//n` or `v/t/n`; negative numbers count from the end.
    fn corner(&self, word: &[u8]) -> Option<Corner> {
        let data = &self.data;
        let len = [data.vert.len(), data.texcoord.len(), data.normal.len()];
        let mut corner = [-1; 3];
        let mut slots = corner.iter_mut().zip(len).enumerate();
        for part in word.split(|&b| b == b'/') {
            let (k, (slot, len)) = slots.next()?;
            if k > 0 && part.is_empty() {
                continue;
            }
            let i: i64 = std::str::from_utf8(part).ok()?.parse().ok()?;
            *slot = match i {
                0 if k > 0 => -1,
                0 => return None,
                1.. => i32::try_from(i - 1).ok()?,
                _ => i32::try_from(i.checked_add(len as i64)?)
                    .ok()
                    .filter(|&i| i >= 0)?,
            };
        }
        Some(corner)
    }

    /// Cuts the polygons read so far into triangles; the first shape that has any becomes the mesh.
    fn end_shape(&mut self, keep_empty: bool) {
        if self.shape.is_none() {
            let mut triangles = Vec::new();
            let mut rest = &self.corners[..];
            for &n in &self.sizes {
                let (polygon, tail) = rest.split_at(n);
                cut(&self.data.vert, polygon, &mut triangles);
                rest = tail;
            }
            if keep_empty || !triangles.is_empty() {
                if triangles.is_empty() && self.wires == Wires::Lines {
                    self.wireframe = Some(std::mem::take(&mut self.pieces));
                }
                self.shape = Some(triangles);
            }
        }
        self.corners.clear();
        self.sizes.clear();
        self.pieces.clear();
        self.wires = Wires::None;
    }

    fn finish(mut self, takes_lines: bool) -> Result<MeshData, AssetError> {
        self.end_shape(true);
        if let Some(pieces) = &self.wireframe {
            if !takes_lines {
                return Err(AssetError::new(
                    "OBJ file: the first object has lines and no faces",
                ));
            }
            self.shape = Some(pieces.iter().map(|&[a, b]| [a, b, b]).collect());
        }
        let mut data = self.data;
        let shape = self.shape.unwrap_or_default();
        let pick =
            |f: fn(Corner) -> i32| -> Vec<[i32; 3]> { shape.iter().map(|t| t.map(f)).collect() };
        data.face = pick(|[v, _, _]| v);
        if !data.normal.is_empty() {
            data.facenormal = pick(|[_, _, n]| n);
        }

        // texture coordinates are for all corners or for none
        let texcoord = pick(|[_, t, _]| t);
        let known = |i: &i32| usize::try_from(*i).is_ok_and(|i| i < data.texcoord.len());
        if texcoord.as_flattened().iter().all(known) {
            data.facetexcoord = texcoord;
        } else {
            data.texcoord.clear();
        }
        Ok(data)
    }
}

fn numbers<'a>(words: &mut impl Iterator<Item = &'a [u8]>) -> Result<[f32; 3], String> {
    let mut v = [0.0; 3];
    for x in &mut v {
        *x = number(words.next().ok_or("3 numbers needed")?)?;
    }
    Ok(v)
}

fn number(word: &[u8]) -> Result<f32, String> {
    let text = std::str::from_utf8(word).ok();
    let x: Option<f64> = text.and_then(|t| t.parse().ok());
    let x = x.map(|x| x as f32).filter(|x| x.is_finite());
    x.ok_or_else(|| bad("number", word))
}

fn bad(what: &str, word: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(word).chars().take(40).collect();
    format!("bad {what} '{text}'")
}
