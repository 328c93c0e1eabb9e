//! Tests package URLs.
//!
//! `purl_spec.tsv` has all cases of the specification. This file has one case for each rule.

use percent_standards::uri::Uri;
use percent_standards::uri::purl::{Purl, PurlErrorKind};

use crate::inputs::{Hostile, check};

#[test]
fn package_urls_have_a_canonical_form() {
    for (text, canonical) in [
        ("pkg:npm/foobar@12.3.1", "pkg:npm/foobar@12.3.1"),
        // The letters of the scheme, the type and the keys may be in any case. Slashes may follow the scheme.
        ("PKG://Maven/org.apache.commons/io", "pkg:maven/org.apache.commons/io"),
        ("pkg:gem/jruby-launcher@1.1.2?Platform=java", "pkg:gem/jruby-launcher@1.1.2?platform=java"),
        // Everything except `.-_~:` is encoded (purl-spec 574, 588; packageurl-python 152).
        ("pkg:oci/hello-wasm@sha256%3A244fd47e07d10?tag=v1", "pkg:oci/hello-wasm@sha256:244fd47e07d10?tag=v1"),
        ("pkg:cocoapods/GoogleUtilities@7.5.2#NSData+zlib", "pkg:cocoapods/GoogleUtilities@7.5.2#NSData%2Bzlib"),
        ("pkg:generic/Foo:%20<Bar>", "pkg:generic/Foo:%20%3CBar%3E"),
        ("pkg:generic/é@~1", "pkg:generic/%C3%A9@~1"),
        // `@` in the namespace, in the name, and in the version.
        ("pkg:npm/@babel/core", "pkg:npm/%40babel/core"),
        ("pkg:npm/@babel/core@7", "pkg:npm/%40babel/core@7"),
        ("pkg:brew/node@20@20.10.0", "pkg:brew/node%4020@20.10.0"),
        ("pkg:generic/a@feature/x", "pkg:generic/a@feature%2Fx"),
        // Qualifiers are sorted by key. If a qualifier has no value, it is left out.
        ("pkg:generic/a?z=1&b.c=2&b=3&e=&&f", "pkg:generic/a?b=3&b.c=2&z=1"),
        ("pkg:npm/a?vcs_url=git://h/p%40v", "pkg:npm/a?vcs_url=git:%2F%2Fh%2Fp%40v"),
        ("pkg:generic/o?checksum=sha1:ad,sha256:41", "pkg:generic/o?checksum=sha1:ad%2Csha256:41"),
        // Segments of the namespace and the subpath.
        ("pkg:golang//a//b/c/#/d/./../e/", "pkg:golang/a/b/c#d/e"),
        ("pkg:golang/a/c#%2E%2E/e", "pkg:golang/a/c#e"),
        // Rules of types.
        ("pkg:github/Package-url/purl-Spec@2A", "pkg:github/package-url/purl-spec@2A"),
        ("pkg:composer/Laravel/Laravel@5.5", "pkg:composer/laravel/laravel@5.5"),
        ("pkg:PYPI/Django_package@1.11.dev1", "pkg:pypi/django-package@1.11.dev1"),
        ("pkg:huggingface/EleutherAI/gpt-neo@79AE", "pkg:huggingface/EleutherAI/gpt-neo@79ae"),
        ("pkg:nuget/EnterpriseLibrary.Common@6", "pkg:nuget/EnterpriseLibrary.Common@6"),
        ("pkg:pub/Flutter-X", "pkg:pub/flutter_x"),
        ("pkg:git/codeberg.org/Forgejo/forgejo@a7", "pkg:git/codeberg.org/Forgejo/forgejo@a7"),
        (
            "pkg:mlflow/CreditFraud@3?repository_url=https://adb-5.0.azuredatabricks.net/api",
            "pkg:mlflow/creditfraud@3?repository_url=https:%2F%2Fadb-5.0.azuredatabricks.net%2Fapi",
        ),
        (
            "pkg:mlflow/CreditFraud@3?repository_url=https://x.azureml.ms/",
            "pkg:mlflow/CreditFraud@3?repository_url=https:%2F%2Fx.azureml.ms%2F",
        ),
    ] {
        let purl = Purl::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(purl.to_string(), canonical, "{text}");
        assert_eq!(canonical.parse(), Ok(purl), "{text}");
        assert!(Uri::parse(canonical).is_ok());
    }
}

/// Returns the type, namespace, name, version, qualifiers and subpath, in the form that `purl_spec.tsv` has.
fn parts(purl: &Purl) -> [String; 6] {
    let qualifiers: Vec<_> = purl.qualifiers().map(|(key, value)| format!("{key}={value}")).collect();
    let text = |part: Option<&str>| part.unwrap_or_default().to_string();
    [
        purl.package_type().into(),
        text(purl.namespace()),
        purl.name().into(),
        text(purl.version()),
        qualifiers.join("|"),
        text(purl.subpath()),
    ]
}

/// These cases contradict another case or a rule of the specification. So no parser can pass all cases.
const CONTRADICTIONS: [&str; 3] = [
    // This case and the last one reject keys with upper-case letters. But the text "How to parse" of the specification
    // requires that these keys become lower case, and other cases expect this.
    "parse\tpkg:gem/jruby-launcher@1.1.2?Platform=java\t!",
    // For the type git, upper and lower case in a name differ. This row makes the name lower case, which the
    // specification only recommends.
    "validate\tpkg:git/github/Package-url/purl-Spec@244fd47e07d1004f0aed9c\t\
     pkg:git/github/package-url/purl-spec@244fd47e07d1004f0aed9c",
    "parse\tpkg:Rpm/fedora/curl@7.50.3-1.fc25?Arch=i386&Distro=fedora-25\t!",
];

#[test]
fn the_cases_of_the_specification_hold() {
    let lines = include_str!("purl_spec.tsv").lines().filter(|line| !line.starts_with('#'));
    let fails = |line: &&str| {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            ["parse", text, "!"] => Purl::parse(text).is_ok(),
            ["parse", text, ref expected @ ..] => !Purl::parse(text).is_ok_and(|purl| parts(&purl)[..] == *expected),
            ["validate", text, canonical] => Purl::parse(text).map(|purl| purl.to_string()) != Ok(canonical.into()),
            ["build", package_type, namespace, name, version, qualifiers, subpath, expected] => {
                let builder = Purl::builder(package_type, name).namespace(namespace).version(version).subpath(subpath);
                let pairs = qualifiers.split('|').filter_map(|pair| pair.split_once('='));
                let built = pairs.fold(builder, |builder, (key, value)| builder.qualifier(key, value)).build();
                built.map_or("!".into(), |purl| purl.to_string()) != *expected
            }
            _ => panic!("{line}"),
        }
    };
    let failed: Vec<&str> = lines.filter(fails).collect();
    assert_eq!(failed, CONTRADICTIONS);
}

#[test]
fn the_parts_of_a_package_url_are_decoded() {
    let purl = Purl::parse("pkg:rpm/Fedora/curl%2B@7.50?arch=i386&distro=fedora%2025#a%20b/c").unwrap();
    assert_eq!((purl.package_type(), purl.namespace(), purl.name()), ("rpm", Some("fedora"), "curl+"));
    assert_eq!((purl.version(), purl.subpath()), (Some("7.50"), Some("a b/c")));
    assert!(purl.qualifiers().eq([("arch", "i386"), ("distro", "fedora 25")]));
    assert_eq!((purl.qualifier("arch"), purl.qualifier("os")), (Some("i386"), None));
    // A name may contain `/`. A segment can't contain one.
    assert_eq!(Purl::parse("pkg:generic/a%2Fb").unwrap().name(), "a/b");
    let deep = Purl::parse("pkg:git/codeberg.org/forgejo/forgejo").unwrap();
    assert_eq!((deep.namespace(), deep.name()), (Some("codeberg.org"), "forgejo/forgejo"));

    let built =
        Purl::builder("npm", "core").namespace("@babel").version("7").qualifier("Arch", "x y").qualifier("b", "");
    assert_eq!(built.subpath("/./a/../b").build().unwrap().to_string(), "pkg:npm/%40babel/core@7?arch=x%20y#a/b");
    assert_eq!(Purl::builder("git", "d").namespace("a/b//c").build().unwrap().to_string(), "pkg:git/a/b/c/d");
}

#[test]
fn faults_of_package_urls_have_a_kind_and_an_offset() {
    for (text, offset, kind) in [
        ("EnterpriseLibrary.Common@6.0.1304", 0, PurlErrorKind::Scheme),
        ("pkg%3Amaven/org.apache.commons/io", 0, PurlErrorKind::Scheme),
        ("http://pkg:a/b", 0, PurlErrorKind::Scheme),
        ("pkg:EnterpriseLibrary.Common@6.0.1304", 4, PurlErrorKind::Type),
        ("pkg:3nginx/nginx@0.8.9", 4, PurlErrorKind::Type),
        ("pkg:nginx:a/nginx@0.8.9", 4, PurlErrorKind::Type),
        ("pkg:n&g?inx/nginx@0.8.9", 4, PurlErrorKind::Type),
        ("pkg://n%20/a", 6, PurlErrorKind::Type),
        ("pkg:maven/@1.3.4", 10, PurlErrorKind::Name),
        ("pkg:swift/github.com/Alamofire/@5.4.3", 31, PurlErrorKind::Name),
        ("pkg:npm/%2F", 8, PurlErrorKind::Name),
        ("pkg:cpan/GDT/URI::PackageURL", 13, PurlErrorKind::Name),
        ("pkg:chrome-extension/dogs", 21, PurlErrorKind::Name),
        ("pkg:chrome-extension/dlpngalgnefjeiefhmpklpfiohadpglk@1.2.3-beta", 54, PurlErrorKind::Version),
        ("pkg:chrome-extension/dlpngalgnefjeiefhmpklpfiohadpglk@1.2.3.4.5", 54, PurlErrorKind::Version),
        ("pkg:swift/Alamofire@5.4.3", 10, PurlErrorKind::NamespaceMissing),
        ("pkg:vcpkg/boost/asio@1.84.0", 10, PurlErrorKind::NamespaceProhibited),
        ("pkg:julia/Dates", 15, PurlErrorKind::QualifierMissing),
        ("pkg:npm/a@1?in%20production=true", 12, PurlErrorKind::Key),
        ("pkg:npm/a@1?b=2&1c=3", 16, PurlErrorKind::Key),
        ("pkg:npm/a?b=1&B=2", 10, PurlErrorKind::DuplicateKey),
        ("pkg:npm/b%2Fc/a", 8, PurlErrorKind::Slash),
        ("pkg:npm/a#b/c%2f..", 12, PurlErrorKind::Slash),
        ("pkg:npm/100%", 11, PurlErrorKind::Escape),
        ("pkg:npm/a@%FF", 10, PurlErrorKind::Escape),
        ("pkg:npm/a?b=%zz", 12, PurlErrorKind::Escape),
    ] {
        let error = Purl::parse(text).unwrap_err();
        assert_eq!((error.offset, error.kind), (offset, kind), "{text}");
        assert!(!error.to_string().is_empty());
    }
    for (builder, kind) in [
        (Purl::builder("", "a"), PurlErrorKind::Type),
        (Purl::builder("npm", ""), PurlErrorKind::Name),
        (Purl::builder("npm", "a").qualifier("in production", "true"), PurlErrorKind::Key),
        (Purl::builder("otp", "hex").namespace("n"), PurlErrorKind::NamespaceProhibited),
        (Purl::builder("vscode-extension", "java"), PurlErrorKind::NamespaceMissing),
    ] {
        assert_eq!(builder.build().unwrap_err().kind, kind);
    }
}

#[test]
fn package_urls_round_trip() {
    check(30_000, |Hostile(text): Hostile| {
        for front in ["pkg:", "pkg:npm/a", "pkg:GIT/A/b", "pkg:pub/", "pkg:x/y@"] {
            let Ok(purl) = Purl::parse(&format!("{front}{text}")) else { continue };
            let canonical = purl.to_string();
            // No part of the result contains a new delimiter.
            assert!(canonical.is_ascii() && Uri::parse(&canonical).is_ok(), "{canonical:?}");
            assert_eq!(canonical.parse(), Ok(purl), "{text:?} {canonical:?}");
        }
        let parts: Vec<&str> = text.split('#').collect();
        let [name, namespace, version, subpath] = [0, 1, 2, 3].map(|at| parts.get(at).copied().unwrap_or_default());
        for package_type in ["generic", "git", "pypi", "brew"] {
            let builder = Purl::builder(package_type, name).namespace(namespace).version(version);
            if let Ok(purl) = builder.qualifier("k", version).subpath(subpath).build() {
                assert_eq!(purl.to_string().parse(), Ok(purl), "{text:?} {package_type}");
            }
        }
    });
}
