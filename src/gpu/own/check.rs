//! Checks of user texts; an error gives its line and column in the text.
//!
//! A text may read arrays, and set the arrays of its hook. It may name nothing else that leads to memory of others. That is checked
//! here, word by word, before naga validates the rest.

use super::{Form, OWN, renamed};
use crate::error::{Error, Result};
use crate::fields::{Model, Room};
use crate::gpu::accessor::access;
use crate::gpu::arena::{Layout, chip_words};
use crate::gpu::lex;
use crate::gpu::wgsl::{Build, Team};
use crate::stages::{self, Stage};
use crate::user::Hook;
use std::collections::BTreeSet;

/// Keywords that concern a whole module, of which the text is only a part.
const OF_MODULES: [&str; 4] = ["override", "enable", "requires", "diagnostic"];

/// Prefixes or suffixes of WGSL names that concern several invocations together.
const TOGETHER: [&str; 4] = ["workgroup", "subgroup", "quad", "atomic"];

// a team of many lanes, and one of one lane
const TEAMS: [(Team, u32); 2] = [(Team::new(32, 2), 1), (Team::new(1, 32), 32)];

/// A text under check.
struct Looked<'a> {
    hook: Hook,
    // its name in error messages
    name: String,
    text: &'a str,
    // the text without its comments
    code: String,
    // names that it defines
    names: Vec<String>,
    // the stage whose kernel contains it
    stage: &'static Stage,
}

/// Rejects a hook's text that the model cannot run, with line and column in the text.
pub(crate) fn check(m: &Model, hook: Hook) -> Result<()> {
    let Some((_, text)) = m.users().texts().find(|(of, _)| *of == hook) else {
        return Ok(());
    };
    let looked = Looked {
        hook,
        name: format!("text {}", hook.told(m)),
        text,
        code: lex::without_comments(text),
        names: renamed(hook, text).0,
        stage: stages::stage(hook.stage(m)).unwrap_or(&stages::control),
    };
    looked.letters()?;
    looked.whole()?;
    for (team, tile) in TEAMS {
        let layout = Layout::new(m, tile, &[], chip_words(team))?;
        let build = Build::new(m, &layout, team);
        // many-lane teams contain barriers, so names are checked with them
        if team.lanes > 1 {
            looked.names(&build)?;
        }
        build.module(&[looked.stage]).validate()?;
    }
    Ok(())
}

impl Looked<'_> {
    // an error at a byte position of the text
    fn fault(&self, at: usize, msg: &str) -> Error {
        let before = &self.code[..at];
        let line = before.matches('\n').count();
        let col = at - before.rfind('\n').map_or(0, |end| end + 1);
        let text = self.text.lines().nth(line).unwrap_or("").trim();
        Error::Shader {
            stage: self.hook.form().name.to_owned(),
            msg: format!("{}:{}:{}: {msg}\n    {text}", self.name, line + 1, col + 1),
        }
    }

    // byte position of a word of the code
    fn at(&self, word: &lex::Word<'_>) -> usize {
        word.name.as_ptr() as usize - self.code.as_ptr() as usize
    }

    // only characters that every parser splits into the same lines and words
    fn letters(&self) -> Result<()> {
        let mut rest = self.text.chars().peekable();
        while let Some(c) = rest.next() {
            let lone = c == '\r' && rest.peek() != Some(&'\n');
            if lone || "\u{b}\u{c}\u{85}\u{2028}\u{2029}".contains(c) {
                return Err(self.fault(0, "lines have to end with a line feed"));
            }
        }
        let strange = |c: &(usize, char)| !c.1.is_ascii() || c.1 == '\0';
        if let Some((at, c)) = self.code.char_indices().find(strange) {
            return Err(self.fault(at, &format!("{c:?} is allowed only in comments")));
        }
        match self.code.find('@') {
            Some(at) => Err(self.fault(at, "attributes are not allowed in a text")),
            None => Ok(()),
        }
    }

    // the text consists of functions, constants and structs, and has the function of its hook
    fn whole(&self) -> Result<()> {
        let (mut depth, mut done) = (0, 0);
        let words = lex::words(&self.code);
        for word in &words {
            let at = self.at(word);
            for c in self.code[done..at].chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
            }
            done = at;
            if OF_MODULES.contains(&word.name) || depth == 0 && word.name == "var" {
                let msg = format!(
                    "{}: a text may have only functions, constants and structs",
                    word.name
                );
                return Err(self.fault(at, &msg));
            }
        }
        let form = self.hook.form();
        let mut called = words.iter();
        let Some(called) = called.find(|word| word.definition && word.name == form.name) else {
            return Err(self.fault(0, &format!("the text has no {}", form.told())));
        };
        let rest = &self.code[self.at(called) + form.name.len()..];
        match form.is_that_of(rest.split('{').next().unwrap_or(rest)) {
            true => Ok(()),
            false => Err(self.fault(self.at(called), &format!("it has to be {}", form.told()))),
        }
    }

    // every name is one that a text may use
    fn names(&self, build: &Build<'_>) -> Result<()> {
        let of_stage = lex::items(self.stage.shader);
        for word in lex::words(&self.code) {
            if self.names.iter().any(|name| name == word.name) {
                continue;
            }
            if self.hook.form().calls.contains(&word.name) {
                continue;
            }
            let ours = |item: &lex::Item| item.name == word.name;
            let why = match word.name.starts_with(OWN) || of_stage.iter().any(ours) {
                true => Some(foreign(word.name)),
                false => self.refused(build, word.name),
            };
            if let Some(why) = why {
                return Err(self.fault(self.at(&word), &why));
            }
        }
        Ok(())
    }

    // why a text may not use a name; calls are not told apart, since a call can be written in many ways
    fn refused(&self, build: &Build<'_>, name: &str) -> Option<String> {
        let Form { sets, reads, .. } = self.hook.form();
        if !reads
            && build
                .item(name, true)
                .is_some_and(|item| !item.starts_with("const"))
        {
            return Some(format!(
                "{name}: this function may use only its arguments and constants"
            ));
        }
        if let Some(access) = access(name) {
            let field = access.field;
            return match (access.write, field.room) {
                (true, _) if sets.contains(&field.name) => None,
                (true, _) if sets.is_empty() => Some(format!(
                    "{name}: this function may not set arrays, it returns its result"
                )),
                (true, _) => Some(format!(
                    "{name}: this function may set only {}",
                    sets.join(", ")
                )),
                (false, Room::Scratch) => Some(format!(
                    "{name} is a temporary array of a stage and is not kept"
                )),
                (false, _) => None,
            };
        }
        let pattern = |item: String| item.starts_with(&format!("fn {name}<"));
        let refused = is_together(name)
            || build.item(name, true).is_some_and(pattern)
            || !only_reads(build, name, true, &mut BTreeSet::new());
        refused.then(|| foreign(name))
    }
}

fn foreign(name: &str) -> String {
    format!(
        "{name} is not allowed in a text of your own, which may read arrays and constants, and call functions that only read"
    )
}

impl Form {
    fn told(&self) -> String {
        let result = match self.result {
            "" => String::new(),
            result => format!(" -> {result}"),
        };
        let params: Vec<String> = (1..)
            .zip(self.params)
            .map(|(k, t)| format!("{}{k}: {t}", &t[..1].to_lowercase()))
            .collect();
        format!("`fn {}({}){result}`", self.name, params.join(", "))
    }

    // whether a function head, from the parenthesis on, has the form's types
    fn is_that_of(&self, head: &str) -> bool {
        let head: String = head.split_whitespace().collect();
        let Some((params, result)) = head.strip_prefix('(').and_then(|head| head.split_once(')'))
        else {
            return false;
        };
        let params = params.split(',').filter(|param| !param.is_empty());
        let types: Vec<&str> = params
            .map(|param| param.split_once(':').map_or("", |(_, of)| of))
            .collect();
        types == self.params && result.strip_prefix("->").unwrap_or(result) == self.result
    }
}

fn is_together(name: &str) -> bool {
    name.ends_with("Barrier") || TOGETHER.iter().any(|start| name.starts_with(start))
}

// whether an item of this crate only reads: no variables except by accessors, no setters, no barriers
fn only_reads(build: &Build<'_>, name: &str, call: bool, seen: &mut BTreeSet<String>) -> bool {
    if let Some(access) = access(name).filter(|_| call) {
        return !access.write;
    }
    if is_together(name) {
        return false;
    }
    let item = match seen.insert(name.to_owned()) {
        true => build.item(name, call),
        false => None,
    };
    let Some(item) = item.filter(|item| call || !item.starts_with("fn ")) else {
        return true;
    };
    let code = lex::without_comments(&item);
    let variable = code.starts_with("var") || code.contains("@group");
    let mut words = lex::words(&code).into_iter();
    !variable && words.all(|word| only_reads(build, word.name, word.call, seen))
}
