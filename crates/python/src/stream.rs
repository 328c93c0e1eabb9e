//! Input in chunks that end anywhere, as the incremental codecs of Python's `codecs` take it.

use percent_simd::{DecodeSliceError, DecodeStream, EncodeStream};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::codec::{Decoder, Encoder, Input, decode_error};
use crate::text::detached;

/// Bytes that a stream holds back at most.
const HELD: usize = 8;

/// Decodes bytes that come in chunks. Made by `Decoder.incremental`.
#[pyclass(module = "percent_simd")]
pub(crate) struct IncrementalDecoder {
    decoder: Py<Decoder>,
    by_line: bool,
    stream: DecodeStream,
}

impl IncrementalDecoder {
    pub(crate) fn new(decoder: Bound<'_, Decoder>, by_line: bool) -> IncrementalDecoder {
        let stream = decoder.get().stream(by_line);
        IncrementalDecoder { decoder: decoder.unbind(), by_line, stream }
    }
}

#[pymethods]
impl IncrementalDecoder {
    /// Decodes `data`, as far as what follows cannot change it; all of it where `final` is set, which ends the input and
    /// begins another. After an error, whose offset counts from the beginning of the input, only `reset` goes on.
    #[pyo3(signature = (data, r#final = false))]
    fn decode<'py>(&mut self, py: Python<'py>, data: Input<'py>, r#final: bool) -> PyResult<Bound<'py, PyBytes>> {
        let stream = &mut self.stream;
        let decoded = detached(py, data.as_bytes()?, move |mut chunk| {
            let mut out = vec![0; chunk.len() + 2 * HELD];
            let mut written = 0;
            while !chunk.is_empty() {
                let progress = stream.push(chunk, &mut out[written..])?;
                written += progress.written;
                chunk = &chunk[progress.read..];
            }
            if r#final {
                written += stream.finish(&mut out[written..])?.written;
            }
            out.truncate(written);
            Ok(out)
        });
        let decoded = decoded.map_err(|error| match error {
            DecodeSliceError::Decode(error) => decode_error(py, error),
            DecodeSliceError::OutputTooSmall(_) => unreachable!("decoding makes nothing longer"),
        })?;
        if r#final {
            self.reset();
        }
        Ok(PyBytes::new(py, &decoded))
    }

    /// Forgets what was read, and begins another input.
    fn reset(&mut self) {
        self.stream = self.decoder.get().stream(self.by_line);
    }
}

/// Encodes bytes that come in chunks. Made by `Encoder.incremental`.
#[pyclass(module = "percent_simd")]
pub(crate) struct IncrementalEncoder {
    encoder: Py<Encoder>,
    stream: EncodeStream,
}

impl IncrementalEncoder {
    pub(crate) fn new(encoder: Bound<'_, Encoder>) -> IncrementalEncoder {
        let stream = encoder.get().stream();
        IncrementalEncoder { encoder: encoder.unbind(), stream }
    }
}

#[pymethods]
impl IncrementalEncoder {
    /// Encodes `data`, as far as what follows cannot change it; all of it where `final` is set, which ends the input and
    /// begins another.
    #[pyo3(signature = (data, r#final = false))]
    fn encode<'py>(&mut self, py: Python<'py>, data: Input<'py>, r#final: bool) -> PyResult<Bound<'py, PyBytes>> {
        let stream = &mut self.stream;
        let encoded = detached(py, data.as_bytes()?, move |mut chunk| {
            let mut out = vec![0; 3 * (chunk.len() + 2 * HELD)];
            let mut written = 0;
            while !chunk.is_empty() {
                let progress = stream.push(chunk, &mut out[written..]);
                written += progress.written;
                chunk = &chunk[progress.read..];
            }
            if r#final {
                written += stream.finish(&mut out[written..]).map_or(0, |end| end.written);
            }
            out.truncate(written);
            out
        });
        if r#final {
            self.reset();
        }
        Ok(PyBytes::new(py, &encoded))
    }

    /// Forgets what was read, and begins another input.
    fn reset(&mut self) {
        self.stream = self.encoder.get().stream();
    }
}
