//! Ctrl-C: the first one ends after the current record, the second at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::notice;

/// How urgently the user wants an end.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd)]
pub enum Urgency {
    /// Nobody asked.
    None,
    /// Finish what is being measured, then stop.
    AfterRecord,
    /// Stop measuring now; clean up.
    AtOnce,
}

/// A flag that signals raise and that everything which waits looks at.
///
/// Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    presses: Arc<AtomicUsize>,
}

impl Interrupt {
    /// A flag that only [`Interrupt::press`] raises.
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag that SIGINT and SIGTERM raise from now on. The third signal ends the process on the
    /// spot, for the case that the clean-up itself does not end.
    ///
    /// # Errors
    ///
    /// When the signal handlers or their thread cannot be set up.
    pub fn on_signals() -> io::Result<Self> {
        let interrupt = Self::new();
        let raised = interrupt.clone();
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                for _ in signals.forever() {
                    match raised.press() {
                        1 => notice::line(
                            "interrupted: ending after the current record or step; once more to end at once"
                        ),
                        2 => notice::line("interrupted again: ending at once"),
                        _ => std::process::exit(130),
                    }
                }
            })?;
        Ok(interrupt)
    }

    /// Counts one interruption; returns how many there were.
    pub fn press(&self) -> usize {
        self.presses.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// How urgent it is.
    pub fn urgency(&self) -> Urgency {
        match self.presses.load(Ordering::Relaxed) {
            0 => Urgency::None,
            1 => Urgency::AfterRecord,
            _ => Urgency::AtOnce,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urgency_rises_with_every_press_and_clones_share_it() {
        let interrupt = Interrupt::new();
        let elsewhere = interrupt.clone();
        assert_eq!(interrupt.urgency(), Urgency::None);
        elsewhere.press();
        assert_eq!(interrupt.urgency(), Urgency::AfterRecord);
        elsewhere.press();
        assert_eq!(interrupt.urgency(), Urgency::AtOnce);
        elsewhere.press();
        assert_eq!(interrupt.urgency(), Urgency::AtOnce);
    }
}
