//! The nearest of some names, for "did you mean".

use strsim::osa_distance;

/// The name among `names` that is closest to `word`, if it is close enough to be a likely slip.
pub(crate) fn nearest<'a>(word: &str, mut names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(word, &mut names)
}

fn nearest_of<'a>(word: &str, names: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    // a hostile attribute must not cost quadratic time
    if word.len() > 64 {
        return None;
    }
    let limit = 1 + word.chars().count() / 4;
    names
        .filter(|n| n.len() <= 64)
        .map(|n| (osa_distance(&word.to_lowercase(), &n.to_lowercase()), n))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, n)| n)
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
    }
}
