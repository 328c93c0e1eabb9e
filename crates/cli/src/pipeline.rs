//! Runs an input through its job to the output. Each thread reads a chunk, processes it, and writes the result when the turn of
//! this chunk comes.
//!
//! One thread does all three steps for a chunk, so the chunk stays in the cache of one core. A lock lets only one thread read at a
//! time, and turns keep the writes in order. The work in between runs in parallel. Each thread needs memory for one chunk and its
//! result, however long the input is.

mod source;
mod writer;

use std::io::{self, Read};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use percent_simd_records::diagnostic::Diagnostic;
use percent_simd_records::place::Place;

use self::source::Taken;
pub use self::source::{Blocks, Source};
use self::writer::OrderedWriter;
pub use self::writer::{RunResult, Sink};
use crate::chunk::{Chunk, Outcome, Scratch};
use crate::compress::Compression;
use crate::findings::{Fit, KINDS, Located, Stats};
use crate::job::Job;
use crate::redact;

/// The size of a block in bytes. A block is large enough to need few system calls, and small enough that a chunk and
/// its result fit into the second-level cache.
pub const BLOCK: usize = 256 * 1024;

/// The number of chunks that the first thread processes before we start more threads.
const ALONE: u64 = 4;

/// The reason why a run stopped before the end of the input.
pub enum RunError {
    Open(io::Error),
    Read(io::Error),
    Write(io::Error),
    Malformed(Located),
    /// A RowBinary row that is cut off or has a bad length.
    Row(Place),
    /// A result that can't be added, because its object already has a member with the name of the result, or a second
    /// result with this name. Holds the message.
    Taken(Place, String),
    /// The diagnostic that stopped the run. It comes from a verb.
    Diagnosed(Place, Diagnostic),
}

/// The buffers and the state of one thread.
#[derive(Default)]
struct Worker {
    chunk: Chunk,
    scratch: Scratch,
    out: Vec<u8>,
    packed: Vec<u8>,
    /// The last byte of the chunk's output before compression.
    last_byte: Option<u8>,
}

impl Worker {
    /// Processes the chunk, and compresses its output if needed.
    fn work(&mut self, job: &Job, compression: Option<Compression>) -> Outcome {
        if let Some(scope) = job.redacted_input() {
            redact::mask(self.chunk.bytes_mut(), scope);
        }
        let mut outcome = job.run(&self.chunk, &mut self.scratch, &mut self.out);
        outcome.stats.sort();
        let is_ordered = job.record_verb().is_some_and(|verb| verb.is_ordered());
        // An ordered verb has marks, which are ranges of this output. So we must not change the output until
        // `RecordVerb::write` has used the marks.
        if let Some(scope) = job.redacted_output().filter(|_| !is_ordered) {
            redact::redact(&mut self.out, scope, &mut self.scratch.text);
        }
        self.last_byte = self.out.last().copied();
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

/// The number of attempts to take a lock before the thread sleeps. All attempts together take a few microseconds.
const SPINS: u32 = 500;

/// Locks `mutex`. Spins before it sleeps, because other threads hold the lock only as long as a read takes.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    for _ in 0..SPINS {
        if let Ok(guard) = mutex.try_lock() {
            return guard;
        }
        std::hint::spin_loop();
    }
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs all of `source` through `job` to `sink`, with `threads` threads.
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
        oversized_line: None,
        error: None,
    };
    let mut turns = OrderedWriter { next: 0, sink, place, reported: [0; KINDS.len()], ran };
    let mut worker = Worker::default();
    // We start alone, because a short input is done sooner than another thread could start.
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
            // If the system refuses another thread, for example because of a limit of processes, fewer threads do the work.
            if thread::Builder::new().spawn_scoped(scope, || shared.serve(Worker::default())).is_err() {
                break;
            }
        }
        shared.serve(worker);
    });
    shared.turns.into_inner().unwrap_or_else(PoisonError::into_inner).ran
}

/// The state that the threads share.
struct Shared<'a, 'b, 'c, R> {
    /// The source, or `None` if no thread should read any more.
    source: Mutex<Option<Source<'a, R>>>,
    taken: Condvar,
    turns: Mutex<OrderedWriter<'b, 'c>>,
    turned: Condvar,
    job: &'a Job,
    compression: Option<Compression>,
}

impl<R: Read> Shared<'_, '_, '_, R> {
    /// Runs one thread: reads, processes and writes one chunk after another, until the input ends or any thread has an error.
    fn serve(&self, mut worker: Worker) {
        while let Some((taken, number)) = self.take(&mut worker.chunk) {
            let outcome = match taken {
                Ok(Taken::Nothing) => continue,
                Ok(Taken::Chunk) => Ok(Some(worker.work(self.job, self.compression))),
                Ok(Taken::End) => Ok(None),
                Err(error) => Err(error),
            };
            if !self.write(number, &worker, outcome) {
                // After an error, all threads stop reading.
                *lock(&self.source) = None;
                self.taken.notify_all();
                return;
            }
        }
    }

    /// Reads the next chunk into `chunk`. Returns the result of the read, and the chunk's number in the order of
    /// writing. Returns `None` if the thread should stop.
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

    /// Waits until all chunks before chunk `number` are written, then writes this chunk. Returns true if the thread should go on.
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
