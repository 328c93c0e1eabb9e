//! Reads the query of a search page, strictly and with a limit. Writes the link to the next page.
//!
//! ```text
//! $ cargo run --example search_form -- 'q=fish+%26+chips&tag=caf%C3%A9&page=2'
//! Search { words: "fish & chips", tags: ["café"], page: 2 }
//! /search?q=fish+%26+chips&tag=caf%C3%A9&page=3
//! $ cargo run --example search_form -- 'q=100%'
//! bad request: the input ends inside the escape at byte 5: a `%` needs two hexadecimal digits
//! ```

use std::env;

use percent_standards::form::{ParseError, Parser, Serializer};

#[derive(Debug, Default, PartialEq)]
struct Search {
    words: String,
    tags: Vec<String>,
    page: u32,
}

impl Search {
    /// Reads a query of at most 32 pairs. A malformed `%`, and text that isn't UTF-8, are errors with their offset.
    fn parse(query: &str) -> Result<Search, ParseError> {
        let mut search = Search { page: 1, ..Search::default() };
        for pair in Parser::new().strict().limit(32).parse_utf8(query) {
            let (name, value) = pair?;
            match &*name {
                "q" => search.words = value.into_owned(),
                "tag" => search.tags.push(value.into_owned()),
                "page" => search.page = value.parse().unwrap_or(1),
                _ => {}
            }
        }
        Ok(search)
    }

    /// Returns the link to this page of results.
    fn link(&self) -> String {
        let mut form = Serializer::append_to(String::from("/search?"));
        form.append("q", &self.words);
        for tag in &self.tags {
            form.append("tag", tag);
        }
        form.append("page", self.page.to_string());
        form.finish()
    }
}

fn main() {
    for query in env::args().skip(1) {
        match Search::parse(&query) {
            Ok(search) => {
                println!("{search:?}");
                println!("{}", Search { page: search.page.saturating_add(1), ..search }.link());
            }
            Err(error) => println!("bad request: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn queries_round_trip() {
        let query = "q=fish+%26+chips&tag=caf%C3%A9&tag=%25&page=2";
        let search = Search::parse(query).unwrap();
        let tags = vec!["café".to_string(), "%".to_string()];
        assert_eq!(search, Search { words: "fish & chips".to_string(), tags, page: 2 });
        assert_eq!(search.link(), format!("/search?{query}"));
    }

    #[test]
    fn bad_queries_are_refused() {
        assert_eq!(Search::parse("q=100%").unwrap_err().offset(), 5);
        assert_eq!(Search::parse("a=1&q=%FF").unwrap_err().offset(), 6);
        assert!(Search::parse(&"a&".repeat(33)).is_err());
    }
}
