//! A pair of sockets, for a meter that is a process of this machine.

use std::io;
use std::os::unix::net::UnixStream;

use super::TIMEOUT;

/// The host's end of a socket pair.
pub type SocketLine = UnixStream;

/// Makes a line and the end that the meter inherits.
///
/// # Errors
///
/// When the system refuses.
pub fn socket_pair() -> io::Result<(SocketLine, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_read_timeout(Some(TIMEOUT))?;
    ours.set_write_timeout(Some(TIMEOUT))?;
    Ok((ours, theirs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::{Reading, read, write};

    #[test]
    fn a_closed_socket_is_closed_and_a_silent_one_is_not() {
        let (mut ours, theirs) = socket_pair().unwrap();
        assert_eq!(read(&mut ours, &mut [0; 8]), Reading::Nothing);
        drop(theirs);
        assert!(matches!(read(&mut ours, &mut [0; 8]), Reading::Closed(_)));
        assert!(write(&mut ours, b"x").is_err());
    }
}
