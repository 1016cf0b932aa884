//! Builds the viewer as a single HTML file, the template of every HTML file with a trace. It contains the programs of the page
//! and of the engine, and its content security policy allows no request.
//!
//! A page from `file://` can read no other file and start no module worker, so both programs have glue for classic scripts.
//! They are packed with LZMA. A third, small program unpacks them.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::num::NonZeroU64;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use lzma_rust2::{LzmaOptions, LzmaWriter};
use queryscope_e2e::root;
use sha2::{Digest, Sha256};

use crate::run;
use crate::site::{PAGE, ProgramFiles, shortened, stripped};
use crate::tools;

/// Name of the file in the site's folder.
pub const NAME: &str = "queryscope-single.html";

/// Maximum size of the viewer's HTML file without a trace, in bytes.
const LIMIT: u64 = 2_376_000;

/// Package of the program that unpacks the others.
const UNPACK: &str = "queryscope-unpack";
/// Name of the global variable that the glue of this program defines.
const UNPACK_GLOBAL: &str = "unpacker";

/// Preset of LZMA from 0 to 9: the smallest result, which takes some seconds.
const LZMA_PRESET: u32 = 9;

/// Number of iterations in which the gzip compressor makes its result smaller.
const EFFORT: NonZeroU64 = NonZeroU64::new(3).expect("it is not 0");

/// Writes the file into the folder of the built site. `path`: the PATH with the tools.
pub fn build(dist: &Path, path: &OsStr) -> Result<()> {
    let page = Program::bind(PAGE, PAGE, "wasm_bindgen", path)?;
    let engine = engine_of(dist)?;
    let unpack = unpacker(path)?;
    let assets = root().join("web/assets");
    let read = |name: &str| {
        fs::read_to_string(assets.join(name)).with_context(|| format!("cannot read web/assets/{name}"))
    };
    let index = fs::read_to_string(dist.join("index.html"))?;
    let html = compose(&Parts {
        template: &read("single/index.html")?,
        icon: icon(&index).context("the page has no icon")?,
        style: &read("site.css")?,
        glue: &(unpack.glue + "\n" + &page.glue),
        boot: &read("single/boot.js")?,
        blocks: &[
            ("unpack", gzip(&unpack.wasm)?),
            ("page", lzma(&page.wasm)?),
            ("engine", lzma(&engine.wasm)?),
            ("worker", lzma(engine.glue.as_bytes())?),
        ],
    })?;
    let size = html.len() as u64;
    ensure!(size < LIMIT, "{NAME}: {size} bytes, {LIMIT} are allowed");
    Ok(fs::write(dist.join(NAME), html)?)
}

/// A program with glue for classic scripts.
struct Program {
    glue: String,
    wasm: Vec<u8>,
}

impl Program {
    /// Makes the glue of the program `built` in the target folder, which begins with `name` and defines `global`.
    fn bind(built: &str, name: &str, global: &str, path: &OsStr) -> Result<Self> {
        let target = run::target();
        let built = target.join("wasm32-unknown-unknown/release").join(format!("{built}.wasm"));
        let folder = target.join("single-file");
        let mut bindgen = run::command("wasm-bindgen");
        bindgen.args(["--target", "no-modules", "--no-typescript", "--no-modules-global", global]);
        bindgen.args(["--out-name", name, "--out-dir"]).arg(&folder).arg(&built);
        run::run(bindgen.env("PATH", path)).with_context(|| format!("no glue for {}", built.display()))?;
        Ok(Self {
            glue: stripped(&fs::read_to_string(folder.join(format!("{name}.js")))?),
            wasm: fs::read(folder.join(format!("{name}_bg.wasm")))?,
        })
    }
}

/// Builds the program that unpacks the others.
fn unpacker(path: &OsStr) -> Result<Program> {
    let target = ["build", "--release", "--locked", "--target", tools::TARGET, "--package", UNPACK];
    run::run(run::cargo().args(target).envs([shortened()?]))?;
    Program::bind(&UNPACK.replace('-', "_"), UNPACK, UNPACK_GLOBAL, path)
}

/// Reads the engine of the site. Its script is already a classic script for workers.
fn engine_of(dist: &Path) -> Result<Program> {
    let ProgramFiles { engine, engine_module, .. } = ProgramFiles::of(dist)?;
    Ok(Program { glue: fs::read_to_string(dist.join(engine))?, wasm: fs::read(dist.join(engine_module))? })
}

/// The parts of the file.
struct Parts<'a> {
    template: &'a str,
    icon: &'a str,
    style: &'a str,
    glue: &'a str,
    boot: &'a str,
    /// Ids and packed contents of the data blocks.
    blocks: &'a [(&'a str, Vec<u8>)],
}

/// The `<link>` element of the page's icon, a `data:` URL; `None` if the page has none.
fn icon(index: &str) -> Option<&str> {
    let start = index.find("<link rel=\"icon\" href=\"data:")?;
    let end = index[start..].find("/>")?;
    Some(&index[start..start + end + 2])
}

fn compose(parts: &Parts) -> Result<String> {
    for script in [parts.glue, parts.boot] {
        let ends = ["</script", "<!--", "<script"].iter().any(|mark| script.contains(mark));
        ensure!(!ends, "a script of {NAME} contains a mark that ends or hides it");
    }
    let blocks: Vec<String> = parts.blocks.iter().map(|(name, packed)| block(name, packed)).collect();
    // Placeholders in inserted content are not replaced.
    let mut html = String::new();
    let mut rest = parts.template;
    for (place, content) in [
        ("{policy}", policy(&[parts.glue, parts.boot]).as_str()),
        ("{icon}", parts.icon),
        ("{style}", parts.style),
        ("{programs}", &blocks.join("\n    ")),
        ("{glue}", parts.glue),
        ("{boot}", parts.boot),
    ] {
        let (before, after) =
            rest.split_once(place).with_context(|| format!("no {place} in the template"))?;
        html.push_str(before);
        html.push_str(content);
        rest = after;
    }
    Ok(html + rest)
}

/// Content security policy of the file: it allows no request, and no scripts except `scripts`.
fn policy(scripts: &[&str]) -> String {
    let hash = |script: &&str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script.as_bytes())));
    let hashes: Vec<String> = scripts.iter().map(hash).collect();
    format!(
        "default-src 'none'; script-src {} 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; \
         img-src data: blob:; base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    )
}

/// Compresses to an `.lzma` file whose header contains the uncompressed size.
fn lzma(content: &[u8]) -> Result<Vec<u8>> {
    let options = LzmaOptions::with_preset(LZMA_PRESET);
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(content.len() as u64))?;
    writer.write_all(content)?;
    Ok(writer.finish()?)
}

/// Compresses with gzip. The result is some percent smaller than that of other compressors, and takes some seconds.
fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut packed = Vec::new();
    let effort = zopfli::Options { iteration_count: EFFORT, ..zopfli::Options::default() };
    zopfli::compress(effort, zopfli::Format::Gzip, content, &mut packed)?;
    Ok(packed)
}

/// A data block: a `<script>` element with a type that browsers do not run, so the policy does not apply to its content.
fn block(name: &str, packed: &[u8]) -> String {
    format!(
        "<script id=\"queryscope-{name}\" type=\"application/octet-stream\" data-length=\"{}\">{}</script>",
        packed.len(),
        base85(packed)
    )
}

/// Encodes four bytes as five characters from `(` to `|`, with `}` in place of `<`; zeros fill the last four bytes.
fn base85(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() / 4 * 5 + 5);
    for four in bytes.chunks(4) {
        let mut filled = [0; 4];
        filled[..four.len()].copy_from_slice(four);
        let value = u32::from_be_bytes(filled);
        for power in [85_u32.pow(4), 85_u32.pow(3), 85_u32.pow(2), 85, 1] {
            let character = char::from(b'(' + (value / power % 85) as u8);
            text.push(if character == '<' { '}' } else { character });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_character_that_ends_no_element() {
        assert_eq!(base85(&[0, 0, 0, 0]), "(((((");
        assert_eq!(base85(&[0, 0, 0, 20]), "((((}");
        assert_eq!(base85(&[255; 4]).len(), 5);
        let all: Vec<u8> = (0..=255).collect();
        let text = base85(&all);
        assert_eq!(text.len(), 320);
        assert!(text.chars().all(|c| ('('..='}').contains(&c) && c != '<'), "{text}");
        assert_eq!(base85(&[1]), base85(&[1, 0, 0, 0]));
    }

    fn parts<'a>(template: &'a str, boot: &'a str) -> Parts<'a> {
        Parts { template, icon: "I", style: "S", glue: "G", boot, blocks: const { &[("page", Vec::new())] } }
    }

    #[test]
    fn parts_are_put_in_their_places() -> Result<()> {
        let template = "{policy}|{icon}|{style}|{programs}|{glue}|{boot}|";
        let html = compose(&parts(template, "{icon}"))?;
        let found: Vec<&str> = html.split('|').collect();
        assert!(found[0].starts_with("default-src 'none'; script-src 'sha256-"), "{html}");
        assert!(!found[0].contains("connect-src") && !found[0].contains("script-src 'unsafe"), "{html}");
        assert_eq!(found[0].matches("'sha256-").count(), 2);
        assert!(
            found[3]
                .starts_with("<script id=\"queryscope-page\" type=\"application/octet-stream\" data-length=")
        );
        assert_eq!([found[1], found[2], found[4], found[5]], ["I", "S", "G", "{icon}"]);
        Ok(())
    }

    #[test]
    fn a_part_that_breaks_the_file_is_refused() {
        let whole = "{policy}{icon}{style}{programs}{glue}{boot}";
        for (template, boot) in
            [("{policy}", ""), (whole, "'</script>'"), (whole, "'<!--'"), (whole, "'<script'")]
        {
            assert!(compose(&parts(template, boot)).is_err(), "{template} {boot}");
        }
    }

    #[test]
    fn the_page_has_an_icon() {
        let index =
            "<title></title><link rel=\"icon\" href=\"data:x\" /><link rel=\"icon\" href=\"f.svg\" />";
        assert_eq!(icon(index), Some("<link rel=\"icon\" href=\"data:x\" />"));
        assert_eq!(icon("<link rel=\"icon\" href=\"f.svg\" />"), None);
    }
}
