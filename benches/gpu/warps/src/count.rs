//! What is counted.

/// What the warps of a kernel did, all workgroups together.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Workgroups, and their warps.
    pub workgroups: u64,
    /// Warps.
    pub warps: u64,
    /// Instructions issued for a warp, without moves, which a compiler of machine code removes.
    pub instructions: u64,
    /// Lanes that took part in them.
    pub lanes: u64,
    /// Of the workgroup that had most.
    pub of_longest_workgroup: u64,
    /// Barriers that workgroups came to.
    pub barriers: u64,
    /// Instructions that need the result of the one before.
    pub chained: u64,
    /// Square roots, quotients, powers, sines.
    pub special: u64,
    /// Requests to read memory, and the sectors of 32 bytes in them.
    pub loads: u64,
    /// Sectors read.
    pub load_sectors: u64,
    /// Requests to write memory.
    pub stores: u64,
    /// Sectors written.
    pub store_sectors: u64,
    /// Times that a warp had to wait for what it read from memory, if nothing else ran.
    pub load_waits: u64,
    /// Accesses to workgroup memory.
    pub shared: u64,
    /// Turns more that they took because lanes met in a bank.
    pub shared_conflicts: u64,
    /// Times that a warp had to wait for what it read from workgroup memory, if nothing else ran.
    pub shared_waits: u64,
    /// Accesses to an invocation's own memory, which registers do not hold.
    pub local: u64,
    /// Bytes of the worlds that workgroups read before they wrote them, each counted once a workgroup.
    pub bytes_read: u64,
    /// Bytes of the worlds that workgroups wrote, each counted once a workgroup.
    pub bytes_written: u64,
}

impl Count {
    /// One line.
    pub fn json(&self, kernel: &str) -> String {
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
            ("shared", self.shared),
            ("shared_conflicts", self.shared_conflicts),
            ("shared_waits", self.shared_waits),
            ("local", self.local),
            ("bytes_read", self.bytes_read),
            ("bytes_written", self.bytes_written),
        ];
        let numbers = numbers.map(|(name, n)| format!("\"{name}\":{n}"));
        let kernel = kernel.replace('\\', "\\\\").replace('"', "\\\"");
        format!("{{\"kernel\":\"{kernel}\",{}}}", numbers.join(","))
    }
}
