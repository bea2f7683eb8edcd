//! A system is one machine in one configuration, whenever its records were measured.

use serde_json::Value;

use super::settings::first_difference;
use super::subject::environment;
use super::{CampaignError, Reporter};
use crate::record::assemble::emulator;
use crate::record::identity;
use crate::record::read::{ReadError, read};
use crate::record::store::RunDirectory;
use crate::system::System;

/// Refuses a system of which the run directory has records that another machine made, or this one
/// in another configuration.
///
/// # Errors
///
/// [`CampaignError::OtherMachine`] names the key that differs; or a record cannot be read.
pub fn check(
    directory: &RunDirectory,
    system: &dyn System,
    reporter: &Reporter,
) -> miette::Result<()> {
    let ours = without_compiler(identity::of(
        &environment(system),
        system.emulator().map(emulator).as_ref(),
    ));
    // All that were made under this rule are alike.
    for file in directory.records_of(system.name())? {
        let record = match read(&file) {
            Err(error @ ReadError::Content { .. }) => {
                reporter.replaced(&error);
                continue;
            }
            record => record?,
        };
        let theirs = without_compiler(identity::of_record(&record));
        return match first_difference("", &ours, &theirs) {
            None => Ok(()),
            Some((key, ours, theirs)) => Err(CampaignError::OtherMachine {
                file,
                key,
                theirs,
                ours,
            }
            .into()),
        };
    }
    Ok(())
}

/// What is of another compiler is of another image, and measured anew.
fn without_compiler(mut identity: Value) -> Value {
    if let Some(environment) = identity["environment"].as_object_mut() {
        environment.remove("compiler");
    }
    identity
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::example;

    #[test]
    fn a_system_that_is_another_machine_now_is_refused_with_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let directory = RunDirectory::new(folder.path());
        let reporter = Reporter::new(true, false);
        let system = crate::system::find("qemu-virt").unwrap();
        let checked = || check(&directory, &*system, &reporter).map_err(|error| error.to_string());
        checked().unwrap();

        let mut record = example::record();
        record.environment = environment(&*system);
        record.environment.compiler = Some("another".into());
        record.meter.as_mut().unwrap().emulator = system.emulator().map(emulator);
        let file = directory.write("qemu-virt", &record).unwrap();
        checked().unwrap();

        let meter = record.meter.as_mut().unwrap();
        meter.emulator.as_mut().unwrap().version = "0.9".into();
        directory.write("qemu-virt", &record).unwrap();
        let error = checked().unwrap_err();
        let named = format!(
            "{}: key `meter.emulator.version` is \"0.9\"",
            file.display()
        );
        assert!(error.starts_with(&named), "{error}");

        record.environment.cpu_model = Some("cortex-a53".into());
        directory.write("qemu-virt", &record).unwrap();
        let error = checked().unwrap_err();
        assert!(
            error.contains("key `environment.cpu_model` is \"cortex-a53\""),
            "{error}"
        );
    }
}
