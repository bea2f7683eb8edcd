//! What a campaign costs beside the operations that it is about.

use std::time::{Duration, Instant};

use catalogue::Kind;

use super::{Figure, Workbench};
use crate::campaign::{self, DEMO, Phase, Reporter, Settings};
use crate::image::Recipe;
use crate::interrupt::Urgency;
use crate::record::plan::PlanSettings;
use crate::record::read::read;
use crate::record::store::RunDirectory;
use crate::session::SessionError;
use crate::system::{self, System};

/// Phases outside of operations.
const OUTSIDE: [Phase; 4] = [Phase::Check, Phase::Build, Phase::Kat, Phase::Profile];

/// Measures the demo's instances on its systems with a campaign's default settings, once: that
/// takes minutes. None of their images is there at first; the meter itself is compiled already.
///
/// Inside of operations is the time on the wall from the first request about an operation to the
/// last answer about it, which its record has as `processes[].wall_s`: calibration, trials, samples,
/// events and memory, each with the warm-ups and the set-up before it. Everything else is outside:
/// what is there is read and checked, images are built and waited for, meters started, known answers
/// computed, shares counted, records written. The overhead is the part of the whole time that is
/// outside; systems that are measured at the same time would count several times, and the demo has
/// none.
pub fn measure(bench: &Workbench, _: &dyn System) -> miette::Result<Vec<Figure>> {
    let names = system::default_names();
    for name in DEMO {
        for system in &names {
            let system = system::find(system)?;
            for kind in [Kind::Timed, Kind::Profile] {
                let recipe = Recipe {
                    kind,
                    ..bench.recipe(name, &*system)?
                };
                bench.cache.forget(&recipe)?;
            }
        }
    }
    let folder = tempfile::tempdir()
        .map_err(|error| miette::miette!("cannot make a temporary folder: {error}"))?;
    let settings = Settings::demo(
        folder.path().to_owned(),
        names.to_vec(),
        PlanSettings::default(),
    );
    let reporter = Reporter::new(true, false);
    let started = Instant::now();
    campaign::run(&bench.project, &settings, &reporter, &bench.interrupt)?;
    let wall = started.elapsed().as_secs_f64();
    if bench.interrupt.urgency() > Urgency::None {
        return Err(SessionError::Interrupted.into());
    }
    let mut inside = 0.0;
    for file in RunDirectory::new(folder.path()).records()? {
        let processes = read(&file)?.processes;
        inside += processes.iter().map(|it| it.wall_seconds).sum::<f64>();
    }
    let share = |name: String, seconds: f64| Figure::of(name, "", vec![seconds / wall]);
    let mut figures = vec![
        Figure::of("campaign: wall time", "s", vec![wall]),
        share("campaign: overhead by wall time".into(), wall - inside),
    ];
    for system in &names {
        let spent = reporter.spent(system);
        figures.extend(OUTSIDE.map(|phase| {
            let seconds = spent.get(&phase).map_or(0.0, Duration::as_secs_f64);
            share(
                format!("campaign: {phase} on {system} by wall time"),
                seconds,
            )
        }));
    }
    Ok(figures)
}
