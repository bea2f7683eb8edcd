//! Packages that are handed in as archives, imported with the real command, and taken away again.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use host::project::Project;
use kat::text::TextSink;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The real command, in words and without waiting for input.
pub fn host(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_host"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .expect("the command starts")
}

/// Everything that a command said.
pub fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// The known-answer text of one of our packages, from implementations that are not ours.
pub fn answer(package: &str, file: &str) -> Vec<u8> {
    /// Takes a text whole.
    struct Whole(Vec<u8>);

    impl TextSink for Whole {
        fn text(&mut self, piece: &[u8]) {
            self.0.extend_from_slice(piece);
        }
    }

    let mut text = Whole(Vec::new());
    answers::write_file(package, file, &mut text).unwrap();
    text.0
}

/// The files of an archive in the making, by their paths.
#[derive(Default)]
pub struct Archive(Vec<(String, Vec<u8>)>);

impl Archive {
    /// Adds a file.
    pub fn file(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        self.0.push((path.to_owned(), content.into()));
    }

    /// Leaves a file out.
    pub fn remove(&mut self, path: &str) {
        self.0.retain(|(other, _)| other != path);
    }

    /// Adds all files of a folder below `path`.
    pub fn folder(&mut self, path: &str, folder: &Path) {
        let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(Result::unwrap).collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            let path = format!("{path}/{}", name.to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                self.folder(&path, &entry.path());
            } else {
                self.file(&path, fs::read(entry.path()).unwrap());
            }
        }
    }

    fn write(&self, file: &Path) {
        let mut archive = ZipWriter::new(File::create(file).unwrap());
        for (path, content) in &self.0 {
            let options = SimpleFileOptions::default();
            archive.start_file(path.as_str(), options).unwrap();
            archive.write_all(content).unwrap();
        }
        archive.finish().unwrap();
    }
}

/// A package among those of the workspace, which disappears with this value.
pub struct Imported {
    /// Its folder.
    pub folder: PathBuf,
    id: String,
    _archive: TempDir,
}

impl Imported {
    /// Writes the archive and imports it under this id.
    pub fn new(id: &str, archive: &Archive) -> (Self, Output) {
        let outside = tempfile::tempdir().unwrap();
        let file = outside.path().join(format!("{id}.zip"));
        archive.write(&file);
        // What a test that was killed left behind is replaced.
        let output = host(&["import", "--force", "--id", id, file.to_str().unwrap()]);
        let root = Project::find().unwrap().root;
        let imported = Self {
            folder: root.join("submissions").join(id),
            id: id.to_owned(),
            _archive: outside,
        };
        (imported, output)
    }

    /// The name of one of its instances.
    pub fn instance(&self, label: &str) -> String {
        format!("{}/{label}", self.id)
    }
}

impl Drop for Imported {
    fn drop(&mut self) {
        // In one step and out of sight: another command may be reading the packages.
        let Some(submissions) = self.folder.parent() else {
            return;
        };
        let aside = tempfile::Builder::new()
            .prefix(".gone-")
            .tempdir_in(submissions);
        if let Ok(aside) = aside {
            let _ = fs::rename(&self.folder, aside.path().join(&self.id));
        }
    }
}
