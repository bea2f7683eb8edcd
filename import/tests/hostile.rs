//! Packages that attack: each is refused with what and why, and nothing is left behind.

mod support;

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;

use import::{ImportError, Limits, Request};
use proptest::prelude::*;
use support::{Head, Workspace, Zip, bomb, kem, tar_entry, tar_gz};
use tar::EntryType;

#[test]
fn zip_entries_that_leave_or_link_are_refused() {
    let workspace = Workspace::new();
    let package = workspace.outside("p.zip");
    for (name, mode, expected) in [
        (
            "../escaped",
            0o100_644,
            "\"../escaped\" leaves the package's folder by `..`",
        ),
        (
            "a/../../../escaped",
            0o100_644,
            "leaves the package's folder",
        ),
        (
            "/tmp/escaped",
            0o100_644,
            "\"/tmp/escaped\" has an absolute path",
        ),
        ("C:/escaped", 0o100_644, "has an absolute path"),
        ("..\\escaped", 0o100_644, "has a backslash in its path"),
        ("a\0b", 0o100_644, "has a control character"),
        ("link", 0o120_777, "\"link\" is a link"),
        ("pipe", 0o010_644, "\"pipe\" is neither a file nor a folder"),
        (
            "device",
            0o060_644,
            "\"device\" is neither a file nor a folder",
        ),
    ] {
        let mut zip = Zip::create(&package);
        zip.file("first.c", "int x;");
        zip.file_of_mode(name.as_bytes(), b"/etc/passwd", mode);
        zip.finish();
        let message = workspace.refused(&package);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn zip_entries_that_overwrite_are_refused() {
    let workspace = Workspace::new();
    let package = workspace.outside("p.zip");
    for names in [["a.c", "a.c"], ["a.c", "./a.c"], ["a", "a/b"], ["a/b", "a"]] {
        let mut zip = Zip::create(&package);
        for name in names {
            zip.file(name, "int x;");
        }
        zip.finish();
        let message = workspace.refused(&package);
        assert!(
            message.contains("has the path of another entry"),
            "{names:?}: {message}"
        );
    }
}

#[test]
fn a_zip_entry_that_is_encrypted_or_packed_in_another_way_is_refused() {
    let workspace = Workspace::new();
    let package = workspace.outside("p.zip");
    for (flags, method, expected) in [(1, 0, "is encrypted"), (0, 14, "other than deflate")] {
        let mut zip = Zip::create(&package);
        let head = Head {
            name: b"a.c",
            flags,
            method,
            mode: 0,
            crc: 0,
            packed: 12,
            size: 0,
        };
        zip.entry(&head, &mut &b"123456789012"[..]);
        zip.finish();
        let message = workspace.refused(&package);
        assert!(message.contains(expected), "{message}");
    }
}

/// A zip whose one entry unpacks to 10 GiB and says that it has `size` bytes.
fn zip_bomb(workspace: &Workspace, size: u32) -> std::path::PathBuf {
    let package = workspace.outside("p.zip");
    let mut packed = Vec::new();
    bomb(b"int x;", 160).read_to_end(&mut packed).unwrap();
    assert!(packed.len() < 12 << 20);
    let mut zip = Zip::create(&package);
    let head = Head {
        name: b"KAT/zeros.txt",
        flags: 0,
        method: 8,
        mode: 0o100_644,
        crc: 0,
        packed: u32::try_from(packed.len()).unwrap(),
        size,
    };
    zip.entry(&head, &mut packed.as_slice());
    zip.finish();
    package
}

#[test]
fn a_zip_bomb_is_refused_whatever_it_says_of_itself() {
    let workspace = Workspace::new();
    let honest = workspace.refused(&zip_bomb(&workspace, u32::MAX));
    let expected = "entry \"KAT/zeros.txt\" is larger than the limit of 100 MiB a file";
    assert!(honest.contains(expected), "{honest}");
    let modest = workspace.refused(&zip_bomb(&workspace, 99 << 20));
    assert!(modest.contains("KAT/zeros.txt"), "{modest}");
    // Whether the size or the limit is noticed first, it does not go on.
    let liar = workspace.refused(&zip_bomb(&workspace, 1000));
    assert!(liar.contains("KAT/zeros.txt"), "{liar}");
}

#[test]
fn what_unpacks_to_too_many_times_its_size_is_refused() {
    let workspace = Workspace::new();
    let package = workspace.outside("p.zip");
    let mut packed = Vec::new();
    bomb(b"", 1).read_to_end(&mut packed).unwrap();
    let mut zip = Zip::create(&package);
    let head = Head {
        name: b"zeros.txt",
        flags: 0,
        method: 8,
        mode: 0,
        crc: 0,
        packed: u32::try_from(packed.len()).unwrap(),
        size: 64 << 20,
    };
    zip.entry(&head, &mut packed.as_slice());
    zip.finish();
    let message = workspace.refused(&package);
    assert!(
        message.contains("\"zeros.txt\" unpacks to more than the limit of 200 times"),
        "{message}"
    );
}

#[test]
fn a_tar_bomb_is_refused() {
    let workspace = Workspace::new();
    let package = workspace.outside("p.tar.gz");
    let mut header = tar::Header::new_gnu();
    header.set_path("zeros.txt").unwrap();
    header.set_size(10 << 30);
    header.set_cksum();
    for kind in [
        EntryType::Regular,
        EntryType::GNULongName,
        EntryType::XHeader,
    ] {
        header.set_entry_type(kind);
        header.set_cksum();
        let mut packed = b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec();
        bomb(header.as_bytes(), 160)
            .read_to_end(&mut packed)
            .unwrap();
        fs::write(&package, packed).unwrap();
        let message = workspace.refused(&package);
        assert!(message.contains("zeros.txt"), "{message}");
        assert!(
            message.contains("limit") || message.contains("overlong"),
            "{message}"
        );
    }
}

#[test]
fn a_million_entries_are_refused() {
    let workspace = Workspace::new();
    let package = workspace.outside("p.zip");
    let mut zip = Zip::create(&package);
    for number in 0..1_000_000 {
        zip.file(format!("{number}.c"), "");
    }
    zip.finish();
    let message = workspace.refused(&package);
    assert!(
        message.contains("entry \"number 20001\" is above the limit of 20000 entries"),
        "{message}"
    );

    let package = workspace.outside("p.tar.gz");
    tar_gz(&package, |tar| {
        for number in 0..30_000 {
            tar_entry(
                tar,
                format!("{number}.c").as_bytes(),
                EntryType::Regular,
                b"",
            );
        }
    });
    let message = workspace.refused(&package);
    assert!(
        message.contains("entry \"20000.c\" is above the limit"),
        "{message}"
    );
}

#[test]
fn tar_entries_that_leave_or_link_are_refused() {
    let workspace = Workspace::new();
    let package = workspace.outside("p.tar.gz");
    for (name, kind, expected) in [
        ("../escaped", EntryType::Regular, "\"../escaped\" leaves"),
        ("/tmp/escaped", EntryType::Regular, "has an absolute path"),
        ("link", EntryType::Symlink, "\"link\" is a link"),
        ("link", EntryType::Link, "\"link\" is a link"),
        ("device", EntryType::Block, "neither a file nor a folder"),
        ("pipe", EntryType::Fifo, "neither a file nor a folder"),
        (
            "sparse",
            EntryType::GNUSparse,
            "neither a file nor a folder",
        ),
        (
            "first.c",
            EntryType::Regular,
            "has the path of another entry",
        ),
    ] {
        tar_gz(&package, |tar| {
            tar_entry(tar, b"first.c", EntryType::Regular, b"int x;");
            tar_entry(tar, name.as_bytes(), kind, b"");
        });
        let message = workspace.refused(&package);
        assert!(message.contains(expected), "{message}");
    }
    // The long name counts, not the short one before it.
    tar_gz(&package, |tar| {
        tar_entry(
            tar,
            b"././@LongLink",
            EntryType::GNULongName,
            b"../escaped\0",
        );
        tar_entry(tar, b"harmless.c", EntryType::Regular, b"int x;");
    });
    let message = workspace.refused(&package);
    assert!(message.contains("\"../escaped\" leaves"), "{message}");
    tar_gz(&package, |tar| {
        tar_entry(tar, b"pax", EntryType::XHeader, b"19 path=../escaped\n");
        tar_entry(tar, b"harmless.c", EntryType::Regular, b"int x;");
    });
    let message = workspace.refused(&package);
    assert!(message.contains("\"../escaped\" leaves"), "{message}");
}

#[test]
fn what_is_no_archive_or_half_of_one_is_refused() {
    let workspace = Workspace::new();
    let package = workspace.outside("p.zip");
    fs::write(&package, b"\x00garbage, and more of it").unwrap();
    let message = workspace.refused(&package);
    assert!(message.contains("neither a zip archive nor"), "{message}");
    fs::write(&package, b"").unwrap();
    assert!(
        workspace
            .refused(&package)
            .contains("neither a zip archive nor")
    );

    let mut zip = Zip::create(&package);
    for (name, content) in kem("A-1") {
        zip.file(name, content);
    }
    zip.finish();
    let whole = fs::read(&package).unwrap();
    for length in [5, whole.len() / 2, whole.len() - 1] {
        fs::write(&package, &whole[..length]).unwrap();
        let message = workspace.refused(&package);
        assert!(message.contains("is damaged"), "{message}");
    }

    let package = workspace.outside("p.tar.gz");
    tar_gz(&package, |tar| {
        for (name, content) in kem("A-1") {
            tar_entry(tar, name.as_bytes(), EntryType::Regular, content.as_bytes());
        }
    });
    let whole = fs::read(&package).unwrap();
    for length in [12, whole.len() / 2, whole.len() - 1] {
        fs::write(&package, &whole[..length]).unwrap();
        let message = workspace.refused(&package);
        assert!(message.contains("is damaged"), "{length}: {message}");
    }
}

#[test]
fn archives_within_each_other_share_one_budget_and_one_depth() {
    let workspace = Workspace::new();
    let package = workspace.outside("p.zip");
    let inner = workspace.outside("inner");
    let mut zip = Zip::create(&inner);
    zip.file("../../escaped", "");
    zip.finish();
    let mut zip = Zip::create(&package);
    zip.file("实现/inner.zip", fs::read(&inner).unwrap());
    zip.finish();
    let message = workspace.refused(&package);
    assert!(
        message.contains("p.zip/实现/inner.zip is refused: entry \"../../escaped\""),
        "{message}"
    );

    let mut content = b"int x;".to_vec();
    let mut name = "a.c";
    for _ in 0..4 {
        let mut zip = Zip::create(&inner);
        zip.file(name, &content);
        zip.finish();
        content = fs::read(&inner).unwrap();
        name = "inner.zip";
    }
    fs::write(&package, &content).unwrap();
    let message = workspace.refused(&package);
    assert!(
        message.contains("above the limit of 3 archives within each other"),
        "{message}"
    );
}

#[test]
fn a_folder_with_a_link_is_refused_and_not_followed() {
    let workspace = Workspace::new();
    let package = workspace.outside("package");
    fs::create_dir_all(package.join("src")).unwrap();
    fs::write(workspace.outside("secret.c"), "int secret;").unwrap();
    symlink(workspace.outside("secret.c"), package.join("src/a.c")).unwrap();
    let message = workspace.refused(&package);
    assert!(message.contains("entry \"src/a.c\" is a link"), "{message}");
    fs::remove_file(package.join("src/a.c")).unwrap();
    symlink(workspace.path(), package.join("src/all")).unwrap();
    let message = workspace.refused(&package);
    assert!(message.contains("entry \"src/all\" is a link"), "{message}");
}

#[test]
fn an_interrupted_import_leaves_nothing_behind() {
    let workspace = Workspace::new();
    let package = workspace.outside("p.zip");
    let mut zip = Zip::create(&package);
    for (name, content) in kem("A-1") {
        zip.file(name, content);
    }
    zip.finish();
    // At each of the places where it is asked.
    for last in 0.. {
        let asked = std::cell::Cell::new(0);
        let request = Request {
            root: workspace.path(),
            package: &package,
            id: Some("a"),
            force: false,
            limits: Limits::default(),
        };
        let result = import::import(&request, &|| asked.replace(asked.get() + 1) == last);
        if result.is_ok() {
            assert!(last > 5, "it is asked often enough");
            break;
        }
        assert!(matches!(result, Err(ImportError::Interrupted)));
        assert_eq!(workspace.submissions(), [] as [&str; 0]);
    }
    assert_eq!(workspace.submissions(), ["a"]);
}

/// A small honest archive of either kind.
fn honest(tape: bool) -> Vec<u8> {
    let workspace = Workspace::new();
    let package = workspace.outside("p");
    if tape {
        tar_gz(&package, |tar| {
            for (name, content) in kem("A-1") {
                tar_entry(tar, name.as_bytes(), EntryType::Regular, content.as_bytes());
            }
        });
    } else {
        let mut zip = Zip::create(&package);
        for (name, content) in kem("A-1") {
            zip.file(name, content);
        }
        zip.finish();
    }
    fs::read(&package).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn a_damaged_archive_neither_panics_nor_leaves_anything_behind(
        tape in any::<bool>(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let workspace = Workspace::new();
        let package = workspace.outside("p.zip");
        let mut bytes = honest(tape);
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        fs::write(&package, bytes).unwrap();
        match workspace.import(&package) {
            Ok(imported) => prop_assert_eq!(workspace.submissions(), [imported.candidate.id]),
            Err(_) => prop_assert_eq!(workspace.submissions(), [] as [&str; 0]),
        }
        // Beside the packages there is only what was there before.
        let beside = fs::read_dir(workspace.path()).unwrap().count();
        prop_assert_eq!(beside, 3);
    }
}
