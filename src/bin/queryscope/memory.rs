//! How much memory the program may take: reading stops before the machine has none left.

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// Bytes of memory that a record may need, besides what reading it took, while the trace is made of it: the most that was
/// measured, of many millions that all belong to one query. Usually it is a third.
const FOR_A_RECORD: u64 = 200;
/// Of the memory that is free when the program starts, this share may be taken.
const FREE: (u64, u64) = (9, 10);
/// The system is asked after so many steps of reading: each reads some MiB at most.
const EVERY: u32 = 8;

/// The limit, and how far reading is from it.
pub struct Memory {
    system: System,
    process: Pid,
    /// What the program may take in all.
    limit: u64,
    /// What the process may have of addresses, where that is limited (`ulimit -v`).
    addresses: Option<u64>,
    steps: u32,
}

impl Memory {
    /// The limit that was chosen, else a share of the free memory.
    pub fn new(chosen: Option<u64>) -> Self {
        let mut system = System::new();
        system.refresh_memory();
        let free = system.cgroup_limits().map_or(u64::MAX, |group| group.free_memory);
        let free = free.min(system.available_memory());
        let addresses = addresses();
        let share = (free / FREE.1 * FREE.0).min(addresses.unwrap_or(u64::MAX));
        let limit = chosen.unwrap_or(if share > 0 { share } else { u64::MAX });
        Self { system, process: Pid::from_u32(std::process::id()), limit, addresses, steps: 0 }
    }

    /// What the program may take in all.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// After a step of reading, when there are so many records: whether nothing more should be read.
    pub fn is_full(&mut self, records: u64) -> bool {
        self.steps += 1;
        if !self.steps.is_multiple_of(EVERY) {
            return false;
        }
        let only = ProcessesToUpdate::Some(&[self.process]);
        self.system.refresh_processes_specifics(only, false, ProcessRefreshKind::nothing().with_memory());
        let Some(process) = self.system.process(self.process) else { return false };
        let needed = records.saturating_mul(FOR_A_RECORD);
        let is_over = |taken: u64, limit: u64| taken.saturating_add(needed) > limit;
        is_over(process.memory(), self.limit)
            || self.addresses.is_some_and(|limit| is_over(process.virtual_memory(), limit))
    }
}

/// How many bytes of addresses the process may have, where that is limited.
#[cfg(unix)]
fn addresses() -> Option<u64> {
    let (soft, _) = rlimit::Resource::AS.get().ok()?;
    (soft != rlimit::INFINITY).then_some(soft)
}

#[cfg(not(unix))]
fn addresses() -> Option<u64> {
    None
}
