//! The handbook's snippets that embed a viewer: built by the tools that they are for, and opened.
//!
//! `cargo xtask test` installs the tools where it can; a tool that is missing is reported as skipped.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Mount, root, site};

use crate::handbook::viewers_are_ready;
use crate::page::Page;

/// Path of a tool from the environment; `None`, and a line that says so, where there is none.
fn tool(variable: &str, program: &str) -> Option<PathBuf> {
    let Some(path) = env::var_os(variable) else {
        eprintln!("skipped: no {program} ({variable} names it; `cargo xtask test` installs it)");
        return None;
    };
    Some(PathBuf::from(path))
}

/// A fresh folder for a built snippet.
fn fresh(name: &str) -> Result<PathBuf> {
    let folder = root().join("target/snippets").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn snippet(name: &str) -> PathBuf {
    root().join("docs/snippets").join(name)
}

fn run(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?} does not run"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} failed: {errors}");
    Ok(String::from_utf8(output.stdout)?)
}

/// Opens a built snippet, next to whose pages, in `folder`, are the viewer, the trace and the poster.
fn open(built: &Path, folder: &str, page: &str) -> Result<Page> {
    let sample = root().join("web/assets/sample/no-buffer.json.gz");
    let mounts = vec![
        Mount::new("/", built),
        Mount::new(&format!("/{folder}queryscope/"), site()?),
        Mount::new(&format!("/{folder}run.json.gz"), sample),
        Mount::new(&format!("/{folder}run.svg"), root().join("web/assets/favicon.svg")),
    ];
    Page::at(mounts, page)
}

/// A built snippet shows the trace in its element.
fn shows_a_trace(built: &Path, folder: &str, page: &str) -> Result<()> {
    let page = open(built, folder, page)?;
    page.browser.wait("the element", "customElements.get('queryscope-viewer')")?;
    viewers_are_ready(&page.browser)
}

#[test]
fn plain_html() -> Result<()> {
    shows_a_trace(&snippet("plain"), "", "")
}

#[test]
fn mdbook() -> Result<()> {
    let Some(mdbook) = tool("MDBOOK", "mdBook") else { return Ok(()) };
    let built = fresh("mdbook")?;
    run(Command::new(mdbook).arg("build").arg(snippet("mdbook")).arg("--dest-dir").arg(&built))?;
    shows_a_trace(&built, "", "slow-query.html")
}

#[test]
fn mkdocs() -> Result<()> {
    let Some(tools) = tool("DOCUMENTATION_TOOLS", "MkDocs") else { return Ok(()) };
    let built = fresh("mkdocs")?;
    let mut build = Command::new(tools.join("mkdocs"));
    build.args(["build", "--quiet", "--config-file"]).arg(snippet("mkdocs/mkdocs.yml"));
    run(build.arg("--site-dir").arg(&built))?;
    shows_a_trace(&built, "", "")
}

#[test]
fn sphinx() -> Result<()> {
    let Some(tools) = tool("DOCUMENTATION_TOOLS", "Sphinx") else { return Ok(()) };
    let [source, built] = [fresh("sphinx-source")?, fresh("sphinx")?];
    fs::create_dir(source.join("_static"))?;
    for name in ["conf.py", "index.rst"] {
        fs::copy(snippet("sphinx").join(name), source.join(name))?;
    }
    run(Command::new(tools.join("sphinx-build")).arg("-q").arg(&source).arg(&built))?;
    shows_a_trace(&built, "_static/", "index.html")
}

/// Compiles a page with MDX and prints it as HTML, with the script of the Docusaurus settings.
const COMPILE: &str = r"
    const [, compiler, source, settings] = process.argv;
    const { evaluate } = await import(compiler);
    const { readFileSync } = await import('node:fs');
    const name = ([name, value]) => name === 'style' ? ['style', Object.entries(value).map(p => p.join(':')).join(';')] : [name, value];
    const jsx = (type, { children, ...rest }) => {
        const inner = [children].flat(9).filter(child => child !== undefined && child !== null).join('');
        if (typeof type === 'function') return type({ children, ...rest });
        if (typeof type === 'symbol') return inner;
        const attributes = Object.entries(rest).filter(([key]) => key !== 'components').map(name);
        return `<${type}${attributes.map(([key, value]) => ` ${key}=\u0022${value}\u0022`).join('')}>${inner}</${type}>`;
    };
    const Fragment = Symbol('fragment');
    const { default: Content } = await evaluate(readFileSync(source, 'utf8'), { jsx, jsxs: jsx, Fragment });
    const { default: { scripts } } = await import(settings);
    for (const { src, type } of scripts) console.log(`<script src=\u0022${src}\u0022 type=\u0022${type}\u0022></script>`);
    console.log(Content({}));";

#[test]
fn docusaurus() -> Result<()> {
    let Some(mdx) = tool("MDX", "compiler of MDX pages") else { return Ok(()) };
    let built = fresh("docusaurus")?;
    let settings = built.join("settings.mjs");
    fs::copy(snippet("docusaurus/docusaurus.config.js"), &settings)?;
    let mut node = Command::new("node");
    node.args(["--input-type=module", "--eval", COMPILE, "--"]).arg(mdx.join("index.js"));
    let html = run(node.arg(snippet("docusaurus/slow-query.mdx")).arg(&settings))?;
    fs::write(built.join("index.html"), format!("<!doctype html><meta charset=utf-8>{html}"))?;
    shows_a_trace(&built, "", "")
}

/// Runs a notebook's cell and prints the HTML that the notebook would show.
const RUN_CELL: &str = "
import ast, sys
cell = ast.parse(open(sys.argv[1]).read())
names = {}
exec(compile(ast.Module(cell.body[:-1], []), 'cell', 'exec'), names)
print(eval(compile(ast.Expression(cell.body[-1].value), 'cell', 'eval'), names)._repr_html_())";

#[test]
fn jupyter() -> Result<()> {
    let Some(tools) = tool("DOCUMENTATION_TOOLS", "IPython") else { return Ok(()) };
    let built = fresh("jupyter")?;
    let html =
        run(Command::new(tools.join("python")).args(["-c", RUN_CELL]).arg(snippet("jupyter/cell.py")))?;
    fs::write(built.join("index.html"), format!("<!doctype html><meta charset=utf-8>{html}"))?;
    let page = open(&built, "", "")?;
    let app = "document.querySelector('iframe')?.contentDocument?.querySelector('#app')";
    page.browser.wait("the viewer in the frame", &format!("{app}?.dataset.phase === 'ready'")).map(|_| ())
}
