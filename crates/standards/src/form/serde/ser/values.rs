//! Writes sequences, and writes structures with brackets in the names.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use serde::ser::{self, Serialize};

use super::{Name, Text, Value, refused};
use crate::form::serde::config::Dialect;
use crate::form::serde::error::SerdeError;
use crate::form::serde::names;
use crate::form::serialize::{Output, Serializer};
use crate::memory;

/// Writes a sequence as a pair for each value. Each pair has the name of the sequence, in some dialects with a bracket
/// after it.
pub(crate) struct Values<'s, O> {
    form: &'s mut Serializer<O>,
    /// The name of the sequence. While an element is written, the bracket of this element follows the name.
    name: Cow<'s, [u8]>,
    /// The length of the name of the sequence.
    base: usize,
    level: u8,
    /// The number of elements written.
    count: usize,
    /// Whether the elements have numbers. The first element decides this.
    is_numbered: Option<bool>,
}

impl<'s, O: Output> Values<'s, O> {
    pub(super) fn of(value: Value<'s, O>) -> Result<Values<'s, O>, SerdeError> {
        let Value { form, name, level } = value;
        Values::named(form, Cow::Borrowed(name), level)
    }

    fn named(form: &'s mut Serializer<O>, name: Cow<'s, [u8]>, level: u8) -> Result<Values<'s, O>, SerdeError> {
        let is_nested = !form.nested.is_off();
        let level = if is_nested { deeper(form, level)? } else { level };
        Ok(Values { form, base: name.len(), name, level, count: 0, is_numbered: None })
    }

    pub(super) fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
        let before = self.form.mark();
        value.serialize(Element(self))?;
        self.count += 1;
        if !self.form.nested.is_off() && self.form.mark() == before {
            return Err(SerdeError::message(
                "an element of a sequence must write a pair, because `None` and gaps are lost",
            ));
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), SerdeError> {
        Ok(())
    }

    /// Appends the bracket of the next element to the name. For an element that is a structure, `is_value` is false.
    fn set_bracket(&mut self, is_value: bool) -> Result<(), SerdeError> {
        let is_numbered = !(is_value && self.form.nested.dialect == Dialect::Rails);
        if *self.is_numbered.get_or_insert(is_numbered) != is_numbered {
            return Err(SerdeError::message("Rails reads no sequence that has both values and structures"));
        }
        let name = self.name.to_mut();
        name.truncate(self.base);
        memory::extend(name, b"[");
        if is_numbered {
            memory::extend(name, Text::of(self.count)?.bytes());
        }
        memory::extend(name, b"]");
        Ok(())
    }
}

sequence!(
    Values: SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

/// Writes an element of a sequence: a pair if it is one value, or the pairs of a structure.
struct Element<'e, 's, O>(&'e mut Values<'s, O>);

impl<'e, O: Output> Element<'e, '_, O> {
    const PLACE: &'static str = "an element of a sequence in a form";

    fn bytes(self, bytes: &[u8]) -> Result<(), SerdeError> {
        if !self.0.form.nested.is_off() {
            self.0.set_bracket(true)?;
        }
        self.0.form.append(&*self.0.name, bytes);
        Ok(())
    }

    /// Starts to write an element that is a structure.
    fn structure(self, what: &str) -> Result<Value<'e, O>, SerdeError> {
        if self.0.form.nested.is_off() {
            return refused(what, Self::PLACE);
        }
        self.0.set_bracket(false)?;
        let Values { form, name, level, .. } = self.0;
        Ok(Value { form, name, level: *level })
    }
}

impl<'e, O: Output> ser::Serializer for Element<'e, '_, O> {
    type Ok = ();
    type Error = SerdeError;
    type SerializeSeq = Values<'e, O>;
    type SerializeTuple = Values<'e, O>;
    type SerializeTupleStruct = Values<'e, O>;
    type SerializeMap = Members<'e, O>;
    type SerializeStruct = Members<'e, O>;
    type SerializeTupleVariant = Values<'e, O>;
    type SerializeStructVariant = Members<'e, O>;

    scalars!();
    see_through!();

    fn serialize_none(self) -> Result<(), SerdeError> {
        refused("`None`", Self::PLACE)
    }

    fn serialize_unit(self) -> Result<(), SerdeError> {
        self.bytes(b"")
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<(), SerdeError> {
        self.bytes(name.as_bytes())
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Values<'e, O>, SerdeError> {
        self.structure("a sequence")?.serialize_seq(len)
    }

    fn serialize_tuple(self, len: usize) -> Result<Values<'e, O>, SerdeError> {
        self.structure("a tuple")?.serialize_tuple(len)
    }

    fn serialize_tuple_struct(self, name: &'static str, len: usize) -> Result<Values<'e, O>, SerdeError> {
        self.structure("a tuple")?.serialize_tuple_struct(name, len)
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Members<'e, O>, SerdeError> {
        self.structure("a map")?.serialize_map(len)
    }

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Members<'e, O>, SerdeError> {
        self.structure("a struct")?.serialize_struct(name, len)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), SerdeError> {
        self.structure("a variant with data")?.serialize_newtype_variant(name, index, variant, value)
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Values<'e, O>, SerdeError> {
        self.structure("a variant with data")?.serialize_tuple_variant(name, index, variant, len)
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Members<'e, O>, SerdeError> {
        self.structure("a variant with data")?.serialize_struct_variant(name, index, variant, len)
    }
}

/// Writes the members of a structure. The name of each member ends with the member's bracket.
pub(crate) struct Members<'s, O> {
    form: &'s mut Serializer<O>,
    /// The name of the structure. While a member is written, the bracket of this member follows the name.
    name: Vec<u8>,
    /// The length of the name of the structure.
    base: usize,
    /// The last key of a map. We store it until serde passes the value.
    key: Vec<u8>,
    level: u8,
}

impl<'s, O: Output> Members<'s, O> {
    pub(super) fn of(value: Value<'s, O>) -> Result<Members<'s, O>, SerdeError> {
        let Value { form, name, level } = value;
        Members::named(form, memory::copy(name), level)
    }

    fn named(form: &'s mut Serializer<O>, name: Vec<u8>, level: u8) -> Result<Members<'s, O>, SerdeError> {
        let level = deeper(form, level)?;
        Ok(Members { form, base: name.len(), name, key: Vec::new(), level })
    }

    fn set_bracket(&mut self, key: &[u8]) -> Result<(), SerdeError> {
        names::check_member(key, self.form.nested)?;
        self.name.truncate(self.base);
        memory::extend(&mut self.name, b"[");
        memory::extend(&mut self.name, key);
        memory::extend(&mut self.name, b"]");
        Ok(())
    }

    fn write<T: Serialize + ?Sized>(&mut self, key: &[u8], value: &T) -> Result<(), SerdeError> {
        self.set_bracket(key)?;
        Value { form: &mut *self.form, name: &self.name, level: self.level }.write(value)
    }

    /// Writes the content of an enum variant. The content is one value.
    pub(super) fn newtype_variant<T: Serialize + ?Sized>(mut self, name: &str, value: &T) -> Result<(), SerdeError> {
        self.write(name.as_bytes(), value)
    }

    /// Starts to write the content of an enum variant. The content is a tuple.
    pub(super) fn tuple_variant(mut self, name: &str) -> Result<Values<'s, O>, SerdeError> {
        self.set_bracket(name.as_bytes())?;
        Values::named(self.form, Cow::Owned(self.name), self.level)
    }

    /// Starts to write the content of an enum variant. The content is a struct.
    pub(super) fn struct_variant(mut self, name: &str) -> Result<Members<'s, O>, SerdeError> {
        self.set_bracket(name.as_bytes())?;
        Members::named(self.form, self.name, self.level)
    }
}

/// Returns `level + 1`: the number of brackets in a name one level deeper. If this number exceeds the limit of the
/// form, returns an error.
fn deeper<O>(form: &Serializer<O>, level: u8) -> Result<u8, SerdeError> {
    if level >= form.nested.depth {
        return Err(SerdeError::message(names::NameError::TooDeep.message()));
    }
    Ok(level + 1)
}

impl<O: Output> ser::SerializeMap for Members<'_, O> {
    type Ok = ();
    type Error = SerdeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SerdeError> {
        key.serialize(Name(&mut self.key))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
        let key = core::mem::take(&mut self.key);
        let written = self.write(&key, value);
        self.key = key;
        written
    }

    fn end(self) -> Result<(), SerdeError> {
        Ok(())
    }
}

/// Implements the traits for structs and for enum variants that are structs.
macro_rules! members {
    ($($trait:ident)+) => {
        $(
            impl<O: Output> ser::$trait for Members<'_, O> {
                type Ok = ();
                type Error = SerdeError;

                fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), SerdeError> {
                    self.write(name.as_bytes(), value)
                }

                fn end(self) -> Result<(), SerdeError> {
                    Ok(())
                }
            }
        )+
    };
}

members!(SerializeStruct SerializeStructVariant);
