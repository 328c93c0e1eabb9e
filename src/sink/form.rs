//! Forms: their pairs, read out of a window that a kernel has looked at, and gathered to be encoded together.

#[cfg(feature = "alloc")]
use core::mem::MaybeUninit;
use core::ops::Range;

#[cfg(feature = "alloc")]
use super::{Encoding, append};
use crate::engine::Kernels;
use crate::isa::BLOCK;
#[cfg(feature = "alloc")]
use crate::isa::{EXPANDED, load_small};
use crate::kernel::form::FormBlock;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, boxed::Box, collections::TryReserveError, string::String, vec::Vec};

/// The first bytes of a form, up to 64, seen and decoded in one go. Parts of them are named by their lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormBlockReader<'a> {
    src: &'a [u8],
    window: FormBlock,
}

/// Those from `start` to `end`.
#[inline]
fn lanes(&Range { start, end }: &Range<usize>) -> u64 {
    u64::MAX.unbounded_shl(start as u32) & !u64::MAX.unbounded_shl(end as u32)
}

impl<'a> FormBlockReader<'a> {
    /// One that has seen nothing.
    pub(crate) const fn new() -> FormBlockReader<'a> {
        FormBlockReader { src: &[], window: FormBlock::EMPTY }
    }

    /// Looks at `src`, where `second` ends a pair as `&` does.
    #[inline]
    pub(crate) fn scan(&mut self, kernels: Kernels, src: &'a [u8], second: u8) {
        self.src = &src[..src.len().min(BLOCK)];
        kernels.scan_form_block(src, second, &mut self.window);
    }

    #[inline]
    pub(crate) fn src(&self) -> &'a [u8] {
        self.src
    }

    #[inline]
    pub(crate) fn separators(&self) -> u64 {
        self.window.separators
    }

    #[inline]
    pub(crate) fn equals(&self) -> u64 {
        self.window.equals
    }

    /// Whether a `%` of a part starts no triplet.
    #[inline]
    pub(crate) fn is_malformed(&self, part: &Range<usize>) -> bool {
        self.window.malformed & lanes(part) != 0
    }

    /// A part that decoding changes, decoded.
    #[inline(always)]
    fn decoded(&self, part: &Range<usize>) -> &[u8] {
        let starts = self.window.starts;
        let ends = 1_u64.unbounded_shl(part.start as u32) | 1_u64.unbounded_shl(part.end as u32);
        assert!((starts << 1 | starts << 2) & ends == 0, "a delimiter inside a triplet");
        assert!(self.window.changes != 0 && part.end <= self.src.len());
        let start = part.start - 2 * self.window.triplets_before(part.start);
        let end = part.end - 2 * self.window.triplets_before(part.end);
        // SAFETY: something changes, so the kernel has written the bytes of `src`, two less for every start; and there are
        // as many before the end of the part, which is not inside a triplet.
        let decoded = unsafe { &*(core::ptr::from_ref(&self.window.decoded[..end]) as *const [u8]) };
        &decoded[start..]
    }

    /// What is in the lanes from `start` to `end`, as it is, as text, without the byte at `middle`; if all that is ASCII,
    /// and decoding leaves it as it is.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn plain(&self, start: usize, middle: usize, end: usize) -> Option<(&'a str, &'a str)> {
        if (self.window.changes | self.window.high) & lanes(&(start..end)) != 0 {
            return None;
        }
        let both = &self.src[start..end];
        let (first, second) = (both.get(..middle - start)?, both.get(middle + 1 - start..).unwrap_or_default());
        // SAFETY: the kernel has found no byte above ASCII in these lanes.
        Some(unsafe { (known(first), known(second)) })
    }

    /// A part, decoded.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn bytes(&self, part: &Range<usize>) -> Cow<'a, [u8]> {
        if self.window.changes & lanes(part) == 0 {
            return Cow::Borrowed(&self.src[part.clone()]);
        }
        Cow::Owned(self.decoded_bytes(part.start, part.end).into_vec())
    }

    /// A part, decoded, as text, if it is UTF-8.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn text(&self, part: &Range<usize>) -> Option<Cow<'a, str>> {
        if self.window.changes & lanes(part) != 0 {
            return self.decoded_text(part.start, part.end).map(|text| Cow::Owned(text.into_string()));
        }
        let bytes = &self.src[part.clone()];
        if self.window.high & lanes(part) != 0 {
            return str::from_utf8(bytes).ok().map(Cow::Borrowed);
        }
        // SAFETY: the kernel has found no byte above ASCII in these lanes.
        Some(Cow::Borrowed(unsafe { known(bytes) }))
    }

    /// A part, decoded, as text, with U+FFFD for what is not UTF-8.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn text_lossy(&self, part: &Range<usize>) -> Cow<'a, str> {
        self.text(part).unwrap_or_else(|| Cow::Owned(self.replaced(part.start, part.end).into_string()))
    }

    // Of what decoding changes come back two words, in registers: what comes back in memory is written in words and
    // read in vectors, for which the CPU has to wait.

    #[cfg(feature = "alloc")]
    #[inline(never)]
    fn decoded_bytes(&self, start: usize, end: usize) -> Box<[u8]> {
        self.decoded(&(start..end)).into()
    }

    #[cfg(feature = "alloc")]
    #[inline(never)]
    fn decoded_text(&self, start: usize, end: usize) -> Option<Box<str>> {
        let part = start..end;
        let bytes = self.decoded(&part);
        if self.window.high & lanes(&part) != 0 {
            return str::from_utf8(bytes).ok().map(Box::from);
        }
        // SAFETY: the kernel has found no byte above ASCII in these lanes after decoding, and this is what it has decoded.
        Some(unsafe { known(bytes) }.into())
    }

    #[cfg(feature = "alloc")]
    #[cold]
    #[inline(never)]
    fn replaced(&self, start: usize, end: usize) -> Box<str> {
        String::from_utf8_lossy(&self.bytes(&(start..end))).into()
    }
}

/// Text from bytes.
///
/// # Safety
/// They are UTF-8.
#[cfg(feature = "alloc")]
#[inline]
unsafe fn known(bytes: &[u8]) -> &str {
    debug_assert!(str::from_utf8(bytes).is_ok());
    // SAFETY: the caller's promise.
    unsafe { str::from_utf8_unchecked(bytes) }
}

/// How a pair of a form is written.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy)]
pub(crate) struct FormPair<'a> {
    /// What goes before it.
    pub(crate) separator: Option<u8>,
    pub(crate) name: &'a [u8],
    pub(crate) value: Option<&'a [u8]>,
}

#[cfg(feature = "alloc")]
impl FormPair<'_> {
    /// Bytes with the delimiters, before encoding.
    #[inline]
    fn len(&self) -> usize {
        self.name.len().saturating_add(self.value.map_or(0, <[u8]>::len)).saturating_add(2)
    }

    /// Appends the pair to `vec`, which is as it was if that cannot be.
    #[inline]
    pub(crate) fn append(&self, codec: Encoding, vec: &mut Vec<u8>) -> Result<(), TryReserveError> {
        /// What a new vector has room for: more pairs are to come.
        const FIRST: usize = 128;
        let mut gather = FormGather::<2>::new();
        if !gather.takes(codec, self) {
            return self.append_long(codec, vec);
        }
        gather.push(self);
        gather.encoded(codec, |bytes| {
            vec.try_reserve(if vec.capacity() == 0 { bytes.len().max(FIRST) } else { bytes.len() })?;
            vec.extend_from_slice(bytes);
            Ok(())
        })
    }

    #[cold]
    fn append_long(&self, codec: Encoding, vec: &mut Vec<u8>) -> Result<(), TryReserveError> {
        let before = vec.len();
        let mut all = || {
            vec.try_reserve(2)?;
            vec.extend(self.separator);
            append(codec, self.name, vec)?;
            if let Some(value) = self.value {
                vec.try_reserve(1)?;
                vec.push(b'=');
                append(codec, value, vec)?;
            }
            Ok(())
        };
        let result = all();
        if result.is_err() {
            vec.truncate(before);
        }
        result
    }

    /// Appends the pair to `string`.
    #[inline]
    pub(crate) fn append_text(&self, codec: Encoding, string: &mut String) -> Result<(), TryReserveError> {
        assert!(codec.profile.allowed.is_ascii() && self.separator.is_none_or(|separator| separator.is_ascii()));
        // SAFETY: the set is one of ASCII, so each byte appended is.
        self.append(codec, unsafe { string.as_mut_vec() })
    }
}

/// Pairs of a form side by side, delimiters marked, to be encoded together: up to `N` blocks of them.
#[cfg(feature = "alloc")]
struct FormGather<const N: usize> {
    blocks: [[u8; BLOCK]; N],
    marks: [u64; N],
    len: usize,
}

#[cfg(feature = "alloc")]
impl<const N: usize> FormGather<N> {
    #[inline]
    fn new() -> FormGather<N> {
        FormGather { blocks: [[0; _]; _], marks: [0; _], len: 0 }
    }

    /// Whether there is room for a pair, and it is one to be encoded here.
    #[inline]
    fn takes(&self, codec: Encoding, pair: &FormPair) -> bool {
        pair.len() <= N * BLOCK - self.len && !codec.profile.keep_triplets
    }

    #[inline]
    fn push(&mut self, pair: &FormPair) {
        if let Some(separator) = pair.separator {
            self.mark(separator);
        }
        self.put(pair.name);
        if let Some(value) = pair.value {
            self.mark(b'=');
            self.put(value);
        }
    }

    #[inline]
    fn mark(&mut self, delimiter: u8) {
        self.marks[self.len / BLOCK] |= 1 << (self.len % BLOCK);
        self.blocks[self.len / BLOCK][self.len % BLOCK] = delimiter;
        self.len += 1;
    }

    /// Most are short: they are stored with what follows them, which the next one overwrites.
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        let rest = &mut self.blocks.as_flattened_mut()[self.len..];
        match rest.first_chunk_mut::<16>() {
            Some(room) if bytes.len() < 16 => {
                let [low, high] = load_small(bytes);
                room[..8].copy_from_slice(&low.to_le_bytes());
                room[8..].copy_from_slice(&high.to_le_bytes());
            }
            _ => rest[..bytes.len()].copy_from_slice(bytes),
        }
        self.len += bytes.len();
    }

    /// What `put` makes of all pairs, encoded; they are gone then.
    #[inline]
    fn encoded<R>(&mut self, codec: Encoding, put: impl FnOnce(&[u8]) -> R) -> R {
        let mut room = [[MaybeUninit::uninit(); EXPANDED]; N];
        let room = room.as_flattened_mut();
        let bytes = &self.blocks.as_flattened()[..self.len];
        let encoded = codec.kernels().encode_short(codec.profile, bytes, &self.marks, room);
        (self.marks, self.len) = ([0; _], 0);
        put(encoded)
    }
}

/// Gathers the pairs of a form, so that one allocation of exactly their length will do, if they are few.
#[cfg(feature = "alloc")]
pub(crate) struct FormText<'p> {
    codec: Encoding<'p>,
    gather: FormGather<8>,
    text: String,
}

#[cfg(feature = "alloc")]
impl<'p> FormText<'p> {
    #[inline]
    pub(crate) fn new(codec: Encoding<'p>) -> FormText<'p> {
        assert!(codec.profile.allowed.is_ascii());
        FormText { codec, gather: FormGather::new(), text: String::new() }
    }

    /// Adds a pair.
    #[inline]
    pub(crate) fn push(&mut self, pair: &FormPair) -> Result<(), TryReserveError> {
        assert!(pair.separator.is_none_or(|separator| separator.is_ascii()));
        if !self.gather.takes(self.codec, pair) {
            return self.push_long(pair);
        }
        self.gather.push(pair);
        Ok(())
    }

    #[inline(never)]
    fn push_long(&mut self, pair: &FormPair) -> Result<(), TryReserveError> {
        self.flush(String::try_reserve)?;
        if !self.gather.takes(self.codec, pair) {
            return pair.append_text(self.codec, &mut self.text);
        }
        self.gather.push(pair);
        Ok(())
    }

    /// Moves to the string what was gathered.
    #[inline]
    fn flush(
        &mut self,
        reserve: impl FnOnce(&mut String, usize) -> Result<(), TryReserveError>,
    ) -> Result<(), TryReserveError> {
        let text = &mut self.text;
        self.gather.encoded(self.codec, |bytes| {
            reserve(text, bytes.len())?;
            debug_assert!(bytes.is_ascii());
            // SAFETY: the set and the delimiters are ASCII, so each byte that was written is.
            text.push_str(unsafe { str::from_utf8_unchecked(bytes) });
            Ok(())
        })
    }

    /// All the pairs.
    #[inline]
    pub(crate) fn finish(&mut self) -> Result<String, TryReserveError> {
        self.flush(String::try_reserve_exact)?;
        Ok(core::mem::take(&mut self.text))
    }
}
