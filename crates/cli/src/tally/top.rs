//! The most frequent names.
//!
//! A [`Top`] is exact until its memory is full. After that, it is the summary of Misra and Gries, in the variant that can be merged
//! (Agarwal et al., Mergeable Summaries, 2012). Whenever its memory is full, we subtract the same number from every count, and drop
//! names with a count of 0. So a count is never too high. It is too low by at most the sum of the subtracted numbers.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// `ROOM` is the maximum memory of a table, in bytes. `ENTRY_LEN` is the assumed size of a name's entry, without the
/// name itself.
const ROOM: usize = 32 << 20;
const ENTRY_LEN: usize = 64;

/// The maximum length of a name, in bytes. Longer names that start with the same `LONGEST_NAME` bytes are counted as
/// one.
const LONGEST_NAME: usize = 512;

/// Names and their counts.
#[derive(Clone, Debug)]
pub struct Top<T> {
    counts: HashMap<Box<[u8]>, (u64, T), RandomState>,
    len: usize,
    room: usize,
    lost: u64,
}

impl<T> Default for Top<T> {
    fn default() -> Top<T> {
        Top { counts: HashMap::default(), len: 0, room: ROOM, lost: 0 }
    }
}

impl<T: Clone> Top<T> {
    /// Adds `count` to the count of `name`. Stores `about` if the name is new. Otherwise updates the stored value.
    pub fn add(&mut self, name: &[u8], count: u64, about: T, update: impl FnOnce(&mut T, &T)) {
        let name = &name[..name.len().min(LONGEST_NAME)];
        if let Some((there, kept)) = self.counts.get_mut(name) {
            *there += count;
            update(kept, &about);
            return;
        }
        self.len += name.len() + ENTRY_LEN;
        self.counts.insert(name.into(), (count, about));
        while self.len > self.room {
            self.shrink();
        }
    }

    /// Subtracts the median of all counts from each count.
    fn shrink(&mut self) {
        let mut counts: Vec<u64> = self.counts.values().map(|(count, _)| *count).collect();
        let middle = counts.len() / 2;
        let (_, &mut median, _) = counts.select_nth_unstable(middle);
        self.lost += median;
        self.counts.retain(|name, (count, _)| {
            *count = count.saturating_sub(median);
            if *count == 0 {
                self.len -= name.len() + ENTRY_LEN;
            }
            *count > 0
        });
    }

    /// Adds the counts of another table.
    pub fn merge(&mut self, other: Top<T>, update: impl Fn(&mut T, &T)) {
        self.lost += other.lost;
        for (name, (count, about)) in other.counts {
            self.add(&name, count, about, &update);
        }
    }

    /// Returns the most frequent names. Equally frequent names are in alphabetical order.
    pub fn most(&self, number: usize) -> Vec<(&[u8], u64, &T)> {
        let mut all: Vec<_> = self.counts.iter().map(|(name, (count, about))| (&**name, *count, about)).collect();
        all.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        all.truncate(number);
        all
    }

    /// Returns the value that is stored for `name`.
    pub fn get(&self, name: &[u8]) -> Option<&T> {
        self.counts.get(name).map(|(_, about)| about)
    }

    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the number of names that are kept.
    pub fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// Returns the largest possible error of a count, or 0 if all counts are exact.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

impl Top<()> {
    pub fn count(&mut self, name: &[u8]) {
        self.add(name, 1, (), |(), ()| {});
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_while_there_is_room_and_off_by_at_most_lost_after() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        for (room, is_exact) in [(1 << 20, true), (4000, false)] {
            let mut parts = [Top::<()>::default(), Top::default()];
            let mut truth: HashMap<Vec<u8>, u64> = HashMap::new();
            for _ in 0..20_000 {
                // A few names are frequent, and most names are rare.
                let name = (next() % (1 << (next() % 11))).to_string().into_bytes();
                let part = &mut parts[next() as usize % 2];
                part.room = room;
                part.count(&name);
                *truth.entry(name).or_default() += 1;
            }
            let [mut all, other] = parts;
            all.merge(other, |(), ()| {});
            assert_eq!(all.lost() == 0, is_exact);
            assert!(all.lost() < 20_000 / 10, "{}", all.lost());
            for (name, count) in truth {
                let counted = all.counts.get(&*name).map_or(0, |(count, ())| *count);
                assert!(counted <= count && counted + all.lost() >= count, "{counted} {count} {}", all.lost());
            }
        }
    }
}
