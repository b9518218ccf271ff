//! Library functions that are generic over arrays.
//!
//! `fn solve_ld<mat, diaginv, x>() { … set_x(i, x(i) * diaginv(i)); … }` is a pattern; the call
//! `solve_ld<qLD, qLDiagInv, qacc_smooth>()` becomes `solve_ld_of_qLD_and_qLDiagInv_and_qacc_smooth()`, and the function of
//! that name is the pattern with the accessors of these arrays in place of its parameters.

use std::collections::BTreeMap;

use crate::gpu::lex::{self, Item};

/// Replaces every name of a text for which `to` returns another; comments are blanked.
pub(super) fn replace(text: &str, to: impl Fn(&lex::Word<'_>) -> Option<String>) -> String {
    let code = lex::without_comments(text);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for word in lex::words(&code) {
        let at = word.name.as_ptr() as usize - code.as_ptr() as usize;
        if let Some(new) = to(&word) {
            out.push_str(&code[done..at]);
            out.push_str(&new);
            done = at + word.name.len();
        }
    }
    out.push_str(&code[done..]);
    out
}

/// A text with every call of a pattern replaced by the call of its instance. Comments are blanked, lines stay.
pub fn expand(text: &str, library: &BTreeMap<String, Item>) -> String {
    expand_within(text, library, &[])
}

// expands a text inside a pattern, whose parameters stand for the arrays of `of`
fn expand_within(text: &str, library: &BTreeMap<String, Item>, of: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let code = lex::without_comments(text);
    let mut rest = code.as_str();
    while let Some((at, name)) = next_call(rest, library) {
        let end = rest[at..].find('>').map_or(rest.len(), |end| at + end + 1);
        let args = rest[at + name.len() + 1..end].trim_end_matches('>');
        let means = |arg: &str| {
            let known = of.iter().find(|(param, _)| *param == arg);
            known.map_or(arg, |(_, arg)| arg).to_owned()
        };
        let args: Vec<String> = args.split(',').map(|arg| means(arg.trim())).collect();
        out.push_str(&rest[..at]);
        out.push_str(&format!("{name}_of_{}", args.join("_and_")));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

// position and name of the next `pattern<`
fn next_call<'a>(code: &'a str, library: &BTreeMap<String, Item>) -> Option<(usize, &'a str)> {
    lex::words(code).into_iter().find_map(|word| {
        let at = word.name.as_ptr() as usize - code.as_ptr() as usize;
        let after = code[at + word.name.len()..].starts_with('<');
        (after && library.get(word.name).is_some_and(|item| item.function))
            .then_some((at, word.name))
    })
}

/// An item of the library by its name, also an instance of a pattern.
pub fn item(name: &str, library: &BTreeMap<String, Item>) -> Option<String> {
    if let Some(item) = library.get(name) {
        return Some(expand(&item.text, library));
    }
    let (base, args) = name.split_once("_of_")?;
    let pattern = &library.get(base)?.text;
    let (head, rest) = pattern.split_once('<')?;
    let (params, body) = rest.split_once('>')?;
    let of: Vec<(&str, &str)> = params
        .split(',')
        .map(str::trim)
        .zip(args.split("_and_"))
        .collect();
    let accessor = |word: &lex::Word<'_>| {
        let find = |stem: &str| {
            of.iter()
                .find(|(param, _)| *param == stem)
                .map(|(_, arg)| *arg)
        };
        if !word.call {
            return None;
        }
        find(word.name).map(str::to_owned).or_else(|| {
            let stem = word.name.strip_prefix("set_")?;
            find(stem).map(|arg| format!("set_{arg}"))
        })
    };
    let head = head.replace(base, name);
    let text = format!("{head}{}", replace(body, accessor));
    Some(expand_within(&text, library, &of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_becomes_the_function_of_its_arrays() {
        let library: BTreeMap<String, Item> = lex::items(
            "fn twice<x>() { let x = x(0); set_x(1, x * 2.0); } fn four<y>() { twice<y>(); }",
        )
        .into_iter()
        .map(|item| (item.name.clone(), item))
        .collect();
        let text = expand("fn f(v: array<f32, 2>) { twice<qacc>(); }", &library);
        assert_eq!(text, "fn f(v: array<f32, 2>) { twice_of_qacc(); }");
        let nested = item("four_of_qvel", &library).unwrap();
        assert_eq!(nested, "fn four_of_qvel() { twice_of_qvel(); }\n");
        let instance = item("twice_of_qacc", &library).unwrap();
        assert_eq!(
            instance,
            "fn twice_of_qacc() { let x = qacc(0); set_qacc(1, x * 2.0); }\n"
        );
    }
}
