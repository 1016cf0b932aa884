//! The merged flame graph.

use super::{MergedSpec, Scene, Viewport};
use crate::stats::Hits;
use crate::trace::Trace;

/// What is kept between two scenes.
#[derive(Default)]
pub struct Cache {}

/// The merged flame graph that `spec` asks for.
pub fn scene(
    trace: &Trace,
    spec: &MergedSpec,
    viewport: &Viewport,
    hits: Option<&Hits>,
    cache: &mut Cache,
) -> Scene {
    let _ = (trace, spec, hits, cache);
    Scene::empty(*viewport)
}
