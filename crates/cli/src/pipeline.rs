//! From an input to the output: whoever is free reads the next chunk, works on it, and writes it when it is its turn.
//!
//! There is no thread that only reads, and none that only writes: a chunk stays in the cache of one core from the read
//! to the write. Reading is serial, by a lock, as is writing, by turns; all between is not. Memory is one chunk and its
//! result for each thread, whatever the length of the input and of its records.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use percent_simd_records::diagnostic::Diagnostic;
use percent_simd_records::framing::{EndScan, Framing};
use percent_simd_records::place::Place;

use crate::chunk::{Chunk, LONGEST, Outcome, Scratch, Stop};
use crate::compress::Compression;
use crate::findings::{Fit, KINDS, Located, Stats};
use crate::job::Job;
use crate::record_verb::Turn;
use crate::report::Report;

/// Big enough that system calls are few, small enough that a chunk and its result stay in the second cache.
pub const BLOCK: usize = 256 * 1024;

/// So many chunks are dealt with before there are threads.
const ALONE: u64 = 4;

/// So much of an input is kept, to tell what it may be should it not be what it was said to be.
const HEAD: usize = 16 * 1024;

/// So often is a lock tried before the thread sleeps: some microseconds.
const SPINS: u32 = 500;

/// Why an input was not dealt with to its end.
pub enum RunError {
    Open(io::Error),
    Read(io::Error),
    Write(io::Error),
    Malformed(Located),
    /// A row that is cut off, or whose length makes no sense.
    Row(Place),
    /// A member for a result that is there already, and what is said of it.
    Taken(Place, String),
    /// A diagnostic that stopped a verb.
    Diagnosed(Place, Diagnostic),
}

/// A file that can be read anywhere, by several threads at once.
pub trait Blocks: Send + Sync {
    /// Fills `buffer` with what is at `offset`, as far as there is something; how much that is.
    fn read_block(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

/// Room before a block for the front of its first record.
const FRONT: usize = 64 * 1024;

/// A block that a thread has undertaken to read.
struct Claim<'a> {
    blocks: &'a dyn Blocks,
    number: u64,
    offset: u64,
    len: usize,
}

impl Claim<'_> {
    /// Reads the block into `chunk`, behind the room in front; how much there is of it.
    fn read(&self, chunk: &mut Chunk) -> io::Result<usize> {
        if chunk.buffer.len() != FRONT + self.len {
            chunk.buffer.clear();
            chunk.buffer.resize(FRONT + self.len, 0);
        }
        self.blocks.read_block(self.offset, &mut chunk.buffer[FRONT..])
    }
}

/// The result of taking a chunk from a source.
enum Taken {
    Chunk,
    /// A block without the end of a record; the next ones have it.
    Nothing,
    End,
}

/// Cuts an input into chunks.
pub struct Source<'a, R> {
    input: R,
    /// The input as a file, if it is one, for the rest of it.
    blocks: Option<&'a dyn Blocks>,
    offset: u64,
    claimed: u64,
    taken: u64,
    job: &'a Job,
    block: usize,
    /// Whether chunks are to be full, however long that takes.
    fills: bool,
    chunk: Chunk,
    held: Vec<u8>,
    is_passing: bool,
    /// Whether the end of the record that is being passed was found.
    has_passed: bool,
    /// The end of the record that is being passed, if that takes more than a byte to tell.
    end_scan: Option<EndScan>,
    error: Option<io::Error>,
}

impl<'a, R: Read> Source<'a, R> {
    /// Chunks of `block` bytes, or less if the input gives less at a time and they need not be full.
    pub fn new(input: R, job: &'a Job, block: usize, fills: bool) -> Source<'a, R> {
        let chunk = Chunk { layout: job.format.layout(), ..Chunk::default() };
        let (held, is_passing, error) = (Vec::new(), false, None);
        Source {
            input,
            blocks: None,
            offset: 0,
            claimed: 0,
            taken: 0,
            job,
            block,
            fills,
            chunk,
            held,
            is_passing,
            has_passed: false,
            end_scan: None,
            error,
        }
    }

    /// Adds blocks that several threads may read at once.
    pub fn with_blocks(self, blocks: Option<&'a dyn Blocks>) -> Source<'a, R> {
        Source { blocks, ..self }
    }

    /// The next block, for whoever asks to read it and then to [`put`](Self::put) it in its turn.
    fn claim(&mut self) -> Option<Claim<'a>> {
        let blocks = self.blocks.filter(|_| !self.chunk.last)?;
        let claim = Claim { blocks, number: self.claimed, offset: self.offset, len: self.block };
        self.claimed += 1;
        self.offset += self.block as u64;
        Some(claim)
    }

    /// Makes a chunk of the block that has been read into `chunk`, and of what is left of those before it.
    fn put(&mut self, chunk: &mut Chunk, read: io::Result<usize>) -> io::Result<Taken> {
        self.taken += 1;
        if self.chunk.last {
            return Ok(Taken::End);
        }
        let read = read.unwrap_or_else(|error| {
            self.error = Some(error);
            0
        });
        self.chunk.last = read < self.block;
        let filled = self.held.len() + read;
        chunk.start = FRONT.saturating_sub(self.held.len());
        if self.held.len() > FRONT {
            let block = std::mem::take(&mut chunk.buffer);
            chunk.buffer = [&self.held, &block[FRONT..FRONT + read]].concat();
        } else {
            chunk.buffer[chunk.start..FRONT].copy_from_slice(&self.held);
        }
        let bytes = &chunk.buffer[chunk.start..chunk.start + filled];
        let end = match self.cut(bytes) {
            // Behind the end of a record that was too long come others, which are a chunk of their own.
            end if self.chunk.last && self.is_passing && end < filled => {
                self.chunk.last = false;
                end
            }
            _ if self.chunk.last => filled,
            0 => self.cut_record(bytes),
            end => end,
        };
        if end == 0 && self.chunk.last {
            return self.error.take().map_or(Ok(Taken::End), Err);
        }
        self.held.clear();
        self.held.extend(&bytes[end..]);
        if end == 0 {
            return Ok(Taken::Nothing);
        }
        (chunk.len, chunk.ahead) = (end, filled);
        self.settle(chunk);
        Ok(Taken::Chunk)
    }

    /// Fills `chunk` with what comes next; false if there is nothing.
    pub fn next(&mut self, chunk: &mut Chunk) -> io::Result<bool> {
        if self.chunk.last {
            return self.error.take().map_or(Ok(false), Err);
        }
        // Room for a long record is not kept.
        let room = self.block.max(self.held.len() + 1);
        if chunk.buffer.len() > 2 * room {
            chunk.buffer = Vec::new();
        }
        if chunk.buffer.len() < room {
            chunk.buffer.resize(room, 0);
        }
        chunk.start = 0;
        let mut filled = self.held.len();
        chunk.buffer[..filled].copy_from_slice(&self.held);
        let end = loop {
            let read = self.read(&mut chunk.buffer[filled..]);
            filled += read;
            let (is_full, last) = (filled == chunk.buffer.len(), read == 0);
            if last {
                // Behind the end of a record that was too long come others, which are a chunk of their own.
                let end = if self.is_passing { self.cut(&chunk.buffer[..filled]) } else { filled };
                self.chunk.last = end == filled;
                break end;
            }
            if self.fills && !is_full {
                continue;
            }
            let end = self.cut(&chunk.buffer[..filled]);
            if end > 0 {
                break end;
            }
            if is_full {
                let end = self.cut_record(&chunk.buffer);
                if end > 0 {
                    break end;
                }
                chunk.buffer.resize(2 * filled, 0);
            }
        };
        if end == 0 {
            return self.error.take().map_or(Ok(false), Err);
        }
        self.held.clear();
        self.held.extend(&chunk.buffer[end..filled]);
        (chunk.len, chunk.ahead) = (end, filled);
        self.settle(chunk);
        Ok(true)
    }

    /// Reads some; nothing where there is nothing, or no more to be had.
    fn read(&mut self, buffer: &mut [u8]) -> usize {
        loop {
            match self.input.read(buffer) {
                Ok(read) => {
                    self.offset += read as u64;
                    return read;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.error = Some(error);
                    return 0;
                }
            }
        }
    }

    /// Returns where a chunk ends that need not be full; 0 if it needs more bytes.
    fn cut(&mut self, bytes: &[u8]) -> usize {
        if !self.is_passing {
            return self.job.cut(bytes);
        }
        let end = match &mut self.end_scan {
            Some(scan) => scan.end(bytes),
            None => self.job.resume(bytes),
        };
        self.has_passed = end.is_some();
        end.unwrap_or(bytes.len())
    }

    /// Returns where a chunk ends that holds the middle of a record; 0 if it needs more bytes.
    fn cut_record(&mut self, bytes: &[u8]) -> usize {
        let is_piecemeal = self.job.is_piecemeal();
        let longest = match self.job.format.framing() {
            _ if self.job.is_bulk() || is_piecemeal && self.job.verb().is_some() => 0,
            Framing::Rows => usize::MAX,
            _ => LONGEST.max(self.block),
        };
        match is_piecemeal {
            _ if bytes.len() < longest => 0,
            true => match self.job.decided(bytes) {
                0 => bytes.len(),
                end => end,
            },
            false => bytes.len(),
        }
    }

    /// Says of `chunk` what it has to know, and takes note for the next.
    fn settle(&mut self, chunk: &mut Chunk) {
        let state = &mut self.chunk;
        chunk.number = state.number;
        state.number += 1;
        chunk.last = state.last;
        chunk.in_query = state.in_query;
        chunk.layout.clone_from(&state.layout);
        let bytes = chunk.bytes();
        let is_inside = !chunk.last && self.job.is_inside(bytes);
        state.in_query = is_inside && (state.in_query || memchr::memchr(b'?', bytes).is_some());
        let was_passing = self.is_passing;
        let framing = self.job.format.framing();
        self.is_passing = match framing.end_scan() {
            Some(_) if was_passing => !chunk.last && !self.has_passed,
            Some(_) if chunk.last || chunk.len < LONGEST || framing.whole(bytes) > 0 => false,
            Some(mut scan) => {
                let goes_on = scan.end(bytes).is_none();
                self.end_scan = Some(scan);
                goes_on
            }
            None => {
                let has_ends = framing.end().is_some() && !self.job.is_piecemeal();
                has_ends && is_inside && (was_passing || chunk.len >= LONGEST)
            }
        };
        let is_piece = was_passing || self.is_passing;
        if !is_piece {
            self.job.format.advance(bytes, &mut state.layout);
        }
        chunk.too_long = is_piece.then_some(!was_passing);
    }
}

/// The destination of the output, and its form.
pub struct Sink<'a> {
    pub to: &'a mut (dyn Write + Send),
    pub compression: Option<Compression>,
    /// The end of line that the last record of the input before lacks: it is written before anything else.
    pub owed_end: Option<u8>,
    /// The report that lists the places of findings.
    pub report: Option<&'a mut Report>,
}

impl<'a> Sink<'a> {
    /// Writes to `to`, without a report.
    #[cfg(test)]
    pub fn new(to: &'a mut (dyn Write + Send), compression: Option<Compression>) -> Sink<'a> {
        Sink { to, compression, owed_end: None, report: None }
    }

    /// Writes `text`, which is not compressed yet, behind the end that is owed.
    pub fn write_text(&mut self, text: Vec<u8>) -> io::Result<()> {
        let packed = self.packed(text);
        self.write(&packed)
    }

    /// `text` as it is to be written.
    fn packed(&self, text: Vec<u8>) -> Vec<u8> {
        match self.compression {
            Some(compression) if !text.is_empty() => {
                let mut packed = Vec::new();
                compression.member(&text, &mut packed);
                packed
            }
            _ => text,
        }
    }

    /// Writes `out`, compressed already, behind the end that is owed.
    fn write(&mut self, out: &[u8]) -> io::Result<()> {
        if let Some(end) = self.owed_end.take_if(|_| !out.is_empty()) {
            let mut packed = Vec::new();
            match self.compression {
                Some(compression) => compression.member(&[end], &mut packed),
                None => packed.push(end),
            }
            self.to.write_all(&packed)?;
        }
        self.to.write_all(out)?;
        self.to.flush()
    }
}

/// The result of an input.
pub struct RunResult {
    pub stats: Stats,
    pub fit: Fit,
    /// The start of the input.
    pub head: Vec<u8>,
    /// The last byte that was written, before it was compressed.
    pub last_byte: Option<u8>,
    /// The first diagnostics of a verb, and how many there are.
    pub diagnostics: Vec<(Place, Diagnostic)>,
    pub diagnosed: u64,
    pub error: Option<RunError>,
}

/// The work that threads do in turn: writing, and adding up.
struct OrderedWriter<'a, 'b> {
    next: u64,
    sink: &'a mut Sink<'b>,
    place: Place,
    /// Places told of each kind.
    told: [usize; KINDS.len()],
    ran: RunResult,
}

impl OrderedWriter<'_, '_> {
    /// Puts `out` behind what has been written; whether to go on.
    fn take(&mut self, job: &Job, worker: &Worker, outcome: &Outcome) -> bool {
        let Worker { chunk, out, .. } = worker;
        self.next = chunk.number + 1;
        let (ordered, goes_on) = self.ordered(job, worker, outcome);
        let last_byte = ordered.as_ref().map_or(worker.last_byte, |text| text.last().copied());
        let listed = ordered.or_else(|| self.listed(job, chunk, outcome)).map(|text| self.sink.packed(text));
        let out = listed.as_deref().unwrap_or(out);
        let mut written = self.sink.write(out);
        self.ran.last_byte = last_byte.or(self.ran.last_byte);
        self.ran.fit.add(&outcome.fit);
        if chunk.number == 0 && !job.format.is_whole() {
            self.ran.head = chunk.bytes()[..chunk.len.min(HEAD)].to_vec();
        }
        let place_of = |at: usize| {
            let mut place = self.place;
            place.advance(&chunk.bytes()[..at]);
            place
        };
        match &outcome.stop {
            Some(Stop::Row(at)) => self.ran.error = Some(RunError::Row(place_of(*at))),
            Some(Stop::Taken(at, text)) => self.ran.error = Some(RunError::Taken(place_of(*at), text.clone())),
            Some(Stop::Found(_)) | None => {}
        }
        self.tally(job, chunk, outcome);
        if job.tells_places() {
            let located = self.locate(job, chunk, outcome);
            written = written.and(located);
        } else {
            self.ran.stats.oversized += outcome.stats.oversized;
            if job.may_stop() {
                self.place.advance(chunk.bytes());
            }
        }
        if let Err(error) = written {
            self.ran.error = Some(RunError::Write(error));
        }
        self.ran.error.is_none() && goes_on
    }

    /// Returns the output of a verb that sees records in the order of the input, and whether the input goes on.
    fn ordered(&self, job: &Job, worker: &Worker, outcome: &Outcome) -> (Option<Vec<u8>>, bool) {
        let Some(verb) = job.record_verb().filter(|verb| verb.is_ordered()) else { return (None, true) };
        if worker.chunk.too_long.is_some() {
            return (Some(worker.out.clone()), true);
        }
        let bytes = worker.chunk.bytes();
        let turn = Turn { name: &job.name, place: self.place, bytes, text: &worker.out, marks: &outcome.marks };
        let mut text = Vec::new();
        let goes_on = verb.write(&turn, &mut text);
        (Some(text), goes_on)
    }

    /// Tells the summary where the attacks stand.
    fn tally(&self, job: &Job, chunk: &Chunk, outcome: &Outcome) {
        let Some(shared) = job.tally().filter(|_| !outcome.attacks.is_empty()) else { return };
        let mut attacks: Vec<_> = outcome.attacks.iter().collect();
        attacks.sort_by_key(|attack| attack.offset);
        let mut summary = lock(shared);
        let name = job.name.as_str().into();
        let (mut done, mut place) = (0, self.place);
        for attack in attacks {
            place.advance(&chunk.bytes()[done..attack.offset]);
            done = attack.offset;
            summary.attack(&name, place, attack);
        }
    }

    /// Returns the output where that is a list of diagnostics.
    fn listed(&self, job: &Job, chunk: &Chunk, outcome: &Outcome) -> Option<Vec<u8>> {
        let config = job.verb().filter(|config| config.lists)?;
        let mut text = Vec::new();
        self.each_diagnostic(chunk, outcome, |place, diagnostic| {
            config.verb.list(&job.name, place, diagnostic, &mut text)
        });
        Some(text)
    }

    fn each_diagnostic(&self, chunk: &Chunk, outcome: &Outcome, mut each: impl FnMut(Place, &Diagnostic)) {
        let (mut done, mut place) = (0, self.place);
        for diagnostic in &outcome.stats.effects.diagnostics.list {
            place.advance(chunk.bytes().get(done..diagnostic.offset).unwrap_or_default());
            done = done.max(diagnostic.offset);
            each(place, diagnostic);
        }
    }

    /// Takes note of the diagnostics of a verb that does not list them.
    fn diagnose(&mut self, job: &Job, chunk: &Chunk, outcome: &Outcome) {
        let diagnostics = &outcome.stats.effects.diagnostics;
        self.ran.diagnosed += diagnostics.count;
        let Some(config) = job.verb().filter(|config| !config.lists) else { return };
        let mut located = Vec::new();
        self.each_diagnostic(chunk, outcome, |place, diagnostic| located.push((place, diagnostic.clone())));
        if let Some((place, diagnostic)) = located.pop_if(|_| diagnostics.stops) {
            self.ran.error = Some(RunError::Diagnosed(place, diagnostic));
        }
        located.truncate(config.limit.saturating_sub(self.ran.diagnostics.len()));
        self.ran.diagnostics.extend(located);
    }

    /// Tells the places of what was found, and adds up.
    fn locate(&mut self, job: &Job, chunk: &Chunk, outcome: &Outcome) -> io::Result<()> {
        let bytes = chunk.bytes();
        let (mut done, mut place) = (0, self.place);
        let mut written = Ok(());
        for found in &outcome.stats.found {
            let told = &mut self.told[found.kind as usize];
            if *told < job.limit() {
                *told += 1;
                place.advance(&bytes[done..found.offset]);
                done = found.offset;
                if let Some(report) = self.sink.report.as_mut().filter(|_| written.is_ok()) {
                    written = report.place(&job.name, &Located { place, found: found.clone() });
                }
            }
        }
        self.diagnose(job, chunk, outcome);
        if let Some(Stop::Found(found)) = &outcome.stop {
            let mut place = self.place;
            place.advance(&bytes[..found.offset]);
            self.ran.error = Some(RunError::Malformed(Located { place, found: found.clone() }));
        }
        self.place.advance(bytes);
        self.ran.stats.add(&outcome.stats);
        written
    }
}

/// The buffers and the state of a thread.
#[derive(Default)]
struct Worker {
    chunk: Chunk,
    scratch: Scratch,
    out: Vec<u8>,
    packed: Vec<u8>,
    /// The last byte of what came of the chunk, before it was compressed.
    last_byte: Option<u8>,
}

impl Worker {
    /// Processes the chunk, and compresses its output if that is wanted.
    fn work(&mut self, job: &Job, compression: Option<Compression>) -> Outcome {
        let mut outcome = job.run(&self.chunk, &mut self.scratch, &mut self.out);
        outcome.stats.sort();
        self.last_byte = self.out.last().copied();
        let is_ordered = job.record_verb().is_some_and(|verb| verb.is_ordered());
        if let Some(compression) = compression.filter(|_| !is_ordered) {
            self.packed.clear();
            if !self.out.is_empty() {
                compression.member(&self.out, &mut self.packed);
            }
            std::mem::swap(&mut self.out, &mut self.packed);
        }
        outcome
    }
}

/// The lock; waits a little before it sleeps, because others have it for as long as a read takes.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    for _ in 0..SPINS {
        if let Ok(guard) = mutex.try_lock() {
            return guard;
        }
        std::hint::spin_loop();
    }
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All that is in `source` through `job` to `sink`, with as many threads.
pub fn run<R: Read + Send>(mut source: Source<R>, job: &Job, sink: &mut Sink, threads: usize) -> RunResult {
    let compression = sink.compression;
    let place = Place::start(job.format.framing().line_end());
    let ran = RunResult {
        stats: Stats::new(0),
        fit: Fit::default(),
        head: Vec::new(),
        last_byte: None,
        diagnostics: Vec::new(),
        diagnosed: 0,
        error: None,
    };
    let mut turns = OrderedWriter { next: 0, sink, place, told: [0; KINDS.len()], ran };
    let mut worker = Worker::default();
    // Short inputs are done before another thread would have started.
    loop {
        match source.next(&mut worker.chunk) {
            Ok(true) => {}
            Ok(false) => return turns.ran,
            Err(error) => {
                turns.ran.error = Some(RunError::Read(error));
                return turns.ran;
            }
        }
        let outcome = worker.work(job, compression);
        if !turns.take(job, &worker, &outcome) {
            return turns.ran;
        }
        if threads > 1 && worker.chunk.number + 1 >= ALONE {
            break;
        }
    }
    let shared = Shared {
        source: Mutex::new(Some(source)),
        taken: Condvar::new(),
        turns: Mutex::new(turns),
        turned: Condvar::new(),
        job,
        compression,
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| shared.serve(Worker::default()));
        }
        shared.serve(worker);
    });
    shared.turns.into_inner().unwrap_or_else(PoisonError::into_inner).ran
}

/// The state that the threads share.
struct Shared<'a, 'b, 'c, R> {
    /// Gone once nobody is to read on.
    source: Mutex<Option<Source<'a, R>>>,
    taken: Condvar,
    turns: Mutex<OrderedWriter<'b, 'c>>,
    turned: Condvar,
    job: &'a Job,
    compression: Option<Compression>,
}

impl<R: Read> Shared<'_, '_, '_, R> {
    /// One of the threads: reads, works, and writes in turn, until there is no more or somebody is in error.
    fn serve(&self, mut worker: Worker) {
        while let Some((taken, number)) = self.take(&mut worker.chunk) {
            let outcome = match taken {
                Ok(Taken::Nothing) => continue,
                Ok(Taken::Chunk) => Ok(Some(worker.work(self.job, self.compression))),
                Ok(Taken::End) => Ok(None),
                Err(error) => Err(error),
            };
            if !self.write(number, &worker, outcome) {
                // After an error nothing more is read.
                *lock(&self.source) = None;
                self.taken.notify_all();
                return;
            }
        }
    }

    /// Takes what comes next into `chunk`, and the number of its turn; `None` if nobody is to read on.
    fn take(&self, chunk: &mut Chunk) -> Option<(io::Result<Taken>, u64)> {
        let mut source = lock(&self.source);
        let taken = match source.as_mut()?.claim() {
            None => source.as_mut()?.next(chunk).map(|is_there| if is_there { Taken::Chunk } else { Taken::End }),
            Some(claim) => {
                drop(source);
                let read = claim.read(chunk);
                source = lock(&self.source);
                while source.as_ref()?.taken != claim.number {
                    source = self.taken.wait(source).unwrap_or_else(PoisonError::into_inner);
                }
                source.as_mut()?.put(chunk, read)
            }
        };
        let next = source.as_ref()?.chunk.number;
        if !matches!(taken, Ok(Taken::Chunk | Taken::Nothing)) {
            *source = None;
        }
        drop(source);
        self.taken.notify_all();
        let number = if matches!(taken, Ok(Taken::Chunk)) { chunk.number } else { next };
        Some((taken, number))
    }

    /// Writes what came of a chunk when all before it is written; whether to go on.
    fn write(&self, number: u64, worker: &Worker, outcome: io::Result<Option<Outcome>>) -> bool {
        let mut turn = lock(&self.turns);
        while turn.next != number && turn.ran.error.is_none() {
            turn = self.turned.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        let goes_on = turn.ran.error.is_none()
            && match outcome {
                Ok(Some(outcome)) => turn.take(self.job, worker, &outcome),
                Ok(None) => false,
                Err(error) => {
                    turn.ran.error = Some(RunError::Read(error));
                    false
                }
            };
        drop(turn);
        self.turned.notify_all();
        goes_on
    }
}
