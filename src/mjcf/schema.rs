//! TABLE: the elements and attributes of MJCF.
//!
//! Every element and attribute of MuJoCo 4.0.0's language that we read is one row here, with its kind, its built-in value
//! and its meaning; [`super::table`] derives the structs, the reading, the merging and the writing. A row is
//! `attribute: kind = built-in, "meaning";`. Kinds: `real`, `int`, `bool`, `text`, `file`, `name`, `class`, `ref<object>`,
//! `key<Enum>`, `keys<Enum>`; `[3]` exactly three, `[1..3]` one to three (the rest is inherited), `[..]` any number.
//! `(required)` must be given, `(nodefault)` may not be given in a default class. A trailing `_` is not part of the name.
//!
//! Units are those of the XML: angles are degrees or radians by `compiler angle`.

mod actuator;
mod asset;
mod body;
mod constraint;
mod custom;
mod flex;
#[cfg(test)]
mod golden;
mod plugin;
mod sensor;
mod settings;
pub mod urdf;
mod words;

pub use actuator::*;
pub use asset::*;
pub use body::*;
pub use constraint::*;
pub use custom::*;
pub use flex::*;
pub use plugin::*;
pub use sensor::*;
pub use settings::*;
pub use words::*;
