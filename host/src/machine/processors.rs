//! Which processors there are, and which one is measured on.

/// The processor that the meter pins itself to: the last of those that it may use, which is
/// seldom the one that serves interrupts.
pub fn measuring_cpu() -> u32 {
    rustix::thread::sched_getaffinity(None)
        .ok()
        .and_then(|allowed| {
            (0..rustix::thread::CpuSet::MAX_CPU)
                .rev()
                .find(|cpu| allowed.is_set(*cpu))
        })
        .unwrap_or(0) as u32
}

/// The value under a key of `/proc/cpuinfo`'s paragraph for this CPU.
pub fn cpuinfo_value<'a>(cpuinfo: &'a str, cpu: u32, key: &str) -> Option<&'a str> {
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

/// CPUs of a list such as `0-3,6`.
pub fn cpu_list(list: &str) -> Option<Vec<u32>> {
    let ranges = list.split(',').map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then_some(first..=last)
    });
    let ranges: Option<Vec<_>> = ranges.collect();
    Some(ranges?.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors() {
        assert_eq!(cpu_list("0"), Some(vec![0]));
        assert_eq!(cpu_list("0-2,5"), Some(vec![0, 1, 2, 5]));
        for bad in ["3-1", "", "a", "0-"] {
            assert_eq!(cpu_list(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_measuring_processor_is_one_of_this_machine() {
        let online = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap();
        let online = cpu_list(online.trim()).unwrap();
        assert!(online.contains(&measuring_cpu()));
    }
}
