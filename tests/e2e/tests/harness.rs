//! The client itself, on a page of ten lines: what it reports is what happened, and its failures are failures.

use anyhow::{Result, ensure};
use queryscope_e2e::{Browser, Mount, Options, Server, root};
use serde_json::json;

const PAGE: &str = "<!DOCTYPE html><title>t</title><input type=file multiple id=f><input type=file webkitdirectory id=d>
<p id=out></p><script>
const say = text => { document.querySelector('#out').textContent += text + ';' };
for (const input of document.querySelectorAll('input')) input.onchange = () => say([...input.files].map(f => f.webkitRelativePath || f.name).join());
addEventListener('dragover', e => e.preventDefault());
addEventListener('drop', e => { e.preventDefault(); say([...e.dataTransfer.items].map(i => (i.webkitGetAsEntry().isDirectory ? 'folder ' : 'file ') + i.webkitGetAsEntry().name).join()) });
addEventListener('keydown', e => say('key ' + e.key));
</script>";

#[test]
fn it_drives_a_page() -> Result<()> {
    let folder = root().join("target/e2e/harness");
    std::fs::create_dir_all(folder.join("inner"))?;
    std::fs::write(folder.join("index.html"), PAGE)?;
    std::fs::write(folder.join("inner/a.txt"), "a")?;
    let server = Server::start(vec![Mount::new("/", &folder)])?;
    let browser = Browser::start(Options { width: 800, height: 600, ..Options::default() })?;
    browser.open(server.url())?;
    let said = |text: &str| {
        browser
            .wait(text, &format!("document.querySelector('#out').textContent.includes({text:?})"))
            .map(|_| ())
    };
    browser.pick("#f", &[&folder.join("index.html"), &folder.join("inner/a.txt")])?;
    said("index.html,a.txt;")?;
    browser.pick("#d", &[&folder.join("inner")])?;
    said("inner/a.txt;")?;
    browser.drop(&[&folder.join("index.html"), &folder.join("inner")])?;
    said("file index.html,folder inner;")?;
    browser.keys("?\u{e00c}")?;
    said("key ?;key Escape;")?;
    ensure!(browser.run("return [innerWidth, innerHeight]", json!([]))? == json!([800, 600]));
    ensure!(browser.run_async("return await Promise.resolve(arguments[0])", json!([7]))? == json!(7));
    ensure!(browser.run_async("throw new Error('no')", json!([])).is_err());
    ensure!(browser.run("throw new Error('no')", json!([])).is_err());
    browser.run("console.error('oh')", json!([]))?;
    ensure!(browser.console()?.iter().any(|line| line.starts_with("SEVERE") && line.contains("oh")));
    Ok(())
}
