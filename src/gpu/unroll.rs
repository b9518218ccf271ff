//! Specialisation of kernels to a model: no loops, no arrays and no code for features that the model lacks.
//!
//! In a stage with one lane a world almost everything is known when the kernel is made: the model, hence
//! every bound of a loop, every address, every branch on the type of a joint. So the kernel is *interpreted* here, once, on scalars
//! that are either known or names of values that the device will compute (`walk`, `expr`):
//!
//! ```text
//! shaders/crb.wgsl ─ assembly ─▶ naga's IR ─ walk ─▶ scalars and statements ─ dead ─▶ print ─▶ WGSL
//!                                  ▲                   │
//!                     words of the model's arena       ╰─ fold: known · known, x + 0, x · 1, x · 0
//! ```
//!
//! * a word of the model at a known address is a literal; fields that vary are stored with the worlds' words and are read;
//! * a loop goes on while its condition is known, so it is expanded without a trace in the shader; a loop whose condition is still
//!   unknown at the end leaves the stage unchanged ([`Why::Unbounded`]);
//! * a word of the world is read once and kept in a register, and written where its last write is; private arrays are
//!   registers as long as their indices are known;
//! * a branch on an unknown condition is computed on both sides and selected if it is short, and stays a branch if not.
//!
//! It works on naga's IR rather than on the text, because naga has already resolved every name, type and overload: thirty kinds
//! of expressions and ten of statements remain. The result is text again, so that it is validated, reported
//! and dumped like any other module, in browsers too. Code size is bounded; a larger kernel stays unchanged.

mod dead;
mod expr;
mod fold;
mod form;
mod graph;
mod math;
mod print;
mod state;
mod types;
mod walk;

use naga::AddressSpace;

use crate::gpu::module;
pub use form::{Formed, Forms, SOFTWARE};
use graph::{Kind, Op};
use state::State;
use walk::{Room, Target, Value, Walk};

/// Limits on the size of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Statements.
    pub statements: usize,
    /// Words of the worlds that it reads or writes. A software adapter makes each a loop over its lanes.
    pub words: usize,
}

/// Upper limit for any driver.
pub const MOST: Budget = Budget {
    statements: 40_000,
    words: 8_000,
};
/// Scalars that may be created during interpretation, for each allowed statement.
const WASTE: usize = 30;

/// Why a kernel is not unrolled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It was not requested, or is not known to be faster.
    Unasked,
    /// It would exceed its budget.
    Large,
    /// It has a loop whose number of iterations depends on the state.
    Unbounded,
    /// It indexes a private array by the state.
    Index,
    /// It reads beyond the end of an array.
    Range,
    /// It has a construct that is not supported here.
    Foreign(&'static str),
    /// The text is not valid.
    Invalid(String),
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::Unasked => write!(f, "nobody asked for it"),
            Why::Large => write!(f, "it would be too large"),
            Why::Unbounded => write!(f, "a loop ends when the state says so"),
            Why::Index => write!(f, "an index of a private array depends on the state"),
            Why::Range => write!(f, "an index is out of range"),
            Why::Foreign(what) => write!(f, "it has {what}"),
            Why::Invalid(msg) => write!(f, "{msg}"),
        }
    }
}

/// The module without its loops, within the budget `most`. `image` holds the words of the model's arena.
///
/// Fails with the reason where the module cannot be unrolled.
pub fn unroll(plain: &module::Module, image: &[u32], most: Budget) -> Result<module::Module, Why> {
    Ok(sized(plain, image, most)?.0)
}

// like `unroll`, with the size of the module
fn sized(
    plain: &module::Module,
    image: &[u32],
    most: Budget,
) -> Result<(module::Module, Budget), Why> {
    let invalid = |e: crate::Error| Why::Invalid(e.to_string());
    let (module, info) = plain.parsed().map_err(invalid)?;
    let entry = module
        .entry_points
        .first()
        .ok_or(Why::Foreign("no entry"))?;
    let mut s = State::new(most.statements * WASTE);
    let mut walk = Walk {
        module: &module,
        info: &info,
        image,
        globals: Vec::new(),
        frames: Vec::new(),
    };
    for (_, variable) in module.global_variables.iter() {
        let value = match (variable.space, variable.name.as_deref()) {
            (AddressSpace::Private, _) => {
                let first = walk.first(variable)?;
                Some(Value::At(Target::Local(s.push(first))))
            }
            (_, Some("data_words")) => Some(Value::At(Target::Words(Room::Data))),
            (_, Some("model_words")) => Some(Value::At(Target::Words(Room::Model))),
            _ => None,
        };
        walk.globals.push(value);
    }

    // the entry point's arguments are unknown
    let (mut args, mut names) = (Vec::new(), Vec::new());
    for (k, argument) in entry.function.arguments.iter().enumerate() {
        let kinds = types::kinds(&module, &module.types[argument.ty].inner)?;
        let mut value = Vec::new();
        for c in 0..kinds.len() {
            value.push(s.make(Op::Input(k as u32, c as u32), Kind::Uint)?);
        }
        names.push((argument.name.clone().unwrap_or_default(), kinds.len()));
        args.push(Value::Flat(value));
    }
    walk.call(&mut s, &entry.function, info.get_entry_point(0), args)?;
    let block = dead::live(&s.graph, std::mem::take(&mut s.block));
    let size = print::size(&s.graph, &block);
    if size.statements > most.statements || size.words > most.words {
        return Err(Why::Large);
    }
    let text = head(plain, &print::print(&s.graph, &block, &names));
    Ok((plain.unrolled(text), size))
}

// the text before and after the statements
fn head(plain: &module::Module, body: &str) -> String {
    let mut out = String::new();
    let declared = |name: &str| plain.text.lines().find(|line| line.contains(name));
    for name in ["model_words", "data_words"] {
        if body.contains(name) {
            let line = declared(&format!("{name}: array<u32>"));
            out.push_str(line.unwrap_or_default());
            out.push('\n');
        }
    }
    if body.contains(" zero)") {
        out.push_str("var<private> zero: u32 = 0u;\n");
    }
    out.push_str(declared("@compute").unwrap_or_default());
    out.push('\n');
    out.push_str(body);
    out.push_str("}\n");
    out
}
