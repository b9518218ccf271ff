//! Trees whose arrays are already those of their state: they slept through the whole last pass too.
//!
//! A sleeping tree has the position where it fell asleep, no velocity and no force: `wake` looks at that in each pass. So its poses,
//! inertias and forces are those of the pass before, bit for bit, and stages leave them as they are. This holds while one step follows
//! another. Whoever changes arrays or the model in between calls [`Still::forget`].

use crate::fields::Arrays;

/// Passes that a tree has to sleep through until nothing is computed for it.
const PASSES: u8 = 2;

/// Which trees are still, in all worlds of a tile.
#[derive(Clone, Debug, Default)]
pub struct Still {
    allowed: bool,
    any: bool,
    // for each tree, and behind them for static bodies, the number of passes it has slept through, up to PASSES
    passes: Vec<u8>,
    body: Vec<bool>,
    dof: Vec<bool>,
}

// it says what need not be computed, and is no part of the state
impl PartialEq for Still {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Still {
    /// Says whether the next passes are whole steps that follow each other.
    pub(crate) fn allow(&mut self, allowed: bool) {
        self.allowed = allowed;
        if !allowed {
            self.forget();
        }
    }

    /// Computes everything in the next pass.
    pub(crate) fn forget(&mut self) {
        self.any = false;
        self.passes.clear();
    }

    /// Whether nothing of a body has to be computed.
    #[inline(always)]
    pub(crate) fn body(&self, i: usize) -> bool {
        self.any && self.body[i]
    }

    /// Whether nothing of a dof has to be computed.
    #[inline(always)]
    pub(crate) fn dof(&self, i: usize) -> bool {
        self.any && self.dof[i]
    }

    /// Whether nothing of a tree has to be computed.
    #[inline(always)]
    pub(crate) fn tree(&self, t: usize) -> bool {
        self.any && self.passes[t] == PASSES
    }

    /// Whether any tree or static body is still.
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    /// Looks who sleeps, in a pass that begins or one in which trees were woken; `asleep` says which trees sleep in all worlds, `fixed`
    /// which bodies are static.
    pub(crate) fn look(
        &mut self,
        m: &Arrays,
        begins: bool,
        asleep: impl Fn(usize) -> bool,
        fixed: impl Fn(usize) -> bool,
    ) {
        if !self.allowed {
            return;
        }
        self.passes.resize(m.ntree + 1, 0);
        for (t, passes) in self.passes.iter_mut().enumerate() {
            *passes = match t == m.ntree || asleep(t) {
                true => (*passes + u8::from(begins)).min(PASSES),
                false => 0,
            };
        }
        self.tell(m, fixed);
    }

    fn tell(&mut self, m: &Arrays, fixed: impl Fn(usize) -> bool) {
        self.body.resize(m.nbody, false);
        self.any = false;
        for (i, still) in self.body.iter_mut().enumerate() {
            *still = match usize::try_from(m.body_treeid[i]) {
                Ok(t) => self.passes[t] == PASSES,
                // other bodies collect what their trees carry
                Err(_) => {
                    let alone = i == 0 || m.body_childnum[i] == 0;
                    alone && fixed(i) && self.passes[m.ntree] == PASSES
                }
            };
            self.any |= *still;
        }
        let of = |body: &i32| self.any && self.body[*body as usize];
        self.dof.clear();
        self.dof.extend(m.dof_bodyid.iter().map(of));
    }
}
