//! Which kernels of a batch are unrolled.

use crate::gpu::Gpu;
use crate::gpu::config::Unroll;
use crate::gpu::module::Module;
use crate::gpu::own::has_text;
use crate::gpu::unroll::{Budget, MOST, Why, unroll};
use crate::gpu::wgsl::{Build, Team};
use crate::stages::Stage;

// TABLE: who gains, measured (docs/performance.md). Of hardware nothing is known: there nothing is unrolled unless it is
// asked for, or `bench --tune` found it faster

/// How large a kernel may become on a software adapter, which takes seconds over larger ones.
pub const SOFTWARE: Budget = Budget {
    statements: 4_000,
    words: 400,
};
/// How large where it was asked for: beyond, the first run may last longer than a wait for the device.
const SOFTWARE_MOST: Budget = Budget {
    statements: 10_000,
    words: 600,
};
/// Stages that lose there on larger models: they do next to nothing unless a world is bad, and then much. What is done under a branch costs
/// its time there whether the branch is taken or not, but a loop costs that of one turn.
const LOSES: &[&str] = &["check_pos", "check_vel", "check_acc"];

impl Gpu {
    /// The module that runs some stages, the team that it is for, and why it is not unrolled, if it is not.
    pub(in crate::gpu) fn form(&self, stages: &[&'static Stage]) -> (Module, Team, Option<Why>) {
        let plain = Build {
            m: &self.m,
            layout: &self.layout,
            team: self.team,
            checked: self.config.checked,
            limited: self.device.adapter.ends_loops(),
            order: self.config.order,
        };
        if stages.iter().any(|stage| has_text(&self.m, stage)) {
            let why = Why::Foreign("a text of one's own");
            return (plain.module(stages), self.team, Some(why));
        }
        let most = match self.config.unroll {
            Unroll::Never => None,
            Unroll::Always if self.device.adapter.software => Some(SOFTWARE_MOST),
            Unroll::Always => Some(MOST),
            Unroll::Auto => self.gains(stages),
        };
        let Some(most) = most else {
            return (plain.module(stages), self.team, Some(Why::Unasked));
        };
        // the layout does not care how many lanes a world has, but whole workgroups must fill a chunk
        let worlds = self.team.worlds.max(self.layout.tile.min(64));
        let team = Team { lanes: 1, worlds };
        // what is unrolled has no loops that an adapter could end
        let bare = Build {
            team,
            limited: false,
            ..plain
        };
        let module = bare.module(stages);
        match unroll(&module, &self.layout.model_image(&self.m), most) {
            Ok(module) => (module, team, None),
            Err(why) => (plain.module(stages), self.team, Some(why)),
        }
    }

    // does the table say that they gain, and up to which size
    fn gains(&self, stages: &[&'static Stage]) -> Option<Budget> {
        let software = self.device.adapter.software;
        // who asks for several lanes gets them, and with checks tests hold the plain kernels against the twins
        let plain = self.config.checked || self.config.lanes > 1;
        let loses = stages.iter().any(|s| LOSES.contains(&s.name));
        (software && !plain && !loses).then_some(SOFTWARE)
    }

    /// Every kernel that was made so far, and why it is not unrolled: none if it is.
    pub fn forms(&self) -> Vec<(&str, Option<&Why>)> {
        let all = self.kernels.iter();
        all.map(|kernel| (kernel.label.as_str(), kernel.plain.as_ref()))
            .collect()
    }
}
