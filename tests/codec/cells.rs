//! Output memory for the tests. It consists of `Cell`s: `MaybeUninit<u8>` with the feature `simd`, and `u8` without it.

use percent_simd::internal::Cell;

/// Returns the bytes in `cells`. All cells must be initialized.
#[cfg(feature = "simd")]
pub fn bytes(cells: &[Cell]) -> Vec<u8> {
    // SAFETY: the suites fill their cells before each call.
    cells.iter().map(|cell| unsafe { cell.assume_init() }).collect()
}
#[cfg(not(feature = "simd"))]
pub fn bytes(cells: &[Cell]) -> Vec<u8> {
    cells.to_vec()
}

/// Returns `memory` as cells. The caller may only write initialized bytes to the cells.
#[cfg(feature = "simd")]
pub fn cells(memory: &mut [u8]) -> &mut [Cell] {
    // SAFETY: a cell has the layout of a byte. Callers write only initialized bytes to the cells, so `memory` stays
    // initialized.
    unsafe { &mut *(std::ptr::from_mut(memory) as *mut [Cell]) }
}
#[cfg(not(feature = "simd"))]
pub fn cells(memory: &mut [u8]) -> &mut [Cell] {
    memory
}
