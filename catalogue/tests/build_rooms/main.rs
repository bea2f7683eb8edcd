//! The rooms of the firmware's build script, which cannot hold tests of its own: cargo runs none
//! in a build script. Their unit tests run here, and here they meet real compilers.

#[path = "../../../firmware/build/mod.rs"]
#[allow(dead_code, reason = "only the build script reads cargo's environment")]
mod build;

mod everything;
mod real;
mod toys;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use build::Settings;
use catalogue::{FlagSet, Kind, board};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};

fn root() -> PathBuf {
    // Without `..`, as cargo gives it to the build script.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().unwrap().to_owned()
}

fn settings(instance: &str, board_name: &str, out: &Path) -> Settings {
    let board = board(board_name).unwrap();
    Settings {
        instance: instance.to_owned(),
        board,
        flag_set: FlagSet::Guide,
        kind: Kind::Timed,
        drills: vec![],
        layout: 0,
        target: board.cargo_target.to_owned(),
        host: catalogue::board("linux").unwrap().cargo_target.to_owned(),
        root: root(),
        out: out.to_owned(),
    }
}

/// Names of an archive's members.
fn members(archive: &Path) -> HashSet<Vec<u8>> {
    let bytes = fs::read(archive).unwrap();
    ArchiveFile::parse(&*bytes)
        .unwrap()
        .members()
        .map(|member| member.unwrap().name().to_owned())
        .collect()
}

/// Undefined global names of all members of an archive.
fn undefined(archive: &Path) -> HashSet<String> {
    let bytes = fs::read(archive).unwrap();
    let mut names = HashSet::new();
    for member in ArchiveFile::parse(&*bytes).unwrap().members() {
        let member = member.unwrap();
        let object = object::File::parse(member.data(&*bytes).unwrap()).unwrap();
        for symbol in object.symbols().filter(|symbol| symbol.is_undefined()) {
            names.insert(symbol.name().unwrap().to_owned());
        }
    }
    names
}
