//! Where a system is that is not this machine: arguments that several commands share.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap::Args;

use crate::project::Project;
use crate::system::Destination;

/// The file in the project's folder that binds published names to machines.
const BINDINGS: &str = "systems.toml";

/// The place of a system.
#[derive(Debug, Args)]
pub(super) struct Place {
    /// The system is an Arm machine that runs Linux and is reached over ssh, such as
    /// `--system arm_lab --ssh user@host`. The image is copied into a temporary folder there, and
    /// nothing stays behind
    #[arg(long, value_name = "USER@HOST", requires = "systems")]
    ssh: Option<String>,
}

impl Place {
    /// Where the one system is, if it is not here.
    ///
    /// # Errors
    ///
    /// When the destination is none, or there are several systems.
    pub(super) fn destination(&self, systems: &[String]) -> miette::Result<Option<Destination>> {
        let Some(words) = &self.ssh else {
            return Ok(None);
        };
        let [name] = systems else {
            return Err(miette::miette!(
                help =
                    "measure each in a campaign of its own, and join them with `cargo host merge`",
                "--ssh is the place of one system, and there are {}",
                systems.len()
            ));
        };
        let Some(destination) = Destination::new(words) else {
            return Err(miette::miette!(
                help = "name it as ssh does: user@host, or a host of ~/.ssh/config",
                "{words:?} is no destination of ssh"
            ));
        };
        let bindings = bindings(&Project::find()?.root)?;
        Ok(Some(match bindings.get(name) == Some(words) {
            true => destination.bound_to(name),
            false => destination,
        }))
    }
}

/// Destinations by the published names that they may be measured under.
fn bindings(root: &Path) -> miette::Result<BTreeMap<String, String>> {
    let file = root.join(BINDINGS);
    let Ok(text) = fs::read_to_string(&file) else {
        return Ok(BTreeMap::new());
    };
    toml::from_str(&text).map_err(|error| {
        miette::miette!(
            help = "it holds lines such as arm_1 = \"user@host\"",
            "{}: {error}",
            file.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_system_has_a_place() {
        let place = |ssh: &str| Place {
            ssh: Some(ssh.to_owned()),
        };
        let both = ["arm_a".to_owned(), "arm_b".to_owned()];
        assert!(place("me@board").destination(&both).is_err());
        assert!(place("-x").destination(&both[..1]).is_err());
        let found = place("me@board").destination(&both[..1]).unwrap();
        assert_eq!(found, Destination::new("me@board"));
        assert_eq!(Place { ssh: None }.destination(&both).unwrap(), None);
    }

    #[test]
    fn published_names_are_bound_by_a_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(bindings(folder.path()).unwrap().is_empty());
        fs::write(folder.path().join(BINDINGS), "arm_1 = \"me@board\"\n").unwrap();
        assert_eq!(bindings(folder.path()).unwrap()["arm_1"], "me@board");
        fs::write(folder.path().join(BINDINGS), "arm_1").unwrap();
        assert!(bindings(folder.path()).is_err());
    }
}
