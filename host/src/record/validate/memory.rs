//! Figures of memory that must fit each other.

use super::Findings;
use crate::record::assemble::stack_method;
use crate::record::schema::Memory;

/// Checks the key `meter.memory` of a record with so many trials.
pub(super) fn check(memory: &Memory, trials: usize, findings: &mut Findings<'_>) {
    check_stack(memory, findings);
    check_heap(memory, findings);
    for sweep in &memory.heap_sweeps {
        if sweep.trial == 0 || sweep.trial > trials as u64 || sweep.times == 0 {
            let problem = format!(
                "{} times in trial {}, and there are {trials} trials",
                sweep.times, sweep.trial
            );
            findings.add("meter.memory.heap_sweeps", problem);
        }
    }
    let (stated, deduced) = (&memory.marks, memory.deduced_marks());
    if stated != &deduced {
        let problem = format!("are {stated:?}, but from the figures follow {deduced:?}");
        findings.add("meter.memory.marks", problem);
    }
}

fn check_stack(memory: &Memory, findings: &mut Findings<'_>) {
    let key = "meter.memory.stack_bytes";
    let Some(used) = memory.stack_bytes else {
        return;
    };
    if let Some(available) = memory.stack_available_bytes
        && used > available
    {
        let problem = format!("is {used}, more than the {available} bytes that there were");
        findings.add(key, problem);
    }
    if let Some(painted) = memory.stack_painted_bytes {
        let deeper = painted.max(memory.stack_pointer_bytes.unwrap_or(0));
        findings.equal(key, used, deeper, "the deeper of both ways is");
        let method = memory.stack_method.as_deref().unwrap_or("null");
        let expected = stack_method(used, painted);
        let key = "meter.memory.stack_method";
        findings.equal(key, method, &expected, "from the figures follows");
    }
}

fn check_heap(memory: &Memory, findings: &mut Findings<'_>) {
    let (Some(peak), Some(largest), Some(allocations), Some(leaked)) = (
        memory.heap_peak_bytes,
        memory.heap_largest_bytes,
        memory.heap_allocations,
        memory.heap_leaked_bytes,
    ) else {
        return;
    };
    let mut at_least = |key: &str, stated: u64, least: u64, what: &str| {
        if stated < least {
            let key = format!("meter.memory.{key}");
            findings.add(key, format!("is {stated}, less than {what}, {least}"));
        }
    };
    at_least("heap_peak_bytes", peak, largest, "the largest block");
    at_least(
        "heap_largest_bytes",
        largest.saturating_mul(allocations),
        leaked,
        "what was left",
    );
    let (Some(before), Some(after)) = (memory.heap_live_before_bytes, memory.heap_live_after_bytes)
    else {
        return;
    };
    at_least("heap_peak_bytes", peak, before, "what was in use before");
    at_least("heap_peak_bytes", peak, after, "what was in use after");
    if let Some(available) = memory.heap_available_bytes {
        at_least("heap_available_bytes", available, peak, "what was in use");
    }
    let why = "what was in use after less before is";
    let key = "meter.memory.heap_leaked_bytes";
    findings.equal(key, leaked, after.saturating_sub(before), why);
    if let (Some(blocks), Some(frees)) = (memory.heap_leaked_blocks, memory.heap_frees) {
        let why = "allocations less frees are";
        let key = "meter.memory.heap_leaked_blocks";
        findings.equal(key, blocks, allocations.saturating_sub(frees), why);
    }
}
