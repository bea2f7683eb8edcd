//! Where entries go: into one folder, under limits that are counted and never read from headers.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use super::name::Encoding;
use super::{LeftOut, Limits, Unpacked, left_out, name};
use crate::error::{ImportError, Refusal};

/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

/// What has been unpacked so far, of the package and of all archives in it.
pub struct Sink<'a> {
    folder: &'a Path,
    limits: &'a Limits,
    stop: &'a dyn Fn() -> bool,
    entries: u64,
    bytes: u64,
    /// What is told in the end.
    pub unpacked: Unpacked,
    /// Archives among the files, not unpacked yet.
    pub archives: Vec<String>,
}

/// One archive whose entries go to the sink.
pub struct Archive {
    /// What it is called in messages.
    pub name: String,
    /// Where its entries go, relative to the package's folder: empty or with a `/` at the end.
    pub prefix: String,
    /// Its size in bytes; `None` for a folder.
    pub size: Option<u64>,
    /// Bytes that came out of it.
    pub written: u64,
}

impl Archive {
    /// That this entry is refused.
    pub fn refused(&self, entry: &str, refusal: Refusal) -> ImportError {
        ImportError::Refused {
            archive: self.name.clone(),
            entry: entry.to_owned(),
            refusal,
        }
    }

    /// That it cannot be read on.
    pub fn damaged(&self, entry: &str, problem: impl std::fmt::Display) -> ImportError {
        ImportError::Damaged {
            archive: self.name.clone(),
            problem: match entry {
                "" => problem.to_string(),
                entry => format!("{problem} (in or after entry {entry:?})"),
            },
        }
    }
}

impl<'a> Sink<'a> {
    pub fn new(folder: &'a Path, limits: &'a Limits, stop: &'a dyn Fn() -> bool) -> Self {
        Self {
            folder,
            limits,
            stop,
            entries: 0,
            bytes: 0,
            unpacked: Unpacked::default(),
            archives: Vec::new(),
        }
    }

    /// The limits that hold.
    pub fn limits(&self) -> &Limits {
        self.limits
    }

    /// The folder that everything goes into.
    pub fn folder(&self) -> &Path {
        self.folder
    }

    /// Ends when the user wishes it.
    pub fn proceed(&self) -> Result<(), ImportError> {
        if (self.stop)() {
            return Err(ImportError::Interrupted);
        }
        Ok(())
    }

    /// Refuses an archive that would have more entries than are left.
    pub fn announce(&self, archive: &Archive, entries: u64) -> Result<(), ImportError> {
        if self.entries + entries > self.limits.entries {
            let entry = format!("number {}", self.limits.entries - self.entries + 1);
            let refusal = Refusal::Entries(self.limits.entries);
            return Err(archive.refused(&entry, refusal));
        }
        Ok(())
    }

    /// Counts an entry and gives its path in the package's folder, if it has one of its own.
    pub fn entry(
        &mut self,
        archive: &Archive,
        raw: &[u8],
        encoding: Encoding,
    ) -> Result<Option<String>, ImportError> {
        self.proceed()?;
        self.entries += 1;
        let decoded = encoding.decode(raw);
        let path = (self.entries <= self.limits.entries)
            .then_some(())
            .ok_or(Refusal::Entries(self.limits.entries))
            .and_then(|()| decoded.and_then(|name| name::path(&name)))
            .map_err(|refusal| archive.refused(&name::shown(raw), refusal))?;
        self.unpacked.encodings.insert(encoding);
        Ok(path.map(|path| format!("{}{path}", archive.prefix)))
    }

    /// Makes a folder.
    pub fn make_folder(&mut self, archive: &Archive, path: &str) -> Result<(), ImportError> {
        let folder = self.folder.join(path);
        fs::create_dir_all(&folder).map_err(|error| match error.kind() {
            // Nothing but our own files can stand in the way.
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                archive.refused(path, Refusal::Duplicate)
            }
            _ => ImportError::file("make", &folder)(error),
        })
    }

    /// Says that a file is left out, if it is one by its path.
    pub fn leaves_out(&mut self, path: &str) -> bool {
        let why = left_out::by_path(path);
        if let Some(why) = why {
            self.leave_out(path, why);
        }
        why.is_some()
    }

    fn leave_out(&mut self, path: &str, why: &str) {
        self.unpacked.left_out.push(LeftOut {
            path: path.to_owned(),
            why: why.to_owned(),
        });
    }

    /// Writes a file; `packed` is how many bytes it takes in its archive, where that is known.
    pub fn file(
        &mut self,
        archive: &mut Archive,
        path: &str,
        content: &mut dyn Read,
        packed: Option<u64>,
    ) -> Result<(), ImportError> {
        if let Some((folder, _)) = path.rsplit_once('/') {
            self.make_folder(archive, folder)?;
        }
        let target = self.folder.join(path);
        let mut file = File::create_new(&target).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => archive.refused(path, Refusal::Duplicate),
            _ => ImportError::file("write", &target)(error),
        })?;
        let mut piece = vec![0; PIECE];
        let mut beginning = Vec::new();
        let mut size = 0;
        loop {
            self.proceed()?;
            let count = match content.read(&mut piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                count => count.map_err(|error| archive.damaged(path, error))?,
            };
            let filled = piece.get(..count).unwrap_or_default();
            if filled.is_empty() {
                break;
            }
            size += filled.len() as u64;
            self.bytes += filled.len() as u64;
            archive.written += filled.len() as u64;
            self.within_limits(archive, size, packed)
                .map_err(|refusal| archive.refused(path, refusal))?;
            let missing = left_out::BEGINNING.saturating_sub(beginning.len());
            beginning.extend(filled.iter().take(missing));
            file.write_all(filled)
                .map_err(ImportError::file("write", &target))?;
        }
        if let Some(why) = left_out::by_beginning(&beginning) {
            fs::remove_file(&target).map_err(ImportError::file("remove", &target))?;
            self.leave_out(path, why);
            return Ok(());
        }
        self.unpacked.files += 1;
        if super::is_archive_name(path) {
            self.archives.push(path.to_owned());
        }
        Ok(())
    }

    fn within_limits(
        &self,
        archive: &Archive,
        size: u64,
        packed: Option<u64>,
    ) -> Result<(), Refusal> {
        let limits = self.limits;
        let bomb = |bytes: u64, packed: u64| {
            bytes > limits.ratio_free_bytes && bytes > packed.saturating_mul(limits.ratio)
        };
        if size > limits.file_bytes {
            return Err(Refusal::File(limits.file_bytes));
        }
        if self.bytes > limits.total_bytes {
            return Err(Refusal::Total(limits.total_bytes));
        }
        // What an archive says of an entry may be a lie; its own size is none.
        if packed.is_some_and(|packed| bomb(size, packed))
            || archive
                .size
                .is_some_and(|packed| bomb(archive.written, packed))
        {
            return Err(Refusal::Ratio(limits.ratio));
        }
        Ok(())
    }

    /// What is told of it all.
    pub fn finish(self) -> Unpacked {
        Unpacked {
            bytes: self.bytes,
            ..self.unpacked
        }
    }
}
