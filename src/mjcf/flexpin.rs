//! Pins of a flexcomp: points or nodes that belong to the body around it.

use super::schema::{FlexDof, FlexPin, Flexcomp};

/// A pin, its attribute that is wrong, and why.
pub(super) type BadPin = (usize, &'static str, String);

/// Which of n points or nodes are pinned; `count` is their number along the axes of a grid.
pub(super) fn pins(
    said: &Flexcomp,
    n: usize,
    dim: usize,
    count: Option<[usize; 3]>,
) -> Result<Vec<bool>, BadPin> {
    let mut pinned = vec![said.rigid(); n];
    for (k, pin) in said.pins.iter().enumerate() {
        one_pin(dim, count, pin, &mut pinned).map_err(|(attr, msg)| (k, attr, msg))?;
    }
    if said.dof() == FlexDof::Radial
        && let Some(center) = pinned.first_mut()
    {
        *center = true;
    }
    Ok(pinned)
}

fn one_pin(
    dim: usize,
    count: Option<[usize; 3]>,
    pin: &FlexPin,
    pinned: &mut [bool],
) -> Result<(), (&'static str, String)> {
    let n = pinned.len();
    let point = |attr: &'static str, i: i32| match usize::try_from(i) {
        Ok(i) if i < n => Ok(i),
        _ => Err((
            attr,
            format!("{attr} has the point {i}, and there are {n} points, numbered from 0"),
        )),
    };
    for &i in pin.id.iter().flatten() {
        pinned[point("id", i)?] = true;
    }
    let range = pin.range.as_deref().unwrap_or_default();
    if !range.len().is_multiple_of(2) {
        return Err(("range", "range needs two numbers for each range".into()));
    }
    for pair in range.chunks_exact(2) {
        let (first, last) = (point("range", pair[0])?, point("range", pair[1])?);
        for i in first..=last {
            pinned[i] = true;
        }
    }

    // by index in the grid
    let (grid, boxes) = (
        pin.grid.as_deref().unwrap_or_default(),
        pin.gridrange.as_deref().unwrap_or_default(),
    );
    if grid.is_empty() && boxes.is_empty() {
        return Ok(());
    }
    let attr = if grid.is_empty() { "gridrange" } else { "grid" };
    let Some(count) = count else {
        let msg = format!("{attr} is for grids of two or three dimensions");
        return Err((attr, msg));
    };
    let corners = boxes.chunks_exact(2 * dim);
    let points = grid.chunks_exact(dim);
    if !corners.remainder().is_empty() || !points.remainder().is_empty() {
        return Err((attr, format!("{attr} needs {dim} numbers for each corner")));
    }
    let corners = corners.map(|c| c.split_at(dim));
    for (low, high) in corners.chain(points.map(|p| (p, p))) {
        let inside = |c: &[i32]| c.iter().zip(count).all(|(i, n)| (0..n as i32).contains(i));
        if !inside(low) || !inside(high) {
            let msg = format!("{attr} has a corner outside of the grid's count");
            return Err((attr, msg));
        }
        let at = |c: &[i32], k: usize| c.get(k).map_or(0, |i| *i as usize);
        for x in at(low, 0)..=at(high, 0) {
            for y in at(low, 1)..=at(high, 1) {
                for z in at(low, 2)..=at(high, 2) {
                    let depth = if dim == 3 { count[2] } else { 1 };
                    let i = (x * count[1] + y) * depth + z;
                    pinned[i] = true;
                }
            }
        }
    }
    Ok(())
}
