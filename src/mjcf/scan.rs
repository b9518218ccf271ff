//! A scan of the text of a file before the XML parser reads it.

use std::borrow::Cow;

/// More attributes than any element has; the XML parser compares them pair by pair.
pub(super) const MAX_ATTRS: usize = 1000;

/// Begin of a comment.
const COMMENT: &str = "<!--";
/// Begin and end of the parts in which no tag begins: comments and CDATA.
const MARKS: [(&str, &str); 2] = [(COMMENT, "-->"), ("<![CDATA[", "]]>")];

/// The text with blanks for the hyphens inside of comments: the XML parser refuses two of them there, MuJoCo's does not. Places
/// in the text stay what they are.
pub(super) fn plain_comments(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    let mut at = 0;
    while let Some(open) = text[at..].find('<') {
        at += open;
        let Some((open, close)) = MARKS.iter().find(|(open, _)| text[at..].starts_with(open))
        else {
            at += 1;
            continue;
        };
        let start = at + open.len();
        let Some(len) = text[start..].find(close) else {
            break;
        };
        let inside = &text[start..start + len];
        if *open == COMMENT && inside.contains('-') {
            let plain = inside.replace('-', " ");
            out.to_mut().replace_range(start..start + len, &plain);
        }
        at = start + len + close.len();
    }
    out
}

/// The place of an element with too many attributes, if there is one; else the bytes after the closing quotes of values that are
/// followed by another attribute without a blank between them.
pub(super) fn scan(text: &str) -> Result<Vec<usize>, usize> {
    let bytes = text.as_bytes();
    let mut glued = Vec::new();
    let (mut i, mut start, mut count, mut quote) = (0, None, 0, None);
    while let Some(&b) = bytes.get(i) {
        match (start, quote) {
            (None, _) if b == b'<' => {
                // comments and CDATA end at their own marks
                let rest = bytes.get(i..).unwrap_or_default();
                let mut marks = MARKS.iter();
                if let Some((_, end)) = marks.find(|(open, _)| rest.starts_with(open.as_bytes())) {
                    let Some(len) = rest.windows(3).position(|w| w == end.as_bytes()) else {
                        break;
                    };
                    i += len + 3;
                    continue;
                }
                (start, count) = (Some(i), 0);
            }
            (Some(_), None) if b == b'>' => start = None,
            (Some(at), None) if b == b'"' || b == b'\'' => {
                count += 1;
                quote = Some(b);
                if count > MAX_ATTRS {
                    return Err(at);
                }
            }
            (Some(_), Some(q)) if b == q => {
                quote = None;
                let next = bytes.get(i + 1).copied().unwrap_or(b'>');
                if next.is_ascii_alphabetic() || next == b'_' {
                    glued.push(i + 1);
                }
            }
            _ => {}
        }
        i += 1;
    }
    Ok(glued)
}

/// A text with a blank inserted wherever one is missing between attributes, as MuJoCo reads it, and the map from places in it
/// back to places in the original text.
pub(super) struct Spaced<'a> {
    pub text: Cow<'a, str>,
    /// Places of the missing blanks in the original text, ascending.
    glued: Vec<usize>,
}

impl<'a> Spaced<'a> {
    /// `glued` are places in the text, ascending.
    pub fn new(text: &'a str, glued: Vec<usize>) -> Spaced<'a> {
        if glued.is_empty() {
            let text = Cow::Borrowed(text);
            return Spaced { text, glued };
        }
        let mut spaced = String::with_capacity(text.len() + glued.len());
        let mut from = 0;
        for &at in &glued {
            spaced.push_str(text.get(from..at).unwrap_or_default());
            spaced.push(' ');
            from = at;
        }
        spaced.push_str(text.get(from..).unwrap_or_default());
        let text = Cow::Owned(spaced);
        Spaced { text, glued }
    }

    /// The place in the original text of a place in the spaced one.
    pub fn written(&self, at: usize) -> usize {
        // blank number k stands at glued[k] + k
        let (mut low, mut high) = (0, self.glued.len());
        while low < high {
            let k = low.midpoint(high);
            match self.glued.get(k).is_some_and(|g| g + k < at) {
                true => low = k + 1,
                false => high = k,
            }
        }
        at - low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphens_in_comments_become_blanks() {
        let text = "<a x='-'><!-- - é--- --><![CDATA[<!-- - -->]]>--</a><!--->-";
        let plain = plain_comments(text);
        assert_eq!(
            plain,
            "<a x='-'><!--   é    --><![CDATA[<!-- - -->]]>--</a><!--->-"
        );
        assert_eq!(plain_comments("<!-- a -->"), "<!-- a -->");
    }

    #[test]
    fn blanks_come_where_they_are_missing_and_places_are_found_again() {
        let text = "<!-- a=\"1\"b=\"2\" --><a x=\"1\"y='2'z=\"3\"/><b>\"t\"u</b>";
        let glued = scan(text).unwrap_or_default();
        assert_eq!(glued, [27, 32]);
        let spaced = Spaced::new(text, glued);
        assert!(
            spaced
                .text
                .ends_with("<a x=\"1\" y='2' z=\"3\"/><b>\"t\"u</b>")
        );
        for (at, c) in text.char_indices().filter(|(_, c)| "yzu<".contains(*c)) {
            let there = spaced
                .text
                .char_indices()
                .find(|&(i, s)| s == c && spaced.written(i) == at);
            assert!(there.is_some(), "{c} at {at}");
        }
    }

    #[test]
    fn too_many_attributes_are_found() {
        let text = format!("<a><b{}/></a>", " x=\"1\"".repeat(MAX_ATTRS + 1));
        assert_eq!(scan(&text), Err(3));
    }
}
