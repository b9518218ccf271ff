//! Placement of worlds in a picture.

/// Offsets of `nworld` worlds on a square grid around the origin, `spacing` apart (m): rows along x, the first row in front.
pub fn offsets(nworld: usize, spacing: f32) -> impl Iterator<Item = [f32; 3]> {
    let columns = (nworld as f32).sqrt().ceil().max(1.0) as usize;
    let rows = nworld.div_ceil(columns);
    (0..nworld).map(move |w| {
        let (row, column) = (w / columns, w % columns);
        let middle = |k: usize, n: usize| (k as f32 - 0.5 * (n as f32 - 1.0)) * spacing;
        [middle(column, columns), middle(row, rows), 0.0]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_lie_around_the_origin() {
        let at: Vec<_> = offsets(6, 2.0).collect();
        assert_eq!(at[0], [-2.0, -1.0, 0.0]);
        assert_eq!(at[5], [2.0, 1.0, 0.0]);
        assert_eq!(offsets(1, 2.0).next(), Some([0.0; 3]));
        assert_eq!(offsets(0, 2.0).next(), None);
    }
}
