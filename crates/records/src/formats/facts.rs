//! Facts about a field: the syntax of its values, the hint that its name gives, and the judgement about its values.

/// The syntax of a value. It decides how the value is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// A URL or a reference (RFC 3986 4.1): `//h/x` names the host `h`.
    Reference,
    /// The target of a request (RFC 9112 3.2): `//h/x` is a path, and a `#` starts no fragment.
    Target,
    /// A query without its `?`.
    Query,
}

impl Syntax {
    /// Returns true if a value is a query.
    pub fn is_query(self) -> bool {
        self == Syntax::Query
    }
}

/// The hint that the name of a field gives about its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The field holds URLs.
    Url,
    /// The field often holds URLs. Its values decide.
    Maybe,
    /// The field often holds a route, for example `/pets/{id}`. A route isn't the URL of a request, because it contains
    /// names of parameters.
    Route,
    /// The field holds the URL of the syntax of the document, or of the page about a test.
    Syntax,
    /// The field holds other text that may look like a target or a query: paths of files.
    Other,
    /// The field holds cookies, or the name of a program, which often has the URL of its page. These URLs were not
    /// requested.
    Client,
    /// The name gives no hint.
    Unknown,
}

/// The judgement about the values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The syntax that fits the values.
    pub syntax: Syntax,
    /// If true, at least one value has a sign that only URLs have: a scheme and a host, an escape, or a query. Without such a sign,
    /// the values may also be paths of files.
    pub is_sure: bool,
    /// If true, the values have a scheme and a host.
    pub is_absolute: bool,
    /// If true, at least one value is not a URL, a target or a query.
    pub has_others: bool,
}
