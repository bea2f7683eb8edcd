//! Pages for people: what a run directory says of every candidate on every system.
//!
//! [`evidence`] reads the run directory, [`page`], [`summary`] and [`index`] make pages of it, which
//! are data ([`model`]), and [`render`] draws these as Markdown and HTML. [`interactive`] makes one
//! more file of everything, to sort, filter and plot. [`files`] writes them, or compares them with
//! what is written. The same run directory gives the same bytes: nothing here knows the time or the
//! machine that it runs on.

pub mod cell;
pub mod evidence;
pub mod files;
pub mod index;
pub mod interactive;
pub mod model;
pub mod names;
pub mod page;
pub mod render;
pub mod summary;
pub mod unit;

use evidence::System;
use model::Page;

/// The pages of all candidates whose ids are chosen, by system and candidate.
pub fn candidate_pages(systems: &[System], chosen: &dyn Fn(&str) -> bool) -> Vec<Page> {
    let mut pages = Vec::new();
    for system in systems {
        for candidate in system
            .candidates
            .iter()
            .filter(|candidate| chosen(&candidate.id))
        {
            let has_it = |other: &&System| {
                let mut candidates = other.candidates.iter();
                candidates.any(|other| other.id == candidate.id)
            };
            let others = systems.iter().filter(has_it);
            let others: Vec<String> = others.map(|system| system.name.clone()).collect();
            pages.push(page::page(candidate, system, &others));
        }
    }
    pages
}

/// The pages that are about all candidates: the first one, and the summaries.
pub fn overview_pages(systems: &[System]) -> Vec<Page> {
    let categories = evidence::CATEGORIES;
    let summaries = systems.iter().flat_map(|system| {
        let pages = categories.into_iter();
        pages.filter_map(|category| summary::page(system, category))
    });
    [index::page(systems)]
        .into_iter()
        .chain(summaries)
        .collect()
}

#[cfg(test)]
pub(crate) mod tests;
