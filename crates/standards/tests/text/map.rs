//! A map for the values of forms. The compiler takes much longer for each type of a `BTreeMap`.
#![cfg(feature = "serde")]

use std::fmt;
use std::marker::PhantomData;
use std::ops::Index;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Keys and values in the order of the form. The last value of a key replaces earlier values.
#[derive(Clone, Debug, PartialEq)]
pub struct Map<K, V>(pub Vec<(K, V)>);

impl<K, V> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map(Vec::new())
    }
}

impl<K, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(entries: [(K, V); N]) -> Map<K, V> {
        Map(entries.into())
    }
}

impl<K: PartialEq, V> Map<K, V> {
    /// Adds an entry at the end. Removes an earlier entry of the same key.
    fn insert(&mut self, key: K, value: V) {
        self.0.retain(|entry| entry.0 != key);
        self.0.push((key, value));
    }
}

impl<K: PartialEq, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Map<K, V> {
        let mut map = Map::default();
        entries.into_iter().for_each(|(key, value)| map.insert(key, value));
        map
    }
}

impl<V> Index<&str> for Map<String, V> {
    type Output = V;

    fn index(&self, key: &str) -> &V {
        &self.0.iter().find(|entry| entry.0 == key).expect("the key is in the map").1
    }
}

impl<K: Serialize, V: Serialize> Serialize for Map<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de, K: Deserialize<'de> + PartialEq, V: Deserialize<'de>> Deserialize<'de> for Map<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Map<K, V>, D::Error> {
        struct Entries<K, V>(PhantomData<(K, V)>);
        impl<'de, K: Deserialize<'de> + PartialEq, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
            type Value = Map<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Map<K, V>, A::Error> {
                let mut entries = Map::default();
                while let Some((key, value)) = map.next_entry()? {
                    entries.insert(key, value);
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}
