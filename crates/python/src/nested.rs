//! Forms whose names have brackets: `a[b][]=c` as dicts and lists.

use std::fmt;

use percent_standards::form::{Brackets, Config, Duplicates, Parser, SerdeError, Serializer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize};

use crate::fault::{exception, guarded, new_error};
use crate::input::{Input, limit_of, option};
use crate::text::new_str;

/// The default limit on the pairs of a form. A server should not build more objects than this from one request.
const LIMIT: usize = 1000;

/// The greatest depth of dicts and lists that we write.
const DEEPEST: usize = 64;

/// A form, or a part of it.
enum Tree {
    Text(String),
    List(Vec<Tree>),
    Dict(Vec<(String, Tree)>),
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a form")
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Tree, A::Error> {
        let mut dict = Vec::new();
        while let Some(member) = members.next_entry()? {
            dict.push(member);
        }
        Ok(Tree::Dict(dict))
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Tree, D::Error> {
        from.deserialize_any(TreeVisitor)
    }
}

impl Serialize for Tree {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Tree::Text(text) => to.serialize_str(text),
            Tree::List(list) => {
                let mut elements = to.serialize_seq(Some(list.len()))?;
                list.iter().try_for_each(|element| elements.serialize_element(element))?;
                elements.end()
            }
            Tree::Dict(dict) => {
                let mut members = to.serialize_map(Some(dict.len()))?;
                dict.iter().try_for_each(|(key, value)| members.serialize_entry(key, value))?;
                members.end()
            }
        }
    }
}

impl Tree {
    fn to_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Tree::Text(text) => Ok(new_str(py, text)?.into_any()),
            Tree::List(list) => {
                let object = PyList::empty(py);
                list.iter().try_for_each(|element| object.append(element.to_object(py)?))?;
                Ok(object.into_any())
            }
            Tree::Dict(dict) => {
                let object = PyDict::new(py);
                dict.iter().try_for_each(|(key, value)| object.set_item(new_str(py, key)?, value.to_object(py)?))?;
                Ok(object.into_any())
            }
        }
    }

    fn of(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Tree> {
        if depth > DEEPEST {
            return Err(new_error::<PyValueError>(format!(
                "more than {DEEPEST} dicts and lists are inside each other"
            )));
        }
        let inner = |object: Bound<'_, PyAny>| Tree::of(&object, depth + 1);
        if let Ok(dict) = object.cast::<PyDict>() {
            // Call `items`, because an OrderedDict has an order of its own, and `__str__` of a key can change the dict.
            let members = dict.call_method0("items")?.try_iter()?.map(|member| {
                let (key, value) = member?.extract::<(Bound<'_, PyAny>, _)>()?;
                Ok((text_of(&key, "a key")?, inner(value)?))
            });
            return members.collect::<PyResult<_>>().map(Tree::Dict);
        }
        if let Ok(list) = object.cast::<PyList>() {
            return list.iter().map(inner).collect::<PyResult<_>>().map(Tree::List);
        }
        if let Ok(tuple) = object.cast::<PyTuple>() {
            return tuple.iter().map(inner).collect::<PyResult<_>>().map(Tree::List);
        }
        text_of(object, "a value").map(Tree::Text)
    }
}

/// Returns the text of a key or a value. Refuses `True` and `None`, because each framework writes them in its own way.
fn text_of(object: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    let is_number = object.is_instance_of::<PyInt>() || object.is_instance_of::<PyFloat>();
    if object.is_instance_of::<PyString>() || is_number && !object.is_instance_of::<PyBool>() {
        return object.str()?.extract();
    }
    let class = object.get_type().name()?;
    Err(new_error::<PyTypeError>(format!("{what} of a form is a str, an int or a float, not {class}")))
}

fn brackets(dialect: &str) -> PyResult<Brackets> {
    match dialect {
        "php" => Ok(Brackets::PHP),
        "rails" => Ok(Brackets::RAILS),
        "serde_qs" => Ok(Brackets::SERDE_QS),
        _ => Err(new_error::<PyValueError>(format!("dialect is \"php\", \"rails\" or \"serde_qs\", not {dialect:?}"))),
    }
}

fn nested_error(py: Python<'_>, error: &SerdeError) -> PyErr {
    let is_limit = error.parse_error().is_some();
    let kind = if is_limit { "too_many_pairs" } else { "brackets" };
    exception(py, "DecodeError", error.to_string(), error.offset().unwrap_or(0), kind)
}

/// Parses a form whose names have brackets, such as `a[b][]=c`, into dicts, lists and strings.
///
/// `dialect` names the program whose rules we follow: "php", "rails" (also Rack) or "serde_qs". If a name without
/// brackets is repeated, the last value counts. If all members of a dict are numbered or written `[]`, the dict becomes
/// a list. Bytes that aren't UTF-8 become U+FFFD. DecodeError is raised for a name with more than `depth` brackets, and
/// for more than `limit` pairs.
#[pyfunction]
#[pyo3(signature = (data, *, dialect = "php", depth = None, limit = None))]
pub(crate) fn parse_nested<'py>(
    py: Python<'py>,
    data: Input<'py>,
    #[pyo3(from_py_with = option::dialect)] dialect: &str,
    depth: Option<Bound<'py, PyAny>>,
    limit: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut nested = brackets(dialect)?;
    if let Some(depth) = limit_of("depth", depth)? {
        let fits = u8::try_from(depth).ok().filter(|depth| usize::from(*depth) <= DEEPEST);
        let wrong = || new_error::<PyValueError>(format!("depth is at most {DEEPEST}, not {depth}"));
        nested = nested.depth(fits.ok_or_else(wrong)?);
    }
    let config = Config { lossy_text: true, duplicates: Duplicates::Last, nested, ..Config::new() };
    let parser = Parser::new().config(config).limit(limit_of("limit", limit)?.unwrap_or(LIMIT));
    guarded(|| {
        let tree: Tree = parser.deserialize(data.as_bytes()?).map_err(|error| nested_error(py, &error))?;
        tree.to_object(py)
    })
}

/// Writes dicts, lists and strings as a form whose names have brackets. `parse_nested` returns the same value, with numbers as
/// strings. Empty dicts and lists have no pairs.
#[pyfunction]
#[pyo3(signature = (value, *, dialect = "php"))]
pub(crate) fn serialize_nested<'py>(
    value: &Bound<'py, PyDict>,
    #[pyo3(from_py_with = option::dialect)] dialect: &str,
) -> PyResult<Bound<'py, PyString>> {
    let brackets = brackets(dialect)?;
    guarded(|| {
        let tree = Tree::of(value, 0)?;
        let mut form = Serializer::new().nested(brackets);
        form.serialize(&tree).map_err(|error| new_error::<PyValueError>(error.to_string()))?;
        new_str(value.py(), &form.finish())
    })
}
