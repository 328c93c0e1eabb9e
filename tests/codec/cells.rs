//! Output memory for the tests. The type `Cell` depends on the feature `simd`.

use percent_simd::internal::Cell;

/// Returns the bytes of cells that are all initialized.
#[cfg(feature = "simd")]
pub fn bytes(cells: &[Cell]) -> Vec<u8> {
    // SAFETY: the suites fill their cells before each call.
    cells.iter().map(|cell| unsafe { cell.assume_init() }).collect()
}
#[cfg(not(feature = "simd"))]
pub fn bytes(cells: &[Cell]) -> Vec<u8> {
    cells.to_vec()
}

/// Returns memory as cells, for a call that only writes bytes to it.
#[cfg(feature = "simd")]
pub fn cells(memory: &mut [u8]) -> &mut [Cell] {
    // SAFETY: only initialized bytes are written to it.
    unsafe { &mut *(std::ptr::from_mut(memory) as *mut [Cell]) }
}
#[cfg(not(feature = "simd"))]
pub fn cells(memory: &mut [u8]) -> &mut [Cell] {
    memory
}
