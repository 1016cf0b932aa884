//! Compressed copies of the site's files, `.br` and `.gz`, for hosts that send them instead of compressing themselves.

use std::fs;
use std::io::Write;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, anyhow};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::files::below;

/// Endings of files that become smaller.
const ENDINGS: &[&str] = &["html", "js", "css", "wasm", "json", "svg", "webmanifest", "ts", "txt", "xml"];
/// Size in bytes from which a compressed copy is worth a file.
const SMALLEST: u64 = 512;

/// Writes a `.br` and a `.gz` copy next to every file of the site that becomes smaller, and returns the number of files.
pub fn write(dist: &Path) -> Result<usize> {
    let mut files = Vec::new();
    for file in below(dist)? {
        let size = fs::metadata(&file)?.len();
        let ending = file.extension().unwrap_or_default().to_string_lossy();
        if ENDINGS.contains(&&*ending) && size >= SMALLEST {
            files.push((size, file));
        }
    }
    // The SQL program takes longer than all other files: one thread begins with it, the others compress the rest.
    files.sort_unstable_by(|a, b| b.cmp(a));
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((_, file)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            write_copies(file)?;
        }
        Ok(())
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err(anyhow!("a thread that compresses files ended early")))
        })
    })?;
    Ok(files.len())
}

fn write_copies(file: &Path) -> Result<()> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let ending = file.extension().unwrap_or_default().to_string_lossy();
    fs::write(file.with_extension(format!("{ending}.br")), brotli(&bytes)?)?;
    Ok(fs::write(file.with_extension(format!("{ending}.gz")), gzip(&bytes)?)?)
}

/// Whether a file is a copy that [`write`] made.
pub fn is_copy(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(rest, last)| {
        matches!(last, "br" | "gz") && ENDINGS.iter().any(|ending| rest.ends_with(&format!(".{ending}")))
    })
}

/// Compresses with gzip at the highest level.
pub fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(bytes)?;
    Ok(out.finish()?)
}

/// Compresses with brotli at the highest level.
pub fn brotli(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let best = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, ..Default::default() };
    brotli::BrotliCompress(&mut &*bytes, &mut out, &best)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn copies_unpack_to_the_file() -> Result<()> {
        let dist = std::env::temp_dir().join(format!("queryscope-compressed-{}", std::process::id()));
        fs::create_dir_all(dist.join("deep"))?;
        let text = "what repeats is small, ".repeat(100);
        fs::write(dist.join("deep/page.html"), &text)?;
        fs::write(dist.join("small.js"), "0")?;
        fs::write(dist.join("sample.json.gz"), &text)?;
        assert_eq!(write(&dist)?, 1);
        let mut unpacked = Vec::new();
        brotli::BrotliDecompress(&mut &*fs::read(dist.join("deep/page.html.br"))?, &mut unpacked)?;
        assert_eq!(unpacked, text.as_bytes());
        let mut unpacked = String::new();
        flate2::read::GzDecoder::new(&*fs::read(dist.join("deep/page.html.gz"))?)
            .read_to_string(&mut unpacked)?;
        assert_eq!(unpacked, text);
        assert!(!dist.join("small.js.br").exists() && !dist.join("sample.json.gz.gz").exists());
        assert_eq!((is_copy("a.html.br"), is_copy("a.js.gz"), is_copy("run.gz")), (true, true, false));
        Ok(fs::remove_dir_all(&dist)?)
    }
}
