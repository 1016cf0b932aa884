//! The memory limit of the program: reading stops before the machine runs out of memory.

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// Bytes that building the trace may need per record, in addition to the memory for reading: the measured maximum, from
/// many millions of records that all belong to one query. Usually a third of that is needed.
const FOR_A_RECORD: u64 = 200;
/// Share of the memory free at the start that the program may use, as a fraction.
const FREE: (u64, u64) = (9, 10);
/// Number of reading steps, of a few MiB each, between two checks of the memory in use.
const EVERY: u32 = 8;

/// The memory limit, and a check whether it is reached.
pub struct Memory {
    system: System,
    process: Pid,
    /// Maximum number of bytes that the program may use.
    limit: u64,
    /// Maximum number of bytes of address space; `None` if it is not limited (`ulimit -v`).
    addresses: Option<u64>,
    /// Maximum number of records, if it is known how many fit; `None` to measure the memory in use. Memory that an earlier reading used
    /// may not have been returned to the system, and would be measured again.
    max_records: Option<u64>,
    steps: u32,
}

impl Memory {
    /// Uses the chosen limit in bytes, else a share of the free memory. If it is known how many records fit (`max_records`), that
    /// is the limit.
    pub fn new(chosen: Option<u64>, max_records: Option<u64>) -> Self {
        let mut system = System::new();
        system.refresh_memory();
        let free = system.cgroup_limits().map_or(u64::MAX, |group| group.free_memory);
        let free = free.min(system.available_memory());
        let addresses = addresses();
        let share = (free / FREE.1 * FREE.0).min(addresses.unwrap_or(u64::MAX));
        let limit = chosen.unwrap_or(if share > 0 { share } else { u64::MAX });
        Self { system, process: Pid::from_u32(std::process::id()), limit, addresses, max_records, steps: 0 }
    }

    /// Maximum number of bytes that the program may use.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Whether reading must stop, given the number of records that are kept in memory; to be called after each step of reading.
    pub fn is_full(&mut self, records: u64) -> bool {
        if let Some(most) = self.max_records {
            return records > most;
        }
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

/// Maximum number of bytes of address space; `None` if it is not limited.
#[cfg(unix)]
fn addresses() -> Option<u64> {
    let (soft, _) = rlimit::Resource::AS.get().ok()?;
    (soft != rlimit::INFINITY).then_some(soft)
}

#[cfg(not(unix))]
fn addresses() -> Option<u64> {
    None
}
