//! What the compiler says of the frames of its functions: the file that `-fstack-usage` writes
//! beside each object.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use catalogue::{Frame, FrameKind, Instance};

use super::BuildError;
use super::error::file;

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
