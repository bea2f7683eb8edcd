//! The environment variables that steer a build, and what they may hold.

/// `<candidate>/<label>` of the instance to build in; default [`crate::DEFAULT_INSTANCE`].
pub const INSTANCE: &str = "NGCC_INSTANCE";

/// Name of the board; the default follows from cargo's target.
pub const BOARD: &str = "NGCC_BOARD";

/// Name of the [`crate::FlagSet`]; default `guide`.
pub const FLAGS: &str = "NGCC_FLAGS";

/// Name of the [`crate::Kind`] of image; default `timed`.
pub const KIND: &str = "NGCC_KIND";

/// Comma-separated deliberate flaws out of [`DRILLS`], to test the instrument.
pub const DRILL: &str = "NGCC_DRILL";

/// C compiler for bare-metal AArch64 boards, instead of the ones that are searched for.
pub const CC_AARCH64: &str = "NGCC_CC_AARCH64";

/// Folder of picolibc for AArch64, holding `include` and `lib`, instead of the usual places.
pub const PICOLIBC_AARCH64: &str = "NGCC_PICOLIBC_AARCH64";

/// C compiler for the Linux build, instead of `gcc`.
pub const CC_LINUX: &str = "NGCC_CC_LINUX";

/// C compiler for Linux on another Arm machine, instead of `aarch64-linux-gnu-gcc`.
pub const CC_LINUX_AARCH64: &str = "NGCC_CC_LINUX_AARCH64";

/// Lists the packages that test the instrument among the others, where it is set.
pub const TEST_PACKAGES: &str = "NGCC_TEST_PACKAGES";

/// Bytes by which the code is shifted: a multiple of [`LAYOUT_STEP`] below [`LAYOUT_LIMIT`];
/// default 0.
pub const LAYOUT: &str = "NGCC_LAYOUT";

/// The least shift of code that changes how its functions lie: their alignment.
pub const LAYOUT_STEP: u32 = 16;

/// A shift by a page changes nothing that a cache sees of a page. `linker/image.ld` reserves as
/// much.
pub const LAYOUT_LIMIT: u32 = 4096;

/// Every variable that changes what is built.
pub const ALL: &[&str] = &[
    INSTANCE,
    BOARD,
    FLAGS,
    KIND,
    DRILL,
    LAYOUT,
    CC_AARCH64,
    PICOLIBC_AARCH64,
    CC_LINUX,
    CC_LINUX_AARCH64,
];

/// The deliberate flaw of a counter that stands still.
pub const STILL_COUNTER: &str = "still-counter";

/// The deliberate flaw of known answers with one wrong bit.
pub const WRONG_KAT: &str = "wrong-kat";

/// No flaw, but to test the instrument as well: a Linux image that GNU ld links, whatever the Rust
/// compiler would take.
pub const GNU_LD: &str = "gnu-ld";

/// All deliberate flaws.
pub const DRILLS: [&str; 3] = [STILL_COUNTER, WRONG_KAT, GNU_LD];
