//! Height fields.

use std::io::Cursor;

use super::AssetError;
use super::bytes::Bytes;

/// Elevations over a grid, normalised to 0…1.
#[derive(Debug, Clone, PartialEq)]
pub struct HField {
    /// Number of rows, along y (`hfield_nrow`).
    pub nrow: usize,
    /// Number of columns, along x (`hfield_ncol`).
    pub ncol: usize,
    /// Row after row, from the smallest y up (`hfield_data`).
    pub data: Vec<f32>,
}

/// Largest number of points: a quarter of a gigabyte of elevations.
const LIMIT: usize = 1 << 26;

/// Reads a height field from a PNG image: white is high, the first row of the image is the farthest (largest y).
///
/// Colours count by their red channel and 16-bit images by their upper byte, as in MuJoCo.
pub fn read_hfield_png(bytes: &[u8]) -> Result<HField, AssetError> {
    let bad = |e: png::DecodingError| AssetError::new(format!("PNG file cannot be decoded: {e}"));
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());

    // the sizes are known before anything is decoded
    let header = decoder.read_header_info().map_err(bad)?;
    let (ncol, nrow) = (header.width as usize, header.height as usize);
    check_size(nrow, ncol)?;
    let mut reader = decoder.read_info().map_err(bad)?;
    let size = reader
        .output_buffer_size()
        .filter(|&n| n <= 4 * LIMIT)
        .ok_or_else(|| AssetError::new("PNG file is too large"))?;
    let mut image = vec![0; size];
    let info = reader.next_frame(&mut image).map_err(bad)?;

    // bottom row first, first channel of every pixel
    let step = info.color_type.samples();
    let rows = image.chunks_exact(info.line_size.max(1)).take(nrow).rev();
    let data = rows
        .flat_map(|row| row.chunks_exact(step).take(ncol))
        .filter_map(|pixel| pixel.first().map(|&x| f32::from(x)))
        .collect();
    normalised(nrow, ncol, data)
}

/// Reads a height field from MuJoCo's binary format: rows, columns, then the elevations in `f32`.
pub fn read_hfield(bytes: &[u8]) -> Result<HField, AssetError> {
    let mut at = Bytes::new(bytes);
    let (Some(nrow), Some(ncol)) = (at.i32(), at.i32()) else {
        return Err(AssetError::new("the hfield file has no complete header"));
    };
    let size = |n: i32| usize::try_from(n).unwrap_or(0);
    let (nrow, ncol) = (size(nrow), size(ncol));
    check_size(nrow, ncol)?;
    if at.left() != 4 * nrow * ncol {
        return Err(AssetError::new(format!(
            "unexpected size of hfield file: {} bytes announced, {} found",
            8 + 4 * nrow * ncol,
            bytes.len()
        )));
    }
    let data = at
        .list(nrow * ncol, Bytes::f32)
        .ok_or_else(|| AssetError::new("unexpected size of hfield file"))?;
    normalised(nrow, ncol, data)
}

/// Height field of the `nrow`, `ncol` and `elevation` attributes: rows from the largest y down, or all zero when empty.
pub fn hfield(nrow: usize, ncol: usize, elevation: &[f32]) -> Result<HField, AssetError> {
    check_size(nrow, ncol)?;
    if elevation.is_empty() {
        return normalised(nrow, ncol, vec![0.0; nrow * ncol]);
    }
    if elevation.len() != nrow * ncol {
        return Err(AssetError::new(format!(
            "elevation needs nrow*ncol = {} numbers, found {}",
            nrow * ncol,
            elevation.len()
        )));
    }
    check_finite(elevation)?;
    let rows = elevation.chunks_exact(ncol).rev();
    normalised(nrow, ncol, rows.flatten().copied().collect())
}

fn check_size(nrow: usize, ncol: usize) -> Result<(), AssetError> {
    if nrow < 2 || ncol < 2 {
        return Err(AssetError::new(format!(
            "height field needs at least 2 rows and 2 columns, found {nrow} and {ncol}"
        )));
    }
    if nrow.checked_mul(ncol).is_none_or(|n| n > LIMIT) {
        return Err(AssetError::new(format!(
            "height field of {nrow} x {ncol} points is larger than {LIMIT} points"
        )));
    }
    Ok(())
}

fn check_finite(data: &[f32]) -> Result<(), AssetError> {
    match data.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(AssetError::new(format!("elevation {i} is not finite"))),
        None => Ok(()),
    }
}

/// Shifts the smallest elevation to 0 and scales the largest to 1; a level field becomes 0.
fn normalised(nrow: usize, ncol: usize, mut data: Vec<f32>) -> Result<HField, AssetError> {
    if data.len() != nrow * ncol {
        return Err(AssetError::new("height field is incomplete"));
    }
    check_finite(&data)?;
    let lo = data.iter().copied().fold(f32::INFINITY, f32::min);
    let hi = data.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let range = hi - lo;
    if !range.is_finite() {
        return Err(AssetError::new("elevations are too far apart"));
    }
    for x in &mut data {
        *x -= lo;
        if f64::from(range) > super::vec3::EPS {
            *x /= range;
        }
    }
    Ok(HField { nrow, ncol, data })
}

#[cfg(test)]
#[path = "hfield_test.rs"]
mod tests;
