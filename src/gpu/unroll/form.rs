//! Which kernels of a batch are unrolled.

use crate::cpu::lib::sleep::sleeps;
use crate::gpu::Gpu;
use crate::gpu::config::Unroll;
use crate::gpu::module::Module;
use crate::gpu::own::has_text;
use crate::gpu::run::Group;
use crate::gpu::unroll::{Budget, MOST, Why, sized};
use crate::gpu::wgsl::{Build, Team};
use crate::stages::Stage;

// TABLE: kernels that gain. On a software adapter they were measured (docs/performance.md), for hardware their instructions were counted
// (docs/kernels.md)

/// Default budget of a kernel on a software adapter, which takes seconds over larger ones.
pub const SOFTWARE: Budget = Budget {
    statements: 4_000,
    words: 400,
};
/// Default budget of a kernel on hardware. NVIDIA's and AMD's compilers take at most 5 s for it.
const HARDWARE: Budget = Budget {
    statements: 15_000,
    words: 4_000,
};
/// Budget of a requested kernel: beyond it, the first run may last longer than a wait for the device.
const SOFTWARE_MOST: Budget = Budget {
    statements: 10_000,
    words: 600,
};
/// Stages that lose there on larger models: they do next to nothing unless a world is bad, and then much. Unrolled code under a branch takes
/// its time there whether or not the branch is taken, but a loop takes the time of one iteration.
const LOSES: &[&str] = &["check_pos", "check_vel", "check_acc"];

/// How the kernels of a batch are made.
#[derive(Clone, Copy, Debug)]
pub struct Forms<'a> {
    /// Settings of the kernels that are not unrolled.
    pub plain: Build<'a>,
    /// Which kernels are unrolled.
    pub unroll: Unroll,
    /// Worlds of a workgroup in an unrolled kernel, which has one lane per world.
    pub worlds: u32,
    /// The kernels run on a software adapter.
    pub software: bool,
    /// Several lanes per world were requested.
    pub asked: bool,
}

/// A kernel in its form.
#[derive(Clone, Debug)]
pub struct Formed {
    /// Its stages.
    pub group: Group,
    /// Its text.
    pub module: Module,
    /// Its team.
    pub team: Team,
    /// Why it is not unrolled; none if it is.
    pub why: Option<Why>,
}

impl Forms<'_> {
    /// The kernels that run a group of stages: one, or several in order, where not all of the stages fit into one that is unrolled.
    pub fn of(&self, group: &Group) -> Vec<Formed> {
        let most = match self.budget(group) {
            Ok(most) => most,
            Err(why) => return vec![self.unchanged(group.clone(), why)],
        };
        let image = self.plain.layout.model_image(self.plain.m);
        // the whole group, then its stages by themselves
        match self.unrolled(&group.stages, &image, most) {
            Ok((formed, _)) => vec![formed],
            Err(why) if group.stages.len() == 1 => vec![self.unchanged(group.clone(), why)],
            Err(_) => self.several(&group.stages, &image, most),
        }
    }

    // several kernels: neighbours share one if all of them can be unrolled and fit into the budget together, or if none can
    fn several(&self, stages: &[&'static Stage], image: &[u32], most: Budget) -> Vec<Formed> {
        let alone = |stage: &&'static Stage| self.unrolled(&[*stage], image, most);
        let alone: Vec<Result<(Formed, Budget), Why>> = stages.iter().map(alone).collect();
        let mut out = Vec::new();
        let mut first = 0;
        while first < stages.len() {
            let end = end_of(&alone, first, most.statements);
            let own = Group {
                stages: stages[first..end].to_vec(),
                again: false,
            };
            out.push(match &alone[first] {
                Ok((formed, _)) if end == first + 1 => formed.clone(),
                Ok(_) => match self.unrolled(&own.stages, image, most) {
                    Ok((formed, _)) => formed,
                    Err(why) => self.unchanged(own, why),
                },
                Err(why) => self.unchanged(own, why.clone()),
            });
            first = end;
        }
        out
    }

    fn unrolled(
        &self,
        stages: &[&'static Stage],
        image: &[u32],
        most: Budget,
    ) -> Result<(Formed, Budget), Why> {
        let team = Team::new(1, self.worlds);
        // an unrolled kernel has no loops that an adapter could end
        let bare = Build {
            team,
            limited: false,
            ..self.plain
        };
        let (module, size) = sized(&bare.module(stages), image, most)?;
        let group = Group {
            stages: stages.to_vec(),
            again: false,
        };
        let formed = Formed {
            group,
            module,
            team,
            why: None,
        };
        Ok((formed, size))
    }

    fn unchanged(&self, group: Group, why: Why) -> Formed {
        let team = match group.again {
            true => self.plain.team.again(),
            false => self.plain.team,
        };
        Formed {
            module: group.module(&self.plain),
            team,
            why: Some(why),
            group,
        }
    }

    // the budget of a kernel that is to be unrolled, or why it is not
    fn budget(&self, group: &Group) -> Result<Budget, Why> {
        let m = self.plain.m;
        let any = |names: &[&str]| group.stages.iter().any(|s| names.contains(&s.name));
        if group.again {
            return Err(Why::Foreign("worlds that leave it at once"));
        }
        if sleeps(m) && any(LOSES) {
            let why = "the start of sleeping trees, which is behind the model's words";
            return Err(Why::Foreign(why));
        }
        if group.stages.iter().any(|stage| has_text(m, stage)) {
            return Err(Why::Foreign("a text of one's own"));
        }
        // with checks tests compare the plain kernels with the twins. On a software adapter a request for several lanes means all
        // kernels; on hardware the lanes of those whose loops the state ends, since the unrolled ones gain whatever the lanes of others
        let open = !self.plain.checked && (!self.asked || !self.software);
        match (self.unroll, self.software) {
            (Unroll::Always, true) => Ok(SOFTWARE_MOST),
            (Unroll::Always, false) => Ok(MOST),
            (Unroll::Auto, true) if open && !any(LOSES) => Ok(SOFTWARE),
            (Unroll::Auto, false) if open => Ok(HARDWARE),
            _ => Err(Why::Unasked),
        }
    }
}

// the end of a kernel that begins at stage `first`, by the size of each stage alone, or why it cannot be unrolled
fn end_of(alone: &[Result<(Formed, Budget), Why>], first: usize, most: usize) -> usize {
    let mut statements = 0;
    let joins = |stage: &&Result<(Formed, Budget), Why>| match stage {
        Ok((_, size)) => {
            statements += size.statements;
            statements <= most
        }
        Err(_) => true,
    };
    let alike = alone[first..]
        .iter()
        .take_while(|s| s.is_ok() == alone[first].is_ok());
    (first + alike.take_while(joins).count()).max(first + 1)
}

impl Gpu {
    /// The kernels of a group of stages, in order.
    pub(in crate::gpu) fn formed(&self, group: &Group) -> Vec<Formed> {
        let adapter = &self.device.adapter;
        let fits = adapter.software || adapter.takes_long_kernels();
        let forms = Forms {
            plain: Build {
                m: &self.m,
                layout: &self.layout,
                team: self.team,
                checked: self.config.checked,
                limited: adapter.ends_loops(),
                order: self.config.order,
            },
            unroll: match self.config.unroll {
                Unroll::Auto if !fits => Unroll::Never,
                asked => asked,
            },
            worlds: self.single,
            software: adapter.software,
            asked: self.config.lanes > 1,
        };
        forms.of(group)
    }

    /// Every kernel that was compiled so far, and why it is not unrolled (none if it is).
    pub fn forms(&self) -> Vec<(&str, Option<&Why>)> {
        let all = self.kernels.iter();
        all.map(|kernel| (kernel.label.as_str(), kernel.plain.as_ref()))
            .collect()
    }
}
