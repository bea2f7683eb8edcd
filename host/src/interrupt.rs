//! Ctrl-C: the first one ends after the current record, the second at once.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
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

    /// A flag that SIGINT, SIGTERM and SIGHUP, which a terminal that is closed sends, raise from now
    /// on; SIGHUP only where it is not ignored already, as under nohup. The third signal ends the process on the
    /// spot, for the case that the clean-up itself does not end.
    ///
    /// # Errors
    ///
    /// When the signal handlers or their thread cannot be set up.
    pub fn on_signals() -> io::Result<Self> {
        let interrupt = Self::new();
        let raised = interrupt.clone();
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        if !status_ignores(
            &fs::read_to_string("/proc/self/status").unwrap_or_default(),
            SIGHUP,
        ) {
            signals.add_signal(SIGHUP)?;
        }
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

/// Whether a process of this `/proc/<pid>/status` ignores a signal.
fn status_ignores(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| {
        let mask = line.strip_prefix("SigIgn:")?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    // Signals are counted from 1, the mask's bits from 0.
    mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_ignores_is_in_its_status() {
        let nohup = "SigBlk:\t0000000000000001\nSigIgn:\t0000000000001001\n";
        assert!(status_ignores(nohup, SIGHUP));
        assert!(!status_ignores(nohup, SIGTERM));
        assert!(!status_ignores("SigBlk:\t0000000000000001\n", SIGHUP));
    }

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
