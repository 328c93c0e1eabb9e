//! Processes all bytes of a chunk at once.

use super::pass::Pass;
use crate::chunk::Stop;
use crate::findings::{Found, Kind};

/// Processes all bytes of a chunk at once. `pct` uses this trait if every record is one field, and if no option has to
/// look at the fields one by one.
pub trait BulkTransform: Send + Sync {
    /// Appends the result for `bytes` to `out`. `in_query` is true if the first byte is in a query. `spare` is scratch memory.
    ///
    /// # Errors
    ///
    /// If the transform is strict, returns the offset of the first malformed escape. The result for the bytes before it has been
    /// appended.
    fn run(&self, bytes: &[u8], in_query: bool, spare: &mut Vec<u8>, out: &mut Vec<u8>) -> Result<(), usize>;

    /// Returns the length of the prefix of `bytes` that can be processed before the next bytes arrive. `bytes` is a piece of a long
    /// record.
    fn decided(&self, bytes: &[u8]) -> usize;
}

/// Runs `bulk` over a chunk.
pub fn run(bulk: &dyn BulkTransform, pass: &mut Pass) -> Option<Stop> {
    let chunk = pass.chunk;
    let at = bulk.run(chunk.bytes(), chunk.in_query, &mut pass.scratch.text, pass.out).err()?;
    Some(Stop::Found(Found::new(Kind::Malformed, at, &chunk.bytes_ahead()[at..], 3)))
}
