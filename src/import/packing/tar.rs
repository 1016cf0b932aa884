//! Tar archives (POSIX.1-1988 and -2001, GNU), in slices: blocks of 512 bytes, with a header before each entry.
//!
//! The three forms of names longer than 100 bytes are read: a prefix, a preceding entry (GNU `L`), and a record of an
//! extended header (`x`). Links, folders and devices are skipped.

use super::fault::Fault;

/// Length of a block in bytes.
pub const BLOCK: usize = 512;
const NO_HEADER: &str = "a file header is missing";
/// Maximum length in bytes of a long name (`L`), larger than any path.
const MAX_NAME: u64 = 1 << 16;
const MAX_RECORDS: u64 = 1 << 20;

/// Whether bytes begin with the header of a tar archive.
pub fn is_tar(bytes: &[u8]) -> bool {
    bytes.first_chunk().is_some_and(|block: &[u8; BLOCK]| block[257..262] == *b"ustar" && sums_up(block))
}

/// Receives the entries of an archive.
pub trait TarSink {
    /// Begins a file.
    fn begin(&mut self, name: String);
    /// Takes the next bytes of the current file. Returns whether it must be called again before it can take more.
    fn data(&mut self, bytes: &[u8]) -> bool;
    /// Ends the file; `cut_off` is the length that the file should have, if it ends early. Returns whether it must be
    /// called again before the next file can begin.
    fn end(&mut self, cut_off: Option<u64>) -> bool;
}

/// Splits a tar archive into its entries.
#[derive(Clone, Default)]
pub struct Untar {
    /// Bytes of a header block that is not complete yet.
    block: Vec<u8>,
    /// Length of the current entry, in bytes.
    size: u64,
    /// Bytes of the current entry that have not been read yet.
    left: u64,
    /// Padding bytes between the end of the current entry and the next block.
    padding: u64,
    entry: TarEntry,
    /// Name that a previous entry gives to the next file.
    name: Option<String>,
    /// Whether the entry read last only describes the next file, which must follow.
    announced: bool,
    /// Content of a long-name or extended-header entry.
    text: Vec<u8>,
    /// Whether the sink must be called again in the middle of a file (`is_busy`) or at its end (`ends`).
    is_busy: bool,
    ends: bool,
    /// Number of bytes of the archive that were read so far.
    taken: u64,
    damaged: bool,
}

/// Kind of the current entry.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum TarEntry {
    #[default]
    None,
    File,
    /// The content is the name of the next file.
    LongName,
    /// The content is the extended header of the next file.
    Extended,
    Other,
}

impl Untar {
    /// Takes as many of the next archive bytes as the sink accepts. Returns whether the sink must be called again.
    ///
    /// # Errors
    /// If a header is invalid or missing.
    pub fn push(&mut self, bytes: &mut &[u8], sink: &mut dyn TarSink) -> Result<bool, Fault> {
        loop {
            if self.ends {
                self.ends = sink.end(None);
            } else if self.is_busy {
                self.is_busy = sink.data(&[]);
            }
            if self.ends || self.is_busy {
                return Ok(true);
            }
            if self.damaged {
                *bytes = &[];
            }
            if bytes.is_empty() {
                return Ok(false);
            }
            if self.left > 0 {
                self.content(bytes, sink);
            } else if self.padding > 0 {
                let now = self.padding.min(bytes.len() as u64) as usize;
                self.padding -= now as u64;
                self.taken += now as u64;
                *bytes = &bytes[now..];
            } else {
                *bytes = self.header(bytes, sink)?;
            }
        }
    }

    /// Number of undamaged bytes before the damage; `None` if the archive is not damaged.
    pub fn sound(&self) -> Option<u64> {
        self.damaged.then(|| self.taken - BLOCK as u64)
    }

    /// Finishes reading at the end of the archive. Returns whether it must be called again, because the sink is busy.
    ///
    /// # Errors
    /// If the archive ends early: states what is missing.
    pub fn finish(&mut self, sink: &mut dyn TarSink) -> Result<bool, Fault> {
        if self.damaged {
            return Ok(false);
        }
        if self.left > 0 && self.entry == TarEntry::File {
            if sink.end(Some(self.size)) {
                return Ok(true);
            }
            self.entry = TarEntry::None;
        }
        match (self.left, self.announced || !self.block.is_empty()) {
            (0, false) => Ok(false),
            (0, true) => Err(cut_off("the file that its last header announces")),
            _ => Err(cut_off("the end of the last file in it")),
        }
    }

    fn content(&mut self, bytes: &mut &[u8], sink: &mut dyn TarSink) {
        let now = self.left.min(bytes.len() as u64) as usize;
        let (part, rest) = bytes.split_at(now);
        match self.entry {
            TarEntry::File => self.is_busy = sink.data(part),
            TarEntry::LongName | TarEntry::Extended => self.text.extend_from_slice(part),
            TarEntry::None | TarEntry::Other => {}
        }
        self.left -= now as u64;
        self.taken += now as u64;
        *bytes = rest;
        if self.left == 0 {
            self.end();
        }
    }

    fn end(&mut self) {
        let text = std::mem::take(&mut self.text);
        match std::mem::take(&mut self.entry) {
            TarEntry::File => (self.ends, self.is_busy) = (true, false),
            TarEntry::LongName => self.name = Some(text_of(&text)),
            TarEntry::Extended => self.name = extended_name(&text).or(self.name.take()),
            TarEntry::None | TarEntry::Other => {}
        }
    }

    fn header<'a>(&mut self, bytes: &'a [u8], sink: &mut dyn TarSink) -> Result<&'a [u8], Fault> {
        let now = (BLOCK - self.block.len()).min(bytes.len());
        self.block.extend_from_slice(&bytes[..now]);
        self.taken += now as u64;
        let block = std::mem::take(&mut self.block);
        let Some(header) = block.first_chunk::<BLOCK>() else {
            self.block = block;
            return Ok(&bytes[now..]);
        };
        // Two blocks of zeros end an archive; some writers pad it with more.
        if header.iter().any(|&byte| byte != 0) {
            self.begin(header, sink)?;
        }
        Ok(&bytes[now..])
    }

    fn begin(&mut self, header: &[u8; BLOCK], sink: &mut dyn TarSink) -> Result<(), Fault> {
        let size = match number(&header[124..136]) {
            Some(size) if sums_up(header) => size,
            size => {
                self.damaged = true;
                let is_header = size.is_none() && sums_up(header);
                let reason = if is_header { "a file in it has an invalid size" } else { NO_HEADER };
                return Err(Fault::Damaged(reason.to_owned()));
            }
        };
        (self.size, self.left) = (size, size);
        self.padding = size.next_multiple_of(BLOCK as u64) - size;
        self.entry = match header[156] {
            0 | b'0' | b'7' => TarEntry::File,
            b'L' if size < MAX_NAME => TarEntry::LongName,
            b'L' => {
                self.damaged = true;
                return Err(Fault::Damaged(format!("a file name in it has {size} bytes")));
            }
            b'x' if size < MAX_RECORDS => TarEntry::Extended,
            _ => TarEntry::Other,
        };
        self.announced = matches!(header[156], b'L' | b'x');
        if self.entry == TarEntry::File {
            let name = self.name.take().unwrap_or_else(|| name_of(header));
            sink.begin(name);
        } else if self.entry == TarEntry::Other && header[156] != b'g' {
            self.name = None;
        }
        if size == 0 {
            self.end();
        }
        Ok(())
    }
}

fn cut_off(missing: &str) -> Fault {
    Fault::Damaged(format!("the archive ends early: {missing} is missing"))
}

/// Whether the header's checksum matches: the sum of its bytes, with the checksum field itself counted as blanks.
fn sums_up(header: &[u8; BLOCK]) -> bool {
    let sum: u64 = header.iter().map(|&byte| u64::from(byte)).sum();
    let own: u64 = header[148..156].iter().map(|&byte| u64::from(byte)).sum();
    number(&header[148..156]) == Some(sum - own + 8 * u64::from(b' '))
}

/// Reads octal digits or, as GNU writes large sizes, a big-endian number after a byte 0x80.
fn number(field: &[u8]) -> Option<u64> {
    if let [0x80, rest @ ..] = field {
        let (high, low) = rest.split_last_chunk::<8>()?;
        return Some(u64::from_be_bytes(*low)).filter(|n| high.iter().all(|&b| b == 0) && *n < 1 << 48);
    }
    let text = text_of(field);
    u64::from_str_radix(text.trim(), 8).ok()
}

fn name_of(header: &[u8; BLOCK]) -> String {
    let (name, prefix) = (text_of(&header[..100]), text_of(&header[345..500]));
    // GNU stores times in the bytes where POSIX has the prefix.
    let posix = header[262] == 0 && !prefix.is_empty();
    if posix { format!("{prefix}/{name}") } else { name }
}

/// Text up to the first zero byte.
fn text_of(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Value of `path` in extended-header records, each of the form "length key=value\n".
fn extended_name(mut records: &[u8]) -> Option<String> {
    let mut name = None;
    while let Some(blank) = records.iter().position(|&byte| byte == b' ') {
        let length = std::str::from_utf8(&records[..blank]).ok()?.parse::<usize>().ok()?;
        let record = records.get(blank + 1..length)?;
        if let Some(path) = record.strip_prefix(b"path=") {
            name = Some(text_of(path).trim_end_matches('\n').to_owned());
        }
        records = &records[length..];
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen(Vec<String>, bool);

    impl TarSink for Seen {
        fn begin(&mut self, name: String) {
            self.0.push(format!("{name}: "));
        }
        /// Returns `true` every other time, so that the caller must call it again.
        fn data(&mut self, bytes: &[u8]) -> bool {
            if let Some(last) = self.0.last_mut() {
                last.push_str(&String::from_utf8_lossy(bytes));
            }
            self.1 = !self.1;
            self.1
        }
        fn end(&mut self, broken: Option<u64>) -> bool {
            self.1 = !self.1;
            if let (Some(last), Some(_), false) = (self.0.last_mut(), broken, self.1) {
                last.push('!');
            }
            self.1
        }
    }

    fn entry(kind: u8, name: &str, content: &[u8]) -> Vec<u8> {
        let mut block = vec![0_u8; BLOCK];
        block[..name.len()].copy_from_slice(name.as_bytes());
        block[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        block[156] = kind;
        block[257..263].copy_from_slice(b"ustar\0");
        block[148..156].copy_from_slice(b"        ");
        let sum: u64 = block.iter().map(|&byte| u64::from(byte)).sum();
        block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        block.extend_from_slice(content);
        block.resize(block.len().next_multiple_of(BLOCK), 0);
        block
    }

    fn check(archive: &[u8], expected: &[&str], sound: bool) {
        for size in [1, 7, 512, 513, 1 << 20] {
            let (mut untar, mut seen) = (Untar::default(), Seen::default());
            let read: Result<(), Fault> = archive.chunks(size).try_for_each(|mut part| {
                while untar.push(&mut part, &mut seen)? {}
                Ok(())
            });
            let ended = loop {
                match untar.finish(&mut seen) {
                    Ok(true) => {}
                    ended => break ended,
                }
            };
            assert_eq!(
                (seen.0, read.is_ok() && ended.is_ok()),
                (expected.iter().map(|s| (*s).to_owned()).collect(), sound)
            );
        }
    }

    #[test]
    fn entries_come_with_their_names() {
        let end = vec![0; 2 * BLOCK];
        let files =
            [entry(b'0', "a", b"one"), entry(b'5', "folder/", b""), entry(0, "b", &[b'x'; 600]), end.clone()];
        let long = "x".repeat(600);
        check(&files.concat(), &["a: one", &format!("b: {long}")], true);
        assert!(is_tar(&files.concat()) && !is_tar(&end) && !is_tar(b"ustar"));
        let gnu = [
            entry(b'L', "././@LongLink", b"a/long/name\0"),
            entry(b'0', "a/lo", b"1"),
            entry(b'0', "b", b""),
        ];
        check(&gnu.concat(), &["a/long/name: 1", "b: "], true);
        let pax = [entry(b'x', "PaxHeaders/a", b"13 path=a/b\xC3\xA4\n"), entry(b'0', "a", b"1")];
        check(&pax.concat(), &["a/b\u{e4}: 1"], true);
    }

    #[test]
    fn what_is_whole_is_read() {
        let whole = entry(b'0', "a", b"one");
        let second = entry(b'0', "b", b"three");
        check(&[&whole[..], &second[..BLOCK + 2]].concat(), &["a: one", "b: th!"], false);
        check(&[&whole[..], &[b'?'; BLOCK]].concat(), &["a: one"], false);
        check(&[&whole[..], &second[..BLOCK / 2]].concat(), &["a: one"], false);
        let pax = entry(b'x', "PaxHeaders/b", b"13 path=a/bc\n");
        check(&[&whole[..], &pax].concat(), &["a: one"], false);
        check(&[&whole[..], &pax[..BLOCK + 1]].concat(), &["a: one"], false);
        check(&[&whole[..], &entry(b'L', "a", &[b'n'; 1 << 16])].concat(), &["a: one"], false);
    }
}
