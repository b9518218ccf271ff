//! A warp: lanes that run in lockstep, diverge at branches, and reconverge.

use crate::count::Count;
use crate::flow::END;
use crate::memory::{CONSTANTS, Global, MODEL, Shared, sectors, turns};
use crate::ptx::{Instruction, Kind, Operand, Program, Space, read};
use crate::race::{Orders, Races};
use crate::{Times, WARP};

/// The reason why a warp stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It waits for the other warps of its workgroup.
    AtBarrier(Orders),
    /// All its lanes have ended.
    AtEnd,
}

/// Lanes that run together until they reconverge with others.
#[derive(Clone, Copy, Debug)]
struct Path {
    at: usize,
    meet: usize,
    lanes: u32,
}

/// The pending load of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pending {
    /// Nothing.
    No,
    /// A word of memory, which arrives with the wait of this number.
    Global(u64),
    /// A word of workgroup memory, or of another lane.
    Shared(u64),
}

/// A warp.
#[derive(Debug)]
pub struct Warp {
    paths: Vec<Path>,
    // mask of the lanes that have not ended
    alive: u32,
    registers: Vec<[u64; WARP]>,
    local: Vec<Shared>,
    workgroup: u64,
    first: u64,
    pending: Vec<Pending>,
    // number of waits for each memory
    waits: (u64, u64),
    // words other than the model's are under way
    other: bool,
    // the register that the last instruction wrote
    last: Option<usize>,
}

impl Warp {
    /// The warp with a number in a workgroup with a number of invocations.
    pub fn new(program: &Program, workgroup: usize, number: usize, invocations: usize) -> Self {
        let lanes = (invocations - number * WARP).min(WARP);
        let alive = u32::MAX >> (WARP - lanes);
        Self {
            paths: vec![Path {
                at: 0,
                meet: END,
                lanes: alive,
            }],
            alive,
            registers: vec![[0; WARP]; program.registers],
            local: vec![Shared::new(program.local_bytes); WARP],
            workgroup: workgroup as u64,
            first: (number * WARP) as u64,
            pending: vec![Pending::No; program.registers],
            waits: (0, 0),
            other: false,
            last: None,
        }
    }

    /// True if all lanes have ended.
    pub fn done(&self) -> bool {
        self.alive == 0
    }

    /// Runs to the next barrier or the end.
    pub fn run(
        &mut self,
        program: &Program,
        global: &mut Global,
        shared: &mut Shared,
        races: &mut Races,
        count: &mut Count,
        times: &mut [Times],
    ) -> Result<Stopped, String> {
        while let Some(&path) = self.paths.last() {
            let lanes = path.lanes & self.alive;
            if path.at == path.meet || lanes == 0 {
                self.paths.pop();
                continue;
            }
            let instruction = program
                .code
                .get(path.at)
                .ok_or("a way leads beyond the text")?;
            let active = match instruction.only {
                Some((register, wanted)) => lanes & self.mask(register, wanted),
                None => lanes,
            };
            if instruction.counts {
                count.instructions += 1;
                times[path.at][0] += 1;
                // all lanes take part in a branch, also those that do not jump
                let part = match instruction.kind {
                    Kind::Branch(_) => lanes,
                    _ => active,
                };
                count.lanes += u64::from(part.count_ones());
                let before = count.load_waits;
                self.wait(instruction, count);
                times[path.at][1] += count.load_waits - before;
            }
            let top = self.paths.len() - 1;
            self.paths[top].at += 1;
            match &instruction.kind {
                Kind::Branch(to) => self.branch(top, path, *to, active, instruction.meet),
                Kind::Return => self.alive &= !active,
                Kind::Barrier(_) | Kind::Meet(_) | Kind::Exchange(..) | Kind::Any(_)
                    if active != self.alive =>
                {
                    return Err("lanes of a warp are not together where they meet".to_owned());
                }
                Kind::Barrier(orders) => return Ok(Stopped::AtBarrier(*orders)),
                // it stands only where the workgroup is this warp
                Kind::Meet(orders) => races.barrier(*orders),
                _ => self.act(instruction, active, global, shared, races, count)?,
            }
        }
        Ok(Stopped::AtEnd)
    }

    fn branch(&mut self, top: usize, path: Path, to: usize, active: u32, meet: usize) {
        let stay = path.lanes & self.alive & !active;
        if stay == 0 {
            self.paths[top].at = to;
        } else if active != 0 {
            self.paths[top].at = meet;
            let part = |at, lanes| Path { at, meet, lanes };
            self.paths.push(part(path.at + 1, stay));
            self.paths.push(part(to, active));
        }
    }

    // number of a lane in the workgroup
    fn invocation(&self, lane: usize) -> usize {
        self.first as usize + lane
    }

    fn mask(&self, register: usize, wanted: bool) -> u32 {
        let values = self.registers[register].iter().enumerate();
        values.fold(0, |mask, (k, x)| mask | u32::from((*x != 0) == wanted) << k)
    }

    fn value(&self, operand: Operand, lane: usize) -> u64 {
        match operand {
            Operand::Register(k) => self.registers[k][lane],
            Operand::Number(x) => x,
            Operand::Invocation => self.first + lane as u64,
            Operand::Workgroup => self.workgroup,
        }
    }

    fn act(
        &mut self,
        instruction: &Instruction,
        active: u32,
        global: &mut Global,
        shared: &mut Shared,
        races: &mut Races,
        count: &mut Count,
    ) -> Result<(), String> {
        let mut result = [0; WARP];
        match &instruction.kind {
            Kind::Value(op, read) => {
                count.special += u64::from(op.special());
                for lane in lanes(active) {
                    let mut values = [0; 4];
                    for (value, &operand) in values.iter_mut().zip(read) {
                        *value = self.value(operand, lane);
                    }
                    result[lane] = op.value(values);
                }
            }
            Kind::Load(space, base, offset) => {
                let mut addresses = Vec::with_capacity(WARP);
                for lane in lanes(active) {
                    let address = self.value(*base, lane).wrapping_add_signed(*offset);
                    addresses.push(address);
                    races.access(
                        *space,
                        address,
                        false,
                        self.invocation(lane),
                        instruction.chain,
                    );
                    result[lane] = u64::from(match space {
                        Space::Global => global.load(address)?,
                        Space::Shared => *shared.word(address)?,
                        Space::Local => *self.local[lane].word(address)?,
                    });
                }
                let of_model = |address: &u64| (MODEL..CONSTANTS).contains(address);
                self.other |= *space != Space::Shared && !addresses.iter().all(of_model);
                if *space == Space::Global && active != 0 && instruction.counts {
                    count.loads += 1;
                    count.load_sectors += sectors(&addresses);
                }
                if instruction.counts {
                    access(*space, &addresses, count);
                }
            }
            Kind::Store(space, base, offset, value) => {
                let mut addresses = Vec::with_capacity(WARP);
                for lane in lanes(active) {
                    let address = self.value(*base, lane).wrapping_add_signed(*offset);
                    addresses.push(address);
                    races.access(
                        *space,
                        address,
                        true,
                        self.invocation(lane),
                        instruction.chain,
                    );
                    let word = self.value(*value, lane) as u32;
                    match space {
                        Space::Global => global.store(address, word)?,
                        Space::Shared => *shared.word(address)? = word,
                        Space::Local => *self.local[lane].word(address)? = word,
                    }
                }
                if *space == Space::Global && active != 0 && instruction.counts {
                    count.stores += 1;
                    count.store_sectors += sectors(&addresses);
                }
                if instruction.counts {
                    access(*space, &addresses, count);
                }
            }
            Kind::Exchange(value, mask) => {
                // it passes through the ports of workgroup memory
                count.shared += u64::from(active != 0);
                for lane in lanes(active) {
                    let other = lane ^ (self.value(*mask, lane) as usize % WARP);
                    result[lane] = self.value(*value, other);
                }
            }
            Kind::Any(value) => {
                let any = lanes(active).any(|lane| self.value(*value, lane) != 0);
                result = [u64::from(any); WARP];
            }
            Kind::Branch(_) | Kind::Barrier(_) | Kind::Meet(_) | Kind::Return => {}
        }
        if let Some(to) = instruction.to {
            for lane in lanes(active) {
                self.registers[to][lane] = result[lane];
            }
            self.pending[to] = match instruction.kind {
                Kind::Load(Space::Global | Space::Local, ..) => Pending::Global(self.waits.0),
                Kind::Load(Space::Shared, ..) | Kind::Exchange(..) => Pending::Shared(self.waits.1),
                // a move of a word does not wait for it
                Kind::Value(_, ref read) if !instruction.counts => match read[0] {
                    Operand::Register(from) => self.pending[from],
                    _ => Pending::No,
                },
                _ => Pending::No,
            };
        }
        Ok(())
    }

    /// Counts the waits of an instruction: all earlier loads arrive with the same wait.
    fn wait(&mut self, instruction: &Instruction, count: &mut Count) {
        let mut chained = false;
        let (mut global, mut shared) = (false, false);
        for register in read(instruction) {
            chained |= self.last == Some(register);
            global |= self.pending[register] == Pending::Global(self.waits.0);
            shared |= self.pending[register] == Pending::Shared(self.waits.1);
        }
        if global {
            self.waits.0 += 1;
            count.model_waits += u64::from(!self.other);
            self.other = false;
        }
        if shared {
            self.waits.1 += 1;
        }
        count.load_waits += u64::from(global);
        count.shared_waits += u64::from(shared);
        count.chained += u64::from(chained && !global && !shared);
        self.last = instruction.to;
    }
}

fn access(space: Space, addresses: &[u64], count: &mut Count) {
    match space {
        Space::Shared if !addresses.is_empty() => {
            count.shared += 1;
            count.shared_conflicts += turns(addresses) - 1;
        }
        Space::Local if !addresses.is_empty() => count.local += 1,
        _ => {}
    }
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..WARP).filter(move |lane| mask >> lane & 1 == 1)
}
