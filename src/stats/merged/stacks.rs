//! Forms of the call stacks ([`StackForm`]), made from frames in which callees are below their callers.
//!
//! ```text
//! callees             inverted                    callees of b    callers of b
//! a ─ b ─ c           b ─ a     c ─ b ─ a         b ─ c           b ─ a
//!     └ b             └ b ─ a   a                 └ b             (all that the outer b contains)
//! ```
//! A stack begins below one frame of the path's other dimensions. Weights other than time are moved between frames,
//! never changed, so that the totals of all forms are equal. Time is that of the outermost calls. Inverted stacks of
//! all
//! names use self time, because total time would count a nested call once for each name.

use super::frames::{CALLS, FrameBuilder};
use super::{FrameDimension, FrameLabel, FrameNode, FrameWeight};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;
use crate::protocol::StackForm;
use crate::trace::Trace;
use crate::trace::word_hash::is_text;

/// Maximum number of callers below a frame. Callers beyond are left out, so that deep recursion does not take quadratic
/// time.
const MAX_CALLERS: usize = 128;
/// Number of frames that callers may have, unless the usual form has more. The callers of the heaviest stacks are added
/// first; those beyond are left out.
const MAX_FRAMES: usize = 1 << 20;

/// Names given by text or hash. A hash is replaced by the first name of the trace that has it.
pub(super) struct NameSet<'a> {
    trace: &'a Trace,
    pub(super) names: Vec<String>,
    /// Whether a name of the trace is in the set, for the names that were looked up.
    known: FxHashMap<StrId, bool>,
}

impl<'a> NameSet<'a> {
    pub(super) fn new(trace: &'a Trace, names: Vec<String>) -> Self {
        Self { trace, names, known: FxHashMap::default() }
    }

    pub(super) fn has(&mut self, name: StrId) -> bool {
        if self.names.is_empty() {
            return false;
        }
        *self.known.entry(name).or_insert_with(|| {
            let text = self.trace.str(name);
            let found = self.names.iter_mut().find(|asked| is_text(asked, text));
            found.map(|asked| text.clone_into(asked)).is_some()
        })
    }
}

/// Returns the frames in another form of the stacks; `None` if the form is that of `built`. `path` is the grouping path without the
/// stack; `root` has the name of the calls with which the stacks begin in this form.
pub(super) fn reshaped(
    built: &FrameBuilder,
    path: &[FrameDimension],
    (form, weight): (&StackForm, FrameWeight),
    root: &mut NameSet,
) -> Option<FrameBuilder> {
    let is_time = weight == FrameWeight::Time;
    let most = built.frames.len().max(MAX_FRAMES);
    let mut reshaping = Reshaping { built, path, frames: FrameBuilder::default(), is_time, most };
    match form {
        StackForm::Callees => return None,
        StackForm::Inverted => reshaping.invert_all(),
        StackForm::CalleesOf(_) => reshaping.callees(&outermost(built, root)),
        StackForm::CallersOf(_) => reshaping.callers(&outermost(built, root)),
    }
    Some(reshaping.frames)
}

/// By frame: the outermost of the frame and its ancestors in the stack whose name is in `names`.
fn outermost(built: &FrameBuilder, names: &mut NameSet) -> Vec<Option<u32>> {
    let mut found = vec![None; built.frames.len()];
    for (id, frame) in built.frames.iter().enumerate() {
        if let (Some(FrameDimension::Stack), FrameLabel::Text(name)) = (frame.dimension, frame.label) {
            found[id] = found[frame.parent as usize].or_else(|| names.has(name).then_some(id as u32));
        }
    }
    found
}

/// State while frames of another form are built.
struct Reshaping<'a> {
    built: &'a FrameBuilder,
    path: &'a [FrameDimension],
    frames: FrameBuilder,
    is_time: bool,
    /// Maximum number of frames.
    most: usize,
}

impl Reshaping<'_> {
    /// Adds every frame's own weight to the outermost of its callers, below the frame's name.
    fn invert_all(&mut self) {
        let own = |id: u32| self.built.frames[id as usize].own;
        let mut order: Vec<u32> = (0..self.built.frames.len() as u32).collect();
        sort::by(&mut order, |&a, &b| own(b).cmp(&own(a)));
        for id in order {
            if self.built.frames[id as usize].own_count > 0 {
                let target = self.inverted(id);
                self.take(target, id);
            }
        }
    }

    fn callees(&mut self, outermost: &[Option<u32>]) {
        let mut targets = vec![0; outermost.len()];
        for (at, top) in outermost.iter().enumerate() {
            let (id, Some(top)) = (at as u32, *top) else { continue };
            let frame = &self.built.frames[at];
            let above =
                if top == id { self.base(self.built.bases[at]) } else { targets[frame.parent as usize] };
            let target = self.copy(above, frame);
            targets[at] = target;
            self.take(target, id);
            let time = self.built.times[at].0;
            self.frames.times[target as usize].0 += time;
            if top == id {
                self.frames.add_time(above, None, time);
            }
        }
    }

    fn callers(&mut self, outermost: &[Option<u32>]) {
        let mut targets = vec![0; outermost.len()];
        for (at, top) in outermost.iter().enumerate() {
            let (id, Some(top)) = (at as u32, *top) else { continue };
            if top == id {
                targets[at] = self.inverted(id);
                self.frames.add_time(targets[at], None, self.built.times[at].0);
            }
            if top == id || !self.is_time {
                self.take(targets[top as usize], id);
            }
        }
    }

    /// Returns the frame of the outermost caller, below the callers inside it and the frame `id`.
    fn inverted(&mut self, mut id: u32) -> u32 {
        let base = self.built.bases[id as usize];
        let mut target = self.base(base);
        for _ in 0..=MAX_CALLERS {
            let frame = &self.built.frames[id as usize];
            let is_new = !self.frames.ids.contains_key(&(target, CALLS, frame.label));
            if id == base || is_new && self.frames.frames.len() >= self.most {
                break;
            }
            target = self.copy(target, frame);
            id = frame.parent;
        }
        target
    }

    /// Returns the frame of a path without a stack, and creates it if it does not exist.
    fn base(&mut self, id: u32) -> u32 {
        if id == 0 {
            return 0;
        }
        let frame = &self.built.frames[id as usize];
        let parent = self.base(frame.parent);
        self.copy(parent, frame)
    }

    /// Returns the frame with the label of `frame` below `parent`, and creates it if it does not exist.
    fn copy(&mut self, parent: u32, frame: &FrameNode) -> u32 {
        let Some(dimension) = frame.dimension else { return 0 };
        let step = self.path.iter().position(|&step| step == dimension);
        let place = (step.map_or(CALLS, |at| at as u8), frame.label);
        let id = self.frames.child(parent, place, dimension);
        let copied = &mut self.frames.frames[id as usize];
        copied.kind = copied.kind.or(frame.kind);
        id
    }

    /// Adds the frame's own values (without its children) to the frame `target`.
    fn take(&mut self, target: u32, id: u32) {
        let (frame, target) = (&self.built.frames[id as usize], &mut self.frames.frames[target as usize]);
        target.own += frame.own;
        target.own_count += frame.own_count;
    }
}
