//! Percent-encoding: [`Encoder`], whose output is text, and [`RawEncoder`], whose set may hold bytes above ASCII.

mod encoder;
mod pieces;
mod raw;

pub use encoder::Encoder;
pub use pieces::EncodePieces;
pub use raw::{ChangedBytes, RawEncoder};
