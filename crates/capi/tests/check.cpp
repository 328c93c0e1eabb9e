// Tests percent_simd.hpp as C++17 and as C++20, with and without exceptions and RTTI.

#include <percent_simd.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);  \
            std::exit(1);                                                         \
        }                                                                         \
    } while (0)

using namespace percent_simd;

int main() {
    const encoder segment("rfc3986-segment");
    CHECK(segment.ok() && segment("a/b c") == "a%2Fb%20c" && segment("").empty());
    CHECK(!segment.needs_encoding("abc") && segment.needs_encoding("a b"));
    std::string joined = "/x/";
    segment.append_to(joined, "100%");
    CHECK(joined == "/x/100%25");
    joined = "one hundred per cent";
    joined.shrink_to_fit(); // without spare room, so growing the string moves it
    segment.append_to(joined, std::string_view(joined).substr(4));
    CHECK(joined == "one hundred per centhundred%20per%20cent");
    CHECK(!encoder("no such set").ok() && encoder("no such set")("a b").empty());
    CHECK(encoder("no such set").needs_encoding("abc") && !encoder(byte_set("a"), 1u << 31).ok());
    CHECK(encoder(byte_set("ab") | byte_set::range('0', '9'))("a1c") == "a1%63");
    std::vector<char> copied;
    segment.copy_to(std::back_inserter(copied), "a b");
    CHECK(std::string(copied.begin(), copied.end()) == "a%20b");

    const decoder lenient;
    CHECK(*lenient("caf%C3%A9 100%") == "caf\xc3\xa9 100%");
    CHECK(lenient("100%").offset() == 3);
    const decoder strict(PCT_DECODE_STRICT, byte_set("/"), byte_set::range(0, 31));
    CHECK(strict.ok() && *strict("a%2Fb%20") == "a%2Fb ");
    const auto failed = strict("ab%zz");
    CHECK(!failed && failed.status() == PCT_NOT_HEX && failed.offset() == 2);
    CHECK((*failed).empty() && failed.value_or("none") == "none" && strict("%41").value_or("none") == "A");
    const decoder bad(PCT_DECODE_PLUS | PCT_DECODE_PLUS_AFTER_QUERY);
    CHECK(!bad.ok() && bad("a").status() == PCT_INVALID_ARGUMENT && bad.needs_decoding("a"));
#if defined(__cpp_exceptions)
    const auto message = [](const auto &result) -> std::string {
        try {
            (void)result.value();
        } catch (const std::invalid_argument &error) {
            return error.what();
        }
        return "";
    };
    CHECK(message(failed) == "percent_simd: failed with pct_status 4, at byte 2");
    CHECK(message(bad("a")) == "percent_simd: failed with pct_status 10");
    CHECK(message(strict("%41")).empty() && strict("%41").value() == "A");
#endif
    CHECK(strict("%00").status() == PCT_REJECTED);
    std::string text = "%41%42";
    CHECK(lenient.in_place(text) && text == "AB");

    std::string decoded;
    CHECK(lenient.copy_to(std::back_inserter(decoded), "a%20b%").second == PCT_OK && decoded == "a b%");
    CHECK(strict.copy_to(std::back_inserter(decoded), "c%20%zz").second == PCT_NOT_HEX && decoded == "a b%c ");

    const auto shift_jis = charset::for_label("sjis");
    CHECK(shift_jis && !charset::for_name("no such charset") && charset::for_name("ISO-8859-1"));
    CHECK(*lenient.in_charset(*shift_jis, "%95\\%8E%A6") == "\xe8\xa1\xa8\xe7\xa4\xba");
    CHECK(lenient.in_charset(*shift_jis, "a%FF").status() == PCT_NOT_TEXT);
    CHECK(*lenient.in_charset(*shift_jis, "%FF%FF", PCT_CHARSET_LOSSY) == "\xef\xbf\xbd\xef\xbf\xbd");
    CHECK(*segment.in_charset(*shift_jis, "\xe8\xa1\xa8/") == "%95%5C%2F");
    CHECK(segment.in_charset(*shift_jis, "a\xe2\x82\xac").offset() == 1);
    CHECK(*segment.in_charset(*shift_jis, "\xe2\x82\xac", PCT_CHARSET_HTML) == "&%238364;");

    const request_target origin("//private/a?q");
    CHECK(origin.status() == PCT_OK && origin.form() == PCT_TARGET_ORIGIN && !origin.authority() && !origin.scheme());
    CHECK(origin.path() == "//private/a" && origin.path_or_root() == "//private/a" && origin.query() == "q");
    const request_target absolute("http://h?x=1");
    CHECK(absolute.scheme() == "http" && absolute.authority() == "h" && absolute.path().empty());
    CHECK(absolute.path_or_root() == "/" && absolute.query() == "x=1" && absolute.offset() == PCT_NONE);
    CHECK(request_target("/admin#").status() == PCT_BAD_TARGET && request_target("/admin#").offset() == 6);
    CHECK(request_target({}).status() == PCT_BAD_TARGET && request_target({}).path().empty());
    CHECK(request_target("*").path_or_root().empty() && request_target("*").get().form == PCT_TARGET_ASTERISK);

    std::string out;
    auto sink = [&out](std::string_view piece) { out += piece; };
    stream pieces(lenient);
    CHECK(pieces.push("a%4", sink) == PCT_OK && pieces.push("1%", sink) == PCT_OK && pieces.finish(sink) == PCT_OK);
    CHECK(out == "aA%" && pieces.offset() == 4);
#if defined(__cpp_exceptions)
    // The output is lost, so the stream must not end as if it were complete.
    stream torn(lenient);
    const auto full = [](std::string_view) { throw std::length_error("full"); };
    try {
        torn.push("%41%42", full);
        CHECK(false);
    } catch (const std::length_error &) {
    }
    CHECK(torn.push("c", sink) == PCT_INVALID_ARGUMENT && torn.finish(sink) == PCT_INVALID_ARGUMENT && out == "aA%");
#endif

    std::vector<std::pair<std::string, std::string>> found;
    form refused("a=1", 1u << 31);
    CHECK(refused.begin() == refused.end() && refused.status() == PCT_INVALID_ARGUMENT && refused.offset() == PCT_NONE);
    form pairs("a=1&b=%26+x&c");
    for (const auto &pair : pairs) {
        found.emplace_back(pair.decoded_name(), pair.decoded_value());
    }
    CHECK(pairs.status() == PCT_END && found.size() == 3 && found[1].second == "& x" && found[2].first == "c");

    CHECK(*normalize_path("//a/%2e/b", PCT_PATH_MERGE_SLASHES) == "/a/b" && normalize_path("a").status() == PCT_BAD_PATH);
    CHECK(*normalize_escapes("%7e%2f") == "~%2F" && normalize_escapes("a%").offset() == 1);
    CHECK(*canonical_query("b=1&a=2&utm_x", PCT_QUERY_SIGV4, "utm_*") == "a=2&b=1");
    CHECK(*canonical_query("b&a", PCT_QUERY_CACHE_KEY) == "a&b" && !canonical_query("a", 0));
    CHECK(*redact("x://u:p@h") == "x://u:***@h" && redact("")->empty());
    CHECK(*file_from_path("C:\\a b", PCT_FILE_WINDOWS) == "file:///C:/a%20b" && !file_from_path("a", PCT_FILE_POSIX));
    CHECK(*file_to_path("file:///a%20b", PCT_FILE_POSIX) == "/a b");
    CHECK(file_to_path("file:///%2F", PCT_FILE_POSIX).status() == PCT_BAD_PATH);
    const auto mended = repair("http://h/a b/100%");
    CHECK(mended && mended->text == "http://h/a%20b/100%25" && mended->changes.size() == 2);
    CHECK(mended->changes[1].offset == 16 && mended->changes[1].kind == PCT_REPAIR_PERCENT);
    CHECK(repair("/a")->changes.empty() && repair("/a b", PCT_REPAIR_SPACE)->text == "/a b");
    CHECK(repair("/ a a a a a a a a a a")->changes.size() == 10 && repair("\xff").status() == PCT_NOT_TEXT);
    CHECK(*read_disposition("inline; filename*=''%e2%82%ac")->filename == "\xe2\x82\xac");
    CHECK(read_disposition("form-data")->kind == PCT_DISPOSITION_FORM_DATA && !read_disposition("inline")->filename);
    CHECK(*write_disposition("a.txt") == "attachment; filename=\"a.txt\"" && !write_disposition("\xff"));
    baggage members("a=%41,b=a c,c=1");
    const auto first = members.next();
    CHECK(first && first->key == "a" && first->decoded_value() == "A" && !members.next());
    CHECK(members.status() == PCT_BAD_FIELD && members.offset() == 9 && members.next()->value == "1" && !members.next());
    CHECK(members.status() == PCT_END && members.offset() == PCT_NONE);

#if __cplusplus >= 202002L
    form counted("a=1&bb=2&c=2");
    CHECK(std::ranges::count(counted, std::string_view("2"), &form::pair::value) == 2 && counted.status() == PCT_END);
    form searched("a=1&bb=2&c=3");
    const auto found_pair = std::ranges::find(searched, std::string_view("bb"), &form::pair::name);
    CHECK(found_pair != searched.end() && found_pair->decoded_value() == "2");
#if !defined(__clang__) || __clang_major__ >= 16 // older versions cannot compile the views of libstdc++
    form more("a=1&bb=2&c=3");
    auto longer = more | std::views::filter([](const form::pair &pair) { return pair.name.size() > 1; });
    CHECK((*longer.begin()).value == "2");
#endif
    char buffer[] = {'%', '4', '1', 'b'};
    const auto span = lenient.in_place(std::span<char>(buffer));
    CHECK(span && span.result().written == 2 && buffer[0] == 'A');
    const auto written = lenient.decode_to(std::span<char>(buffer), "%2B%2b+");
    CHECK(written && written->size() == 3 && std::ranges::equal(*written, std::string_view("+++")));
    const auto small = segment.encode_to(std::span<char>(buffer), "a/b");
    CHECK(!small && small.status() == PCT_OUTPUT_TOO_SMALL && small.result().needed == 5);
    CHECK(segment.encode_to(std::span<char>(buffer), "a b").status() == PCT_OUTPUT_TOO_SMALL);
    CHECK(std::ranges::equal(*segment.encode_to(std::span<char>(buffer), "/c"), std::string_view("%2Fc")));
#endif
    std::puts("passed");
}
