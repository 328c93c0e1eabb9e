//! The public suffix list, and the search in it.
//!
//! The list has ten thousand rules. Compiled as code, it takes two megabytes. Here it is a text with a rule on each line, and a
//! hash table with the offsets of these lines, which the compiler fills. A host is hashed once, from its last byte to its first.
//! So at each dot, the hash of the name behind it is already known.

/// Comments, and then a rule on each line: `name`, `*.name` or `!name`.
const LIST: &str = include_str!("suffixes.txt");

/// More slots than rules, and a power of two.
const SLOTS: usize = 1 << 14;

/// The low 18 bits of a slot are the offset of a rule in the list, and the others are the high bits of its hash. An empty slot is 0.
static TABLE: [u32; SLOTS] = table();
const OFFSET: u32 = (1 << 18) - 1;

/// FNV-1a, from the last byte of a name to its first.
const START: u32 = 0x811C_9DC5;
const fn hash(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

const fn table() -> [u32; SLOTS] {
    let list = LIST.as_bytes();
    assert!(list.len() <= OFFSET as usize && list[0] == b'/');
    let (mut table, mut rules) = ([0; SLOTS], 0);
    let mut end = list.len();
    while end > 0 {
        // The line is from `start` to the newline before `end`. The mark of a rule doesn't belong to its name.
        let (mut start, mut sum) = (end - 1, START);
        while start > 0 && list[start - 1] != b'\n' {
            start -= 1;
            if list[start] != b'!' && list[start] != b'*' && !(list[start] == b'.' && list[start - 1] == b'*') {
                sum = hash(sum, list[start]);
            }
        }
        if list[start] != b'/' {
            let mut slot = sum as usize % SLOTS;
            while table[slot] != 0 {
                slot = (slot + 1) % SLOTS;
            }
            table[slot] = sum & !OFFSET | start as u32;
            rules += 1;
        }
        end = start;
    }
    assert!(rules * 4 < SLOTS * 3, "the table is too full: double SLOTS");
    table
}

/// The rules for a name.
#[derive(Default)]
struct Rules {
    /// `name`: the name is a suffix.
    itself: bool,
    /// `*.name`: a name with one more label is a suffix.
    children: bool,
    /// `!name`: the name is no suffix, although the name without its first label has a rule for its children.
    exception: bool,
}

impl Rules {
    fn of(name: &[u8], hash: u32) -> Rules {
        let mut rules = Rules::default();
        let mut slot = hash as usize % SLOTS;
        while TABLE[slot] != 0 {
            let line = &LIST.as_bytes()[(TABLE[slot] & OFFSET) as usize..];
            let is_name = |line: &[u8]| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(b"\n"));
            if (TABLE[slot] ^ hash) & !OFFSET == 0 {
                rules.itself |= is_name(line);
                rules.children |= line.strip_prefix(b"*.").is_some_and(is_name);
                rules.exception |= line.strip_prefix(b"!").is_some_and(is_name);
            }
            slot = (slot + 1) % SLOTS;
        }
        rules
    }
}

/// Returns the start of the public suffix of a host in lower case. If no rule applies, the suffix is the last label, as the
/// [list](https://github.com/publicsuffix/list/wiki/Format#algorithm) says.
pub(super) fn suffix(host: &[u8]) -> usize {
    let mut suffix = host.iter().rposition(|&byte| byte == b'.').map_or(0, |dot| dot + 1);
    let (mut sum, mut parent) = (START, Rules::default());
    // The start of the name that `parent` belongs to.
    let mut parent_start = suffix;
    for start in (0..host.len()).rev() {
        if host[start] == b'.' {
            sum = hash(sum, b'.');
            continue;
        }
        sum = hash(sum, host[start]);
        if start > 0 && host[start - 1] != b'.' {
            continue;
        }
        let rules = Rules::of(&host[start..], sum);
        if rules.exception {
            return parent_start;
        }
        if rules.itself || parent.children {
            suffix = start;
        }
        (parent, parent_start) = (rules, start);
    }
    suffix
}
