//! A minimal WGSL lexer: the names that a text defines and uses.

/// A function, constant, variable or struct at the top level of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// Its text, attributes included.
    pub text: String,
    /// True for a function.
    pub function: bool,
}

/// An identifier in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The name.
    pub name: &'a str,
    /// True if an opening parenthesis follows: a call, or a definition.
    pub call: bool,
    /// True if it follows `fn`.
    pub definition: bool,
}

/// The text with its comments blanked; lines and columns stay.
pub fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut depth) = (text, 0);
    while let Some(c) = rest.chars().next() {
        if depth == 0 && rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            out.extend(rest[..end].chars().map(|_| ' '));
            rest = &rest[end..];
        } else if rest.starts_with("/*") {
            (depth, rest) = (depth + 1, &rest[2..]);
            out.push_str("  ");
        } else if depth > 0 && rest.starts_with("*/") {
            (depth, rest) = (depth - 1, &rest[2..]);
            out.push_str("  ");
        } else {
            out.push(if depth == 0 || c == '\n' { c } else { ' ' });
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// Every identifier in a text without comments, members (`v.x`) left out.
pub fn words(text: &str) -> Vec<Word<'_>> {
    let mut out: Vec<Word> = Vec::new();
    let bytes = text.as_bytes();
    let in_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let (mut at, mut after_fn) = (0, false);
    while at < bytes.len() {
        if !in_name(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && in_name(bytes[at]) {
            at += 1;
        }
        let member = start > 0 && bytes[start - 1] == b'.';
        if member || bytes[start].is_ascii_digit() {
            continue;
        }
        let name = &text[start..at];
        out.push(Word {
            name,
            call: text[at..].trim_start().starts_with('('),
            definition: after_fn,
        });
        after_fn = name == "fn";
    }
    out
}

/// The items of a text, in its order.
pub fn items(text: &str) -> Vec<Item> {
    let code = without_comments(text);
    let mut out = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    for (at, c) in code.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c == ';' || c == '}') {
            let item = code[start..=at].trim();
            start = at + 1;
            if let Some((name, function)) = name_of(item) {
                let lines: Vec<&str> = item.lines().map(str::trim_end).collect();
                let lines = lines.into_iter().filter(|line| !line.is_empty());
                out.push(Item {
                    name,
                    text: lines.map(|line| format!("{line}\n")).collect(),
                    function,
                });
            }
        }
    }
    out
}

// the identifier after the keyword of an item and its address space, and true for a function
fn name_of(item: &str) -> Option<(String, bool)> {
    let all = words(item);
    let keyword = |w: &Word| {
        matches!(
            w.name,
            "fn" | "const" | "var" | "struct" | "alias" | "override"
        )
    };
    let k = all.iter().position(keyword)?;
    let space = |w: &&Word| {
        !matches!(
            w.name,
            "private" | "workgroup" | "storage" | "uniform" | "read" | "read_write"
        )
    };
    let name = all[k + 1..].iter().find(space)?;
    Some((name.name.to_owned(), all[k].name == "fn"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_their_words_are_seen() {
        let text = "// fn no()\nconst A: i32 = 1; /* fn no() */\nfn f(x: f32) -> f32 {\n    return g(x).y + A; // h()\n}\nvar<workgroup> s: array<f32, 4>;\nstruct P { x: f32, }";
        let all = items(text);
        let names: Vec<&str> = all.iter().map(|item| item.name.as_str()).collect();
        assert_eq!(names, ["A", "f", "s", "P"]);
        assert!(all[1].function && !all[0].function);
        let code = without_comments(text);
        let calls: Vec<&str> = words(&code)
            .into_iter()
            .filter(|w| w.call && !w.definition)
            .map(|w| w.name)
            .collect();
        assert_eq!(calls, ["g"]);
        assert_eq!(code.len(), text.len());
    }
}
