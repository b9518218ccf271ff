//! The counts.

/// Counts of the warps of a kernel, over all workgroups.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Workgroups.
    pub workgroups: u64,
    /// Warps.
    pub warps: u64,
    /// Instructions issued by warps, without moves, which the compiler to machine code removes.
    pub instructions: u64,
    /// Active lanes, summed over the instructions.
    pub lanes: u64,
    /// Instructions of the workgroup with most.
    pub of_longest_workgroup: u64,
    /// Barriers that workgroups reached.
    pub barriers: u64,
    /// Instructions that need the result of the instruction before.
    pub chained: u64,
    /// Special instructions: square roots, quotients, powers, sines.
    pub special: u64,
    /// Requests to read memory.
    pub loads: u64,
    /// Sectors of 32 bytes read.
    pub load_sectors: u64,
    /// Requests to write memory.
    pub stores: u64,
    /// Sectors of 32 bytes written.
    pub store_sectors: u64,
    /// Waits of a warp for a load from memory, if nothing else ran.
    pub load_waits: u64,
    /// Those of them for words of the model alone, which are the same for all worlds.
    pub model_waits: u64,
    /// Accesses to workgroup memory.
    pub shared: u64,
    /// Extra cycles of these accesses because of bank conflicts.
    pub shared_conflicts: u64,
    /// Waits of a warp for a load from workgroup memory, if nothing else ran.
    pub shared_waits: u64,
    /// Accesses to private memory of an invocation.
    pub local: u64,
    /// Bytes of the worlds that workgroups read before they wrote them, each counted once per workgroup.
    pub bytes_read: u64,
    /// Bytes of the worlds that workgroups wrote, each counted once per workgroup.
    pub bytes_written: u64,
}

impl Count {
    /// The counts as one line of JSON, with a list of races.
    pub fn json(&self, kernel: &str, races: &str) -> String {
        let numbers = [
            ("workgroups", self.workgroups),
            ("warps", self.warps),
            ("instructions", self.instructions),
            ("lanes", self.lanes),
            ("of_longest_workgroup", self.of_longest_workgroup),
            ("barriers", self.barriers),
            ("chained", self.chained),
            ("special", self.special),
            ("loads", self.loads),
            ("load_sectors", self.load_sectors),
            ("stores", self.stores),
            ("store_sectors", self.store_sectors),
            ("load_waits", self.load_waits),
            ("model_waits", self.model_waits),
            ("shared", self.shared),
            ("shared_conflicts", self.shared_conflicts),
            ("shared_waits", self.shared_waits),
            ("local", self.local),
            ("bytes_read", self.bytes_read),
            ("bytes_written", self.bytes_written),
        ];
        let numbers = numbers.map(|(name, n)| format!("\"{name}\":{n}"));
        let kernel = kernel.replace('\\', "\\\\").replace('"', "\\\"");
        let numbers = numbers.join(",");
        format!("{{\"kernel\":\"{kernel}\",{numbers},\"races\":{races}}}")
    }
}
