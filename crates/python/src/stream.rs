//! Input in chunks that end anywhere. The classes have the interface of the incremental codecs in Python's `codecs`.

use std::collections::TryReserveError;

use percent_simd::{DecodeError, DecodeStream, EncodeStream, SliceError};
use percent_simd_host::room;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::fault::{decoded_or_raise, guarded, no_memory};
use crate::input::{Input, option};
use crate::text::{detached, new_bytes};

/// A stream holds back at most this many bytes.
const HELD: usize = 8;

/// Returns `len` zeros.
fn zeros(len: usize) -> Result<Vec<u8>, TryReserveError> {
    let mut zeros = room(len)?;
    zeros.resize(len, 0);
    Ok(zeros)
}

/// Decodes the next chunk of a stream. If `ends` is true, also returns the bytes that the stream has held back.
fn decoded(
    stream: &mut DecodeStream,
    mut chunk: &[u8],
    ends: bool,
) -> Result<Result<Vec<u8>, DecodeError>, TryReserveError> {
    let mut out = zeros(chunk.len().saturating_add(2 * HELD))?;
    let mut written = 0;
    while !chunk.is_empty() {
        let progress = match stream.push(chunk, &mut out[written..]) {
            Ok(progress) => progress,
            Err(error) => return Ok(Err(error)),
        };
        written += progress.written;
        chunk = &chunk[progress.read..];
    }
    if ends {
        written += match stream.finish(&mut out[written..]) {
            Ok(ended) => ended,
            Err(SliceError::Input(error)) => return Ok(Err(error)),
            Err(SliceError::OutputTooSmall(_)) => unreachable!("decoding never grows"),
        };
    }
    out.truncate(written);
    Ok(Ok(out))
}

/// Encodes the next chunk of a stream. If `ends` is true, also returns the bytes that the stream has held back.
fn encoded(stream: &mut EncodeStream, mut chunk: &[u8], ends: bool) -> Result<Vec<u8>, TryReserveError> {
    let mut out = zeros(chunk.len().saturating_add(2 * HELD).saturating_mul(3))?;
    let mut written = 0;
    while !chunk.is_empty() {
        let progress = stream.push(chunk, &mut out[written..]);
        written += progress.written;
        chunk = &chunk[progress.read..];
    }
    if ends {
        written += stream.finish(&mut out[written..]).unwrap_or_default();
    }
    out.truncate(written);
    Ok(out)
}

/// Decodes input in chunks. `Decoder.incremental` makes one.
#[pyclass(module = "percent_simd")]
pub(crate) struct IncrementalDecoder {
    /// The stream before any input, for `reset`.
    start: DecodeStream,
    stream: DecodeStream,
}

impl IncrementalDecoder {
    pub(crate) fn new(start: DecodeStream) -> IncrementalDecoder {
        IncrementalDecoder { stream: start.clone(), start }
    }
}

#[pymethods]
impl IncrementalDecoder {
    /// Decodes `data`, but holds back bytes at its end whose decoding depends on the next chunk. With `final`, also
    /// decodes these bytes, ends the input, and starts a new input.
    ///
    /// The offset of an error counts from the beginning of the input. After an error, further input is refused until
    /// you call `reset`.
    #[pyo3(signature = (data, r#final = false))]
    fn decode<'py>(
        &mut self,
        py: Python<'py>,
        data: Input<'py>,
        #[pyo3(from_py_with = option::r#final)] r#final: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        // Work on a copy of the stream. If memory runs out, the stream stays as it was, and the call can be repeated.
        let mut stream = self.stream.clone();
        let result = guarded(|| {
            let decoded = detached(py, data.as_bytes()?, |chunk| decoded(&mut stream, chunk, r#final));
            new_bytes(py, &decoded_or_raise(py, decoded)?)
        });
        match &result {
            Err(error) if error.is_instance_of::<PyMemoryError>(py) => {}
            Ok(_) if r#final => self.reset(),
            _ => self.stream = stream,
        }
        result
    }

    /// Drops the current input and starts a new one.
    fn reset(&mut self) {
        self.stream = self.start.clone();
    }
}

/// Encodes input in chunks. `Encoder.incremental` makes one.
#[pyclass(module = "percent_simd")]
pub(crate) struct IncrementalEncoder {
    /// The stream before any input, for `reset`.
    start: EncodeStream,
    stream: EncodeStream,
}

impl IncrementalEncoder {
    pub(crate) fn new(start: EncodeStream) -> IncrementalEncoder {
        IncrementalEncoder { stream: start.clone(), start }
    }
}

#[pymethods]
impl IncrementalEncoder {
    /// Encodes `data`, but holds back bytes at its end whose encoding depends on the next chunk. With `final`, also
    /// encodes these bytes, ends the input, and starts a new input.
    #[pyo3(signature = (data, r#final = false))]
    fn encode<'py>(
        &mut self,
        py: Python<'py>,
        data: Input<'py>,
        #[pyo3(from_py_with = option::r#final)] r#final: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        // Work on a copy of the stream. If memory runs out, the stream stays as it was, and the call can be repeated.
        let mut stream = self.stream.clone();
        let encoded = guarded(|| {
            let encoded = detached(py, data.as_bytes()?, |chunk| encoded(&mut stream, chunk, r#final));
            new_bytes(py, &encoded.map_err(no_memory)?)
        })?;
        self.stream = stream;
        if r#final {
            self.reset();
        }
        Ok(encoded)
    }

    /// Drops the current input and starts a new one.
    fn reset(&mut self) {
        self.stream = self.start.clone();
    }
}
