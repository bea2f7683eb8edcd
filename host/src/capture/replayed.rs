//! A system whose meters are recordings: what a verb does with a meter, it does with a capture.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::recorder::digest_of;
use super::tape::Tape;
use super::{Capture, CaptureError};
use crate::system::{Description, Life, Output, Running, StartError, System};

/// What stands before the file in the name of such a system.
pub const PREFIX: &str = "capture:";

/// The system of a capture.
///
/// It bears the name of the recorded one, so that its records can be compared, and they say that
/// the line was a capture.
#[derive(Debug)]
pub struct Replayed {
    description: Description,
    capture: Capture,
    /// Places of the recordings that were played.
    played: Mutex<Vec<usize>>,
}

impl Replayed {
    /// The system of this name: `capture:` and a file. `None` when it is no such name.
    ///
    /// # Errors
    ///
    /// When the file is no capture that a meter can be made of.
    pub fn named(name: &str) -> Option<Result<Self, CaptureError>> {
        Some(Self::open(Path::new(name.strip_prefix(PREFIX)?)))
    }

    /// The system of this capture.
    ///
    /// # Errors
    ///
    /// When the file is no capture that a meter can be made of.
    pub fn open(path: &Path) -> Result<Self, CaptureError> {
        let capture = Capture::read(path)?;
        if capture.header.schema != wire::SCHEMA_HASH {
            return Err(CaptureError::Schema {
                path: path.to_owned(),
                theirs: capture.header.schema,
                ours: wire::SCHEMA_HASH,
            });
        }
        let header = &capture.header;
        Ok(Self {
            description: Description {
                wall_per_target: header.wall_per_target,
                usual_wall_per_target: header.usual_wall_per_target,
                emulator: header.emulator.clone(),
                ..Description::new(&header.system, &header.board, "capture")
            },
            capture,
            played: Mutex::default(),
        })
    }

    /// The first recording of this image that was not played.
    fn next(&self, elf: &Path) -> Result<Tape, CaptureError> {
        let digest = digest_of(elf).unwrap_or_default();
        let recordings = self.capture.recordings();
        let mut played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of_it = |place: &usize| recordings[*place].start.elf_sha256 == digest;
        let next = (0..recordings.len())
            .filter(is_of_it)
            .find(|place| !played.contains(place));
        let Some(place) = next else {
            return Err(CaptureError::Image {
                path: self.capture.path.clone(),
                image: elf.to_owned(),
                played: played.iter().any(is_of_it),
                there: recordings
                    .iter()
                    .map(|recording| recording.start.image.display().to_string())
                    .collect(),
            });
        };
        played.push(place);
        Ok(Tape::new(recordings[place].chunks))
    }
}

impl System for Replayed {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, elf: &Path) -> Result<Running, StartError> {
        Ok(Running {
            line: Box::new(self.next(elf)?),
            life: Box::new(Played),
            command: vec![format!("{PREFIX}{}", self.capture.path.display())],
        })
    }
}

/// Nothing lives here.
struct Played;

impl Life for Played {
    fn ended(&mut self) -> Option<String> {
        None
    }

    fn exit_code(&mut self) -> Option<i64> {
        None
    }

    fn output(&mut self) -> Output {
        Output::default()
    }

    fn stop(&mut self, _: Duration) {}
}
