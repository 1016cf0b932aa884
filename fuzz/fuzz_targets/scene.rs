//! Any bytes as a scene that comes from elsewhere: read or refused, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use queryscope::internal::view::Scene;

fuzz_target!(|data: &[u8]| {
    if let Some(scene) = Scene::from_bytes(data) {
        assert!(Scene::from_bytes(&scene.to_bytes()).is_some());
    }
});
