//! Short texts, compared in place: for a few bytes the call of the library's comparison costs more than the comparison.

/// Whether two texts are the same.
#[inline]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && starts_with(a, b)
}

/// Whether `bytes` begin with `start`: sixteen or eight bytes at a time, the last ones may overlap those before.
#[inline]
pub fn starts_with(bytes: &[u8], start: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..start.len()) else { return false };
    if let (Some(a), Some(b)) = (bytes.last_chunk::<16>(), start.last_chunk::<16>()) {
        let (chunks, _) = bytes.as_chunks::<16>();
        let (others, _) = start.as_chunks::<16>();
        return chunks.iter().zip(others).all(|(a, b)| a == b) && a == b;
    }
    if let (Some(a), Some(b)) = (bytes.last_chunk::<8>(), start.last_chunk::<8>()) {
        return bytes.first_chunk::<8>() == start.first_chunk::<8>() && a == b;
    }
    bytes.iter().zip(start).all(|(a, b)| a == b)
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
