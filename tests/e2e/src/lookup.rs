//! Finding elements as users do: by role and name.
//!
//! Role and name are those that the browser computes for assistive technology (WebDriver's `computedrole` and
//! `computedlabel`), so finding a button shows that screen readers can find it. Each element takes two requests, so a
//! script in the page first filters the candidates.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::browser::{Browser, PATIENCE};

/// Role and name of an element, such as the button "Import report".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    role: &'static str,
    name: String,
    /// Whether `name` may be only a part of the element's name.
    is_part: bool,
    within: Option<Box<Named>>,
}

impl Named {
    /// An element with this role and exactly this name.
    pub fn new(role: &'static str, name: &str) -> Self {
        Named { role, name: name.to_owned(), is_part: false, within: None }
    }

    /// An element whose name contains these words, such as a row or a button with a count.
    pub fn with(role: &'static str, words: &str) -> Self {
        Named { is_part: true, ..Named::new(role, words) }
    }

    /// Limits the search to the descendants of another element.
    pub fn within(self, outer: Named) -> Self {
        Named { within: Some(Box::new(outer)), ..self }
    }

    fn fits(&self, role: &str, name: &str) -> bool {
        let name = one_line(name);
        // ARIA has no role for `<summary>`: Chromium reports its own role, Firefox an empty one.
        let is_role =
            role == self.role || self.role == DISCLOSURE && ["", "DisclosureTriangle"].contains(&role);
        is_role && if self.is_part { name.contains(&self.name) } else { name == self.name }
    }
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.role, self.name)?;
        self.within.as_ref().map_or(Ok(()), |outer| write!(f, " in {outer}"))
    }
}

/// This module's own role name for `<summary>` elements, which unfold details.
const DISCLOSURE: &str = "disclosure";

/// The `<summary>` element whose text contains these words.
pub fn disclosure(words: &str) -> Named {
    Named::with(DISCLOSURE, words)
}

/// The button with this name.
pub fn button(name: &str) -> Named {
    Named::new("button", name)
}

/// The tab with this name.
pub fn tab(name: &str) -> Named {
    Named::new("tab", name)
}

/// The dialog with this heading.
pub fn dialog(name: &str) -> Named {
    Named::new("dialog", name)
}

/// Returns a CSS selector for all elements that may have a role: by their tag, or by an explicit `role`.
fn selector(role: &str) -> String {
    let html = match role {
        DISCLOSURE => "summary",
        "button" => "button, input[type=button], input[type=submit]",
        "link" => "a[href]",
        "dialog" => "dialog",
        "textbox" => "input, textarea",
        "searchbox" => "input[type=search]",
        "combobox" => "select, input[list]",
        "checkbox" => "input[type=checkbox]",
        "radio" => "input[type=radio]",
        "row" => "tr",
        "cell" | "gridcell" => "td",
        "columnheader" | "rowheader" => "th",
        "heading" => "h1, h2, h3, h4",
        "figure" => "figure",
        "complementary" => "aside",
        "region" => "section",
        _ => "",
    };
    let separator = if html.is_empty() { "" } else { ", " };
    format!("[role={role}]{separator}{html}")
}

/// A script that returns visible elements which may have the name, because one of the texts that names are made from
/// contains it.
const CANDIDATES: &str = "
    const [root, css, name] = arguments;
    const line = text => (text ?? '').replace(/\\s+/g, ' ').trim();
    const words = element => [
        element.getAttribute('aria-label'), element.title, element.value, element.placeholder, element.alt,
        element.textContent, element.innerText,
        ...(element.getAttribute('aria-labelledby') ?? '').split(' ').map(id => element.getRootNode().getElementById(id)?.innerText),
        ...[...(element.labels ?? [])].map(label => label.innerText),
    ];
    return [...(root ?? document).querySelectorAll(css)]
        .filter(element => element.checkVisibility() && words(element).some(text => line(text).includes(name)))";

impl Browser {
    /// Waits for an element and clicks it.
    pub fn click_on(&self, named: &Named) -> Result<()> {
        self.retried(named, |element| self.post(&format!("/element/{element}/click"), &json!({}))).map(|_| ())
    }

    /// Waits until an element is visible.
    pub fn shows(&self, named: &Named) -> Result<()> {
        self.retried(named, |_| Ok(())).map(|_| ())
    }

    /// Waits until an element is not visible.
    pub fn hides(&self, named: &Named) -> Result<()> {
        let begun = Instant::now();
        while self.find(named)?.is_some() {
            if begun.elapsed() > PATIENCE {
                bail!("waited in vain for the {named} to go");
            }
            sleep(Duration::from_millis(25));
        }
        Ok(())
    }

    /// Moves the keyboard focus to an element.
    pub fn focus_on(&self, named: &Named) -> Result<()> {
        self.of(named, "arguments[0].focus()").map(|_| ())
    }

    /// Sets the text of a field, followed by an input event.
    pub fn fill(&self, named: &Named, text: &str) -> Result<()> {
        let script = format!(
            "arguments[0].value = {text:?}; \
             arguments[0].dispatchEvent(new InputEvent('input', {{ bubbles: true }}))"
        );
        self.of(named, &script).map(|_| ())
    }

    /// Waits until a `<select>` element has an option with this text, and chooses the option.
    pub fn choose(&self, named: &Named, choice: &str) -> Result<()> {
        let script = format!(
            "const [list] = arguments, at = [...list.options].findIndex(o => o.textContent.trim() === {choice:?}); \
             if (at < 0) return false; list.selectedIndex = at; \
             list.dispatchEvent(new Event('change', {{ bubbles: true }})); return true"
        );
        let begun = Instant::now();
        while self.of(named, &script)? != json!(true) {
            if begun.elapsed() > PATIENCE {
                bail!("the {named} does not offer {choice:?}");
            }
            sleep(Duration::from_millis(25));
        }
        Ok(())
    }

    /// Returns the visible text of an element, on one line.
    pub fn text_of(&self, named: &Named) -> Result<String> {
        let text = self.of(named, "return arguments[0].innerText")?;
        Ok(one_line(text.as_str().unwrap_or_default()))
    }

    /// Waits until an element's text contains these words.
    pub fn says(&self, named: &Named, words: &str) -> Result<()> {
        let begun = Instant::now();
        loop {
            let text = self.text_of(named)?;
            if text.contains(words) {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                bail!("the {named} does not say {words:?}, but {text:?}");
            }
            sleep(Duration::from_millis(25));
        }
    }

    /// Waits for an element, and runs a function body in the page with the element as its argument.
    pub fn of(&self, named: &Named, script: &str) -> Result<Value> {
        self.retried(named, |element| self.run(script, json!([reference(element)])))
    }

    /// Whether an element is visible now.
    pub fn has(&self, named: &Named) -> Result<bool> {
        self.find(named).map(|found| found.is_some())
    }

    /// Waits for an element and acts on it. Retries if the page replaced the element in the meantime.
    fn retried<T>(&self, named: &Named, act: impl Fn(&str) -> Result<T>) -> Result<T> {
        let begun = Instant::now();
        loop {
            let found =
                self.find(named).and_then(|found| found.with_context(|| format!("no {named} is shown")));
            match found.and_then(|element| act(&element)) {
                Ok(value) => return Ok(value),
                Err(error) if begun.elapsed() > PATIENCE => {
                    let text = self.run("return document.body.innerText.slice(0, 1500)", json!([]))?;
                    let log = self.console().unwrap_or_default();
                    bail!("waited in vain for the {named}: {error:#}\npage: {text}\nconsole: {log:#?}");
                }
                Err(_) => sleep(Duration::from_millis(25)),
            }
        }
    }

    /// Returns the first element in document order with this role and name.
    fn find(&self, named: &Named) -> Result<Option<String>> {
        let root = match &named.within {
            Some(outer) => match self.find(outer)? {
                Some(element) => reference(&element),
                None => return Ok(None),
            },
            None => Value::Null,
        };
        let found = self.run(CANDIDATES, json!([root, selector(named.role), named.name]))?;
        for candidate in found.as_array().into_iter().flatten() {
            let Some(element) = candidate[ELEMENT].as_str() else { continue };
            // Elements that were removed in the meantime are skipped.
            let ask = |what: &str| self.session().get(&format!("/element/{element}/{what}")).ok();
            let (Some(role), Some(name)) = (ask("computedrole"), ask("computedlabel")) else { continue };
            if named.fits(role.as_str().unwrap_or_default(), name.as_str().unwrap_or_default()) {
                return Ok(Some(element.to_owned()));
            }
        }
        Ok(None)
    }
}

/// The key of element references in WebDriver's JSON, a constant of its specification.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

fn reference(element: &str) -> Value {
    json!({ ELEMENT: element })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
