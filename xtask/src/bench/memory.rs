//! Memory and CPU time of the page's process, from /proc; measured only on Linux.

use std::collections::HashMap;
use std::fs;

use queryscope_e2e::Browser;

/// Resident memory of a renderer process, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Current resident memory.
    pub resident: u64,
    /// Maximum resident memory so far.
    pub peak: u64,
}

/// The measurement with the larger peak.
pub fn most(a: Option<Memory>, b: Option<Memory>) -> Option<Memory> {
    [a, b].into_iter().flatten().max_by_key(|m| m.peak)
}

/// Memory of the browser's page: of the renderer process with the most resident memory.
pub fn of_page(browser: &Browser) -> Option<Memory> {
    renderers(browser).into_iter().filter_map(memory).max_by_key(|m| m.resident)
}

/// CPU time of the page's renderer process so far, over all threads, in ms.
pub fn cpu_ms(browser: &Browser) -> Option<f64> {
    let process = renderers(browser).into_iter().max_by_key(|&p| memory(p).map_or(0, |m| m.resident))?;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The process name may contain any characters and ends with the last parenthesis. After it, user and system time are
    // the 12th and 13th fields, in ticks of 10 ms.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks * 10.0)
}

fn memory(process: u32) -> Option<Memory> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let bytes = |name: &str| {
        let line = status.lines().find_map(|l| l.strip_prefix(name))?;
        line.trim_start_matches(':').trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kib| kib << 10)
    };
    Some(Memory { resident: bytes("VmRSS")?, peak: bytes("VmHWM")? })
}

/// The renderer processes of the browser: descendants of its driver process.
fn renderers(browser: &Browser) -> Vec<u32> {
    let parents = parents();
    let below = |mut process: u32| {
        while let Some(&parent) = parents.get(&process) {
            if parent == browser.process() {
                return true;
            }
            process = parent;
        }
        false
    };
    let is_renderer = |process: u32| {
        fs::read(format!("/proc/{process}/cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains("--type=renderer"))
    };
    parents.keys().copied().filter(|&p| is_renderer(p) && below(p)).collect()
}

/// All processes: parent process ID by process ID.
fn parents() -> HashMap<u32, u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return HashMap::new() };
    let processes = entries.flatten().filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    let parent = |process: u32| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    processes.filter_map(|p| Some((p, parent(p)?))).collect()
}
