//! Finds bytes with memchr. Without the feature `simd`, this module compares byte by byte, because memchr has unsafe
//! code.
#![forbid(unsafe_code)]

cfg_if::cfg_if! {
    if #[cfg(feature = "simd")] {
        pub(crate) use memchr::{memchr, memchr2, memrchr};
    } else {
        /// Returns the offset of the first `byte`.
        #[inline]
        pub(crate) fn memchr(byte: u8, src: &[u8]) -> Option<usize> {
            src.iter().position(|&found| found == byte)
        }

        /// Returns the offset of the first `byte` or `other`.
        #[inline]
        pub(crate) fn memchr2(byte: u8, other: u8, src: &[u8]) -> Option<usize> {
            src.iter().position(|&found| found == byte || found == other)
        }

        /// Returns the offset of the last `byte`.
        #[inline]
        pub(crate) fn memrchr(byte: u8, src: &[u8]) -> Option<usize> {
            src.iter().rposition(|&found| found == byte)
        }
    }
}
