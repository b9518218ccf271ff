//! A scan of the text of a file before the XML parser reads it. MuJoCo's parser takes more than XML allows: what it takes is rewritten here
//! to what the XML parser reads alike.

use std::borrow::Cow;

/// More attributes than any element has; the XML parser compares them pair by pair.
const MAX_ATTRS: usize = 1000;

/// Begin of a comment.
const COMMENT: &str = "<!--";
/// Begin and end of the parts in which no tag begins: comments and CDATA.
const MARKS: [(&str, &str); 2] = [(COMMENT, "-->"), ("<![CDATA[", "]]>")];
/// Stands for the colon of a name in the text that the XML parser reads: to MuJoCo's parser `foo:size` is a name like others, to the XML
/// parser `foo` would be a prefix that is to be declared.
const COLON: char = '\u{b7}';
/// The attribute by which XML declares namespaces.
const XMLNS: &str = "xmlns";
/// The names of characters that MuJoCo's parser knows.
const ENTITIES: [&str; 5] = ["amp;", "lt;", "gt;", "quot;", "apos;"];

/// Why a text is not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// An element has more than [`MAX_ATTRS`] attributes.
    Attributes,
    /// An XML declaration or processing instruction stands behind the first element.
    Declaration,
}

impl Fault {
    /// The reason in words.
    pub(super) fn told(&self) -> String {
        match self {
            Self::Attributes => {
                format!("an element may have no more than {MAX_ATTRS} attributes")
            }
            Self::Declaration => "<? … ?> may only stand before the first element".to_owned(),
        }
    }
}

/// The text that the XML parser reads, and the map from places in it back to places in the original text.
pub(super) struct Tidy<'a> {
    pub text: Cow<'a, str>,
    /// Edits in ascending order.
    edits: Vec<Edit>,
}

/// One change of the text.
struct Edit {
    /// The bytes of the original text that are replaced.
    from: std::ops::Range<usize>,
    with: Cow<'static, str>,
    /// Where `with` begins in the new text.
    to: usize,
}

impl Tidy<'_> {
    /// The place in the original text of a place in the new one.
    pub fn written(&self, at: usize) -> usize {
        let before = self.edits.partition_point(|e| e.to <= at);
        let Some(e) = before.checked_sub(1).and_then(|k| self.edits.get(k)) else {
            return at;
        };
        let inside = at - e.to;
        match inside.checked_sub(e.with.len()) {
            Some(behind) => e.from.end + behind,
            None => e.from.start + inside.min(e.from.len()),
        }
    }
}

/// The text as the XML parser wants it; a fault comes with its place, a byte of the text.
///
/// Blanks replace the hyphens of comments, a DOCTYPE without declarations of its own, and declarations and text before the first element.
/// A blank is inserted where one is missing between attributes. Names of characters replace a bare `&`, and a `<` or white space in the value
/// of an attribute. Names have no colons, and none is `xmlns`: [`name`] returns them as they are written.
pub(super) fn tidy(text: &str) -> Result<Tidy<'_>, (Fault, usize)> {
    let mut scan = Scan {
        text,
        edits: Vec::new(),
        began: false,
    };
    let mut at = 0;
    while at < text.len() {
        at = scan.part(at)?;
    }
    Ok(scan.done())
}

/// A name of the new text as it is written in the original one.
pub(super) fn name(new: &str) -> String {
    match new.strip_suffix(COLON) {
        Some(XMLNS) => XMLNS.to_owned(),
        _ => new.replace(COLON, ":"),
    }
}

struct Scan<'a> {
    text: &'a str,
    edits: Vec<Edit>,
    /// True behind the begin of the first element.
    began: bool,
}

impl<'a> Scan<'a> {
    /// Goes over a comment, a CDATA section, a declaration, a tag, or text between them; returns where it ends.
    fn part(&mut self, at: usize) -> Result<usize, (Fault, usize)> {
        let rest = &self.text[at..];
        if let Some((open, close)) = MARKS.iter().find(|(open, _)| rest.starts_with(open)) {
            let Some(len) = rest[open.len()..].find(close) else {
                return Ok(self.text.len());
            };
            let inside = at + open.len()..at + open.len() + len;
            if *open == COMMENT {
                self.blank(inside.clone(), '-');
            }
            return Ok(inside.end + close.len());
        }
        if rest.starts_with("<?") {
            if self.began {
                return Err((Fault::Declaration, at));
            }
            let end = rest.find("?>").map_or(self.text.len(), |n| at + n + 2);
            self.blank_all(at..end);
            return Ok(end);
        }
        if rest.starts_with("<!") {
            let end = rest.find('>').map_or(self.text.len(), |n| at + n + 1);
            // the XML parser refuses declarations inside of a DOCTYPE
            if !self.text[at..end].contains('[') {
                self.blank_all(at..end);
            }
            return Ok(end);
        }
        if rest.starts_with('<') {
            self.began = true;
            return self.tag(at);
        }
        let end = rest.find('<').map_or(self.text.len(), |n| at + n);
        if self.began {
            self.escape(at..end, false);
        } else if !self.text[at..end]
            .trim_start_matches('\u{feff}')
            .trim()
            .is_empty()
        {
            self.blank_all(at..end);
        }
        Ok(end)
    }

    /// Goes over a tag that begins at a byte; returns where it ends.
    fn tag(&mut self, start: usize) -> Result<usize, (Fault, usize)> {
        let bytes = self.text.as_bytes();
        let mut count = 0;
        let mut i = start;
        while let Some(&b) = bytes.get(i) {
            i += 1;
            if b == b'>' {
                break;
            }
            if b == b':' {
                self.edit(i - 1..i, COLON.to_string().into());
            }
            if b.is_ascii_whitespace() {
                i = self.xmlns(i);
            }
            if b != b'"' && b != b'\'' {
                continue;
            }
            count += 1;
            if count > MAX_ATTRS {
                return Err((Fault::Attributes, start));
            }
            let len = bytes[i..].iter().position(|&c| c == b);
            let end = len.map_or(bytes.len(), |n| i + n);
            self.escape(i..end, true);
            i = end + 1;
            let next = bytes.get(i).copied().unwrap_or(b'>');
            if next.is_ascii_alphabetic() || next == b'_' {
                self.edit(i..i, " ".into());
                i = self.xmlns(i);
            }
        }
        Ok(i.min(bytes.len()))
    }

    /// Goes over the name of an attribute `xmlns` that begins at a byte; returns where it ends, or the byte if there is none.
    fn xmlns(&mut self, at: usize) -> usize {
        let behind = self.text[at..].strip_prefix(XMLNS);
        if !behind.is_some_and(|rest| rest.trim_start().starts_with('=')) {
            return at;
        }
        let end = at + XMLNS.len();
        self.edit(end..end, COLON.to_string().into());
        end
    }

    /// Names the characters of a part that the XML parser would take for something else.
    fn escape(&mut self, part: std::ops::Range<usize>, value: bool) {
        let special = |c: char| c == '&' || (value && matches!(c, '<' | '\n' | '\r' | '\t'));
        let inside = &self.text[part.clone()];
        for (n, c) in inside.match_indices(special) {
            let at = part.start + n;
            let rest = &inside[n + 1..];
            match c {
                "&" if is_entity(rest) => {}
                "&" => self.edit(at..at + 1, "&amp;".into()),
                "<" => self.edit(at..at + 1, "&lt;".into()),
                "\t" => self.edit(at..at + 1, "&#9;".into()),
                // two characters that end a line are one
                "\r" if rest.starts_with('\n') => self.edit(at..at + 1, "".into()),
                _ => self.edit(at..at + 1, "&#10;".into()),
            }
        }
    }

    /// Blanks for one character of a part.
    fn blank(&mut self, part: std::ops::Range<usize>, c: char) {
        if self.text[part.clone()].contains(c) {
            let with = self.text[part.clone()].replace(c, " ");
            self.edit(part, with.into());
        }
    }

    /// Blanks for all of a part but the ends of lines.
    fn blank_all(&mut self, part: std::ops::Range<usize>) {
        let bytes = self.text[part.clone()].bytes();
        let with = bytes
            .map(|b| if b == b'\n' { '\n' } else { ' ' })
            .collect::<String>();
        self.edit(part, with.into());
    }

    fn edit(&mut self, from: std::ops::Range<usize>, with: Cow<'static, str>) {
        // where the edit begins in the new text is known at the end
        self.edits.push(Edit { from, with, to: 0 });
    }

    fn done(self) -> Tidy<'a> {
        let Scan {
            text, mut edits, ..
        } = self;
        if edits.is_empty() {
            let text = Cow::Borrowed(text);
            return Tidy { text, edits };
        }
        let mut out = String::with_capacity(text.len() + edits.len() * 4);
        let mut from = 0;
        for e in &mut edits {
            out.push_str(&text[from..e.from.start]);
            e.to = out.len();
            out.push_str(&e.with);
            from = e.from.end;
        }
        out.push_str(&text[from..]);
        let text = Cow::Owned(out);
        Tidy { text, edits }
    }
}

/// True if a text begins as it goes on behind the `&` of a character's name or number.
fn is_entity(text: &str) -> bool {
    let Some(number) = text.strip_prefix('#') else {
        return ENTITIES.iter().any(|e| text.starts_with(e));
    };
    let Some((number, _)) = number.split_once(';') else {
        return false;
    };
    let code = match number.strip_prefix('x') {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    let plain = |c: char| c >= ' ' || matches!(c, '\t' | '\n' | '\r');
    code.ok().and_then(char::from_u32).is_some_and(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tidied(text: &str) -> String {
        tidy(text).map_or_else(|e| format!("{e:?}"), |t| t.text.into_owned())
    }

    #[test]
    fn hyphens_in_comments_become_blanks() {
        let text = "<a x='-'><!-- - é--- --><![CDATA[<!-- - -->]]>--</a><!--->-";
        assert_eq!(
            tidied(text),
            "<a x='-'><!--   é    --><![CDATA[<!-- - -->]]>--</a><!--->-"
        );
        assert_eq!(tidied("<!-- a -->"), "<!-- a -->");
    }

    #[test]
    fn blanks_come_where_they_are_missing_and_places_are_found_again() {
        let text = "<!-- a=\"1\"b=\"2\" --><a x=\"1\"y='2'z=\"3\"/><b>\"t\"u</b>";
        let end = "<a x=\"1\" y='2' z=\"3\"/><b>\"t\"u</b>";
        assert!(tidied(text).ends_with(end));
        places_are_found_again(text, "yzu<");
    }

    /// Each of the characters stands once more in the new text where its place is that of the original.
    fn places_are_found_again(text: &str, which: &str) {
        let tidy = tidy(text).unwrap_or_else(|e| panic!("{e:?}"));
        for (at, c) in text.char_indices().filter(|(_, c)| which.contains(*c)) {
            let mut new = tidy.text.char_indices();
            let there = new.find(|&(i, s)| s == c && tidy.written(i) == at);
            assert!(there.is_some(), "{c} at {at} of {:?}", tidy.text);
        }
    }

    #[test]
    fn what_mujocos_parser_takes_is_named() {
        let text = "<a x='p&q &amp; &foo; &#65; &#xZ; &#65 <\r\n\t' y='\n'>r&s</a>";
        let new = "<a x='p&amp;q &amp; &amp;foo; &#65; &amp;#xZ; &amp;#65 &lt;&#10;&#9;' y='&#10;'>r&amp;s</a>";
        assert_eq!(tidied(text), new);
        places_are_found_again(text, "xpqyrs");
    }

    #[test]
    fn what_stands_before_the_first_element_is_blank() {
        let text = "\n <?xml version='1.0'?>\n<!DOCTYPE mujoco>hello\n<a/>";
        let tidy = tidied(text);
        assert_eq!(tidy.trim(), "<a/>");
        assert_eq!((tidy.len(), tidy.lines().count()), (text.len(), 4));
        let own = "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>";
        assert!(tidied(own).starts_with("<!DOCTYPE a [<!ENTITY b 'c'>"));
    }

    #[test]
    fn names_have_no_prefixes() {
        let text =
            "<a:b x='c:d'\n xmlns:e=\"f\"xmlns ='g' x:y='z' xmlnsx=':'>h:i<!-- j:k --></a:b>";
        let new = tidied(text);
        assert!(!new.contains("xmlns=") && !new.contains("xmlns ="), "{new}");
        let doc = roxmltree::Document::parse(&new).unwrap();
        let root = doc.root_element();
        assert_eq!(name(root.tag_name().name()), "a:b");
        let names: Vec<String> = root.attributes().map(|a| name(a.name())).collect();
        assert_eq!(names, ["x", "xmlns:e", "xmlns", "x:y", "xmlnsx"]);
        places_are_found_again(text, "cfgz");
    }

    #[test]
    fn faults_come_with_their_place() {
        let text = format!("<a><b{}/></a>", " x=\"1\"".repeat(MAX_ATTRS + 1));
        assert_eq!(tidy(&text).err(), Some((Fault::Attributes, 3)));
        let inside = tidy("<a><?b c?></a>").err();
        assert_eq!(inside, Some((Fault::Declaration, 3)));
    }
}
