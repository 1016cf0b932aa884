//! [`SessionFile`]: writes a session file, a zip archive of the viewer's state and traces that other programs can unpack.
//!
//! ```text
//! session.json        {"queryscope":"session","version":1,"state":"…","notes":"…","removed":[…]}
//! traces/NAME         the original files, or one NAME.queryscope.ndjson
//! ```

use std::io::{self, Write};

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};
use rawzip::{CompressionMethod, ZipArchiveWriter};

use super::session_entry::session_entry;
use crate::import::SavedSession;

/// Compression level: most of what is possible, in half of the time.
const LEVEL: i32 = 6;
/// First bytes of files that are compressed already: gzip, Zstandard, bzip2.
const COMPRESSED: [&[u8]; 3] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh"];

/// A session file that is being written.
pub struct SessionFile<W: Write> {
    zip: ZipArchiveWriter<W>,
    names: Vec<String>,
}

impl<W: Write> SessionFile<W> {
    /// Begins a session file with its state, notes, and what was removed from its traces.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn new(out: W, saved: &SavedSession) -> io::Result<Self> {
        let mut file = Self { zip: ZipArchiveWriter::new(out), names: Vec::new() };
        file.entry("session.json", true, |out| out.write_all(&session_entry(saved)))?;
        Ok(file)
    }

    /// Adds a trace. `head` are its first bytes, which tell whether it is compressed already; `write` writes all of it.
    ///
    /// # Errors
    /// If the file cannot be written, or if `write` fails.
    pub fn trace(
        &mut self,
        name: &str,
        head: &[u8],
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let name = self.free_name(&stored_name(name));
        let is_compressed = COMPRESSED.iter().any(|magic| head.starts_with(magic));
        self.entry(&format!("traces/{name}"), !is_compressed, write)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> io::Result<W> {
        self.zip.finish().map_err(io::Error::other)
    }

    /// A name that no other trace of the file has.
    fn free_name(&mut self, name: &str) -> String {
        let free = (1..).map(|n| if n == 1 { name.to_owned() } else { format!("{n}/{name}") });
        let free = free.into_iter().find(|name| !self.names.contains(name)).unwrap_or_default();
        self.names.push(free.clone());
        free
    }

    fn entry(
        &mut self,
        name: &str,
        is_packed: bool,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let method = if is_packed { CompressionMethod::DEFLATE } else { CompressionMethod::STORE };
        let file = self.zip.new_file(name).compression_method(method);
        let (mut entry, config) = file.start().map_err(io::Error::other)?;
        let described = if is_packed {
            let mut plain = config.wrap(Deflater::new(&mut entry));
            write(&mut plain)?;
            let (deflater, described) = plain.finish().map_err(io::Error::other)?;
            deflater.finish()?;
            described
        } else {
            let mut plain = config.wrap(&mut entry);
            write(&mut plain)?;
            plain.finish().map_err(io::Error::other)?.1
        };
        entry.finish(described).map_err(io::Error::other)?;
        Ok(())
    }
}

/// The name of a trace in a session file: relative, with slashes, and inside its folder.
fn stored_name(name: &str) -> String {
    let parts = name.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    let is_safe = |c: &char| !c.is_control() && *c != ':';
    let parts: Vec<String> = parts.map(|part| part.chars().filter(is_safe).collect()).collect();
    let name = parts.join("/");
    if name.is_empty() { "trace".to_owned() } else { name }
}

/// Deflates what is written to it.
struct Deflater<W: Write> {
    out: W,
    compressor: Box<CompressorOxide>,
}

impl<W: Write> Deflater<W> {
    fn new(out: W) -> Self {
        // A negative number of window bits stands for data without the header of zlib.
        let flags = create_comp_flags_from_zip_params(LEVEL, -15, 0);
        Self { out, compressor: Box::new(CompressorOxide::new(flags)) }
    }

    fn step(&mut self, mut bytes: &[u8], flush: TDEFLFlush) -> io::Result<()> {
        loop {
            let mut written = Ok(());
            let (status, taken) = compress_to_output(&mut self.compressor, bytes, flush, |packed| {
                written = self.out.write_all(packed);
                written.is_ok()
            });
            written?;
            bytes = &bytes[taken..];
            match status {
                TDEFLStatus::Done => return Ok(()),
                TDEFLStatus::Okay if bytes.is_empty() && flush == TDEFLFlush::None => return Ok(()),
                TDEFLStatus::Okay => {}
                _ => return Err(io::Error::other("the compressor failed")),
            }
        }
    }

    fn finish(mut self) -> io::Result<()> {
        self.step(&[], TDEFLFlush::Finish)
    }
}

impl<W: Write> Write for Deflater<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.step(bytes, TDEFLFlush::None)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_the_archive() {
        for (name, stored) in [
            ("a.json", "a.json"),
            ("/home/me/a.json", "home/me/a.json"),
            ("../../etc/passwd", "etc/passwd"),
            ("C:\\traces\\a.json", "C/traces/a.json"),
            ("..", "trace"),
            ("a\n\u{0}b", "ab"),
        ] {
            assert_eq!(stored_name(name), stored);
        }
    }
}
