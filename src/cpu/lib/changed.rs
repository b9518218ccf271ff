//! Rows whose cost became quadratic or is no longer quadratic, which the Hessian of an island or its factor do not have yet.
//!
//! A change of one row is made in the factor of n dofs in n² operations, where a new factor takes n³. The Hessian then lacks this change,
//! until many rows change and the factor is made from it again: `solver_inH` tells of each row where its cost is.

use super::primal::Island;
use crate::fields::Data;
use crate::types::ConstraintState;

/// The cost of a row is neither in the Hessian nor in its factor.
pub const NOWHERE: i32 = 0;

/// Bit of a row whose cost is in the Hessian.
const IN_HESSIAN: i32 = 1;

/// Bit of a row whose cost is in the factor.
const IN_FACTOR: i32 = 2;

/// Time that a change of one row takes for an entry of the factor, in products of factoring again: 8/3 (measured on humanoids and cloths).
const ENTRY: [usize; 2] = [8, 3];

/// Lists the rows of an island that the factor does not have in their present state (`solver_list`); returns their number, or none if
/// they are many, or if a contact slides.
pub fn list(d: &mut Data, island: &Island<'_, f64>) -> Option<usize> {
    let most = most(&d.solver_end[..island.dofs.len()]);
    let mut num = 0;
    for &r in island.rows {
        let state = d.efc_state[r as usize];
        let has = d.solver_inH[r as usize] & IN_FACTOR != 0;
        if state == ConstraintState::Cone {
            return None;
        }
        if has != (state == ConstraintState::Quadratic) {
            if num == most {
                return None;
            }
            d.solver_list[num] = r;
            num += 1;
        }
    }
    Some(num)
}

/// Number of changed rows that are quicker to make in the factor than to factor again, from the last column of each row of it. A change
/// goes through all entries; of a row with n entries the factor takes n²/2 products.
pub(super) fn most(end: &[i32]) -> usize {
    let (mut entries, mut products) = (0, 0);
    for (row, &end) in end.iter().enumerate() {
        let num = end as usize + 1 - row;
        entries += num;
        products += num * num / 2;
    }
    1 + ENTRY[1] * products / (ENTRY[0] * entries.max(1))
}

/// Notes that the factor takes the change of a row; true if its cost is in there now.
pub fn take(places: &mut [i32], row: i32) -> bool {
    let at = &mut places[row as usize];
    *at ^= IN_FACTOR;
    *at & IN_FACTOR != 0
}

/// What rows add to the Hessian: D, -D or 0. Notes that their cost is in the Hessian, and in the factor that will be made of it.
#[inline(always)]
pub fn weights<const N: usize>(
    places: &mut [i32],
    state: &[i32],
    inertia: &[f64],
    rows: [usize; N],
) -> [f64; N] {
    rows.map(|r| {
        let quadratic = i32::from(state[r] == ConstraintState::Quadratic);
        let weight = f64::from(quadratic - (places[r] & IN_HESSIAN)) * inertia[r];
        places[r] = (IN_HESSIAN | IN_FACTOR) * quadratic;
        weight
    })
}

#[cfg(test)]
mod test {
    use super::most;

    // the last column of each of `num` rows with up to `width` entries
    fn band(num: usize, width: usize) -> Vec<i32> {
        let last = |row: usize| (row + width).min(num) - 1;
        (0..num).map(|row| last(row) as i32).collect()
    }

    #[test]
    fn a_factor_takes_as_many_changes_as_its_rows_are_long() {
        // full: an eighth of its dofs
        assert_eq!(most(&band(24, 24)), 1 + 3);
        assert_eq!(most(&band(800, 800)), 1 + 100);
        // a band, as of a cloth, does not take more where there are more dofs
        assert_eq!(most(&band(1200, 64)), most(&band(12_000, 64)));
        assert!(most(&band(1200, 64)) < 14);
        assert_eq!(most(&[]), 1);
    }
}
