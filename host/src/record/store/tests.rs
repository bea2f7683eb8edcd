use super::*;
use crate::record::example;
use crate::record::read::read;

#[test]
fn a_record_is_where_its_names_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = RunDirectory::new(folder.path());
    let record = example::record();
    let path = run.write("rpi4", &record).expect("written");
    let expected = "rpi4/records/pqclean/ML-KEM-768__dec.json";
    assert_eq!(path, folder.path().join(expected));
    assert_eq!(read(&path).expect("readable"), record);
    let place = Place::of_path(&path).expect("a place");
    assert_eq!(place.system_folder(), folder.path().join("rpi4"));
    assert_eq!(place.stem, "ML-KEM-768__dec");
    assert_eq!(place.label(), "ML-KEM-768");
    assert_eq!(run.records().expect("some"), [path]);
    let found = run.find("rpi4", "pqclean", "ML-KEM-768__dec");
    assert_eq!(found.expect("readable"), Some(record));
    let none = run.find("rpi4", "pqclean", "ML-KEM-768__enc");
    assert_eq!(none.expect("no error"), None);
}

#[test]
fn what_is_set_aside_is_kept_and_read_no_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = RunDirectory::new(folder.path());
    let record = example::record();
    for _ in 0..3 {
        run.write("rpi4", &record).expect("written");
        run.set_aside("rpi4", &record).expect("renamed");
    }
    assert!(matches!(run.records(), Err(StoreError::Empty { .. })));
    let folder = folder.path().join("rpi4/records/pqclean");
    for name in ["previous", "previous-2", "previous-3"] {
        let file = folder.join(format!("ML-KEM-768__dec.{name}.json"));
        assert_eq!(read(&file).expect("readable"), record);
    }
    let path = run.write("rpi4", &record).expect("written");
    let found = run.records_of_label("rpi4", "pqclean", "ML-KEM-768");
    assert_eq!(found.expect("readable"), [path]);
    assert!(is_record(Path::new("x.previous-build__dec.json")));
}

#[test]
fn hash_records_carry_the_length() {
    let mut record = example::record();
    record.operation = "hash".to_owned();
    record.input_bytes = 512;
    assert_eq!(stem(&record), "ML-KEM-768__hash_512");
}

#[test]
fn writing_leaves_nothing_else_and_replaces() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a/b.json");
    write_whole(&path, b"one").expect("written");
    write_whole(&path, b"two").expect("replaced");
    assert_eq!(fs::read(&path).expect("readable"), b"two");
    let inside = entries(path.parent().expect("a folder")).expect("readable");
    assert_eq!(inside.len(), 1, "{inside:?}");
    let mode = fs::metadata(&path).expect("exists").permissions().mode();
    assert_eq!(mode & 0o600, 0o600);
}

#[test]
fn a_bare_name_is_in_the_present_folder() {
    assert_eq!(folder_of(Path::new("rows.csv")), Path::new("."));
    assert_eq!(folder_of(Path::new("a/rows.csv")), Path::new("a"));
}

#[test]
fn a_failed_write_keeps_the_old_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("taken");
    fs::create_dir_all(path.join("inside")).expect("created");
    let error = write_whole(&path, b"x").expect_err("a folder is in the way");
    assert!(error.to_string().contains("taken"), "{error}");
    assert_eq!(entries(folder.path()).expect("readable"), [path]);
}

#[test]
fn names_stay_inside() {
    let run = RunDirectory::new("/nowhere");
    for name in ["..", ".", "", "a/b", "/etc", "a\0b"] {
        let mut record = example::record();
        record.candidate = name.to_owned();
        let error = run.path_of("rpi4", &record).expect_err("refused");
        assert!(error.to_string().contains("candidate"), "{error}");
    }
    assert!(run.path_of("../x", &example::record()).is_err());
}

#[test]
fn unfinished_files_and_other_folders_are_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = RunDirectory::new(folder.path());
    assert!(matches!(run.records(), Err(StoreError::Empty { .. })));
    run.write("b", &example::record()).expect("written");
    run.write("a", &example::record()).expect("written");
    let beside = folder.path().join("a/records/pqclean/x__dec.jsonabc.tmp");
    fs::write(beside, "{").expect("written");
    fs::create_dir(folder.path().join("images")).expect("created");
    assert_eq!(run.systems().expect("readable"), ["a", "b"]);
    assert_eq!(run.records().expect("some").len(), 2);
    let missing = RunDirectory::new(folder.path().join("none"));
    assert!(matches!(missing.records(), Err(StoreError::Path { .. })));
}
