//! Whose fault a failed build is: the instance's, or this machine's.
//!
//! A submission is blamed only where the build script of the firmware rejects it or the linker
//! does. Everything else, such as a compiler that is missing, would be blamed on every submission
//! in turn.

/// What the build script's errors start with, before the version.
const OF_THE_BUILD_SCRIPT: &str = "firmware@";

/// Who is at fault, with the line that says so.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Blame {
    /// The instance does not compile or link; with the compiler's first error and the remedy.
    Instance(String),
    /// A program is missing or broken, the disk is full, or cargo did not get as far as the
    /// instance.
    Machine(String),
}

/// Reads what cargo said of a build that failed.
pub(super) fn blame(words: &str) -> Blame {
    let lines = || words.lines().map(str::trim);
    if let Some(line) = lines().find(|line| is_of_this_machine(line)) {
        return Blame::Machine(line.to_owned());
    }
    let reason = first_error(words);
    match lines().any(is_of_the_instance) {
        true => Blame::Instance(match of_the_linker(words) {
            Some(reason) => reason,
            None => with_particulars(reason, words),
        }),
        false => Blame::Machine(reason),
    }
}

/// What LLD writes before its errors.
const OF_THE_LINKER: &str = "lld: error: ";

/// What LLD writes before the place of a use or a definition.
const PLACES: [(&str, &str); 2] = [
    (">>> referenced by ", "used in"),
    (">>> defined at ", "defined in"),
];

/// So many of the linker's errors are told.
const LINKER_ERRORS: usize = 3;

/// The linker's first errors, each with the first place that it names.
fn of_the_linker(words: &str) -> Option<String> {
    let mut errors: Vec<String> = Vec::new();
    let mut more = 0;
    let mut lines = words.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((_, error)) = line.split_once(OF_THE_LINKER) else {
            continue;
        };
        if errors.len() == LINKER_ERRORS {
            more += 1;
            continue;
        }
        let place = lines.peek().and_then(|line| {
            let (said, verb) = PLACES.into_iter().find(|(said, _)| line.contains(said))?;
            let (_, place) = line.split_once(said)?;
            // Behind it in brackets is the same with its folders.
            Some(format!(", {verb} {}", place.split(" (").next()?))
        });
        errors.push(format!("{error}{}", place.unwrap_or_default()));
    }
    let more = match more {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    (!errors.is_empty()).then(|| format!("it does not link: {}{more}", errors.join("; ")))
}

/// Whether a line says that the instance was looked at and rejected.
fn is_of_the_instance(line: &str) -> bool {
    let Some(error) = line.strip_prefix("error: ") else {
        return false;
    };
    error.starts_with(OF_THE_BUILD_SCRIPT) || error.starts_with("linking with `")
}

/// Whether a line says that a program or the room on the disk is missing.
fn is_of_this_machine(line: &str) -> bool {
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let line = match line.strip_prefix(OF_THE_BUILD_SCRIPT) {
        Some(rest) => rest
            .split_once(": ")
            .map_or(rest, |(_version, words)| words),
        None => line,
    };
    // A compiler quotes the sources, in which anything may be written.
    if is_about_a_source(line) {
        return false;
    }
    let (first, rest) = line.split_once(": ").unwrap_or((line, ""));
    let missing_linker = line.starts_with("linker `") && line.ends_with("` not found");
    let missing_part = !first.contains(' ') && rest.starts_with("fatal error: cannot execute '");
    let unstarted_tool = line.contains("\" failed: ") && line.contains("(os error ");
    let full = ["caused by", "fatal error"].contains(&first) && line.contains("No space left on");
    missing_linker
        || missing_part
        || unstarted_tool
        || full
        || line.starts_with("could not exec the linker `")
        || line.starts_with("could not execute process `")
        || line.starts_with("the compiler could not be run: ")
        || line.contains("can't find crate for `core`")
}

/// Whether a line has the form of a compiler's diagnostic, `<file>:<line>:`, or quotes a line.
fn is_about_a_source(line: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let quoted = line
        .split_once('|')
        .is_some_and(|(before, _)| before.trim().is_empty() || is_number(before.trim()));
    quoted || line.split(':').nth(1).is_some_and(is_number)
}

/// The line that says why a build failed: the first one that is an error, but for cargo's own
/// remark that something failed.
fn first_error(words: &str) -> String {
    let errors = || {
        words
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with("error"))
    };
    errors()
        .find(|line| !line.starts_with("error: failed to run"))
        .or_else(|| errors().next())
        .unwrap_or("cargo gave no reason")
        .to_owned()
}

/// The reason, and behind it what else the build script said that explains it: the compiler's first
/// error and the remedy.
fn with_particulars(reason: String, words: &str) -> String {
    let said = || words.lines().filter_map(of_the_build_script);
    let is_diagnostic =
        |line: &&str| line.contains(": error: ") || line.contains(": fatal error: ");
    let diagnostic = said().find(is_diagnostic);
    let remedy = said().find(|line| line.starts_with("help: "));
    let reason = of_the_build_script(&reason).map_or(reason.clone(), str::to_owned);
    [diagnostic, remedy]
        .into_iter()
        .flatten()
        .filter(|line| !reason.ends_with(line))
        .fold(reason.clone(), |all, line| format!("{all}; {line}"))
}

/// What the build script says in a line of an error.
fn of_the_build_script(line: &str) -> Option<&str> {
    let line = line.trim().strip_prefix("error: ")?;
    let (_version, words) = line.strip_prefix(OF_THE_BUILD_SCRIPT)?.split_once(": ")?;
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(line: &str) {
        let words =
            format!("   Compiling firmware v0.1.0\n{line}\n  |\nerror: could not compile\n");
        assert_eq!(blame(&words), Blame::Machine(line.trim().to_owned()));
    }

    fn instance(line: &str) {
        let words = format!("{line}\nerror: build script logged errors\n");
        assert!(matches!(blame(&words), Blame::Instance(_)), "{line}");
    }

    #[test]
    fn a_missing_tool_is_this_machines_fault() {
        machine("error: linker `cc` not found");
        machine("error: linker `rust-lld` not found");
        machine("error: could not exec the linker `cc`");
        machine("error: could not execute process `rustc -vV` (never executed)");
        machine("error[E0463]: can't find crate for `core`");
        machine("error: firmware@0.1.0: the compiler could not be run: Failed to find tool.");
        machine(
            "error: firmware@0.1.0: LC_ALL=\"C\" \"/nowhere/objcopy\" \"kem.o\" failed: No such \
             file or directory (os error 2)",
        );
        machine(
            "error: firmware@0.1.0: gcc: fatal error: cannot execute 'cc1': posix_spawnp: No such \
             file or directory",
        );
        machine("error: firmware@0.1.0: caused by: No space left on device (os error 28)");
    }

    #[test]
    fn what_comes_before_the_instance_is_this_machines_fault() {
        machine("error: failed to get `wire` as a dependency of package `firmware`");
        machine("error: could not compile `kat` (lib) due to 1 previous error");
        machine("error: process didn't exit successfully: `rustc` (signal: 9, SIGKILL: kill)");
        assert_eq!(
            blame("killed"),
            Blame::Machine("cargo gave no reason".into())
        );
    }

    #[test]
    fn code_that_does_not_compile_or_link_is_the_instances_fault() {
        instance("error: firmware@0.1.0: kem.c:7: implicit declaration of function `f`");
        instance("error: firmware@0.1.0: pqclean/X does not define crypto_kem_enc");
        instance("error: linking with `rust-lld` failed: exit status: 1");
        // objcopy ran, and did not like the object.
        instance("error: firmware@0.1.0: \"objcopy\" \"kem.o\" failed: file format not recognized");
    }

    #[test]
    fn a_reason_has_the_compilers_first_error_and_the_remedy() {
        let words = "error: firmware@0.1.0: a/X does not compile: kem.c\n\
            error: firmware@0.1.0: kem.c:7:5: warning: unused\n\
            error: firmware@0.1.0: kem.c:9:5: error: implicit declaration of function 'f'\n\
            error: firmware@0.1.0:     9 |     f();\n\
            error: firmware@0.1.0: kem.c:10:5: error: expected ';'\n\
            error: firmware@0.1.0: help: declare the function\n\
            error: build script logged errors\n";
        let Blame::Instance(reason) = blame(words) else {
            panic!("the instance is at fault")
        };
        insta::assert_snapshot!(reason, @"a/X does not compile: kem.c; kem.c:9:5: error: implicit declaration of function 'f'; help: declare the function");
        let only = "error: firmware@0.1.0: kem.c:7:1: error: implicit declaration of `f`\n";
        assert_eq!(
            blame(only),
            Blame::Instance("kem.c:7:1: error: implicit declaration of `f`".to_owned())
        );
    }

    #[test]
    fn what_does_not_link_is_told_with_its_symbols() {
        let words = "error: linking with `cc` failed: exit status: 1\n  |\n\
            \x20 = note:  \"cc\" \"-m64\" \"symbols.o\"\n\
            \x20 = note: rust-lld: error: undefined symbol: f\n\
            \x20         >>> referenced by kem.c:17 (toy/ToyKEM-1/kem.c:17)\n\
            \x20         >>>               1-kem.o:(enc) in archive libsubmission.a\n\
            \x20         >>> referenced by kem.c:41 (toy/ToyKEM-1/kem.c:41)\n\
            \n\
            \x20         rust-lld: error: duplicate symbol: g\n\
            \x20         >>> defined at a.c:3\n\
            \x20         rust-lld: error: undefined symbol: h\n\
            \x20         rust-lld: error: undefined symbol: i\n\
            \x20         collect2: error: ld returned 1 exit status\n";
        let Blame::Instance(reason) = blame(words) else {
            panic!("the instance is at fault")
        };
        insta::assert_snapshot!(reason, @"it does not link: undefined symbol: f, used in kem.c:17; duplicate symbol: g, defined in a.c:3; undefined symbol: h; and 1 more");
    }

    #[test]
    fn sources_cannot_put_the_blame_on_this_machine() {
        for line in [
            "kem.c:1:2: error: #error gcc: fatal error: cannot execute 'cc1'",
            "kem.c:1:2: error: #error linker `cc` not found",
            "1 | #error \" failed: (os error 2)",
            "   | can't find crate for `core`",
        ] {
            instance(&format!("error: firmware@0.1.0: {line}"));
        }
    }

    #[test]
    fn the_reason_is_the_first_error_that_says_something() {
        let words = "   Compiling firmware\nwarning: unused\n\
            error: failed to run custom build command for `firmware`\n\
            error: firmware@0.1.0: kem.c:7: implicit declaration of function `f`\n\
            error: could not compile\n";
        assert_eq!(
            first_error(words),
            "error: firmware@0.1.0: kem.c:7: implicit declaration of function `f`"
        );
        assert_eq!(first_error("killed"), "cargo gave no reason");
        assert_eq!(
            first_error("error: failed to run it"),
            "error: failed to run it"
        );
    }
}
