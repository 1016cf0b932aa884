//! The screenshots of the README and the handbook: one trace per engine and one per view, as a user sees them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufReader, BufWriter};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Browser, Mount, Options, Server, encode, root};
use serde_json::json;

use crate::{browser, site};

#[derive(clap::Args)]
pub struct Arguments {
    /// Take only the screenshots whose names contain this text.
    only: Option<String>,
    /// Use the site that is already in dist/.
    #[arg(long)]
    no_build: bool,
}

/// A screenshot to take.
struct Picture {
    /// File name in docs/pictures/, without the extension.
    name: &'static str,
    /// Files to open together, by their paths in the repository.
    traces: &'static [&'static str],
    /// Fragment of the address, without the trace.
    state: &'static str,
    /// CSS selector of the element to click after the trace is drawn; empty for no click.
    click: &'static str,
    /// Keys to press after the click.
    keys: &'static str,
    scheme: &'static str,
}

/// A screenshot of a view in the light theme, without a selection.
const fn view(name: &'static str, traces: &'static [&'static str], state: &'static str) -> Picture {
    Picture { name, traces, state, click: "", keys: "", scheme: "light" }
}

const SAMPLE: &str = "web/assets/sample/no-buffer.json.gz";
const OTHER_SAMPLE: &str = "web/assets/sample/buffer-rocks.json.gz";
const MONETDB: &str = "docs/traces/monetdb.json.gz";
const MYSQL: &str = "docs/traces/mysql.zip";

const PICTURES: &[Picture] = &[
    Picture {
        name: "kubling",
        traces: &[SAMPLE],
        state: "view=gantt",
        click: ".query-row:nth-child(4)",
        keys: "",
        scheme: "light",
    },
    Picture {
        name: "monetdb",
        traces: &[MONETDB],
        state: "view=gantt&t=-5000000,430000000",
        click: ".query-row",
        keys: "",
        scheme: "light",
    },
    Picture {
        name: "topoexec",
        traces: &["docs/traces/topoexec.json.gz"],
        state: "view=gantt",
        click: "",
        keys: "\u{e015}\u{e015}\u{e015}",
        scheme: "light",
    },
    Picture {
        name: "chrome",
        traces: &["docs/traces/sql-engine.json.gz"],
        state: "view=flame",
        click: "",
        keys: "\u{e015}\u{e015}\u{e015}",
        scheme: "dark",
    },
    Picture {
        name: "mysql",
        traces: &[MYSQL],
        state: "view=gantt",
        click: ".query-row:nth-child(2)",
        keys: "",
        scheme: "light",
    },
    view("folded", &["docs/traces/sql-engine.folded.gz"], "view=flame&flame=merged"),
    view("overview", &[SAMPLE], "view=overview"),
    view("runs", &[SAMPLE, OTHER_SAMPLE], "view=overview"),
    view("findings", &[MYSQL], "view=overview"),
    view("statements", &[SAMPLE], "view=statements"),
    view("sources", &[SAMPLE], "view=sources"),
    view("flame", &[SAMPLE], "view=flame"),
    view("merged", &[SAMPLE], "view=flame&flame=merged"),
    view(
        "pivot",
        &[SAMPLE],
        "view=pivot&by=datasource,command%20type&measure=count,sum(self%20time),p95,sum(rows%20read),sum(rows%20returned)&where=kind%20=%20%22source%20execution%22",
    ),
    view("parallel", &[MONETDB], "view=parallel"),
    view("compare", &[SAMPLE], "view=compare"),
    view("transactions", &[MYSQL], "view=transactions"),
    view("tables", &[MYSQL], "view=tables"),
    Picture {
        name: "sql",
        traces: &[SAMPLE],
        state: "view=sql&sql=SELECT%20name,%20count(*)%20AS%20executions,%20sum(duration_ns)%20AS%20total_ns,%20max(duration_ns)%20AS%20longest_ns%0AFROM%20spans%0AWHERE%20kind%20=%20'source%20execution'%0AGROUP%20BY%20name%0AORDER%20BY%20total_ns%20DESC",
        click: ".sql .btn.primary",
        keys: "",
        scheme: "light",
    },
    Picture {
        name: "report",
        traces: &[MYSQL],
        state: "view=gantt",
        click: "#report-button",
        keys: "",
        scheme: "light",
    },
];

/// JavaScript expression: whether a trace is open and complete.
const READY: &str =
    "document.querySelector('#app')?.dataset.phase === 'ready' && !document.querySelector('.loading')";

/// Takes the screenshots and writes them to docs/pictures/.
pub fn take(arguments: &Arguments) -> Result<()> {
    browser::find()?;
    let dist = if arguments.no_build { queryscope_e2e::site()? } else { site::build()? };
    let chosen =
        |picture: &&Picture| arguments.only.as_deref().is_none_or(|only| picture.name.contains(only));
    let pictures: Vec<&Picture> = PICTURES.iter().filter(chosen).collect();
    ensure!(!pictures.is_empty(), "no picture is called so");
    for picture in pictures {
        let path = root().join("docs/pictures").join(format!("{}.png", picture.name));
        picture.take(&dist, &path).with_context(|| format!("the picture {}", picture.name))?;
        println!("{}: {} kB", path.display(), fs::metadata(&path)?.len() / 1000);
    }
    Ok(())
}

impl Picture {
    fn take(&self, dist: &Path, path: &Path) -> Result<()> {
        let mut mounts = Vec::new();
        let mut fragment = String::new();
        for file in self.traces.iter().map(|path| root().join(path)) {
            let name = file.file_name().context("a file has a name")?.to_string_lossy().into_owned();
            fragment += &format!("trace=open/{}&", encode(&name));
            mounts.push(Mount::new(&format!("/open/{name}"), file));
        }
        mounts.push(Mount::new("/", dist));
        let server = Server::start(mounts)?;
        let browser = Browser::start(Options::default())?;
        browser.prefer(self.scheme)?;
        browser.open(&format!("{}#{fragment}{}", server.url(), self.state))?;
        browser.wait("the trace", READY)?;
        rest(&browser)?;
        if !self.click.is_empty() {
            browser.click(self.click)?;
            rest(&browser)?;
        }
        for key in self.keys.chars() {
            browser.keys(&key.to_string())?;
            rest(&browser)?;
        }
        if !self.keys.is_empty() {
            // The address contains the selection. Opening it again shows the selection without a card next to it.
            let address = browser.run("return location.href", json!([]))?;
            browser.open(address.as_str().context("an address")?)?;
            browser.wait("the trace", READY)?;
            rest(&browser)?;
        }
        browser.screenshot(path)?;
        shrink(path)
    }
}

/// Waits until pending requests are drawn.
fn rest(browser: &Browser) -> Result<()> {
    browser.run_async("await new Promise(done => setTimeout(done, 700)); return 0;", json!([])).map(|_| ())
}

/// Rewrites a PNG with a palette, in a third of the bytes: the most common colours stay exact; the rest, which smooth
/// the edges of letters, become the nearest colour of the palette.
fn shrink(path: &Path) -> Result<()> {
    let mut reader = png::Decoder::new(BufReader::new(fs::File::open(path)?)).read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().context("the picture's size")?];
    let info = reader.next_frame(&mut bytes)?;
    let samples = info.color_type.samples();
    ensure!(info.bit_depth == png::BitDepth::Eight && samples >= 3, "a picture of {:?}", info.color_type);
    let pixels: Vec<Color> =
        bytes[..info.buffer_size()].chunks_exact(samples).map(|p| [p[0], p[1], p[2]]).collect();
    let (palette, indices) = indexed(&pixels);
    let mut encoder = png::Encoder::new(BufWriter::new(fs::File::create(path)?), info.width, info.height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.concat());
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    encoder.write_header()?.write_image_data(&indices)?;
    Ok(())
}

type Color = [u8; 3];

/// A palette of at most 256 colours, and the nearest palette entry of each pixel. Colours are added from the most
/// common to the rarest, if no entry is near, so that rare but distinct colours, such as in a legend, are kept.
fn indexed(pixels: &[Color]) -> (Vec<Color>, Vec<u8>) {
    let mut counts = BTreeMap::<Color, u32>::new();
    for pixel in pixels {
        *counts.entry(*pixel).or_default() += 1;
    }
    let mut colors: Vec<Color> = counts.keys().copied().collect();
    colors.sort_by_key(|color| (std::cmp::Reverse(counts[color]), *color));
    let mut apart = 1;
    let palette = loop {
        let mut palette: Vec<Color> = Vec::new();
        for &color in &colors {
            if palette.len() <= 256 && palette.iter().all(|&known| distance(known, color) >= apart) {
                palette.push(color);
            }
        }
        if palette.len() <= 256 {
            break palette;
        }
        apart += 1 + apart / 4;
    };
    let nearest =
        |color: Color| (0..palette.len()).min_by_key(|&at| distance(palette[at], color)).unwrap_or(0);
    let places: BTreeMap<Color, u8> = counts.keys().map(|&color| (color, nearest(color) as u8)).collect();
    let indices = pixels.iter().map(|pixel| places[pixel]).collect();
    (palette, indices)
}

/// Squared distance between two colours.
fn distance(a: Color, b: Color) -> u32 {
    (0..3).map(|c| u32::from(a[c].abs_diff(b[c])).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_colours_stay() {
        let (palette, indices) = indexed(&[[9, 9, 9], [1, 2, 3], [9, 9, 9]]);
        assert_eq!((palette, indices), (vec![[9, 9, 9], [1, 2, 3]], vec![0, 1, 0]));
        // More shades of red than a palette can hold, each twice, and one blue pixel.
        let reds = (0..=255).flat_map(|shade| [[shade, 0, 0], [shade, 1, 0]].repeat(2));
        let pixels: Vec<Color> = reds.chain([[0, 0, 255]]).collect();
        let (palette, indices) = indexed(&pixels);
        assert!(palette.len() <= 256 && palette.contains(&[0, 0, 255]), "{palette:?}");
        let far = |(pixel, &at): (&Color, &u8)| distance(*pixel, palette[usize::from(at)]);
        assert!(pixels.iter().zip(&indices).map(far).max() <= Some(4));
    }
}
