//! Parses PTX in the form that NVIDIA's nvrtc writes.

use crate::flow;
use crate::memory::{CONSTANTS, DATA, MODEL};
use crate::order;
use crate::race::Orders;
use crate::value::{Op, Type};
use std::collections::HashMap;

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register, by its number.
    Register(usize),
    /// A number, or an address.
    Number(u64),
    /// The invocation's number in its workgroup.
    Invocation,
    /// The workgroup's number.
    Workgroup,
}

/// Memory spaces of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Global memory of the device.
    Global,
    /// Workgroup memory.
    Shared,
    /// Private memory of the invocation.
    Local,
}

/// The kinds of instructions.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Computes a value from up to four others.
    Value(Op, Vec<Operand>),
    /// Reads a word at an address and an offset.
    Load(Space, Operand, i64),
    /// Writes a word.
    Store(Space, Operand, i64, Operand),
    /// Jumps.
    Branch(usize),
    /// A barrier of the workgroup.
    Barrier(Orders),
    /// A barrier of the warp.
    Meet(Orders),
    /// Shuffle, reads a value of another lane: value, mask that is xored with the lane's number.
    Exchange(Operand, Operand),
    /// Vote: true if a predicate is true in any lane.
    Any(Operand),
    /// Ends.
    Return,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Its kind and operands.
    pub kind: Kind,
    /// The register of its result.
    pub to: Option<usize>,
    /// Predicate: the register, and the value for which the instruction executes.
    pub only: Option<(usize, bool)>,
    /// Whether it is counted.
    pub counts: bool,
    /// Its source lines, a row of [`Program::chains`].
    pub chain: usize,
    /// Reconvergence point of a branch: an instruction, or the end.
    pub meet: usize,
}

/// A kernel.
#[derive(Debug, Default)]
pub struct Program {
    /// Its instructions.
    pub code: Vec<Instruction>,
    /// Number of registers.
    pub registers: usize,
    /// Bytes of workgroup memory.
    pub shared_bytes: usize,
    /// Bytes of an invocation's private memory.
    pub local_bytes: usize,
    /// Words of the constants of the text.
    pub constants: Vec<u32>,
    /// Source lines: an instruction's own line, then the line at which its function was inlined, and so on.
    pub chains: Vec<Vec<u32>>,
}

impl Program {
    /// Parses a kernel; fails on unknown instructions.
    pub fn read(text: &str) -> Result<Self, String> {
        let entry = text.find(".visible .entry").ok_or("there is no entry")?;
        let mut reader = Reader::default();
        for line in text[..entry].lines() {
            reader.declaration(line.trim())?;
        }
        reader.chain(vec![0]);
        let body = &text[entry..];
        let open = body.find('{').ok_or("the entry has no body")?;
        // labels are collected first, for forward jumps
        let (mut statements, mut instructions, mut depth) = (Vec::new(), 0, 0);
        for line in body[open..].lines() {
            let line = line.split("//").next().unwrap_or("").trim();
            match line {
                "" => {}
                "{" => depth += 1,
                "}" if depth == 1 => break,
                "}" => depth -= 1,
                _ if line.starts_with(".loc\t") => statements.push(line),
                _ if line.starts_with('.') => reader.declaration(line)?,
                _ if line.ends_with(':') => {
                    reader
                        .labels
                        .insert(line.trim_end_matches(':'), instructions);
                }
                _ => {
                    statements.push(line);
                    instructions += words_of(line);
                }
            }
        }
        for statement in statements {
            match statement.strip_prefix(".loc\t") {
                Some(place) => reader.place(place)?,
                None => reader
                    .instruction(statement.trim_end_matches(';'))
                    .map_err(|why| format!("{statement} {why}"))?,
            }
        }
        let mut program = reader.program;
        program.registers = reader.registers.len();
        order::blocks(&mut program.code);
        flow::meetings(&mut program.code);
        Ok(program)
    }
}

#[derive(Default)]
struct Reader<'a> {
    program: Program,
    registers: HashMap<&'a str, usize>,
    // names of arrays
    addresses: HashMap<&'a str, u64>,
    labels: HashMap<&'a str, usize>,
    chains: HashMap<Vec<u32>, usize>,
    now: usize,
    // for a source place, the place at which its function was inlined
    inlined: HashMap<(u32, u32), Option<(u32, u32)>>,
}

impl<'a> Reader<'a> {
    // .shared .align 4 .b8 name[432];    .global .align 4 .f32 name = 0f3F800000;    .global .align 4 .b8 name[8] = {1, 0, 0, 0, 2};
    fn declaration(&mut self, line: &'a str) -> Result<(), String> {
        let (left, values) = match line.trim_end_matches(';').split_once('=') {
            Some((left, values)) => (left, values.trim()),
            None => (line.trim_end_matches(';'), ""),
        };
        let words: Vec<&str> = left.split_whitespace().collect();
        let Some(space) = [".shared", ".local", ".global", ".const"]
            .into_iter()
            .find(|space| words.contains(space))
        else {
            return Ok(());
        };
        let declared = words.last().copied().unwrap_or("");
        let (name, len) = match declared.split_once('[') {
            Some((name, len)) => (
                name,
                len.trim_end_matches(']')
                    .parse()
                    .map_err(|e| format!("{line} {e}"))?,
            ),
            None => (declared, 1),
        };
        let size: usize = match words[words.len() - 2] {
            ".b8" | ".u8" | ".s8" => 1,
            ".b16" | ".u16" => 2,
            ".b64" | ".u64" => 8,
            _ => 4,
        };
        let bytes = (len * size).next_multiple_of(16);
        let at = match space {
            ".shared" => grown(&mut self.program.shared_bytes, bytes),
            ".local" => grown(&mut self.program.local_bytes, bytes),
            _ => {
                let at = 4 * self.program.constants.len();
                let mut image = Vec::new();
                for value in values.trim_matches(['{', '}']).split(',').map(str::trim) {
                    let value = match value {
                        "" => 0,
                        _ => {
                            number(value).ok_or_else(|| format!("{line}: {value} is no number"))?
                        }
                    };
                    image.extend_from_slice(&value.to_le_bytes()[..size]);
                }
                image.resize(bytes, 0);
                let (words, _) = image.as_chunks();
                let words = words.iter().map(|word| u32::from_le_bytes(*word));
                self.program.constants.extend(words);
                CONSTANTS + at as u64
            }
        };
        self.addresses.insert(name, at);
        Ok(())
    }

    // 1 5070 5, function_name $L__info_string0, inlined_at 1 5107 5
    fn place(&mut self, said: &str) -> Result<(), String> {
        let place = |said: &str| -> Option<(u32, u32)> {
            let mut numbers = said
                .split_whitespace()
                .skip(1)
                .map_while(|word| word.parse().ok());
            Some((numbers.next()?, numbers.next()?))
        };
        let mut parts = said.split(',');
        let own = parts
            .next()
            .and_then(place)
            .ok_or_else(|| format!(".loc {said}"))?;
        let up = parts.find_map(|part| place(part.trim().strip_prefix("inlined_at")?));
        self.inlined.insert(own, up);
        let (mut chain, mut at) = (vec![own.0], up);
        while let Some(place) = at {
            // ends at a cycle, since no place is inlined at itself
            if chain.contains(&place.0) {
                break;
            }
            chain.push(place.0);
            at = self.inlined.get(&place).copied().flatten();
        }
        self.chain(chain);
        Ok(())
    }

    fn chain(&mut self, chain: Vec<u32>) {
        let next = self.program.chains.len();
        self.now = *self.chains.entry(chain.clone()).or_insert(next);
        if self.now == next {
            self.program.chains.push(chain);
        }
    }

    fn register(&mut self, name: &'a str) -> usize {
        let next = self.registers.len();
        *self.registers.entry(name).or_insert(next)
    }

    fn operand(&mut self, said: &'a str) -> Result<Operand, String> {
        let said = said.trim();
        let (name, offset) = match said.split_once('+') {
            Some((name, offset)) => (name, offset.parse::<i64>().map_err(|e| e.to_string())?),
            None => (said, 0),
        };
        if let Some(at) = self.addresses.get(name) {
            return Ok(Operand::Number(at.wrapping_add_signed(offset)));
        }
        Ok(match said {
            "%tid.x" => Operand::Invocation,
            "%ctaid.x" => Operand::Workgroup,
            "%tid.y" | "%tid.z" | "%ctaid.y" | "%ctaid.z" => Operand::Number(0),
            _ if said.starts_with('%') => Operand::Register(self.register(said)),
            _ => Operand::Number(number(said).ok_or_else(|| format!("{said} is not known"))?),
        })
    }

    // [%rd451]    [%rd73+-8]    [name+4]
    fn address(&mut self, said: &'a str) -> Result<(Operand, i64), String> {
        let inner = said.trim().trim_start_matches('[').trim_end_matches(']');
        match inner.split_once('+') {
            Some((base, offset)) => {
                let offset = offset.parse().map_err(|e| format!("{offset}: {e}"))?;
                Ok((self.operand(base)?, offset))
            }
            None => Ok((self.operand(inner)?, 0)),
        }
    }

    fn instruction(&mut self, line: &'a str) -> Result<(), String> {
        let (only, rest) = match line.strip_prefix('@') {
            Some(rest) => {
                let (register, rest) =
                    rest.split_once(char::is_whitespace).ok_or("is not whole")?;
                let (name, wanted) = match register.strip_prefix('!') {
                    Some(name) => (name, false),
                    None => (register, true),
                };
                (Some((self.register(name), wanted)), rest.trim())
            }
            None => (None, line),
        };
        let (op, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let parts: Vec<&str> = op.split('.').collect();
        let arguments: Vec<&str> = arguments.split(',').map(str::trim).collect();
        let parameter = op.starts_with("ld.param");
        // the compiler to machine code removes these instructions
        let counts = !matches!(parts[0], "mov" | "cvta" | "ret") && !parameter;
        for word in 0..words_of(op) {
            let arguments = of_word(&parts, &arguments, word);
            let (mut kind, to) = self.kind(&parts, &arguments)?;
            if let Kind::Load(_, _, offset) | Kind::Store(_, _, offset, _) = &mut kind {
                *offset += 4 * word as i64;
            }
            self.program.code.push(Instruction {
                kind,
                to,
                only,
                // adjacent words are accessed at once
                counts: counts && word == 0,
                chain: self.now,
                meet: usize::MAX,
            });
        }
        Ok(())
    }

    fn kind(
        &mut self,
        parts: &[&str],
        arguments: &[&'a str],
    ) -> Result<(Kind, Option<usize>), String> {
        let last = parts.last().copied().unwrap_or("");
        let space = |word: &str| match word {
            "global" => Ok(Space::Global),
            "shared" => Ok(Space::Shared),
            "local" => Ok(Space::Local),
            other => Err(format!("is of memory {other}, which is not known")),
        };
        let words = || match Type::named(last) {
            Some(ty) if ty.bits() == 32 => Ok(()),
            _ => Err("is not of words"),
        };
        Ok(match parts[0] {
            "ld" if parts[1] == "param" => {
                let buffer = match arguments[1].contains("param_0") {
                    true => DATA,
                    false => MODEL,
                };
                let value = Kind::Value(Op::Move, vec![Operand::Number(buffer)]);
                (value, Some(self.register(arguments[0])))
            }
            "ld" => {
                words()?;
                let (base, offset) = self.address(arguments[1])?;
                let load = Kind::Load(space(parts[1])?, base, offset);
                (load, Some(self.register(arguments[0])))
            }
            "st" => {
                words()?;
                let (base, offset) = self.address(arguments[0])?;
                let value = self.operand(arguments[1])?;
                (Kind::Store(space(parts[1])?, base, offset, value), None)
            }
            "bra" => {
                let to = self.labels.get(arguments[0]);
                (Kind::Branch(*to.ok_or("goes nowhere")?), None)
            }
            // metal.h writes the members in three ways
            "bar" if parts[1] == "sync" => (Kind::Barrier(Orders::All), None),
            "barrier" if parts[1] == "sync" => (Kind::Barrier(Orders::Workgroup), None),
            "bar" if parts[1] == "warp" => {
                let orders = match arguments[0] {
                    "-1" => Orders::All,
                    "0xffffffff" => Orders::Workgroup,
                    "4294967295" => Orders::Nothing,
                    _ => return Err("does not meet all lanes".to_owned()),
                };
                (Kind::Meet(orders), None)
            }
            "shfl" if parts[2] == "bfly" => {
                let to = arguments[0].split('|').next().unwrap_or("");
                let (value, mask) = (self.operand(arguments[1])?, self.operand(arguments[2])?);
                (Kind::Exchange(value, mask), Some(self.register(to)))
            }
            "vote" if parts[2] == "any" => {
                let value = self.operand(arguments[1])?;
                (Kind::Any(value), Some(self.register(arguments[0])))
            }
            // mov.b64 %rd1, {%r2, %r3}
            "mov" if arguments[1].starts_with('{') => {
                let halves = arguments[1..].iter().map(|said| self.operand(bare(said)));
                let halves = halves.collect::<Result<Vec<_>, _>>()?;
                let to = self.register(arguments[0]);
                (Kind::Value(Op::Join, halves), Some(to))
            }
            "ret" | "exit" => (Kind::Return, None),
            _ => {
                let op = Op::named(parts).ok_or("is not known")?;
                let read = arguments[1..].iter().map(|said| self.operand(said));
                let read = read.collect::<Result<Vec<_>, _>>()?;
                (Kind::Value(op, read), Some(self.register(arguments[0])))
            }
        })
    }
}

// number of words of a vector access: ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r5]
fn words_of(line: &str) -> usize {
    match line {
        _ if line.contains(".v4.") => 4,
        _ if line.contains(".v2.") => 2,
        _ => 1,
    }
}

// the operands of a vector access for one of its words
fn of_word<'a>(parts: &[&str], arguments: &[&'a str], word: usize) -> Vec<&'a str> {
    match (words_of(&parts.join(".")), parts[0]) {
        (1, _) => arguments.to_vec(),
        (n, "ld") => vec![bare(arguments[word]), arguments[n]],
        _ => vec![arguments[0], bare(arguments[1 + word])],
    }
}

// a register without the braces of a vector
fn bare(said: &str) -> &str {
    said.trim_matches(['{', '}']).trim()
}

fn grown(size: &mut usize, by: usize) -> u64 {
    let at = *size;
    *size += by;
    at as u64
}

// 0f3F800000, 17, -3, 0x1F
fn number(said: &str) -> Option<u64> {
    if let Some(bits) = said.strip_prefix("0f").or_else(|| said.strip_prefix("0F")) {
        return u64::from_str_radix(bits, 16).ok();
    }
    if let Some(digits) = said.strip_prefix("0x") {
        return u64::from_str_radix(digits.trim_end_matches('U'), 16).ok();
    }
    said.parse::<i64>()
        .map(|x| x as u64)
        .or_else(|_| said.parse())
        .ok()
}

/// The registers that an instruction reads.
pub fn read(instruction: &Instruction) -> impl Iterator<Item = usize> {
    let operands = match &instruction.kind {
        Kind::Value(_, read) => read.clone(),
        Kind::Load(_, base, _) => vec![*base],
        Kind::Store(_, base, _, value) => vec![*base, *value],
        Kind::Exchange(value, mask) => vec![*value, *mask],
        Kind::Any(value) => vec![*value],
        Kind::Branch(_) | Kind::Barrier(_) | Kind::Meet(_) | Kind::Return => Vec::new(),
    };
    let only = instruction.only.map(|(register, _)| register);
    let registers = operands.into_iter().filter_map(|operand| match operand {
        Operand::Register(register) => Some(register),
        _ => None,
    });
    registers.chain(only)
}
