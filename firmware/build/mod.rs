//! From an instance's C sources to an archive, one room for each step.

pub mod archive;
pub mod compile;
pub mod counted;
pub mod directives;
pub mod error;
pub mod frames;
pub mod functions;
pub mod generate;
pub mod limits;
pub mod owners;
pub mod primitives;
pub mod reach;
pub mod rename;
pub mod settings;
pub mod statics;
pub mod symbols;
pub mod symmetric;

use std::collections::BTreeMap;
use std::fs;

use catalogue::{
    BuildReport, Catalogue, CompilerReport, Frame, Instance, Kind, LibraryReport, Symmetric,
    Toolchain, Unit, compiler_flags, file_digest,
};

pub use error::BuildError;
pub use settings::Settings;

use compile::Compiled;
use error::file;
use reach::Graph;

/// What a build hands to cargo.
pub struct Built {
    /// Lines for cargo, in order: the order of archives decides who serves memcpy.
    pub directives: Vec<String>,
}

/// Builds what the settings name, into their output folder.
pub fn run(settings: &Settings) -> Result<Built, BuildError> {
    let catalogue = Catalogue::load(&settings.root)?;
    let instance = catalogue.find(&settings.instance)?;
    instance
        .availability(settings.board)
        .map_err(|why| BuildError::Unavailable {
            instance: instance.name(),
            board: settings.board.name,
            reason: why.reason,
        })?;
    let toolchain = Toolchain::find(settings.board)?;
    let flags = compiler_flags(
        settings.flag_set,
        instance,
        settings.board,
        &toolchain,
        &settings.root,
    );
    let compiled = compile::compile(instance, &toolchain, &flags, settings)?;
    let objects = symbols::read_all(instance, &compiled, settings.board.architecture)?;
    owners::check(&objects)?;
    let functions = functions::required(instance, &objects)?;
    // Before any name is changed.
    let graph = Graph::read(&objects)?;
    let (counted, symmetric) = match settings.kind {
        Kind::Timed => (None, None),
        Kind::Profile => {
            let called = counted::select(&objects);
            let architecture = settings.board.architecture;
            let symmetric =
                symmetric::describe(&objects, &graph, &functions, &called, architecture);
            (Some(counted::reached(called, &symmetric)?), Some(symmetric))
        }
    };
    rename::rename_all(&objects, counted.as_deref().unwrap_or_default(), &toolchain)?;
    if settings.board.bare_metal {
        owners::check_constructors(&objects)?;
    } else {
        statics::gather(&objects, &toolchain)?;
    }
    archive::create(&settings.out, &compiled, &toolchain)?;

    let mut source = generate::instance_source(
        instance,
        settings.board,
        &functions,
        &settings.drills,
        counted.as_deref(),
    );
    if !settings.board.bare_metal {
        source += &generate::padding(settings.layout);
    }
    let target = settings.out.join("instance.rs");
    fs::write(&target, source).map_err(file("write", &target))?;
    let mut report = report(settings, instance, &toolchain, &compiled, symmetric)?;
    let listed: Vec<Vec<Frame>> = report
        .units
        .iter()
        .map(|unit| unit.frames.clone())
        .collect();
    for (operation, function) in functions.operations(&instance.interface) {
        if let Some(frame) = frames::largest(&graph, function, &listed) {
            report.largest_frames.insert(operation, frame);
        }
    }
    report.write(&settings.out.join(BuildReport::FILE))?;
    Ok(Built {
        directives: directives::all(settings, instance, &toolchain),
    })
}

/// What this build says of itself.
fn report(
    settings: &Settings,
    instance: &Instance,
    toolchain: &Toolchain,
    compiled: &[Compiled],
    symmetric: Option<Symmetric>,
) -> Result<BuildReport, BuildError> {
    let units = compiled
        .iter()
        .map(|unit| {
            Ok(Unit {
                source: instance.source_name(&unit.source),
                source_sha256: file_digest(&unit.source)?,
                object_sha256: file_digest(&unit.object)?,
                command: unit
                    .command
                    .iter()
                    .map(|argument| portable(argument, settings, instance))
                    .collect(),
                warnings: unit.warnings,
                frames: frames::read(&unit.object, instance)?,
            })
        })
        .collect::<Result<_, BuildError>>()?;
    Ok(BuildReport {
        candidate: instance.candidate.clone(),
        label: instance.label.clone(),
        board: settings.board.name.to_owned(),
        flag_set: settings.flag_set.name().to_owned(),
        drills: settings.drills.iter().map(ToString::to_string).collect(),
        package: instance.origin.to_string(),
        compiler: CompilerReport {
            program: toolchain.compiler.display().to_string(),
            version: toolchain.compiler_version.clone(),
        },
        libc: LibraryReport {
            name: toolchain.library.name.to_owned(),
            version: toolchain.library.version.clone(),
            archive: toolchain
                .library
                .archive
                .as_deref()
                .map(archive::short_name),
        },
        units,
        largest_frames: BTreeMap::new(),
        symmetric,
    })
}

/// An argument with this machine's folders replaced by names, the innermost folder first.
fn portable(argument: &str, settings: &Settings, instance: &Instance) -> String {
    let outside = instance.outside.iter();
    let named = [(&settings.out, "$OUT"), (&instance.root, "$TREE")]
        .into_iter()
        .chain(outside.map(|(prefix, folder)| (folder, prefix.as_str())))
        .chain([(&settings.root, "$ROOT")]);
    named.fold(argument.to_owned(), |argument, (folder, name)| {
        argument.replace(&folder.display().to_string(), name)
    })
}
