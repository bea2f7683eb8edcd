//! What the compiler says of the frames of its functions: the file that `-fstack-usage` writes
//! beside each object.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use catalogue::{Frame, FrameKind, Instance};

use super::BuildError;
use super::error::file;
use super::reach::Graph;

/// The frames in the list beside an object; none where there is no list, as of an assembler's
/// source. Files get the names that they have within the instance's tree.
pub fn read(object: &Path, instance: &Instance) -> Result<Vec<Frame>, BuildError> {
    let list = object.with_extension("su");
    let text = match fs::read_to_string(&list) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(file("read", &list)(error)),
    };
    let frames = text.lines().map(|line| {
        let frame = frame(line).ok_or_else(|| BuildError::Frames {
            list: list.clone(),
            line: line.to_owned(),
        })?;
        let (source, line) = frame.place.rsplit_once(':').unwrap_or((&frame.place, ""));
        let place = format!("{}:{line}", instance.source_name(Path::new(source)));
        Ok(Frame { place, ..frame })
    });
    frames.collect()
}

/// The largest frame that a function can reach; one whose size only running decides is larger than
/// any other. `frames` has those of each object, in the order of
/// the objects.
pub fn largest(graph: &Graph, function: &str, frames: &[Vec<Frame>]) -> Option<Frame> {
    let places = graph.reach([function], &|_| false);
    let reached: HashSet<(usize, &str)> = places
        .iter()
        .filter_map(|place| Some((place.0, graph.section(*place)?)))
        .flat_map(|(object, section)| {
            let names = section.functions.iter();
            names.map(move |name| (object, base_name(name)))
        })
        .collect();
    let listed = frames
        .iter()
        .enumerate()
        .flat_map(|(object, frames)| frames.iter().map(move |frame| (object, frame)));
    listed
        .filter(|(object, frame)| reached.contains(&(*object, base_name(&frame.function))))
        .map(|(_, frame)| frame)
        .max_by_key(|frame| frame.rank())
        .cloned()
}

/// A function's name without what the compiler adds for its variants, such as `.constprop.0`:
/// its list and its symbols do not agree on that.
fn base_name(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// A line of the list: `<file>:<line>:<column>:<function>`, bytes and kind, with tabs between.
fn frame(line: &str) -> Option<Frame> {
    let mut columns = line.split('\t');
    let (name, bytes, kind) = (columns.next()?, columns.next()?, columns.next()?);
    // A path may have colons, and the name of a C function has none.
    let (place, function) = name.rsplit_once(':')?;
    let (place, _column) = place.rsplit_once(':')?;
    Some(Frame {
        function: function.to_owned(),
        place: place.to_owned(),
        bytes: bytes.parse().ok()?,
        kind: match kind {
            "static" => FrameKind::Static,
            "dynamic" => FrameKind::Dynamic,
            "dynamic,bounded" => FrameKind::Bounded,
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_is_read() {
        let read = |line| {
            let frame: Frame = frame(line)?;
            Some((frame.function, frame.place, frame.bytes, frame.kind.name()))
        };
        assert_eq!(
            read("/a:b/kem.c:12:5:kem_dec\t32864\tstatic"),
            Some(("kem_dec".into(), "/a:b/kem.c:12".into(), 32864, "static"))
        );
        assert_eq!(
            read("k.c:1:1:f.constprop.0\t64\tdynamic,bounded")
                .unwrap()
                .3,
            "bounded"
        );
        assert_eq!(read("k.c:1:1:f\t64\tdynamic").unwrap().3, "dynamic");
        for broken in [
            "",
            "f\t64\tstatic",
            "k.c:1:1:f\tx\tstatic",
            "k.c:1:1:f\t64\tother",
        ] {
            assert_eq!(read(broken), None, "{broken}");
        }
    }
}
