//! A workspace to import into, and a writer for archives that no honest program would write.

#![allow(dead_code, reason = "each test uses its part")]

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::{Compress, Compression, Crc, FlushCompress};
use import::{ImportError, Imported, Limits, Request};
use tempfile::TempDir;

/// The repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A workspace that knows what the repository knows and holds no package.
pub struct Workspace(TempDir);

impl Workspace {
    pub fn new() -> Self {
        let workspace = Self(tempfile::tempdir().unwrap());
        let kat = repository().join("kat");
        for entry in fs::read_dir(kat).unwrap() {
            let folder = entry.unwrap().path();
            if !folder.join("candidate.toml").is_file() {
                continue;
            }
            let copy = workspace
                .path()
                .join("kat")
                .join(folder.file_name().unwrap());
            fs::create_dir_all(&copy).unwrap();
            for name in ["candidate.toml", "kat.sha256"] {
                fs::copy(folder.join(name), copy.join(name)).unwrap();
            }
        }
        workspace
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// A file outside the packages, to import from.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub fn import(&self, package: &Path) -> Result<Imported, ImportError> {
        self.import_as(package, None)
    }

    pub fn import_as(&self, package: &Path, id: Option<&str>) -> Result<Imported, ImportError> {
        let request = Request {
            root: self.path(),
            package,
            id,
            force: false,
            limits: Limits::default(),
        };
        import::import(&request, &|| false)
    }

    /// What is among the packages, hidden folders included.
    pub fn submissions(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path().join("submissions")) else {
            return Vec::new();
        };
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.collect()
    }

    /// Imports what must be refused; the message, after seeing that nothing is left behind.
    pub fn refused(&self, package: &Path) -> String {
        let error = self.import(package).expect_err("it is refused");
        assert_eq!(self.submissions(), [] as [&str; 0]);
        let escaped = self.path().join("escaped");
        assert!(!escaped.exists(), "{error}");
        error.to_string()
    }
}

/// A zip archive that is written to a file while it is made.
pub struct Zip {
    out: BufWriter<File>,
    offset: u64,
    directory: Vec<u8>,
    count: u64,
}

/// What an entry says of itself, true or not.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    pub name: &'a [u8],
    pub flags: u16,
    pub method: u16,
    /// Unix mode.
    pub mode: u32,
    pub crc: u32,
    pub packed: u32,
    pub size: u32,
}

impl Zip {
    pub fn create(file: &Path) -> Self {
        Self {
            out: BufWriter::new(File::create(file).unwrap()),
            offset: 0,
            directory: Vec::new(),
            count: 0,
        }
    }

    /// A file as it should be, stored.
    pub fn file(&mut self, name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) {
        self.file_of_mode(name.as_ref(), content.as_ref(), 0o100_644);
    }

    pub fn file_of_mode(&mut self, name: &[u8], content: &[u8], mode: u32) {
        let mut crc = Crc::new();
        crc.update(content);
        let size = u32::try_from(content.len()).unwrap();
        let head = Head {
            name,
            flags: 0,
            method: 0,
            mode,
            crc: crc.sum(),
            packed: size,
            size,
        };
        self.entry(&head, &mut &content[..]);
    }

    /// An entry of any kind.
    pub fn entry(&mut self, head: &Head<'_>, packed: &mut dyn Read) {
        let mut shared = Vec::new();
        for field in [20, head.flags, head.method, 0, 0x21] {
            shared.extend(u16::to_le_bytes(field));
        }
        for field in [head.crc, head.packed, head.size] {
            shared.extend(u32::to_le_bytes(field));
        }
        shared.extend(u16::try_from(head.name.len()).unwrap().to_le_bytes());
        shared.extend([0; 2]);

        self.directory.extend(b"PK\x01\x02\x14\x03");
        self.directory.extend(&shared);
        self.directory.extend([0; 6]);
        self.directory.extend((head.mode << 16).to_le_bytes());
        self.directory
            .extend(u32::try_from(self.offset).unwrap().to_le_bytes());
        self.directory.extend(head.name);
        self.count += 1;

        self.write(b"PK\x03\x04");
        self.write(&shared);
        self.write(head.name);
        let written = io::copy(packed, &mut self.out).unwrap();
        self.offset += written;
    }

    fn write(&mut self, bytes: &[u8]) {
        self.out.write_all(bytes).unwrap();
        self.offset += bytes.len() as u64;
    }

    pub fn finish(mut self) {
        let start = self.offset;
        let directory = std::mem::take(&mut self.directory);
        self.write(&directory);
        let end = self.offset;
        let mut record = Vec::new();
        record.extend(b"PK\x06\x06");
        record.extend(44_u64.to_le_bytes());
        record.extend([45, 3, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        for field in [self.count, self.count, end - start, start] {
            record.extend(field.to_le_bytes());
        }
        record.extend(b"PK\x06\x07");
        record.extend([0; 4]);
        record.extend(end.to_le_bytes());
        record.extend(1_u32.to_le_bytes());
        record.extend(b"PK\x05\x06");
        record.extend([0; 4]);
        record.extend([0xff; 12]);
        record.extend([0; 2]);
        // Small archives are as they always were.
        if self.count < 0xffff {
            record.clear();
            record.extend(b"PK\x05\x06");
            record.extend([0; 4]);
            let count = u16::try_from(self.count).unwrap();
            record.extend(count.to_le_bytes());
            record.extend(count.to_le_bytes());
            record.extend(u32::try_from(end - start).unwrap().to_le_bytes());
            record.extend(u32::try_from(start).unwrap().to_le_bytes());
            record.extend([0; 2]);
        }
        self.write(&record);
        self.out.flush().unwrap();
    }
}

/// Zips files of a folder, as a person would.
pub fn zip_folder(folder: &Path, file: &Path) {
    let mut zip = Zip::create(file);
    let mut folders = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                folders.push((path, name + "/"));
            } else {
                zip.file(name, fs::read(path).unwrap());
            }
        }
    }
    zip.finish();
}

/// A deflate stream of this many times 64 MiB of zeros behind a beginning, never in memory.
pub fn bomb(beginning: &[u8], times: usize) -> impl Read {
    let mut deflater = Compress::new(Compression::best(), false);
    let mut start = Vec::with_capacity(beginning.len() + 1000);
    deflater
        .compress_vec(beginning, &mut start, FlushCompress::Full)
        .unwrap();
    // Each block ends at a byte and looks back on zeros only, so that it can be repeated.
    let mut block = Vec::with_capacity(1 << 20);
    deflater
        .compress_vec(&vec![0; 64 << 20], &mut block, FlushCompress::Full)
        .unwrap();
    assert!(block.len() < 1 << 18, "it was compressed whole");
    let blocks: Vec<u8> = block.repeat(times);
    let end: &[u8] = &[0x03, 0x00];
    io::Cursor::new(start)
        .chain(io::Cursor::new(blocks))
        .chain(end)
}

/// Compresses a tar archive that a function writes.
pub fn tar_gz(file: &Path, write: impl FnOnce(&mut tar::Builder<flate2::write::GzEncoder<File>>)) {
    let out = File::create(file).unwrap();
    let out = flate2::write::GzEncoder::new(out, Compression::fast());
    let mut builder = tar::Builder::new(out);
    write(&mut builder);
    builder.into_inner().unwrap().finish().unwrap();
}

/// Adds a file to a tar archive, under any name at all.
pub fn tar_entry<W: Write>(
    builder: &mut tar::Builder<W>,
    name: &[u8],
    kind: tar::EntryType,
    content: &[u8],
) {
    let mut header = tar::Header::new_gnu();
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    builder.append(&header, content).unwrap();
}

/// An instance's two files.
pub fn kem(name: &str) -> [(&'static str, String); 2] {
    [
        (
            "KEM_AlgorithmInstance.h",
            format!("#define ALGORITHM_INSTANCE \"{name}\"\n"),
        ),
        (
            "KEM_AlgorithmInstance.c",
            "#include \"KEM_AlgorithmInstance.h\"\n#include \"params.h\"\n#include \"drng.h\"\n\
             int kem_keygen() { return 0; }\n"
                .to_owned(),
        ),
    ]
}
