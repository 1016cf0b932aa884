//! The subset of HTTP that a static server needs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// Maximum size of a request's head, in bytes. Browsers send about 1 kB.
const MAX_HEAD: u64 = 64 << 10;

/// The parts of a request that the server needs.
pub struct Request {
    pub method: String,
    /// Path without the query, still percent-encoded.
    pub path: String,
    pub host: String,
    /// First and last byte that are asked for.
    pub range: Option<(u64, u64)>,
}

/// Reads the head of a request. `None` if the head is invalid.
pub fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream.take(MAX_HEAD));
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_ascii_whitespace();
    let method = words.next()?.to_owned();
    let target = words.next()?;
    let path = target.split(['?', '#']).next()?.to_owned();
    let (mut host, mut range) = (String::new(), None);
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 || line.trim_end().is_empty() {
            return Some(Request { method, path, host, range });
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        if name.eq_ignore_ascii_case("host") {
            host = value.trim().to_owned();
        } else if name.eq_ignore_ascii_case("range") {
            let ends = value.trim().strip_prefix("bytes=").and_then(|ends| ends.split_once('-'));
            range = ends.and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
        }
    }
}

/// Writes the status line and headers of a reply.
pub fn write_head(mut stream: &TcpStream, status: &str, headers: &[(&str, String)]) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {status}\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes())
}

/// Percent-decodes a path. `None` if the path is not UTF-8 or has an invalid escape.
pub fn decode(path: &str) -> Option<String> {
    let mut out = Vec::with_capacity(path.len());
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next()?, bytes.next()?];
            let digits =
                std::str::from_utf8(&digits).ok().filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
            out.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

/// Media type for a file extension. Browsers compile during the download only with `application/wasm`.
pub fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "txt" | "md" | "log" | "csv" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
