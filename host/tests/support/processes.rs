//! Other processes, as /proc shows them.

use std::fs;
use std::path::Path;

/// Process ids of the children of a process.
pub fn children_of(id: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task"));
    tasks
        .into_iter()
        .flatten()
        .flatten()
        .flat_map(|task| {
            let list = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            list.split_whitespace()
                .map(|id| id.parse().unwrap())
                .collect::<Vec<u32>>()
        })
        .collect()
}

/// Whether a process is there.
pub fn exists(id: u32) -> bool {
    Path::new(&format!("/proc/{id}")).exists()
}

/// Process ids of all processes in whose environment this variable has this value.
pub fn with_variable(name: &str, value: &str) -> Vec<u32> {
    let wanted = format!("{name}={value}");
    let is_it = |id: &u32| {
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == wanted.as_bytes())
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(is_it)
        .collect()
}
