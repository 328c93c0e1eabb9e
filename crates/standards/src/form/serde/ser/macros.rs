//! Macros for the methods that several serializers share.

/// Defines the methods of a serializer that reject their value.
macro_rules! refuse {
    ($place:literal: $($what:ident)*) => { $(refuse!(@$what $place);)* };
    (@scalars $place:literal) => {
        refuse! { @each $place
            serialize_bool: bool => "a bool", serialize_i8: i8 => "a number", serialize_i16: i16 => "a number",
            serialize_i32: i32 => "a number", serialize_i64: i64 => "a number", serialize_i128: i128 => "a number",
            serialize_u8: u8 => "a number", serialize_u16: u16 => "a number", serialize_u32: u32 => "a number",
            serialize_u64: u64 => "a number", serialize_u128: u128 => "a number", serialize_f32: f32 => "a number",
            serialize_f64: f64 => "a number", serialize_char: char => "a character", serialize_str: &str => "text",
            serialize_bytes: &[u8] => "bytes",
        }
        fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), SerdeError> {
            refused("a variant", $place)
        }
    };
    (@each $place:literal $($serialize:ident: $type:ty => $what:literal,)+) => {
        $(fn $serialize(self, _: $type) -> Result<(), SerdeError> { refused($what, $place) })+
    };
    (@units $place:literal) => {
        fn serialize_none(self) -> Result<(), SerdeError> {
            refused("`None`", $place)
        }

        fn serialize_unit(self) -> Result<(), SerdeError> {
            refused("`()`", $place)
        }

        fn serialize_unit_struct(self, _: &'static str) -> Result<(), SerdeError> {
            refused("a unit struct", $place)
        }
    };
    (@sequences $place:literal) => {
        type SerializeSeq = Refused;
        type SerializeTuple = Refused;
        type SerializeTupleStruct = Refused;

        fn serialize_seq(self, _: Option<usize>) -> Result<Refused, SerdeError> {
            refused("a sequence", $place)
        }

        fn serialize_tuple(self, _: usize) -> Result<Refused, SerdeError> {
            refused("a tuple", $place)
        }

        fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Refused, SerdeError> {
            refused("a tuple", $place)
        }
    };
    (@maps $place:literal) => {
        type SerializeMap = Refused;
        type SerializeStruct = Refused;

        fn serialize_map(self, _: Option<usize>) -> Result<Refused, SerdeError> {
            refused("a map", $place)
        }

        fn serialize_struct(self, _: &'static str, _: usize) -> Result<Refused, SerdeError> {
            refused("a struct", $place)
        }
    };
    (@variants $place:literal) => {
        type SerializeTupleVariant = Refused;
        type SerializeStructVariant = Refused;

        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> Result<(), SerdeError> {
            refused("a variant with data", $place)
        }

        fn serialize_tuple_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Refused, SerdeError> {
            refused("a variant with data", $place)
        }

        fn serialize_struct_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Refused, SerdeError> {
            refused("a variant with data", $place)
        }
    };
}

/// Serializes `Some` and newtypes as their inner value.
macro_rules! see_through {
    () => {
        fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SerdeError> {
            value.serialize(self)
        }

        newtypes!();
    };
}

/// Serializes newtypes as their inner value.
macro_rules! newtypes {
    () => {
        fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), SerdeError> {
            value.serialize(self)
        }
    };
}

/// Serializes tuples as sequences.
macro_rules! tuples {
    () => {
        type SerializeTuple = Self::SerializeSeq;
        type SerializeTupleStruct = Self::SerializeSeq;

        fn serialize_tuple(self, len: usize) -> Result<Self::SerializeSeq, SerdeError> {
            self.serialize_seq(Some(len))
        }

        fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Self::SerializeSeq, SerdeError> {
            self.serialize_seq(Some(len))
        }
    };
}
