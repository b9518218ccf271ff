//! The WGSL functions that read and write an array: the address of each word, and the value made of the words.

use std::fmt::Write as _;

use crate::fields::{Elem, Field, field};
use crate::gpu::arena::Slot;
use crate::gpu::wgsl::Build;

/// An accessor: its array, whether it writes, and whether it touches one component or the whole element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) field: &'static Field,
    pub(super) write: bool,
    component: bool,
}

/// The access of a called name, if it is an accessor's.
pub(super) fn access(call: &str) -> Option<Access> {
    let (write, rest) = match call.strip_prefix("set_") {
        Some(rest) => (true, rest),
        None => (false, call),
    };
    if let Some(field) = field(rest) {
        return Some(Access {
            field,
            write,
            component: false,
        });
    }
    let field = field(rest.strip_suffix("_at")?)?;
    Some(Access {
        field,
        write,
        component: true,
    })
}

impl Build<'_> {
    fn on_chip(&self, field: &Field) -> bool {
        self.layout.slot(field).chip
    }

    pub(super) fn chip_variable(&self, field: &Field) -> String {
        let n = self.chip_elements(field);
        let (space, n) = match self.team.lanes {
            1 => ("private", n),
            _ => ("workgroup", n * self.team.worlds),
        };
        let ty = if fours(field) { "vec4f" } else { "u32" };
        format!("var<{space}> chip_{}: array<{ty}, {n}>;\n", field.name)
    }

    // number of elements of one world's array on chip: words, or groups of four words
    fn chip_elements(&self, field: &Field) -> u32 {
        let words = self.layout.slot(field).words.max(1);
        if fours(field) {
            words.div_ceil(4)
        } else {
            words
        }
    }

    /// The text of an accessor; with `checked` it checks its index.
    pub(super) fn accessor(&self, name: &str, a: Access, checked: bool) -> String {
        let Access {
            field,
            write,
            component,
        } = a;
        let slot = self.layout.slot(field);
        let width = field.elem.width();
        let (mut params, element) = self.element(field);
        let ty = match component {
            true => scalar(field.elem),
            false => type_of(field.elem),
        };
        // a checked index is another variable
        let component_index = if checked { "m" } else { "k" };
        let whole = self.on_chip(field) && fours(field);
        let mut first = match width {
            1 => "e".to_owned(),
            _ if whole => "e".to_owned(),
            _ => format!("e * {width}"),
        };
        if component {
            params.push("k: i32".to_owned());
            if !whole {
                let _ = write!(first, " + {component_index}");
            }
        }
        let result = match write {
            true => String::new(),
            false => format!(" -> {ty}"),
        };
        if write {
            params.push(format!("v: {ty}"));
        }
        let mut out = format!("fn {name}({}){result} {{\n", params.join(", "));
        // an array without elements has no word to write to
        if checked && write && slot.words == 0 {
            out.push_str("}\n");
            return out;
        }
        out.push_str(&index(&element, component, slot.len, width, checked));
        let _ = writeln!(out, "    let a = {};", self.place(field, slot)(&first));
        match whole {
            true => out.push_str(&four_on_chip(a, component_index, checked)),
            false => self.words_at(&mut out, a, checked),
        }
        out.push_str("}\n");
        out
    }

    // one parameter for each dimension of a field, and the element: their row-major combination
    fn element(&self, field: &Field) -> (Vec<String>, String) {
        let dims = field.dims.iter().filter(|dim| **dim != "1");
        let (mut params, mut element) = (Vec::new(), "0".to_owned());
        for (k, dim) in dims.enumerate() {
            params.push(format!("i{k}: i32"));
            element = match k {
                0 => "i0".to_owned(),
                _ => format!("({element}) * {} + i{k}", self.m.size(dim).unwrap_or(0)),
            };
        }
        (params, element)
    }

    // reads or writes the words of an element or of a component, the first of them at `a`
    fn words_at(&self, out: &mut String, access: Access, checked: bool) {
        let Access {
            field,
            write,
            component,
        } = access;
        let poisoned = |word: String| match checked {
            true => format!("({word} | poison)"),
            false => word,
        };
        if !write {
            let load = |k: usize| poisoned(self.load(field, &plus("a", k)));
            let _ = writeln!(out, "    return {};", compose(field.elem, component, load));
            return;
        }
        let words = if component { 1 } else { field.elem.width() };
        for k in 0..words {
            let value = format!("bitcast<u32>({})", part(field.elem, component, k));
            let store = self.store(field, &plus("a", k), &poisoned(value));
            let _ = writeln!(out, "    {store}");
        }
    }

    // address of a word of an array, given its index within the array
    fn place(&self, field: &Field, slot: Slot) -> impl Fn(&str) -> String + use<> {
        let chip = self.on_chip(field);
        let team = chip && self.team.lanes > 1;
        let elements = self.chip_elements(field);
        move |word: &str| match (chip, team) {
            (true, true) => format!("team * {elements} + {word}"),
            (true, false) => word.to_owned(),
            _ => format!("{} + {word}", slot.offset),
        }
    }

    fn load(&self, field: &Field, address: &str) -> String {
        match (self.on_chip(field), self.layout.slot(field).per_world) {
            (true, _) => format!("chip_{}[{address}]", field.name),
            (_, true) => format!("data_word({address})"),
            _ => format!("model_word({address})"),
        }
    }

    fn store(&self, field: &Field, address: &str, value: &str) -> String {
        match self.on_chip(field) {
            true => format!("chip_{}[{address}] = {value};", field.name),
            false => format!("set_data_word({address}, {value});"),
        }
    }
}

// true if an array on chip is stored as four-word vectors
fn fours(field: &Field) -> bool {
    field.elem == Elem::Quat
}

// reads or writes a vector `a` of an array on chip, or a component of it
fn four_on_chip(access: Access, component: &str, checked: bool) -> String {
    let name = access.field.name;
    let (chip, four, word) = match access.component {
        true => (format!("chip_{name}[a][{component}]"), "f32", "u32"),
        false => (format!("chip_{name}[a]"), "vec4f", "vec4u"),
    };
    let value = |x: &str| match checked {
        true => format!("bitcast<{four}>(bitcast<{word}>({x}) | {word}(poison))"),
        false => x.to_owned(),
    };
    match access.write {
        true => format!("    {chip} = {};\n", value("v")),
        false => format!("    return {};\n", value(&chip)),
    }
}

// the index of an element; with `checked`, an index out of range becomes the first, and all words that are read or written there
// become NaN. No branch: a software adapter's compiler takes twice as long for kernels that branch in every accessor
fn index(element: &str, component: bool, len: u32, width: usize, checked: bool) -> String {
    if !checked {
        return format!("    let e = {element};\n");
    }
    let range = match component {
        true => format!("out_of_range(n, {len}) | out_of_range(k, {width})"),
        false => format!("out_of_range(n, {len})"),
    };
    let component = match component {
        true => "    let m = select(k, 0, bad);\n",
        false => "",
    };
    format!(
        "    let n = {element};
    let bad = {range};
    let e = select(n, 0, bad);
{component}    let poison = select(0u, nan_bits, bad);
"
    )
}

fn plus(a: &str, k: usize) -> String {
    match k {
        0 => a.to_owned(),
        _ => format!("{a} + {k}"),
    }
}

fn scalar(elem: Elem) -> &'static str {
    if elem == Elem::Int { "i32" } else { "f32" }
}

fn type_of(elem: Elem) -> &'static str {
    match elem {
        Elem::Int => "i32",
        Elem::Real => "f32",
        Elem::Vec3 => "vec3f",
        Elem::Quat => "vec4f",
        Elem::Mat3 => "mat3x3f",
        Elem::Spatial => "Spatial",
        Elem::Inert => "Inert",
    }
}

// the value of an element from its words in memory order
fn compose(elem: Elem, component: bool, word: impl Fn(usize) -> String) -> String {
    let f = |k: usize| format!("bitcast<f32>({})", word(k));
    let vec3 =
        |k: usize, step: usize| format!("vec3f({}, {}, {})", f(k), f(k + step), f(k + 2 * step));
    match elem {
        Elem::Int => format!("bitcast<i32>({})", word(0)),
        _ if component => f(0),
        Elem::Real => f(0),
        Elem::Vec3 => vec3(0, 1),
        Elem::Quat => format!("vec4f({}, {}, {}, {})", f(0), f(1), f(2), f(3)),
        Elem::Mat3 => format!("mat3x3f({}, {}, {})", vec3(0, 3), vec3(1, 3), vec3(2, 3)),
        Elem::Spatial => format!("Spatial({}, {})", vec3(0, 1), vec3(3, 1)),
        Elem::Inert => format!(
            "Inert({}, {}, {}, {})",
            vec3(0, 1),
            vec3(3, 1),
            vec3(6, 1),
            f(9)
        ),
    }
}

// the word `k`, in memory order, of a value `v`
fn part(elem: Elem, component: bool, k: usize) -> String {
    match elem {
        _ if component => "v".to_owned(),
        Elem::Int | Elem::Real => "v".to_owned(),
        Elem::Vec3 | Elem::Quat => format!("v[{k}]"),
        Elem::Mat3 => format!("v[{}][{}]", k % 3, k / 3),
        Elem::Spatial => format!("v.{}[{}]", ["rot", "lin"][k / 3], k % 3),
        Elem::Inert if k == 9 => "v.mass".to_owned(),
        Elem::Inert => format!("v.{}[{}]", ["diag", "off", "moment"][k / 3], k % 3),
    }
}
