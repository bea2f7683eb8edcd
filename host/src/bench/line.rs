//! What the line carries: bytes of a sample, frames in a second.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use catalogue::DEFAULT_INSTANCE;
use wire::{Operation, Probe};

use super::{EXPECTED, Figure, Workbench};
use crate::line::Line;
use crate::session::{Expectations, Options, Session};
use crate::system::{Running, System};

/// Samples in one result.
const SAMPLES: u32 = 20_000;

/// A line that counts what arrives.
struct Counted {
    line: Box<dyn Line>,
    bytes: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.line.read(buffer)?;
        self.bytes.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.line.flush()
    }
}

/// A large result of samples that take no time.
pub fn measure(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    let image = bench.image(DEFAULT_INSTANCE, system)?;
    let bytes = Arc::new(AtomicU64::new(0));
    let running = system.start(&image.elf.path)?;
    let running = Running {
        line: Box::new(Counted {
            line: running.line,
            bytes: Arc::clone(&bytes),
        }),
        ..running
    };
    let expected = Expectations {
        build_id: Some(image.elf.build_id),
        board: Some(system.board().to_owned()),
        instance: image.instance.clone(),
        emulated: Some(system.emulator().is_some()),
    };
    let options = Options::for_system(system, &bench.interrupt);
    let mut session = Session::open(running, image.elf.log(Box::new(|_| {})), &expected, options)?;

    let (mut sizes, mut rates, mut throughputs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.repeat {
        let (bytes_before, traffic) = (bytes.load(Ordering::Relaxed), session.traffic());
        let started = Instant::now();
        session.samples(Operation::Probe(Probe::Empty), 0, SAMPLES, EXPECTED)?;
        let seconds = started.elapsed().as_secs_f64();
        let arrived = (bytes.load(Ordering::Relaxed) - bytes_before) as f64;
        let frames = session.traffic().since(traffic).frames as f64;
        sizes.push(arrived / f64::from(SAMPLES));
        rates.push(frames / seconds);
        throughputs.push(arrived / seconds);
    }
    session.bye();
    Ok(vec![
        Figure::of("line: bytes of a sample", "bytes", sizes),
        Figure::of("line: frames", "/s", rates),
        Figure::of("line: throughput", "bytes/s", throughputs),
    ])
}
