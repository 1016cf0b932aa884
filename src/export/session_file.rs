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

use super::session_entry::{is_compressed, session_entry, trace_path};
use crate::import::SavedSession;

/// Compression level: nearly as small as with the highest level, in half of the time.
const LEVEL: i32 = 6;
/// A session file that is being written.
pub struct SessionFile<W: Write> {
    zip: ZipArchiveWriter<W>,
    paths: Vec<String>,
}

impl<W: Write> SessionFile<W> {
    /// Begins a session file with its state, notes, and what was removed from its traces.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn new(out: W, saved: &SavedSession) -> io::Result<Self> {
        let mut file = Self { zip: ZipArchiveWriter::new(out), paths: Vec::new() };
        file.entry("session.json", true, |out| out.write_all(&session_entry(saved)))?;
        Ok(file)
    }

    /// Adds a trace. `head` is its first bytes, by which compressed files are recognised; `write` writes the whole
    /// trace.
    ///
    /// # Errors
    /// If the file cannot be written, or if `write` fails.
    pub fn trace(
        &mut self,
        name: &str,
        head: &[u8],
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let path = trace_path(name, |path| self.paths.iter().any(|taken| taken == path));
        self.paths.push(path.clone());
        self.entry(&path, !is_compressed(head), write)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> io::Result<W> {
        self.zip.finish().map_err(io::Error::other)
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

/// Writer that compresses with deflate.
struct Deflater<W: Write> {
    out: W,
    compressor: Box<CompressorOxide>,
}

impl<W: Write> Deflater<W> {
    fn new(out: W) -> Self {
        // A negative number of window bits means data without the header of zlib.
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
