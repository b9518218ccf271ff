//! Settings of how kernels run, as far as the caller may choose them; without the feature `gpu` they have no effect.

/// Which kernels are unrolled: generated for one model, without loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "gpu", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "gpu", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Unroll {
    /// Kernels that are known to gain on the adapter, unless indices are checked: on hardware those of stages whose loops the model bounds;
    /// on a software adapter small ones, unless several lanes are requested.
    #[default]
    Auto,
    /// None.
    Never,
    /// Every kernel that can be, within the limits of the adapter's compiler.
    Always,
}

settable! {
    /// Settings of how worlds are run that [`super::Settings`] leaves open.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(feature = "gpu", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "gpu", serde(deny_unknown_fields))]
    pub struct Choice {
        /// Lanes per world; 0: chosen from model and adapter.
        pub lanes: u32,
        /// Worlds per workgroup; 0: chosen.
        pub worlds: u32,
        /// Worlds whose words are interleaved; 0: chosen.
        pub tile: u32,
        /// Largest number of stages in one kernel; 0: chosen.
        pub fuse: usize,
        /// Which kernels are unrolled.
        pub unroll: Unroll,
    }
}

impl Choice {
    /// Every setting left open.
    pub const OPEN: Self = Self {
        lanes: 0,
        worlds: 0,
        tile: 0,
        fuse: 0,
        unroll: Unroll::Auto,
    };
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Choice {
            lanes,
            worlds,
            tile,
            fuse,
            unroll,
        } = self;
        let word = |n: u64| match n {
            0 => "auto".to_owned(),
            n => n.to_string(),
        };
        let [lanes, worlds, tile, fuse] =
            [*lanes as u64, *worlds as u64, *tile as u64, *fuse as u64].map(word);
        let unroll = format!("{unroll:?}").to_lowercase();
        write!(
            f,
            "lanes {lanes}, worlds {worlds}, tile {tile}, fuse {fuse}, unroll {unroll}"
        )
    }
}
