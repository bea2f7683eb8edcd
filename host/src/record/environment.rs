//! Reads what a record says of the machine; what cannot be read is null.

use std::fs;
use std::path::{Path, PathBuf};

use super::schema::{Environment, Reading};

/// What is known of a machine that cannot be asked: a board, or what an emulator makes.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Target {
    /// Such as `aarch64`.
    pub architecture: String,
    /// Model of the core, such as `cortex-a72`.
    pub cpu_model: String,
    /// Model of the board, or the emulator's name for its machine.
    pub machine: String,
    /// Main memory, where it is known.
    pub memory_total_kib: Option<u64>,
    /// Whether an emulator makes it.
    pub emulated: bool,
}

impl Target {
    /// The environment of a measurement on this target; the host's name tells where it hangs.
    pub fn environment(&self) -> Environment {
        Environment {
            hostname: text_of(rustix::system::uname().nodename()),
            architecture: Some(self.architecture.clone()),
            cpu_model: Some(self.cpu_model.clone()),
            machine: Some(self.machine.clone()),
            cpu_number: Some(0.into()),
            logical_cpus_online: Some(1.into()),
            virtualized: Some(Reading::Switch(self.emulated)),
            memory_total_kib: self.memory_total_kib.map(Reading::from),
            os: Some("none (bare metal)".to_owned()),
            ..Environment::default()
        }
    }
}

/// The environment of a measurement on this Linux machine, on the logical CPU `cpu`.
pub fn of_this_machine(cpu: u32) -> Environment {
    let uname = rustix::system::uname();
    Environment {
        hostname: text_of(uname.nodename()),
        architecture: text_of(uname.machine()),
        kernel: text_of(uname.release()),
        ..of_files(Path::new("/"), cpu)
    }
}

/// Load of this machine over 1, 5 and 15 minutes.
pub fn load_average() -> Option<[f64; 3]> {
    parse_load_average(&fs::read_to_string("/proc/loadavg").ok()?)
}

fn parse_load_average(text: &str) -> Option<[f64; 3]> {
    let mut words = text.split_whitespace().map(|word| word.parse().ok());
    Some([words.next()??, words.next()??, words.next()??])
}

/// What the files under `/proc`, `/sys` and `/etc` say.
fn of_files(root: &Path, cpu: u32) -> Environment {
    let files = Files(root);
    let system = "sys/devices/system/cpu";
    let cpufreq = format!("{system}/cpu{cpu}/cpufreq");
    let frequency = |name: &str| files.number(&format!("{cpufreq}/{name}"));
    let cpuinfo = files.text("proc/cpuinfo").unwrap_or_default();
    let model = files.text("proc/device-tree/model");
    Environment {
        cpu_model: cpu_model(&cpuinfo, cpu),
        machine: files.text("sys/class/dmi/id/product_name").or(model),
        cpu_number: Some(u64::from(cpu).into()),
        logical_cpus_online: files
            .text(&format!("{system}/online"))
            .and_then(|list| cpus_in_list(&list))
            .map(Reading::from),
        virtualized: virtualized(&files, &cpuinfo).map(Reading::Switch),
        memory_total_kib: files
            .text("proc/meminfo")
            .and_then(|text| memory_total_kib(&text))
            .map(Reading::from),
        os: files.text("etc/os-release").and_then(|text| os_name(&text)),
        perf_event_paranoid: files.number("proc/sys/kernel/perf_event_paranoid"),
        cpufreq_governor: files.text(&format!("{cpufreq}/scaling_governor")),
        cpufreq_driver: files.text(&format!("{cpufreq}/scaling_driver")),
        cpufreq_min_khz: frequency("scaling_min_freq"),
        cpufreq_max_khz: frequency("scaling_max_freq"),
        cpufreq_avg_khz: frequency("cpuinfo_avg_freq"),
        intel_pstate_no_turbo: files.number(&format!("{system}/intel_pstate/no_turbo")),
        cpufreq_boost: files.number(&format!("{system}/cpufreq/boost")),
        smt_control: files.text(&format!("{system}/smt/control")),
        ..Environment::default()
    }
}

/// Small files of the kernel.
struct Files<'a>(&'a Path);

impl Files<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The content without the line feed, or the final zero of a device-tree string.
    fn text(&self, name: &str) -> Option<String> {
        let text = fs::read_to_string(self.path(name)).ok()?;
        let text = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// A number; perf_event_paranoid may be negative.
    fn number(&self, name: &str) -> Option<Reading> {
        let number: i64 = self.text(name)?.parse().ok()?;
        Some(Reading::Number(number.into()))
    }
}

fn text_of(text: &std::ffi::CStr) -> Option<String> {
    let text = text.to_string_lossy();
    (!text.is_empty()).then(|| text.into_owned())
}

/// The value under a key of `/proc/cpuinfo`'s paragraph for this CPU.
fn cpuinfo_value<'a>(cpuinfo: &'a str, cpu: u32, key: &str) -> Option<&'a str> {
    let value = |line: &'a str, key: &str| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    };
    let number = cpu.to_string();
    cpuinfo
        .split("\n\n")
        .find(|paragraph| {
            let mut lines = paragraph.lines();
            lines.any(|line| value(line, "processor") == Some(&number))
        })?
        .lines()
        .find_map(|line| value(line, key))
}

/// The model's name on x86; implementer, part and revision on Arm, which has no names there.
fn cpu_model(cpuinfo: &str, cpu: u32) -> Option<String> {
    let value = |key| cpuinfo_value(cpuinfo, cpu, key);
    if let Some(name) = value("model name") {
        return Some(name.to_owned());
    }
    Some(format!(
        "Arm implementer {} part {} r{}p{}",
        value("CPU implementer")?,
        value("CPU part")?,
        value("CPU variant")?.trim_start_matches("0x"),
        value("CPU revision")?,
    ))
}

/// Number of CPUs in a list such as `0-3,6`.
fn cpus_in_list(list: &str) -> Option<u64> {
    list.split(',')
        .map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
            last.checked_sub(first).map(|more| more + 1)
        })
        .sum()
}

fn memory_total_kib(meminfo: &str) -> Option<u64> {
    let rest = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    rest.trim().strip_suffix("kB")?.trim().parse().ok()
}

fn os_name(os_release: &str) -> Option<String> {
    let name = os_release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

/// Whether a hypervisor is below; `None` when nothing tells.
///
/// x86 has a CPU flag for it (CPUID leaf 1, ECX bit 31). Elsewhere the firmware's tables name the
/// maker of a virtual machine, and a Linux that runs on the metal has neither.
fn virtualized(files: &Files<'_>, cpuinfo: &str) -> Option<bool> {
    if let Some(flags) = cpuinfo_value(cpuinfo, 0, "flags") {
        return Some(flags.split_whitespace().any(|flag| flag == "hypervisor"));
    }
    if files.path("proc/device-tree/hypervisor").exists() || files.path("proc/xen").exists() {
        return Some(true);
    }
    let makers = [
        "QEMU",
        "KVM",
        "Amazon EC2",
        "Microsoft",
        "VMware",
        "Xen",
        "Google",
    ];
    let maker = files.text("sys/class/dmi/id/sys_vendor");
    let compatible = files.text("proc/device-tree/compatible");
    match (maker, compatible) {
        (Some(maker), _) => makers
            .iter()
            .any(|name| maker.contains(name))
            .then_some(true),
        (None, Some(compatible)) => Some(compatible.starts_with("linux,dummy-virt")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(root: &Path, name: &str, content: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("has a folder")).expect("created");
        fs::write(path, content).expect("written");
    }

    fn number(reading: Option<Reading>) -> Option<f64> {
        reading.and_then(|reading| reading.number())
    }

    #[test]
    fn an_x86_machine_with_everything() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let block = |n| format!("processor\t: {n}\nmodel name\t: Core {n}\nflags\t\t: fpu vme\n\n");
        file(root, "proc/cpuinfo", &(0..4).map(block).collect::<String>());
        file(
            root,
            "proc/meminfo",
            "MemTotal:       32551340 kB\nMemFree: 1 kB\n",
        );
        file(root, "proc/sys/kernel/perf_event_paranoid", "-1\n");
        file(
            root,
            "etc/os-release",
            "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 13\"\n",
        );
        file(root, "sys/class/dmi/id/product_name", "OptiPlex\n");
        let cpu = "sys/devices/system/cpu";
        file(root, &format!("{cpu}/online"), "0-1,3\n");
        file(root, &format!("{cpu}/smt/control"), "off\n");
        file(root, &format!("{cpu}/intel_pstate/no_turbo"), "1\n");
        file(
            root,
            &format!("{cpu}/cpu2/cpufreq/scaling_governor"),
            "performance\n",
        );
        file(
            root,
            &format!("{cpu}/cpu2/cpufreq/scaling_max_freq"),
            "2100000\n",
        );

        let environment = of_files(root, 2);
        assert_eq!(environment.cpu_model.as_deref(), Some("Core 2"));
        assert_eq!(environment.machine.as_deref(), Some("OptiPlex"));
        assert_eq!(environment.os.as_deref(), Some("Debian GNU/Linux 13"));
        assert_eq!(environment.cpufreq_governor.as_deref(), Some("performance"));
        assert_eq!(environment.smt_control.as_deref(), Some("off"));
        assert_eq!(environment.virtualized, Some(Reading::Switch(false)));
        assert_eq!(number(environment.logical_cpus_online), Some(3.0));
        assert_eq!(number(environment.memory_total_kib), Some(32_551_340.0));
        assert_eq!(number(environment.perf_event_paranoid), Some(-1.0));
        assert_eq!(number(environment.cpufreq_max_khz), Some(2_100_000.0));
        assert_eq!(number(environment.intel_pstate_no_turbo), Some(1.0));
        assert_eq!(environment.cpufreq_boost, None);
    }

    #[test]
    fn a_raspberry_pi() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let cpuinfo = "processor\t: 0\nBogoMIPS\t: 108.00\nCPU implementer\t: 0x41\n\
            CPU variant\t: 0x0\nCPU part\t: 0xd08\nCPU revision\t: 3\n\nModel\t: x\n";
        file(root, "proc/cpuinfo", cpuinfo);
        file(root, "proc/device-tree/model", "Raspberry Pi 4 Model B\0");
        file(
            root,
            "proc/device-tree/compatible",
            "raspberrypi,4-model-b\0brcm,bcm2711\0",
        );
        let environment = of_files(root, 0);
        let model = environment.cpu_model.expect("known");
        assert_eq!(model, "Arm implementer 0x41 part 0xd08 r0p3");
        assert_eq!(
            environment.machine.as_deref(),
            Some("Raspberry Pi 4 Model B")
        );
        assert_eq!(environment.virtualized, Some(Reading::Switch(false)));
    }

    #[test]
    fn what_cannot_be_read_is_null() {
        let folder = tempfile::tempdir().expect("a folder");
        let expected = Environment {
            cpu_number: Some(5.into()),
            ..Environment::default()
        };
        assert_eq!(of_files(folder.path(), 5), expected);
    }

    #[test]
    fn this_machine_says_who_it_is() {
        let environment = of_this_machine(0);
        assert_eq!(
            environment.architecture.as_deref(),
            Some(std::env::consts::ARCH)
        );
        assert!(environment.kernel.is_some() && environment.cpu_model.is_some());
        assert!(number(environment.memory_total_kib) > Some(1000.0));
        assert!(load_average().is_some());
    }

    #[test]
    fn lists_and_loads() {
        assert_eq!(cpus_in_list("0"), Some(1));
        assert_eq!(cpus_in_list("0-11"), Some(12));
        assert_eq!(cpus_in_list("3-1"), None);
        assert_eq!(cpus_in_list(""), None);
        assert_eq!(
            parse_load_average("0.13 0.16 2 2/85 10923\n"),
            Some([0.13, 0.16, 2.0])
        );
        assert_eq!(parse_load_average("0.13 0.16"), None);
    }
}
