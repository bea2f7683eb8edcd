//! Every dependency has a licence that `deny.toml` allows, and comes from where it allows.

use std::fs;
use std::path::Path;

use cargo_metadata::{Metadata, MetadataCommand, Package};
use serde::Deserialize;
use spdx::{Expression, LicenseReq, ParseMode};

#[derive(Deserialize)]
struct Policy {
    licenses: Licenses,
    sources: Sources,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

impl Policy {
    fn load() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deny.toml");
        let text = fs::read_to_string(&path).expect("deny.toml is at the top of the workspace");
        toml::from_str(&text).expect("deny.toml is well-formed")
    }

    fn allows(&self, expression: &str) -> bool {
        // Old packages write `MIT/Apache-2.0`.
        let expression = Expression::parse_mode(expression, ParseMode::LAX)
            .unwrap_or_else(|error| panic!("{expression:?} is no licence expression: {error}"));
        expression.evaluate(|requirement| self.allows_one(requirement))
    }

    fn allows_one(&self, requirement: &LicenseReq) -> bool {
        // A licence with an exception is another licence, and would be listed as such.
        let name = requirement.to_string();
        self.licenses.allow.contains(&name)
    }

    /// What is wrong with a package.
    fn objection(&self, package: &Package) -> Option<String> {
        let name = format!("{} {}", package.name, package.version);
        let Some(licence) = package.license.as_deref() else {
            return Some(format!("{name}: states no licence"));
        };
        if !self.allows(licence) {
            return Some(format!("{name}: {licence} is not in deny.toml"));
        }
        let source = package.source.as_ref()?.to_string();
        let registry = source.strip_prefix("registry+");
        if !registry.is_some_and(|url| self.sources.allow_registry.iter().any(|it| it == url)) {
            return Some(format!("{name}: {source} is not in deny.toml"));
        }
        None
    }
}

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml"))
        .exec()
        .expect("cargo describes the workspace")
}

#[test]
fn every_dependency_is_allowed() {
    let policy = Policy::load();
    let metadata = metadata();
    // The tree is whole: what every part of it needs is among the packages.
    for name in ["firmware", "host", "serde"] {
        assert!(metadata.packages.iter().any(|package| package.name == name));
    }
    let objections: Vec<_> = metadata
        .packages
        .iter()
        .filter_map(|package| policy.objection(package))
        .collect();
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}

#[test]
fn alternatives_and_conjunctions_are_understood() {
    let policy = Policy::load();
    for allowed in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0-only OR MIT",
        "MIT AND Zlib",
    ] {
        assert!(policy.allows(allowed), "{allowed}");
    }
    for refused in [
        "GPL-3.0-only",
        "MIT AND GPL-3.0-only",
        "LGPL-2.1-or-later",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(!policy.allows(refused), "{refused}");
    }
}
