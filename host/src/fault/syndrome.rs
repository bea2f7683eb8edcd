//! The exception syndrome of an Arm core in words: DDI 0487, D24.2.40 "ESR_EL1", which has the
//! exception class in bits 31 to 26 and what belongs to the class in bits 24 to 0.

/// What a value of ESR_EL1 says.
pub fn words(esr: u64) -> String {
    let class = esr >> 26 & 0x3f;
    match class {
        0x0c | 0x15..=0x17 | 0x38 | 0x3c => format!("{} {}", name(class), esr & 0xffff),
        0x20 | 0x21 => format!("{}: {}", name(class), fault_status(esr)),
        0x24 | 0x25 => {
            // WnR, bit 6: whether the access was a write.
            let access = ["read", "write"][usize::from(esr & 1 << 6 != 0)];
            format!("{}: {}, {access}", name(class), fault_status(esr))
        }
        0x2c => match floating_point(esr) {
            Some(what) => format!("{}: {what}", name(class)),
            None => name(class).to_owned(),
        },
        _ if name(class).is_empty() => format!("exception of class {class:#04x}"),
        _ => name(class).to_owned(),
    }
}

/// The class, as AArch64 has it; empty for one that is reserved.
fn name(class: u64) -> &'static str {
    match class {
        0x00 => "undefined instruction",
        0x01 => "trapped WFI or WFE",
        0x07 => "access to SIMD or floating point",
        0x09 => "pointer authentication trapped",
        0x0a => "64-byte load or store trapped",
        0x0d => "branch target exception",
        0x0e => "illegal execution state",
        0x15 => "supervisor call",
        0x16 => "hypervisor call",
        0x17 => "secure monitor call",
        0x18 => "trapped system register or instruction",
        0x19 => "access to SVE",
        0x1c => "pointer authentication failure",
        0x1d => "access to SME",
        0x20 | 0x21 => "instruction abort",
        0x22 => "PC alignment",
        0x24 | 0x25 => "data abort",
        0x26 => "SP alignment",
        0x27 => "memory copy or set exception",
        0x2c => "floating-point exception",
        0x2d => "guarded control stack exception",
        0x2f => "SError",
        0x30 | 0x31 => "breakpoint",
        0x32 | 0x33 => "software step",
        0x34 | 0x35 => "watchpoint",
        0x3c => "breakpoint instruction",
        _ => "",
    }
}

/// IFSC or DFSC, bits 5 to 0: why an access was aborted.
fn fault_status(esr: u64) -> String {
    let code = esr & 0x3f;
    let level = code & 3;
    match code {
        0x00..=0x03 => format!("address size fault at level {level}"),
        0x04..=0x07 => format!("translation fault at level {level}"),
        0x08..=0x0b => format!("access flag fault at level {level}"),
        0x0c..=0x0f => format!("permission fault at level {level}"),
        0x10 => "external abort".to_owned(),
        0x11 => "tag check fault".to_owned(),
        0x14..=0x17 => format!("external abort of the table walk at level {level}"),
        0x18 => "parity or ECC error".to_owned(),
        0x1c..=0x1f => format!("parity or ECC error of the table walk at level {level}"),
        0x21 => "alignment fault".to_owned(),
        0x30 => "TLB conflict".to_owned(),
        0x31 => "atomic update of a table entry is not supported".to_owned(),
        0x34 => "lockdown fault".to_owned(),
        0x35 => "exclusive or atomic access is not supported".to_owned(),
        _ => format!("fault status {code:#04x}"),
    }
}

/// Which floating-point exceptions were trapped, where TFV (bit 23) says that the bits hold.
fn floating_point(esr: u64) -> Option<String> {
    const BITS: [(u32, &str); 6] = [
        (0, "invalid operation"),
        (1, "division by zero"),
        (2, "overflow"),
        (3, "underflow"),
        (4, "inexact"),
        (7, "denormal input"),
    ];
    let is_set = |bit: u32| esr >> bit & 1 == 1;
    let set = BITS.iter().filter(|(bit, _)| is_set(*bit));
    let names: Vec<&str> = set.map(|(_, name)| *name).collect();
    (is_set(23) && !names.is_empty()).then(|| names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A syndrome of this class with IL (bit 25), as 32-bit instructions have it.
    fn esr(class: u64, rest: u64) -> u64 {
        class << 26 | 1 << 25 | rest
    }

    #[test]
    fn syndromes_read_as_the_manual_has_them() {
        for (value, expected) in [
            (0x0200_0000, "undefined instruction"),
            (
                0x9600_0045,
                "data abort: translation fault at level 1, write",
            ),
            (
                0x9600_0007,
                "data abort: translation fault at level 3, read",
            ),
            (
                esr(0x25, 0x4f),
                "data abort: permission fault at level 3, write",
            ),
            (esr(0x25, 0x21), "data abort: alignment fault, read"),
            (esr(0x25, 0x10), "data abort: external abort, read"),
            (esr(0x25, 0x3f), "data abort: fault status 0x3f, read"),
            (
                esr(0x21, 0x04),
                "instruction abort: translation fault at level 0",
            ),
            (
                esr(0x21, 0x0f),
                "instruction abort: permission fault at level 3",
            ),
            (esr(0x3c, 1000), "breakpoint instruction 1000"),
            (esr(0x15, 3), "supervisor call 3"),
            (esr(0x07, 0), "access to SIMD or floating point"),
            (esr(0x0e, 0), "illegal execution state"),
            (
                esr(0x18, 0x30_0000),
                "trapped system register or instruction",
            ),
            (esr(0x22, 0), "PC alignment"),
            (esr(0x26, 0), "SP alignment"),
            (
                esr(0x2c, 1 << 23 | 1 << 1),
                "floating-point exception: division by zero",
            ),
            (esr(0x2c, 1 << 1), "floating-point exception"),
            (esr(0x2f, 0), "SError"),
            (esr(0x3f, 0), "exception of class 0x3f"),
        ] {
            assert_eq!(words(value), expected, "{value:#x}");
        }
    }
}
