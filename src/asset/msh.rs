//! MuJoCo's own binary mesh format, MSH.

use super::bytes::Bytes;
use super::{AssetError, MeshData};

/// Reads an MSH file: four counts (vertices, normals, texture coordinates, faces), then the numbers.
///
/// Normals and texture coordinates are none or one a vertex. Files of GMSH, which share the extension, are refused.
pub fn read_msh(bytes: &[u8]) -> Result<MeshData, AssetError> {
    if bytes.is_empty() {
        return Err(AssetError::new("MSH file is empty"));
    }
    if bytes.starts_with(b"$MeshFormat") {
        return Err(AssetError::new(
            "GMSH files are not supported: convert the surface to OBJ or STL",
        ));
    }
    let mut at = Bytes::new(bytes);
    let counts = at.list(4, Bytes::i32).unwrap_or_default();
    let &[nvert, nnormal, ntexcoord, nface] = &counts[..] else {
        return Err(AssetError::new("missing header in MSH file"));
    };
    let [nvert, nnormal, ntexcoord, nface] =
        [nvert, nnormal, ntexcoord, nface].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let fits = |n: usize| n == 0 || n == nvert;
    if nvert < 4 || counts.iter().any(|&n| n < 0) || !fits(nnormal) || !fits(ntexcoord) {
        return Err(AssetError::new("invalid sizes in MSH file"));
    }

    // counts are below 2^31 and sums below 2^40
    let need = 12 * (nvert as u64 + nnormal as u64 + nface as u64) + 8 * ntexcoord as u64;
    if at.left() as u64 != need {
        return Err(AssetError::new(format!(
            "unexpected file size in MSH file: {} bytes announced, {} found",
            16 + need,
            bytes.len()
        )));
    }
    let read = |at: &mut Bytes| {
        Some(MeshData {
            vert: at.list(nvert, Bytes::vec3)?,
            normal: at.list(nnormal, Bytes::vec3)?,
            texcoord: at.list(ntexcoord, |b| Some([b.f32()?, b.f32()?]))?,
            face: at.list(nface, |b| Some([b.i32()?, b.i32()?, b.i32()?]))?,
            ..MeshData::default()
        })
    };
    read(&mut at).ok_or_else(|| AssetError::new("unexpected file size in MSH file"))
}
