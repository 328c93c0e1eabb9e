//! [`Encoder`] for text out, [`RawEncoder`] for any set.

mod encoder;
mod pieces;
mod raw;

pub use encoder::Encoder;
pub use pieces::EncodePieces;
pub use raw::RawEncoder;
