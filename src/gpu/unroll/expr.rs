//! Expressions: vectors, matrices and structs are split into scalars.

use naga::{BinaryOperator, Expression, Handle, Literal, RelationalFunction, Scalar, TypeInner};

use super::Why;
use super::graph::{Atom, Kind, Op};
use super::math::{columns, dot, each, math, two};
use super::state::State;
use super::types;
use super::walk::{Room, Target, Value, Walk};

/// Largest number of parts of a variable among which an unknown index may select.
const AMONG: usize = 16;

impl<'a> Walk<'a> {
    /// The value of an expression that was computed before, or needs no computation.
    pub fn value(&mut self, s: &mut State, handle: Handle<Expression>) -> Result<Value, Why> {
        if let Some(value) = &self.frame().values[handle.index()] {
            return Ok(value.clone());
        }
        let value = self.expression(s, handle)?;
        self.frame().values[handle.index()] = Some(value.clone());
        Ok(value)
    }

    /// Scalars of an expression.
    pub fn flat(&mut self, s: &mut State, handle: Handle<Expression>) -> Result<Vec<Atom>, Why> {
        match self.value(s, handle)? {
            Value::Flat(atoms) => Ok(atoms),
            Value::At(_) => Err(Why::Foreign("a pointer in place of a value")),
        }
    }

    /// The only scalar of an expression.
    pub fn scalar(&mut self, s: &mut State, handle: Handle<Expression>) -> Result<Atom, Why> {
        Ok(self.flat(s, handle)?[0])
    }

    /// The target of a pointer expression.
    pub fn pointer(&mut self, s: &mut State, handle: Handle<Expression>) -> Result<Target, Why> {
        match self.value(s, handle)? {
            Value::At(target) => Ok(target),
            Value::Flat(_) => Err(Why::Foreign("a value in place of a pointer")),
        }
    }

    // the type of an expression of the innermost call
    fn ty(&mut self, handle: Handle<Expression>) -> &'a TypeInner {
        let info = self.frame().info;
        info[handle].ty.inner_with(&self.module.types)
    }

    /// Computes an expression.
    pub fn expression(&mut self, s: &mut State, handle: Handle<Expression>) -> Result<Value, Why> {
        let fun = self.frame().fun;
        Ok(Value::Flat(match fun.expressions[handle] {
            Expression::FunctionArgument(k) => return Ok(self.frame().args[k as usize].clone()),
            Expression::GlobalVariable(variable) => {
                let known = self.globals[variable.index()].clone();
                return known.ok_or(Why::Foreign("a variable of a workgroup"));
            }
            Expression::LocalVariable(variable) => {
                let first = self.frame().locals[variable.index()];
                return Ok(Value::At(Target::Local(first)));
            }
            Expression::Access { base, index } => {
                let index = self.scalar(s, index)?;
                return self.access(s, base, index);
            }
            Expression::AccessIndex { base, index } => {
                return self.access(s, base, Atom::Uint(index));
            }
            Expression::Load { pointer } => {
                let n = match self.ty(handle) {
                    TypeInner::Scalar(_) => 1,
                    ty => types::kinds(self.module, ty)?.len(),
                };
                let target = self.pointer(s, pointer)?;
                self.read(s, target, n)?
            }
            Expression::Constant(constant) => {
                return Ok(Value::Flat(
                    self.constant(self.module.constants[constant].init)?,
                ));
            }
            Expression::Literal(literal) => vec![known(literal)?],
            Expression::ZeroValue(ty) => zeros(self, ty)?,
            Expression::Compose { ref components, .. } => {
                let mut all = Vec::new();
                for &component in components {
                    all.extend(self.flat(s, component)?);
                }
                all
            }
            Expression::Splat { size, value } => vec![self.scalar(s, value)?; size as usize],
            Expression::Swizzle {
                size,
                vector,
                pattern,
            } => {
                let vector = self.flat(s, vector)?;
                let picked = pattern[..size as usize].iter();
                picked.map(|&k| vector[k as usize]).collect()
            }
            Expression::Unary { op, expr } => {
                let all = self.flat(s, expr)?;
                each(all, |a| {
                    let kind = s.graph.kind(a);
                    s.make(Op::Unary(op, a), kind)
                })?
            }
            Expression::Binary { op, left, right } => self.binary(s, op, left, right)?,
            Expression::Select {
                condition,
                accept,
                reject,
            } => self.select(s, condition, [accept, reject])?,
            Expression::As {
                expr,
                kind,
                convert,
            } => {
                let kind = types::kind(Scalar { kind, width: 4 })?;
                let all = self.flat(s, expr)?;
                each(all, |a| match convert {
                    Some(_) => s.make(Op::Convert(kind, a), kind),
                    None => s.make(Op::Bits(kind, a), kind),
                })?
            }
            Expression::Relational { fun, argument } => vec![self.relational(s, fun, argument)?],
            Expression::Math {
                fun,
                arg,
                arg1,
                arg2,
                arg3: None,
            } => {
                let rows = self.ty(arg);
                let a = self.flat(s, arg)?;
                let b = arg1.map(|b| self.flat(s, b)).transpose()?;
                let c = arg2.map(|c| self.flat(s, c)).transpose()?;
                math(s, fun, rows, &a, b.as_deref(), c.as_deref())?
            }
            _ => return Err(Why::Foreign("an expression that no stage has")),
        }))
    }

    // component by component; the condition may be one scalar for all
    fn select(
        &mut self,
        s: &mut State,
        condition: Handle<Expression>,
        parts: [Handle<Expression>; 2],
    ) -> Result<Vec<Atom>, Why> {
        let c = self.flat(s, condition)?;
        let (a, b) = (self.flat(s, parts[0])?, self.flat(s, parts[1])?);
        let mut out = Vec::with_capacity(a.len());
        for k in 0..a.len() {
            out.push(s.select(c[k % c.len()], a[k], b[k])?);
        }
        Ok(out)
    }

    // `all` or `any` of a vector
    fn relational(
        &mut self,
        s: &mut State,
        fun: RelationalFunction,
        argument: Handle<Expression>,
    ) -> Result<Atom, Why> {
        let op = match fun {
            RelationalFunction::All => BinaryOperator::And,
            RelationalFunction::Any => BinaryOperator::InclusiveOr,
            _ => return Err(Why::Foreign("a test for numbers")),
        };
        let all = self.flat(s, argument)?;
        let mut out = all[0];
        for &a in &all[1..] {
            out = s.make(Op::Binary(op, out, a), Kind::Bool)?;
        }
        Ok(out)
    }

    // scalars of a constant expression
    fn constant(&self, handle: Handle<Expression>) -> Result<Vec<Atom>, Why> {
        Ok(match self.module.global_expressions[handle] {
            Expression::Literal(literal) => vec![known(literal)?],
            Expression::Constant(constant) => {
                self.constant(self.module.constants[constant].init)?
            }
            Expression::ZeroValue(ty) => zeros(self, ty)?,
            Expression::Splat { size, value } => self.constant(value)?.repeat(size as usize),
            Expression::Compose { ref components, .. } => {
                let mut all = Vec::new();
                for &component in components {
                    all.extend(self.constant(component)?);
                }
                all
            }
            _ => return Err(Why::Foreign("a constant that is not plain")),
        })
    }

    /// The initial value of a private variable.
    pub fn first(&self, variable: &naga::GlobalVariable) -> Result<Vec<Atom>, Why> {
        match variable.init {
            Some(init) => self.constant(init),
            None => zeros(self, variable.ty),
        }
    }

    // a part of a value, or a pointer to a part of a pointer's target
    fn access(
        &mut self,
        s: &mut State,
        base: Handle<Expression>,
        index: Atom,
    ) -> Result<Value, Why> {
        let ty = self.ty(base);
        let value = self.value(s, base)?;
        let known = match index {
            Atom::Int(k) => Some(k.max(0) as usize),
            Atom::Uint(k) => Some(k as usize),
            _ => None,
        };
        if let Value::At(Target::Words(room)) = value {
            return Ok(Value::At(Target::Word(room, index)));
        }
        let (_, stride) = types::part(self.module, ty, 0)?;
        let n = match (&value, ty) {
            (Value::Flat(all), _) => all.len() / stride,
            (_, TypeInner::Pointer { base, .. }) => {
                types::kinds(self.module, &self.module.types[*base].inner)?.len() / stride
            }
            (_, TypeInner::ValuePointer { size: Some(n), .. }) => *n as usize,
            _ => return Err(Why::Foreign("a part of a pointer")),
        };
        if let Some(k) = known {
            let (first, len) = types::part(self.module, ty, k)?;
            return Ok(match value {
                Value::Flat(all) => match all.get(first..first + len) {
                    Some(part) => Value::Flat(part.to_vec()),
                    None => return Err(Why::Range),
                },
                Value::At(Target::Local(from))
                    if k < n
                        || matches!(ty, TypeInner::Pointer { base, .. } if is_struct(self, *base)) =>
                {
                    Value::At(Target::Local(from + first))
                }
                Value::At(Target::Among(from, step, n, which)) => {
                    Value::At(Target::Among(from + first, step, n, which))
                }
                Value::At(_) => return Err(Why::Range),
            });
        }
        if n > AMONG {
            return Err(Why::Index);
        }
        match value {
            Value::At(Target::Local(from)) => Ok(Value::At(Target::Among(from, stride, n, index))),
            Value::Flat(all) => {
                let mut out = all[..stride].to_vec();
                for turn in 1..n {
                    let hit = self.is(s, index, turn)?;
                    for k in 0..stride {
                        out[k] = s.select(hit, all[turn * stride + k], out[k])?;
                    }
                }
                Ok(Value::Flat(out))
            }
            Value::At(_) => Err(Why::Index),
        }
    }

    // the scalars of a pointer's target
    fn read(&mut self, s: &mut State, target: Target, n: usize) -> Result<Vec<Atom>, Why> {
        Ok(match target {
            Target::Local(first) => s.locals[first..first + n].to_vec(),
            Target::Among(first, stride, count, which) => {
                let mut out = s.locals[first..first + n].to_vec();
                for turn in 1..count {
                    let hit = self.is(s, which, turn)?;
                    for (k, out) in out.iter_mut().enumerate() {
                        let other = s.locals[first + turn * stride + k];
                        *out = s.select(hit, other, *out)?;
                    }
                }
                out
            }
            Target::Word(Room::Data, index) => vec![s.load(index)?],
            Target::Word(Room::Model, Atom::Uint(k)) => {
                // beyond the end robust access returns zero
                vec![Atom::Uint(self.image.get(k as usize).copied().unwrap_or(0))]
            }
            Target::Word(Room::Model, index) => vec![s.make(Op::LoadModel(index), Kind::Uint)?],
            Target::Words(_) => return Err(Why::Foreign("all words at once")),
        })
    }

    fn binary(
        &mut self,
        s: &mut State,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Vec<Atom>, Why> {
        let (a, b) = (self.flat(s, left)?, self.flat(s, right)?);
        let rows = |ty: &TypeInner| match ty {
            TypeInner::Matrix { rows, .. } => Some(*rows as usize),
            _ => None,
        };
        let product = op == BinaryOperator::Multiply && a.len() > 1 && b.len() > 1;
        match (rows(self.ty(left)), rows(self.ty(right))) {
            (Some(rows), None) if product => columns(s, &a, rows, &b),
            (None, Some(rows)) if product => {
                let mut out = Vec::new();
                for column in b.chunks(rows) {
                    out.push(dot(s, &a, column)?);
                }
                Ok(out)
            }
            (Some(rows), Some(inner)) if product => {
                let mut out = Vec::new();
                for column in b.chunks(inner) {
                    out.extend(columns(s, &a, rows, column)?);
                }
                Ok(out)
            }
            _ => {
                let n = a.len().max(b.len());
                let mut out = Vec::with_capacity(n);
                for k in 0..n {
                    out.push(two(s, op, a[k % a.len()], b[k % b.len()])?);
                }
                Ok(out)
            }
        }
    }
}

fn is_struct(walk: &Walk<'_>, ty: Handle<naga::Type>) -> bool {
    matches!(walk.module.types[ty].inner, TypeInner::Struct { .. })
}

fn zeros(walk: &Walk<'_>, ty: Handle<naga::Type>) -> Result<Vec<Atom>, Why> {
    let kinds = types::kinds(walk.module, &walk.module.types[ty].inner)?;
    Ok(kinds.into_iter().map(Atom::zero).collect())
}

fn known(literal: Literal) -> Result<Atom, Why> {
    Ok(match literal {
        Literal::I32(x) => Atom::Int(x),
        Literal::U32(x) => Atom::Uint(x),
        Literal::F32(x) => Atom::real(x),
        Literal::Bool(x) => Atom::Bool(x),
        _ => return Err(Why::Foreign("a literal of another width")),
    })
}
