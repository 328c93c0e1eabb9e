//! Implements serde's `Deserializer` for values, and its access to members, elements and variants.

use alloc::vec;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::config::Duplicates;
use super::error::SerdeError;
use super::text::{Text, refused};
use super::tree::{Node, Tree};

/// The value of a name: the values of its pairs, or a structure.
#[derive(Clone, Copy)]
pub(super) struct Value<'t, 'de> {
    tree: &'t Tree<'de>,
    of: Of<'t, 'de>,
}

#[derive(Clone, Copy)]
enum Of<'t, 'de> {
    /// The pair with this index, and the pairs that it links to.
    Pairs(usize),
    /// The pair with this index, which is an element of a sequence.
    Element(usize),
    /// The members of a node.
    Members(&'t Node<'de>),
}

impl<'t, 'de> Value<'t, 'de> {
    /// Returns the value of the pair with the index `at` and of the pairs that it links to.
    #[inline]
    pub(super) fn of_pairs(tree: &'t Tree<'de>, at: usize) -> Value<'t, 'de> {
        Value { tree, of: Of::Pairs(at) }
    }

    /// Returns the value of a member: of the node with the index `at`. In a form without nodes, this is the index of a
    /// pair.
    #[inline]
    fn of_member(tree: &'t Tree<'de>, at: usize) -> Value<'t, 'de> {
        if tree.root().is_none() {
            return Value::of_pairs(tree, at);
        }
        let node = tree.node(at);
        Value { tree, of: node.values.map_or(Of::Members(node), |(first, _)| Of::Pairs(first)) }
    }

    /// Returns the offset of the value in the input. The offset of a structure is the offset of its name.
    #[inline]
    fn offset(self) -> usize {
        match self.of {
            Of::Pairs(at) | Of::Element(at) => self.tree.fields[at].value_offset,
            Of::Members(node) => self.tree.offset(node),
        }
    }

    /// Adds the name and the offset to an error.
    #[cold]
    fn placed(self, error: SerdeError) -> SerdeError {
        let name = match self.of {
            Of::Pairs(at) | Of::Element(at) => self.tree.fields[at].name.bytes(),
            Of::Members(node) => self.tree.path(node),
        };
        error.within(name).at(self.offset())
    }

    /// Returns the text for a type that takes one value.
    #[inline(always)]
    fn text(self) -> Result<Text<'t, 'de>, SerdeError> {
        match self.of {
            Of::Pairs(at) if self.tree.fields[at].next.is_some() => self.one_text(at),
            Of::Pairs(at) | Of::Element(at) => Ok(Text::value(&self.tree.fields[at], &self.tree.config)),
            Of::Members(_) => Err(self.placed(SerdeError::message("the type takes a value without brackets"))),
        }
    }

    /// Returns the text of one of several values. The first of them is that of the pair `at`.
    #[cold]
    fn one_text(self, mut at: usize) -> Result<Text<'t, 'de>, SerdeError> {
        let Tree { fields, config, .. } = self.tree;
        while let Some(next) = fields[at].next {
            match config.duplicates {
                Duplicates::Error => {
                    return Err(SerdeError::message("given more than once").at(fields[next].value_offset));
                }
                Duplicates::First => break,
                Duplicates::Last | Duplicates::Separate => at = next,
            }
        }
        Ok(Text::value(&fields[at], config))
    }

    fn members(self, what: &str) -> Result<Members<'t, 'de>, SerdeError> {
        match self.of {
            Of::Members(node) => Ok(Members::of(self.tree, node)),
            Of::Pairs(_) | Of::Element(_) => Err(refused(what, self.offset())),
        }
    }

    fn elements(self) -> Result<Elements<'t, 'de>, SerdeError> {
        let rest = match self.of {
            Of::Pairs(at) => Rest::Pairs(Some(at)),
            Of::Element(_) => return Err(refused("a sequence in a sequence", self.offset())),
            Of::Members(node) => Rest::Nodes(self.tree.elements(node)?.into_iter()),
        };
        Ok(Elements { tree: self.tree, rest })
    }

    /// Reads the value, and adds its name and offset to an error.
    pub(super) fn read<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, SerdeError> {
        seed.deserialize(self).map_err(|error| self.placed(error))
    }
}

/// Defines the methods that read types with only one value.
macro_rules! one_value {
    ($($deserialize:ident)+) => {
        $(
            fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
                self.text()?.$deserialize(visitor)
            }
        )+
    };
}

impl<'de> Deserializer<'de> for Value<'_, 'de> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self.of {
            Of::Members(node) if self.tree.is_sequence(node) => self.deserialize_seq(visitor),
            Of::Members(node) => visitor.visit_map(Members::of(self.tree, node)),
            Of::Pairs(_) | Of::Element(_) => match self.text() {
                Ok(text) => text.deserialize_any(visitor),
                Err(_) => self.deserialize_seq(visitor),
            },
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        let mut elements = self.elements()?;
        let value = visitor.visit_seq(&mut elements)?;
        match elements.take() {
            None => Ok(value),
            Some(element) => Err(element.placed(SerdeError::message(match element.of {
                Of::Element(_) => "the name is repeated more often than the type takes values",
                _ => "the sequence has more elements than the type takes",
            }))),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_map(self.members("a map")?)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        visitor.visit_map(self.members("a struct")?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        match self.of {
            Of::Members(_) => visitor.visit_enum(self),
            Of::Pairs(_) | Of::Element(_) => self.text()?.deserialize_enum(name, variants, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        let is_none = self.tree.config.empty_as_none && self.text().is_ok_and(|text| text.part.bytes().is_empty());
        if is_none { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        let text = self.text()?;
        if text.part.bytes().is_empty() {
            return visitor.visit_unit();
        }
        Err(SerdeError::message("the type takes an empty value").at(text.offset))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, SerdeError> {
        if self.text()?.part.bytes() == name.as_bytes() {
            return visitor.visit_unit();
        }
        self.deserialize_unit(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_unit()
    }

    as_newtype!();
    tuples_as_sequences!();

    one_value! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf
        deserialize_identifier
    }
}

/// Passes the names of a form, or the members of a node, to serde one by one. If pairs are linked, their name comes
/// once, with all values.
pub(super) struct Members<'t, 'de> {
    tree: &'t Tree<'de>,
    /// The index of the next node. In a form without nodes, this is the index of the next pair.
    next: Option<usize>,
    /// The member whose name was returned last.
    named: Option<usize>,
}

impl<'t, 'de> Members<'t, 'de> {
    /// Returns the members of the whole form.
    #[inline]
    pub(super) fn of_form(tree: &'t Tree<'de>) -> Members<'t, 'de> {
        Members { tree, next: tree.root().map_or(tree.next_name(0), |root| root.first_member), named: None }
    }

    fn of(tree: &'t Tree<'de>, node: &Node<'de>) -> Members<'t, 'de> {
        Members { tree, next: node.first_member, named: None }
    }

    /// Returns the name of the next member.
    #[inline]
    fn next_name(&mut self) -> Option<Text<'t, 'de>> {
        let (tree, at) = (self.tree, self.next?);
        self.named = Some(at);
        if tree.root().is_none() {
            self.next = tree.next_name(at + 1);
            let field = &tree.fields[at];
            return Some(Text::name(&field.name, field.offset, &tree.config));
        }
        let node = tree.node(at);
        self.next = node.next;
        Some(Text::name(&node.key, tree.offset(node), &tree.config))
    }

    /// Returns the value of the member whose name was returned last.
    #[inline]
    fn value(&self) -> Result<Value<'t, 'de>, SerdeError> {
        match self.named {
            Some(at) => Ok(Value::of_member(self.tree, at)),
            None => Err(SerdeError::message("a value was asked for before its name")),
        }
    }
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = SerdeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, SerdeError> {
        self.next_name().map(|name| seed.deserialize(name)).transpose()
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, SerdeError> {
        self.value()?.read(seed)
    }
}

/// Passes the elements of a sequence to serde: the values of a repeated name, or the members of a node, in the order of
/// their numbers.
struct Elements<'t, 'de> {
    tree: &'t Tree<'de>,
    rest: Rest,
}

enum Rest {
    /// The index of the next pair.
    Pairs(Option<usize>),
    /// The numbers and the indexes of the nodes.
    Nodes(vec::IntoIter<(u64, usize)>),
}

impl<'t, 'de> Elements<'t, 'de> {
    #[inline]
    fn take(&mut self) -> Option<Value<'t, 'de>> {
        let tree = self.tree;
        match &mut self.rest {
            Rest::Pairs(next) => {
                let at = (*next)?;
                *next = tree.fields[at].next;
                Some(Value { tree, of: Of::Element(at) })
            }
            Rest::Nodes(nodes) => nodes.next().map(|(_, at)| Value::of_member(tree, at)),
        }
    }
}

impl<'de> SeqAccess<'de> for &mut Elements<'_, 'de> {
    type Error = SerdeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, SerdeError> {
        self.take().map(|element| element.read(seed)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        match &self.rest {
            Rest::Pairs(_) => None,
            Rest::Nodes(nodes) => Some(nodes.len()),
        }
    }
}

/// An enum is a structure with exactly one member: its key is the name of the variant, and its value is the data.
impl<'de> EnumAccess<'de> for Value<'_, 'de> {
    type Error = SerdeError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), SerdeError> {
        let mut members = self.members("an enum")?;
        let (Some(name), None) = (members.next_name(), members.next) else {
            return Err(self.placed(SerdeError::message("an enum has one variant")));
        };
        let variant = seed.deserialize(name).map_err(|error| self.placed(error))?;
        Ok((variant, members.value()?))
    }
}

/// The data of a variant.
impl<'de> VariantAccess<'de> for Value<'_, 'de> {
    type Error = SerdeError;

    fn unit_variant(self) -> Result<(), SerdeError> {
        self.read(core::marker::PhantomData)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, SerdeError> {
        self.read(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, SerdeError> {
        self.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        self.deserialize_struct("", fields, visitor)
    }
}
