//! [`scalar`]: reads numbers and words in their most common notation, eight digits at a time.

use crate::import::scalars::number::joined;
use crate::import::scalars::values::{CellType, Plain};

/// Reads a number of at most 18 digits (19 if it is whole and fits into 63 bits, as nanoseconds since 1970 do), `null`,
/// `true` or `false`. `None` leaves anything else to the full parser.
#[inline(always)]
pub fn scalar(bytes: &[u8], start: usize) -> Option<Plain> {
    // Single digits are common, so they have a fast path.
    if let Some(&[digit @ b'0'..=b'9', b',' | b'}']) = bytes.get(start..start + 2) {
        return Some(Plain {
            sort: CellType::Int,
            number: i64::from(digit - b'0'),
            scale: 0,
            from: start as u32,
            to: start as u32 + 1,
        });
    }
    let negative = bytes.get(start) == Some(&b'-');
    let first = start + usize::from(negative);
    let mut number = 0;
    let mut at = digits(bytes, first, &mut number);
    let (whole, mut scale) = (at - first, 0);
    if whole == 0 {
        return word(bytes, start);
    }
    if bytes.get(at) == Some(&b'.') {
        let point = at + 1;
        at = digits(bytes, point, &mut number);
        scale = at - point;
        if scale == 0 {
            return None;
        }
    }
    let leading_zero = whole > 1 && bytes[first] == b'0';
    let goes_on = bytes.get(at).is_some_and(|b| matches!(b, b'.' | b'e' | b'E'));
    // Nineteen digits fit into 64 bits; a number that needs the sign bit is negative at this point.
    let fits = whole + scale <= 18 || (scale == 0 && whole == 19 && number >= 0);
    if !fits || leading_zero || goes_on {
        return None;
    }
    Some(Plain {
        sort: if scale == 0 { CellType::Int } else { CellType::Decimal },
        number: if negative { -number } else { number },
        scale: scale as u8,
        from: start as u32,
        to: at as u32,
    })
}

/// Appends the digits at `at` to a number, wrapping on overflow; returns the end of the digits.
#[inline]
fn digits(bytes: &[u8], mut at: usize, number: &mut i64) -> usize {
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let (more, length) = leading_digits(eight);
        *number = number.wrapping_mul(TENS[length]).wrapping_add(more);
        at += length;
        if length < 8 {
            return at;
        }
    }
    while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        *number = number.wrapping_mul(10).wrapping_add(i64::from(digit));
        at += 1;
    }
    at
}

const TENS: [i64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Returns the number formed by the leading digits of eight bytes, and the count of these digits.
#[inline]
fn leading_digits(bytes: &[u8; 8]) -> (i64, usize) {
    let digits = u64::from_le_bytes(*bytes) ^ 0x3030_3030_3030_3030;
    // A byte above 9 has a bit in its upper half, at once or after 6 is added. The lowest marker is always right.
    let others = (digits | digits.wrapping_add(0x0606_0606_0606_0606)) & 0xF0F0_F0F0_F0F0_F0F0;
    let length = (others.trailing_zeros() / 8) as usize;
    // Shifts the digits up, so that zeros precede them.
    let digits = digits.checked_shl(64 - 8 * length as u32).unwrap_or(0);
    (joined(digits) as i64, length)
}

#[inline(never)]
fn word(bytes: &[u8], at: usize) -> Option<Plain> {
    const WORDS: [(&[u8], Plain); 3] =
        [(b"null", Plain::NULL), (b"true", Plain::truth(true)), (b"false", Plain::truth(false))];
    let rest = bytes.get(at..)?;
    let (text, word) = WORDS.into_iter().find(|(text, _)| rest.starts_with(text))?;
    Some(Plain { from: at as u32, to: (at + text.len()) as u32, ..word })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_what_the_library_reads() {
        for text in ["00000000", "12345678", "99999999", "90000001"] {
            let bytes: &[u8; 8] = text.as_bytes().try_into().expect("eight bytes");
            assert_eq!(leading_digits(bytes), (text.parse().expect("digits"), 8));
            for (at, byte) in (0..8).flat_map(|at| (0..=255_u8).map(move |byte| (at, byte))) {
                let mut other = *bytes;
                other[at] = byte;
                let length = if byte.is_ascii_digit() { 8 } else { at };
                let digits = std::str::from_utf8(&other[..length]).expect("digits");
                assert_eq!(leading_digits(&other), (digits.parse().unwrap_or(0), length), "{byte} at {at}");
            }
        }
    }
}
