//! [`FrameOfReferenceColumn`]: a column of numbers, stored in as few bytes as the differences between neighbours allow.

const SHIFT: usize = 8;
/// Number of values in a frame.
const FRAME: usize = 1 << SHIFT;
const MASK: usize = FRAME - 1;

/// A column of numbers with frame-of-reference encoding: every 256 numbers are stored as distances from their minimum, in 0, 1,
/// 2 or 4 bytes each. Numbers that count up, repeat or are small take less than four bytes; no number takes more.
#[derive(Clone, Debug, Default)]
pub struct FrameOfReferenceColumn {
    frames: Vec<FramedBlock>,
    /// Numbers after the last complete frame.
    last: Vec<u32>,
}

/// A frame of 256 numbers: their minimum, and the distance of each number from the minimum.
#[derive(Clone, Debug)]
enum FramedBlock {
    Same(u32),
    Bytes(u32, Box<[u8; FRAME]>),
    Shorts(u32, Box<[u16; FRAME]>),
    Words(u32, Box<[u32; FRAME]>),
}

impl FramedBlock {
    fn of(numbers: &[u32; FRAME]) -> Self {
        let (low, high) = numbers.iter().fold((u32::MAX, 0), |(low, high), &n| (low.min(n), high.max(n)));
        match high - low {
            0 => Self::Same(low),
            1..=0xff => Self::Bytes(low, Box::new(numbers.map(|number| (number - low) as u8))),
            0x100..=0xffff => Self::Shorts(low, Box::new(numbers.map(|number| (number - low) as u16))),
            _ => Self::Words(low, Box::new(numbers.map(|number| number - low))),
        }
    }

    #[inline]
    fn get(&self, at: usize) -> u32 {
        match self {
            Self::Same(number) => *number,
            Self::Bytes(low, distances) => low + u32::from(distances[at & MASK]),
            Self::Shorts(low, distances) => low + u32::from(distances[at & MASK]),
            Self::Words(low, distances) => low + distances[at & MASK],
        }
    }
}

impl FrameOfReferenceColumn {
    /// Appends a number.
    #[inline]
    pub fn push(&mut self, number: u32) {
        self.last.push(number);
        if self.last.len() == FRAME {
            self.close();
        }
    }

    #[inline(never)]
    fn close(&mut self) {
        if let Some(numbers) = self.last.first_chunk() {
            self.frames.push(FramedBlock::of(numbers));
            self.last.clear();
        }
    }

    /// The number at `index`, which must be below [`len`](Self::len).
    #[inline]
    pub fn get(&self, index: usize) -> u32 {
        match self.frames.get(index >> SHIFT) {
            Some(frame) => frame.get(index),
            None => self.last[index & MASK],
        }
    }

    /// Replaces the number at `index`, which must be below [`len`](Self::len). Encodes the whole frame again and is therefore
    /// suitable only for rare changes.
    pub fn set(&mut self, index: usize, number: u32) {
        match self.frames.get_mut(index >> SHIFT) {
            Some(frame) => {
                let mut numbers = std::array::from_fn(|at| frame.get(at));
                numbers[index & MASK] = number;
                *frame = FramedBlock::of(&numbers);
            }
            None => self.last[index & MASK] = number,
        }
    }

    /// Releases unused memory.
    pub fn shrink(&mut self) {
        self.frames.shrink_to_fit();
        self.last.shrink_to_fit();
    }

    /// Number of values.
    #[inline]
    pub fn len(&self) -> usize {
        (self.frames.len() << SHIFT) + self.last.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Generates numbers whose frames have different widths.
    fn numbers() -> impl Strategy<Value = Vec<u32>> {
        let frame = prop_oneof![Just(0_u32), Just(9), Just(300), Just(70_000), Just(u32::MAX)];
        let stretch = (frame, any::<u32>(), 1_usize..700);
        prop::collection::vec(stretch, 0..6).prop_map(|stretches| {
            let numbers = |(range, low, len): (u32, u32, usize)| {
                let number = move |at: u32| low.saturating_add(at.wrapping_mul(2_654_435_761) % range.max(1));
                (0..len as u32).map(number)
            };
            stretches.into_iter().flat_map(numbers).collect()
        })
    }

    proptest! {
        #[test]
        fn numbers_stay_as_they_are(mut numbers in numbers(), others in prop::collection::vec((any::<usize>(), any::<u32>()), 0..9)) {
            let mut framed = FrameOfReferenceColumn::default();
            numbers.iter().for_each(|&number| framed.push(number));
            let len = numbers.len();
            for (at, number) in others.into_iter().filter(|_| len > 0) {
                let at = at % len;
                numbers[at] = number;
                framed.set(at, number);
            }
            prop_assert_eq!(framed.len(), numbers.len());
            let found: Vec<u32> = (0..framed.len()).map(|at| framed.get(at)).collect();
            prop_assert_eq!(found, numbers);
        }
    }
}
