//! From an input to the output: whoever is free reads the next chunk, works on it, and writes it when it is its turn.
//!
//! There is no thread that only reads, and none that only writes: a chunk stays in the cache of one core from the read
//! to the write. Reading is serial, by a lock, as is writing, by turns; all between is not. Memory is one chunk and its
//! result for each thread, whatever the length of the input and of its records.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::compress::Compression;
use crate::job::{self, Chunk, Job, Outcome, Scratch};
use crate::records::Framing;
use crate::report::{KINDS, Located, Place, Seen};
use crate::verb::Remark;

/// Big enough that system calls are few, small enough that a chunk and its result stay in the second cache.
pub const BLOCK: usize = 256 * 1024;

/// The longest record whose fields are looked for; a longer one stays as it is.
pub const LONGEST: usize = 8 << 20;

/// So many chunks are dealt with before there are threads.
const ALONE: u64 = 4;

/// Why an input was not dealt with to its end.
pub enum Trouble {
    Open(io::Error),
    Read(io::Error),
    Write(io::Error),
    Malformed(Located),
    /// What a verb stopped at.
    Remarked(Place, Remark),
}

/// Cuts an input into chunks.
pub struct Source<'a, R> {
    input: R,
    job: &'a Job,
    block: usize,
    /// Whether chunks are to be full, however long that takes.
    fills: bool,
    chunk: Chunk,
    held: Vec<u8>,
    is_passing: bool,
    error: Option<io::Error>,
}

impl<'a, R: Read> Source<'a, R> {
    /// Chunks of `block` bytes, or less if the input gives less at a time and they need not be full.
    pub fn new(input: R, job: &'a Job, block: usize, fills: bool) -> Source<'a, R> {
        let chunk = Chunk { layout: job.format.layout(), ..Chunk::default() };
        Source { input, job, block, fills, chunk, held: Vec::new(), is_passing: false, error: None }
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
        let mut filled = self.held.len();
        chunk.buffer[..filled].copy_from_slice(&self.held);
        let end = loop {
            let read = self.read(&mut chunk.buffer[filled..]);
            filled += read;
            let (is_full, last) = (filled == chunk.buffer.len(), read == 0);
            if last {
                self.chunk.last = true;
                break filled;
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
                Ok(read) => return read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.error = Some(error);
                    return 0;
                }
            }
        }
    }

    /// Where a chunk ends that need not be full; 0 if there must be more of it.
    fn cut(&mut self, bytes: &[u8]) -> usize {
        if !self.is_passing {
            return job::cut(self.job, bytes);
        }
        job::resume(self.job, bytes).unwrap_or(bytes.len())
    }

    /// Where a chunk ends that holds the middle of a record; 0 if there is to be more of it.
    fn cut_record(&mut self, bytes: &[u8]) -> usize {
        let is_piecemeal = self.job.is_piecemeal();
        let longest = match self.job.format.framing() {
            _ if self.job.is_direct() || is_piecemeal && self.job.verb().is_some() => 0,
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
        let bytes = &chunk.buffer[..chunk.len];
        let is_inside = !chunk.last && job::is_inside(self.job, bytes);
        state.in_query = is_inside && (state.in_query || memchr::memchr(b'?', bytes).is_some());
        let was_passing = self.is_passing;
        let has_ends = self.job.format.framing().end().is_some() && !self.job.is_piecemeal();
        self.is_passing = has_ends && is_inside && (was_passing || chunk.len >= LONGEST);
        chunk.too_long = (was_passing || self.is_passing).then_some(!was_passing);
        if chunk.too_long.is_none() {
            self.job.format.advance(bytes, &mut state.layout);
        }
    }
}

/// Where the output goes, and in what form.
pub struct Sink<'a> {
    pub to: &'a mut (dyn Write + Send),
    pub compression: Option<Compression>,
}

/// What came of an input.
pub struct Ran {
    pub seen: Seen,
    pub located: Vec<Located>,
    /// The first remarks of a verb, and how many there are.
    pub remarks: Vec<(Place, Remark)>,
    pub remarked: u64,
    pub trouble: Option<Trouble>,
}

/// What is done in turns: writing, and adding up.
struct Turns<'a, 'b> {
    next: u64,
    sink: &'a mut Sink<'b>,
    place: Place,
    /// Places told of each kind.
    told: [usize; KINDS.len()],
    ran: Ran,
}

impl Turns<'_, '_> {
    /// Puts `out` behind what has been written; whether to go on.
    fn take(&mut self, job: &Job, chunk: &Chunk, out: &[u8], outcome: &Outcome) -> bool {
        self.next = chunk.number + 1;
        let listed = self.listed(job, chunk, outcome);
        let out = listed.as_deref().unwrap_or(out);
        let written = self.sink.to.write_all(out).and_then(|()| self.sink.to.flush());
        if job.tells_places() {
            self.locate(job, chunk, outcome);
        }
        if let Err(error) = written {
            self.ran.trouble = Some(Trouble::Write(error));
        }
        self.ran.trouble.is_none()
    }

    /// What is written where the output is a list of remarks.
    fn listed(&self, job: &Job, chunk: &Chunk, outcome: &Outcome) -> Option<Vec<u8>> {
        let carried = job.verb().filter(|carried| carried.lists)?;
        let mut text = Vec::new();
        self.each_remark(chunk, outcome, |place, remark| carried.verb.list(&job.name, place, remark, &mut text));
        match self.sink.compression {
            Some(compression) if !text.is_empty() => {
                let mut packed = Vec::new();
                compression.member(&text, &mut packed);
                Some(packed)
            }
            _ => Some(text),
        }
    }

    fn each_remark(&self, chunk: &Chunk, outcome: &Outcome, mut each: impl FnMut(Place, &Remark)) {
        let (mut done, mut place) = (0, self.place);
        for remark in &outcome.seen.remarks.list {
            place.advance(chunk.bytes().get(done..remark.offset).unwrap_or_default());
            done = done.max(remark.offset);
            each(place, remark);
        }
    }

    /// Takes note of the remarks of a verb that does not list them.
    fn remark(&mut self, job: &Job, chunk: &Chunk, outcome: &Outcome) {
        let remarks = &outcome.seen.remarks;
        self.ran.remarked += remarks.count;
        let Some(carried) = job.verb().filter(|carried| !carried.lists) else { return };
        let mut located = Vec::new();
        self.each_remark(chunk, outcome, |place, remark| located.push((place, remark.clone())));
        if let Some((place, remark)) = located.pop_if(|_| remarks.stops) {
            self.ran.trouble = Some(Trouble::Remarked(place, remark));
        }
        located.truncate(carried.most.saturating_sub(self.ran.remarks.len()));
        self.ran.remarks.extend(located);
    }

    fn locate(&mut self, job: &Job, chunk: &Chunk, outcome: &Outcome) {
        let bytes = chunk.bytes();
        let mut found = outcome.seen.found.clone();
        found.sort_by_key(|found| found.offset);
        let (mut done, mut place) = (0, self.place);
        for found in found {
            let told = &mut self.told[found.kind as usize];
            if *told < job.most() {
                *told += 1;
                place.advance(&bytes[done..found.offset]);
                done = found.offset;
                self.ran.located.push(Located { place, found });
            }
        }
        self.remark(job, chunk, outcome);
        if let Some(found) = &outcome.stop {
            let mut place = self.place;
            place.advance(&bytes[..found.offset]);
            self.ran.trouble = Some(Trouble::Malformed(Located { place, found: found.clone() }));
        }
        self.place.advance(bytes);
        self.ran.seen.add(&outcome.seen);
    }
}

/// What a thread works with.
#[derive(Default)]
struct Bench {
    chunk: Chunk,
    scratch: Scratch,
    out: Vec<u8>,
    packed: Vec<u8>,
}

impl Bench {
    /// What comes of the chunk, and as it is to be written.
    fn work(&mut self, job: &Job, compression: Option<Compression>) -> Outcome {
        let outcome = job.run(&self.chunk, &mut self.scratch, &mut self.out);
        if let Some(compression) = compression {
            self.packed.clear();
            if !self.out.is_empty() {
                compression.member(&self.out, &mut self.packed);
            }
            std::mem::swap(&mut self.out, &mut self.packed);
        }
        outcome
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All that is in `source` through `job` to `sink`, with as many threads.
pub fn run<R: Read + Send>(mut source: Source<R>, job: &Job, sink: &mut Sink, threads: usize) -> Ran {
    let compression = sink.compression;
    let place = Place::start(job.format.framing().end().unwrap_or(b'\n'));
    let ran = Ran { seen: Seen::new(0), located: Vec::new(), remarks: Vec::new(), remarked: 0, trouble: None };
    let mut turns = Turns { next: 0, sink, place, told: [0; KINDS.len()], ran };
    let mut bench = Bench::default();
    // Short inputs are done before another thread would have started.
    loop {
        match source.next(&mut bench.chunk) {
            Ok(true) => {}
            Ok(false) => return turns.ran,
            Err(error) => {
                turns.ran.trouble = Some(Trouble::Read(error));
                return turns.ran;
            }
        }
        let outcome = bench.work(job, compression);
        if !turns.take(job, &bench.chunk, &bench.out, &outcome) {
            return turns.ran;
        }
        if threads > 1 && bench.chunk.number + 1 >= ALONE {
            break;
        }
    }
    let (source, turns, turned) = (Mutex::new(Some(source)), Mutex::new(turns), Condvar::new());
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| serve(&source, &turns, &turned, job, Bench::default(), compression));
        }
        serve(&source, &turns, &turned, job, bench, compression);
    });
    turns.into_inner().unwrap_or_else(PoisonError::into_inner).ran
}

/// One of the threads: reads, works, and writes in turn, until there is no more or somebody is in trouble.
fn serve<R: Read>(
    source: &Mutex<Option<Source<R>>>,
    turns: &Mutex<Turns>,
    turned: &Condvar,
    job: &Job,
    mut bench: Bench,
    compression: Option<Compression>,
) {
    loop {
        // The input is gone once nobody is to read on.
        let mut reading = lock(source);
        let Some(input) = reading.as_mut() else { return };
        let next = input.next(&mut bench.chunk);
        let number = input.chunk.number;
        if !matches!(next, Ok(true)) {
            *reading = None;
        }
        drop(reading);
        let outcome = match &next {
            Ok(true) => Some(bench.work(job, compression)),
            _ => None,
        };
        let number = if outcome.is_some() { bench.chunk.number } else { number };
        let mut turn = lock(turns);
        while turn.next != number && turn.ran.trouble.is_none() {
            turn = turned.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        let goes_on = turn.ran.trouble.is_none()
            && match (next, &outcome) {
                (Ok(_), Some(outcome)) => turn.take(job, &bench.chunk, &bench.out, outcome),
                (Err(error), _) => {
                    turn.ran.trouble = Some(Trouble::Read(error));
                    false
                }
                _ => false,
            };
        drop(turn);
        turned.notify_all();
        if !goes_on {
            // What is in trouble is read no further.
            *lock(source) = None;
            return;
        }
    }
}
