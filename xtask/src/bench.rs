//! Measures.
#[derive(clap::Args)]
pub struct Arguments {}
pub fn bench(_: &Arguments) -> anyhow::Result<()> {
    anyhow::bail!("not yet")
}
