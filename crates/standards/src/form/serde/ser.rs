//! Serializes the types of a program as forms.

#[macro_use]
mod macros;

use core::fmt::{self, Write};

use alloc::string::String;
use alloc::vec::Vec;

use serde::ser::{self, Impossible, Serialize};

use super::error::SerdeError;
use super::names;
use crate::form::serialize::{Output, Serializer};
use crate::memory;

/// Serializes `value` as a form. `value` can be a reference.
///
/// # Examples
///
/// ```
/// use percent_standards::form;
///
/// #[derive(serde::Serialize)]
/// struct Search<'a> {
///     q: &'a str,
///     page: Option<u32>,
///     tag: &'a [&'a str],
/// }
///
/// let search = Search { q: "a b", page: None, tag: &["x", "y"] };
/// assert_eq!(form::to_string(&search)?, "q=a+b&tag=x&tag=y");
/// # Ok::<(), form::SerdeError>(())
/// ```
///
/// A form can be:
/// - a struct or a map: each field becomes a name with its value;
/// - a sequence of pairs;
/// - `()` or `None`, which has no pairs.
///
/// A value can be:
/// - text, bytes, a number, `bool`, `char`, a unit variant, or a newtype around any of these. A float is written as the
///   shortest text that reads back as the same float, in the style of the crate `ryu`: `1.0`, `0.00001`, `1e16`;
/// - `()`, which becomes empty text, or a unit struct, which becomes its name;
/// - a sequence or a tuple of these: it gives a pair for each element, and all pairs have the same name;
/// - `None`, which is left out, or `Some` of anything above.
///
/// Any other value, for example a struct inside a struct, is an error. [`Serializer::nested`] allows some of these
/// values.
///
/// # What reads back
///
/// For every form that this function writes, [`from_str`](super::from_str) returns an equal value. There are these
/// exceptions:
///
/// | value | what `from_str` returns |
/// | --- | --- |
/// | an empty sequence in a struct | an error: the field is missing. With `#[serde(default)]` it reads back |
/// | an empty sequence or `None`, in a field whose default isn't empty | the default |
/// | an empty sequence or `None`, in a map or a sequence of pairs | no entry with this name |
/// | a sequence of several values, in a sequence of pairs | a pair for each value |
/// | `None` as the whole form | an empty form |
/// | a repeated name, in a map or by `flatten` | an error, or all values of this name if the type takes a sequence |
/// | a NaN | a NaN, which doesn't equal itself |
/// | types that serde reads by guessing (`flatten`, `untagged`, `tag`), with numbers, `bool`s, or sequences of one value | an error, because serde sees such a value as text. [`as_text`](super::as_text) helps |
///
/// `Some` of a value that writes no pair (`Some(vec![])`, `Some(None)`) would read back as `None`. So it is an error.
///
/// This function does the same as [`Serializer::serialize`] without options.
///
/// # Errors
///
/// If a value can't be written as a form, returns an error with the name of the field.
pub fn to_string<T: Serialize>(value: T) -> Result<String, SerdeError> {
    let mut form = Serializer::new();
    form.serialize(&value)?;
    Ok(form.finish())
}

impl<O: Output> Serializer<O> {
    /// Appends the pairs of `value`, by the rules of [`to_string`]. After an error, the output is the same as before.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::form::Serializer;
    ///
    /// let mut url = String::from("https://example.com/?");
    /// Serializer::append_to(&mut url).percent_spaces().serialize(&[("q", "a b")])?.append("page", "2");
    /// assert_eq!(url, "https://example.com/?q=a%20b&page=2");
    /// # Ok::<(), percent_standards::form::SerdeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`to_string`].
    pub fn serialize<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<&mut Serializer<O>, SerdeError> {
        let before = self.mark();
        match value.serialize(Form(self)) {
            Ok(()) => Ok(self),
            Err(error) => {
                self.reset(before);
                Err(error)
            }
        }
    }
}

type Refused = Impossible<(), SerdeError>;

/// Reports a type that can't be used at this place: as a form, as a pair, or as a name or value.
#[cold]
fn refused<T>(what: &str, place: &str) -> Result<T, SerdeError> {
    Err(SerdeError::message(format_args!("{what} cannot be {place}")))
}

/// Writes a value as a form.
struct Form<'s, O>(&'s mut Serializer<O>);

impl<'s, O: Output> ser::Serializer for Form<'s, O> {
    type Ok = ();
    type Error = SerdeError;
    type SerializeSeq = Pairs<'s, O>;
    type SerializeMap = Fields<'s, O>;
    type SerializeStruct = Fields<'s, O>;

    refuse! { "a form: a struct, a map or a sequence of pairs can": scalars variants }
    see_through!();
    tuples!();

    fn serialize_none(self) -> Result<(), SerdeError> {
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), SerdeError> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), SerdeError> {
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Pairs<'s, O>, SerdeError> {
        Ok(Pairs { form: self.0, name: Vec::new() })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Fields<'s, O>, SerdeError> {
        Ok(Fields { form: self.0, name: Vec::new() })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields<'s, O>, SerdeError> {
        self.serialize_map(None)
    }
}

/// Implements the traits for sequences, which differ only in the names of their methods.
macro_rules! sequence {
    ($sequence:ident: $($trait:ident $method:ident),+) => {
        $(
            impl<O: Output> ser::$trait for $sequence<'_, O> {
                type Ok = ();
                type Error = SerdeError;

                fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
                    self.element(value)
                }

                fn end(self) -> Result<(), SerdeError> {
                    self.finish()
                }
            }
        )+
    };
}

/// Writes a sequence of pairs.
struct Pairs<'s, O> {
    form: &'s mut Serializer<O>,
    /// The name of the current pair. We store it until serde passes the value.
    name: Vec<u8>,
}

impl<O: Output> Pairs<'_, O> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
        value.serialize(PairWriter { form: self.form, name: &mut self.name })
    }

    fn finish(self) -> Result<(), SerdeError> {
        Ok(())
    }
}

sequence!(Pairs: SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field);

/// Writes a tuple of two elements as a pair.
struct PairWriter<'s, O> {
    form: &'s mut Serializer<O>,
    name: &'s mut Vec<u8>,
}

impl<'s, O: Output> ser::Serializer for PairWriter<'s, O> {
    type Ok = ();
    type Error = SerdeError;
    type SerializeSeq = PairParts<'s, O>;

    refuse! { "a pair of a form: a tuple of two can": scalars units maps variants }
    see_through!();
    tuples!();

    fn serialize_seq(self, _: Option<usize>) -> Result<PairParts<'s, O>, SerdeError> {
        Ok(PairParts { pair: self, parts: 0 })
    }
}

/// Writes the name of a pair, and then its value.
struct PairParts<'s, O> {
    pair: PairWriter<'s, O>,
    parts: usize,
}

impl<O: Output> PairParts<'_, O> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
        self.parts += 1;
        let PairWriter { form, name } = &mut self.pair;
        match self.parts {
            1 => value.serialize(Name(name)),
            2 => Value::of(form, name).write(value),
            _ => self.wrong(),
        }
    }

    fn finish(self) -> Result<(), SerdeError> {
        if self.parts == 2 { Ok(()) } else { self.wrong() }
    }

    #[cold]
    fn wrong(&self) -> Result<(), SerdeError> {
        Err(SerdeError::message("a pair of a form must have a name and a value"))
    }
}

sequence!(
    PairParts: SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field
);

/// Writes the fields of a struct or the entries of a map.
struct Fields<'s, O> {
    form: &'s mut Serializer<O>,
    /// The last name. We store it until serde passes the value.
    name: Vec<u8>,
}

impl<O: Output> ser::SerializeMap for Fields<'_, O> {
    type Ok = ();
    type Error = SerdeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SerdeError> {
        key.serialize(Name(&mut self.name))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
        names::check_key(&self.name, self.form.nested)?;
        Value::of(self.form, &self.name).write(value)
    }

    fn end(self) -> Result<(), SerdeError> {
        Ok(())
    }
}

impl<O: Output> ser::SerializeStruct for Fields<'_, O> {
    type Ok = ();
    type Error = SerdeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), SerdeError> {
        names::check_key(name.as_bytes(), self.form.nested)?;
        Value::of(self.form, name.as_bytes()).write(value)
    }

    fn end(self) -> Result<(), SerdeError> {
        Ok(())
    }
}

/// The text of an integer. The longest text has 40 characters and is an `i128`.
struct Text {
    bytes: [u8; 40],
    len: usize,
}

impl Text {
    fn of(value: impl fmt::Display) -> Result<Text, SerdeError> {
        let mut text = Text { bytes: [0; _], len: 0 };
        match write!(text, "{value}") {
            Ok(()) => Ok(text),
            Err(fmt::Error) => Err(SerdeError::message("the text of a number is too long")),
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.len..self.len + text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}

/// Writes scalars as text.
macro_rules! scalars {
    () => {
        scalars! { @each
            serialize_i8 i8 serialize_i16 i16 serialize_i32 i32 serialize_i64 i64 serialize_i128 i128
            serialize_u8 u8 serialize_u16 u16 serialize_u32 u32 serialize_u64 u64 serialize_u128 u128
        }

        fn serialize_bool(self, value: bool) -> Result<(), SerdeError> {
            self.bytes(if value { b"true" } else { b"false" })
        }

        fn serialize_f32(self, value: f32) -> Result<(), SerdeError> {
            self.bytes(ryu::Buffer::new().format(value).as_bytes())
        }

        fn serialize_f64(self, value: f64) -> Result<(), SerdeError> {
            self.bytes(ryu::Buffer::new().format(value).as_bytes())
        }

        fn serialize_char(self, value: char) -> Result<(), SerdeError> {
            self.bytes(value.encode_utf8(&mut [0; 4]).as_bytes())
        }

        fn serialize_str(self, value: &str) -> Result<(), SerdeError> {
            self.bytes(value.as_bytes())
        }

        fn serialize_bytes(self, value: &[u8]) -> Result<(), SerdeError> {
            self.bytes(value)
        }

        fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), SerdeError> {
            self.bytes(variant.as_bytes())
        }
    };
    (@each $($serialize:ident $type:ty)+) => {
        $(
            fn $serialize(self, value: $type) -> Result<(), SerdeError> {
                self.bytes(Text::of(value)?.bytes())
            }
        )+
    };
}

/// Gets the name of a pair from serde, and stores it in the vector.
struct Name<'s>(&'s mut Vec<u8>);

impl Name<'_> {
    fn bytes(self, bytes: &[u8]) -> Result<(), SerdeError> {
        self.0.clear();
        memory::extend(self.0, bytes);
        Ok(())
    }
}

impl ser::Serializer for Name<'_> {
    type Ok = ();
    type Error = SerdeError;

    scalars!();
    refuse! { "a name in a form": units sequences maps variants }
    see_through!();
}

/// Writes a pair: `name`, and the value that serde passes. For a structure, writes a pair for each value in it.
pub(super) struct Value<'s, O> {
    pub(super) form: &'s mut Serializer<O>,
    pub(super) name: &'s [u8],
    /// The number of brackets in the name.
    pub(super) level: u8,
}

impl<'s, O: Output> Value<'s, O> {
    pub(super) fn of(form: &'s mut Serializer<O>, name: &'s [u8]) -> Value<'s, O> {
        Value { form, name, level: 0 }
    }

    pub(super) fn write<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SerdeError> {
        let name = self.name;
        value.serialize(self).map_err(|error| error.within(name))
    }

    fn bytes(self, bytes: &[u8]) -> Result<(), SerdeError> {
        self.form.append(self.name, bytes);
        Ok(())
    }

    /// Starts to write a structure. If the names of this form can't have brackets, fails. `what` is the word for the
    /// structure in the error message.
    pub(super) fn members(self, what: &str) -> Result<Members<'s, O>, SerdeError> {
        if self.form.nested.is_off() {
            return refused(what, "the value of a field of a form; `Serializer::nested` allows it");
        }
        Members::of(self)
    }
}

impl<'s, O: Output> ser::Serializer for Value<'s, O> {
    type Ok = ();
    type Error = SerdeError;
    type SerializeSeq = Values<'s, O>;
    type SerializeMap = Members<'s, O>;
    type SerializeStruct = Members<'s, O>;
    type SerializeTupleVariant = Values<'s, O>;
    type SerializeStructVariant = Members<'s, O>;

    scalars!();
    newtypes!();
    tuples!();

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SerdeError> {
        let Value { form, name, level } = self;
        let before = form.mark();
        value.serialize(Value { form: &mut *form, name, level })?;
        if form.mark() == before {
            return Err(SerdeError::message(
                "`Some` of an empty sequence or of `None` would be read as `None`; write `None`",
            ));
        }
        Ok(())
    }

    fn serialize_none(self) -> Result<(), SerdeError> {
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), SerdeError> {
        self.bytes(b"")
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<(), SerdeError> {
        self.bytes(name.as_bytes())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Values<'s, O>, SerdeError> {
        Values::of(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'s, O>, SerdeError> {
        self.members("a map")
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members<'s, O>, SerdeError> {
        self.members("a struct")
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), SerdeError> {
        self.members("a variant with data")?.newtype_variant(variant, value)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Values<'s, O>, SerdeError> {
        self.members("a variant with data")?.tuple_variant(variant)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'s, O>, SerdeError> {
        self.members("a variant with data")?.struct_variant(variant)
    }
}

mod values;

use values::{Members, Values};
