//! The log: defmt on bare metal, plain text under an operating system; log frames on the line.

/// Logs one line.
macro_rules! info {
    ($($argument:tt)*) => {{
        #[cfg(target_os = "none")]
        defmt::info!($($argument)*);
        #[cfg(not(target_os = "none"))]
        $crate::meter::log::line(format_args!($($argument)*));
    }};
}
pub(crate) use info;

/// Sends one line of the log as it is.
#[cfg(not(target_os = "none"))]
pub fn line(text: core::fmt::Arguments) {
    super::link::send_bytes(wire::Kind::Log, text.to_string().as_bytes());
}
