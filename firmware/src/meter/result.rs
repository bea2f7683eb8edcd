//! Results, and how they are cut into blocks.

use heapless::Vec;
use wire::{Failure, Response, SAMPLES_PER_BLOCK, SampleBlock, Text};

use crate::meter::instance::Obstacle;

/// A result that is kept until the host releases it.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one, and no allocator to box it with"
)]
pub enum Held {
    /// One block, as it was sent.
    One(Response),
    /// This many samples, in the meter's own memory.
    Samples(usize),
}

/// Why a request has no result.
pub enum Unanswered {
    /// An operation did not do what it must.
    Failed(Failure),
    /// A known-answer file needs more memory than there is.
    TooLarge {
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that there are.
        available: u64,
    },
    /// The meter cannot do it.
    Refused(&'static str),
}

impl From<Obstacle> for Unanswered {
    fn from(obstacle: Obstacle) -> Self {
        match obstacle {
            Obstacle::Failed(failure) => Self::Failed(failure),
            Obstacle::TooLarge { needed, available } => Self::TooLarge { needed, available },
            Obstacle::Absent(reason) => Self::Refused(reason),
        }
    }
}

impl From<Failure> for Unanswered {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Unanswered> for Held {
    fn from(unanswered: Unanswered) -> Self {
        Self::One(match unanswered {
            Unanswered::Failed(failure) => Response::Failed(failure),
            Unanswered::TooLarge { needed, available } => Response::TooLarge { needed, available },
            Unanswered::Refused(reason) => refused(reason),
        })
    }
}

/// The response that refuses, with the reason.
pub fn refused(reason: &str) -> Response {
    let mut text = Text::new();
    // The reasons are our own and short; a longer one would be left out, not cut.
    let _ = text.push_str(reason);
    Response::Refused(text)
}

/// Block number `block` of these samples, each as the difference from the one before.
pub fn sample_block(samples: &[u64], block: u16) -> Response {
    let first = (usize::from(block) * SAMPLES_PER_BLOCK).min(samples.len());
    let end = (first + SAMPLES_PER_BLOCK).min(samples.len());
    let mut previous = 0u64;
    let differences: Vec<i64, SAMPLES_PER_BLOCK> = samples[first..end]
        .iter()
        .map(|sample| {
            let difference = sample.wrapping_sub(previous).cast_signed();
            previous = *sample;
            difference
        })
        .collect();
    Response::Samples(SampleBlock {
        total: samples.len() as u32,
        first: first as u32,
        differences,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_join_to_the_samples() {
        let samples: std::vec::Vec<u64> =
            (0..1000).map(|i| (i * 7919) % 5003 + 1_000_000).collect();
        let mut joined = std::vec::Vec::new();
        for block in 0..samples.len().div_ceil(SAMPLES_PER_BLOCK) {
            let Response::Samples(block) = sample_block(&samples, block as u16) else {
                panic!("samples are sent as samples");
            };
            assert_eq!((block.total, block.first as usize), (1000, joined.len()));
            let mut value = 0u64;
            for difference in &block.differences {
                value = value.wrapping_add_signed(*difference);
                joined.push(value);
            }
        }
        assert_eq!(joined, samples);
    }

    #[test]
    fn the_largest_block_fits_a_frame() {
        let samples: std::vec::Vec<u64> = (0..SAMPLES_PER_BLOCK as u64)
            .map(|i| if i % 2 == 0 { 0 } else { u64::MAX / 2 })
            .collect();
        let response = sample_block(&samples, 0);
        assert!(wire::encode(wire::Kind::Response, 1, 0, &response).is_ok());
    }
}
