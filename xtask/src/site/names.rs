//! Names that contain a hash of the file's content, so that hosts may let browsers keep the files for ever.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// Base name of the engine's files, as Trunk names them.
pub const ENGINE: &str = "queryscope-engine";

/// Last lines of the scripts of the engine and of SQL, which are classic scripts for workers. They start the program from the compiled
/// module, which is the page's first message. If that fails, the error is thrown again outside of the promise, so that the browser
/// reports it as an error of the worker.
pub const START: &str = "onmessage = (event) => { onmessage = null; wasm_bindgen({ module_or_path: event.data })\
    .catch((error) => setTimeout(() => { throw error; })); };\n";

/// Completes the engine's script, and adds hashes to the names of the engine's files and of the scripts that Trunk copies unchanged.
/// Trunk itself adds hashes to the names of the page's program and style sheet.
pub fn by_content(dist: &Path) -> Result<()> {
    let worker = dist.join(format!("{ENGINE}.js"));
    let glue = fs::read_to_string(&worker).with_context(|| format!("no {}", worker.display()))?;
    fs::write(&worker, glue + START)?;
    rename(dist, ENGINE, &[".js", "_bg.wasm"])?;
    ["boot", "recents"].iter().try_for_each(|script| rename(dist, script, &[".js"]))
}

/// Adds a hash of the content of the files `base` + ending to their names, and to their name in `index.html`.
pub fn rename(dist: &Path, base: &str, endings: &[&str]) -> Result<()> {
    let mut hasher = DefaultHasher::new();
    for ending in endings {
        let file = dist.join(format!("{base}{ending}"));
        hasher.write(&fs::read(&file).with_context(|| format!("no {}", file.display()))?);
    }
    let name = format!("{base}-{:016x}", hasher.finish());
    for ending in endings {
        fs::rename(dist.join(format!("{base}{ending}")), dist.join(format!("{name}{ending}")))?;
    }
    let index = dist.join("index.html");
    let page = fs::read_to_string(&index)?;
    // The page names a script by its file, and the engine by the common beginning of its two files.
    let ending = if let [ending] = endings { ending } else { "" };
    let named = page.replace(&format!("./{base}{ending}\""), &format!("./{name}{ending}\""));
    ensure!(named != page, "the page does not say where its {base} is");
    Ok(fs::write(index, named)?)
}

/// Replaces the name of a program in `index.html` by an empty text, which means that the site does not have this program.
pub fn leave_out(dist: &Path, base: &str) -> Result<()> {
    let index = dist.join("index.html");
    let page = fs::read_to_string(&index)?;
    let without = page.replace(&format!("\"./{base}\""), "\"\"");
    ensure!(without != page, "the page does not say where its {base} is");
    Ok(fs::write(index, without)?)
}

/// Whether a file name contains a hash of the content: 12 to 16 hexadecimal digits after the last hyphen. Trunk leaves out
/// zeros at the beginning.
pub fn is_by_content(name: &str) -> bool {
    let last = name.rsplit_once('-').map_or("", |(_, last)| last);
    let hash = last.split(['.', '_']).next().unwrap_or_default();
    (12..=16).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_is_named_by_its_content() -> Result<()> {
        let dist = std::env::temp_dir().join(format!("queryscope-site-{}", std::process::id()));
        fs::create_dir_all(&dist)?;
        let name = |wasm: &str| -> Result<String> {
            fs::write(dist.join("queryscope-engine.js"), "glue")?;
            fs::write(dist.join("queryscope-engine_bg.wasm"), wasm)?;
            fs::write(dist.join("boot.js"), "start")?;
            fs::write(dist.join("recents.js"), "keep")?;
            let page = "<script src=\"./boot.js\" data-engine=\"./queryscope-engine\" data-recents=\"./recents.js\">";
            fs::write(dist.join("index.html"), page)?;
            by_content(&dist)?;
            let page = fs::read_to_string(dist.join("index.html"))?;
            let named = |at| page.split("\"./").nth(at).and_then(|rest| rest.split('"').next());
            let name = named(2).context("a name")?.to_owned();
            assert_eq!(fs::read_to_string(dist.join(format!("{name}_bg.wasm")))?, wasm);
            assert_eq!(fs::read_to_string(dist.join(format!("{name}.js")))?, format!("glue{START}"));
            assert_eq!(fs::read_to_string(dist.join(named(1).context("a name")?))?, "start");
            Ok(name)
        };
        let names = [name("a")?, name("b")?, name("a")?];
        assert_eq!((names[0] == names[1], names[0] == names[2]), (false, true));
        Ok(fs::remove_dir_all(&dist)?)
    }

    #[test]
    fn hashes_are_recognised() {
        for (name, expected) in [
            ("boot-0123456789abcdef.js", true),
            ("queryscope-engine-852a2c27d222541f_bg.wasm", true),
            ("queryscope-web-99d9c1c23b91b79.js", true),
            ("boot.js", false),
            ("queryscope-engine.js", false),
            ("queryscope-single.html", false),
        ] {
            assert_eq!(is_by_content(name), expected, "{name}");
        }
    }
}
