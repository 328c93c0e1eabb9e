//! Implements serde's `Deserializer` for the nodes of a [`Tree`].

use alloc::vec::Vec;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::error::SerdeError;
use super::tree::{Node, Tree};
use super::value::{Name, One, Several};

/// The value of a node. It consists of the node's pairs, or it is a structure of the node's members.
#[derive(Clone, Copy)]
pub(super) struct Nested<'t, 'de> {
    tree: &'t Tree<'de>,
    node: &'t Node,
}

/// The pairs of a node.
enum Values<'t, 'de> {
    One(One<'t, 'de>),
    Several(Several<'t, 'de>),
    /// The node has no pairs. It has members.
    None,
}

impl<'t, 'de> Nested<'t, 'de> {
    fn values(self) -> Values<'t, 'de> {
        let Tree { fields, config, .. } = self.tree;
        match self.node.values {
            None => Values::None,
            Some((at, last)) if at == last => Values::One(One { field: &fields[at], element: false, config: *config }),
            Some((at, _)) => Values::Several(Several { fields, at, config: *config }),
        }
    }

    /// Adds the name and the offset of this node to an error.
    #[cold]
    fn placed(self, error: SerdeError) -> SerdeError {
        error.within(self.tree.path(self.node)).at(self.tree.offset(self.node))
    }

    fn members(self) -> Members<'t, 'de> {
        Members::of(self.tree, self.node)
    }

    fn visit_elements<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        let mut elements = Elements { tree: self.tree, all: self.tree.elements(self.node)?, taken: 0 };
        let value = visitor.visit_seq(&mut elements)?;
        match elements.all.get(elements.taken) {
            None => Ok(value),
            Some(&(_, at)) => {
                let error = SerdeError::message("the sequence has more elements than the type takes");
                Err(Nested { tree: self.tree, node: self.tree.node(at) }.placed(error))
            }
        }
    }
}

/// Defines methods that read a node. If the node has pairs, the method reads their values. If the node has members, it
/// runs `$members`.
macro_rules! by_values {
    ($($deserialize:ident($($argument:ident: $type:ty),*) |$node:ident, $visitor:ident| $members:expr;)+) => {
        $(
            fn $deserialize<V: Visitor<'de>>(self $(, $argument: $type)*, $visitor: V) -> Result<V::Value, SerdeError> {
                match self.values() {
                    Values::One(one) => one.$deserialize($($argument,)* $visitor),
                    Values::Several(several) => several.$deserialize($($argument,)* $visitor),
                    Values::None => {
                        let $node = self;
                        $(let _ = $argument;)*
                        $members
                    }
                }
            }
        )+
    };
}

/// Defines the methods that read types with only one value.
macro_rules! one_value {
    ($($deserialize:ident)+) => {
        by_values! {
            $($deserialize() |node, _visitor| Err(node.placed(SerdeError::message("the type takes a value without brackets")));)+
        }
    };
}

impl<'de> Deserializer<'de> for Nested<'_, 'de> {
    type Error = SerdeError;

    by_values! {
        deserialize_any() |node, visitor| {
            let mut members = node.members();
            match core::iter::from_fn(|| members.take()).all(|member| member.index.is_some()) {
                true => node.visit_elements(visitor),
                false => visitor.visit_map(node.members()),
            }
        };
        deserialize_map() |node, visitor| visitor.visit_map(node.members());
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
            |node, visitor| visitor.visit_map(node.members());
        deserialize_seq() |node, visitor| node.visit_elements(visitor);
        deserialize_tuple(len: usize) |node, visitor| node.visit_elements(visitor);
        deserialize_tuple_struct(name: &'static str, len: usize) |node, visitor| node.visit_elements(visitor);
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
            |node, visitor| visitor.visit_enum(Variant(node));
        deserialize_option() |node, visitor| visitor.visit_some(node);
        deserialize_ignored_any() |node, visitor| { let _ = node; visitor.visit_unit() };
        deserialize_unit_struct(name: &'static str)
            |node, _visitor| Err(node.placed(SerdeError::message("the type takes a value without brackets")));
    }

    as_newtype!();

    one_value! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit
        deserialize_identifier
    }
}

/// Passes the members of a node to serde one by one.
pub(super) struct Members<'t, 'de> {
    tree: &'t Tree<'de>,
    next: Option<usize>,
    /// The member whose key was returned last.
    value: Option<&'t Node>,
}

impl<'t, 'de> Members<'t, 'de> {
    pub(super) fn of(tree: &'t Tree<'de>, node: &'t Node) -> Members<'t, 'de> {
        Members { tree, next: node.first_member, value: None }
    }

    /// Returns the value of the member whose key was returned last.
    fn content(&self) -> Result<Nested<'t, 'de>, SerdeError> {
        match self.value {
            Some(node) => Ok(Nested { tree: self.tree, node }),
            None => Err(SerdeError::message("a value was asked for before its name")),
        }
    }

    fn take(&mut self) -> Option<&'t Node> {
        let node = self.tree.node(self.next?);
        self.next = node.next;
        Some(node)
    }
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = SerdeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, SerdeError> {
        let Some(node) = self.take() else { return Ok(None) };
        self.value = Some(node);
        let (tree, key) = (self.tree, self.tree.key(node));
        seed.deserialize(Name { part: &key, offset: tree.offset(node), config: tree.config }).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, SerdeError> {
        let nested = self.content()?;
        seed.deserialize(nested).map_err(|error| match nested.node.values {
            Some((first, _)) => error.within(self.tree.path(nested.node)).at(self.tree.fields[first].value_offset),
            None => nested.placed(error),
        })
    }
}

/// Passes the elements of a sequence to serde, in the order of their numbers.
struct Elements<'t, 'de> {
    tree: &'t Tree<'de>,
    all: Vec<(u64, usize)>,
    taken: usize,
}

impl<'de> SeqAccess<'de> for &mut Elements<'_, 'de> {
    type Error = SerdeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, SerdeError> {
        let Some(&(_, at)) = self.all.get(self.taken) else { return Ok(None) };
        self.taken += 1;
        let mut element = Members { tree: self.tree, next: None, value: Some(self.tree.node(at)) };
        element.next_value_seed(seed).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.all.len() - self.taken)
    }
}

/// Reads a node as an enum. The node must have exactly one member: its key is the name of the variant, and its value is
/// the data of the variant.
struct Variant<'t, 'de>(Nested<'t, 'de>);

impl<'t, 'de> EnumAccess<'de> for Variant<'t, 'de> {
    type Error = SerdeError;
    type Variant = Members<'t, 'de>;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Members<'t, 'de>), SerdeError> {
        let mut members = self.0.members();
        let variant = members.next_key_seed(seed).map_err(|error| self.0.placed(error))?;
        match (variant, members.next) {
            (Some(variant), None) => Ok((variant, members)),
            _ => Err(self.0.placed(SerdeError::message("an enum has one variant"))),
        }
    }
}

impl<'de> VariantAccess<'de> for Members<'_, 'de> {
    type Error = SerdeError;

    fn unit_variant(mut self) -> Result<(), SerdeError> {
        self.next_value()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(mut self, seed: T) -> Result<T::Value, SerdeError> {
        self.next_value_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, SerdeError> {
        self.content()?.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        self.content()?.deserialize_struct("", fields, visitor)
    }
}
