//! Findings of machines that are made of files.

use super::activity::Activity;
use super::trial::Trial;
use super::*;
use crate::machine::fake::Machine;
use crate::record::environment;

/// CPU 2 of this machine, on which cycles are counted at this clock in two windows.
fn seen(machine: &Machine, clock_hz: [u64; 2]) -> Observation {
    Observation {
        environment: environment::of_files(&machine.files(), 2),
        files: machine.files(),
        cpu: 2,
        activity: Activity {
            core: Some(0.0),
            throttled: Some(0),
            throttled_ever: Some(0),
            ..Activity::default()
        },
        trial: Trial {
            pinned: Ok(()),
            clock_hz: Ok(clock_hz.to_vec()),
        },
    }
}

const GIGAHERTZ: u64 = 1_000_000_000;

/// A desktop on which everything is as it should be.
fn fit() -> Machine {
    let cpuinfo = |n: u32| format!("processor\t: {n}\nflags\t: fpu constant_tsc nonstop_tsc\n\n");
    let cpu = "sys/devices/system/cpu";
    Machine::new()
        .with("proc/cpuinfo", &(0..4).map(cpuinfo).collect::<String>())
        .with("proc/loadavg", "0.20 0.10 0.05 1/100 1234\n")
        .with("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n")
        .with("proc/sys/kernel/perf_event_paranoid", "2\n")
        .with("sys/bus/event_source/devices/cpu/type", "4\n")
        .with(&format!("{cpu}/online"), "0-3\n")
        .with(&format!("{cpu}/smt/control"), "off\n")
        .with(&format!("{cpu}/cpu2/topology/core_cpus_list"), "2\n")
        .with(&format!("{cpu}/intel_pstate/no_turbo"), "1\n")
        .with(
            &format!("{cpu}/cpu2/cpufreq/scaling_governor"),
            "performance\n",
        )
        .with(&format!("{cpu}/cpu2/cpufreq/scaling_cur_freq"), "2095000\n")
        .with(&format!("{cpu}/cpu2/cpufreq/scaling_min_freq"), "800000\n")
        .with(&format!("{cpu}/cpu2/cpufreq/scaling_max_freq"), "2100000\n")
        .with(&format!("{cpu}/cpu2/cpufreq/cpuinfo_max_freq"), "4900000\n")
        .with(&format!("{cpu}/cpu2/cpufreq/base_frequency"), "2100000\n")
}

/// What is found after a change of files, as people read it.
fn after(changes: &[(&str, &str)]) -> String {
    let machine = fit();
    for (name, content) in changes {
        machine.file(name, content);
    }
    words::report(&of_observation(
        "x86_desk",
        &seen(&machine, [2 * GIGAHERTZ; 2]),
    ))
}

/// The same after a change of what was seen.
fn with(change: impl FnOnce(&mut Observation)) -> String {
    let mut seen = seen(&fit(), [2 * GIGAHERTZ; 2]);
    change(&mut seen);
    words::report(&of_observation("x86_desk", &seen))
}

#[test]
fn a_quiet_desktop_is_fit() {
    insta::assert_snapshot!(after(&[]), @"x86_desk: fit for measuring core cycles in user mode");
}

#[test]
fn a_clock_that_follows_the_load() {
    let file = "sys/devices/system/cpu/cpu2/cpufreq/scaling_governor";
    insta::assert_snapshot!(after(&[(file, "schedutil\n")]), @r#"
    x86_desk: not fit, for 1 reason
      - the clock follows the load: its governor is `schedutil`
          /sys/devices/system/cpu/cpu2/cpufreq/scaling_governor: schedutil
          remedy: echo performance | sudo tee /sys/devices/system/cpu/cpu2/cpufreq/scaling_governor
    "#);
}

#[test]
fn a_boosted_clock() {
    let intel = "sys/devices/system/cpu/intel_pstate/no_turbo";
    insta::assert_snapshot!(after(&[(intel, "0\n")]), @r#"
    x86_desk: not fit, for 1 reason
      - the clock is boosted (turbo): it depends on heat and on the other cores
          /sys/devices/system/cpu/intel_pstate/no_turbo: 0
          remedy: echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo
    "#);
    let others = "sys/devices/system/cpu/cpufreq/boost";
    insta::assert_snapshot!(after(&[(others, "1\n")]), @r#"
    x86_desk: not fit, for 1 reason
      - the clock is boosted (turbo): it depends on heat and on the other cores
          /sys/devices/system/cpu/cpufreq/boost: 1
          remedy: echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost
    "#);
    let its_own = "sys/devices/system/cpu/cpu2/cpufreq/boost";
    insta::assert_snapshot!(after(&[(its_own, "1\n")]), @r#"
    x86_desk: not fit, for 1 reason
      - the clock is boosted (turbo): it depends on heat and on the other cores
          /sys/devices/system/cpu/cpu2/cpufreq/boost: 1
          remedy: echo 0 | sudo tee /sys/devices/system/cpu/cpu2/cpufreq/boost
    "#);
}

#[test]
fn a_second_thread_on_the_core() {
    let cpu = "sys/devices/system/cpu";
    let siblings = format!("{cpu}/cpu2/topology/core_cpus_list");
    let control = format!("{cpu}/smt/control");
    insta::assert_snapshot!(after(&[(&siblings, "2,6\n"), (&control, "on\n")]), @r#"
    x86_desk: not fit, for 1 reason
      - another thread can run on the same core (SMT)
          /sys/devices/system/cpu/smt/control: on
          /sys/devices/system/cpu/cpu2/topology/core_cpus_list: CPU 2 shares its core with 6
          remedy: echo off | sudo tee /sys/devices/system/cpu/smt/control
    "#);
    // With the sibling switched off nothing is shared, whatever the switch says.
    assert_eq!(after(&[(&control, "on\n")]), after(&[]));
}

#[test]
fn a_clock_below_its_base_or_its_fixed_frequency() {
    let cpufreq = |name: &str| format!("sys/devices/system/cpu/cpu2/cpufreq/{name}");
    let (now, least, most) = (
        cpufreq("scaling_cur_freq"),
        cpufreq("scaling_min_freq"),
        cpufreq("scaling_max_freq"),
    );
    insta::assert_snapshot!(after(&[(&now, "900000\n"), (&most, "900000\n")]), @r#"
    x86_desk: not fit, for 1 reason
      - the clock is below its nominal frequency
          /sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq: 900000 kHz
          /sys/devices/system/cpu/cpu2/cpufreq/base_frequency: 2100000 kHz
          remedy: echo 2100000 | sudo tee /sys/devices/system/cpu/cpu2/cpufreq/scaling_max_freq
    "#);
    insta::assert_snapshot!(after(&[(&now, "1200000\n")]), @r#"
    x86_desk: not fit, for 1 reason
      - the clock is below its nominal frequency
          /sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq: 1200000 kHz
          /sys/devices/system/cpu/cpu2/cpufreq/base_frequency: 2100000 kHz
          remedy: give it a cool minute, better cooling or a stronger supply; `cat` of the first file tells when the clock is back
    "#);
    // Fixed on purpose, at any frequency.
    let fixed = [
        (&*now, "1000000\n"),
        (&*least, "1000000\n"),
        (&*most, "1000000\n"),
    ];
    assert_eq!(after(&fixed), after(&[]));
}

#[test]
fn a_processor_that_is_or_was_throttled() {
    let throttled = with(|seen| seen.activity.throttled = Some(3));
    insta::assert_snapshot!(throttled, @r#"
    x86_desk: not fit, for 1 reason
      - the processor is throttled by heat
          /sys/devices/system/cpu/cpu2/thermal_throttle: 3 times in the 200 ms of the look
          remedy: let it cool, and improve its cooling
    "#);
    let before = with(|seen| seen.activity.throttled_ever = Some(12));
    insta::assert_snapshot!(before, @r#"
    x86_desk: fit for measuring core cycles in user mode
      note: the processor was throttled 12 times since the machine was started (/sys/devices/system/cpu/cpu2/thermal_throttle)
    "#);
}

#[test]
fn a_clock_that_moves() {
    let machine = fit();
    let judged = |clock| words::report(&of_observation("x86_desk", &seen(&machine, clock)));
    insta::assert_snapshot!(judged([2 * GIGAHERTZ, 3 * GIGAHERTZ]), @r#"
    x86_desk: not fit, for 1 reason
      - the core's clock is not steady
          cycles by time in 2 windows: 2.00 GHz to 3.00 GHz
          remedy: give it a fixed frequency: governor `performance`, boost off, scaling_min_freq = scaling_max_freq; end other work
    "#);
    assert_eq!(
        judged([1_960_000_000, 2 * GIGAHERTZ]),
        judged([GIGAHERTZ; 2])
    );
}

#[test]
fn no_cycles_and_why() {
    let none = |changes: &[(&str, &str)], gone: &str| {
        let machine = fit();
        for (name, content) in changes {
            machine.file(name, content);
        }
        if !gone.is_empty() {
            std::fs::remove_dir_all(machine.files().path(gone)).unwrap();
        }
        let mut seen = seen(&machine, [0; 2]);
        seen.trial.clock_hz = Err("Permission denied (os error 13)".to_owned());
        let findings = of_observation("x86_desk", &seen);
        words::findings(&findings)
    };
    let paranoid = "proc/sys/kernel/perf_event_paranoid";
    insta::assert_snapshot!(none(&[(paranoid, "4\n")], ""), @r#"
    - core cycles cannot be counted
        perf_event_open of the cycle event: Permission denied (os error 13)
        /proc/sys/kernel/perf_event_paranoid: 4
        remedy: sudo sysctl kernel.perf_event_paranoid=2
    "#);
    insta::assert_snapshot!(none(&[], "sys/bus/event_source"), @r#"
    - core cycles cannot be counted
        perf_event_open of the cycle event: Permission denied (os error 13)
        /proc/sys/kernel/perf_event_paranoid: 2
        /sys/bus/event_source/devices: no counters of the core
        remedy: no command mends that: the kernel sees no counters of the core; a virtual machine needs a virtual PMU from its host
    "#);
    insta::assert_snapshot!(none(&[], ""), @r#"
    - core cycles cannot be counted
        perf_event_open of the cycle event: Permission denied (os error 13)
        /proc/sys/kernel/perf_event_paranoid: 2
        remedy: let the process count: in a container, allow perf_event_open (seccomp, CAP_PERFMON)
    "#);
    let clock = "sys/devices/system/clocksource/clocksource0/current_clocksource";
    let cpuinfo = "processor\t: 2\nflags\t: fpu constant_tsc\n";
    insta::assert_snapshot!(none(&[(clock, "hpet\n"), ("proc/cpuinfo", cpuinfo)], ""), @r#"
    - core cycles cannot be counted
        perf_event_open of the cycle event: Permission denied (os error 13)
        /proc/sys/kernel/perf_event_paranoid: 2
        remedy: let the process count: in a container, allow perf_event_open (seccomp, CAP_PERFMON)
    - the time-stamp counter is no steady clock
        /proc/cpuinfo: no flag `nonstop_tsc`
        /sys/devices/system/clocksource/clocksource0/current_clocksource: hpet
        remedy: no command mends that: measure where core cycles can be counted
    "#);
}

#[test]
fn a_virtual_machine() {
    let cpuinfo = "processor\t: 0\nflags\t: fpu hypervisor\n";
    insta::assert_snapshot!(after(&[("proc/cpuinfo", cpuinfo)]), @r#"
    x86_desk: not fit, for 1 reason
      - it is a virtual machine, which its host may stop and slow at any time
          /proc/cpuinfo: the flag `hypervisor`
          remedy: no command mends that: measure on a machine that runs Linux itself, or on a board
    "#);
}

#[test]
fn a_process_that_cannot_be_kept_on_its_core() {
    let reason = "Invalid argument (os error 22)".to_owned();
    insta::assert_snapshot!(with(|seen| seen.trial.pinned = Err(reason)), @r#"
    x86_desk: not fit, for 1 reason
      - the measuring process cannot be kept on one core
          sched_setaffinity to CPU 2: Invalid argument (os error 22)
          remedy: let it choose: in a container, allow sched_setaffinity and give it whole CPUs (cpuset)
    "#);
}

#[test]
fn other_work() {
    let busy = with(|seen| {
        seen.activity.core = Some(0.93);
        seen.activity.processes = vec![("cc1 (812)".to_owned(), 0.9)];
    });
    insta::assert_snapshot!(busy, @r#"
    x86_desk: not fit, for 1 reason
      - other work runs on the core that is measured on
          /proc/stat: CPU 2 was at work 93 % of the time
          /proc/<pid>/stat: cc1 (812): 90 % of a CPU
          remedy: end it, or wait until it is done; `top` shows it
    "#);
    // It remembers what is over.
    insta::assert_snapshot!(after(&[("proc/loadavg", "4.50 1 1 1/100 12\n")]), @r#"
    x86_desk: fit for measuring core cycles in user mode
      note: the load average is high: 4.50 over the last minute, for 4 CPUs
    "#);
}

#[test]
fn a_slow_core_among_fast_ones() {
    let capacity = |cpu: u32| format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity");
    insta::assert_snapshot!(after(&[("sys/devices/cpu_atom/cpus", "2-3\n")]), @r#"
    x86_desk: fit for measuring core cycles in user mode
      note: CPU 2 is one of the slower cores of this machine (/sys/devices/cpu_atom/cpus): `taskset --cpu-list 0` before the command measures on CPU 0
    "#);
    let (first, second) = (capacity(1), capacity(2));
    insta::assert_snapshot!(after(&[(&first, "1024\n"), (&second, "446\n")]), @r#"
    x86_desk: fit for measuring core cycles in user mode
      note: CPU 2 is one of the slower cores of this machine (/sys/devices/system/cpu/cpu2/cpu_capacity): `taskset --cpu-list 1` before the command measures on CPU 1
    "#);
    let others = [("sys/devices/cpu_atom/cpus", "3\n")];
    assert_eq!(after(&others), after(&[]));
    assert_eq!(after(&[(&first, "446\n"), (&second, "1024\n")]), after(&[]));
}

#[test]
fn memory_that_can_be_swapped_out() {
    let swaps = "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n";
    let limits = |bytes: &str| format!("Max locked memory         {bytes}  {bytes}  bytes\n");
    let judged = |limit: &str, capabilities: &str| {
        after(&[
            ("proc/swaps", swaps),
            ("proc/self/limits", &limits(limit)),
            (
                "proc/self/status",
                &format!("Name:\tx\nCapEff:\t{capabilities}\n"),
            ),
        ])
    };
    insta::assert_snapshot!(judged("8388608", "0000000000000000"), @r#"
    x86_desk: not fit, for 1 reason
      - memory can be swapped out and not be locked
          /proc/swaps: /dev/sda2
          /proc/self/limits: Max locked memory 8388608
          remedy: sudo swapoff --all    (or allow locking: `ulimit -l unlimited`, memlock in /etc/security/limits.conf)
    "#);
    assert_eq!(judged("8388608", "0000000000004000"), after(&[]));
    assert_eq!(judged("unlimited", "0000000000000000"), after(&[]));
}

#[test]
fn what_cannot_be_found_out_is_said() {
    let machine = Machine::new();
    let mut seen = seen(&machine, [GIGAHERTZ; 2]);
    seen.activity = Activity::default();
    insta::assert_snapshot!(words::report(&of_observation("arm_box", &seen)), @r#"
    arm_box: fit for measuring core cycles in user mode
      note: the clock's policy is not known: no /sys/devices/system/cpu/cpu2/cpufreq/scaling_governor
      note: whether the clock is boosted is not known: neither /sys/devices/system/cpu/intel_pstate/no_turbo nor /sys/devices/system/cpu/cpufreq/boost
      note: whether the processor is throttled is not known: no /sys/devices/system/cpu/cpu2/thermal_throttle
      note: whether another thread shares the core is not known: no /sys/devices/system/cpu/cpu2/topology/core_cpus_list
      note: what others do on the core is not known: no /proc/stat
    "#);
}

#[test]
fn an_emulator_counts_instructions_and_is_fit_for_that() {
    let emulator = |version: &str, mode: &str| {
        let emulator = crate::system::Emulator {
            name: "qemu-system-aarch64".into(),
            version: version.into(),
            mode: mode.into(),
        };
        words::report(&emulator::fitness("qemu-virt", &emulator))
    };
    insta::assert_snapshot!(emulator("7.2.1", "-M virt -icount shift=0,sleep=off"), @r#"
    qemu-virt: fit for measuring instructions, emulated
      note: qemu-system-aarch64 7.2.1, -M virt -icount shift=0,sleep=off
      note: a count is an instruction of an emulated core, not a cycle, and a time is virtual: both say how much is executed, and not how fast a real core would be
    "#);
    insta::assert_snapshot!(emulator("9.0.0", "-M virt"), @r#"
    qemu-virt: not fit, for 1 reason
      - the emulator does not count instructions one by one
          qemu-system-aarch64: -M virt
          remedy: start it with -icount shift=0
      note: qemu-system-aarch64 9.0.0, -M virt
      note: a count is an instruction of an emulated core, not a cycle, and a time is virtual: both say how much is executed, and not how fast a real core would be
      note: the meter was developed with version 7.2; that this one repeats is for its meter to show
    "#);
}

#[test]
fn a_quick_look_gets_one_line() {
    let fitness = Fitness::unknown("a", "it is slow", "wait");
    insta::assert_snapshot!(words::warning(&fitness).unwrap(), @"a is not fit for a trustworthy measurement: it is slow (`cargo host doctor` says more)");
}
