//! The arrays that stages read and write, found from the accessors that their texts call.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::fields::{FIELDS, Model};
use crate::gpu::accessor::access;
use crate::gpu::library::{contacts, library};
use crate::gpu::wgsl::Team;
use crate::gpu::{generic, lex, own};
use crate::stages::{STAGES, Stage, ipc};

/// The arrays that a text touches, by the accessors that it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dataflow {
    /// Arrays read, in order of the table.
    pub reads: Vec<&'static str>,
    /// Arrays written, in order of the table.
    pub writes: Vec<&'static str>,
}

/// Arrays that stages read and write.
pub fn dataflow(stages: &[&Stage]) -> Dataflow {
    let mut all = flow(stages.iter().map(|stage| stage.shader.to_owned()));
    for hosted in stages.iter().filter_map(|stage| stage.hosted.as_ref()) {
        all.reads.extend(hosted.reads);
        all.writes.extend(hosted.writes);
    }
    Dataflow {
        reads: in_order(all.reads),
        writes: in_order(all.writes),
    }
}

/// Arrays that texts read and write; accessors in user texts count under their names without the prefix.
pub(super) fn flow(texts: impl Iterator<Item = String>) -> Dataflow {
    let lib = library(Team::new(1, 1));
    let mut todo: Vec<String> = texts.map(|text| generic::expand(&text, lib)).collect();
    let mut seen = BTreeMap::new();
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    while let Some(text) = todo.pop() {
        let code = lex::without_comments(&text);
        for word in lex::words(&code).iter().filter(|w| w.call && !w.definition) {
            if seen.insert(word.name.to_owned(), ()).is_some() {
                continue;
            }
            let name = word.name.strip_prefix(own::OWN).unwrap_or(word.name);
            match access(name) {
                Some(a) if a.write => writes.push(a.field.name),
                Some(a) => reads.push(a.field.name),
                None => {
                    let shared = || contacts().get(name).map(|item| item.text.clone());
                    todo.extend(generic::item(name, lib).or_else(shared));
                }
            }
        }
    }
    Dataflow {
        reads: in_order(reads),
        writes: in_order(writes),
    }
}

/// Like [`dataflow`], with the user texts that a model adds to its stages.
pub fn dataflow_in(m: &Model, stages: &[&Stage]) -> Dataflow {
    let mut all = dataflow(stages);
    for stage in stages.iter().filter(|stage| own::has_text(m, stage)) {
        let more = own::added_flow(m, stage);
        all.reads.extend(more.reads);
        all.writes.extend(more.writes);
    }
    Dataflow {
        reads: in_order(all.reads),
        writes: in_order(all.writes),
    }
}

// names of arrays in the order of the table, each once
fn in_order(names: Vec<&'static str>) -> Vec<&'static str> {
    let rows = FIELDS.iter().map(|f| f.name);
    rows.filter(|name| names.contains(name)).collect()
}

/// Arrays that a stage reads or writes.
pub fn touched(stage: &Stage) -> &'static [&'static str] {
    static ALL: OnceLock<BTreeMap<&'static str, Vec<&'static str>>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let of = |stage: &&'static Stage| {
            let Dataflow { mut reads, writes } = dataflow(&[*stage]);
            reads.extend(writes);
            (stage.name, reads)
        };
        STAGES.iter().chain(&[&ipc]).map(of).collect()
    });
    all.get(stage.name).map_or(&[], Vec::as_slice)
}
