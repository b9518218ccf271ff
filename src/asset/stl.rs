//! Binary STL.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::bytes::Bytes;
use super::{AssetError, MeshData};

/// Reads a binary STL file; corners at the very same place (bit for bit) become one vertex, in order of appearance.
///
/// As in MuJoCo: at most 200 000 triangles, the size must be exactly that of the announced triangles, the normals in the
/// file are not used, and ASCII files are refused with a hint.
pub fn read_stl(bytes: &[u8]) -> Result<MeshData, AssetError> {
    const LIMIT: usize = 200_000;
    if bytes.is_empty() {
        return Err(AssetError::new("STL file is empty"));
    }
    let mut at = Bytes::new(bytes);
    let count = at.skip(80).and_then(|()| at.i32());
    let Some(count) = count else {
        return Err(AssetError::new("invalid header in STL file"));
    };
    let nface = usize::try_from(count).unwrap_or(0);
    if !(1..=LIMIT).contains(&nface) {
        return Err(AssetError::new(format!(
            "number of faces should be between 1 and {LIMIT} in STL file, found {count}; perhaps this is an ASCII file?"
        )));
    }
    if at.left() != 50 * nface {
        return Err(AssetError::new(
            "STL file has wrong size; perhaps this is an ASCII file?",
        ));
    }

    // corners by their bits
    let mut data = MeshData::default();
    data.face.reserve(nface);
    let mut known: HashMap<[u32; 3], i32> = HashMap::with_capacity(nface);
    let short = || AssetError::new("STL file has wrong size");
    for _ in 0..nface {
        at.skip(12).ok_or_else(short)?;
        let mut f = [0; 3];
        for corner in &mut f {
            let v = at.vec3().ok_or_else(short)?;
            if v.iter().any(|x| x.abs() > 1_073_741_824.0) {
                return Err(AssetError::new("vertex in STL file exceeds maximum bounds"));
            }
            *corner = match known.entry(v.map(f32::to_bits)) {
                Entry::Occupied(e) => *e.get(),
                Entry::Vacant(e) => {
                    data.vert.push(v);
                    *e.insert(data.vert.len() as i32 - 1)
                }
            };
        }
        data.face.push(f);
        at.skip(2).ok_or_else(short)?;
    }
    Ok(data)
}
