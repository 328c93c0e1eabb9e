// Shows an operation as code. Each snippet is a complete program, so that a test can run it.
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;

const ALL_UNRESERVED = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"];
const hexOf = (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

const quote = {
  // In all of these languages, JSON's escapes are valid, except those of a few control characters.
  json: (text) => JSON.stringify(text),
  php: (text) => `'${text.replace(/[\\']/g, "\\$&")}'`,
  sql: (text) => `'${text.replaceAll("'", "''")}'`,
  /** For ClickHouse and Spark, in whose SQL a backslash starts an escape. */
  escapedSql: (text) => `'${text.replace(/[\\']/g, "\\$&")}'`,
  shell: (text) => `'${text.replaceAll("'", "'\\''")}'`,
  rust: (text) => `"${text.replace(/["\\]/g, "\\$&")}"`,
};

/** The names of sets that the Rust library has in `presets`. All other sets are in `sets`. A snippet with the wrong module doesn't compile. */
const PRESETS = /^(WHATWG_FORM|RFC6570_U_R|ECMA_ENCODE_|PY_|JAVA_|GO_|PHP_|CURL_|RUBY_|PERL_|DOTNET_|ALAMOFIRE_|PURL|W3C_|AWS_|OAUTH1|TEXT_FRAGMENT|WINDOWS_|OTPAUTH_|GIT_|POSTGRES_|JSON_|SPIFFE|OCI_|DATA_URL)/;

/** The languages and tools with a snippet that encodes. For some operations, a few of them have no snippet. */
export const ENCODERS = ["pct", "Rust", "Python", "JavaScript", "Go", "PHP", "Java", "C (libcurl)", "curl", "ClickHouse", "DuckDB", "Spark SQL"];

/**
 * Returns the snippets for an operation.
 * @param {{ encodes: boolean, set: string, members: string, plus: boolean, lower: boolean, sample: string, encoded: string }} operation
 */
export function snippets({ encodes, set, members, plus, sample, encoded }) {
  const clean = (text) => text.replace(/[\u0000-\u001f\u007f]|[\ud800-\udfff](?![\udc00-\udfff])/gu, "") || (encodes ? "a b/é?" : "a%20b%2F%C3%A9%3F");
  const text = clean(encodes ? sample : encoded);
  // The set keeps these characters besides the unreserved ones. If a function would encode them, its snippet passes them as an argument, or
  // turns their escapes back into the characters.
  const extra = [...members].filter((character) => !UNRESERVED.test(character) && character !== "%");
  const missing = ALL_UNRESERVED.filter((character) => !members.includes(character));
  return encodes ? encoders(text, set, members, extra, missing, plus) : decoders(text, plus);
}

function encoders(text, set, members, extra, missing, plus) {
  const space = plus ? [["%20", "+"]] : [];
  const done = missing.map((character) => [character, hexOf(character)]);
  const undone = [...done, ...extra.map((character) => [hexOf(character), character]), ...space];
  const list = extra.join("");
  const chain = (call, quoted) => undone.map(([from, to]) => `.${call}(${quoted(from)}, ${quoted(to)})`).join("");
  const isNamed = set !== "OWN" && set !== "ALL";
  const isPreset = PRESETS.test(set);
  const rustSet = isPreset ? `presets::${set}.allowed()` : isNamed ? `sets::${set}` : set === "ALL" ? "ByteSet::EMPTY" : `ByteSet::of(b${quote.rust(members)})`;
  const sql = (call, quoted) => undone.reduce((inner, [from, to]) => `replace(${inner}, ${quoted(from)}, ${quoted(to)})`, call);
  const named = isNamed ? ` --set ${set.toLowerCase().replaceAll("_", "-")}` : list ? ` --allow ${quote.shell(list)}` : "";
  // The functions of these languages always keep letters and digits.
  const isPlain = missing.every((character) => !/[A-Za-z0-9]/.test(character));
  const every = [
    ...(set === "ALL" || (set === "OWN" && missing.length > 0) ? [] : [{ name: "pct", code: `printf %s ${quote.shell(text)} | pct encode${named}${plus ? " --plus" : ""}` }]),
    { name: "Rust", code: `use percent_simd::{${isNamed ? "" : "ByteSet, "}Encoder${isPreset ? ", presets" : isNamed ? ", sets" : ""}};\n\nfn main() {\n    let encoder = Encoder::new(${rustSet})${plus ? ".space_to_plus()" : ""};\n    println!("{}", encoder.encode(${quote.rust(text)}));\n}` },
    { name: "Python", code: `from urllib.parse import quote${plus ? "_plus" : ""}\n\nprint(quote${plus ? "_plus" : ""}(${quote.json(text)}, safe=${quote.json(list)})${done.map(([from, to]) => `.replace(${quote.json(from)}, ${quote.json(to)})`).join("")})` },
    { name: "JavaScript", code: `const encoded = encodeURIComponent(${quote.json(text)})\n  .replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase())${undone.map(([from, to]) => `\n  .replaceAll(${quote.json(from)}, ${quote.json(to)})`).join("")};\nconsole.log(encoded);` },
    { name: "Go", code: `package main\n\nimport (\n\t"fmt"\n\t"net/url"\n\t"strings"\n)\n\nfunc main() {\n\ts := url.QueryEscape(${quote.json(text)})\n\ts = strings.NewReplacer("+", "%20").Replace(s)\n\tfmt.Println(strings.NewReplacer(${undone.flat().map(quote.json).join(", ")}).Replace(s))\n}` },
    { name: "PHP", code: `<?php\necho strtr(rawurlencode(${quote.php(text)}), [${undone.map(([from, to]) => `${quote.php(from)} => ${quote.php(to)}`).join(", ")}]), "\\n";` },
    { name: "Java", code: `import java.net.URLEncoder;\nimport java.nio.charset.StandardCharsets;\n\nclass Encode {\n    public static void main(String[] args) {\n        String s = URLEncoder.encode(${quote.json(text)}, StandardCharsets.UTF_8)\n            .replace("+", "%20").replace("*", "%2A").replace("%7E", "~")${chain("replace", quote.json)};\n        System.out.println(s);\n    }\n}` },
    { name: "C (libcurl)", code: `#include <curl/curl.h>\n#include <stdio.h>\n\nint main(void) {\n    CURL *curl = curl_easy_init();\n    char *encoded = curl_easy_escape(curl, ${quote.json(text)}, 0);\n    puts(encoded);\n    curl_free(encoded);\n    curl_easy_cleanup(curl);\n}` },
    { name: "curl", code: `curl --get --data-urlencode ${quote.shell(`q=${text}`)} https://example.com/` },
    { name: "ClickHouse", code: `SELECT ${sql(`encodeURLComponent(${quote.escapedSql(text)})`, quote.escapedSql)};` },
    { name: "DuckDB", code: `SELECT ${sql(`url_encode(${quote.sql(text)})`, quote.sql)};` },
    { name: "Spark SQL", code: `SELECT ${sql(`replace(replace(replace(url_encode(${quote.escapedSql(text)}), '+', '%20'), '*', '%2A'), '%7E', '~')`, quote.escapedSql)};` },
  ];
  // curl and libcurl have one fixed set. The command curl writes a space as a plus. libcurl writes it as a triplet.
  const isUnreserved = done.length === 0 && extra.length === 0;
  const fits = (name) => {
    if (name === "Rust") return true;
    if (name === "curl") return isUnreserved && plus;
    if (name === "C (libcurl)") return isUnreserved && !plus;
    return isPlain;
  };
  return every.filter(({ name }) => fits(name));
}

function decoders(text, plus) {
  const spaced = plus ? `.replaceAll("+", " ")` : "";
  return [
    { name: "pct", code: `printf %s ${quote.shell(text)} | pct decode${plus ? " --plus" : ""}` },
    { name: "Rust", code: `use percent_simd::${plus ? "{Decoder, Plus}" : "Decoder"};\n\nfn main() {\n    let decoder = Decoder::new()${plus ? ".plus(Plus::Always)" : ""};\n    println!("{}", decoder.decode_utf8_lossy(${quote.rust(text)}));\n}` },
    { name: "Python", code: `from urllib.parse import unquote${plus ? "_plus" : ""}\n\nprint(unquote${plus ? "_plus" : ""}(${quote.json(text)}))` },
    { name: "JavaScript", code: `console.log(decodeURIComponent(${quote.json(text)}${spaced})); // throws if a % is malformed` },
    { name: "Go", code: `package main\n\nimport (\n\t"fmt"\n\t"net/url"\n)\n\nfunc main() {\n\ts, err := url.${plus ? "Query" : "Path"}Unescape(${quote.json(text)})\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tfmt.Println(s)\n}` },
    { name: "PHP", code: `<?php\necho ${plus ? "urldecode" : "rawurldecode"}(${quote.php(text)}), "\\n";` },
    { name: "Java", code: `import java.net.URLDecoder;\nimport java.nio.charset.StandardCharsets;\n\nclass Decode {\n    public static void main(String[] args) {\n        System.out.println(URLDecoder.decode(${quote.json(text)}${plus ? "" : `.replace("+", "%2B")`}, StandardCharsets.UTF_8));\n    }\n}` },
    { name: "C (libcurl)", code: `#include <curl/curl.h>\n#include <stdio.h>\n\nint main(void) {\n    int length;\n    CURL *curl = curl_easy_init();\n    char *decoded = curl_easy_unescape(curl, ${quote.json(text)}, 0, &length);\n    printf("%.*s\\n", length, decoded);\n    curl_free(decoded);\n    curl_easy_cleanup(curl);\n}` },
    { name: "ClickHouse", code: `SELECT ${plus ? "decodeURLFormComponent" : "decodeURLComponent"}(${quote.escapedSql(text)});` },
    { name: "DuckDB", code: `SELECT url_decode(${plus ? `replace(${quote.sql(text)}, '+', ' ')` : quote.sql(text)});` },
    { name: "Spark SQL", code: `SELECT try_url_decode(${plus ? quote.escapedSql(text) : `replace(${quote.escapedSql(text)}, '+', '%2B')`});` },
  ];
}
