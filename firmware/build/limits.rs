//! What the programs that a build starts may use. A source can make a compiler run for ever or
//! take all memory; either must be the end of that source's build and of nothing else.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Seconds of processor time for each program: far more than any source of a submission has taken.
const CPU_SECONDS: u64 = 300;

/// Bytes of address space for each program, likewise.
const ADDRESS_SPACE: u64 = 4 << 30;

/// Limits this process, and with it every program that it starts from now on.
pub fn set() {
    for (resource, limit) in [(Resource::Cpu, CPU_SECONDS), (Resource::As, ADDRESS_SPACE)] {
        let present = getrlimit(resource);
        let lower = |other: Option<u64>| Some(other.map_or(limit, |other| other.min(limit)));
        let limited = Rlimit {
            current: lower(present.current),
            maximum: present.maximum,
        };
        // Lowering is always allowed; where it were not, the build would go on without.
        let _ = setrlimit(resource, limited);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_lowered_and_never_raised() {
        set();
        for (resource, limit) in [(Resource::Cpu, CPU_SECONDS), (Resource::As, ADDRESS_SPACE)] {
            assert!(getrlimit(resource).current.is_some_and(|now| now <= limit));
        }
    }
}
