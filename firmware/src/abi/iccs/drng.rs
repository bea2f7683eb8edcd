//! The submission's generator, `drng_algorithm`, and how it is seeded.
//!
//! The context is defined by a shim that is compiled with the submission's own `drng.h`, and
//! seeded by the `init_random_number` that is linked: the package's own where it ships one.

use wire::FailureKind;

use crate::abi::succeeded;
use crate::cpu::Call;
use crate::meter::instance::Runner;

/// `int init_random_number(DRNG_ctx *drng, const unsigned char *seed, unsigned long long bytes)`
///
/// # Errors
///
/// [`FailureKind::ReturnCode`] when it refuses the seed.
pub fn seed<R: Runner>(
    drng_algorithm: usize,
    init_random_number: usize,
    seed: &[u8],
    runner: &mut R,
) -> Result<(), FailureKind> {
    let arguments = [
        drng_algorithm,
        seed.as_ptr().expose_provenance(),
        seed.len(),
    ];
    // SAFETY: the interface's function with the arguments that it takes.
    let call = unsafe { Call::new(init_random_number, arguments) };
    succeeded(runner.aside(&call))
}
