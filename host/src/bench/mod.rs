//! The instrument measured: what counting costs, whether counts are straight, what the line, the
//! records and the images cost.
//!
//! Every figure is taken several times in one run, and shown with its spread, which is the noise
//! of this machine: figures of two runs, or of two machines, are compared with that in mind. One
//! file for each measurement.

mod agreement;
mod boot;
mod campaign;
mod command;
mod figure;
mod line;
mod noise;
mod overhead;
mod rebuild;
mod record;
mod record_set;
mod report;
mod sled;
mod validate;

use std::time::Duration;

use catalogue::{Catalogue, DEFAULT_INSTANCE, FlagSet};

pub use figure::{Figure, Verdict};
pub use record_set::RecordSet;
#[cfg(test)]
pub(crate) use record_set::retime;

use crate::image::{Cache, Image, Recipe};
use crate::interrupt::{Interrupt, Urgency};
use crate::project::Project;
use crate::session::{Options, Session, SessionError};
use crate::system::{self, System};

/// Another instance, between which and the default one images are switched.
const OTHER_INSTANCE: &str = "pqclean/ML-DSA-44";

/// Longest that a request for known work is expected to take on the target's clock.
const EXPECTED: Duration = Duration::from_secs(1);

/// What all measurements need.
pub struct Workbench {
    project: Project,
    catalogue: Catalogue,
    cache: Cache,
    interrupt: Interrupt,
    repeat: u32,
}

/// A measurement on a system, by its name.
struct Item {
    name: &'static str,
    measure: Measure,
    /// Whether it concerns this machine alone.
    local: bool,
    /// Whether it concerns all systems together, and takes minutes.
    whole: bool,
}

type Measure = fn(&Workbench, &dyn System) -> miette::Result<Vec<Figure>>;

/// All measurements, the cheap ones first.
const ITEMS: [Item; 11] = [
    item("noise", noise::measure),
    item("overhead", overhead::measure),
    item("sled", sled::measure),
    item("agreement", agreement::measure),
    item("line", line::measure),
    item("boot", boot::measure),
    item("record", record::measure),
    item("rebuild", rebuild::measure),
    local("validate-10000", validate::measure),
    local("report-10000", report::measure),
    Item {
        whole: true,
        ..item("campaign", campaign::measure)
    },
];

const fn item(name: &'static str, measure: Measure) -> Item {
    Item {
        name,
        measure,
        local: false,
        whole: false,
    }
}

const fn local(name: &'static str, measure: Measure) -> Item {
    Item {
        local: true,
        ..item(name, measure)
    }
}

/// A measurement that can be chosen: its name is `<what>/<system>`.
pub struct Choice {
    /// The name.
    pub name: String,
    /// Whether it takes minutes.
    pub long: bool,
    system: String,
    measure: Measure,
}

/// All measurements on the emulated board and on this machine.
pub fn choices() -> Vec<Choice> {
    let [emulated, local] = system::default_names();
    let on = |item: &Item, system: &String| Choice {
        name: format!("{}/{system}", item.name),
        long: item.whole,
        system: system.clone(),
        measure: item.measure,
    };
    ITEMS
        .iter()
        .flat_map(|item| match (item.local, item.whole) {
            (_, true) => vec![Choice {
                name: format!("{}/demo", item.name),
                ..on(item, &local)
            }],
            (true, false) => vec![on(item, &local)],
            (false, false) => vec![on(item, &emulated), on(item, &local)],
        })
        .collect()
}

impl Workbench {
    /// A bench that does each thing `repeat` times.
    ///
    /// # Errors
    ///
    /// When there are no instances.
    pub fn new(project: Project, interrupt: Interrupt, repeat: u32) -> miette::Result<Self> {
        Ok(Self {
            catalogue: Catalogue::load(&project.root)?,
            cache: Cache::new(&project),
            project,
            interrupt,
            repeat,
        })
    }

    /// Takes the figures of one measurement.
    ///
    /// # Errors
    ///
    /// When an image cannot be built or started, or on Ctrl-C.
    pub fn measure(&self, choice: &Choice) -> miette::Result<Vec<Figure>> {
        if self.interrupt.urgency() > Urgency::None {
            return Err(SessionError::Interrupted.into());
        }
        let system = system::find(&choice.system)?;
        (choice.measure)(self, &*system)
    }

    fn recipe(&self, name: &str, system: &dyn System) -> miette::Result<Recipe<'_>> {
        Ok(Recipe::timed(
            self.catalogue.find(name)?,
            catalogue::board(system.board())?,
            FlagSet::Guide,
        ))
    }

    fn image(&self, name: &str, system: &dyn System) -> miette::Result<Image> {
        Ok(self
            .cache
            .image(&self.recipe(name, system)?, &self.interrupt)?)
    }

    /// A session with the meter of the default instance.
    fn session(&self, system: &dyn System) -> miette::Result<Session> {
        let image = self.image(DEFAULT_INSTANCE, system)?;
        Ok(self.start(system, &image)?)
    }

    fn start(&self, system: &dyn System, image: &Image) -> Result<Session, SessionError> {
        let options = Options::for_system(system, &self.interrupt);
        Session::start(system, image, Box::new(|_| {}), options)
    }
}
