//! Archives for tests, written byte by byte and independent of the engine's code.

/// Computes the CRC-32 checksum, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg());
    !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), step))
}

/// A gzip file with one uncompressed block.
pub fn gzip_stored(text: &[u8]) -> Vec<u8> {
    let length = u16::try_from(text.len()).expect("a block is as short");
    let mut bytes = vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    bytes.extend(length.to_le_bytes().into_iter().chain((!length).to_le_bytes()));
    bytes.extend(text);
    bytes.extend(crc(text).to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes
}

/// A Zstandard file of uncompressed blocks, with a window of 2 MiB.
pub fn zstd_stored(parts: &[&[u8]]) -> Vec<u8> {
    let mut file = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 0x58];
    for part in parts {
        file.extend(&((part.len() as u32) << 3).to_le_bytes()[..3]);
        file.extend(*part);
    }
    file.extend([1, 0, 0]);
    file
}

/// A Zstandard file that repeats one byte: four bytes per 128 KiB of content.
pub fn zstd_repeated(byte: u8, length: u64) -> Vec<u8> {
    const BLOCK: u64 = 128 << 10;
    let mut file = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 0x58];
    for _ in 0..length / BLOCK {
        file.extend(&((BLOCK as u32) << 3 | 1 << 1).to_le_bytes()[..3]);
        file.push(byte);
    }
    file.extend([1, 0, 0]);
    file
}

/// A tar entry with this type flag.
pub fn tar_entry(kind: u8, name: &str, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0_u8; 512];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    bytes[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    bytes[156] = kind;
    bytes[257..263].copy_from_slice(b"ustar\0");
    sum_up(&mut bytes);
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

/// Writes the checksum into a tar header.
pub fn sum_up(entry: &mut [u8]) {
    entry[148..156].fill(b' ');
    let sum: u64 = entry[..512].iter().map(|&byte| u64::from(byte)).sum();
    entry[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
}

/// A tar archive with these files.
pub fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive: Vec<u8> = files.iter().flat_map(|(name, bytes)| tar_entry(b'0', name, bytes)).collect();
    archive.resize(archive.len() + 1024, 0);
    archive
}

/// A zip archive of uncompressed files, with or without a central directory.
pub fn zip(files: &[(&str, &[u8])], has_table: bool) -> Vec<u8> {
    let (mut archive, mut table) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let (sum, length) = (crc(bytes).to_le_bytes(), (bytes.len() as u32).to_le_bytes());
        let start = (archive.len() as u32).to_le_bytes();
        let sizes = [&sum[..], &length, &length, &[name.len() as u8, 0, 0, 0]].concat();
        let shared = [&[20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x28][..], &sizes].concat();
        archive.extend([b"PK\x03\x04", &shared[..], name.as_bytes(), bytes].concat());
        table.extend([b"PK\x01\x02\x14\x00", &shared[..], &[0; 10], &start, name.as_bytes()].concat());
    }
    if has_table {
        let (n, start) = ((files.len() as u16).to_le_bytes(), (archive.len() as u32).to_le_bytes());
        let length = (table.len() as u32).to_le_bytes();
        archive.extend(table);
        archive.extend([&b"PK\x05\x06\0\0\0\0"[..], &n, &n, &length, &start, &[0, 0]].concat());
    }
    archive
}
