//! Inputs of more than 4 GiB that take no memory, for `tests/limits/huge.rs`.

use std::{ptr, slice};

/// The length of the inputs, in bytes.
pub const LENGTH: usize = (1 << 32) + 1 + 200;
/// The offsets at which tests replace a zero by another byte. They lie around 2^31 and 2^32, where offsets of 31 and 32 bits
/// end.
pub const SEAMS: [usize; 8] =
    [(1 << 31) - 3, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, (1 << 32) - 2, (1 << 32) - 1, 1 << 32, (1 << 32) + 100];

/// Memory of zeros. A page takes no memory until a test writes to it.
pub struct Sparse(*mut u8, usize);

impl Sparse {
    /// Returns `len` zeros.
    pub fn new(len: usize) -> Sparse {
        Sparse::try_new(len).unwrap_or_else(|| panic!("{len} bytes of address space"))
    }

    /// Returns `len` zeros, or `None` if the system can't map them.
    pub fn try_new(len: usize) -> Option<Sparse> {
        // SAFETY: creates a new mapping at an address that the system chooses.
        let memory = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            libc::mmap(ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        if memory == libc::MAP_FAILED {
            return None;
        }
        // SAFETY: the range is the mapping made above. This call only advises the system to use huge pages. It doesn't
        // change the bytes.
        unsafe { libc::madvise(memory, len, libc::MADV_HUGEPAGE) };
        Some(Sparse(memory.cast(), len))
    }

    /// Returns [`LENGTH`] zeros, except for `bytes` at the offset `at`.
    pub fn with(at: usize, bytes: &[u8]) -> Sparse {
        let mut sparse = Sparse::new(LENGTH);
        sparse.bytes_mut()[at..at + bytes.len()].copy_from_slice(bytes);
        sparse
    }

    /// Returns all bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping has this length and is readable. Its bytes are zero until they are written, so all are
        // initialized.
        unsafe { slice::from_raw_parts(self.0, self.1) }
    }

    /// Returns all bytes for writing.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `bytes`. The mapping is also writable, and the result borrows `self` mutably.
        unsafe { slice::from_raw_parts_mut(self.0, self.1) }
    }

    /// Returns all bytes as text.
    pub fn text(&self) -> &str {
        str::from_utf8(self.bytes()).unwrap()
    }
}

impl Drop for Sparse {
    fn drop(&mut self) {
        // SAFETY: `new` made this mapping, and no borrow of it is left.
        unsafe { libc::munmap(self.0.cast(), self.1) };
    }
}
