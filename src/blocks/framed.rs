//! [`Framed`]: columns of numbers that are as wide as the differences between neighbours need.

use super::Blocks;

const SHIFT: usize = 8;
/// Numbers that are measured from the same one.
const FRAME: usize = 1 << SHIFT;
const MASK: usize = FRAME - 1;

/// A column of numbers in frames of reference: 256 at a time are kept as distances from the smallest of them, in no, one,
/// two or four bytes each. What counts up, comes again or is small takes a fraction of four bytes; nothing takes more.
#[derive(Clone, Debug, Default)]
pub struct Framed {
    frames: Blocks<Frame>,
    distances: Blocks<u8>,
    /// Those behind the last frame.
    last: Vec<u32>,
}

/// Where 256 numbers are.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The smallest.
    base: u32,
    /// Where their distances begin, in units of [`FRAME`] bytes; and [how wide](Width) they are.
    place: u32,
}

/// Bytes of a distance, as the two lowest bits of a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    None,
    One,
    Two,
    Four,
}

impl Width {
    fn of(distance: u32) -> Self {
        match distance {
            0 => Self::None,
            1..=0xff => Self::One,
            0x100..=0xffff => Self::Two,
            _ => Self::Four,
        }
    }
}

impl Frame {
    #[inline]
    fn width(self) -> Width {
        [Width::None, Width::One, Width::Two, Width::Four][self.place as usize & 3]
    }

    #[inline]
    fn begin(self) -> usize {
        (self.place as usize >> 2) << SHIFT
    }
}

impl Framed {
    /// Appends one.
    #[inline]
    pub fn push(&mut self, number: u32) {
        self.last.push(number);
        if self.last.len() == FRAME {
            let frame = self.frame();
            self.frames.push(frame);
        }
    }

    /// Keeps the distances of what stands in `last`, which is empty then.
    #[inline(never)]
    fn frame(&mut self) -> Frame {
        let (low, high) = self.last.iter().fold((u32::MAX, 0), |(low, high), &n| (low.min(n), high.max(n)));
        let width = Width::of(high - low);
        let place = ((self.distances.len() >> SHIFT) as u32) << 2 | width as u32;
        let distances = self.last.drain(..).map(|number| number - low);
        match width {
            Width::None => drop(distances),
            Width::One => distances.for_each(|distance| self.distances.push(distance as u8)),
            Width::Two => {
                distances.for_each(|distance| self.distances.extend((distance as u16).to_le_bytes()));
            }
            Width::Four => distances.for_each(|distance| self.distances.extend(distance.to_le_bytes())),
        }
        Frame { base: low, place }
    }

    /// The number at `index`, which must be below [`len`](Self::len).
    #[inline]
    pub fn get(&self, index: usize) -> u32 {
        if index >> SHIFT >= self.frames.len() {
            return self.last[index & MASK];
        }
        let (frame, at) = (self.frames.get(index >> SHIFT), index & MASK);
        let begin = frame.begin();
        let distance = match frame.width() {
            Width::None => 0,
            Width::One => self.distances.get(begin + at).into(),
            Width::Two => u16::from_le_bytes(self.distances.array(begin + 2 * at)).into(),
            Width::Four => u32::from_le_bytes(self.distances.array(begin + 4 * at)),
        };
        frame.base + distance
    }

    /// Replaces the number at `index`, which must be below [`len`](Self::len). Costs a frame: for what is rare.
    pub fn set(&mut self, index: usize, number: u32) {
        if index >> SHIFT >= self.frames.len() {
            self.last[index & MASK] = number;
            return;
        }
        let first = index & !MASK;
        let numbers: Vec<u32> =
            (first..first + FRAME).map(|at| if at == index { number } else { self.get(at) }).collect();
        let last = std::mem::replace(&mut self.last, numbers);
        let frame = self.frame();
        self.frames.set(index >> SHIFT, frame);
        self.last = last;
    }

    /// Gives back the memory that nothing stands in.
    pub fn shrink(&mut self) {
        self.frames.shrink();
        self.distances.shrink();
        self.last.shrink_to_fit();
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        (self.frames.len() << SHIFT) + self.last.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers of which some frames are narrow and some wide.
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
            let mut framed = Framed::default();
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
