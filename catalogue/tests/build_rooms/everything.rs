//! Every instance there is, for every board that can run it.

use std::time::Instant;

use catalogue::Catalogue;

use crate::build;
use crate::{root, settings};

/// Several minutes: `cargo test -p catalogue --target host-tuple -- --ignored --nocapture`.
#[test]
#[ignore = "compiles everything there is"]
fn every_available_instance_builds_for_every_board() {
    let catalogue = Catalogue::load(&root()).unwrap();
    let mut failures = vec![];
    for board in catalogue::boards() {
        for instance in catalogue.instances() {
            if instance.availability(board).is_err() {
                continue;
            }
            let out = tempfile::tempdir().unwrap();
            let start = Instant::now();
            let name = instance.name();
            if let Err(error) = build::run(&settings(&name, board.name, out.path())) {
                failures.push(format!("{name} for {}: {error}", board.name));
            }
            let seconds = start.elapsed().as_secs_f64();
            println!("{seconds:6.2} s  {name} for {}", board.name);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
