//! Tests adapters over readers and writers that handle few bytes in each call, and sometimes fail. No output may be lost or
//! repeated.
#![no_main]

use std::cell::Cell;
use std::io::{self, ErrorKind, Read, Write};

use libfuzzer_sys::fuzz_target;
use percent_simd_fuzz::*;

/// The results of the calls of the inner reader or writer, in turn. A result is an error, or the highest number of
/// bytes that the call handles.
struct Moods<'d>(std::iter::Cycle<std::slice::Iter<'d, u8>>);

impl Moods<'_> {
    fn next(&mut self) -> io::Result<usize> {
        match self.0.next() {
            Some(0xFF) => Err(ErrorKind::Interrupted.into()),
            Some(0xFE) => Err(ErrorKind::WouldBlock.into()),
            Some(&n) => Ok(1 + usize::from(n)),
            None => Ok(usize::MAX),
        }
    }
}

struct Reader<'d>(&'d [u8], Moods<'d>);

impl Read for Reader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.1.next()?.min(out.len());
        self.0.read(&mut out[..n])
    }
}

/// A writer. The fields are the bytes that it took, the results of its calls, and the number of bytes that it had taken
/// when a [`Liar`] around it lied.
struct Writer<'d>(Vec<u8>, Moods<'d>, Option<usize>);

impl Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.1.next()?.min(bytes.len());
        self.0.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.1.next().map(drop)
    }
}

/// A reader or writer that lies in call number `turn`: it reports one byte more than the caller's buffer has.
struct Liar<'l, T> {
    inner: T,
    turn: usize,
    /// The length of the caller's buffer in the call that lied.
    lied: &'l Cell<Option<usize>>,
}

impl<T> Liar<'_, T> {
    fn lies(&mut self, len: usize) -> bool {
        let lies = self.turn == 1;
        self.turn = self.turn.saturating_sub(1);
        if lies {
            self.lied.set(Some(len));
        }
        lies
    }
}

impl<R: Read> Read for Liar<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.lies(out.len()) { Ok(out.len() + 1) } else { self.inner.read(out) }
    }
}

impl Write for Liar<'_, Writer<'_>> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.lies(bytes.len()) {
            self.inner.2 = Some(self.inner.0.len());
            return Ok(bytes.len() + 1);
        }
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

fn passes(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}

/// Returns the whole output of a reader, and true if reading ends with an error.
fn drain(mut reader: impl Read, step: usize) -> (Vec<u8>, bool) {
    let (mut out, mut buffer) = (Vec::new(), vec![0; step]);
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return (out, false),
            Ok(n) => out.extend_from_slice(&buffer[..n]),
            Err(error) if passes(&error) => {}
            Err(_) => return (out, true),
        }
    }
}

/// Reads to the end, but returns only the output before the inner reader lied (see [`Liar`]).
fn drain_before(mut reader: impl Read, step: usize, lied: &Cell<Option<usize>>) -> Vec<u8> {
    let (mut out, mut buffer) = (Vec::new(), vec![0; step]);
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return out,
            Ok(n) if lied.get().is_none() => out.extend_from_slice(&buffer[..n]),
            Ok(_) => {}
            Err(error) if passes(&error) => {}
            Err(_) => return out,
        }
    }
}

/// Asserts that the writer got the expected output. Only bytes of the call that lied (see [`Liar`]) may be missing.
#[track_caller]
fn assert_loses_no_more(writer: &Writer<'_>, lied: &Cell<Option<usize>>, expected: &[u8]) {
    let (before, after) = writer.0.split_at(writer.2.unwrap_or(writer.0.len()));
    assert!(expected.starts_with(before));
    let lost = lied.get().unwrap_or(0);
    assert!(expected[before.len()..].get(lost..).is_some_and(|rest| rest.starts_with(after)), "{lost} lost");
}

/// Writes all of `input`, `step` bytes in each call. Repeats the call after `WouldBlock` and `Interrupted`. Returns true after
/// any other error.
fn write(writer: &mut impl Write, input: &[u8], step: usize) -> bool {
    for mut chunk in input.chunks(step) {
        while !chunk.is_empty() {
            match writer.write(chunk) {
                Ok(0) => panic!("no byte taken"),
                Ok(n) => chunk = &chunk[n..],
                Err(error) if passes(&error) => {}
                Err(_) => return true,
            }
        }
    }
    false
}

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut choices = Choices(data);
    let (enc, dec, step) = (choices.encode(), choices.decode(), 1 + usize::from(choices.byte()));
    let moods = choices.some(12);
    // If all results were errors, the loops would never end, so skip this input.
    if moods.iter().all(|&mood| mood >= 0xFE) && !moods.is_empty() {
        return;
    }
    let moods = || Moods(moods.iter().cycle());
    let input = choices.input();
    let (encoded, decoded) = (enc.run(input), dec.run(input));
    assert_eq!(drain(enc.encoder(engine).reader(Reader(input, moods())), step), (encoded.clone(), false), "{engine}");
    let got = drain(dec.checked(engine).reader(Reader(input, moods())), step);
    assert_eq!(got, (decoded.out.clone(), decoded.error.is_some()), "{engine} {dec:?}");

    let mut writer = enc.encoder(engine).writer(Writer(Vec::new(), moods(), None));
    assert!(!write(&mut writer, input, step));
    if let Ok(inner) = writer.finish() {
        assert_eq!(inner.0, encoded, "{engine} {enc:?}");
    }
    let mut writer = dec.checked(engine).writer(Writer(Vec::new(), moods(), None));
    let failed = write(&mut writer, input, step);
    assert!(!failed || decoded.error.is_some(), "{engine} {dec:?}");
    assert!(decoded.out.starts_with(&writer.get_ref().0), "{engine} {dec:?}");
    if let Ok(inner) = writer.finish() {
        assert_eq!((inner.0, decoded.error), (decoded.out.clone(), None), "{engine} {dec:?}");
    }

    // Dropping a writer must write the rest of its output.
    let (mut encoded_on_drop, mut decoded_on_drop) = (Vec::new(), Vec::new());
    write(&mut enc.encoder(engine).writer(&mut encoded_on_drop), input, step);
    write(&mut dec.checked(engine).writer(&mut decoded_on_drop), input, step);
    assert_eq!((&encoded_on_drop, &decoded_on_drop), (&encoded, &decoded.out), "{engine} {enc:?} {dec:?}");

    // A lying reader returns a wrong number of bytes. The output before this call must be right. After this call,
    // reading must end, but the output is unspecified.
    let turn = 1 + step % 8;
    let lied = Cell::new(None);
    let liar = || Liar { inner: Reader(input, moods()), turn, lied: &lied };
    let before = drain_before(enc.encoder(engine).reader(liar()), step, &lied);
    assert!(encoded.starts_with(&before), "{engine} {enc:?}");
    lied.set(None);
    let before = drain_before(dec.checked(engine).reader(liar()), step, &lied);
    assert!(decoded.out.starts_with(&before), "{engine} {dec:?}");

    // If a writer lies, only bytes of that call may be lost.
    let liar = || Liar { inner: Writer(Vec::new(), moods(), None), turn, lied: &lied };
    lied.set(None);
    let mut writer = enc.encoder(engine).writer(liar());
    write(&mut writer, input, step);
    assert_loses_no_more(&writer.get_ref().inner, &lied, &encoded);
    lied.set(None);
    let mut writer = dec.checked(engine).writer(liar());
    write(&mut writer, input, step);
    assert_loses_no_more(&writer.get_ref().inner, &lied, &decoded.out);
});
