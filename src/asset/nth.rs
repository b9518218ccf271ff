//! The selection of C++'s standard library as MuJoCo is built with (libc++, `std::nth_element`). Which of several equal elements come first
//! follows from its steps, so they are the same here.

/// Up to how many elements are sorted by selection.
const FEW: usize = 7;

/// Moves elements so that the one at `nth` is where it would be if all were sorted: none before it has a larger key, none behind it a
/// smaller one.
pub(super) fn nth_element(list: &mut [usize], nth: usize, key: impl Fn(usize) -> f64) {
    let (mut first, mut last) = (0, list.len());
    while nth < last && last - first > FEW {
        match narrow(list, first..last, nth, &key) {
            Some(range) => (first, last) = (range.start, range.end),
            None => return,
        }
    }
    if nth < last {
        sort_few(&mut list[first..last], &key);
    }
}

// at most seven elements
fn sort_few(list: &mut [usize], key: &impl Fn(usize) -> f64) {
    match list.len() {
        3 => {
            sort_three(list, [0, 1, 2], key);
        }
        n => {
            for k in 0..n.saturating_sub(1) {
                let mut least = k;
                for other in k + 1..n {
                    if key(list[other]) < key(list[least]) {
                        least = other;
                    }
                }
                list.swap(k, least);
            }
        }
    }
}

// sorts the elements at three places; whether any was moved
fn sort_three(list: &mut [usize], [x, y, z]: [usize; 3], key: &impl Fn(usize) -> f64) -> bool {
    let less = |list: &[usize], a: usize, b: usize| key(list[a]) < key(list[b]);
    match [less(list, y, x), less(list, z, y)] {
        [false, false] => return false,
        [true, true] => list.swap(x, z),
        [false, true] => {
            list.swap(y, z);
            if less(list, y, x) {
                list.swap(x, y);
            }
        }
        [true, false] => {
            list.swap(x, y);
            if less(list, z, y) {
                list.swap(y, z);
            }
        }
    }
    true
}

// divides a range about the middle one of its first, middle and last element; the part with the place `nth`, or none if that is done
fn narrow(
    list: &mut [usize],
    range: std::ops::Range<usize>,
    nth: usize,
    key: &impl Fn(usize) -> f64,
) -> Option<std::ops::Range<usize>> {
    let (first, last) = (range.start, range.end);
    let less = |list: &[usize], a: usize, b: usize| key(list[a]) < key(list[b]);
    let mut middle = first + range.len() / 2;
    let mut moved = sort_three(list, [first, middle, last - 1], key);
    let (mut i, mut j) = (first, last - 1);
    if !less(list, i, middle) {
        // the first is as large as the middle one: a smaller one takes its place, or all like it are put in front
        match (first + 1..j).rev().find(|&k| less(list, k, middle)) {
            Some(k) => {
                list.swap(i, k);
                (moved, j) = (true, k);
            }
            None => return after_least(list, range, nth, key),
        }
    }
    i += 1;
    if i < j {
        let pivot = key(list[middle]);
        i = part(
            list,
            [i, j],
            |of| key(of) < pivot,
            |a, b| {
                moved = true;
                if middle == a {
                    middle = b;
                }
            },
        );
    }
    if i != middle && less(list, middle, i) {
        list.swap(i, middle);
        moved = true;
    }
    let part = if nth < i { first..i } else { i..last };
    let sorted = |list: &[usize]| part.clone().skip(1).all(|k| !less(list, k, k - 1));
    if nth == i || !moved && sorted(list) {
        return None;
    }
    Some(if nth < i { first..i } else { i + 1..last })
}

// puts the elements as small as the first in front, where none is smaller; the rest, or none if the place `nth` is among the former
fn after_least(
    list: &mut [usize],
    range: std::ops::Range<usize>,
    nth: usize,
    key: &impl Fn(usize) -> f64,
) -> Option<std::ops::Range<usize>> {
    let (first, last) = (range.start, range.end);
    let above = |list: &[usize], k: usize| key(list[first]) < key(list[k]);
    let (mut i, j) = (first + 1, last - 1);
    if !above(list, j) {
        i = (i..j).find(|&k| above(list, k))?;
        list.swap(i, j);
        i += 1;
    }
    if i == j {
        return None;
    }
    let least = key(list[first]);
    i = part(list, [i, j], |of| key(of) <= least, |_, _| {});
    (nth >= i).then_some(i..last)
}

// puts low elements from one place on before high ones up to another, where the first high one and the last low one stop the search for them;
// tells of what it exchanges, and returns the place of the first high one
fn part(
    list: &mut [usize],
    [mut i, mut j]: [usize; 2],
    is_low: impl Fn(usize) -> bool,
    mut exchanged: impl FnMut(usize, usize),
) -> usize {
    loop {
        while is_low(list[i]) {
            i += 1;
        }
        j -= 1;
        while !is_low(list[j]) {
            j -= 1;
        }
        if i >= j {
            return i;
        }
        list.swap(i, j);
        exchanged(i, j);
        i += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_on_their_side_of_the_nth() {
        let keys: Vec<f64> = (0..200_u64)
            .map(|k| (k * 7919 % 31) as f64 + if k % 3 == 0 { 0.5 } else { 0.0 })
            .collect();
        for num in 1..keys.len() {
            for nth in [0, num / 3, num / 2, num - 1] {
                let mut list: Vec<usize> = (0..num).collect();
                nth_element(&mut list, nth, |k| keys[k]);
                let of = |k: &usize| keys[*k];
                let here = of(&list[nth]);
                assert!(list[..nth].iter().all(|k| of(k) <= here));
                assert!(list[nth..].iter().all(|k| of(k) >= here));
                list.sort_unstable();
                assert!(list.into_iter().eq(0..num));
            }
        }
    }
}
