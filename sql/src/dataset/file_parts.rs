//! [`FileParts`]: the footer and other parts of a Parquet file, each read at once. Parquet's own readers ask for every page.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::{Buf, Bytes};
use datafusion::error::DataFusionError;
use futures::future::{BoxFuture, Shared, WeakShared};
use futures::{FutureExt, StreamExt, TryFutureExt, TryStreamExt, stream};
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::arrow::async_reader::AsyncFileReader;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};

use super::files::Dataset;
use super::manifest::StoredFile;
use super::{DatasetError, part};
use crate::{parquet_file, schema};

/// Bytes of a column's place, sizes and bounds in the metadata of a row group and in the page index, a little more than is usual.
const BYTES_OF_A_COLUMN: u64 = 246;
/// Part of a file, 1 / this, that is read first at least: long texts make row groups of fewer rows.
const TAIL_SHARE: u64 = 400;
/// Part of a file that is read first if the columns of its table are not known.
const TAIL_SHARE_OF_OTHERS: u64 = 160;
/// Longest end of a file that is read first, in bytes.
const LONGEST_TAIL: u64 = 1 << 20;
/// Bytes at the end of a Parquet file after its metadata: their length, and `PAR1`.
const END: usize = 8;
/// Longest gap between ranges that are read at once, as a multiple of [`Dataset::bytes_of_a_request`]. With the columns between two others, a request
/// takes a little longer; without them, there are two requests, which wait for each other where a server takes them one by one.
const GAP: u64 = 3;
/// Longest gap, as such a multiple, after at least as many bytes that are needed, and between pages of columns that are read at once.
const GAP_AFTER_MUCH: u64 = 8;
/// What readers put before the reason for which something cannot be decoded.
const DECODING: [&str; 6] =
    ["Arrow error: ", "Parquet argument error: ", "Parquet error: ", "Arrow: ", "External: ", "EOF: "];

/// A read of a part of a file, for which several readers may wait.
type PartReading = BoxFuture<'static, Result<Bytes, DatasetError>>;

/// A Parquet file of a data set; parts of it are in memory. A file that is not too large is read whole, so that its hash is compared
/// with the manifest: Parquet's pages have no checksums, and what is damaged may be decoded to other values.
#[derive(Debug)]
pub struct FileParts {
    dataset: Arc<Dataset>,
    trace: String,
    file: StoredFile,
    kept: Mutex<KeptParts>,
}

#[derive(Debug, Default)]
struct KeptParts {
    /// Offset and content of each part.
    parts: Vec<(u64, Bytes)>,
    metadata: Option<Arc<ParquetMetaData>>,
    has_page_index: bool,
    /// Number of readers that need the parts.
    readers: usize,
    /// Range and read of each part for which readers wait.
    readings: Vec<(Range<u64>, WeakShared<PartReading>)>,
    /// Step in which [`FileParts::plan`] last counted this file.
    planned_in: Option<u64>,
}

impl FileParts {
    /// A file that has not been read yet.
    pub fn new(dataset: Arc<Dataset>, trace: &str, file: &StoredFile) -> Self {
        Self { dataset, trace: trace.to_owned(), file: file.clone(), kept: Mutex::default() }
    }

    pub fn dataset(&self) -> &Arc<Dataset> {
        &self.dataset
    }

    pub fn trace(&self) -> &str {
        &self.trace
    }

    pub fn file(&self) -> &StoredFile {
        &self.file
    }

    /// Bytes that are read at most while the sizes of columns are not known.
    pub(crate) fn unread_bytes(&self) -> u64 {
        let len = self.file.bytes;
        match self.is_read_whole() {
            true if self.is_known(&(0..len)) => 0,
            true => len,
            // The end of a larger file is read first, and again if it is between other parts.
            false => len.saturating_add(2 * self.tail_bytes()),
        }
    }

    /// Bytes that are read for the metadata only.
    pub(super) fn unread_footer_bytes(&self) -> u64 {
        match self.known_metadata() {
            Some(_) => 0,
            None if self.is_read_whole() => self.unread_bytes(),
            None => self.file.bytes.min(self.tail_bytes()),
        }
    }

    /// Bytes of the parts that are in memory.
    pub(super) fn kept_bytes(&self) -> u64 {
        self.kept().parts.iter().map(|(_, bytes)| bytes.len() as u64).sum()
    }

    /// Bytes of the end of a large file that are read first, which mostly have its metadata and page index.
    fn tail_bytes(&self) -> u64 {
        let expected = match schema::table(&self.file.table) {
            Some(table) => {
                let groups = self.file.rows.div_ceil(parquet_file::ROW_GROUP as u64);
                let of_groups = groups.saturating_mul(table.columns.len() as u64 * BYTES_OF_A_COLUMN);
                of_groups.max(self.file.bytes / TAIL_SHARE)
            }
            None => self.file.bytes / TAIL_SHARE_OF_OTHERS,
        };
        self.dataset.bytes_of_a_request().max(expected.min(LONGEST_TAIL))
    }

    /// The metadata, if it was read.
    pub(super) fn known_metadata(&self) -> Option<Arc<ParquetMetaData>> {
        self.kept().metadata.clone()
    }

    /// Whether the file is so small that all of it is read at once.
    pub(super) fn is_read_whole(&self) -> bool {
        self.file.bytes <= self.dataset.bytes_of_a_whole_file()
    }

    /// Whether a range is in memory.
    pub(super) fn is_known(&self, range: &Range<u64>) -> bool {
        self.known(range).is_some()
    }

    /// Whether the file stays in memory once it was read.
    fn stays_in_memory(&self) -> bool {
        self.is_read_whole() && self.file.bytes <= self.dataset.bytes_of_a_request()
    }

    /// Adds bytes to what the current step reads at most. A file that stays in memory counts once, however many scans of a statement
    /// read it.
    pub(super) fn plan(&self, bytes: u64) {
        if bytes > 0 && self.stays_in_memory() {
            let step = Some(self.dataset.step_number());
            let is_planned = std::mem::replace(&mut self.kept().planned_in, step) == step;
            if is_planned {
                return;
            }
        }
        self.dataset.plan(&self.file.path, bytes);
    }

    /// The whole file, which has the hash that the manifest says.
    async fn whole(&self) -> ParquetResult<Bytes> {
        self.kept_part(0..self.file.bytes).await
    }

    /// The content of a range, which stays in memory. It is read once for all readers that wait at the same time.
    async fn kept_part(&self, range: Range<u64>) -> ParquetResult<Bytes> {
        let reading = {
            let mut kept = self.kept();
            if let Some(known) = slice_of(&kept.parts, &range) {
                return Ok(known);
            }
            kept.readings.retain(|(_, reading)| reading.upgrade().is_some());
            let under_way = kept.readings.iter().find(|(of, _)| *of == range);
            under_way.and_then(|(_, reading)| reading.upgrade()).unwrap_or_else(|| {
                let reading = self.part_reading(range.clone());
                kept.readings.extend(reading.downgrade().map(|weak| (range.clone(), weak)));
                reading
            })
        };
        // `reading` is held until its bytes are kept, so that new readers join it.
        let bytes = reading.clone().await.map_err(|error| ParquetError::External(Box::new(error)))?;
        let mut kept = self.kept();
        if slice_of(&kept.parts, &range).is_none() {
            kept.parts.push((range.start, bytes.clone()));
        }
        Ok(bytes)
    }

    /// Reads a range. The hash of a whole file is compared with the manifest.
    fn part_reading(&self, range: Range<u64>) -> Shared<PartReading> {
        let dataset = self.dataset.clone();
        let trace = self.trace.clone();
        let file = self.file.clone();
        let reading = async move {
            let is_whole = range == (0..file.bytes);
            let bytes = dataset.read(&trace, &file, range).await?;
            if is_whole {
                dataset.check_hash(&trace, &file, &bytes)?;
            }
            Ok(bytes)
        };
        reading.boxed().shared()
    }

    /// Reads a file that is read whole, unless it is in memory.
    async fn keep_whole(&self) -> ParquetResult<()> {
        if self.is_read_whole() {
            self.whole().await?;
        }
        Ok(())
    }

    fn check_hash(&self, bytes: &[u8]) -> ParquetResult<()> {
        let checked = self.dataset.check_hash(&self.trace, &self.file, bytes);
        checked.map_err(|error| ParquetError::External(Box::new(error)))
    }

    /// Takes the whole file out of memory, unless it is small or needed. Thousands of files may be read by one statement.
    pub(super) fn release(&self) {
        let mut kept = self.kept();
        if kept.readers == 0 && self.file.bytes > self.dataset.bytes_of_a_request() {
            let size = self.file.bytes as usize;
            kept.parts.retain(|(_, bytes)| bytes.len() < size);
        }
    }

    /// An error about rows that cannot be decoded, as a sentence that names the file.
    pub(super) fn decoding_error(&self, error: &DataFusionError) -> DatasetError {
        part::cause(error).unwrap_or_else(|| {
            let mut text = error.to_string();
            while let Some(inner) = DECODING.iter().find_map(|prefix| text.strip_prefix(prefix)) {
                text = inner.to_owned();
            }
            self.dataset.wrong(&self.trace, &self.file, format!("its rows cannot be decoded ({text})"))
        })
    }

    /// The metadata of the file, which is read once. If the whole file was read for that, its hash is compared with the manifest.
    ///
    /// # Errors
    /// If the file cannot be read, is no Parquet file or is damaged.
    pub async fn metadata(&self) -> ParquetResult<Arc<ParquetMetaData>> {
        if let Some(known) = self.kept().metadata.clone() {
            return Ok(known);
        }
        let checked = self.dataset.check_size(&self.trace, &self.file);
        checked.map_err(|error| ParquetError::External(Box::new(error)))?;
        let len = self.file.bytes;
        let (start, bytes) = match self.is_read_whole() {
            true => (0, self.whole().await?),
            false => self.tail().await?,
        };
        let mut reader = ParquetMetaDataReader::new();
        reader.try_parse_sized(&bytes, len)?;
        let metadata = Arc::new(part::with_plain_schema(reader.finish()?)?);
        part::check_footer(&metadata, len)?;
        let mut kept = self.kept();
        if !self.is_read_whole() {
            kept.parts.push((start, bytes));
        }
        kept.metadata = Some(metadata.clone());
        Ok(metadata)
    }

    /// The end of the file with the whole of its metadata, and where it starts.
    async fn tail(&self) -> ParquetResult<(u64, Bytes)> {
        let len = self.file.bytes;
        let mut start = len.saturating_sub(self.tail_bytes());
        let mut bytes = self.read(start..len).await?;
        let length = bytes.len().checked_sub(END).and_then(|end| bytes[end..].first_chunk());
        let length = length.copied().map_or(0, u32::from_le_bytes);
        let begin = len.saturating_sub(u64::from(length) + END as u64);
        if begin < start {
            bytes = Bytes::from([self.read(begin..start).await?, bytes].concat());
            start = begin;
        }
        if start == 0 {
            self.check_hash(&bytes)?;
        }
        Ok((start, bytes))
    }

    /// The metadata with the places and bounds of all pages.
    async fn indexed_metadata(&self) -> ParquetResult<Arc<ParquetMetaData>> {
        let plain = self.metadata().await?;
        if self.kept().has_page_index {
            return Ok(plain);
        }
        self.keep_whole().await?;
        if let Some(index) = part::page_index_range(&plain).filter(|index| !self.is_known(index)) {
            self.kept_part(index).await?;
        }
        let mut reader = ParquetMetaDataReader::new_with_metadata((*plain).clone())
            .with_page_index_policy(PageIndexPolicy::Optional);
        reader.read_page_indexes_sized(self, self.file.bytes)?;
        let metadata = Arc::new(reader.finish()?);
        part::check_pages(&metadata)?;
        let mut kept = self.kept();
        (kept.metadata, kept.has_page_index) = (Some(metadata.clone()), true);
        Ok(metadata)
    }

    /// Reads row groups, whose pages are then in memory: those close to each other at once.
    ///
    /// # Errors
    /// If the file ends before a row group does.
    pub async fn keep_row_groups<'g>(
        &self,
        groups: impl Iterator<Item = &'g RowGroupMetaData>,
    ) -> ParquetResult<()> {
        self.keep_whole().await?;
        let place = |group: &RowGroupMetaData| {
            let ranges = || group.columns().iter().filter_map(part::column_range);
            let start = ranges().map(|range| range.start).min().unwrap_or(0);
            start..ranges().map(|range| range.end).max().unwrap_or(0)
        };
        let unread: Vec<Range<u64>> = groups.map(place).filter(|range| self.known(range).is_none()).collect();
        let read = self.read_together(unread).await?;
        self.kept().parts.extend(read);
        Ok(())
    }

    async fn read(&self, range: Range<u64>) -> ParquetResult<Bytes> {
        let bytes = self.dataset.read(&self.trace, &self.file, range).await;
        bytes.map_err(|error| ParquetError::External(Box::new(error)))
    }

    /// A range that is in memory.
    fn known(&self, range: &Range<u64>) -> Option<Bytes> {
        slice_of(&self.kept().parts, range)
    }

    /// The content of a range. The page index is checked before it is given, and stays in memory, because several readers of a file need it.
    async fn known_or_read(&self, range: Range<u64>) -> ParquetResult<Bytes> {
        self.keep_whole().await?;
        let index = self.known_metadata().and_then(|metadata| part::page_index_range(&metadata));
        if index.as_ref() == Some(&range) {
            self.indexed_metadata().await.map_err(|error| self.named(&error))?;
        }
        match self.known(&range) {
            Some(bytes) => Ok(bytes),
            None => self.read(range).await,
        }
    }

    /// An error of a reader as a sentence that names the file, which DataFusion would not.
    fn named(&self, error: &ParquetError) -> ParquetError {
        let sentence = part::sentence(&self.dataset, &self.trace, &self.file, error);
        ParquetError::External(Box::new(sentence))
    }

    /// The content of ranges.
    async fn ranges(&self, ranges: &[Range<u64>]) -> ParquetResult<Vec<Bytes>> {
        self.keep_whole().await?;
        let unread = ranges.iter().filter(|range| self.known(range).is_none()).cloned().collect();
        let read = self.read_together(unread).await?;
        let part = |range: &Range<u64>| {
            slice_of(&read, range).or_else(|| self.known(range)).ok_or_else(|| not_read(range.start))
        };
        ranges.iter().map(part).collect()
    }

    /// Reads ranges, those close to each other at once; the offset and the content of each part.
    async fn read_together(&self, ranges: Vec<Range<u64>>) -> ParquetResult<Vec<(u64, Bytes)>> {
        let reading = self.requests(ranges).into_iter().map(|request| {
            let start = request.start;
            self.read(request).map_ok(move |bytes| (start, bytes))
        });
        stream::iter(reading).buffered(self.dataset.reads_at_once()).try_collect().await
    }

    /// The requests for pages or other ranges. Columns that are close to each other are read at once, from the first page that is needed
    /// to the last one: that is never more than those columns, which [`PlannedScan`](super::PlannedScan) counts.
    fn requests(&self, mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
        ranges.sort_by_key(|range| range.start);
        let metadata = self.known_metadata();
        let column = |range: &Range<u64>| {
            let known = metadata.as_ref().and_then(|metadata| part::column_around(metadata, range));
            known.unwrap_or_else(|| range.clone())
        };
        let mut columns: Vec<Range<u64>> = ranges.iter().map(column).collect();
        columns.dedup();
        let columns = self.joined(columns);
        let longest_gap = GAP_AFTER_MUCH * self.dataset.bytes_of_a_request();
        let mut requests: Vec<Range<u64>> = Vec::new();
        for range in ranges {
            let are_joined = |last: &&mut Range<u64>| {
                let has_both = |columns: &Range<u64>| columns.start <= last.start && range.end <= columns.end;
                range.start <= last.end.saturating_add(longest_gap) && columns.iter().any(has_both)
            };
            match requests.last_mut().filter(are_joined) {
                Some(last) => last.end = last.end.max(range.end),
                None => requests.push(range),
            }
        }
        requests
    }

    /// The requests for whole columns: one for those close to each other.
    pub(super) fn joined(&self, mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
        let of_request = self.dataset.bytes_of_a_request();
        ranges.sort_by_key(|range| range.start);
        let mut requests: Vec<Range<u64>> = Vec::new();
        let mut needed = 0;
        for range in ranges {
            let length = range.end - range.start;
            let gap = needed.clamp(GAP * of_request, GAP_AFTER_MUCH * of_request);
            match requests.last_mut().filter(|last| range.start <= last.end.saturating_add(gap)) {
                Some(last) => {
                    last.end = last.end.max(range.end);
                    needed += length;
                }
                None => {
                    requests.push(range);
                    needed = length;
                }
            }
        }
        requests
    }

    fn kept(&self) -> MutexGuard<'_, KeptParts> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Length for FileParts {
    fn len(&self) -> u64 {
        self.file.bytes
    }
}

impl ChunkReader for FileParts {
    type T = bytes::buf::Reader<Bytes>;

    /// What is in memory from an offset on. Nothing is read here, because reads are asynchronous.
    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let kept = self.kept();
        let holds = |(first, bytes): &&(u64, Bytes)| (*first..first + bytes.len() as u64).contains(&start);
        let part = kept.parts.iter().filter(holds).max_by_key(|(first, bytes)| first + bytes.len() as u64);
        let (first, bytes) = part.ok_or_else(|| not_read(start))?;
        Ok(bytes.slice((start - first) as usize..).reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        self.known(&(start..start.saturating_add(length as u64))).ok_or_else(|| not_read(start))
    }
}

/// The content of a range, if one of the parts, each with its offset, has the whole of it. No part has a range that ends before it starts.
fn slice_of(parts: &[(u64, Bytes)], range: &Range<u64>) -> Option<Bytes> {
    let holds =
        |(first, bytes): &&(u64, Bytes)| *first <= range.start && range.end <= first + bytes.len() as u64;
    let (first, bytes) = parts.iter().find(holds).filter(|_| range.start <= range.end)?;
    Some(bytes.slice((range.start - first) as usize..(range.end - first) as usize))
}

fn not_read(start: u64) -> ParquetError {
    ParquetError::EOF(format!("nothing was read at {start}"))
}

/// A [`FileParts`] for DataFusion, whose readers are asynchronous.
pub struct PartsReader(Arc<FileParts>);

impl PartsReader {
    pub fn new(parts: Arc<FileParts>) -> Self {
        parts.kept().readers += 1;
        Self(parts)
    }
}

impl Drop for PartsReader {
    fn drop(&mut self) {
        self.0.kept().readers -= 1;
        self.0.release();
    }
}

impl AsyncFileReader for PartsReader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, ParquetResult<Bytes>> {
        self.0.known_or_read(range).boxed()
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, ParquetResult<Vec<Bytes>>> {
        async move { self.0.ranges(&ranges).await }.boxed()
    }

    fn get_metadata<'a>(
        &'a mut self,
        options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, ParquetResult<Arc<ParquetMetaData>>> {
        let policy = options.map_or(PageIndexPolicy::Skip, ArrowReaderOptions::column_index_policy);
        async move {
            let parts = &self.0;
            let metadata = match policy {
                PageIndexPolicy::Skip => parts.metadata().await,
                _ => parts.indexed_metadata().await,
            };
            let metadata = metadata.map_err(|error| parts.named(&error))?;
            let checked = part::check_rows(&parts.dataset, &parts.trace, &parts.file, &metadata);
            checked.map_err(|error| ParquetError::External(Box::new(error)))?;
            Ok(metadata)
        }
        .boxed()
    }
}
