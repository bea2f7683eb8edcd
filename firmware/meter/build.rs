//! Tells the compiler which board the meter is for: `cfg(board = "...")`.

use std::env;

use catalogue::environment::BOARD;

fn main() {
    println!("cargo::rerun-if-env-changed={BOARD}");
    let names: Vec<_> = catalogue::boards()
        .iter()
        .map(|board| format!("{:?}", board.name))
        .collect();
    println!(
        "cargo::rustc-check-cfg=cfg(board, values({}))",
        names.join(", ")
    );
    let name = env::var(BOARD).ok().filter(|name| !name.is_empty());
    let target = env::var("TARGET").unwrap_or_default();
    match catalogue::board_to_build(name.as_deref(), &target) {
        Ok(board) => println!("cargo::rustc-cfg=board={:?}", board.name),
        Err(error) => println!("cargo::error={error}"),
    }
}
