//! Which programs have a device open.

use std::fs;
use std::path::Path;

/// Where programs that follow the UUCP convention say that they use a port (FHS 3.0, section 5.9).
const LOCKS: &str = "/var/lock";

/// Programs other than this one that have this device open, as far as they may be seen: those of
/// the same user, and those that left a lock file.
pub fn of(device: &Path) -> Vec<String> {
    let Ok(device) = device.canonicalize() else {
        return Vec::new();
    };
    let mut holders: Vec<u32> = processes()
        .filter(|id| *id != std::process::id() && has_open(*id, &device))
        .collect();
    holders.extend(lock_file(&device).filter(|id| !holders.contains(id)));
    holders.into_iter().map(words).collect()
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn has_open(id: u32, device: &Path) -> bool {
    let descriptors = fs::read_dir(format!("/proc/{id}/fd"));
    let mut descriptors = descriptors.into_iter().flatten().flatten();
    descriptors
        .any(|descriptor| fs::read_link(descriptor.path()).is_ok_and(|target| target == device))
}

/// The process that a lock file names, as long as it lives.
fn lock_file(device: &Path) -> Option<u32> {
    let name = device.file_name()?.to_str()?;
    let text = fs::read_to_string(format!("{LOCKS}/LCK..{name}")).ok()?;
    let id: u32 = text.split_whitespace().next()?.parse().ok()?;
    (id != std::process::id() && Path::new(&format!("/proc/{id}")).exists()).then_some(id)
}

fn words(id: u32) -> String {
    match fs::read_to_string(format!("/proc/{id}/comm")) {
        Ok(name) => format!("{} (process {id})", name.trim_end()),
        Err(_) => format!("process {id}"),
    }
}
