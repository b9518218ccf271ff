//! Known values while a kernel is interpreted: variables, words of the worlds, and the changes that a branch made to them.

use std::collections::{BTreeMap, HashMap};

use naga::UnaryOperator;

use super::Why;
use super::fold::{Folded, fold};
use super::graph::{Atom, Graph, Kind, Op, Place, Stmt};

/// Largest number of statements in a branch that are computed unconditionally rather than under the branch.
const FLAT: usize = 400;

/// An assignable place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    /// A scalar of a variable.
    Local(usize),
    /// A word of the worlds.
    Word(Place),
}

/// All known values.
#[derive(Debug)]
pub struct State {
    pub graph: Graph,
    /// Scalars of the variables in scope: a stack.
    pub locals: Vec<Atom>,
    // known words of the worlds, as u32
    words: HashMap<Place, Atom>,
    // previous values of cells, since the branch began
    journal: Vec<(Cell, Option<Atom>)>,
    // statements of the current block
    pub block: Vec<Stmt>,
    nvar: u32,
    // largest number of nodes
    most: usize,
}

// an assignable place, and its values at the ends of both sides of a branch
type Ends = (Cell, Option<Atom>, Option<Atom>);

/// The effects of one side of a branch.
struct Side {
    block: Vec<Stmt>,
    changed: BTreeMap<Cell, Option<Atom>>,
}

impl State {
    pub fn new(most: usize) -> Self {
        Self {
            graph: Graph::default(),
            locals: Vec::new(),
            words: HashMap::new(),
            journal: Vec::new(),
            block: Vec::new(),
            nvar: 0,
            most,
        }
    }

    /// The atom that an operation folds to; an operation that must be computed is added to the block.
    pub fn make(&mut self, mut op: Op, kind: Kind) -> Result<Atom, Why> {
        loop {
            match fold(&self.graph, op) {
                Folded::Atom(a) => return Ok(a),
                Folded::Op(next) if next == op => break,
                Folded::Op(next) => op = next,
            }
        }
        let (atom, new) = self.graph.node(op, kind);
        if let (true, Atom::Node(id)) = (new, atom) {
            if self.graph.nodes.len() > self.most {
                return Err(Why::Large);
            }
            self.block.push(Stmt::Let(id));
        }
        Ok(atom)
    }

    pub fn not(&mut self, a: Atom) -> Result<Atom, Why> {
        self.make(Op::Unary(UnaryOperator::LogicalNot, a), Kind::Bool)
    }

    /// Allocates the scalars of a variable on the stack; returns its first index.
    pub fn push(&mut self, scalars: impl IntoIterator<Item = Atom>) -> usize {
        let first = self.locals.len();
        self.locals.extend(scalars);
        first
    }

    /// Assigns a scalar of a variable.
    pub fn set(&mut self, at: usize, value: Atom) {
        let old = std::mem::replace(&mut self.locals[at], value);
        self.journal.push((Cell::Local(at), Some(old)));
    }

    fn know(&mut self, place: Place, word: Option<Atom>) {
        let old = match word {
            Some(word) => self.words.insert(place, word),
            None => self.words.remove(&place),
        };
        self.journal.push((Cell::Word(place), old));
    }

    /// A word of the worlds.
    pub fn load(&mut self, index: Atom) -> Result<Atom, Why> {
        let place = self.graph.place(index);
        if let Some(&word) = self.words.get(&place) {
            return Ok(word);
        }
        let word = self.make(Op::Load(index), Kind::Uint)?;
        self.know(place, Some(word));
        Ok(word)
    }

    /// Writes a word of the worlds.
    pub fn store(&mut self, index: Atom, word: Atom) {
        let place = self.graph.place(index);
        // words with another base may have the same address
        let others: Vec<Place> = self
            .words
            .keys()
            .filter(|(base, _)| *base != place.0)
            .copied()
            .collect();
        for other in others {
            self.know(other, None);
        }
        self.block.push(Stmt::Store(index, word));
        self.know(place, Some(word));
    }

    // the effects of one side of a branch, which are undone afterwards
    fn side(&mut self, run: impl FnOnce(&mut Self) -> Result<(), Why>) -> Result<Side, Why> {
        let block = std::mem::take(&mut self.block);
        let journal = std::mem::take(&mut self.journal);
        let (mark, depth) = (self.graph.mark(), self.locals.len());
        run(self)?;
        self.locals.truncate(depth);
        self.graph.forget(mark);
        let mut changed = BTreeMap::new();
        for (cell, old) in std::mem::replace(&mut self.journal, journal)
            .into_iter()
            .rev()
        {
            match cell {
                Cell::Local(at) if at >= depth => {}
                Cell::Local(at) => {
                    changed.entry(cell).or_insert(Some(self.locals[at]));
                    self.locals[at] = old.unwrap_or(self.locals[at]);
                }
                Cell::Word(place) => {
                    let now = self.words.get(&place).copied();
                    changed.entry(cell).or_insert(now);
                    match old {
                        Some(old) => self.words.insert(place, old),
                        None => self.words.remove(&place),
                    };
                }
            }
        }
        let block = std::mem::replace(&mut self.block, block);
        Ok(Side { block, changed })
    }

    // the value of a cell at the end of one side
    fn on(&self, side: &Side, cell: Cell) -> Option<Atom> {
        match (side.changed.get(&cell), cell) {
            (Some(value), _) => *value,
            (None, Cell::Local(at)) => Some(self.locals[at]),
            (None, Cell::Word(place)) => self.words.get(&place).copied(),
        }
    }

    /// Interprets a branch on an unknown condition.
    pub fn branch<C>(
        &mut self,
        context: &mut C,
        condition: Atom,
        accept: impl FnOnce(&mut C, &mut Self) -> Result<(), Why>,
        reject: impl FnOnce(&mut C, &mut Self) -> Result<(), Why>,
    ) -> Result<(), Why> {
        let a = self.side(|state| accept(context, state))?;
        let b = self.side(|state| reject(context, state))?;
        let cells: BTreeMap<Cell, ()> = a
            .changed
            .keys()
            .chain(b.changed.keys())
            .map(|&cell| (cell, ()))
            .collect();
        let cells: Vec<Cell> = cells.into_keys().collect();
        let mut written = BTreeMap::new();
        stored(&self.graph, &a.block, &mut written);
        stored(&self.graph, &b.block, &mut written);

        // a branch is kept unless both sides are short, write the same words, and may run either way
        let blocks = [&a.block, &b.block];
        let all = || blocks.iter().flat_map(|block| block.iter());
        let both = |place: &Place| {
            [&a, &b]
                .iter()
                .all(|side| self.on(side, Cell::Word(*place)).is_some())
        };
        let flat = all().count() <= FLAT
            && all().all(|stmt| self.simple(stmt))
            && written.keys().all(both)
            && (written.is_empty() || self.bases(all()) == 1);
        let values: Vec<Ends> = cells
            .iter()
            .map(|&cell| (cell, self.on(&a, cell), self.on(&b, cell)))
            .collect();
        match flat {
            true => self.merge_flat(condition, [a.block, b.block], values, &written),
            false => self.merge(condition, [a.block, b.block], values, &written),
        }
    }

    // both sides are computed, and the values selected
    fn merge_flat(
        &mut self,
        condition: Atom,
        sides: [Vec<Stmt>; 2],
        values: Vec<Ends>,
        written: &BTreeMap<Place, Atom>,
    ) -> Result<(), Why> {
        let lets = |stmt: &Stmt| matches!(stmt, Stmt::Let(_));
        for side in sides {
            self.block.extend(side.into_iter().filter(lets));
        }
        for (cell, a, b) in values {
            let value = match (a, b) {
                // a word that was only read, on either side or both
                (Some(a), _) if is_untouched(cell, written) => Some(a),
                (_, b) if is_untouched(cell, written) => b,
                (Some(a), Some(b)) => Some(self.select(condition, a, b)?),
                _ => None,
            };
            match (cell, value) {
                (Cell::Local(at), Some(value)) => self.set(at, value),
                (Cell::Word(place), Some(value)) if written.contains_key(&place) => {
                    self.store(written[&place], value);
                }
                (Cell::Word(place), value) => self.know(place, value),
                (Cell::Local(_), None) => {}
            }
        }
        Ok(())
    }

    // with a branch: values that hold afterwards are passed in variables
    fn merge(
        &mut self,
        condition: Atom,
        [mut a_block, mut b_block]: [Vec<Stmt>; 2],
        values: Vec<Ends>,
        written: &BTreeMap<Place, Atom>,
    ) -> Result<(), Why> {
        let mut after = Vec::new();
        for (cell, a, b) in values {
            let value = match (a, b) {
                (Some(a), Some(b)) if a == b => Some(a),
                // the value of a word that a branch only read is out of scope after it
                _ if is_untouched(cell, written) => None,
                (Some(a), Some(b)) => match self.free_select(condition, a, b) {
                    Some(value) => Some(value),
                    None => {
                        let var = self.nvar;
                        self.nvar += 1;
                        let kind = self.graph.kind(a);
                        self.block.push(Stmt::Var(var, kind));
                        a_block.push(Stmt::Set(var, a));
                        b_block.push(Stmt::Set(var, b));
                        after.push((cell, var, kind));
                        continue;
                    }
                },
                _ => None,
            };
            match (cell, value) {
                (Cell::Local(at), Some(value)) => self.set(at, value),
                (Cell::Word(place), value) => self.know(place, value),
                (Cell::Local(_), None) => {}
            }
        }
        self.block.push(Stmt::If(condition, a_block, b_block));
        for (cell, var, kind) in after {
            let value = self.make(Op::Get(var), kind)?;
            match cell {
                Cell::Local(at) => self.set(at, value),
                Cell::Word(place) => self.know(place, Some(value)),
            }
        }
        Ok(())
    }

    // whether a statement may run when its branch is not taken
    fn simple(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Let(id) => !matches!(self.graph.nodes[*id as usize].op, Op::LoadModel(_)),
            Stmt::Store(..) => true,
            _ => false,
        }
    }

    // number of different bases in the addresses of some statements
    fn bases<'a>(&self, block: impl Iterator<Item = &'a Stmt>) -> usize {
        let mut bases: Vec<Atom> = block
            .filter_map(|stmt| match stmt {
                Stmt::Store(index, _) => Some(*index),
                Stmt::Let(id) => match self.graph.nodes[*id as usize].op {
                    Op::Load(index) => Some(index),
                    _ => None,
                },
                _ => None,
            })
            .map(|index| self.graph.place(index).0)
            .collect();
        bases.sort();
        bases.dedup();
        bases.len()
    }

    /// Selects one of two scalars. Words are more often reals than not, and are selected as reals.
    pub fn select(&mut self, c: Atom, a: Atom, b: Atom) -> Result<Atom, Why> {
        let real = |x: Atom| match (x, self.graph.op(x)) {
            (Atom::Uint(word), _) => Some(Atom::Real(word)),
            (_, Some(Op::Bits(Kind::Uint, inner))) => {
                Some(inner).filter(|x| self.graph.kind(*x) == Kind::Real)
            }
            _ => None,
        };
        if let (Some(a), Some(b), false) = (real(a), real(b), a.known() && b.known()) {
            let value = self.make(Op::Select(c, a, b), Kind::Real)?;
            return self.make(Op::Bits(Kind::Uint, value), Kind::Uint);
        }
        let kind = self.graph.kind(a);
        self.make(Op::Select(c, a, b), kind)
    }

    // a select that needs no value computed in the branch
    fn free_select(&mut self, c: Atom, a: Atom, b: Atom) -> Option<Atom> {
        let op = match (a, b) {
            (Atom::Bool(true), Atom::Bool(false)) => return Some(c),
            (Atom::Bool(false), Atom::Bool(true)) => Op::Unary(UnaryOperator::LogicalNot, c),
            _ => return None,
        };
        self.make(op, Kind::Bool).ok()
    }
}

// true of a word that no side of a branch writes
fn is_untouched(cell: Cell, written: &BTreeMap<Place, Atom>) -> bool {
    matches!(cell, Cell::Word(place) if !written.contains_key(&place))
}

// addresses that a block writes: base and offset, and the index atom
fn stored(graph: &Graph, block: &[Stmt], out: &mut BTreeMap<Place, Atom>) {
    for stmt in block {
        match stmt {
            Stmt::Store(index, _) => {
                out.insert(graph.place(*index), *index);
            }
            Stmt::If(_, a, b) => {
                stored(graph, a, out);
                stored(graph, b, out);
            }
            _ => {}
        }
    }
}
