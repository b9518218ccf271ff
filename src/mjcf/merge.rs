//! Merges settings that a model and one that is attached to it both give, by `compiler conflict`.

use super::read::Reader;
use super::schema::{Conflict, Flag, Options, Size, Visual};
use super::settings::memory_bytes;
use super::spec::Spec;
use super::table::Attrs;
use super::xml::Node;

/// Which of two values takes precedence.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    Least,
    Largest,
    /// The values may not differ.
    Same,
}

/// Flags that are off by default; for these `enable` takes precedence, for all others `disable`.
const OFF: [&str; 8] = [
    "override",
    "energy",
    "fwdinv",
    "invdiscrete",
    "sleep",
    "diagexact",
    "ipc",
    "speculative",
];

impl Reader<'_> {
    /// Resolves differing settings of the model and one that is attached to it, or reports that they may not differ.
    pub fn settle(&mut self, node: &Node, child: &Spec) {
        let differ = match self.compiler().conflict() {
            // the attached model's settings do not count
            Conflict::Warning => return,
            Conflict::Error => differences(&self.spec, child),
            Conflict::Merge => merge(&mut self.spec, child),
        };
        if !differ.is_empty() {
            let word = match self.compiler().conflict() {
                Conflict::Merge => "merge",
                _ => "error",
            };
            let names = differ.join(", ");
            let msg = format!(
                "the attached model has other values of {names}, which compiler conflict=\"{word}\" forbids"
            );
            self.log.mistake(node.origin, None, msg);
        }
    }
}

/// The names of settings that both give with different values.
fn differences(mine: &Spec, theirs: &Spec) -> Vec<String> {
    let mut out = Vec::new();
    differing(&mine.option, &theirs.option, &mut out);
    differing(&mine.option.flag, &theirs.option.flag, &mut out);
    differing(&mine.size, &theirs.size, &mut out);
    out
}

fn differing<A: Attrs>(mine: &A, theirs: &A, out: &mut Vec<String>) {
    mine.said(&mut |name, value| {
        theirs.said(&mut |n, v| {
            if n == name && v != value {
                out.push(name.to_owned());
            }
        });
    });
}

/// Merges the settings of an attached model. Returns the settings that may not differ and do.
fn merge(spec: &mut Spec, child: &Spec) -> Vec<String> {
    let mut differ = Vec::new();
    options(&mut spec.option, &child.option, &mut differ);
    size(&mut spec.size, &child.size, &mut differ);
    visual(&mut spec.visual, &child.visual, &mut differ);
    differ
}

fn options(mine: &mut Options, theirs: &Options, differ: &mut Vec<String>) {
    let mut theirs = theirs.clone();
    // groups that are switched off are united
    let groups = theirs.actuatorgroupdisable.take();
    for group in groups.into_iter().flatten() {
        let own = mine.actuatorgroupdisable.get_or_insert_default();
        if !own.contains(&group) {
            own.push(group);
        }
    }
    take(mine, &theirs, differ, |name| match name {
        "timestep" => Rule::Least,
        name if name.ends_with("tolerance") => Rule::Least,
        name if name.ends_with("iterations") || name == "sdf_initpoints" => Rule::Largest,
        _ => Rule::Same,
    });
    flags(&mut mine.flag, &theirs.flag);
}

fn flags(mine: &mut Flag, theirs: &Flag) {
    theirs.said(&mut |name, word| {
        let wins = match OFF.contains(&name) {
            true => "enable",
            false => "disable",
        };
        if word == wins || said(mine, name).is_none() {
            mine.set(name, &word);
        }
    });
}

fn size(mine: &mut Size, theirs: &Size, differ: &mut Vec<String>) {
    let mut theirs = theirs.clone();
    let bytes = |memory: &Option<String>| memory.as_deref().and_then(memory_bytes);
    if bytes(&mine.memory) >= bytes(&theirs.memory) {
        theirs.memory = None;
    } else {
        mine.memory = theirs.memory.take();
    }
    take(mine, &theirs, differ, |_| Rule::Largest);
}

/// Merges visual settings: only the clipping planes and the speed.
fn visual(mine: &mut Visual, theirs: &Visual, differ: &mut Vec<String>) {
    let map = super::schema::VisualMap {
        znear: theirs.map.znear,
        zfar: theirs.map.zfar,
        ..Default::default()
    };
    take(&mut mine.map, &map, differ, |name| match name {
        "znear" => Rule::Least,
        _ => Rule::Largest,
    });
    let global = super::schema::Global {
        realtime: theirs.global.realtime,
        ..Default::default()
    };
    take(&mut mine.global, &global, differ, |_| Rule::Least);
}

/// The text of an attribute, if it is given.
fn said<A: Attrs>(attrs: &A, wanted: &str) -> Option<String> {
    let mut out = None;
    attrs.said(&mut |name, text| {
        if name == wanted {
            out = Some(text);
        }
    });
    out
}

/// Takes each attribute of the other that is not given here, or that takes precedence by its rule.
fn take<A: Attrs>(mine: &mut A, theirs: &A, differ: &mut Vec<String>, rule: impl Fn(&str) -> Rule) {
    theirs.said(&mut |name, text| {
        let wins = match said(mine, name) {
            None => true,
            Some(own) if own == text => false,
            Some(own) => {
                let numbers = own.parse::<f64>().ok().zip(text.parse::<f64>().ok());
                match (rule(name), numbers) {
                    (Rule::Least, Some((own, other))) => other < own,
                    (Rule::Largest, Some((own, other))) => other > own,
                    _ => {
                        differ.push(name.to_owned());
                        false
                    }
                }
            }
        };
        if wins {
            // the text was printed by the same row
            mine.set(name, &text);
        }
    });
}
