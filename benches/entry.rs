//! The entries of a race, their inputs and their outputs.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::hint::black_box;

use percent_simd::AsBytes;

/// The author of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// A plain copy or a search, for comparison. It has no expected output.
    Reference,
    /// This project.
    Ours,
    /// Another library.
    Peer,
}

/// One implementation of an operation.
pub struct Entry<'a> {
    /// The name of a copy, a peer or an engine. The name of a variant is the name of its engine and a suffix.
    pub name: String,
    /// The author.
    pub side: Side,
    /// Runs the operation on every input.
    pub pass: Box<dyn Fn() + 'a>,
    /// Returns the output for the input with this index, or `None` if the entry refuses the input.
    pub output: Box<dyn Fn(usize) -> Option<Vec<u8>> + 'a>,
}

impl Entry<'_> {
    /// Returns true if the outputs are as expected.
    #[must_use]
    pub fn is_right(&self, expected: &[Vec<u8>]) -> bool {
        let right = |(number, expected): (usize, &Vec<u8>)| (self.output)(number).as_ref() == Some(expected);
        self.side == Side::Reference || expected.iter().enumerate().all(right)
    }
}

/// The inputs of entries, and the buffers that the entries write to.
#[derive(Default)]
pub struct Inputs<S> {
    /// The inputs.
    pub list: Vec<S>,
    /// The offsets of the rows of a batch.
    pub offsets: Vec<i64>,
    /// The buffers.
    pub scratch: RefCell<Scratch>,
}

/// The buffers that entries write to.
#[derive(Default)]
pub struct Scratch {
    /// A slice that is long enough for every output.
    pub slice: Vec<u8>,
    /// A vector that is reused from call to call.
    pub bytes: Vec<u8>,
    /// A string that is reused from call to call.
    pub text: String,
    /// The ends of rows, reused from call to call.
    pub offsets: Vec<i64>,
    /// True if the output is compared with the expected output. Then the call isn't timed.
    pub is_checking: bool,
}

impl<S: AsBytes> Inputs<S> {
    /// Creates inputs, and a slice with room for the longest output.
    #[must_use]
    pub fn new(list: Vec<S>) -> Inputs<S> {
        let longest = list.iter().map(|input| input.as_bytes().len()).max().unwrap_or_default();
        let scratch = Scratch { slice: vec![0; 3 * longest], ..Scratch::default() };
        Inputs { list, offsets: Vec::new(), scratch: scratch.into() }
    }
}

impl<S> Inputs<S> {
    /// Creates an entry that times `call`. The optimizer sees neither the input nor the result. The time includes dropping the
    /// result. `checked` is a second copy of `call`, for the comparison with the oracle. So `call` has only one caller, and the
    /// compiler inlines it even if it is large.
    pub fn entry<'a, O: Output>(
        &'a self,
        name: impl fmt::Display,
        side: Side,
        call: impl Fn(&'a S, &mut Scratch) -> O + 'a,
        checked: impl Fn(&'a S, &mut Scratch) -> O + 'a,
    ) -> Entry<'a> {
        let pass = move || {
            let mut scratch = self.scratch.borrow_mut();
            for input in &self.list {
                // We pass a reference, so that the output isn't moved. A move may have to wait until all parts of the
                // output are written.
                black_box(&call(black_box(input), &mut scratch));
            }
        };
        let output = move |number: usize| {
            let mut scratch = self.scratch.borrow_mut();
            scratch.is_checking = true;
            let output = checked(&self.list[number], &mut scratch).bytes(&scratch);
            scratch.is_checking = false;
            output
        };
        Entry { name: name.to_string(), side, pass: Box::new(pass), output: Box::new(output) }
    }
}

/// Makes a list of entries. Each line has the name, the [`Side`] and the call of an entry.
#[macro_export]
macro_rules! entries {
    ($inputs:expr; $($name:expr, $side:ident, |$input:pat_param, $scratch:pat_param| $call:expr;)*) => {
        vec![$($inputs.entry(
            $name,
            $crate::Side::$side,
            move |$input, $scratch| $call,
            move |$input, $scratch| $call,
        )),*]
    };
}

/// The output of an entry: a value that the entry returns, or a buffer of [`Scratch`] that the entry has filled.
pub trait Output {
    /// Returns the output as bytes, or `None` if the entry refuses its input.
    fn bytes(self, scratch: &Scratch) -> Option<Vec<u8>>;
}

/// The output is at the start of [`Scratch::slice`], and has this number of bytes.
pub struct Slice(pub usize);
/// The output is all of [`Scratch::bytes`].
pub struct Bytes;
/// The output is all of [`Scratch::text`].
pub struct Text;

macro_rules! output {
    ($($type:ty: $self:ident, $scratch:pat => $bytes:expr;)*) => {
        $(impl Output for $type {
            fn bytes($self, $scratch: &Scratch) -> Option<Vec<u8>> {
                Some($bytes)
            }
        })*
    };
}

output! {
    (): self, _ => Vec::new();
    String: self, _ => self.into_bytes();
    Vec<u8>: self, _ => self;
    Cow<'_, str>: self, _ => self.into_owned().into_bytes();
    Cow<'_, [u8]>: self, _ => self.into_owned();
    Option<usize>: self, _ => format!("{self:?}").into_bytes();
    Slice: self, scratch => scratch.slice[..self.0].to_vec();
    Bytes: self, scratch => scratch.bytes.clone();
    Text: self, scratch => scratch.text.clone().into_bytes();
}

impl<O: Output> Output for Option<O> {
    fn bytes(self, scratch: &Scratch) -> Option<Vec<u8>> {
        self?.bytes(scratch)
    }
}
