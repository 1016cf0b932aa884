//! A static server on 127.0.0.1 that records its requests.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::http::{self, Request};

/// A folder or file, and the path under which it is served.
#[derive(Clone, Debug)]
pub struct Mount {
    /// URL path. Starts with a slash; for a folder, also ends with a slash.
    pub at: String,
    /// Path of the folder or file on the disk.
    pub path: PathBuf,
}

impl Mount {
    /// Serves the folder or file `path` under the URL path `at`.
    pub fn new(at: &str, path: impl Into<PathBuf>) -> Self {
        Mount { at: at.to_owned(), path: path.into() }
    }
}

/// A request that a server received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visit {
    /// First and last byte that were asked for; `None` for the whole file.
    pub range: Option<(u64, u64)>,
    /// HTTP method, such as `GET` or `HEAD`.
    pub method: String,
    /// Requested path, percent-decoded.
    pub path: String,
}

/// A running server, which serves until the process ends.
pub struct Server {
    url: String,
    visits: Arc<Mutex<Vec<Visit>>>,
    stopped: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server on a free port.
    pub fn start(mounts: Vec<Mount>) -> io::Result<Self> {
        Self::on(TcpListener::bind("127.0.0.1:0")?, mounts, false)
    }

    /// Starts a server on a free port that allows pages of other origins to read its replies (CORS).
    pub fn shared(mounts: Vec<Mount>) -> io::Result<Self> {
        Self::on(TcpListener::bind("127.0.0.1:0")?, mounts, true)
    }

    /// Starts a server on a free port that sends whole files only, whatever range is asked for.
    pub fn of_whole_files(mounts: Vec<Mount>) -> io::Result<Self> {
        Self::serving(TcpListener::bind("127.0.0.1:0")?, mounts, true, false)
    }

    /// Starts a server on a listener that is already bound.
    pub fn on(listener: TcpListener, mounts: Vec<Mount>, cors: bool) -> io::Result<Self> {
        Self::serving(listener, mounts, cors, true)
    }

    fn serving(listener: TcpListener, mounts: Vec<Mount>, cors: bool, has_ranges: bool) -> io::Result<Self> {
        let url = format!("http://{}/", listener.local_addr()?);
        let visits = Arc::new(Mutex::new(Vec::new()));
        let site = Arc::new(Site { mounts, cors, has_ranges, visits: Arc::clone(&visits) });
        let stopped = Arc::new(AtomicBool::new(false));
        let closed = Arc::clone(&stopped);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if closed.load(Ordering::Relaxed) {
                    continue;
                }
                let site = Arc::clone(&site);
                // A browser may disconnect in the middle of a file, which is not an error.
                std::thread::spawn(move || site.answer(&stream).ok());
            }
        });
        Ok(Server { url, visits, stopped })
    }

    /// Stops answering: from now on every connection is closed at once, as without a network.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Base URL of the server, with a slash at its end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns all requests so far.
    pub fn visits(&self) -> Vec<Visit> {
        self.visits.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

struct Site {
    mounts: Vec<Mount>,
    cors: bool,
    has_ranges: bool,
    visits: Arc<Mutex<Vec<Visit>>>,
}

impl Site {
    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let Some(request) = http::read(stream) else { return Ok(()) };
        let path = http::decode(&request.path);
        let visit = Visit {
            range: request.range,
            method: request.method.clone(),
            path: path.clone().unwrap_or_default(),
        };
        self.visits.lock().unwrap_or_else(PoisonError::into_inner).push(visit);
        match self.find(&request, path.as_deref()) {
            Ok(file) => self.send(stream, &request, &file),
            Err(status) => http::write_head(stream, status, &[("Content-Length", "0".into())]),
        }
    }

    fn send(&self, stream: &TcpStream, request: &Request, path: &Path) -> io::Result<()> {
        let mut file = File::open(path)?;
        let name = path.to_string_lossy();
        let size = file.metadata()?.len();
        let range = request.range.filter(|_| self.has_ranges);
        let allowed = self.cors.then(|| ("Access-Control-Allow-Origin", "*".to_owned()));
        if range.is_some_and(|(first, _)| first >= size) {
            let mut headers =
                vec![("Content-Length", "0".to_owned()), ("Content-Range", format!("bytes */{size}"))];
            headers.extend(allowed);
            return http::write_head(stream, "416 Range Not Satisfiable", &headers);
        }
        let (first, last) = range.map_or((0, size), |(first, last)| (first, (last + 1).min(size)));
        let mut headers = vec![
            ("Content-Type", http::media_type(&name).to_owned()),
            ("Content-Length", (last - first).to_string()),
        ];
        if range.is_some() {
            headers.push(("Content-Range", format!("bytes {first}-{}/{size}", last - 1)));
        }
        headers.extend(allowed);
        let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
        http::write_head(stream, status, &headers)?;
        if request.method == "GET" {
            file.seek(SeekFrom::Start(first))?;
            io::copy(&mut file.take(last - first), &mut &*stream)?;
        }
        Ok(())
    }

    /// Returns the file for a request, or the error status.
    fn find(&self, request: &Request, path: Option<&str>) -> Result<PathBuf, &'static str> {
        if !is_local(&request.host) {
            // A foreign host name means DNS rebinding by another origin's page, which must not read local files.
            return Err("421 Misdirected Request");
        }
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Err("405 Method Not Allowed");
        }
        let path = path.ok_or("400 Bad Request")?;
        let mount = self.mounts.iter().filter(|m| m.covers(path)).max_by_key(|m| m.at.len());
        mount.and_then(|m| m.file(path)).ok_or("404 Not Found")
    }
}

impl Mount {
    fn covers(&self, path: &str) -> bool {
        if self.at.ends_with('/') { path.starts_with(&self.at) } else { path == self.at }
    }

    fn file(&self, path: &str) -> Option<PathBuf> {
        let rest = path.strip_prefix(&self.at)?;
        if rest.is_empty() && !self.at.ends_with('/') {
            return self.path.is_file().then(|| self.path.clone());
        }
        let mut file = self.path.clone();
        for part in rest.split('/').filter(|p| !p.is_empty()) {
            if part.starts_with('.') || part.contains(['\\', ':', '\0']) {
                return None;
            }
            file.push(part);
        }
        if rest.is_empty() || rest.ends_with('/') {
            file.push("index.html");
        }
        file.is_file().then_some(file)
    }
}

fn is_local(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _port)| name);
    matches!(name, "127.0.0.1" | "localhost")
}

/// Percent-encodes one segment of a path, so that every file name is valid in a URL and in a fragment.
pub fn encode(part: &str) -> String {
    let mut out = String::new();
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    /// Sends a raw request and returns the status code of the reply.
    fn status(server: &Server, request: &str) -> String {
        let address = server.url().trim_start_matches("http://").trim_end_matches('/');
        let mut stream = TcpStream::connect(address).expect("the server listens");
        stream.write_all(request.as_bytes()).expect("the server reads");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("the server replies");
        reply.split(' ').nth(1).unwrap_or_default().to_owned()
    }

    #[test]
    fn serves_its_mounts_and_nothing_else() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mounts =
            vec![Mount::new("/src/", here.join("src")), Mount::new("/open/0/a b", here.join("Cargo.toml"))];
        let server = Server::start(mounts).expect("a free port");
        for (request, host, want) in [
            ("GET /src/lib.rs", "127.0.0.1:1", "200"),
            ("GET /src/lib.rs?x#y", "localhost", "200"),
            ("HEAD /src/lib.rs", "localhost", "200"),
            ("GET /open/0/a%20b", "localhost", "200"),
            ("GET /open/0/a%20b/", "localhost", "404"),
            ("GET /src/", "localhost", "404"),
            ("GET /", "localhost", "404"),
            ("GET /src/../Cargo.toml", "localhost", "404"),
            ("GET /src/%2e%2e/Cargo.toml", "localhost", "404"),
            ("GET /src/..%2fCargo.toml", "localhost", "404"),
            ("GET /src/..%5cCargo.toml", "localhost", "404"),
            ("GET //src/lib.rs", "localhost", "404"),
            ("GET /src/%zz", "localhost", "400"),
            ("GET /src/%+1", "localhost", "400"),
            ("POST /src/lib.rs", "localhost", "405"),
            ("GET /src/lib.rs", "evil.example", "421"),
            ("GET /src/lib.rs", "127.0.0.1.evil.example", "421"),
        ] {
            let got = status(&server, &format!("{request} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
            assert_eq!(got, want, "{request} for {host}");
        }
        assert_eq!(server.visits().len(), 17);
    }

    #[test]
    fn encode_is_undone_by_decode() {
        for name in ["a.json", "a b&c#d%.json", "trace=é漢.log"] {
            assert_eq!(http::decode(&encode(name)).as_deref(), Some(name));
        }
    }
}
