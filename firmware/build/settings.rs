//! What to build, read from the environment.

use std::env;
use std::path::{Path, PathBuf};

use catalogue::environment::{
    BOARD, DRILL, DRILLS, FLAGS, INSTANCE, KIND, LAYOUT, LAYOUT_LIMIT, LAYOUT_STEP,
};
use catalogue::{Board, DEFAULT_INSTANCE, FlagSet, Kind, board_to_build};

use super::BuildError;

/// What to build, for what, and where to.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `<candidate>/<label>`.
    pub instance: String,
    /// The board.
    pub board: &'static Board,
    /// The compiler's flags.
    pub flag_set: FlagSet,
    /// What the image is for.
    pub kind: Kind,
    /// Deliberate flaws, to test the instrument.
    pub drills: Vec<&'static str>,
    /// Bytes by which the code is shifted.
    pub layout: u32,
    /// cargo's target triple.
    pub target: String,
    /// cargo's host triple.
    pub host: String,
    /// The workspace's folder.
    pub root: PathBuf,
    /// The folder for everything that is built.
    pub out: PathBuf,
}

impl Settings {
    /// What the environment asks for.
    pub fn from_environment() -> Result<Self, BuildError> {
        let target = cargo_says("TARGET")?;
        let named = |variable| env::var(variable).ok().filter(|value| !value.is_empty());
        let manifest_folder = PathBuf::from(cargo_says("CARGO_MANIFEST_DIR")?);
        Ok(Self {
            instance: named(INSTANCE).unwrap_or_else(|| DEFAULT_INSTANCE.to_owned()),
            board: board_to_build(named(BOARD).as_deref(), &target)?,
            flag_set: match named(FLAGS) {
                Some(name) => FlagSet::from_name(&name)?,
                None => FlagSet::Guide,
            },
            kind: match named(KIND) {
                Some(name) => Kind::from_name(&name)?,
                None => Kind::Timed,
            },
            drills: parse_drills(&named(DRILL).unwrap_or_default())?,
            layout: parse_layout(named(LAYOUT).as_deref().unwrap_or("0"))?,
            host: cargo_says("HOST")?,
            root: manifest_folder
                .parent()
                .map_or_else(|| manifest_folder.clone(), Path::to_owned),
            out: PathBuf::from(cargo_says("OUT_DIR")?),
            target,
        })
    }
}

fn cargo_says(variable: &'static str) -> Result<String, BuildError> {
    env::var(variable).map_err(|_| BuildError::Environment { variable })
}

fn parse_drills(list: &str) -> Result<Vec<&'static str>, BuildError> {
    list.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(|name| {
            DRILLS
                .iter()
                .find(|known| **known == name)
                .copied()
                .ok_or_else(|| BuildError::UnknownDrill {
                    name: name.to_owned(),
                    known: DRILLS.join(", "),
                })
        })
        .collect()
}

fn parse_layout(shift: &str) -> Result<u32, BuildError> {
    let bytes = shift.parse().ok();
    let possible = |bytes: &u32| *bytes < LAYOUT_LIMIT && bytes.is_multiple_of(LAYOUT_STEP);
    bytes
        .filter(possible)
        .ok_or_else(|| BuildError::UnknownLayout {
            shift: shift.to_owned(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_shifts_that_keep_functions_aligned() {
        assert_eq!(parse_layout("0").unwrap(), 0);
        assert_eq!(parse_layout("4080").unwrap(), 4080);
        for wrong in ["4096", "8", "-16", "x", ""] {
            let error = parse_layout(wrong).unwrap_err();
            assert!(error.to_string().contains("NGCC_LAYOUT"), "{error}");
        }
    }

    #[test]
    fn drills_are_known_by_name() {
        assert!(parse_drills("").unwrap().is_empty());
        let drills = parse_drills("wrong-kat, still-counter").unwrap();
        assert_eq!(drills, ["wrong-kat", "still-counter"]);
        let error = parse_drills("wrong-kat,bad").unwrap_err();
        assert!(error.to_string().contains("bad"), "{error}");
    }
}
