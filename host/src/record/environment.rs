//! Reads what a record says of the machine; what cannot be read is null.

use std::fs;

use super::schema::{Environment, Reading};
use crate::machine::{Files, PROCESSORS, Remote, cpu_list, cpuinfo_value, virtualization};

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
        ..of_files(&Files::of_this_machine(), cpu)
    }
}

/// The environment of a measurement on another Linux machine, as it said itself.
pub fn of_remote(machine: &Remote) -> Environment {
    Environment {
        hostname: Some(machine.host.clone()),
        architecture: Some(machine.architecture.clone()),
        kernel: Some(machine.kernel.clone()),
        ..of_files(&machine.files(), machine.cpu)
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
pub fn of_files(files: &Files, cpu: u32) -> Environment {
    let cpufreq = format!("{PROCESSORS}/cpu{cpu}/cpufreq");
    // A number; perf_event_paranoid may be negative.
    let number = |name: &str| Some(Reading::Number(files.number(name)?.into()));
    let frequency = |name: &str| number(&format!("{cpufreq}/{name}"));
    let cpuinfo = files.text("proc/cpuinfo").unwrap_or_default();
    let model = files.text("proc/device-tree/model");
    Environment {
        cpu_model: cpu_model(&cpuinfo, cpu),
        machine: files.text("sys/class/dmi/id/product_name").or(model),
        cpu_number: Some(u64::from(cpu).into()),
        logical_cpus_online: files
            .text(&format!("{PROCESSORS}/online"))
            .and_then(|list| cpu_list(&list))
            .map(|list| Reading::from(list.len() as u64)),
        virtualized: virtualization(files, &cpuinfo).map(|it| Reading::Switch(it.is_virtual)),
        memory_total_kib: files
            .text("proc/meminfo")
            .and_then(|text| memory_total_kib(&text))
            .map(Reading::from),
        os: files.text("etc/os-release").and_then(|text| os_name(&text)),
        perf_event_paranoid: number("proc/sys/kernel/perf_event_paranoid"),
        cpufreq_governor: files.text(&format!("{cpufreq}/scaling_governor")),
        cpufreq_driver: files.text(&format!("{cpufreq}/scaling_driver")),
        cpufreq_min_khz: frequency("scaling_min_freq"),
        cpufreq_max_khz: frequency("scaling_max_freq"),
        cpufreq_avg_khz: frequency("cpuinfo_avg_freq"),
        intel_pstate_no_turbo: number(&format!("{PROCESSORS}/intel_pstate/no_turbo")),
        cpufreq_boost: number(&format!("{PROCESSORS}/cpufreq/boost")),
        smt_control: files.text(&format!("{PROCESSORS}/smt/control")),
        ..Environment::default()
    }
}

fn text_of(text: &std::ffi::CStr) -> Option<String> {
    let text = text.to_string_lossy();
    (!text.is_empty()).then(|| text.into_owned())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::fake::Machine;

    fn number(reading: Option<Reading>) -> Option<f64> {
        reading.and_then(|reading| reading.number())
    }

    #[test]
    fn an_x86_machine_with_everything() {
        let machine = Machine::new();
        let block = |n| format!("processor\t: {n}\nmodel name\t: Core {n}\nflags\t\t: fpu vme\n\n");
        machine.file("proc/cpuinfo", &(0..4).map(block).collect::<String>());
        machine.file(
            "proc/meminfo",
            "MemTotal:       32551340 kB\nMemFree: 1 kB\n",
        );
        machine.file("proc/sys/kernel/perf_event_paranoid", "-1\n");
        machine.file(
            "etc/os-release",
            "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 13\"\n",
        );
        machine.file("sys/class/dmi/id/product_name", "OptiPlex\n");
        let cpu = "sys/devices/system/cpu";
        machine.file(&format!("{cpu}/online"), "0-1,3\n");
        machine.file(&format!("{cpu}/smt/control"), "off\n");
        machine.file(&format!("{cpu}/intel_pstate/no_turbo"), "1\n");
        machine.file(
            &format!("{cpu}/cpu2/cpufreq/scaling_governor"),
            "performance\n",
        );
        machine.file(&format!("{cpu}/cpu2/cpufreq/scaling_max_freq"), "2100000\n");

        let environment = of_files(&machine.files(), 2);
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
        let machine = Machine::new();
        let cpuinfo = "processor\t: 0\nBogoMIPS\t: 108.00\nCPU implementer\t: 0x41\n\
            CPU variant\t: 0x0\nCPU part\t: 0xd08\nCPU revision\t: 3\n\nModel\t: x\n";
        machine.file("proc/cpuinfo", cpuinfo);
        machine.file("proc/device-tree/model", "Raspberry Pi 4 Model B\0");
        machine.file(
            "proc/device-tree/compatible",
            "raspberrypi,4-model-b\0brcm,bcm2711\0",
        );
        let environment = of_files(&machine.files(), 0);
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
        let expected = Environment {
            cpu_number: Some(5.into()),
            ..Environment::default()
        };
        assert_eq!(of_files(&Machine::new().files(), 5), expected);
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
    fn loads() {
        assert_eq!(
            parse_load_average("0.13 0.16 2 2/85 10923\n"),
            Some([0.13, 0.16, 2.0])
        );
        assert_eq!(parse_load_average("0.13 0.16"), None);
    }
}
