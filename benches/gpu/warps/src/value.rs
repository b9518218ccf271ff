//! Operations on values. A register holds 64 bits; a value takes the lowest.

/// Types, the interpretation of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Predicate.
    Predicate,
    /// Unsigned integer with a number of bits; also untyped bits.
    Unsigned(u32),
    /// Signed integer with a number of bits.
    Signed(u32),
    /// 32-bit float.
    Real,
}

impl Type {
    /// The type with a PTX name.
    pub fn named(name: &str) -> Option<Self> {
        if name == "pred" {
            return Some(Self::Predicate);
        }
        if name == "f32" {
            return Some(Self::Real);
        }
        let bits = name
            .get(1..)?
            .parse()
            .ok()
            .filter(|b| [8, 16, 32, 64].contains(b))?;
        match name.as_bytes()[0] {
            b'u' | b'b' => Some(Self::Unsigned(bits)),
            b's' => Some(Self::Signed(bits)),
            _ => None,
        }
    }

    /// Its size.
    pub fn bits(self) -> u32 {
        match self {
            Self::Predicate => 1,
            Self::Unsigned(bits) | Self::Signed(bits) => bits,
            Self::Real => 32,
        }
    }

    fn cut(self, x: u64) -> u64 {
        match self.bits() {
            64 => x,
            bits => x & ((1 << bits) - 1),
        }
    }

    // sign-extended
    fn whole(self, x: u64) -> i128 {
        let x = self.cut(x);
        match self {
            Self::Signed(bits) => {
                let spare = 64 - bits;
                i128::from(((x << spare) as i64) >> spare)
            }
            _ => i128::from(x),
        }
    }
}

/// A comparison: the orderings for which it is true, and whether it is true for NaN (`unordered`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compare {
    less: bool,
    equal: bool,
    greater: bool,
    unordered: bool,
}

impl Compare {
    fn named(name: &str) -> Option<Self> {
        let (name, unordered) = match name {
            "num" => ("always", false),
            "nan" => ("never", true),
            "ne" => ("ne", false),
            _ => match name.strip_suffix('u').filter(|left| left.len() == 2) {
                Some(left) => (left, true),
                None => (name, false),
            },
        };
        let (less, equal, greater) = match name {
            "lt" | "lo" => (true, false, false),
            "le" | "ls" => (true, true, false),
            "gt" | "hi" => (false, false, true),
            "ge" | "hs" => (false, true, true),
            "eq" => (false, true, false),
            "ne" => (true, false, true),
            "always" => (true, true, true),
            "never" => (false, false, false),
            _ => return None,
        };
        Some(Self {
            less,
            equal,
            greater,
            unordered,
        })
    }

    fn holds(self, order: Option<std::cmp::Ordering>) -> bool {
        match order {
            Some(std::cmp::Ordering::Less) => self.less,
            Some(std::cmp::Ordering::Equal) => self.equal,
            Some(std::cmp::Ordering::Greater) => self.greater,
            None => self.unordered,
        }
    }
}

/// Names of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Product with twice the size.
    Wide,
    /// Upper half of the product.
    High,
    /// Fused product and sum.
    Mad,
    /// The same with a product with twice the size.
    MadWide,
    /// Quotient.
    Div,
    /// Remainder.
    Rem,
    /// Smaller value.
    Min,
    /// Larger value.
    Max,
    /// Absolute value.
    Abs,
    /// Negation.
    Neg,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Bitwise not.
    Not,
    /// Left shift.
    Shl,
    /// Right shift.
    Shr,
    /// Funnel shift: left shift of two words as one, upper word.
    Funnel,
    /// Number of set bits.
    Popc,
    /// Number of leading zeros.
    Clz,
    /// Index of the highest set bit.
    Bfind,
    /// Reversed bits.
    Brev,
    /// Bit field insertion.
    Insert,
    /// Bit field extraction.
    Extract,
    /// Selection of one of two values.
    Select,
    /// Comparison of two values.
    Set(Compare),
    /// Conversion from another type, with a rounding.
    Convert(Type, Round),
    /// Square root.
    Sqrt,
    /// Reciprocal square root.
    Rsqrt,
    /// Reciprocal.
    Rcp,
    /// Power of 2.
    Ex2,
    /// Logarithm of base 2.
    Lg2,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Hyperbolic tangent.
    Tanh,
}

/// Rounding of a real to an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// No rounding.
    No,
    /// To nearest, ties to even.
    Nearest,
    /// Towards zero.
    Zero,
    /// Downwards.
    Down,
    /// Upwards.
    Up,
}

/// An operation with its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its name.
    pub name: Name,
    /// The type of the values, or of the result of a conversion.
    pub ty: Type,
    // flushes subnormal reals to zero
    flush: bool,
    // clamps the result to [0, 1]
    saturate: bool,
}

/// An operation; moves need no type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Copy of the first value.
    Move,
    /// Two words as one number, the low one first.
    Join,
    /// Any other operation.
    Of(Operation),
}

impl Op {
    /// The operation of an instruction's name, split at its dots.
    pub fn named(parts: &[&str]) -> Option<Self> {
        let ty = Type::named(parts.last()?)?;
        let has = |word: &str| parts.contains(&word);
        let name = match parts[0] {
            "mov" | "cvta" => return Some(Self::Move),
            "add" => Name::Add,
            "sub" => Name::Sub,
            "mul" if has("wide") => Name::Wide,
            "mul" if has("hi") => Name::High,
            "mul" => Name::Mul,
            "mad" if has("wide") => Name::MadWide,
            "mad" | "fma" => Name::Mad,
            "div" => Name::Div,
            "rem" => Name::Rem,
            "min" => Name::Min,
            "max" => Name::Max,
            "abs" => Name::Abs,
            "neg" => Name::Neg,
            "and" => Name::And,
            "or" => Name::Or,
            "xor" => Name::Xor,
            "not" => Name::Not,
            "shl" => Name::Shl,
            "shr" => Name::Shr,
            "shf" if has("l") => Name::Funnel,
            "popc" => Name::Popc,
            "clz" => Name::Clz,
            "bfind" => Name::Bfind,
            "brev" => Name::Brev,
            "bfi" => Name::Insert,
            "bfe" => Name::Extract,
            "selp" => Name::Select,
            // comparisons combined with a predicate are not supported
            "setp" if has("and") || has("or") || has("xor") => return None,
            "setp" => Name::Set(Compare::named(parts[1])?),
            "cvt" => {
                let from = ty;
                let to = Type::named(parts[parts.len() - 2])?;
                let round = match parts[1] {
                    "rni" => Round::Nearest,
                    "rzi" => Round::Zero,
                    "rmi" => Round::Down,
                    "rpi" => Round::Up,
                    _ => Round::No,
                };
                let name = Name::Convert(from, round);
                return Some(Self::of(name, to, parts));
            }
            "sqrt" => Name::Sqrt,
            "rsqrt" => Name::Rsqrt,
            "rcp" => Name::Rcp,
            "ex2" => Name::Ex2,
            "lg2" => Name::Lg2,
            "sin" => Name::Sin,
            "cos" => Name::Cos,
            "tanh" => Name::Tanh,
            _ => return None,
        };
        Some(Self::of(name, ty, parts))
    }

    fn of(name: Name, ty: Type, parts: &[&str]) -> Self {
        Self::Of(Operation {
            name,
            ty,
            flush: parts.contains(&"ftz"),
            saturate: parts.contains(&"sat"),
        })
    }

    /// True for operations of the special function unit, which is slower.
    pub fn special(self) -> bool {
        use Name::{Cos, Div, Ex2, Lg2, Rcp, Rsqrt, Sin, Sqrt, Tanh};
        let slow = [Div, Sqrt, Rsqrt, Rcp, Ex2, Lg2, Sin, Cos, Tanh];
        matches!(self, Self::Of(op) if slow.contains(&op.name) && op.ty == Type::Real)
    }

    /// The result for these values.
    pub fn value(self, x: [u64; 4]) -> u64 {
        match self {
            Self::Move => x[0],
            Self::Join => x[1] << 32 | (x[0] & 0xffff_ffff),
            Self::Of(op) => op.value(x),
        }
    }
}

impl Operation {
    fn value(&self, x: [u64; 4]) -> u64 {
        match (self.name, self.ty) {
            (Name::Select, ty) => ty.cut(if x[2] != 0 { x[0] } else { x[1] }),
            (Name::Convert(from, round), to) => self.convert(x[0], from, round, to),
            (Name::Set(compare), Type::Real) => {
                u64::from(compare.holds(self.real(x[0]).partial_cmp(&self.real(x[1]))))
            }
            (Name::Set(compare), ty) => {
                u64::from(compare.holds(Some(ty.whole(x[0]).cmp(&ty.whole(x[1])))))
            }
            (_, Type::Real) => self.bits(reals(self.name, [0, 1, 2].map(|k| self.real(x[k])))),
            (_, ty) => wholes(self.name, ty, x),
        }
    }

    fn real(&self, x: u64) -> f32 {
        self.flushed(f32::from_bits(x as u32))
    }

    fn bits(&self, x: f32) -> u64 {
        let x = if self.saturate { x.clamp(0.0, 1.0) } else { x };
        u64::from(self.flushed(x).to_bits())
    }

    fn flushed(&self, x: f32) -> f32 {
        match self.flush && x.is_subnormal() {
            true => 0f32.copysign(x),
            false => x,
        }
    }

    fn convert(&self, x: u64, from: Type, round: Round, to: Type) -> u64 {
        match (from, to) {
            (Type::Real, Type::Real) => self.bits(rounded(self.real(x), round)),
            (Type::Real, Type::Signed(32)) => u64::from(rounded(self.real(x), round) as i32 as u32),
            (Type::Real, Type::Unsigned(32)) => u64::from(rounded(self.real(x), round) as u32),
            (Type::Real, _) => to.cut(rounded(self.real(x), round) as i64 as u64),
            (_, Type::Real) => self.bits(from.whole(x) as f32),
            _ => to.cut(from.whole(x) as u64),
        }
    }
}

fn rounded(x: f32, round: Round) -> f32 {
    match round {
        Round::No => x,
        Round::Nearest => x.round_ties_even(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
    }
}

fn reals(name: Name, [a, b, c]: [f32; 3]) -> f32 {
    match name {
        Name::Add => a + b,
        Name::Sub => a - b,
        Name::Mul => a * b,
        Name::Mad => a.mul_add(b, c),
        Name::Div => a / b,
        Name::Min => a.min(b),
        Name::Max => a.max(b),
        Name::Abs => a.abs(),
        Name::Neg => -a,
        Name::Sqrt => a.sqrt(),
        Name::Rsqrt => a.sqrt().recip(),
        Name::Rcp => a.recip(),
        Name::Ex2 => a.exp2(),
        Name::Lg2 => a.log2(),
        Name::Sin => a.sin(),
        Name::Cos => a.cos(),
        Name::Tanh => a.tanh(),
        // these operations do not exist for reals
        _ => f32::NAN,
    }
}

fn wholes(name: Name, ty: Type, x: [u64; 4]) -> u64 {
    let bits = ty.bits();
    let [a, b, c] = [0, 1, 2].map(|k| ty.whole(x[k]));
    let whole = match name {
        Name::Add => a + b,
        Name::Sub => a - b,
        Name::Mul => a.wrapping_mul(b),
        Name::Wide => return a.wrapping_mul(b) as u64,
        Name::High => a.wrapping_mul(b) >> bits,
        Name::Mad => a.wrapping_mul(b).wrapping_add(c),
        Name::MadWide => return (a.wrapping_mul(b) as u64).wrapping_add(x[2]),
        Name::Div => a.checked_div(b).unwrap_or(-1),
        Name::Rem => a.checked_rem(b).unwrap_or(a),
        Name::Min => a.min(b),
        Name::Max => a.max(b),
        Name::Abs => a.abs(),
        Name::Neg => -a,
        Name::And => a & b,
        Name::Or => a | b,
        Name::Xor => a ^ b,
        Name::Not => !a,
        // the shift amount is unsigned
        Name::Shl => a << (x[1] as u32).min(bits),
        Name::Shr => a >> (x[1] as u32).min(bits),
        Name::Funnel => {
            let both = (x[1] & 0xffff_ffff) << 32 | (x[0] & 0xffff_ffff);
            i128::from((both << (x[2] & 31)) >> 32)
        }
        Name::Popc => i128::from(ty.cut(x[0]).count_ones()),
        Name::Clz => i128::from(ty.cut(x[0]).leading_zeros() + bits - 64),
        Name::Bfind => match ty.cut(x[0]) {
            0 => -1,
            set => i128::from(set.ilog2()),
        },
        Name::Insert => {
            let (at, len) = (x[2] as u32 & 255, x[3] as u32 & 255);
            let mask = ((1u128 << len.min(bits)) - 1).checked_shl(at).unwrap_or(0) as u64;
            let put = (x[0] as u128).checked_shl(at).unwrap_or(0) as u64;
            i128::from((ty.cut(x[1]) & !mask) | (put & mask))
        }
        Name::Extract => {
            let (at, len) = (x[1] as u32 & 255, (x[2] as u32 & 255).min(bits));
            // a signed type extends the sign bit of the extracted field
            let (moved, spare) = (a >> at.min(bits), 128 - len);
            match (len, ty) {
                (0, _) => 0,
                (_, Type::Signed(_)) => (moved << spare) >> spare,
                _ => moved & ((1 << len) - 1),
            }
        }
        Name::Brev => i128::from(ty.cut(x[0]).reverse_bits() >> (64 - bits)),
        _ => 0,
    };
    ty.cut(whole as u64)
}
