//! Transactions and locks of a database server: what waits for whom, and how long nothing was done.

use anyhow::Result;
use queryscope_e2e::{Named, button};

use crate::fixtures::{file, folder};
use crate::page::Page;

/// One thread pauses inside its transaction for 40 ms and holds a lock that another one waits for.
const EVENTS: &str = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\tSQL_TEXT\n\
    1\t1\t3\tstatement/sql/begin\t1000000000\t1000000000\tBEGIN\n\
    1\t2\t9\ttransaction\t1500000000\t58000000000\tNULL\n\
    1\t4\t5\tstatement/sql/update\t3000000000\t2000000000\tUPDATE stock SET n = 1\n\
    1\t8\t10\tstatement/sql/commit\t45000000000\t15000000000\tCOMMIT\n\
    2\t10\tNULL\tstatement/sql/update\t5000000000\t50000000000\tUPDATE stock SET n = 2\n";
const THREADS: &str =
    "THREAD_ID\tNAME\tPROCESSLIST_ID\n1\tthread/sql/one_connection\t101\n2\tthread/sql/one_connection\t102\n";
const LOCKS: &str = "OBJECT_TYPE\tOBJECT_SCHEMA\tOBJECT_NAME\tLOCK_TYPE\tLOCK_DURATION\tLOCK_STATUS\tOWNER_THREAD_ID\tOWNER_EVENT_ID\n\
    TABLE\tshop\tstock\tSHARED_WRITE\tTRANSACTION\tGRANTED\t1\t4\n\
    TABLE\tshop\tstock\tEXCLUSIVE\tTRANSACTION\tPENDING\t2\t10\n";

/// What a server exports: a table each.
pub const FILES: [(&str, &str); 3] =
    [("events.tsv", EVENTS), ("threads.tsv", THREADS), ("metadata_locks.tsv", LOCKS)];

const ENTER: &str = "\u{e007}";
const TEXT: &str = "document.querySelector('[aria-label=\"Transactions and lock waits\"]')?.innerText";

fn loaded(test: &str) -> Result<Page> {
    let folder = folder(test)?;
    let page = Page::open()?;
    let files = FILES.iter().map(|(name, text)| file(&folder, name, text)).collect::<Result<Vec<_>>>()?;
    page.load(&files.iter().map(|path| path.as_path()).collect::<Vec<_>>(), 2)?;
    Ok(page)
}

#[test]
fn transactions_and_locks_have_a_tab_and_lead_to_the_timeline() -> Result<()> {
    let page = loaded("transactions")?;
    page.browser.keys("7")?;
    for text in ["Lock waits", "shop.stock", "EXCLUSIVE", "40.00 ms", "UPDATE stock SET n = 1"] {
        page.browser.wait(&format!("{text} in the tab"), &format!("{TEXT}?.includes({text:?})"))?;
    }
    // By keyboard: the heading of a column, and the statement that waits.
    page.eval("document.querySelector('.transactions .grid-head button').focus()")?;
    page.browser.keys(ENTER)?;
    page.browser.wait(
        "the order by start",
        "document.querySelector('.transactions [aria-sort=ascending]') !== null",
    )?;
    page.eval("document.querySelector('.locks .grid-rows button').focus()")?;
    page.browser.keys(ENTER)?;
    page.browser.wait("the timeline", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.browser.wait(
        "the details of what waits",
        "document.querySelector('#details')?.innerText.includes('SET n = 2')",
    )?;
    page.is_quiet()
}

#[test]
fn a_pause_narrows_everything_to_itself() -> Result<()> {
    let page = loaded("pauses")?;
    page.browser.keys("7")?;
    page.browser.wait("the pause", &format!("{TEXT}?.includes('40.00 ms')"))?;
    page.browser.click_on(&button("40.00 ms").within(Named::new("grid", "Transactions")))?;
    page.browser.wait("the timeline", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.browser.keys("7")?;
    page.browser.wait("the range of the pause", &format!("{TEXT}?.includes('Clear range')"))?;
    page.browser.wait("that transaction alone", &format!("{TEXT}.includes('1 transaction,')"))?;
    page.is_quiet()
}
