//! Links the pairs of a form that have the same name. If names may have brackets, builds a tree from the pairs.
//!
//! Each node is a key. Each pair is a value of one node. A map finds a node by its parent and its key. So a form of n
//! bytes takes n log n time, for any names. Members stay in the order of the form. The elements of a node are sorted
//! only if the node is read as a sequence.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::config::{Config, Dialect, Duplicates};
use super::error::SerdeError;
use super::field::{Field, Part};
use super::names::{self, Step};
use crate::memory;

/// The pairs of a form, and the nodes that their names create.
pub(super) struct Tree<'de> {
    pub(super) fields: Vec<Field<'de>>,
    /// Empty if names have no brackets: then each name belongs to the form itself.
    nodes: Vec<Node<'de>>,
    pub(super) config: Config,
}

/// A key of a structure, with its values or its members.
pub(super) struct Node<'de> {
    /// The first pair whose name contains this key.
    pub(super) field: usize,
    /// The key. For an element that was written `[]`, this is its number.
    pub(super) key: Part<'de>,
    /// The end of the path to this node, for example of `a[b]`, in the decoded name of the pair `field`.
    path_end: usize,
    /// The key as a number. If it isn't a number, this is `None`.
    pub(super) index: Option<u64>,
    /// The first pair and the last pair that are values of this key.
    pub(super) values: Option<(usize, usize)>,
    pub(super) first_member: Option<usize>,
    last_member: Option<usize>,
    pub(super) next: Option<usize>,
    /// The number of this node as a parent, in the keys of the map `Builder::found`. With the rules of PHP and Rails, a
    /// later value of the node replaces its members. Then `scope` gets a new number, so that the map no longer finds
    /// these members.
    scope: usize,
    /// The number for the next element that is written `[]`.
    next_index: u64,
    /// True if the members are elements that were written `[]`.
    has_new: bool,
}

/// A key of a member, for comparisons. A key that is a number names the element with this number, as in PHP: `a[0]` is
/// the first element of `a[]`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'n> {
    Number(u64),
    Text(&'n [u8]),
}

impl<'n> Key<'n> {
    fn of(text: &'n [u8]) -> Key<'n> {
        names::index(text).map_or(Key::Text(text), Key::Number)
    }
}

impl<'de> Tree<'de> {
    #[inline]
    pub(super) fn new(mut fields: Vec<Field<'de>>, config: Config) -> Result<Tree<'de>, SerdeError> {
        if !config.nested.is_off() {
            return Tree::nested(fields, config);
        }
        if config.duplicates != Duplicates::Separate {
            link(&mut fields);
        }
        Ok(Tree::of_pairs(fields, config))
    }

    fn nested(mut fields: Vec<Field<'de>>, config: Config) -> Result<Tree<'de>, SerdeError> {
        if config.nested.dialect == Dialect::Php {
            fields.iter_mut().for_each(|field| names::php_name(&mut field.name));
        }
        let (nodes, links) = Builder::new(&fields, config).build()?;
        for (field, next) in fields.iter_mut().zip(links) {
            field.next = next;
        }
        Ok(Tree { fields, nodes, config })
    }

    /// Returns the pairs without links and without nodes.
    #[inline]
    pub(super) fn of_pairs(fields: Vec<Field<'de>>, config: Config) -> Tree<'de> {
        Tree { fields, nodes: Vec::new(), config }
    }

    /// Returns the node of the whole form. If names have no brackets, returns `None`.
    #[inline]
    pub(super) fn root(&self) -> Option<&Node<'de>> {
        self.nodes.get(ROOT)
    }

    /// Returns the index of the first pair, from the pair `at` on, whose name isn't a repetition.
    #[inline]
    pub(super) fn next_name(&self, at: usize) -> Option<usize> {
        (at..self.fields.len()).find(|&at| !self.fields[at].repeats)
    }

    /// Returns true if the keys of all members are numbers.
    pub(super) fn is_sequence(&self, node: &Node<'de>) -> bool {
        let members = core::iter::successors(node.first_member, |&at| self.node(at).next);
        members.map(|at| self.node(at)).all(|member| member.index.is_some())
    }

    pub(super) fn node(&self, at: usize) -> &Node<'de> {
        &self.nodes[at]
    }

    /// Returns the name of a node as it was first written, for example `a[b]`.
    pub(super) fn path(&self, node: &Node<'de>) -> &[u8] {
        &self.fields[node.field].name.bytes()[..node.path_end]
    }

    /// Returns the offset at which the name of a node first occurs.
    pub(super) fn offset(&self, node: &Node<'de>) -> usize {
        self.fields[node.field].offset
    }

    /// Returns the number of each member of a node, and the member's index in `nodes`. The list is sorted by the
    /// numbers. If the key of a member isn't a number, returns an error.
    pub(super) fn elements(&self, node: &Node<'de>) -> Result<Vec<(u64, usize)>, SerdeError> {
        let mut elements = Vec::new();
        let mut next = node.first_member;
        while let Some(at) = next {
            let member = self.node(at);
            let Some(index) = member.index else {
                let error = SerdeError::message("the type takes a sequence, and this is not the number of an element");
                return Err(error.within(self.path(member)).at(self.offset(member)));
            };
            memory::push(&mut elements, (index, at));
            next = member.next;
        }
        elements.sort_unstable();
        Ok(elements)
    }
}

/// Links each pair to the next pair with the same name. If there are only a few pairs, compares each name with the
/// names before it. Otherwise sorts the names.
fn link(fields: &mut [Field<'_>]) {
    const FEW: usize = 12;
    if fields.len() <= FEW {
        for later in 1..fields.len() {
            let (before, rest) = fields.split_at_mut(later);
            let name = rest[0].name.bytes();
            if let Some(last) = before.iter_mut().rfind(|field| field.name.bytes() == name) {
                last.next = Some(later);
                rest[0].repeats = true;
            }
        }
        return;
    }
    let mut order: Vec<usize> = memory::collect(0..fields.len());
    order.sort_unstable_by_key(|&at| (fields[at].name.bytes(), at));
    for pair in order.windows(2) {
        if fields[pair[0]].name.bytes() == fields[pair[1]].name.bytes() {
            fields[pair[0]].next = Some(pair[1]);
            fields[pair[1]].repeats = true;
        }
    }
}

/// The index of the root node. Its members are the keys at the start of the names: `a` for the name `a[b]`.
const ROOT: usize = 0;

struct Builder<'f, 'de> {
    fields: &'f [Field<'de>],
    config: Config,
    nodes: Vec<Node<'de>>,
    /// For each pair, the next pair that is a value of the same node.
    links: Vec<Option<usize>>,
    /// Finds a node by the `scope` of its parent and by its key.
    found: BTreeMap<(usize, Key<'f>), usize>,
    scopes: usize,
}

type Built<'de> = (Vec<Node<'de>>, Vec<Option<usize>>);

impl<'f, 'de> Builder<'f, 'de> {
    fn new(fields: &'f [Field<'de>], config: Config) -> Builder<'f, 'de> {
        let links = memory::collect(fields.iter().map(|_| None));
        Builder { fields, config, nodes: Vec::new(), links, found: BTreeMap::new(), scopes: 0 }
    }

    fn build(mut self) -> Result<Built<'de>, SerdeError> {
        self.push_node(0, (Step::New, 0), None);
        let mut steps = Vec::new();
        for (at, field) in self.fields.iter().enumerate() {
            let name = field.name.bytes();
            let placed = names::split(name, self.config.nested, &mut steps)
                .map_err(|error| SerdeError::message(error.message()))
                .and_then(|()| self.add(at, &steps));
            placed.map_err(|error| error.within(name).at(field.offset))?;
        }
        Ok((self.nodes, self.links))
    }

    /// Adds a pair. The `steps` of its name lead to a node, and the pair becomes a value of this node.
    fn add(&mut self, field: usize, steps: &[(Step, usize)]) -> Result<(), SerdeError> {
        if steps.is_empty() {
            return Ok(());
        }
        let mut node = ROOT;
        for (number, step) in steps.iter().enumerate() {
            node = match &step.0 {
                Step::Key(range) => {
                    self.keyed(node, field, step, Key::of(&self.fields[field].name.bytes()[range.clone()]))?
                }
                Step::New => self.pushed(node, field, step, &steps[number + 1..])?,
            };
        }
        if self.nodes[node].first_member.is_some() {
            if self.config.nested.dialect == Dialect::SerdeQs {
                return Err(mixed());
            }
            // The later value replaces the structure that is already there.
            self.scopes += 1;
            let node = &mut self.nodes[node];
            (node.first_member, node.last_member, node.scope, node.next_index) = (None, None, self.scopes, 0);
        }
        let values = &mut self.nodes[node].values;
        *values = match *values {
            Some((first, last)) => {
                self.links[last] = Some(field);
                Some((first, field))
            }
            None => Some((field, field)),
        };
        Ok(())
    }

    /// Returns the member of the node `parent` that has the key `key`. If this member doesn't exist, creates it.
    fn keyed(&mut self, parent: usize, field: usize, step: &(Step, usize), key: Key<'f>) -> Result<usize, SerdeError> {
        self.open(parent, false)?;
        if let Some(&found) = self.found.get(&(self.nodes[parent].scope, key)) {
            return Ok(found);
        }
        let index = if let Key::Number(index) = key { Some(index) } else { None };
        Ok(self.add_member(parent, field, step, key, index))
    }

    /// Returns a new element of a node. But for Rack, if the path `rest` leads to a free place in the last element,
    /// returns the last element.
    fn pushed(
        &mut self,
        parent: usize,
        field: usize,
        step: &(Step, usize),
        rest: &[(Step, usize)],
    ) -> Result<usize, SerdeError> {
        self.open(parent, true)?;
        if self.config.nested.dialect == Dialect::Rails
            && !rest.is_empty()
            && let Some(last) = self.nodes[parent].last_member
            && self.is_free(last, field, rest)
        {
            return Ok(last);
        }
        let index = self.nodes[parent].next_index;
        Ok(self.add_member(parent, field, step, Key::Number(index), Some(index)))
    }

    /// Returns true if `node` is a structure, and the path `steps` leads to a place in it that has no value yet. For
    /// Rack, a path with `[]` always leads to a free place.
    fn is_free(&self, mut node: usize, field: usize, steps: &[(Step, usize)]) -> bool {
        if self.nodes[node].first_member.is_none() || self.nodes[node].has_new {
            return false;
        }
        for (step, _) in steps {
            let Step::Key(range) = step else { return true };
            let key = Key::of(&self.fields[field].name.bytes()[range.clone()]);
            match self.found.get(&(self.nodes[node].scope, key)) {
                Some(&found) => node = found,
                None => return true,
            }
        }
        false
    }

    /// Checks that a node may have members.
    fn open(&mut self, node: usize, is_new: bool) -> Result<(), SerdeError> {
        let is_php = self.config.nested.dialect == Dialect::Php;
        let node = &mut self.nodes[node];
        let is_mixed = node.values.is_some() || node.first_member.is_some() && node.has_new != is_new;
        if is_mixed && !is_php {
            return Err(mixed());
        }
        node.values = None;
        node.has_new = is_new;
        Ok(())
    }

    fn add_member(
        &mut self,
        parent: usize,
        field: usize,
        step: &(Step, usize),
        key: Key<'f>,
        index: Option<u64>,
    ) -> usize {
        let added = self.push_node(field, step.clone(), index);
        let parent = &mut self.nodes[parent];
        let last = parent.last_member.replace(added);
        parent.first_member = parent.first_member.or(Some(added));
        if let Some(index) = index {
            parent.next_index = parent.next_index.max(index.saturating_add(1));
        }
        self.found.insert((parent.scope, key), added);
        if let Some(last) = last {
            self.nodes[last].next = Some(added);
        }
        added
    }

    fn push_node(&mut self, field: usize, (key, path_end): (Step, usize), index: Option<u64>) -> usize {
        self.scopes += 1;
        let key = match key {
            Step::Key(range) => self.fields[field].name.part(range),
            Step::New => Part::Text(Cow::Owned(index.unwrap_or_default().to_string())),
        };
        let node = Node {
            field,
            key,
            path_end,
            index,
            values: None,
            first_member: None,
            last_member: None,
            next: None,
            scope: self.scopes,
            next_index: 0,
            has_new: false,
        };
        memory::push(&mut self.nodes, node);
        self.nodes.len() - 1
    }
}

#[cold]
fn mixed() -> SerdeError {
    SerdeError::message("the name is used in two ways: as a value, as a structure, or as a sequence with `[]`")
}
