//! Puts an answer together from what arrives, in one block or in many, in any order.

use wire::{Response, SAMPLES_PER_BLOCK, SampleBlock};

/// What a block did for the answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Step {
    /// The answer is complete.
    Complete,
    /// More is on its way.
    Waiting,
    /// The last block arrived, but one before it did not.
    Gap,
    /// Nothing of the answer yet, but the meter gets on with it.
    Alive,
}

/// An answer in the making.
pub trait Gather {
    /// Takes one block.
    ///
    /// # Errors
    ///
    /// What is wrong with it, when it cannot be a part of the answer.
    fn take(&mut self, block: u16, response: Response) -> Result<Step, String>;

    /// Number of the first block that is missing, once any has arrived.
    fn missing(&self) -> Option<u16>;

    /// The meter does not hold the result any more: everything is asked for once more, and blocks of
    /// two results must not be mixed.
    fn restart(&mut self) {}
}

/// An answer of a single block.
#[derive(Debug, Default)]
pub struct Single(pub Option<Response>);

impl Gather for Single {
    fn take(&mut self, _block: u16, response: Response) -> Result<Step, String> {
        if matches!(response, Response::Progress { .. }) {
            return Ok(Step::Alive);
        }
        self.0 = Some(response);
        Ok(Step::Complete)
    }

    fn missing(&self) -> Option<u16> {
        None
    }
}

/// A known-answer text, whose blocks are passed on in order. What comes behind a gap is dropped:
/// another request begins there.
pub struct Text<'a> {
    /// Blocks that were passed on.
    pub blocks: u32,
    /// Bytes that were passed on.
    pub bytes: u64,
    /// Blocks and bytes of the whole text, by the meter's word at its end.
    pub end: Option<(u32, u64)>,
    /// The answer, when it is no text at all, such as a failure.
    pub other: Option<Response>,
    take: &'a mut dyn FnMut(&[u8]),
}

impl<'a> Text<'a> {
    /// Nothing yet; `take` gets the text.
    pub fn new(take: &'a mut dyn FnMut(&[u8])) -> Self {
        Self {
            blocks: 0,
            bytes: 0,
            end: None,
            other: None,
            take,
        }
    }
}

impl Gather for Text<'_> {
    fn take(&mut self, _block: u16, response: Response) -> Result<Step, String> {
        match response {
            Response::Text(block) if block.index == self.blocks => {
                self.blocks += 1;
                self.bytes += block.text.len() as u64;
                (self.take)(&block.text);
                Ok(Step::Alive)
            }
            Response::Text(_) | Response::Progress { .. } => Ok(Step::Alive),
            Response::TextEnd { blocks, bytes } => {
                self.end = Some((blocks, bytes));
                Ok(Step::Complete)
            }
            other => {
                self.other = Some(other);
                Ok(Step::Complete)
            }
        }
    }

    fn missing(&self) -> Option<u16> {
        None
    }
}

/// Per-call samples, in blocks of [`SAMPLES_PER_BLOCK`]; or a single response that is none.
#[derive(Debug)]
pub struct Samples {
    total: usize,
    blocks: Vec<Option<Vec<u64>>>,
    any: bool,
    /// The answer, when it is no samples at all, such as a failure.
    pub other: Option<Response>,
}

impl Samples {
    /// Expects this many samples.
    pub fn new(total: u32) -> Self {
        let total = total as usize;
        Self {
            total,
            blocks: vec![None; total.div_ceil(SAMPLES_PER_BLOCK).max(1)],
            any: false,
            other: None,
        }
    }

    /// The samples in the order of the calls; only those blocks that arrived.
    pub fn into_samples(self) -> Vec<u64> {
        self.blocks.into_iter().flatten().flatten().collect()
    }

    /// Checks everything that a block says of itself against what was asked.
    fn read(&self, number: u16, block: &SampleBlock) -> Result<Vec<u64>, String> {
        let first = usize::from(number) * SAMPLES_PER_BLOCK;
        if usize::from(number) >= self.blocks.len() {
            return Err(format!(
                "block {number} of a result that has {}",
                self.blocks.len()
            ));
        }
        if block.total as usize != self.total {
            return Err(format!(
                "{} samples where {} were asked for",
                block.total, self.total
            ));
        }
        let expected = SAMPLES_PER_BLOCK.min(self.total - first);
        if block.first as usize != first || block.differences.len() != expected {
            return Err(format!(
                "block {number} holds {} samples from {}, not {expected} from {first}",
                block.differences.len(),
                block.first
            ));
        }
        let mut sample = 0_i64;
        block
            .differences
            .iter()
            .map(|difference| {
                sample = sample.wrapping_add(*difference);
                u64::try_from(sample).map_err(|_| format!("a sample of {sample}"))
            })
            .collect()
    }
}

impl Gather for Samples {
    fn take(&mut self, number: u16, response: Response) -> Result<Step, String> {
        let Response::Samples(block) = response else {
            self.other = Some(response);
            return Ok(Step::Complete);
        };
        let samples = self.read(number, &block)?;
        self.blocks[usize::from(number)] = Some(samples);
        self.any = true;
        Ok(match self.missing() {
            None => Step::Complete,
            Some(_) if self.blocks.last().is_some_and(Option::is_some) => Step::Gap,
            Some(_) => Step::Waiting,
        })
    }

    fn missing(&self) -> Option<u16> {
        let position = self.blocks.iter().position(Option::is_none)?;
        self.any.then(|| u16::try_from(position).ok())?
    }

    fn restart(&mut self) {
        self.blocks.fill(None);
        self.any = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a meter would send for these samples.
    pub fn blocks_of(samples: &[u64]) -> Vec<SampleBlock> {
        samples
            .chunks(SAMPLES_PER_BLOCK)
            .enumerate()
            .map(|(number, chunk)| {
                let mut previous = 0;
                SampleBlock {
                    total: samples.len() as u32,
                    first: (number * SAMPLES_PER_BLOCK) as u32,
                    differences: chunk
                        .iter()
                        .map(|sample| {
                            let difference = *sample as i64 - previous;
                            previous = *sample as i64;
                            difference
                        })
                        .collect(),
                }
            })
            .collect()
    }

    proptest! {
        #[test]
        fn blocks_in_any_order_and_repeated_give_the_samples(
            samples in proptest::collection::vec(0..1_u64 << 62, 1..2000),
            seed: u64,
        ) {
            let mut numbered: Vec<_> = blocks_of(&samples).into_iter().enumerate().collect();
            fastrand::Rng::with_seed(seed).shuffle(&mut numbered);
            let mut gather = Samples::new(samples.len() as u32);
            prop_assert_eq!(gather.missing(), None);
            let last = numbered.len() - 1;
            for (position, (number, block)) in numbered.iter().enumerate() {
                for _ in 0..2 {
                    let step = gather.take(*number as u16, Response::Samples(block.clone()));
                    prop_assert_eq!(step == Ok(Step::Complete), position == last);
                }
            }
            prop_assert_eq!(gather.into_samples(), samples);
        }

        #[test]
        fn whatever_a_block_claims_is_checked(
            number: u16, total: u32, first: u32,
            differences in proptest::collection::vec(any::<i64>(), 0..SAMPLES_PER_BLOCK),
        ) {
            let mut gather = Samples::new(700);
            let block = SampleBlock { total, first, differences: differences.iter().copied().collect() };
            // Whatever happens, it must not panic; and a wrong total never passes.
            let step = gather.take(number, Response::Samples(block));
            prop_assert!(step.is_err() || total == 700);
        }
    }

    #[test]
    fn a_gap_is_seen_when_the_last_block_arrives() {
        let samples: Vec<u64> = (0..1000).collect();
        let blocks = blocks_of(&samples);
        let mut gather = Samples::new(1000);
        let mut take = |number: usize| {
            let step = gather.take(number as u16, Response::Samples(blocks[number].clone()));
            (step.unwrap(), gather.missing())
        };
        assert_eq!(take(0), (Step::Waiting, Some(1)));
        assert_eq!(take(2), (Step::Waiting, Some(1)));
        assert_eq!(take(3), (Step::Gap, Some(1)));
        assert_eq!(take(1), (Step::Complete, None));
    }

    #[test]
    fn a_sample_below_zero_is_refused() {
        let mut gather = Samples::new(1);
        let block = SampleBlock {
            total: 1,
            first: 0,
            differences: [-1].into_iter().collect(),
        };
        assert!(gather.take(0, Response::Samples(block)).is_err());
    }
}
