//! The rules of the types of package URLs. They are from the definitions of the types.

use alloc::string::String;

use super::{Purl, PurlErrorKind};
use crate::memory;

/// Whether packages of a type have a namespace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Namespace {
    Required,
    Optional,
    Prohibited,
}

use Namespace::{Optional, Prohibited, Required};

/// The bits of the parts that the normal form writes in lower case. `NONE` has no bit.
const NONE: u8 = 0;
const NAMESPACE: u8 = 1;
const NAME: u8 = 2;
const VERSION: u8 = 4;
const SUBPATH: u8 = 8;
const BOTH: u8 = NAMESPACE | NAME;

/// The rules of one type.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    package_type: &'static str,
    namespace: Namespace,
    lower: u8,
    /// The key of the required qualifier. If no qualifier is required, this is empty.
    required: &'static str,
}

/// The types that have a definition. Each row has the name, the namespace, the parts in lower case, and the required
/// qualifier.
const TYPES: &[(&str, Namespace, u8, &str)] = &[
    ("alpm", Required, BOTH, ""),
    ("apk", Required, BOTH, ""),
    ("bazel", Prohibited, NONE, ""),
    ("bitbucket", Required, BOTH, ""),
    ("bitnami", Prohibited, NAME, ""),
    ("brew", Optional, BOTH, ""),
    ("cargo", Prohibited, NONE, ""),
    ("chrome-extension", Prohibited, NAME, ""),
    ("cocoapods", Prohibited, NONE, ""),
    ("composer", Required, BOTH, ""),
    ("conan", Optional, NONE, ""),
    ("conda", Prohibited, NONE, ""),
    ("cpan", Optional, NONE, ""),
    ("cran", Prohibited, NONE, ""),
    ("deb", Required, BOTH, ""),
    ("docker", Optional, NONE, ""),
    ("gem", Prohibited, NONE, ""),
    ("generic", Optional, NONE, ""),
    ("git", Required, NONE, ""),
    ("github", Required, BOTH, ""),
    ("golang", Required, NONE, ""),
    ("hackage", Prohibited, NONE, ""),
    ("hex", Optional, BOTH, ""),
    ("huggingface", Required, VERSION, ""),
    ("julia", Prohibited, NONE, "uuid"),
    ("luarocks", Optional, BOTH, ""),
    ("maven", Required, NONE, ""),
    ("mlflow", Prohibited, NONE, ""),
    ("npm", Optional, NONE, ""),
    ("nuget", Prohibited, NONE, ""),
    ("oci", Prohibited, NAME | VERSION, ""),
    ("opam", Prohibited, NONE, ""),
    ("otp", Prohibited, NAME | SUBPATH, ""),
    ("pub", Prohibited, NAME, ""),
    ("pypi", Prohibited, NAME | VERSION, ""),
    ("qpkg", Required, NAMESPACE, ""),
    ("rpm", Required, NAMESPACE, ""),
    ("swid", Optional, NONE, "tag_id"),
    ("swift", Required, NONE, ""),
    ("vcpkg", Prohibited, NONE, ""),
    ("vscode-extension", Required, BOTH | VERSION, ""),
    ("yocto", Optional, NAMESPACE, ""),
];

/// Returns the rules of a type. The case of its letters doesn't matter. A type without a definition has no rules.
pub(super) fn rules(package_type: &str) -> Rules {
    let found = TYPES.iter().find(|row| row.0.eq_ignore_ascii_case(package_type));
    let &(package_type, namespace, lower, required) = found.unwrap_or(&("", Optional, NONE, ""));
    Rules { package_type, namespace, lower, required }
}

impl Rules {
    /// Returns true if the namespace is only one segment, and all other segments are part of the name.
    pub(super) fn has_deep_name(self) -> bool {
        self.package_type == "git"
    }

    /// Checks the parts of `purl`. If the type ignores the case of a part, writes this part in lower case.
    pub(super) fn apply(self, purl: &mut Purl) -> Result<(), PurlErrorKind> {
        match self.namespace {
            Required if purl.namespace.is_empty() => return Err(PurlErrorKind::NamespaceMissing),
            Prohibited if !purl.namespace.is_empty() => return Err(PurlErrorKind::NamespaceProhibited),
            _ => {}
        }
        if !self.required.is_empty() && purl.qualifier(self.required).is_none() {
            return Err(PurlErrorKind::QualifierMissing);
        }
        // For `mlflow`, the registry of Databricks ignores the case of names. The registry of Azure doesn't.
        let is_databricks = self.package_type == "mlflow"
            && purl.qualifier("repository_url").is_some_and(|url| url.contains("azuredatabricks.net"));
        let name = if is_databricks { NAME } else { NONE };
        for (part, text) in [
            (NAMESPACE, &mut purl.namespace),
            (NAME, &mut purl.name),
            (VERSION, &mut purl.version),
            (SUBPATH, &mut purl.subpath),
        ] {
            if (self.lower | name) & part != 0 {
                lower(text);
            }
        }
        match self.package_type {
            "chrome-extension" => {
                let is_id = purl.name.len() == 32 && purl.name.bytes().all(|byte| matches!(byte, b'a'..=b'p'));
                let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                let is_version = |text: &str| text.split('.').count() <= 4 && text.split('.').all(is_number);
                if !is_id {
                    return Err(PurlErrorKind::Name);
                }
                if purl.version().is_some_and(|version| !is_version(version)) {
                    return Err(PurlErrorKind::Version);
                }
            }
            // The name must be the name of a distribution, for example `URI-PackageURL`. `URI::PackageURL` is the name
            // of a module.
            "cpan" if purl.name.contains("::") => return Err(PurlErrorKind::Name),
            "pub" => replace(&mut purl.name, |c| !matches!(c, 'a'..='z' | '0'..='9' | '_'), '_'),
            "pypi" => replace(&mut purl.name, |c| c == '_', '-'),
            _ => {}
        }
        Ok(())
    }
}

/// Converts letters to lower case, with the full case mapping of Unicode.
fn lower(text: &mut String) {
    if text.is_ascii() {
        text.make_ascii_lowercase();
        return;
    }
    *text = collect(text.chars().flat_map(char::to_lowercase));
}

/// Replaces each character for which `is_replaced` returns true.
fn replace(text: &mut String, is_replaced: impl Fn(char) -> bool, by: char) {
    *text = collect(text.chars().map(|c| if is_replaced(c) { by } else { c }));
}

fn collect(chars: impl Iterator<Item = char>) -> String {
    let mut text = String::new();
    chars.for_each(|c| memory::push_str(&mut text, c.encode_utf8(&mut [0; 4])));
    text
}
