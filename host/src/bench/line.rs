//! What the line carries: bytes of a sample, frames in a second, and how much of a serial line's
//! rate a stream of samples uses.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use catalogue::DEFAULT_INSTANCE;
use wire::{Category, Operation, Probe};

use super::{EXPECTED, Figure, OTHER_INSTANCE, Workbench};
use crate::line::{Line, Load, PacedLine};
use crate::session::{Expectations, Options, Session};
use crate::system::{Running, System};

/// Samples in one result.
const SAMPLES: u32 = 20_000;

/// Calls of an operation whose samples are looked at: several blocks.
const CALLS: u32 = 1_000;

/// Bytes that a sample may take on the line, on the mean over operations.
const BYTES_OF_A_SAMPLE: f64 = 3.0;

/// Rates of serial lines that are used to the full.
const RATES: [u32; 2] = [921_600, 3_000_000];

/// The part of such a rate that a stream of samples uses at least.
const USED: f64 = 0.9;

/// Announced to the meter for a stream: so little that it announces nothing itself, and the stream
/// begins with the first sample.
const UNANNOUNCED: Duration = Duration::from_millis(1);

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

/// Large results of samples that take no time, and results of operations.
pub fn measure(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    let mut figures = Vec::from(throughput(bench, system)?);
    figures.push(bytes_of_samples(bench, system)?);
    for baud in RATES {
        figures.push(used(bench, system, baud)?);
    }
    Ok(figures)
}

/// A session with the meter of an instance, behind a decorator of its line.
fn open(
    bench: &Workbench,
    system: &dyn System,
    instance: &str,
    decorate: impl FnOnce(Box<dyn Line>) -> Box<dyn Line>,
) -> miette::Result<Session> {
    let image = bench.image(instance, system)?;
    let running = system.start(&image.elf.path)?;
    let running = Running {
        line: decorate(running.line),
        ..running
    };
    let expected = Expectations {
        build_id: Some(image.elf.build_id),
        board: Some(system.board().to_owned()),
        instance: image.instance.clone(),
        emulated: Some(system.emulator().is_some()),
    };
    let options = Options::for_system(system, &bench.interrupt);
    let log = image.elf.log(Box::new(|_| {}));
    Ok(Session::open(running, log, &expected, options)?)
}

fn throughput(bench: &Workbench, system: &dyn System) -> miette::Result<[Figure; 3]> {
    let bytes = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&bytes);
    let mut session = open(bench, system, DEFAULT_INSTANCE, |line| {
        Box::new(Counted {
            line,
            bytes: counter,
        })
    })?;
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
    Ok([
        Figure::of("line: bytes of an empty call's sample", "bytes", sizes),
        Figure::of("line: frames", "/s", rates),
        Figure::of("line: throughput", "bytes/s", throughputs),
    ])
}

/// Bytes of a sample of real operations, one figure for each repetition and all together.
fn bytes_of_samples(bench: &Workbench, system: &dyn System) -> miette::Result<Figure> {
    let mut means = vec![0.0; bench.repeat as usize];
    let mut operations = 0.0;
    for instance in [DEFAULT_INSTANCE, OTHER_INSTANCE] {
        let bytes = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&bytes);
        let mut session = open(bench, system, instance, |line| {
            Box::new(Counted {
                line,
                bytes: counter,
            })
        })?;
        let category: Category = session.introduction().hello.category;
        for operation in category.operations(0) {
            let call = Duration::from_nanos(session.calibrate(operation)?.nanoseconds);
            operations += 1.0;
            for mean in &mut means {
                let before = bytes.load(Ordering::Relaxed);
                session.samples(operation, 0, CALLS, call * CALLS)?;
                let arrived = (bytes.load(Ordering::Relaxed) - before) as f64;
                *mean += arrived / f64::from(CALLS);
            }
        }
        session.bye();
    }
    let means = means.into_iter().map(|sum| sum / operations).collect();
    Ok(Figure::at_most(
        BYTES_OF_A_SAMPLE,
        "line: bytes of a sample, mean over operations",
        "bytes",
        means,
    ))
}

/// The part of a line's rate that a stream of samples uses.
fn used(bench: &Workbench, system: &dyn System, baud: u32) -> miette::Result<Figure> {
    let mut load = None;
    let mut session = open(bench, system, DEFAULT_INSTANCE, |line| {
        let line = PacedLine::new(line, baud);
        load = Some(line.load());
        Box::new(line)
    })?;
    let mut parts = Vec::new();
    for _ in 0..bench.repeat {
        // What serves the line is no stream of samples.
        if let Some(load) = &load {
            load.take();
        }
        session.samples(Operation::Probe(Probe::Empty), 0, SAMPLES, UNANNOUNCED)?;
        parts.extend(load.as_ref().and_then(Load::take));
    }
    session.bye();
    Ok(Figure::at_least(
        USED,
        format!("line: part used at {baud} baud"),
        "",
        parts,
    ))
}
