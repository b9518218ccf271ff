//! Statements: interpreted where their operands are known, left to the kernel where not.

use naga::{Block, Expression, Function, Handle, Module, Statement};

use super::Why;
use super::graph::{Atom, Kind, Op};
use super::state::State;
use super::types;

/// Largest number of iterations of a loop that are interpreted, and largest nesting depth of iterations under an unknown loop exit.
const TURNS: usize = 65_536;
const DEPTH: usize = 16;

/// The value of an expression.
#[derive(Clone, Debug)]
pub enum Value {
    /// Scalars, one after the other.
    Flat(Vec<Atom>),
    /// A pointer.
    At(Target),
}

/// The target of a pointer.
#[derive(Clone, Debug)]
pub enum Target {
    /// A variable, from an index on the stack of scalars on.
    Local(usize),
    /// One of several parts of a variable: index of the first, scalars per part, number of parts, the unknown index.
    Among(usize, usize, usize, Atom),
    /// All words of the worlds, or of the model.
    Words(Room),
    /// A word of the worlds, or of the model.
    Word(Room, Atom),
}

/// The two arrays in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Worlds.
    Data,
    /// The model.
    Model,
}

/// A function call.
pub struct Frame<'a> {
    pub fun: &'a Function,
    pub info: &'a naga::valid::FunctionInfo,
    pub values: Vec<Option<Value>>,
    pub args: Vec<Value>,
    pub locals: Vec<usize>,
    // stack indices of two variables: the flag that the call has returned, and its result
    returned: usize,
    result: usize,
    // for every open loop, stack indices of two flags: the loop was left, the iteration was ended
    loops: Vec<(usize, usize)>,
}

/// The interpreter.
pub struct Walk<'a> {
    pub module: &'a Module,
    pub info: &'a naga::valid::ModuleInfo,
    /// The words of the model.
    pub image: &'a [u32],
    /// Pointers to the global variables; none for workgroup variables.
    pub globals: Vec<Option<Value>>,
    pub frames: Vec<Frame<'a>>,
}

impl<'a> Walk<'a> {
    /// Interprets a function call.
    pub fn call(
        &mut self,
        s: &mut State,
        fun: &'a Function,
        info: &'a naga::valid::FunctionInfo,
        args: Vec<Value>,
    ) -> Result<Value, Why> {
        let depth = s.locals.len();
        let returned = s.push([Atom::Bool(false)]);
        let result_kinds = match &fun.result {
            Some(result) => types::kinds(self.module, &self.module.types[result.ty].inner)?,
            None => Vec::new(),
        };
        let result = s.push(result_kinds.iter().map(|&kind| Atom::zero(kind)));
        self.frames.push(Frame {
            fun,
            info,
            values: vec![None; fun.expressions.len()],
            args,
            locals: Vec::new(),
            returned,
            result,
            loops: Vec::new(),
        });
        for (_, variable) in fun.local_variables.iter() {
            let init = match variable.init {
                Some(init) => self.flat(s, init)?,
                None => {
                    let kinds = types::kinds(self.module, &self.module.types[variable.ty].inner)?;
                    kinds.into_iter().map(Atom::zero).collect()
                }
            };
            let first = s.push(init);
            self.frame().locals.push(first);
        }
        self.block(s, &fun.body)?;
        self.frames.pop();
        let value = s.locals[result..result + result_kinds.len()].to_vec();
        s.locals.truncate(depth);
        Ok(Value::Flat(value))
    }

    /// The frame of the innermost call.
    pub fn frame(&mut self) -> &mut Frame<'a> {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    // whether the call has returned, the loop was left or the iteration was ended
    fn escaped(&mut self, s: &mut State) -> Result<Atom, Why> {
        let mut flags = vec![self.frame().returned];
        if let Some(&(left, turned)) = self.frame().loops.last() {
            flags.extend([left, turned]);
        }
        self.any(s, &flags)
    }

    fn any(&mut self, s: &mut State, flags: &[usize]) -> Result<Atom, Why> {
        let mut any = Atom::Bool(false);
        for &flag in flags {
            let or = Op::Binary(naga::BinaryOperator::InclusiveOr, any, s.locals[flag]);
            any = s.make(or, Kind::Bool)?;
        }
        Ok(any)
    }

    fn block(&mut self, s: &mut State, block: &'a [Statement]) -> Result<(), Why> {
        for (k, statement) in block.iter().enumerate() {
            self.statement(s, statement)?;
            if !leaves(statement) {
                continue;
            }
            match self.escaped(s)? {
                Atom::Bool(false) => {}
                Atom::Bool(true) => return Ok(()),
                escaped => {
                    // the rest of the block runs only if the call, loop and iteration go on
                    let rest = &block[k + 1..];
                    if rest.is_empty() {
                        return Ok(());
                    }
                    let here = s.not(escaped)?;
                    return s.branch(self, here, |it, s| it.block(s, rest), |_, _| Ok(()));
                }
            }
        }
        Ok(())
    }

    fn statement(&mut self, s: &mut State, statement: &'a Statement) -> Result<(), Why> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    let value = self.expression(s, handle)?;
                    self.frame().values[handle.index()] = Some(value);
                }
                Ok(())
            }
            Statement::Block(block) => self.block(s, block),
            Statement::If {
                condition,
                accept,
                reject,
            } => match self.scalar(s, *condition)? {
                Atom::Bool(true) => self.block(s, accept),
                Atom::Bool(false) => self.block(s, reject),
                condition => s.branch(
                    self,
                    condition,
                    |it, s| it.block(s, accept),
                    |it, s| it.block(s, reject),
                ),
            },
            Statement::Loop {
                body,
                continuing,
                break_if,
            } => {
                let flags = s.push([Atom::Bool(false); 2]);
                self.frame().loops.push((flags, flags + 1));
                self.turns(s, body, continuing, *break_if, 0)?;
                self.frame().loops.pop();
                s.locals.truncate(flags);
                Ok(())
            }
            Statement::Break => {
                let (left, _) = self.innermost()?;
                s.set(left, Atom::Bool(true));
                Ok(())
            }
            Statement::Continue => {
                let (_, turned) = self.innermost()?;
                s.set(turned, Atom::Bool(true));
                Ok(())
            }
            Statement::Return { value } => {
                if let Some(value) = value {
                    let value = self.flat(s, *value)?;
                    let first = self.frame().result;
                    for (k, atom) in value.into_iter().enumerate() {
                        s.set(first + k, atom);
                    }
                }
                let returned = self.frame().returned;
                s.set(returned, Atom::Bool(true));
                Ok(())
            }
            Statement::Store { pointer, value } => {
                let value = self.flat(s, *value)?;
                let target = self.pointer(s, *pointer)?;
                self.assign(s, target, value)
            }
            Statement::Call {
                function,
                arguments,
                result,
            } => {
                let mut args = Vec::with_capacity(arguments.len());
                for &argument in arguments {
                    args.push(self.value(s, argument)?);
                }
                let value = self.call(
                    s,
                    &self.module.functions[*function],
                    &self.info[*function],
                    args,
                )?;
                if let Some(result) = result {
                    self.frame().values[result.index()] = Some(value);
                }
                Ok(())
            }
            _ => Err(Why::Foreign(
                "a statement that one invocation does not need",
            )),
        }
    }

    fn innermost(&mut self) -> Result<(usize, usize), Why> {
        let last = self.frame().loops.last().copied();
        last.ok_or(Why::Foreign("a break out of something else than a loop"))
    }

    // interprets the iterations of a loop, until it is left for certain
    fn turns(
        &mut self,
        s: &mut State,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
        depth: usize,
    ) -> Result<(), Why> {
        let (left, turned) = self.innermost()?;
        let returned = self.frame().returned;
        for _ in 0..TURNS {
            self.block(s, body)?;
            s.set(turned, Atom::Bool(false));
            match self.any(s, &[returned, left])? {
                Atom::Bool(true) => return Ok(()),
                Atom::Bool(false) => {}
                gone if depth < DEPTH => {
                    let here = s.not(gone)?;
                    let on = |it: &mut Self, s: &mut State| {
                        if !it.next(s, continuing, break_if)? {
                            it.turns(s, body, continuing, break_if, depth + 1)?;
                        }
                        Ok(())
                    };
                    return s.branch(self, here, on, |_, _| Ok(()));
                }
                _ => return Err(Why::Unbounded),
            }
            if self.next(s, continuing, break_if)? {
                return Ok(());
            }
        }
        Err(Why::Unbounded)
    }

    // the end of an iteration: true if the loop ends here
    fn next(
        &mut self,
        s: &mut State,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<bool, Why> {
        self.block(s, continuing)?;
        match break_if {
            None => Ok(false),
            Some(end) => match self.scalar(s, end)? {
                Atom::Bool(end) => Ok(end),
                _ => Err(Why::Unbounded),
            },
        }
    }

    /// Assigns to a pointer's target.
    fn assign(&mut self, s: &mut State, target: Target, value: Vec<Atom>) -> Result<(), Why> {
        match target {
            Target::Local(first) => {
                for (k, atom) in value.into_iter().enumerate() {
                    s.set(first + k, atom);
                }
                Ok(())
            }
            Target::Among(first, stride, n, which) => {
                for turn in 0..n {
                    let hit = self.is(s, which, turn)?;
                    for (k, &atom) in value.iter().enumerate() {
                        let at = first + turn * stride + k;
                        let old = s.locals[at];
                        let new = s.select(hit, atom, old)?;
                        s.set(at, new);
                    }
                }
                Ok(())
            }
            Target::Word(Room::Data, index) => {
                s.store(index, value[0]);
                Ok(())
            }
            _ => Err(Why::Foreign("a write to something that is not written")),
        }
    }

    /// Whether an index equals this number.
    pub fn is(&mut self, s: &mut State, index: Atom, number: usize) -> Result<Atom, Why> {
        let number = match s.graph.kind(index) {
            Kind::Int => Atom::Int(number as i32),
            _ => Atom::Uint(number as u32),
        };
        s.make(
            Op::Binary(naga::BinaryOperator::Equal, index, number),
            Kind::Bool,
        )
    }
}

// whether a statement may end a call, a loop or an iteration
fn leaves(statement: &Statement) -> bool {
    let any = |block: &Block| block.iter().any(leaves);
    match statement {
        Statement::Return { .. } | Statement::Break | Statement::Continue => true,
        Statement::Block(block) => any(block),
        Statement::If { accept, reject, .. } => any(accept) || any(reject),
        Statement::Loop {
            body, continuing, ..
        } => any(body) || any(continuing),
        _ => false,
    }
}
