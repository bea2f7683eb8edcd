//! Debian's packages.

use std::process::Stdio;

use super::check::Apt;
use super::child;
use super::need::{ARM_LINUX_NEEDS, NEEDS, RUST_PACKAGES};

/// Looks how packages are installed here; `None` without apt.
pub fn inspect() -> Option<Apt> {
    which::which("apt-get").ok()?;
    Some(Apt {
        sudo: !rustix::process::geteuid().is_root(),
        unknown: unknown(),
    })
}

/// Packages that might be needed and that the lists do not have: on a fresh machine, all of them.
fn unknown() -> Vec<&'static str> {
    let needs = NEEDS.iter().chain(&ARM_LINUX_NEEDS);
    let packages = needs.flat_map(|need| need.packages).copied();
    let packages: Vec<_> = packages.chain(RUST_PACKAGES).collect();
    let text = output("apt-cache", &[&["policy"], &packages[..]].concat());
    let known = installable(&text);
    packages
        .into_iter()
        .filter(|package| !known.contains(package))
        .collect()
}

/// The packages that `apt-cache policy` has a candidate for.
fn installable(policy: &str) -> Vec<&str> {
    let mut known = Vec::new();
    let mut package = None;
    for line in policy.lines() {
        if let Some(name) = line.strip_suffix(':').filter(|name| !name.starts_with(' ')) {
            package = Some(name);
        } else if let Some(candidate) = line.trim().strip_prefix("Candidate: ") {
            known.extend(package.take().filter(|_| candidate != "(none)"));
        }
    }
    known
}

/// Brings the lists up to date.
pub fn update(sudo: bool, interactive: bool) -> Vec<String> {
    get(sudo, interactive, &["update"])
}

/// Installs packages, and refuses to remove any: Debian's compiler excludes some others.
pub fn install(sudo: bool, interactive: bool, packages: &[&str]) -> Vec<String> {
    let options = [
        "install",
        "--yes",
        "--no-remove",
        "--no-install-recommends",
        "--option=DPkg::Lock::Timeout=120",
    ];
    get(sudo, interactive, &[&options, packages].concat())
}

/// Installs packages together with versions, older than the present ones, of others.
pub fn install_beside(
    sudo: bool,
    interactive: bool,
    packages: &[&str],
    others: &[String],
) -> Vec<String> {
    let mut words = install(sudo, interactive, packages);
    words.push("--allow-downgrades".into());
    words.extend_from_slice(others);
    words
}

/// Packages that stand in the way of others, each as `name=version` with the version that the
/// lists have.
///
/// A package from elsewhere than the lists (another release, a backport) can exclude what the
/// lists offer; its version of the same release as the others' goes with them.
pub fn versions_that_fit(packages: &[&str]) -> Vec<String> {
    let options = ["--simulate", "--no-install-recommends", "install"];
    let simulation = output("apt-get", &[&options, packages].concat());
    let removed: Vec<_> = removed(&simulation).collect();
    removed
        .into_iter()
        .filter_map(|package| {
            let versions = output("apt-cache", &["madison", package]);
            Some(format!("{package}={}", newest(&versions)?))
        })
        .collect()
}

/// What a command of apt's that changes nothing prints; nothing when it does not run.
fn output(program: &str, arguments: &[&str]) -> String {
    let output = child::command(program)
        .args(arguments)
        .env("LC_ALL", "C")
        .stderr(Stdio::null())
        .output();
    output.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

/// The packages that a simulated installation removes.
fn removed(simulation: &str) -> impl Iterator<Item = &str> {
    let lines = simulation.lines();
    lines.filter_map(|line| line.strip_prefix("Remv ")?.split(' ').next())
}

/// The first version of `apt-cache madison`, which is the newest.
fn newest(madison: &str) -> Option<&str> {
    madison.lines().next()?.split('|').nth(1).map(str::trim)
}

/// `apt-get` with these arguments, through sudo when we are not root.
///
/// Nothing may ask: questions of packages get their default answers, and sudo, which asks for a
/// password on the terminal, is told not to when there is none.
fn get(sudo: bool, interactive: bool, arguments: &[&str]) -> Vec<String> {
    let mut words = Vec::new();
    if sudo {
        words.push("sudo");
        if !interactive {
            words.push("--non-interactive");
        }
    }
    words.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    words.extend(arguments);
    words.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_without_a_candidate_are_not_installable() {
        let policy = "\
qemu-system-arm:
  Installed: (none)
  Candidate: 1:7.2+dfsg-7
  Version table:
     1:7.2+dfsg-7 500
        500 http://deb.debian.org/debian bookworm/main amd64 Packages
rustc-web:
  Installed: (none)
  Candidate: (none)
  Version table:
gcc:
  Installed: 4:12.2.0-3
  Candidate: 4:12.2.0-3
";
        assert_eq!(installable(policy), ["qemu-system-arm", "gcc"]);
        assert!(installable("").is_empty());
    }

    #[test]
    fn what_stands_in_the_way_is_found_with_the_version_that_fits() {
        let simulation = "\
NOTE: This is only a simulation!
Remv qemu-utils [1:10.0.2+ds-2~bpo12+1]
Inst libfdt1 (1.6.1-4 Debian:12 [amd64])
Inst qemu-system-arm (1:7.2+dfsg-7 Debian:12 [amd64])
";
        assert_eq!(removed(simulation).collect::<Vec<_>>(), ["qemu-utils"]);
        let madison = "\
qemu-utils | 1:7.2+dfsg-7+deb12u18 | http://deb.debian.org/debian bookworm/main amd64 Packages
qemu-utils | 1:7.2+dfsg-7+deb12u15 | http://deb.debian.org/debian bookworm/main amd64 Packages
";
        assert_eq!(newest(madison), Some("1:7.2+dfsg-7+deb12u18"));
        assert_eq!(newest(""), None);
    }

    #[test]
    fn sudo_is_used_when_needed_and_does_not_ask_without_a_terminal() {
        assert_eq!(
            get(true, false, &["update"]).join(" "),
            "sudo --non-interactive env DEBIAN_FRONTEND=noninteractive apt-get update"
        );
        assert_eq!(
            get(true, true, &["update"]).join(" "),
            "sudo env DEBIAN_FRONTEND=noninteractive apt-get update"
        );
        assert_eq!(
            get(false, false, &["update"]).join(" "),
            "env DEBIAN_FRONTEND=noninteractive apt-get update"
        );
    }
}
