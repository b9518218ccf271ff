//! The texts of a model, and places in them.

use std::ops::Range;
use std::sync::Arc;

use super::files::Files;
use crate::error::{Error, Excerpt};

/// The place of an element: a file and the byte offset of its start tag.
///
/// All origins compare equal: two models are equal wherever their elements were written.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// Index into [`Sources::files`]; `u32::MAX` for elements made in code.
    pub file: u32,
    /// Byte offset of `<`.
    pub start: u32,
}

impl Origin {
    /// The origin of elements made in code.
    pub const CODE: Origin = Origin {
        file: u32::MAX,
        start: 0,
    };

    /// Whether two origins are the same place; `==` is true for all.
    pub fn same(self, other: Origin) -> bool {
        (self.file, self.start) == (other.file, other.start)
    }
}

impl Default for Origin {
    fn default() -> Self {
        Origin::CODE
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// One file of a model.
#[derive(Debug)]
pub struct Source {
    /// The path as it is shown to the user.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// The files that a model was read from, in the order of reading; the model file is the first.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The files.
    pub files: Vec<Arc<Source>>,
    /// Where the model's other files are.
    pub store: Files,
}

impl PartialEq for Sources {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Sources {
    /// The file of an origin.
    pub fn source(&self, origin: Origin) -> Option<&Source> {
        self.files.get(origin.file as usize).map(|s| &**s)
    }

    /// The bytes of the start tag, from `<` to `>`.
    pub fn tag(&self, origin: Origin) -> Option<Range<usize>> {
        let text = &self.source(origin)?.text;
        let start = origin.start as usize;
        let rest = text.get(start..)?;
        let mut quote = None;
        for (i, b) in rest.bytes().enumerate() {
            match (quote, b) {
                (None, b'"' | b'\'') => quote = Some(b),
                (Some(q), b) if q == b => quote = None,
                (None, b'>') => return Some(start..start + i + 1),
                _ => {}
            }
        }
        Some(start..text.len())
    }

    /// The bytes of `name="value"` in the start tag, if the attribute is there.
    pub fn attribute(&self, origin: Origin, name: &str) -> Option<Range<usize>> {
        let text = &self.source(origin)?.text;
        let tag = self.tag(origin)?;
        let bytes = text.get(tag.clone())?.as_bytes();
        let mut i = 0;
        let mut word = 0;
        while let Some(&b) = bytes.get(i) {
            match b {
                b'"' | b'\'' => {
                    // a value: its name is the last word before the equals sign
                    let close = bytes
                        .iter()
                        .skip(i + 1)
                        .position(|c| *c == b)
                        .map_or(bytes.len(), |n| i + 1 + n);
                    let head = bytes
                        .get(word..i)
                        .and_then(|h| std::str::from_utf8(h).ok())
                        .unwrap_or("");
                    if head
                        .trim_end()
                        .strip_suffix('=')
                        .is_some_and(|h| h.trim_end() == name)
                    {
                        return Some(tag.start + word..tag.start + (close + 1).min(bytes.len()));
                    }
                    i = close + 1;
                    word = i;
                }
                b' ' | b'\t' | b'\r' | b'\n' => {
                    i += 1;
                    // spaces around the equals sign belong to the attribute
                    let next = bytes.iter().skip(i).find(|c| !c.is_ascii_whitespace());
                    let last = bytes
                        .get(word..i)
                        .and_then(|h| h.iter().rev().find(|c| !c.is_ascii_whitespace()));
                    if next != Some(&b'=') && last != Some(&b'=') {
                        word = i;
                    }
                }
                _ => i += 1,
            }
        }
        None
    }

    /// An error at an element, or at one of its attributes if that is in the start tag.
    ///
    /// `msg` starts with the name of the attribute itself: `size needs 3 numbers …`.
    pub fn error(&self, origin: Origin, attr: Option<&str>, msg: impl Into<String>) -> Error {
        let (file, at, element) = self.place(origin, attr);
        let (line, col) = self.line_col(origin, at.start);
        Error::Mjcf {
            file,
            line,
            col,
            element,
            msg: msg.into(),
            excerpt: self.excerpt(origin, at),
        }
    }

    /// The place of an element, or of one of its attributes if that is in the start tag: `file:line:column`. `None` for elements
    /// made in code.
    pub(crate) fn told(&self, origin: Origin, attr: Option<&str>) -> Option<String> {
        self.source(origin)?;
        let (file, at, _) = self.place(origin, attr);
        let (line, col) = self.line_col(origin, at.start);
        Some(format!("{file}:{line}:{col}"))
    }

    /// An error at a place that is no element.
    pub(crate) fn error_at(&self, at: Origin, msg: impl Into<String>) -> Error {
        let file = self.source(at).map_or(String::new(), |s| s.path.clone());
        let (line, col) = self.line_col(at, at.start as usize);
        let excerpt = self.excerpt(at, at.start as usize..at.start as usize + 1);
        Error::Mjcf {
            file,
            line,
            col,
            element: "xml".into(),
            msg: msg.into(),
            excerpt,
        }
    }

    /// File, bytes and description of a place: `geom name="hand"`.
    fn place(&self, origin: Origin, attr: Option<&str>) -> (String, Range<usize>, String) {
        let Some(source) = self.source(origin) else {
            return ("<code>".into(), 0..0, String::new());
        };
        let tag = self.tag(origin).unwrap_or(0..0);
        let text = source.text.get(tag.clone()).unwrap_or("");
        let word = |c: char| c.is_ascii_whitespace() || c == '>' || c == '/';
        let mut element = text
            .trim_start_matches('<')
            .split(word)
            .next()
            .unwrap_or("")
            .to_owned();
        if let Some(name) = self
            .attribute(origin, "name")
            .and_then(|r| source.text.get(r))
        {
            let value: String = name.chars().take(80).collect();
            element.push_str(&format!(" {}", value.replace(char::is_whitespace, "")));
        }
        let at = attr.and_then(|a| self.attribute(origin, a)).unwrap_or(tag);
        (source.path.clone(), at, element)
    }

    /// The lines around some bytes, a few at most.
    fn excerpt(&self, origin: Origin, at: Range<usize>) -> Option<Box<Excerpt>> {
        let text = &self.source(origin)?.text;
        let start = text.get(..at.start)?.rfind('\n').map_or(0, |i| i + 1);
        // long tags and long lines are cut: the start of the place is the relevant part
        let end = at.end.min(at.start + 200);
        let end = (end..=text.len()).find(|i| text.is_char_boundary(*i))?;
        let stop = text
            .get(end..)?
            .find('\n')
            .map_or(text.len(), |i| end + i)
            .min(end + 200);
        let stop = (stop..=text.len()).find(|i| text.is_char_boundary(*i))?;
        let start = (start.max(at.start.saturating_sub(200))..=at.start)
            .find(|i| text.is_char_boundary(*i))?;
        let (first_line, _) = self.line_col(origin, at.start);
        let lines = text.get(start..stop)?.to_owned();
        Some(Box::new(Excerpt {
            text: lines,
            first_line,
            range: at.start - start..end - start,
        }))
    }

    /// Line and column, both from 1, of a byte offset; columns count characters.
    pub fn line_col(&self, origin: Origin, at: usize) -> (u32, u32) {
        let Some(source) = self.source(origin) else {
            return (0, 0);
        };
        let before = source.text.get(..at.min(source.text.len())).unwrap_or("");
        let line = 1 + before.bytes().filter(|b| *b == b'\n').count();
        let col = 1 + before.rsplit('\n').next().unwrap_or("").chars().count();
        (line as u32, col as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_found_in_the_tag() {
        let text = "<a>\n  <geom name = 'x>y' size=\"1 2\"\n   pos=\"size='3'\"/></a>";
        let files = vec![Arc::new(Source {
            path: "m.xml".into(),
            text: text.into(),
        })];
        let sources = Sources {
            files,
            ..Sources::default()
        };
        let origin = Origin { file: 0, start: 6 };
        let at = |name| sources.attribute(origin, name).and_then(|r| text.get(r));
        assert_eq!(at("name"), Some("name = 'x>y'"));
        assert_eq!(at("size"), Some("size=\"1 2\""));
        assert_eq!(at("pos"), Some("pos=\"size='3'\""));
        assert_eq!(at("quat"), None);
        assert_eq!(
            text.get(sources.tag(origin).unwrap_or_default())
                .map(|t| t.ends_with("/>")),
            Some(true)
        );
        assert_eq!(sources.line_col(origin, 6), (2, 3));
    }
}
