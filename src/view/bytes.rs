//! Encodes a scene as one buffer, so that it is transferred to the page as bytes: little-endian records of fixed size.
//!
//! ```text
//! magic u32 · viewport · content height f64 · 4 counts u32 · rows · rects · marks · text lengths u32 · texts UTF-8
//! ```

use super::scene::{BarStyle, Fold, Rect, Scene, SceneMark, SceneRow};
use crate::protocol::Viewport;

/// First four bytes of the buffer. The value changes whenever the layout of the buffer changes, so that a buffer from
/// another build is rejected instead of misread.
const MAGIC: u32 = u32::from_le_bytes(*b"QSC2");
const NO_TEXT: u32 = u32::MAX;

/// A record of fixed size in the buffer.
trait SceneRecord: Sized {
    const SIZE: usize;
    fn write(&self, out: &mut SceneWriter);
    /// Returns `None` if the bytes are not a valid record.
    fn read(from: &mut SceneReader) -> Option<Self>;
}

impl Scene {
    /// Encodes the scene as one buffer.
    #[inline(never)]
    pub fn to_bytes(&self) -> Vec<u8> {
        let texts: usize = self.texts.iter().map(|text| 4 + text.len()).sum();
        let records = SceneRow::SIZE * self.rows.len()
            + Rect::SIZE * self.rects.len()
            + SceneMark::SIZE * self.marks.len();
        let mut out = SceneWriter(Vec::with_capacity(4 + Viewport::SIZE + 8 + 16 + records + texts));
        out.u32(MAGIC);
        self.viewport.write(&mut out);
        out.f64(self.content_height);
        for count in [self.rows.len(), self.rects.len(), self.marks.len(), self.texts.len()] {
            out.u32(count as u32);
        }
        self.rows.iter().for_each(|row| row.write(&mut out));
        self.rects.iter().for_each(|rect| rect.write(&mut out));
        self.marks.iter().for_each(|mark| mark.write(&mut out));
        self.texts.iter().for_each(|text| out.u32(text.len() as u32));
        self.texts.iter().for_each(|text| out.0.extend_from_slice(text.as_bytes()));
        out.0
    }

    /// Decodes a buffer made by [`Scene::to_bytes`]; `None` for any other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Scene> {
        let mut from = SceneReader(bytes);
        if from.u32()? != MAGIC {
            return None;
        }
        let viewport = Viewport::read(&mut from)?;
        let content_height = from.f64()?;
        let [rows, rects, marks, texts] = [from.u32()?, from.u32()?, from.u32()?, from.u32()?];
        let scene = Scene {
            viewport,
            content_height,
            rows: from.records(rows)?,
            rects: from.records(rects)?,
            marks: from.records(marks)?,
            texts: from.texts(texts)?,
        };
        (from.0.is_empty() && scene.names_only_its_texts()).then_some(scene)
    }

    fn names_only_its_texts(&self) -> bool {
        let known = |text: u32| text == NO_TEXT || (text as usize) < self.texts.len();
        self.rows.iter().all(|row| [row.label, row.detail, row.note].into_iter().all(known))
            && self.rects.iter().all(|rect| known(rect.label))
    }
}

struct SceneWriter(Vec<u8>);

impl SceneWriter {
    fn u8(&mut self, value: u8) {
        self.0.push(value);
    }
    fn u16(&mut self, value: u16) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    fn i64(&mut self, value: i64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    fn f32(&mut self, value: f32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    fn f64(&mut self, value: f64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
}

struct SceneReader<'a>(&'a [u8]);

impl<'a> SceneReader<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(head)
    }
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*head)
    }
    fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }
    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }
    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }
    fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_le_bytes)
    }
    fn f32(&mut self) -> Option<f32> {
        self.array().map(f32::from_le_bytes)
    }
    fn f64(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }
    fn flag(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Reads `count` records. The bytes are checked before anything is allocated, so that a wrong count cannot allocate
    /// more memory than there are bytes.
    fn records<T: SceneRecord>(&mut self, count: u32) -> Option<Vec<T>> {
        let mut bytes = SceneReader(self.take((count as usize).checked_mul(T::SIZE)?)?);
        (0..count).map(|_| T::read(&mut bytes)).collect()
    }

    fn texts(&mut self, count: u32) -> Option<Vec<String>> {
        let mut lengths = SceneReader(self.take((count as usize).checked_mul(4)?)?);
        let text = |_| {
            let bytes = self.take(lengths.u32()? as usize)?;
            std::str::from_utf8(bytes).ok().map(str::to_owned)
        };
        (0..count).map(text).collect()
    }
}

impl SceneRecord for Viewport {
    const SIZE: usize = 32;
    fn write(&self, out: &mut SceneWriter) {
        out.i64(self.start);
        out.i64(self.end);
        out.f64(self.top);
        out.f32(self.width);
        out.f32(self.height);
    }
    fn read(from: &mut SceneReader) -> Option<Self> {
        let start = from.i64()?;
        let end = from.i64()?;
        let top = from.f64()?;
        Some(Viewport { start, end, top, width: from.f32()?, height: from.f32()? })
    }
}

impl SceneRecord for SceneRow {
    const SIZE: usize = 45;
    fn write(&self, out: &mut SceneWriter) {
        out.f32(self.y);
        out.f32(self.height);
        out.u32(self.label);
        out.u32(self.detail);
        out.u32(self.note);
        out.u32(self.track);
        out.u8(self.depth);
        out.u8(self.fold as u8);
        out.u8(u8::from(self.header));
        for time in [self.before, self.after] {
            out.u8(u8::from(time.is_some()));
            out.i64(time.unwrap_or_default());
        }
    }
    fn read(from: &mut SceneReader) -> Option<Self> {
        let (y, height) = (from.f32()?, from.f32()?);
        let label = from.u32()?;
        let detail = from.u32()?;
        let note = from.u32()?;
        let track = from.u32()?;
        let depth = from.u8()?;
        let fold = from.u8()?;
        let header = from.flag()?;
        let fold = [Fold::Leaf, Fold::Closed, Fold::Open].into_iter().find(|f| *f as u8 == fold)?;
        let mut time = || {
            let (known, time) = (from.flag()?, from.i64()?);
            // Each scene has exactly one encoding.
            (known || time == 0).then_some(known.then_some(time))
        };
        let (before, after) = (time()?, time()?);
        Some(SceneRow { y, height, depth, label, detail, note, track, fold, header, before, after })
    }
}

impl SceneRecord for Rect {
    const SIZE: usize = 37;
    fn write(&self, out: &mut SceneWriter) {
        [self.x, self.y, self.width, self.height, self.split, self.room]
            .into_iter()
            .for_each(|value| out.f32(value));
        out.u32(self.id);
        out.u32(self.label);
        out.u16(self.color);
        out.u16(self.style.0);
        out.u8(self.alpha);
    }
    fn read(from: &mut SceneReader) -> Option<Self> {
        Some(Rect {
            x: from.f32()?,
            y: from.f32()?,
            width: from.f32()?,
            height: from.f32()?,
            split: from.f32()?,
            room: from.f32()?,
            id: from.u32()?,
            label: from.u32()?,
            color: from.u16()?,
            style: BarStyle(from.u16()?),
            alpha: from.u8()?,
        })
    }
}

impl SceneRecord for SceneMark {
    const SIZE: usize = 25;
    fn write(&self, out: &mut SceneWriter) {
        [self.x, self.y, self.radius].into_iter().for_each(|value| out.f32(value));
        out.u32(self.id);
        out.u32(self.count);
        out.u16(self.color);
        out.u16(self.style.0);
        out.u8(u8::from(self.diamond));
    }
    fn read(from: &mut SceneReader) -> Option<Self> {
        Some(SceneMark {
            x: from.f32()?,
            y: from.f32()?,
            radius: from.f32()?,
            id: from.u32()?,
            count: from.u32()?,
            color: from.u16()?,
            style: BarStyle(from.u16()?),
            diamond: from.flag()?,
        })
    }
}
