//! Computes the lookup tables of the instruction sets at compile time.

/// Shuffles that expand four bytes. There is a row for each mask of bytes to escape. The register to shuffle has
/// `[byte, high digit, low digit, %]` for each of the four bytes. A row lists the lanes of the output bytes, in order.
#[cfg(isa_simd)]
#[repr(align(16))]
pub(crate) struct Quads(pub(crate) [[u8; 16]; 16]);

#[cfg(isa_simd)]
pub(crate) static EXPAND4: Quads = {
    let mut rows = [[0u8; 16]; 16];
    let mut set = 0;
    while set < 16 {
        let (mut at, mut byte) = (0, 0);
        while byte < 4 {
            let quad = 4 * byte as u8;
            if set >> byte & 1 == 1 {
                rows[set][at] = quad + 3;
                rows[set][at + 1] = quad + 1;
                rows[set][at + 2] = quad + 2;
                at += 3;
            } else {
                rows[set][at] = quad;
                at += 1;
            }
            byte += 1;
        }
        set += 1;
    }
    Quads(rows)
};

/// For each mask of eight lanes, the shuffle that moves the lanes of the mask to the front. The bytes of the shuffle
/// are the indices of these lanes in ascending order. The first index is in the lowest byte.
#[cfg(isa_simd)]
pub(crate) static COMPACT8: [u64; 256] = {
    let mut rows = [0; 256];
    let mut set = 0;
    while set < 256 {
        let (mut at, mut lane) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                rows[set] |= lane << at;
                at += 8;
            }
            lane += 1;
        }
        set += 1;
    }
    rows
};

/// 17 shuffles of 16 lanes, which overlap in memory. The shuffle at offset `16 - n` of this table moves the last `n`
/// lanes to the front, and sets all other lanes to zero.
#[cfg(isa_simd)]
pub(crate) static TAIL_SHIFT: [u8; 32] = {
    let mut lanes = [0x80; 32];
    let mut lane = 0;
    while lane < 16 {
        lanes[lane as usize] = lane;
        lane += 1;
    }
    lanes
};

/// Shuffles for 4 to 16 bytes in the words of [`overlapping`](crate::words::overlapping): row `n - 4` puts `n` bytes in
/// order, followed by zeros.
#[cfg(isa_simd)]
pub(crate) static ORDER: [[u8; 16]; 13] = {
    let mut rows = [[0x80; 16]; 13];
    let mut last = 0;
    while last < 13 {
        let mut byte = 0;
        while byte < last + 4 {
            let word = 4 * (byte / 4);
            rows[last][byte] = (byte - if word < last { word } else { last } + word) as u8;
            byte += 1;
        }
        last += 1;
    }
    rows
};

/// For each high nibble, its bit in an entry of a [`crate::set::NibbleTable`]. For example, the nibbles 3 and 11 both
/// have bit 3, whose value is 8.
#[cfg(isa_simd)]
pub(crate) static NIBBLE_BIT: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

/// The tables of J. Keiser and D. Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte" (Software: Practice
/// and Experience 51, 2021). Three tables hold the possible errors of two neighbouring bytes. Their indices are the
/// high nibble of the first byte, its low nibble, and the high nibble of the second byte. A bit that is set in all
/// three entries is an error. The head of kernel/utf8.rs has an example.
#[cfg(isa_simd)]
pub(crate) mod utf8 {
    /// A lead byte without its continuation byte.
    const TOO_SHORT: u8 = 1 << 0;
    /// A continuation byte after ASCII.
    const TOO_LONG: u8 = 1 << 1;
    /// E0, then 80..9F.
    const OVERLONG_3: u8 = 1 << 2;
    /// F4, then 90..BF. Also F5..FF, then any continuation byte.
    const TOO_LARGE: u8 = 1 << 3;
    /// ED, then A0..BF.
    const SURROGATE: u8 = 1 << 4;
    /// C0 or C1.
    const OVERLONG_2: u8 = 1 << 5;
    /// F5..FF, then 80..8F. This error can share its bit with `OVERLONG_4`, because their first bytes differ.
    const TOO_LARGE_1000: u8 = 1 << 6;
    /// F0, then 80..8F.
    const OVERLONG_4: u8 = 1 << 6;
    /// Two continuation bytes. The bytes before them decide whether they are an error. `THIRD` and `FOURTH` are for
    /// this check.
    const TWO_CONTS: u8 = 1 << 7;
    /// The errors that don't depend on the low nibble of the first byte.
    const ANY_LOW: u8 = TOO_SHORT | TOO_LONG | TWO_CONTS;

    pub(crate) static FIRST_HIGH: [u8; 16] = {
        let mut row = [TOO_LONG; 16];
        row[0x8] = TWO_CONTS;
        row[0x9] = TWO_CONTS;
        row[0xA] = TWO_CONTS;
        row[0xB] = TWO_CONTS;
        row[0xC] = TOO_SHORT | OVERLONG_2;
        row[0xD] = TOO_SHORT;
        row[0xE] = TOO_SHORT | OVERLONG_3 | SURROGATE;
        row[0xF] = TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4;
        row
    };

    pub(crate) static FIRST_LOW: [u8; 16] = {
        let mut row = [ANY_LOW | TOO_LARGE | TOO_LARGE_1000; 16];
        row[0x0] = ANY_LOW | OVERLONG_2 | OVERLONG_3 | OVERLONG_4;
        row[0x1] = ANY_LOW | OVERLONG_2;
        row[0x2] = ANY_LOW;
        row[0x3] = ANY_LOW;
        row[0x4] = ANY_LOW | TOO_LARGE;
        row[0xD] |= SURROGATE;
        row
    };

    pub(crate) static SECOND_HIGH: [u8; 16] = {
        let mut row = [TOO_SHORT; 16];
        row[0x8] = TOO_LONG | TWO_CONTS | OVERLONG_2 | OVERLONG_3 | OVERLONG_4 | TOO_LARGE_1000;
        row[0x9] = TOO_LONG | TWO_CONTS | OVERLONG_2 | OVERLONG_3 | TOO_LARGE;
        row[0xA] = TOO_LONG | TWO_CONTS | OVERLONG_2 | SURROGATE | TOO_LARGE;
        row[0xB] = row[0xA];
        row
    };

    /// Subtract `THIRD` from the byte two lanes before, and `FOURTH` from the byte three lanes before, with saturation.
    /// Bit 7 of a result is set if and only if the current byte must be the third or fourth byte of a sequence.
    pub(crate) const THIRD: u8 = 0xE0 - 0x80;
    pub(crate) const FOURTH: u8 = 0xF0 - 0x80;
}
