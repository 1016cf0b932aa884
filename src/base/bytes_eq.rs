//! Inlined comparison of short byte strings: for few bytes, a call of the library's comparison costs more than comparing.

/// Whether `a` and `b` are equal.
#[inline]
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && starts_with(a, b)
}

/// Whether `bytes` begins with `start`. Compares 16 bytes at a time as numbers, since wasm32 compares arrays by a call;
/// the last 16 bytes may overlap the previous ones.
#[inline]
pub fn starts_with(bytes: &[u8], start: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..start.len()) else { return false };
    let (Some(a), Some(b)) = (bytes.last_chunk::<16>(), start.last_chunk::<16>()) else {
        return few_are_same(bytes, start);
    };
    let (words, others) = (bytes.as_chunks::<16>().0, start.as_chunks::<16>().0);
    words.iter().zip(others).all(|(a, b)| differ(a, b) == 0) && differ(a, b) == 0
}

#[inline]
fn differ(a: &[u8; 16], b: &[u8; 16]) -> u128 {
    u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b)
}

/// Whether two byte strings of equal length, shorter than 16 bytes, are equal.
#[inline]
fn few_are_same(a: &[u8], b: &[u8]) -> bool {
    let word = |bytes: Option<&[u8; 8]>| bytes.map(|bytes| u64::from_ne_bytes(*bytes));
    match (word(a.first_chunk()), word(b.first_chunk())) {
        (Some(first), Some(other)) => first == other && word(a.last_chunk()) == word(b.last_chunk()),
        _ => a.iter().zip(b).all(|(a, b)| a == b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_the_library_says() {
        let text = b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHI";
        for length in 0..=text.len() {
            let start = &text[..length];
            assert!(starts_with(text, start) && equal(start, start));
            assert_eq!(equal(text, start), length == text.len());
            assert_eq!(starts_with(start, text), length == text.len());
            for at in 0..length {
                let mut other = start.to_vec();
                other[at] ^= 1;
                assert!(!starts_with(text, &other) && !equal(start, &other), "{length}, {at}");
            }
        }
    }
}
