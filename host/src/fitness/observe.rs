//! One look at this machine: everything that findings are made of.

use std::thread;
use std::time::Duration;

use super::activity::{Activity, Snapshot};
use super::counter;
use super::trial::Trial;
use crate::machine::{Files, Look, PROCESSORS, Remote};
use crate::record::environment;
use crate::record::schema::{Environment, Reading};

/// Time between two looks at the counters: twenty of the kernel's ticks.
const WINDOW: Duration = Duration::from_millis(200);

/// What was seen.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The kernel's files.
    pub files: Files,
    /// The processor that is measured on.
    pub cpu: u32,
    /// What records say of the machine.
    pub environment: Environment,
    /// What others did while we waited.
    pub activity: Activity,
    /// What came of trying.
    pub trial: Trial,
}

impl Observation {
    /// Looks at a machine with these files; what is tried is tried on the one that this runs on.
    pub fn take(files: Files, cpu: u32) -> Self {
        let first = Snapshot::take(&files, cpu);
        thread::sleep(WINDOW);
        let activity = Activity::between(&first, &Snapshot::take(&files, cpu));
        Self {
            // Last before the files are read: a clock is read while its core is at work.
            trial: Trial::on(cpu),
            environment: environment::of_files(&files, cpu),
            activity,
            files,
            cpu,
        }
    }

    /// What another machine said of itself. Nothing is tried there: its meter shows the rest.
    pub fn of_remote(machine: &Remote) -> Self {
        let (files, cpu) = (machine.files(), machine.cpu);
        let snapshot = |look| Snapshot::take(&machine.counters(look), cpu);
        let environment = environment::of_files(&files, cpu);
        Self {
            activity: Activity::between(&snapshot(Look::First), &snapshot(Look::Second)),
            trial: Trial::untried(counter::obstacle(&files, &environment)),
            environment,
            files,
            cpu,
        }
    }

    /// A file of the processor that is measured on.
    pub fn of_cpu(&self, name: &str) -> String {
        format!("{PROCESSORS}/cpu{}/{name}", self.cpu)
    }

    /// A number out of a file of that processor.
    pub fn number_of_cpu(&self, name: &str) -> Option<i64> {
        self.files.number(&self.of_cpu(name))
    }
}

/// A whole number that a record's environment has.
pub fn whole(reading: Option<&Reading>) -> Option<i64> {
    Some(reading?.number()? as i64)
}
