//! [`NumberColumn`]: a column for numbers that are nearly all small.

use super::BlockColumn;

/// Codes from here on are indices of the overflow.
const APART: u32 = 1 << 31;
/// The code of `i64::MIN`, which marks a value that was not reported.
const LOWEST: u32 = u32::MAX;

/// Numbers that do not fit into a code of four bytes; a small number (0 to 2³¹ − 1) is its own code.
#[derive(Clone, Default, Debug)]
pub struct Overflow {
    numbers: BlockColumn<i64>,
}

impl Overflow {
    /// The code of `number`, which is stored here if it is not small.
    #[inline]
    pub fn code(&mut self, number: i64) -> u32 {
        match u32::try_from(number) {
            Ok(code) if code < APART => code,
            _ if number == i64::MIN => LOWEST,
            _ => {
                self.numbers.push(number);
                APART | (self.numbers.len() - 1) as u32
            }
        }
    }

    /// The code of a number that replaces the number with code `code`.
    #[inline]
    fn replaced(&mut self, code: u32, number: i64) -> u32 {
        if code < APART || code == LOWEST {
            return self.code(number);
        }
        self.numbers.set((code & !APART) as usize, number);
        code
    }

    /// Gives back the memory that nothing stands in.
    pub fn shrink(&mut self) {
        self.numbers.shrink();
    }

    /// The number of a code.
    #[inline]
    pub fn number(&self, code: u32) -> i64 {
        match code {
            LOWEST => i64::MIN,
            code if code < APART => i64::from(code),
            code => self.numbers.get((code & !APART) as usize),
        }
    }
}

/// A column of numbers: four bytes each from 0 to 2³¹ − 1, twelve for any other.
#[derive(Clone, Default, Debug)]
pub struct NumberColumn {
    codes: BlockColumn<u32>,
    apart: Overflow,
}

impl NumberColumn {
    /// Appends one number.
    #[inline]
    pub fn push(&mut self, number: i64) {
        let code = self.apart.code(number);
        self.codes.push(code);
    }

    /// The number at `index`, which must be below [`len`](Self::len).
    #[inline]
    pub fn get(&self, index: usize) -> i64 {
        self.apart.number(self.codes.get(index))
    }

    /// Replaces the number at `index`, which must be below [`len`](Self::len).
    #[inline]
    pub fn set(&mut self, index: usize, number: i64) {
        let code = self.apart.replaced(self.codes.get(index), number);
        self.codes.set(index, code);
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.codes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_stay_as_they_are() {
        let edges = [0, 1, -1, 1 << 31, (1 << 31) - 1, u32::MAX.into(), i64::MIN, i64::MIN + 1, i64::MAX];
        let mut numbers = NumberColumn::default();
        edges.iter().for_each(|&number| numbers.push(number));
        assert!(edges.iter().enumerate().all(|(at, &number)| numbers.get(at) == number));
        assert_eq!(numbers.len(), edges.len());
        for number in edges.into_iter().chain(edges) {
            for at in 0..edges.len() {
                numbers.set(at, number);
                assert_eq!(numbers.get(at), number);
            }
            assert_eq!(numbers.get(edges.len() - 1), number);
        }
    }
}
