//! Reads JSON, the input of `pct form --encode --json`.

use percent_simd_records::diagnostic::{self, Diagnostic};
use serde::Deserialize;

/// Reads a value from JSON, or returns `None` if the JSON is blank.
pub fn read<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<Option<T>, Diagnostic> {
    let text = diagnostic::text(json)?;
    if text.trim_ascii().is_empty() {
        return Ok(None);
    }
    serde_json::from_str(text).map(Some).map_err(|error| {
        // The columns of `serde_json` count bytes, from 1.
        let offset = error.column().saturating_sub(1).min(text.len());
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Diagnostic::new(offset, format!("cannot read pairs from this JSON: {message}"))
    })
}
