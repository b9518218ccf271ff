//! Which kernels of a batch are unrolled.

use crate::cpu::lib::sleep::sleeps;
use crate::gpu::Gpu;
use crate::gpu::config::Unroll;
use crate::gpu::module::Module;
use crate::gpu::own::has_text;
use crate::gpu::run::Group;
use crate::gpu::unroll::{Budget, MOST, Why, unroll};
use crate::gpu::wgsl::{Build, Team};
use crate::stages::Stage;

// TABLE: stages that gain, measured (docs/performance.md). Hardware was not measured: there no kernel is unrolled unless it is
// requested, or `bench --tune` found it faster

/// Default budget of a kernel on a software adapter, which takes seconds over larger ones.
pub const SOFTWARE: Budget = Budget {
    statements: 4_000,
    words: 400,
};
/// Budget of a requested kernel: beyond it, the first run may last longer than a wait for the device.
const SOFTWARE_MOST: Budget = Budget {
    statements: 10_000,
    words: 600,
};
/// Stages that lose there on larger models: they do next to nothing unless a world is bad, and then much. Unrolled code under a branch takes
/// its time there whether or not the branch is taken, but a loop takes the time of one iteration.
const LOSES: &[&str] = &["check_pos", "check_vel", "check_acc"];

impl Gpu {
    /// The module of a kernel, its team, and why it is not unrolled (none if it is).
    pub(in crate::gpu) fn form(&self, group: &Group) -> (Module, Team, Option<Why>) {
        let stages = group.stages.as_slice();
        let plain = Build {
            m: &self.m,
            layout: &self.layout,
            team: self.team,
            checked: self.config.checked,
            limited: self.device.adapter.ends_loops(),
            order: self.config.order,
        };
        if group.again {
            let why = Why::Foreign("worlds that leave it at once");
            return (group.module(&plain), self.team.again(), Some(why));
        }
        if sleeps(&self.m) && stages.iter().any(|s| LOSES.contains(&s.name)) {
            let why =
                Why::Foreign("the start of sleeping trees, which is behind the model's words");
            return (plain.module(stages), self.team, Some(why));
        }
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
        // the layout does not depend on the number of lanes, but whole workgroups must fill a chunk
        let worlds = self.team.worlds.max(self.layout.tile.min(64));
        let team = Team { lanes: 1, worlds };
        // an unrolled kernel has no loops that an adapter could end
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

    // the budget of these stages if the table says that they gain
    fn gains(&self, stages: &[&'static Stage]) -> Option<Budget> {
        let software = self.device.adapter.software;
        // a request for several lanes is respected, and with checks tests compare the plain kernels with the twins
        let plain = self.config.checked || self.config.lanes > 1;
        let loses = stages.iter().any(|s| LOSES.contains(&s.name));
        (software && !plain && !loses).then_some(SOFTWARE)
    }

    /// Every kernel that was compiled so far, and why it is not unrolled (none if it is).
    pub fn forms(&self) -> Vec<(&str, Option<&Why>)> {
        let all = self.kernels.iter();
        all.map(|kernel| (kernel.label.as_str(), kernel.plain.as_ref()))
            .collect()
    }
}
