//! The macros behind the schema table: the meaning of a row, and the code derived from it.
//!
//! A row of [`super::schema`] reads `friction: real[1..3] = [1.0, 0.005, 0.0001], "…";`. It generates a field `friction:
//! Option<Vec<f64>>` (the given value), a method `friction() -> [f64; 3]` (the value in effect: MuJoCo's built-in one where none
//! was given), the check on reading, the merging of defaults, the writing back, and the entry of [`Attrs::list`].

use std::fmt::Write as _;

use super::source::Origin;

/// Kind of value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `lo` to `hi` real numbers.
    Real(usize, usize),
    /// `lo` to `hi` integers.
    Int(usize, usize),
    /// `true` or `false`.
    Bool,
    /// Any text.
    Text,
    /// The name that this element gets.
    Name,
    /// The name of a default class.
    Class,
    /// The name of another element, of the kind given.
    Ref(&'static str),
    /// The name of a file.
    File,
    /// One of these keywords.
    Key(&'static [&'static str]),
    /// Several of these keywords.
    Keys(&'static [&'static str]),
}

/// One attribute as the table declares it.
#[derive(Clone, Copy, Debug)]
pub struct Attr {
    /// The name in the XML.
    pub name: &'static str,
    /// The kind of value.
    pub kind: Kind,
    /// The attribute must be present.
    pub required: bool,
    /// The attribute may not be given in a default class.
    pub nodefault: bool,
    /// Meaning of the attribute.
    pub doc: &'static str,
}

/// A struct derived from the table: a set of attributes, each given or not.
pub trait Attrs: Default + Clone {
    /// Calls `f` for every attribute of the table row, blocks included.
    fn list(f: &mut dyn FnMut(&Attr));
    /// Reads the text of an attribute; `None` if there is no such attribute.
    fn set(&mut self, name: &str, text: &str) -> Option<Result<(), String>>;
    /// Takes values from `class` that are not given here; arrays of variable length are completed element by element. A reference
    /// or a file with an empty text hides that of the class and names nothing.
    fn inherit(&mut self, class: &Self);
    /// Calls `f` with the name and the text of every attribute that is given.
    fn said(&self, f: &mut dyn FnMut(&'static str, String));
    /// Calls `f` with the tag and the given attributes of every child element that is a row of its own.
    fn elements(&self, f: &mut dyn FnMut(&'static str, Vec<(&'static str, String)>));
    /// Calls `f` for every given text: names, classes, references, files and plain texts.
    fn texts(&mut self, f: &mut dyn FnMut(&Attr, &mut String));
    /// The place of the element in the text.
    fn origin(&self) -> Origin;
    /// Sets the place of the element in the text.
    fn set_origin(&mut self, origin: Origin);
}

/// A keyword set: an enum with the words that MJCF uses for it.
pub trait Keyword: Copy + PartialEq + 'static {
    /// The words, in the order of [`Keyword::VALUES`].
    const WORDS: &'static [&'static str];
    /// The values, in the order of [`Keyword::WORDS`].
    const VALUES: &'static [Self];

    /// The value of a word.
    fn from_word(word: &str) -> Option<Self> {
        let i = Self::WORDS.iter().position(|w| *w == word)?;
        Self::VALUES.get(i).copied()
    }

    /// The word of a value.
    fn word(self) -> &'static str {
        let i = Self::VALUES.iter().position(|v| *v == self);
        i.and_then(|i| Self::WORDS.get(i)).copied().unwrap_or("")
    }
}

/// A Rust type that an attribute may have.
pub trait Value: Sized + Clone {
    /// Reads the text of an attribute of the given kind.
    fn parse(kind: Kind, text: &str) -> Result<Self, String>;
    /// The text that reads back to this value.
    fn print(&self) -> String;
    /// Completes a partial array by the tail of an inherited one.
    fn complete(&mut self, _kind: Kind, _class: &Self) {}
    /// The text, if the value is one.
    fn text_mut(&mut self) -> Option<&mut String> {
        None
    }
}

/// Turns a field name into the attribute's name (`type_` is `type`).
pub(crate) const fn xml_name(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [head @ .., b'_'] => match std::str::from_utf8(head) {
            Ok(name) => name,
            Err(_) => field,
        },
        _ => field,
    }
}

/// An array of `N` numbers: the given ones, then those of `rest`.
pub(crate) fn fill<T: Copy, const N: usize>(said: Option<&[T]>, rest: [T; N]) -> [T; N] {
    let mut out = rest;
    for (o, v) in out.iter_mut().zip(said.unwrap_or_default()) {
        *o = *v;
    }
    out
}

/// Makes a reference or a file with an empty text one that is not given.
pub(crate) fn unsay_empty<V: Value>(said: &mut Option<V>, kind: Kind) {
    let names = matches!(kind, Kind::Ref(_) | Kind::File);
    let text = said.as_mut().and_then(Value::text_mut);
    if names && text.is_some_and(|text| text.is_empty()) {
        *said = None;
    }
}

/// Whether any attribute is given.
pub(crate) fn anything_said(attrs: &impl Attrs) -> bool {
    let mut any = false;
    attrs.said(&mut |_, _| any = true);
    any
}

fn count_wanted(lo: usize, hi: usize) -> String {
    let s = |n: usize| if n == 1 { "" } else { "s" };
    match (lo, hi) {
        (0, usize::MAX) => "numbers".into(),
        (lo, usize::MAX) => format!("at least {lo} number{}", s(lo)),
        (lo, hi) if lo == hi => format!("{lo} number{}", s(lo)),
        (lo, hi) => format!("{lo} to {hi} numbers"),
    }
}

fn bounds(kind: Kind) -> (usize, usize) {
    match kind {
        Kind::Real(lo, hi) | Kind::Int(lo, hi) => (lo, hi),
        _ => (1, 1),
    }
}

/// The numbers of a text, with MuJoCo's separators: white space only.
fn numbers<T: Number>(kind: Kind, text: &str) -> Result<Vec<T>, String> {
    let (lo, hi) = bounds(kind);
    let one = |why: String| {
        if hi == 1 {
            why.replace("needs numbers", "needs a number")
        } else {
            why
        }
    };
    let values: Vec<T> = text
        .split_ascii_whitespace()
        .map(|word| T::number(word).map_err(one))
        .collect::<Result<_, _>>()?;
    if values.len() < lo || values.len() > hi {
        return Err(format!(
            "needs {}, found {}",
            count_wanted(lo, hi),
            values.len()
        ));
    }
    Ok(values)
}

/// A number of an attribute: real or integer.
pub(crate) trait Number: Copy {
    fn number(word: &str) -> Result<Self, String>;
    fn show(self) -> String;
}

impl Number for f64 {
    fn number(word: &str) -> Result<f64, String> {
        match word.parse::<f64>().or_else(|e| hexadecimal(word).ok_or(e)) {
            Ok(x) if x.is_finite() => Ok(x),
            Ok(_) if word.bytes().any(|b| b.is_ascii_digit()) => {
                Err(format!("{word:?} is too large for a double"))
            }
            Ok(_) => Err(format!("must be finite, found {word:?}")),
            Err(_) => Err(format!("needs numbers, found {word:?}{}", comma_hint(word))),
        }
    }
    fn show(self) -> String {
        // the shortest text that reads back to the same bits
        let plain = format!("{self}");
        if plain.len() <= 17 {
            plain
        } else {
            format!("{self:e}")
        }
    }
}

/// A number in hexadecimal digits, as C's `strtod` reads it: `-0x1.8p-2` is -0.375.
fn hexadecimal(word: &str) -> Option<f64> {
    let (sign, word) = match word.as_bytes().first()? {
        b'-' => (-1.0, &word[1..]),
        b'+' => (1.0, &word[1..]),
        _ => (1.0, word),
    };
    let word = word
        .strip_prefix("0x")
        .or_else(|| word.strip_prefix("0X"))?;
    let (digits, power) = match word.split_once(['p', 'P']) {
        Some((digits, power)) => (digits, power.parse::<i32>().ok()?),
        None => (word, 0),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + part.len() == 0 {
        return None;
    }
    let sum = whole
        .chars()
        .chain(part.chars())
        .try_fold(0.0, |sum, c| Some(sum * 16.0 + f64::from(c.to_digit(16)?)))?;
    let power = power.saturating_sub(4 * i32::try_from(part.len()).ok()?);
    Some(sign * sum * 2f64.powi(power))
}

impl Number for i32 {
    fn number(word: &str) -> Result<i32, String> {
        word.parse::<i32>().map_err(|e| match e.kind() {
            std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
                format!("{word} is out of the range of a 32-bit integer")
            }
            _ => format!("needs an integer, found {word:?}{}", comma_hint(word)),
        })
    }
    fn show(self) -> String {
        self.to_string()
    }
}

fn comma_hint(word: &str) -> &'static str {
    if word.contains([',', ';']) {
        "; numbers are separated by spaces"
    } else {
        ""
    }
}

fn show<T: Number>(values: &[T]) -> String {
    let mut out = String::new();
    for (i, v) in values.iter().enumerate() {
        let _ = write!(out, "{}{}", if i > 0 { " " } else { "" }, v.show());
    }
    out
}

macro_rules! number_values {
    ($($t:ty)*) => { $(
        impl Value for $t {
            fn parse(kind: Kind, text: &str) -> Result<Self, String> {
                let values = numbers::<$t>(kind, text)?;
                values.first().copied().ok_or_else(|| "needs a number, found nothing".into())
            }
            fn print(&self) -> String { self.show() }
        }
        impl<const N: usize> Value for [$t; N] {
            fn parse(kind: Kind, text: &str) -> Result<Self, String> {
                let values = numbers::<$t>(kind, text)?;
                values.try_into().map_err(|_| format!("needs {}", count_wanted(N, N)))
            }
            fn print(&self) -> String { show(self) }
        }
        impl Value for Vec<$t> {
            fn parse(kind: Kind, text: &str) -> Result<Self, String> { numbers::<$t>(kind, text) }
            fn print(&self) -> String { show(self) }
            fn complete(&mut self, kind: Kind, class: &Self) {
                // only arrays of bounded length have fixed places to inherit
                if bounds(kind).1 != usize::MAX {
                    self.extend(class.iter().skip(self.len()).copied().collect::<Vec<_>>());
                }
            }
        }
    )* };
}
number_values!(f64 i32);

impl Value for String {
    fn parse(_: Kind, text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
    fn print(&self) -> String {
        self.clone()
    }
    fn text_mut(&mut self) -> Option<&mut String> {
        Some(self)
    }
}

impl Value for bool {
    fn parse(_: Kind, text: &str) -> Result<Self, String> {
        match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(bad_keyword(text, &["true", "false"])),
        }
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

/// One keyword of a set.
impl<K: Keyword> Value for K {
    fn parse(_: Kind, text: &str) -> Result<Self, String> {
        K::from_word(text).ok_or_else(|| bad_keyword(text, K::WORDS))
    }
    fn print(&self) -> String {
        self.word().to_owned()
    }
}

/// Several keywords of a set, in the order given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keys<K>(pub Vec<K>);

impl<K: Keyword> Value for Keys<K> {
    fn parse(_: Kind, text: &str) -> Result<Self, String> {
        let word = |w| K::from_word(w).ok_or_else(|| bad_keyword(w, K::WORDS));
        text.split_ascii_whitespace()
            .map(word)
            .collect::<Result<_, _>>()
            .map(Keys)
    }
    fn print(&self) -> String {
        let words: Vec<_> = self.0.iter().map(|k| k.word()).collect();
        words.join(" ")
    }
}

fn bad_keyword(text: &str, words: &[&str]) -> String {
    let near = super::nearest::nearest(text, words.iter().copied());
    let near = near
        .map(|w| format!("; did you mean {w:?}?"))
        .unwrap_or_default();
    format!("{text:?} is not one of {}{near}", words.join(", "))
}

/// Declares elements and blocks of attributes; see the module's documentation.
macro_rules! elements {
    ($( $(#[doc = $doc:literal])+ $Name:ident $($exclusive:ident)? {
        $( $attr:ident : $kind:ident $(<$E:ident>)? $([$($n:tt)*])? $(($($facet:ident)*))? $(= $def:expr)? , $adoc:literal ; )*
        $( .. $block:ident : $Block:ident , $bdoc:literal ; )*
        $( < $child:ident > : $Child:ident , $cdoc:literal ; )*
    } $(with { $( $(#[doc = $fdoc:literal])+ $field:ident : $T:ty , )* })?
    $(within itself { $(#[doc = $idoc:literal])+ $inner:ident })? )*) => { $(
        $(#[doc = $doc])+
        #[derive(Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct $Name {
            $( #[doc = $adoc] pub $attr: Option<said_type!($kind $(<$E>)? $([$($n)*])?)>, )*
            $( #[doc = $bdoc] pub $block: $Block, )*
            $( #[doc = $cdoc] pub $child: $Child, )*
            $( $( $(#[doc = $fdoc])+ pub $field: $T, )* )?
            $( $(#[doc = $idoc])+ pub $inner: Vec<$Name>, )?
            /// Its place in the text.
            pub origin: $crate::mjcf::source::Origin,
        }

        copied! { $Name [$($attr)* $($block)* $($child)* $($($field)*)? origin] $($inner)? }

        impl $Name {
            $( full_value! { $attr $kind $(<$E>)? $([$($n)*])? $(= $def)? , $adoc } )*
        }

        impl $crate::mjcf::table::Attrs for $Name {
            fn list(f: &mut dyn FnMut(&$crate::mjcf::table::Attr)) {
                $( f(&attr!($attr $kind $(<$E>)? $([$($n)*])? $(($($facet)*))? , $adoc)); )*
                $( <$Block as $crate::mjcf::table::Attrs>::list(f); )*
                let _ = f;
            }

            fn set(&mut self, name: &str, text: &str) -> Option<Result<(), String>> {
                $( if name == const { $crate::mjcf::table::xml_name(stringify!($attr)) } {
                    let value = $crate::mjcf::table::Value::parse(kind!($kind $(<$E>)? $([$($n)*])?), text);
                    return Some(value.map(|v| self.$attr = Some(v)));
                } )*
                $( if let Some(done) = self.$block.set(name, text) { return Some(done); } )*
                let _ = (name, text);
                None
            }

            fn inherit(&mut self, class: &Self) {
                if facet!(exclusive $($exclusive)?) && $crate::mjcf::table::anything_said(self) {
                    return;
                }
                $( match (&mut self.$attr, &class.$attr) {
                    (Some(said), Some(class)) => {
                        $crate::mjcf::table::Value::complete(said, kind!($kind $(<$E>)? $([$($n)*])?), class);
                    }
                    (said @ None, Some(class)) => *said = Some(class.clone()),
                    (_, None) => {}
                } )*
                $( $crate::mjcf::table::unsay_empty(&mut self.$attr, kind!($kind $(<$E>)? $([$($n)*])?)); )*
                $( self.$block.inherit(&class.$block); )*
                $( self.$child.inherit(&class.$child); )*
                let _ = class;
            }

            fn said(&self, f: &mut dyn FnMut(&'static str, String)) {
                $( if let Some(v) = &self.$attr {
                    f($crate::mjcf::table::xml_name(stringify!($attr)), $crate::mjcf::table::Value::print(v));
                } )*
                $( self.$block.said(f); )*
                let _ = f;
            }

            fn elements(&self, f: &mut dyn FnMut(&'static str, Vec<(&'static str, String)>)) {
                $( {
                    let mut said = Vec::new();
                    self.$child.said(&mut |name, text| said.push((name, text)));
                    if !said.is_empty() {
                        f(stringify!($child), said);
                    }
                } )*
                let _ = f;
            }

            fn texts(&mut self, f: &mut dyn FnMut(&$crate::mjcf::table::Attr, &mut String)) {
                $( if let Some(text) = self.$attr.as_mut().and_then($crate::mjcf::table::Value::text_mut) {
                    f(&attr!($attr $kind $(<$E>)? $([$($n)*])? $(($($facet)*))? , $adoc), text);
                } )*
                $( self.$block.texts(f); )*
                let _ = f;
            }

            fn origin(&self) -> $crate::mjcf::source::Origin {
                self.origin
            }

            fn set_origin(&mut self, origin: $crate::mjcf::source::Origin) {
                self.origin = origin;
            }
        }
    )* };
}

/// `Clone` of an element. One that lies within itself gets `alone` in its place, the copy of one level.
macro_rules! copied {
    ($Name:ident [$($field:ident)*]) => {
        impl Clone for $Name {
            fn clone(&self) -> Self {
                Self { $( $field: Clone::clone(&self.$field), )* }
            }
        }
    };
    ($Name:ident [$($field:ident)*] $inner:ident) => {
        impl $Name {
            /// The element without those of its kind within it.
            pub(crate) fn alone(&self) -> Self {
                Self { $inner: Vec::new(), $( $field: Clone::clone(&self.$field), )* }
            }
        }
    };
}

/// A row of the table as a value.
macro_rules! attr {
    ($attr:ident $kind:ident $(<$E:ident>)? $([$($n:tt)*])? $(($($facet:ident)*))? , $doc:literal) => {
        $crate::mjcf::table::Attr {
            name: $crate::mjcf::table::xml_name(stringify!($attr)),
            kind: kind!($kind $(<$E>)? $([$($n)*])?),
            required: facet!(required $($($facet)*)?),
            nodefault: facet!(nodefault $($($facet)*)?),
            doc: $doc,
        }
    };
}

/// The type of an attribute that may be given or not.
macro_rules! said_type {
    (real) => { f64 };
    (real [ $lo:literal .. $hi:literal ]) => { Vec<f64> };
    (real [ .. ]) => { Vec<f64> };
    (real [ $n:literal ]) => { [f64; $n] };
    (int) => { i32 };
    (int [ .. ]) => { Vec<i32> };
    (int [ $lo:literal .. $hi:literal ]) => { Vec<i32> };
    (int [ $n:literal ]) => { [i32; $n] };
    (bool) => { bool };
    (key < $E:ident >) => { $E };
    (keys < $E:ident >) => { $crate::mjcf::table::Keys<$E> };
    ($text:ident $(< $E:ident >)?) => { String };
}

/// The method that completes a given value by MuJoCo's built-in one.
macro_rules! full_value {
    ($attr:ident $kind:ident $(<$E:ident>)? $([$($n:tt)*])? , $doc:literal) => {};
    ($attr:ident real [ $lo:literal .. $hi:literal ] = $def:expr , $doc:literal) => {
        #[doc = $doc]
        #[doc = "\n\nAs said, or MuJoCo's built-in value."]
        pub fn $attr(&self) -> [f64; $hi] { $crate::mjcf::table::fill(self.$attr.as_deref(), $def) }
    };
    ($attr:ident $kind:ident $(<$E:ident>)? $([$($n:tt)*])? = $def:expr , $doc:literal) => {
        #[doc = $doc]
        #[doc = "\n\nAs said, or MuJoCo's built-in value."]
        pub fn $attr(&self) -> said_type!($kind $(<$E>)? $([$($n)*])?) { self.$attr.clone().unwrap_or($def) }
    };
}

/// The kind of an attribute as a value.
macro_rules! kind {
    (real) => {
        $crate::mjcf::table::Kind::Real(1, 1)
    };
    (real [ $lo:literal .. $hi:literal ]) => {
        $crate::mjcf::table::Kind::Real($lo, $hi)
    };
    (real [ .. ]) => {
        $crate::mjcf::table::Kind::Real(0, usize::MAX)
    };
    (real [ $n:literal ]) => {
        $crate::mjcf::table::Kind::Real($n, $n)
    };
    (int) => {
        $crate::mjcf::table::Kind::Int(1, 1)
    };
    (int [ $lo:literal .. $hi:literal ]) => {
        $crate::mjcf::table::Kind::Int($lo, $hi)
    };
    (int [ .. ]) => {
        $crate::mjcf::table::Kind::Int(0, usize::MAX)
    };
    (int [ $n:literal ]) => {
        $crate::mjcf::table::Kind::Int($n, $n)
    };
    (bool) => {
        $crate::mjcf::table::Kind::Bool
    };
    (text) => {
        $crate::mjcf::table::Kind::Text
    };
    (name) => {
        $crate::mjcf::table::Kind::Name
    };
    (class) => {
        $crate::mjcf::table::Kind::Class
    };
    (file) => {
        $crate::mjcf::table::Kind::File
    };
    (ref < $o:ident >) => {
        $crate::mjcf::table::Kind::Ref(stringify!($o))
    };
    (key < $E:ident >) => {
        $crate::mjcf::table::Kind::Key(<$E as $crate::mjcf::table::Keyword>::WORDS)
    };
    (keys < $E:ident >) => {
        $crate::mjcf::table::Kind::Keys(<$E as $crate::mjcf::table::Keyword>::WORDS)
    };
}

/// Whether a facet is among those given.
macro_rules! facet {
    ($want:ident) => { false };
    (required required $($rest:ident)*) => { true };
    (nodefault nodefault $($rest:ident)*) => { true };
    (exclusive exclusive) => { true };
    ($want:ident $other:ident $($rest:ident)*) => { facet!($want $($rest)*) };
}

/// Gives enums their MJCF words; `enum` declares the enum too, numbered from zero.
macro_rules! keywords {
    () => {};
    ($(#[doc = $doc:literal])+ enum $Name:ident { $($word:literal $Variant:ident),+ $(,)? } $($rest:tt)*) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        #[non_exhaustive]
        pub enum $Name { $( #[doc = $word] $Variant ),+ }
        keywords! { for $Name { $($word $Variant),+ } $($rest)* }
    };
    (for $Name:ident { $($word:literal $Variant:ident),+ $(,)? } $($rest:tt)*) => {
        impl $crate::mjcf::table::Keyword for $Name {
            const WORDS: &'static [&'static str] = &[$($word),+];
            const VALUES: &'static [Self] = &[$(Self::$Variant),+];
        }
        keywords! { $($rest)* }
    };
}

/// Declares the tags that share one struct, and which of its attributes each tag may and must have.
macro_rules! tags {
    ($(#[doc = $doc:literal])+ $Name:ident { $( $word:literal $Variant:ident [ $($may:ident)* ] $([ $($must:ident)* ])? ; )+ }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $Name { #[doc = "No tag yet."] #[default] Unsaid, $( #[doc = concat!("`<", $word, ">`")] $Variant ),+ }

        impl $Name {
            /// Every tag, with its word, the attributes it may have and those it must have besides.
            pub const ALL: &'static [(&'static str, $Name, &'static [&'static str], &'static [&'static str])] = &[
                $( ($word, $Name::$Variant, &[$($crate::mjcf::table::xml_name(stringify!($may))),*],
                    &[$($($crate::mjcf::table::xml_name(stringify!($must))),*)?]) ),+
            ];
            /// The word of the tag in the XML.
            pub fn word(self) -> &'static str {
                Self::ALL.iter().find(|t| t.1 == self).map_or("", |t| t.0)
            }
        }
    };
}
