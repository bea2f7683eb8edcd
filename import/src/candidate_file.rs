//! `candidate.toml` for people: what each key means, and what was seen but not applied.

use catalogue::submission::Candidate;

use crate::scan::Instance;

const HEADER: &str = "\
# What this package holds and how each of its instances is compiled, as import understood it.
# import-report.md says why. Correct whatever is wrong; `cargo host list` reads this file.
#
#   id, name, category   of the candidate: kem, sig, kex or hash
#   [[instance]]         one parameter set in one implementation
#     name               ALGORITHM_INSTANCE, which also names its known-answer files
#     label              unique in the package; names it in commands: <id>/<label>
#     variant            reference, optimized or additional, or an instruction set such as avx2
#     category           where it differs from the candidate's
#     sources            files to compile; a folder stands for the sources directly in it
#     include            folders for headers, in the order in which the compiler looks
#     defines            macros for the compiler: NAME or NAME=VALUE
#     helpers            ours that stand in for the package's own: drng, auxfunc
#     needs              c++, gmp, openssl, or an extension such as avx2 or asimd
#     missing            headers that are included and not in the package; `list` names them until
#                        they are in a folder of `include`
#     kat                the package's own known-answer files
#     [instance.sizes]   sizes in bytes that the submission documents
#
# Paths are relative to this folder. A comment `hint` is an option in one of the package's build
# files; it is not applied: move its macro into `defines` if the instance is meant to have it.

";

/// The text of the file.
pub fn text(candidate: &Candidate, instances: &[Instance]) -> String {
    let mut text = HEADER.to_owned();
    let mut instances = instances.iter();
    for line in candidate.to_toml().lines() {
        if line == "[[instance]]"
            && let Some(instance) = instances.next()
        {
            for comment in comments(instance) {
                text.push_str("# ");
                text.push_str(&comment);
                text.push('\n');
            }
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn comments(instance: &Instance) -> Vec<String> {
    instance
        .hints
        .iter()
        .filter(|hint| hint.define().is_some())
        .map(|hint| format!("hint: {} ({} line {})", hint.option, hint.file, hint.line))
        .collect()
}
