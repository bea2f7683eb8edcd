//! Fitness in words.

use std::fmt::Write;

use super::Fitness;

/// Everything that is known of a system's fitness.
pub fn report(fitness: &Fitness) -> String {
    let mut text = match fitness.findings.len() {
        0 => format!(
            "{}: fit for measuring {}\n",
            fitness.system, fitness.purpose
        ),
        1 => format!("{}: not fit, for 1 reason\n", fitness.system),
        many => format!("{}: not fit, for {many} reasons\n", fitness.system),
    };
    text.push_str(&findings(fitness));
    for remark in &fitness.remarks {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  note: {remark}");
    }
    text
}

/// The findings, each with its evidence and remedy, with a line end after each line.
pub fn findings(fitness: &Fitness) -> String {
    let mut text = String::new();
    for finding in &fitness.findings {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  - {}", finding.problem);
        for evidence in &finding.evidence {
            let _ = writeln!(text, "      {}: {}", evidence.source, evidence.value);
        }
        let _ = writeln!(text, "      remedy: {}", finding.remedy);
    }
    text
}

/// One line for somebody who only has a quick look; `None` for a fit system.
pub fn warning(fitness: &Fitness) -> Option<String> {
    (!fitness.is_fit()).then(|| {
        format!(
            "{} is not fit for a trustworthy measurement: {} (`cargo host doctor` says more)",
            fitness.system,
            fitness.problems().join("; ")
        )
    })
}
