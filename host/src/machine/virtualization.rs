//! Whether a hypervisor is below the kernel.

use super::{Files, cpuinfo_value};

/// Makers of virtual machines, as the firmware's tables name them.
const MAKERS: [&str; 8] = [
    "QEMU",
    "KVM",
    "Amazon EC2",
    "Microsoft",
    "VMware",
    "innotek",
    "Xen",
    "Google",
];

/// What tells whether this is a virtual machine.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Virtualization {
    /// Whether it is one.
    pub is_virtual: bool,
    /// The file that says so.
    pub source: &'static str,
    /// What it says.
    pub value: String,
}

/// Whether a hypervisor is below; `None` when nothing tells.
///
/// x86 has a CPU flag for it (CPUID leaf 1, ECX bit 31). Elsewhere the firmware's tables name the
/// maker of a virtual machine, and a Linux that runs on the metal has neither.
pub fn virtualization(files: &Files, cpuinfo: &str) -> Option<Virtualization> {
    let told = |is_virtual, source, value: &str| {
        Some(Virtualization {
            is_virtual,
            source,
            value: value.to_owned(),
        })
    };
    if let Some(flags) = cpuinfo_value(cpuinfo, 0, "flags") {
        let mut flags = flags.split_whitespace();
        return match flags.any(|flag| flag == "hypervisor") {
            true => told(true, "proc/cpuinfo", "the flag `hypervisor`"),
            false => told(false, "proc/cpuinfo", "no flag `hypervisor`"),
        };
    }
    for folder in ["proc/device-tree/hypervisor", "proc/xen"] {
        if files.has(folder) {
            return told(true, folder, "is there");
        }
    }
    let (vendor, compatible) = ("sys/class/dmi/id/sys_vendor", "proc/device-tree/compatible");
    match (files.text(vendor), files.text(compatible)) {
        (Some(maker), _) if MAKERS.iter().any(|name| maker.contains(name)) => {
            told(true, vendor, &maker)
        }
        // Other makers sell both.
        (Some(_), _) | (None, None) => None,
        (None, Some(names)) => {
            let first = names.split('\0').next().unwrap_or_default();
            told(first == "linux,dummy-virt", compatible, first)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::files::fake::Machine;
    use super::*;

    fn verdict(machine: &Machine) -> Option<bool> {
        let cpuinfo = machine.files().text("proc/cpuinfo").unwrap_or_default();
        virtualization(&machine.files(), &cpuinfo).map(|found| found.is_virtual)
    }

    #[test]
    fn x86_has_a_flag() {
        let machine = Machine::new();
        machine.file("proc/cpuinfo", "processor\t: 0\nflags\t: fpu hypervisor\n");
        assert_eq!(verdict(&machine), Some(true));
        machine.file("proc/cpuinfo", "processor\t: 0\nflags\t: fpu\n");
        assert_eq!(verdict(&machine), Some(false));
    }

    #[test]
    fn elsewhere_the_firmware_names_the_maker() {
        let vendor = "sys/class/dmi/id/sys_vendor";
        let compatible = "proc/device-tree/compatible";
        let of = |name, content| verdict(&Machine::new().with(name, content));
        assert_eq!(of(vendor, "QEMU\n"), Some(true));
        assert_eq!(of(vendor, "LENOVO\n"), None);
        assert_eq!(of(compatible, "linux,dummy-virt\0"), Some(true));
        assert_eq!(
            of(compatible, "raspberrypi,4-model-b\0brcm,bcm2711\0"),
            Some(false)
        );
        assert_eq!(of("proc/xen/capabilities", ""), Some(true));
        assert_eq!(verdict(&Machine::new()), None);
    }
}
