//! The C interfaces that a submission may speak, what C needs from us, and what an image has inside.

pub mod counting;
pub mod heap;
pub mod iccs;
mod libc;
#[doc(hidden)]
pub use libc::meter_abort;
pub mod nist;
pub mod random;
mod slot;
mod state;

use wire::{Category, Failure, FailureKind, Operation, Sizes};

/// Which instance this image was built for: facts from the catalogue, written by the build script.
pub struct Identity {
    /// The board.
    pub board: &'static str,
    /// The candidate's id.
    pub candidate: &'static str,
    /// The label, unique within the candidate.
    pub label: &'static str,
    /// What kind of scheme it is.
    pub category: Category,
    /// Sizes in bytes that it claims, where they are known without running its code.
    pub sizes: Option<Sizes>,
}

/// The functions of the instance, by address, in the interface that it speaks.
pub enum Functions {
    /// The NIST interface, with the generator behind its published known answers.
    Nist(nist::Functions, kat::generator::Generator),
    /// The NGCC interface.
    Iccs(iccs::Functions),
}

/// What an image has inside.
pub struct Image {
    /// Which instance it is.
    pub identity: Identity,
    /// Its functions.
    pub functions: Functions,
    /// Deliberate flaws, to test the instrument.
    pub drills: Drills,
    /// Whether it counts calls: it is a profile image then, and never the timed one.
    pub counts_calls: bool,
}

/// Deliberate flaws; an image that measures has none.
#[derive(Clone, Copy, Default)]
pub struct Drills {
    /// The counter stands still.
    pub still_counter: bool,
    /// The known answers have one wrong bit.
    pub wrong_kat: bool,
}

/// Declares what an image has inside: identity, functions by their symbols, deliberate flaws, and
/// whether it counts calls.
///
/// The file that the build script writes consists of one call of it. Behind the functions stands
/// what else the variant of [`Functions`] holds, and then what else the interface does.
#[macro_export]
macro_rules! image {
    ({ $identity:expr }
     { $interface:ident::$module:ident::$variant:ident
       { $($function:ident: $symbol:literal),+ $(,)? }
       $(list $list:ident: [$($item:ident: $item_symbol:literal),*])?
       $(with $field:ident: $value:literal)?
       $(and $more:expr)? }
     { $drills:expr }
     { $counts_calls:expr }) => {
        // SAFETY: the build script saw that the objects define every one of these; what is called
        // through the addresses is called as the interface says.
        unsafe extern "C" {
            $(#[link_name = $symbol] fn $function();)+
            $($(#[link_name = $item_symbol] fn $item();)*)?
        }

        /// `void abort(void)`, for calls from within the C library. Defined in the image itself: the
        /// linker searches the C library before the meter, and would take its own.
        // SAFETY: C's function of this name and type, which goes on to another one of that type.
        #[cfg(target_os = "none")]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn abort() -> ! {
            ::core::arch::naked_asm!("b {}", sym $crate::abi::meter_abort)
        }

        /// What this image has inside.
        // SAFETY: the meter declares a function of this name and type, and there is one.
        #[unsafe(no_mangle)]
        extern "Rust" fn meter_image() -> $crate::abi::Image {
            $crate::abi::Image {
                identity: $identity,
                functions: $crate::abi::Functions::$interface(
                    $crate::abi::$module::Functions::$variant {
                        $($function: $function as *const () as usize,)+
                        $($list: {
                            static LIST: &[unsafe extern "C" fn()] = &[$($item),*];
                            LIST
                        },)?
                        $($field: $value,)?
                    },
                    $($more)?
                ),
                drills: $drills,
                counts_calls: $counts_calls,
            }
        }
    };
}

// SAFETY: `image!` defines it, in the one crate that links everything.
unsafe extern "Rust" {
    /// What this image has inside.
    safe fn meter_image() -> Image;
}

/// What this image has inside.
pub fn image() -> Image {
    meter_image()
}

/// Most functions return an `int`, 0 for success.
fn succeeded(returned: u64) -> Result<(), FailureKind> {
    match returned as i32 {
        0 => Ok(()),
        code => Err(FailureKind::ReturnCode(code.into())),
    }
}

/// A failure of call number `call` of an operation.
pub fn failed_call(operation: Operation, call: u32, kind: FailureKind) -> Failure {
    Failure {
        operation,
        call,
        kind,
        freed_blocks: heap::freed_blocks(),
    }
}

/// A failure of the set-up or of a known answer, where every operation is called once.
fn failure(operation: Operation, kind: FailureKind) -> Failure {
    failed_call(operation, 0, kind)
}

/// The drill against wrong answers: flips one bit, and back again at the second call.
fn drill(bytes: &mut [u8]) {
    if image().drills.wrong_kat
        && let Some(first) = bytes.first_mut()
    {
        *first ^= 1;
    }
}
