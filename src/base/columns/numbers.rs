//! [`NumberColumn`]: a column of numbers, most of which are small.

use super::BlockColumn;

/// First code that contains an index into the overflow; lower codes are the numbers themselves.
const APART: u32 = 1 << 31;
/// Code of `i64::MIN`, which represents a value that was not reported.
const LOWEST: u32 = u32::MAX;

/// Storage for numbers that do not fit into a four-byte code. A number from 0 to 2³¹ − 1 is its own code; for other
/// numbers, the code contains their index in the storage.
#[derive(Clone, Default, Debug)]
pub struct Overflow {
    numbers: BlockColumn<i64>,
}

impl Overflow {
    /// Returns the code of `number`, and stores the number if it is not small.
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

    /// Replaces the number that has the code `code` with `number`, and returns the new code.
    #[inline]
    fn replaced(&mut self, code: u32, number: i64) -> u32 {
        if code < APART || code == LOWEST {
            return self.code(number);
        }
        self.numbers.set((code & !APART) as usize, number);
        code
    }

    /// Releases unused memory.
    pub fn shrink(&mut self) {
        self.numbers.shrink();
    }

    /// Decodes a number from its code.
    #[inline]
    pub fn number(&self, code: u32) -> i64 {
        match code {
            LOWEST => i64::MIN,
            code if code < APART => i64::from(code),
            code => self.numbers.get((code & !APART) as usize),
        }
    }
}

/// A column of numbers: four bytes for a number from 0 to 2³¹ − 1, twelve bytes for any other number.
#[derive(Clone, Default, Debug)]
pub struct NumberColumn {
    codes: BlockColumn<u32>,
    apart: Overflow,
}

impl NumberColumn {
    /// Appends a number.
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
