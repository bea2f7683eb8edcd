//! The C interfaces that a submission may speak, and what C needs from us.

mod heap;
pub mod iccs;
mod libc;
pub mod nist;
pub mod random;
mod slot;
mod state;

use wire::{Category, FailureKind, Sizes};

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
#[allow(
    dead_code,
    reason = "an image holds one instance, which speaks one interface"
)]
pub enum Functions {
    /// The NIST interface, with the generator behind its published known answers.
    Nist(nist::Functions, kat::generator::Generator),
    /// The NGCC interface.
    Iccs(iccs::Functions),
}

/// Declares the functions of an instance by their symbols and collects the addresses.
///
/// A generated file calls it: `functions! { Nist::nist::Kem { keypair: "...", ... } }`. Behind the
/// functions stands what else the variant holds, and then what else the interface does.
macro_rules! functions {
    ($interface:ident::$module:ident::$variant:ident { $($function:ident: $symbol:literal),+ $(,)? }
     $(list $list:ident: [$($item:ident: $item_symbol:literal),*])?
     $(with $field:ident: $value:literal)?
     $(and $more:expr)?) => {
        unsafe extern "C" {
            $(#[link_name = $symbol] fn $function();)+
            $($(#[link_name = $item_symbol] fn $item();)*)?
        }

        /// The functions of this instance.
        pub fn functions() -> crate::abi::Functions {
            crate::abi::Functions::$interface(
                crate::abi::$module::Functions::$variant {
                    $($function: $function as *const () as usize,)+
                    $($list: {
                        static LIST: &[unsafe extern "C" fn()] = &[$($item),*];
                        LIST
                    },)?
                    $($field: $value,)?
                },
                $($more)?
            )
        }
    };
}
use functions;

/// The instance: its identity and its functions.
mod linked {
    include!(concat!(env!("OUT_DIR"), "/instance.rs"));
}

pub use linked::{IDENTITY, functions as instance_functions};

/// Most functions return an `int`, 0 for success.
fn succeeded(returned: u64) -> Result<(), FailureKind> {
    match returned as i32 {
        0 => Ok(()),
        code => Err(FailureKind::ReturnCode(code.into())),
    }
}

/// The drill against wrong answers: flips one bit, and back again at the second call.
fn drill(bytes: &mut [u8]) {
    if cfg!(drill_wrong_kat)
        && let Some(first) = bytes.first_mut()
    {
        *first ^= 1;
    }
}
