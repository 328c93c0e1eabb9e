//! Percent-encodes with [`Encoder`], whose output is text, or [`RawEncoder`], whose set may contain bytes above ASCII.

mod encoder;
mod pieces;
mod raw;

pub use encoder::Encoder;
pub use pieces::EncodePieces;
pub use raw::{ChangedBytes, RawEncoder};
