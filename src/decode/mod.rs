//! Percent-decodes with [`Decoder`], which copies a malformed `%`, or [`CheckedDecoder`], which can reject it.

mod checked;
mod decoder;
#[cfg(feature = "alloc")]
mod layers;
mod options;
mod pieces;
mod plus;
#[cfg(feature = "alloc")]
mod text;

pub use checked::CheckedDecoder;
#[cfg(feature = "alloc")]
pub use decoder::Decoded;
pub use decoder::Decoder;
#[cfg(feature = "alloc")]
pub use layers::Layers;
pub(crate) use options::DecodeOptions;
pub use pieces::DecodePieces;
pub use plus::{Plus, PlusState};
