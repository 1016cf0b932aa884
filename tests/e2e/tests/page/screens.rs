//! Pictures for people to look at, in `target/screens/`; and that nothing sticks out of the page.

use anyhow::{Result, ensure};
use queryscope_e2e::button;

use crate::page::Page;

fn shoot(page: &Page, name: &str) -> Result<()> {
    page.picture()?;
    let overflow = page.eval("document.documentElement.scrollWidth - innerWidth")?;
    ensure!(overflow.parse::<i64>()? <= 0, "{name}: the page is {overflow} px wider than the window");
    page.browser.screenshot(&queryscope_e2e::root().join("target/screens").join(format!("{name}.png")))
}

#[test]
fn light_dark_narrow_wide() -> Result<()> {
    let page = Page::open()?;
    for scheme in ["light", "dark"] {
        page.browser.prefer(scheme)?;
        shoot(&page, &format!("landing-{scheme}"))?;
    }
    page.browser.click_on(&button("Open sample run"))?;
    page.phase("ready")?;
    page.select_first_query()?;
    for (size, width, height) in [("main", 1440, 900), ("wide", 2560, 1300), ("narrow", 380, 740)] {
        page.browser.resize(width, height)?;
        for scheme in ["light", "dark"] {
            page.browser.prefer(scheme)?;
            shoot(&page, &format!("{size}-{scheme}"))?;
        }
    }
    page.is_quiet()
}
