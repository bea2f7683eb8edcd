//! This machine, as its kernel describes it. Everything is read through [`Files`], whose root is
//! another folder in tests.

mod files;
mod processors;
mod remote;
mod virtualization;

pub use files::Files;
#[cfg(test)]
pub(crate) use files::fake;
pub use processors::{cpu_list, cpuinfo_value, measuring_cpu};
pub use remote::{Look, Remote};
pub use virtualization::{Virtualization, virtualization};

/// Where the kernel describes its processors.
pub const PROCESSORS: &str = "sys/devices/system/cpu";
