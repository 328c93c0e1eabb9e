//! Tests the order of `URLSearchParams.sort()` (URL Standard 6.2).
#![cfg(feature = "alloc")]

use percent_standards::form;

use crate::common::check;

/// url/urlsearchparams-sort.any.js of web-platform-tests.
#[test]
fn pairs_are_sorted_as_by_url_search_params() {
    for (input, sorted) in [
        ("z=b&a=b&z=a&a=a", "a=b&a=a&z=b&z=a"),
        ("\u{FFFD}=x&\u{FFFC}&\u{FFFD}=a", "%EF%BF%BC=&%EF%BF%BD=x&%EF%BF%BD=a"),
        ("ﬃ&🌈", "%F0%9F%8C%88=&%EF%AC%83="),
        ("é&e\u{FFFD}&e\u{301}", "e%CC%81=&e%EF%BF%BD=&%C3%A9="),
        (
            "z=z&a=a&z=y&a=b&z=x&a=c&z=w&a=d&z=v&a=e&z=u&a=f&z=t&a=g",
            "a=a&a=b&a=c&a=d&a=e&a=f&a=g&z=z&z=y&z=x&z=w&z=v&z=u&z=t",
        ),
        ("bbb&bb&aaa&aa=x&aa=y", "aa=x&aa=y&aaa=&bb=&bbb="),
        ("z=z&=f&=t&=x", "=f&=t&=x&z=z"),
        ("a🌈&a💩", "a%F0%9F%8C%88=&a%F0%9F%92%A9="),
        ("", ""),
    ] {
        let pairs = form::Pairs::parse(input).sorted();
        assert_eq!(pairs.serialize(), sorted, "{input}");
        assert_eq!(pairs.to_string(), sorted);
        assert!(form::parse(sorted).eq(pairs.as_slice().iter().cloned()));
    }
}

#[test]
fn sorting_agrees_with_a_naive_model() {
    fn holds(names: Vec<(u8, u8)>) -> bool {
        const NAMES: [&str; 8] = ["", "a", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}", "b"];
        let pairs: form::Pairs = names
            .iter()
            .enumerate()
            .map(|(at, &(first, second))| {
                let name = [NAMES[usize::from(first % 8)], NAMES[usize::from(second % 8)]].concat();
                (name.into(), at.to_string().into())
            })
            .collect();
        let mut naive = pairs.as_slice().to_vec();
        naive.sort_by_key(|(name, _)| name.encode_utf16().collect::<Vec<_>>());
        let sorted = pairs.sorted();
        sorted.as_slice() == naive && sorted.clone().sorted() == sorted && sorted.into_iter().eq(naive)
    }
    check(2_000, holds as fn(Vec<(u8, u8)>) -> bool);
}
