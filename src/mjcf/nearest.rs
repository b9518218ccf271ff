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

/// Edit distance with insertion, deletion and substitution of one character, and exchange of two neighbours.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut above = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i];
        for j in 1..=b.len() {
            let substitute = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substitute.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(above[j - 2] + 1);
            }
            next.push(best);
        }
        above = std::mem::replace(&mut row, next);
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
        assert_eq!(nearest("pso", names.into_iter()), Some("pos"));
        assert_eq!(nearest("zebra", names.into_iter()), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
