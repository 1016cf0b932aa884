//! Display names of attribute keys.

use crate::base::text;
use crate::trace::{Key, Trace};

/// Display name of a key. Names of arguments come from the files and are shown like other names in the files.
pub fn key_name(trace: &Trace, key: Key) -> String {
    text::visible_name(trace.str(trace.keys.get(key).name))
}

/// Returns the key with a name, given as in the file or as [displayed](key_name); `None` if there is no such key.
pub fn key_called(trace: &Trace, name: &str) -> Option<Key> {
    let shown = || trace.keys.iter().map(|(key, _)| key).find(|&key| key_name(trace, key) == name);
    trace.key(name).or_else(|| name.contains(char::REPLACEMENT_CHARACTER).then(shown).flatten())
}
