//! What several tests share.

#![allow(dead_code, reason = "each test uses a part of it")]

pub mod board;
pub mod browser;
pub mod fake_meter;
pub mod late;
pub mod packages;
pub mod processes;
pub mod real_meter;
pub mod runs;
