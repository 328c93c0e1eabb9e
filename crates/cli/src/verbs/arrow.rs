//! Writes the rows of `pct cut` as a stream in Arrow's IPC format. Each chunk of the input is a record batch, and every column is
//! nullable text.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};

/// The length that marks a missing cell.
const MISSING: u32 = u32::MAX;

/// Appends a cell to the rows for [`Writer::write`].
pub fn push_cell(text: Option<&[u8]>, rows: &mut Vec<u8>) {
    // A record that is split into fields has about 8 MiB at most (`chunk::LONGEST`). A cell needs fewer than 32 bytes
    // for each byte of its record, even if the cell is JSON. So the length of the cell fits into a `u32`, and is less
    // than `MISSING`.
    let len = text.map_or(MISSING, |text| text.len() as u32);
    rows.extend_from_slice(&len.to_le_bytes());
    rows.extend_from_slice(text.unwrap_or_default());
}

/// A stream of rows.
pub struct Writer {
    schema: Arc<Schema>,
    stream: Mutex<StreamWriter<Vec<u8>>>,
}

impl Writer {
    /// Returns a stream with columns of these names.
    pub fn new<'a>(names: impl Iterator<Item = &'a str>) -> Result<Writer, ArrowError> {
        let fields: Vec<Field> = names.map(|name| Field::new(name, DataType::Utf8, true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let stream = Mutex::new(StreamWriter::try_new(Vec::new(), &schema)?);
        Ok(Writer { schema, stream })
    }

    /// Appends `rows` to the stream as one batch, and moves all bytes of the stream so far to `out`. If `rows` is empty, appends no
    /// batch.
    pub fn write(&self, mut rows: &[u8], out: &mut Vec<u8>) -> Result<(), ArrowError> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let mut columns: Vec<StringBuilder> = self.schema.fields().iter().map(|_| StringBuilder::new()).collect();
        let is_empty = rows.is_empty();
        while !rows.is_empty() {
            for column in &mut columns {
                let Some((len, rest)) = rows.split_first_chunk() else { break };
                let len = u32::from_le_bytes(*len);
                rows = rest;
                if len == MISSING {
                    column.append_null();
                    continue;
                }
                let (text, rest) = rows.split_at((len as usize).min(rows.len()));
                column.append_value(String::from_utf8_lossy(text));
                rows = rest;
            }
        }
        if !is_empty {
            let columns = columns.into_iter().map(|mut column| Arc::new(column.finish()) as ArrayRef).collect();
            stream.write(&RecordBatch::try_new(Arc::clone(&self.schema), columns)?)?;
        }
        out.append(stream.get_mut());
        Ok(())
    }
}
