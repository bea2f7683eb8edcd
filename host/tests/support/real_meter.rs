//! A real meter, built from this source tree and started in QEMU or as a process.

use std::fs;
use std::path::Path;
use std::time::Duration;

use catalogue::{Catalogue, DEFAULT_INSTANCE, FlagSet};
use host::image::{Cache, Image, Recipe};
use host::interrupt::Interrupt;
use host::line::Line;
use host::measurement::{Faulted, Spoiled};
use host::project::Project;
use host::session::{Expectations, Options, Session, SessionError};
use host::system::{self, Running, System};
use wire::{MemoryUse, Operation};

use super::processes::children_of;

/// A system and the image of the default instance for it.
pub struct Bench {
    /// The system.
    pub system: Box<dyn System>,
    /// The image.
    pub image: Image,
}

impl Bench {
    /// The emulated board.
    pub fn emulated() -> Self {
        Self::emulated_of(DEFAULT_INSTANCE)
    }

    /// The emulated board with another instance.
    pub fn emulated_of(instance: &str) -> Self {
        Self::new("qemu-virt", instance)
    }

    /// This machine.
    pub fn local() -> Self {
        Self::local_of(DEFAULT_INSTANCE)
    }

    /// This machine with another instance.
    pub fn local_of(instance: &str) -> Self {
        Self::new(&system::default_names()[1], instance)
    }

    /// Both, with this instance.
    pub fn both(instance: &str) -> [Self; 2] {
        [Self::emulated_of(instance), Self::local_of(instance)]
    }

    /// The system of this name with an instance.
    pub fn new(name: &str, instance: &str) -> Self {
        Self::on(system::find(name).unwrap(), instance)
    }

    /// A system with an instance.
    pub fn on(system: Box<dyn System>, instance: &str) -> Self {
        let project = Project::find().unwrap();
        let catalogue = Catalogue::load(&project.root).unwrap();
        let recipe = Recipe::timed(
            catalogue.find(instance).unwrap(),
            catalogue::board(system.board()).unwrap(),
            FlagSet::Guide,
        );
        let image = Cache::new(&project)
            .image(&recipe, &Interrupt::new())
            .unwrap();
        Self { system, image }
    }

    /// A session over a line without faults.
    pub fn open(&self) -> Result<Session, SessionError> {
        self.open_behind(|line| line)
    }

    /// A session that knows the image's symbols.
    pub fn open_with_symbols(&self) -> Result<Session, SessionError> {
        self.open_impatient(host::measure::PATIENCE)
    }

    /// The same, with this patience for what nobody can predict.
    pub fn open_impatient(&self, patience: Duration) -> Result<Session, SessionError> {
        let options = Options {
            unpredicted: patience,
            ..Options::for_system(&*self.system, &Interrupt::new())
        };
        Session::start(&*self.system, &self.image, Box::new(|_| {}), options)
    }

    /// A session over a line that was decorated.
    pub fn open_behind<L: Line + 'static>(
        &self,
        decorate: impl FnOnce(Box<dyn Line>) -> L,
    ) -> Result<Session, SessionError> {
        let running = self.system.start(&self.image.elf.path)?;
        self.open_running(Running {
            line: Box::new(decorate(running.line)),
            ..running
        })
    }

    /// A session with the image as it lies in another file.
    pub fn open_file(&self, file: &Path) -> Result<Session, SessionError> {
        self.open_running(self.system.start(file)?)
    }

    fn open_running(&self, running: Running) -> Result<Session, SessionError> {
        let expected = Expectations {
            build_id: Some(self.image.elf.build_id),
            board: Some(self.system.board().to_owned()),
            instance: self.image.instance.clone(),
            emulated: Some(self.system.emulator().is_some()),
        };
        let log = self.image.elf.log(Box::new(|_| {}));
        let options = Options::for_system(&*self.system, &Interrupt::new());
        Session::open(running, log, &expected, options)
    }
}

/// Process id of the meter of a session, which is a child of this test with that command line.
pub fn process_of(session: &Session) -> u32 {
    let command = session.command();
    // A wrapper such as setpriv has replaced itself by the end of the list.
    let is_it = |id: u32| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        let words: Vec<_> = line.trim_end_matches('\0').split('\0').collect();
        !words.is_empty()
            && command.ends_with(&words.iter().map(|w| w.to_string()).collect::<Vec<_>>())
    };
    let found: Vec<_> = children_of(std::process::id())
        .into_iter()
        .filter(|id| is_it(*id))
        .collect();
    assert_eq!(found.len(), 1, "processes of {command:?}: {found:?}");
    found[0]
}

/// How a request was spoiled.
pub fn spoiled<T: std::fmt::Debug>(result: Result<T, SessionError>) -> Spoiled {
    match result {
        Err(SessionError::Spoiled(spoiled)) => spoiled,
        other => panic!("{other:?}"),
    }
}

/// The report of the fault that ends this request.
pub fn faulted(session: &mut Session, operation: Operation) -> Faulted {
    match spoiled(session.calibrate(operation)) {
        Spoiled::Faulted(faulted) => *faulted,
        other => panic!("no fault report of {operation}: {other}"),
    }
}

/// Memory of these operations, each called once.
pub fn memory(bench: &Bench, operations: &[Operation]) -> Vec<MemoryUse> {
    /// A word to fill the stack with.
    const PATTERN: u64 = 0xa5c3_96e1_5a3c_691e;
    let mut session = bench.open().unwrap();
    session.sizes().unwrap();
    let used = operations
        .iter()
        .map(|operation| session.memory(*operation, PATTERN).unwrap())
        .collect();
    session.bye();
    used
}
