//! Decodes the pairs of a form for serde.
use core::ops::Range;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::form::block;
use crate::form::scan::{Pair, PairScanner, Span};
use crate::memory;

/// A decoded name or value.
#[derive(Clone, Debug)]
pub(super) enum Part<'de> {
    Text(Cow<'de, str>),
    /// Bytes that aren't UTF-8.
    Bytes(Cow<'de, [u8]>),
}

impl<'de> Part<'de> {
    /// Returns the name or the value of a pair.
    pub(super) fn of(scanner: &PairScanner<'de>, pair: Span, part: Range<usize>) -> Part<'de> {
        if pair.is_in_block() {
            let scanned = &scanner.block;
            return block::text(scanned, &part).map_or_else(|| Part::Bytes(block::bytes(scanned, &part)), Part::Text);
        }
        let raw = scanner.part(part);
        match scanner.decoder().decode_utf8(raw) {
            Ok(text) => Part::Text(text),
            Err(_) => Part::Bytes(scanner.decoder().decode(raw)),
        }
    }

    /// Returns the part of the name in the range `range`.
    pub(super) fn part(&self, range: Range<usize>) -> Part<'de> {
        match self {
            Part::Text(Cow::Borrowed(name)) => match name.get(range.clone()) {
                Some(key) => Part::Text(Cow::Borrowed(key)),
                None => Part::Bytes(Cow::Borrowed(&name.as_bytes()[range])),
            },
            Part::Bytes(Cow::Borrowed(name)) => match str::from_utf8(&name[range.clone()]) {
                Ok(text) => Part::Text(Cow::Borrowed(text)),
                Err(_) => Part::Bytes(Cow::Borrowed(&name[range])),
            },
            name => Part::owned(memory::copy(&name.bytes()[range])),
        }
    }

    pub(super) fn owned(bytes: Vec<u8>) -> Part<'de> {
        match String::from_utf8(bytes) {
            Ok(text) => Part::Text(Cow::Owned(text)),
            Err(error) => Part::Bytes(Cow::Owned(error.into_bytes())),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Part::Text(text) => text.as_bytes(),
            Part::Bytes(bytes) => bytes,
        }
    }
}

/// A decoded pair: a field of a type.
#[derive(Clone, Debug)]
pub(super) struct Field<'de> {
    pub(super) name: Part<'de>,
    pub(super) value: Part<'de>,
    /// The undecoded value.
    pub(super) raw: &'de [u8],
    /// The offset of the name in the input.
    pub(super) offset: usize,
    /// The offset of the value in the input.
    pub(super) value_offset: usize,
    /// The index of the next pair with the same name.
    pub(super) next: Option<usize>,
    /// True if an earlier pair has the same name.
    pub(super) repeats: bool,
}

impl<'de> Field<'de> {
    #[inline(always)]
    pub(super) fn new(pair: Pair<'de>, name: Part<'de>, value: Part<'de>) -> Field<'de> {
        Field {
            name,
            value,
            raw: pair.value.unwrap_or_default(),
            offset: pair.offset,
            value_offset: pair.value_offset(),
            next: None,
            repeats: false,
        }
    }

    /// Decodes a pair.
    pub(super) fn decoded(scanner: &PairScanner<'de>, pair: Span) -> Field<'de> {
        let (name, value) = (Part::of(scanner, pair, pair.name()), Part::of(scanner, pair, pair.value()));
        Field::new(scanner.raw(pair), name, value)
    }
}
