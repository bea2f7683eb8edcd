//! Counters of calls: what a profile image puts between a submission and its symmetric functions.
//!
//! In such an image the objects of a submission call `meter_counted_sm3hash` where they called
//! `sm3hash`, and the counter calls that; see `build/counted.rs`. Nothing of the submission can
//! tell: it finds registers and stack as without a counter.

use core::hint::black_box;
use core::sync::atomic::Ordering::Relaxed;

use wire::{Bits, CountingCost, HELPERS};

#[doc(hidden)]
pub use crate::cpu::counted_call;
pub use crate::cpu::counting::Counted;
use crate::cpu::counting::{Arguments, IDLE, IDLE_CALLS};
use crate::cpu::{counter, probes};
use crate::meter::profile::TALLY;

/// Calls of the empty function in each round, and rounds.
const COST_CALLS: u32 = 64;
const COST_ROUNDS: u32 = 16;

/// Declares the counted functions of an image: for each its place in [`wire::HELPERS`], its symbol,
/// and the name that the submission's objects call instead.
#[macro_export]
macro_rules! counted {
    ($($helper:literal $symbol:literal $counter:literal),* $(,)?) => {
        $(const _: () = {
            // SAFETY: the build script saw an object that defines it, or it is the meter's own.
            unsafe extern "C" {
                #[link_name = $symbol]
                fn function();
            }
            static COUNTED: $crate::abi::counting::Counted =
                $crate::abi::counting::Counted { function, helper: $helper };
            $crate::counter!(
                COUNTED,
                // SAFETY: only the submission's objects use it, for that function.
                #[unsafe(export_name = $counter)]
                entry
            );
        };)*
    };
}

/// A counted call begins, with these arguments. What is found out about it here is measured on its
/// own, and the last thing that happens is a reading of the counter.
pub fn enter(counted: &Counted, arguments: &Arguments) {
    let arrived = counter::read();
    IDLE.store(1, Relaxed);
    let [input, output] = match HELPERS.get(usize::from(counted.helper)) {
        Some(helper) => [helper.input, helper.output],
        None => [Bits::Fixed(0); 2],
    };
    // SAFETY: the table's prototypes are those of the functions that have these symbols.
    let bits = |bits: Bits| bits.of_call(|number| unsafe { arguments.get(number) });
    let mut tally = TALLY.lock();
    tally.sort(counted.helper, bits(input), bits(output));
    tally.begin(arrived, IDLE_CALLS.load(Relaxed));
}

/// A counted call ends. The first thing that happens is a reading of the counter.
pub extern "C" fn leave() {
    let left = counter::read();
    TALLY.lock().end(left, IDLE_CALLS.load(Relaxed));
    IDLE.store(0, Relaxed);
}

/// Lets counters count while `run` runs.
pub fn counting<T>(run: impl FnOnce() -> T) -> T {
    IDLE.store(0, Relaxed);
    let result = run();
    IDLE.store(1, Relaxed);
    result
}

/// Calls that counters have let pass.
pub fn idle_calls() -> usize {
    IDLE_CALLS.load(Relaxed)
}

/// The empty function of the calibration, and its counter.
static EMPTY: Counted = Counted {
    function: probes::empty,
    helper: u8::MAX,
};
crate::counter!(EMPTY, counted_empty);

/// Measures what counting costs; the tally is empty afterwards.
pub fn cost() -> CountingCost {
    let least = |rounds: &mut dyn FnMut() -> u64| (0..COST_ROUNDS).map(|_| rounds()).min();
    let direct = least(&mut || count_calls(probes::empty)).unwrap_or(0);
    let idle = least(&mut || count_calls(counted_empty)).unwrap_or(0);
    let rounds = (0..COST_ROUNDS).map(|_| {
        TALLY.lock().clear();
        let counted = counting(|| count_calls(counted_empty));
        let tally = TALLY.lock();
        CountingCost {
            calls: COST_CALLS,
            direct,
            idle,
            counted,
            inside: tally.shapes().first().map_or(0, |shape| shape.tally.count),
            sorting: tally.sorting(),
        }
    });
    let cost = rounds.min_by_key(|cost| cost.counted).unwrap_or_default();
    TALLY.lock().clear();
    cost
}

/// What the counter advances by in a round of calls.
#[inline(never)]
fn count_calls(function: unsafe extern "C" fn()) -> u64 {
    let function = black_box(function);
    let start = counter::read();
    for _ in 0..COST_CALLS {
        // SAFETY: it is the empty function, or the counter in front of it.
        unsafe { function() };
    }
    counter::read().wrapping_sub(start)
}
