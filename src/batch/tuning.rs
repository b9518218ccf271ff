//! How kernels run, as far as the caller may choose; without the feature `gpu` nothing reads it.

/// Which kernels are written for the model alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "gpu", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "gpu", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Unroll {
    /// Those that are known to gain by it on such an adapter: small ones on a software adapter, unless indices are checked or
    /// several lanes are asked for.
    #[default]
    Auto,
    /// None.
    Never,
    /// All that can be, within what the compiler of the adapter can take.
    Always,
}

settable! {
    /// How worlds are run: what [`super::Settings`] leaves open.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(feature = "gpu", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "gpu", serde(deny_unknown_fields))]
    pub struct Choice {
        /// Lanes that work on one world; 0: chosen from model and adapter.
        pub lanes: u32,
        /// Worlds of a workgroup; 0: chosen.
        pub worlds: u32,
        /// Worlds whose words are interleaved; 0: chosen.
        pub tile: u32,
        /// Largest number of stages in one kernel; 0: chosen.
        pub fuse: usize,
        /// Which kernels are written for the model alone.
        pub unroll: Unroll,
    }
}

impl Choice {
    /// Everything left open.
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
