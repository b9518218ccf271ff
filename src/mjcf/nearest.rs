//! The nearest of some names, for "did you mean".

/// The name among `names` that is closest to `word`, if it is close enough to be a likely slip.
pub(crate) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // a hostile attribute must not cost quadratic time
    if word.len() > 64 {
        return None;
    }
    let limit = 1 + word.chars().count() / 4;
    names
        .filter(|n| n.len() <= 64)
        .map(|n| (distance(&word.to_lowercase(), &n.to_lowercase()), n))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, n)| n)
}

/// Edit distance with insertion, deletion and substitution of one character.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        let mut left = i + 1;
        for (cb, above) in b.iter().zip(row.windows(2)) {
            let [diag, up] = [
                above.first().copied().unwrap_or(0),
                above.get(1).copied().unwrap_or(0),
            ];
            left = (diag + usize::from(ca != *cb)).min(up + 1).min(left + 1);
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_slip_and_not_a_stranger() {
        let names = ["size", "pos", "quat", "friction"];
        assert_eq!(nearest("sise", names.into_iter()), Some("size"));
        assert_eq!(nearest("Quat", names.into_iter()), Some("quat"));
        assert_eq!(nearest("fricton", names.into_iter()), Some("friction"));
        assert_eq!(nearest("zebra", names.into_iter()), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
