//! Short texts, compared in place: for a few bytes the call of the library's comparison costs more than the comparison.

/// Whether two texts are the same.
#[inline]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && starts_with(a, b)
}

/// Whether `bytes` begin with `start`: eight bytes at a time, the last eight may overlap those before. As numbers: on
/// wasm32 larger arrays are compared by a call.
#[inline]
pub fn starts_with(bytes: &[u8], start: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..start.len()) else { return false };
    let (Some(a), Some(b)) = (bytes.last_chunk::<8>(), start.last_chunk::<8>()) else {
        return bytes.iter().zip(start).all(|(a, b)| a == b);
    };
    let differ = |(a, b): (&[u8; 8], &[u8; 8])| u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b);
    let (words, others) = (bytes.as_chunks::<8>().0, start.as_chunks::<8>().0);
    words.iter().zip(others).map(differ).fold(differ((a, b)), |all, one| all | one) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_the_library_says() {
        let text = b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHI";
        for length in 0..=text.len() {
            let start = &text[..length];
            assert!(starts_with(text, start) && same(start, start));
            assert_eq!(same(text, start), length == text.len());
            assert_eq!(starts_with(start, text), length == text.len());
            for at in 0..length {
                let mut other = start.to_vec();
                other[at] ^= 1;
                assert!(!starts_with(text, &other) && !same(start, &other), "{length}, {at}");
            }
        }
    }
}
