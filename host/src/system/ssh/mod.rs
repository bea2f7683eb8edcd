//! An Arm machine that runs Linux, reached over ssh: the image is copied into a folder of its own
//! there, and the meter talks over the channel's standard input and output.

mod connection;
mod survey;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

pub use connection::Destination;
use connection::{Folder, command, run};

use super::child::{Process, words};
use super::local::{is_published, is_word};
use super::{Description, Running, StartError, System, qemu_user};
use crate::line::socket_pair;
use crate::session::hexadecimal;
use sha2::{Digest, Sha256};

/// What the names of Arm machines begin with.
const PREFIX: &str = "arm_";

/// Has the meter take its standard input and output for the line, see the meter's own main.
const METER: &str = "exec env NGCC_METER_FD=stdio";

/// An Arm machine elsewhere.
#[derive(Debug)]
pub struct Ssh {
    description: Description,
    destination: Destination,
    there: Mutex<There>,
}

/// What we have on the machine.
#[derive(Debug)]
struct There {
    folder: Folder,
    /// Names of the images that were copied.
    images: BTreeSet<String>,
}

impl Ssh {
    /// Connects, makes a folder there, and asks the machine what it is.
    ///
    /// # Errors
    ///
    /// When the name is not one of an Arm machine, or the machine cannot be reached or is no Arm
    /// machine.
    pub fn connect(name: &str, destination: &Destination) -> Result<Self, StartError> {
        let is_bound = destination.is_bound_to(name);
        let suffix = name.strip_prefix(PREFIX).filter(|suffix| is_word(suffix));
        if suffix.is_none() || (is_published(name) && !is_bound) {
            return Err(StartError::NoRemoteName {
                name: name.to_owned(),
            });
        }
        let folder = Folder::make(destination)?;
        let machine = survey::survey(destination)?;
        Ok(Self {
            description: Description {
                // Other work on this machine is not on that one, but two meters there would be.
                needs_quiet: true,
                remote: Some(Arc::new(machine)),
                ..Description::new(name, qemu_user::BOARD, "ssh")
            },
            destination: destination.clone(),
            there: Mutex::new(There {
                folder,
                images: BTreeSet::new(),
            }),
        })
    }

    /// The path of an image on the machine, where it is copied to if need be.
    fn copied(&self, elf: &Path) -> Result<String, StartError> {
        let mut there = self.there.lock().unwrap_or_else(PoisonError::into_inner);
        if !there.folder.is_there() {
            // The connection was lost, and the folder with it.
            there.folder = Folder::make(&self.destination)?;
            there.images.clear();
        }
        let bytes = std::fs::read(elf).map_err(StartError::Line)?;
        let image = hexadecimal(&Sha256::digest(&bytes));
        let path = format!("{}/{image}", there.folder.path());
        if !there.images.contains(&image) {
            let script = format!("cat > '{path}' && chmod 700 '{path}'");
            let file = File::open(elf).map_err(StartError::Line)?;
            run(&self.destination, &script, file.into())?;
            there.images.insert(image);
        }
        Ok(path)
    }
}

impl System for Ssh {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, elf: &Path) -> Result<Running, StartError> {
        let path = self.copied(elf)?;
        let (line, theirs) = socket_pair().map_err(StartError::Line)?;
        let out = theirs.try_clone().map_err(StartError::Line)?;
        let mut command = command(&self.destination, &format!("{METER} '{path}'"));
        let streams = (
            std::os::fd::OwnedFd::from(theirs).into(),
            std::os::fd::OwnedFd::from(out).into(),
        );
        let process = Process::start_with("the meter over ssh", &mut command, streams)?;
        let words = words(&command);
        // The command owns our copies of the far end: with it gone, the end of ssh is the end of
        // the line.
        drop(command);
        Ok(Running {
            line: Box::new(line),
            life: Box::new(process),
            command: words,
        })
    }
}
