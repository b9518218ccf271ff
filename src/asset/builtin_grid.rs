//! The built-in meshes that flexible bodies are made of too: grid, box, cylinder, ellipsoid, square, disc.

use super::MeshData;
use super::builtin::LIMIT;
use super::grid::{Form, Grid, Shape};

/// Parameters `count[3], spacing[3], [dim]`; the mesh, and whether it is a solid (points only).
pub(crate) fn make(kind: &str, params: &[f64]) -> Result<(MeshData, bool), String> {
    let shape = shape(kind, params)?;
    let vert = shape.point.iter().map(|p| p.map(|x| x as f32)).collect();
    let (face, _) = shape.element.as_chunks::<3>();
    let solid = shape.dim == 3;
    let data = MeshData {
        vert,
        face: if solid { Vec::new() } else { face.to_vec() },
        ..MeshData::default()
    };
    Ok((data, solid))
}

/// Points and elements of the mesh with these parameters.
pub(crate) fn shape(kind: &str, params: &[f64]) -> Result<Shape, String> {
    let count = [0, 1, 2].map(|i| params[i].clamp(-1.0, 1e9) as usize);
    let spacing = [params[3], params[4], params[5]];
    let dim = params.get(6).copied().unwrap_or(3.0) as i64;
    let points = count
        .iter()
        .try_fold(1usize, |n, &c| n.checked_mul(c))
        .unwrap_or(usize::MAX);
    if points > LIMIT {
        return Err("too many vertices".into());
    }
    if !(2..=3).contains(&dim) {
        return Err("dim must be 2 or 3".into());
    }
    let form = match kind {
        "box" => Form::Box,
        "cylinder" => Form::Cylinder,
        "ellipsoid" => Form::Ellipsoid,
        "disc" => Form::Disc,
        "grid" if dim == 3 => Form::Block,
        _ => Form::Sheet,
    };
    match form {
        Form::Box | Form::Cylinder | Form::Ellipsoid => {
            if count.iter().any(|&c| c < 2) {
                return Err("count must be at least 2".into());
            }
        }
        _ => {
            let flat = form != Form::Block;
            if flat && count[2] != 1 {
                return Err("count must be 1 along dimensions beyond dim".into());
            }
            let needed = if flat { &count[..2] } else { &count[..] };
            if needed.iter().any(|&c| c < 2) {
                return Err("no elements: count must be at least 2".into());
            }
        }
    }
    let grid = Grid {
        form,
        count,
        spacing,
        textured: false,
    };
    Ok(grid.make(dim == 2))
}
