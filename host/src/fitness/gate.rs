//! No campaign on a system that is not fit, unless it is taken as it is.

use miette::Diagnostic;
use thiserror::Error;

use super::{Fitness, of, words};
use crate::system::System;

/// Systems that are not fit, and that nobody said to take as they are.
#[derive(Debug, Error, Diagnostic)]
#[error("{}", refusal(.systems))]
#[diagnostic(help(
    "apply the remedies, or take it as it is with --allow-unfit: every record then says what was \
     accepted; `cargo host doctor` looks again"
))]
pub struct Unfit {
    /// The systems.
    pub systems: Vec<Fitness>,
}

fn refusal(systems: &[Fitness]) -> String {
    let each = systems.iter().map(|fitness| {
        format!(
            "{} is not fit for a trustworthy measurement:\n{}",
            fitness.system,
            words::findings(fitness)
        )
    });
    each.collect::<Vec<_>>().join("\n")
}

/// Looks at the systems of a campaign, in their order.
///
/// # Errors
///
/// [`Unfit`] when one is not fit, and `allow_unfit` is not set.
pub fn admit(systems: &[Box<dyn System>], allow_unfit: bool) -> Result<Vec<Fitness>, Unfit> {
    judged(
        systems.iter().map(|system| of(&**system)).collect(),
        allow_unfit,
    )
}

fn judged(systems: Vec<Fitness>, allow_unfit: bool) -> Result<Vec<Fitness>, Unfit> {
    if allow_unfit || systems.iter().all(Fitness::is_fit) {
        return Ok(systems);
    }
    let unfit = systems.into_iter().filter(|fitness| !fitness.is_fit());
    Err(Unfit {
        systems: unfit.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fitness::Finding;

    fn fitness(system: &str, problems: &[&str]) -> Fitness {
        let finding = |problem: &&str| Finding::new(*problem, "echo").because_file("proc/x", 1);
        Fitness {
            system: system.into(),
            purpose: "x".into(),
            findings: problems.iter().map(finding).collect(),
            remarks: vec!["y".into()],
        }
    }

    #[test]
    fn an_unfit_system_needs_a_word() {
        let systems = || {
            vec![
                fitness("a", &[]),
                fitness("b", &["it is slow", "it is hot"]),
            ]
        };
        let refused = judged(systems(), false).unwrap_err();
        insta::assert_snapshot!(
            crate::explain::explain_one_of("error", &refused),
            @r#"
        error: b is not fit for a trustworthy measurement:
          - it is slow
              /proc/x: 1
              remedy: echo
          - it is hot
              /proc/x: 1
              remedy: echo

        help: apply the remedies, or take it as it is with --allow-unfit: every record then says what was accepted; `cargo host doctor` looks again
        "#
        );
        assert_eq!(judged(systems(), true).unwrap(), systems());
        assert!(judged(vec![fitness("a", &[])], false).is_ok());
    }
}
