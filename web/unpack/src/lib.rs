//! Unpacks the programs in a single HTML file.
//!
//! Browsers unpack gzip only. This program is small and packed with gzip; the others are packed with LZMA, which makes the file
//! half a megabyte smaller.

use std::io::Read;

use lzma_rust2::LzmaReader;
use wasm_bindgen::prelude::wasm_bindgen;

/// Length of the header of an `.lzma` file: properties, size of the dictionary, and size of the content from this byte on.
const SIZE_AT: usize = 5;

/// Unpacks the bytes of an `.lzma` file with a known size. `None` if they are damaged or cut off.
#[wasm_bindgen]
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let size = packed.get(SIZE_AT..)?.first_chunk()?;
    let size = usize::try_from(u64::from_le_bytes(*size)).ok()?;
    let mut unpacked = Vec::new();
    unpacked.try_reserve_exact(size).ok()?;
    let reader = LzmaReader::new_mem_limit(packed, u32::MAX, None).ok()?;
    let n_read = reader.take(size as u64).read_to_end(&mut unpacked).ok()?;
    (n_read == size).then_some(unpacked)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use lzma_rust2::{LzmaOptions, LzmaWriter};

    use super::*;

    fn packed(content: &[u8]) -> Vec<u8> {
        let size = Some(content.len() as u64);
        let writer = LzmaWriter::new_use_header(Vec::new(), &LzmaOptions::with_preset(6), size);
        let mut writer = writer.expect("the options are valid");
        writer.write_all(content).expect("memory does not fail");
        writer.finish().expect("memory does not fail")
    }

    #[test]
    fn what_was_packed_returns() {
        let long: Vec<u8> = (0..200_000_u32).flat_map(|i| (i.wrapping_mul(i) % 977).to_le_bytes()).collect();
        for content in [&b""[..], b"a", b"abcabcabcabcabc", &long] {
            assert_eq!(unpack(&packed(content)).as_deref(), Some(content));
        }
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let whole = packed(b"SELECT ? FROM orders, SELECT ? FROM users");
        for cut in 0..whole.len() - 8 {
            assert_eq!(unpack(&whole[..cut]), None, "{cut} bytes");
        }
        let mut huge = whole;
        huge[SIZE_AT..SIZE_AT + 8].fill(0x7F);
        assert_eq!(unpack(&huge), None);
    }
}
