/* Tests the header and the library as C and C++ programs use them. gcc and clang compile this file as C99 and as C++. It
 * runs with sanitizers and under valgrind. It compares every engine with a plain loop, for every length up to 200: with
 * input and output between inaccessible pages, and in place. The Rust suites test the rest. */

#define _DEFAULT_SOURCE
#include <percent_simd.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST 200

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);           \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

/* Returns a page between two inaccessible pages. */
static char *guarded(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *base = (char *)mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
    CHECK(base != (char *)MAP_FAILED);
    CHECK(mprotect(base + page, page, PROT_READ | PROT_WRITE) == 0);
    return base + page;
}

/* If `end` is 1, returns the start of the last `len` bytes of the page. If `end` is 0, returns the start of the page. */
static char *at(char *page, size_t len, int end)
{
    return end ? page + (size_t)sysconf(_SC_PAGESIZE) - len : page;
}

static char *at_end(char *page, size_t len)
{
    return at(page, len, 1);
}

static unsigned long long seed = 42;

static unsigned below(unsigned n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(seed >> 33) % n;
}

static void fill(char *out, size_t len)
{
    static const char pieces[] = "%%%%%%0123456789abcdefABCDEFgG%/?+ az~\0\xff";
    size_t i;
    for (i = 0; i < len; i++) {
        out[i] = pieces[below(sizeof pieces - 1)];
    }
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static size_t plain_decode(const char *in, size_t len, char *out)
{
    size_t i = 0, n = 0;
    while (i < len) {
        if (in[i] == '%' && i + 2 < len && digit(in[i + 1]) >= 0 && digit(in[i + 2]) >= 0) {
            out[n++] = (char)(digit(in[i + 1]) << 4 | digit(in[i + 2]));
            i += 3;
        } else {
            out[n++] = in[i++];
        }
    }
    return n;
}

static size_t plain_encode(pct_set set, const char *in, size_t len, char *out)
{
    size_t i, n = 0;
    for (i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)in[i];
        if (set.words[byte / 64] >> (byte % 64) & 1) {
            out[n++] = in[i];
        } else {
            n += (size_t)sprintf(out + n, "%%%02X", (unsigned)byte);
        }
    }
    return n;
}

static void engine(const char *name)
{
    pct_encode_options encode = PCT_ENCODE_OPTIONS;
    pct_decode_options decode = PCT_DECODE_OPTIONS;
    pct_encoder encoder;
    pct_decoder decoder;
    pct_result result;
    pct_set set;
    char *in_page = guarded(), *out_page = guarded();
    static char text[MOST], wanted[3 * MOST + 1];
    size_t len;
    int end;

    CHECK(pct_set_named("rfc3986-path", &set) == PCT_OK);
    encode.allowed = set;
    encode.engine = decode.engine = name;
    CHECK(pct_encoder_init(&encoder, &encode) == PCT_OK);
    CHECK(pct_decoder_init(&decoder, &decode) == PCT_OK);
    for (len = 0; len <= MOST; len++) {
        fill(text, len);
        for (end = 0; end < 2; end++) {
            size_t n = plain_decode(text, len, wanted);
            char *in = at(in_page, len, end), *out = at(out_page, n, end);
            memcpy(in, text, len);
            CHECK(pct_decode(&decoder, in, len, out, n, &result) == PCT_OK);
            CHECK(result.read == len && result.written == n && memcmp(out, wanted, n) == 0);
            CHECK(result.changed == (n != len));
            if (n > 0) {
                CHECK(pct_decode(&decoder, in, len, at(out_page, n - 1, end), n - 1, &result) == PCT_OUTPUT_TOO_SMALL);
                CHECK(result.needed == n);
            }
            CHECK(pct_decode(&decoder, in, len, in, len, &result) == PCT_OK);
            CHECK(result.written == n && memcmp(in, wanted, n) == 0);

            memcpy(in, text, len);
            n = plain_encode(set, text, len, wanted);
            out = at(out_page, n, end);
            CHECK(pct_encoded_len(&encoder, in, len) == n && n <= pct_encode_bound(len));
            CHECK(pct_encode(&encoder, in, len, out, n, &result) == PCT_OK);
            CHECK(result.written == n && memcmp(out, wanted, n) == 0);
            if (n > 0) {
                CHECK(pct_encode(&encoder, in, len, at(out_page, n - 1, end), n - 1, &result) == PCT_OUTPUT_TOO_SMALL);
            }
        }
    }
}

/* Checks that a batch gives the same result as a call for each row. Rows end anywhere. The output lies between
 * inaccessible pages, and has every capacity up to one that is sufficient. */
static void batches(const char *name)
{
    enum { ROWS = 40 };
    pct_encode_options encode = PCT_ENCODE_OPTIONS;
    pct_decode_options decode = PCT_DECODE_OPTIONS;
    pct_encoder encoder;
    pct_decoder decoder;
    pct_result wanted, result;
    char *in_page = guarded(), *out_page = guarded(), *offsets_page = guarded(), *ends_page = guarded();
    static char text[MOST], out[3 * MOST];
    size_t round, cap, rows, row;

    CHECK(pct_set_named("rfc3986-path", &encode.allowed) == PCT_OK);
    encode.engine = decode.engine = name;
    CHECK(pct_encoder_init(&encoder, &encode) == PCT_OK);
    for (round = 0; round < 40; round++) {
        int encodes = round % 2 == 0, narrow = round % 4 < 2;
        size_t offsets[ROWS + 1], ends[ROWS + 1], len = 0;
        decode.flags = round % 3 == 0 ? PCT_DECODE_STRICT : 0;
        CHECK(pct_decoder_init(&decoder, &decode) == PCT_OK);
        fill(text, MOST);
        rows = below(ROWS + 1);
        for (row = 0; row <= rows; row++) {
            offsets[row] = len;
            len += row < rows ? below((unsigned)(MOST / (rows + 1))) : 0;
        }
        if (round % 3 == 0) {
            /* The text is well-formed. But a row that begins or ends inside a triplet can be malformed. */
            for (row = 0; row < MOST; row++) {
                text[row] = "/%41abc"[row % 7];
            }
        }
        for (cap = 0; cap <= 3 * len + 1; cap++) {
            size_t size = (rows + 1) * (narrow ? sizeof(int32_t) : sizeof(int64_t));
            char *in = at_end(in_page, len), *dst = at_end(out_page, cap);
            int32_t *in32 = (int32_t *)at_end(offsets_page, size), *out32 = (int32_t *)at_end(ends_page, size);
            int64_t *in64 = (int64_t *)at_end(offsets_page, size), *out64 = (int64_t *)at_end(ends_page, size);
            pct_status status = PCT_OK, got;
            memcpy(in, text, len);
            wanted.read = wanted.written = 0;
            for (row = 0; row <= rows; row++) {
                ends[row] = wanted.written;
                if (narrow) {
                    in32[row] = (int32_t)offsets[row];
                } else {
                    in64[row] = (int64_t)offsets[row];
                }
            }
            for (row = 0; row < rows && status == PCT_OK; row++) {
                const char *from = in + offsets[row];
                size_t n = offsets[row + 1] - offsets[row];
                status = encodes ? pct_encode(&encoder, from, n, out + wanted.written, cap - wanted.written, &result)
                                 : pct_decode(&decoder, from, n, out + wanted.written, cap - wanted.written, &result);
                if (status == PCT_OK) {
                    wanted.read = row + 1;
                    ends[row + 1] = wanted.written += result.written;
                }
            }
            if (encodes) {
                got = narrow ? pct_encode_batch32(&encoder, in, len, in32, rows, dst, cap, out32, &result)
                             : pct_encode_batch64(&encoder, in, len, in64, rows, dst, cap, out64, &result);
            } else {
                got = narrow ? pct_decode_batch32(&decoder, in, len, in32, rows, dst, cap, out32, &result)
                             : pct_decode_batch64(&decoder, in, len, in64, rows, dst, cap, out64, &result);
            }
            CHECK(got == status && result.read == wanted.read && result.written == wanted.written);
            CHECK(memcmp(dst, out, wanted.written) == 0);
            for (row = 0; row <= wanted.read; row++) {
                CHECK((narrow ? (size_t)out32[row] : (size_t)out64[row]) == ends[row]);
            }
        }
    }
}

static void forms_and_streams(void)
{
    pct_form form;
    pct_pair pair;
    pct_stream stream;
    pct_result result;
    char out[8];

    CHECK(sizeof stream == 128);
    CHECK(pct_form_init(&form, "a=%41&b", 7, NULL) == PCT_OK);
    CHECK(pct_form_next(&form, &pair) == PCT_OK && pair.name_len == 1 && pair.value_len == 3 && pair.has_value);
    CHECK(pct_form_next(&form, &pair) == PCT_OK && pair.offset == 6 && !pair.has_value && pair.value_len == 0);
    CHECK(pct_form_next(&form, &pair) == PCT_END);
    CHECK(pct_stream_decode(&stream, NULL) == PCT_OK);
    CHECK(pct_stream_push(&stream, "%4", 2, out, 8, &result) == PCT_OK && result.read == 2 && result.written == 0);
    CHECK(pct_stream_push(&stream, "1%", 2, out, 8, &result) == PCT_OK && result.written == 1 && out[0] == 'A');
    CHECK(pct_stream_finish(&stream, out, 8, &result) == PCT_OK && result.written == 1 && out[0] == '%');
    CHECK(result.first_error == 3);
}

/* Inputs on which implementations differ, and the results that RFC 3986 and the URL Standard require. */
static void vectors(void)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"%", "%"},           {"a%4", "a%4"},     {"%zz", "%zz"},     {"%4z", "%4z"},           {"%%41", "%A"},
        {"%+1", "%+1"},       {"%u0041", "%u0041"}, {"%2541", "%41"},   {"%%32%65", "%2e"},       {"%c0%ae", "\xc0\xae"},
        {"%e2%82%ac", "\xe2\x82\xac"}, {"+", "+"}, {"%2B", "+"},       {"%2f%2F", "//"},         {"", ""},
    };
    size_t i;
    char out[16];
    pct_result result;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(pct_decode(NULL, cases[i].in, strlen(cases[i].in), out, sizeof out, &result) == PCT_OK);
        CHECK(result.written == strlen(cases[i].out) && memcmp(out, cases[i].out, result.written) == 0);
    }
}

/* Reads hexadecimal digits after a ".", writes the bytes that they mean to `out`, and returns the number of bytes. */
static size_t read_bytes(const char *hex, char *out)
{
    size_t n = 0;
    CHECK(*hex++ == '.');
    for (; hex[0] != 0; hex += 2) {
        CHECK(digit(hex[0]) >= 0 && digit(hex[1]) >= 0);
        out[n++] = (char)(digit(hex[0]) << 4 | digit(hex[1]));
    }
    return n;
}

/* Runs the vectors of a file on one engine, and returns how many there are. tests/capi/vectors.rs describes the format. */
static int vectors_of(const char *path, const char *name)
{
    static char line[8192], in_hex[4096], out_hex[4096], in[2048], wanted[2048];
    static pct_set sets[32];
    pct_encode_options encode = PCT_ENCODE_OPTIONS;
    pct_decode_options decode = PCT_DECODE_OPTIONS;
    pct_encoder encoder;
    pct_decoder decoder;
    pct_stream stream;
    pct_result result;
    char *in_page = guarded(), *out_page = guarded();
    size_t set_count = 0, len, n, at, written;
    unsigned flags, keep, reject, status, rejected;
    long first;
    int count = 0;
    FILE *file = fopen(path, "r");

    CHECK(file != NULL);
    encode.engine = decode.engine = name;
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == 's') {
            unsigned long long words[4];
            size_t i;
            CHECK(set_count < 32 && sscanf(line + 1, "%llx %llx %llx %llx", words, words + 1, words + 2, words + 3) == 4);
            for (i = 0; i < 4; i++) {
                sets[set_count].words[i] = words[i];
            }
            set_count++;
            continue;
        }
        count++;
        if (line[0] == 'E' || line[0] == 'D') {
            /* This line has a charset. `keep` is the number of the set for encoding, or 1 for strict decoding. */
            char charset_name[32], *text, *out;
            pct_charset charset;
            CHECK(sscanf(line + 1, "%31s %u %u %4095s %u %ld %4095s", charset_name, &flags, &keep, in_hex, &status, &first,
                         out_hex) == 7);
            CHECK(keep < set_count && pct_charset_for_name(&charset, charset_name, strlen(charset_name)) == PCT_OK);
            len = read_bytes(in_hex, in);
            n = read_bytes(out_hex, wanted);
            encode.flags = 0;
            encode.allowed = sets[keep];
            decode.flags = keep ? PCT_DECODE_STRICT : 0;
            decode.keep = decode.reject = pct_set_of(NULL, 0);
            CHECK(pct_encoder_init(&encoder, &encode) == PCT_OK && pct_decoder_init(&decoder, &decode) == PCT_OK);
            text = at_end(in_page, len);
            memcpy(text, in, len);
            for (at = n > 0; at < 2; at--) {
                /* Try a buffer that is one byte too short, and then one that is long enough. */
                pct_status got;
                size_t cap = n - at;
                out = at_end(out_page, cap);
                got = line[0] == 'E' ? pct_encode_charset(&encoder, &charset, flags, text, len, out, cap, &result)
                                     : pct_decode_charset(&decoder, &charset, flags, text, len, out, cap, &result);
                if (at > 0) {
                    CHECK(got == PCT_OUTPUT_TOO_SMALL && result.needed == n);
                    continue;
                }
                CHECK(got == (pct_status)status && result.written == n && memcmp(out, wanted, n) == 0);
                CHECK(result.first_error == (first < 0 ? PCT_NONE : (size_t)first));
                CHECK(result.read == (status == PCT_OK ? len : (size_t)first));
            }
            continue;
        }
        if (line[0] == 'e') {
            char *text, *out;
            CHECK(sscanf(line + 1, "%u %u %4095s %4095s", &flags, &keep, in_hex, out_hex) == 4 && keep < set_count);
            len = read_bytes(in_hex, in);
            n = read_bytes(out_hex, wanted);
            encode.flags = flags;
            encode.allowed = sets[keep];
            CHECK(pct_encoder_init(&encoder, &encode) == PCT_OK);
            text = at_end(in_page, len);
            out = at_end(out_page, n);
            memcpy(text, in, len);
            CHECK(pct_encode(&encoder, text, len, out, n, &result) == PCT_OK);
            CHECK(result.written == n && memcmp(out, wanted, n) == 0);
            CHECK(pct_encoded_len(&encoder, text, len) == n);
            continue;
        }
        CHECK(sscanf(line, "d %u %u %u %4095s %u %ld %u %4095s", &flags, &keep, &reject, in_hex, &status, &first,
                     &rejected, out_hex) == 8);
        CHECK(keep < set_count && reject < set_count);
        len = read_bytes(in_hex, in);
        n = read_bytes(out_hex, wanted);
        decode.flags = flags;
        decode.keep = sets[keep];
        decode.reject = sets[reject];
        CHECK(pct_decoder_init(&decoder, &decode) == PCT_OK);
        {
            char *text = at_end(in_page, len), *out = at_end(out_page, n);
            memcpy(text, in, len);
            CHECK(pct_decode(&decoder, text, len, out, n, &result) == (pct_status)status);
            CHECK(result.written == n && memcmp(out, wanted, n) == 0 && result.rejected == rejected);
            CHECK(result.first_error == (first < 0 ? PCT_NONE : (size_t)first));
            CHECK(pct_decode(&decoder, text, len, text, len, &result) == (pct_status)status);
            CHECK(result.written == n && memcmp(text, wanted, n) == 0 && result.rejected == rejected);
        }
        /* Push the input byte by byte through a stream. */
        CHECK(pct_stream_decode(&stream, &decoder) == PCT_OK);
        written = 0;
        for (at = 0; at <= len; at++) {
            char out[8];
            pct_status now = at < len ? pct_stream_push(&stream, in + at, 1, out, sizeof out, &result)
                                      : pct_stream_finish(&stream, out, sizeof out, &result);
            CHECK(written + result.written <= n && memcmp(wanted + written, out, result.written) == 0);
            written += result.written;
            if (now != PCT_OK) {
                CHECK(now == (pct_status)status && result.first_error == (size_t)first);
                break;
            }
        }
        CHECK(written == n && (at > len) == (status == PCT_OK));
    }
    fclose(file);
    return count;
}

/* Tests sets by value, batches with offsets of both sizes, paths and layers. */
static void the_rest(void)
{
    pct_set digits = pct_set_range('0', '9'), odd = pct_set_of("13579", 5);
    static const int32_t offsets32[] = {0, 3, 3, 8};
    static const int64_t offsets64[] = {0, 3, 3, 8};
    static const int32_t back[] = {0, 4, 0};
    int32_t ends32[4];
    int64_t ends64[4];
    static int32_t map[65536];
    pct_encoder encoder;
    pct_result result;
    char out[64];

    CHECK(pct_set_contains(pct_set_intersection(digits, odd), '3') && !pct_set_contains(pct_set_difference(digits, odd), '3'));
    CHECK(pct_set_contains(pct_set_complement(odd), '2') && pct_set_contains(pct_set_union(odd, digits), '2'));
    CHECK(pct_decode_batch32(NULL, "%41bc%42", 8, offsets32, 3, out, 8, ends32, &result) == PCT_OK);
    CHECK(result.read == 3 && result.written == 4 && memcmp(out, "AbcB", 4) == 0);
    CHECK(ends32[1] == 1 && ends32[2] == 1 && ends32[3] == 4);
    /* If offsets descend, the call must not ask for a larger buffer: no capacity would be enough. */
    CHECK(pct_decode_batch32(NULL, "%41bc%42", 8, back, 2, out, 1, ends32, &result) == PCT_BAD_OFFSETS);
    CHECK(result.read == 1 && result.needed == 0);
    CHECK(pct_encoder_named(&encoder, "no such set") == PCT_UNKNOWN_NAME);
    CHECK(pct_encode(&encoder, "a", 1, out, sizeof out, &result) == PCT_INVALID_ARGUMENT);
    CHECK(pct_encoder_named(&encoder, "rfc3986-unreserved") == PCT_OK);
    CHECK(pct_encode(&encoder, out, 4, out, 3, &result) == PCT_OVERLAP && result.needed == 0);
    CHECK(pct_encode_batch64(&encoder, "a/b c d/", 8, offsets64, 3, out, sizeof out, ends64, &result) == PCT_OK);
    CHECK(result.written == 16 && memcmp(out, "a%2Fb%20c%20d%2F", 16) == 0 && ends64[1] == 5 && ends64[3] == 16);
    {
        pct_request_target target;
        CHECK(pct_split_target("//private/a?b", 13, &target) == PCT_OK && target.form == PCT_TARGET_ORIGIN);
        CHECK(target.scheme.offset == PCT_NONE && target.authority.offset == PCT_NONE && target.authority.len == 0);
        CHECK(target.path.offset == 0 && target.path.len == 11 && target.query.offset == 12 && target.query.len == 1);
        CHECK(pct_split_target("http://h:80?x=1", 15, &target) == PCT_OK && target.form == PCT_TARGET_ABSOLUTE);
        CHECK(target.scheme.offset == 0 && target.scheme.len == 4 && target.authority.offset == 7);
        CHECK(target.authority.len == 4 && target.path.offset == 11 && target.path.len == 0 && target.query.len == 3);
        CHECK(pct_split_target("h:443", 5, &target) == PCT_OK && target.form == PCT_TARGET_AUTHORITY);
        CHECK(target.authority.offset == 0 && target.authority.len == 5 && target.path.offset == 5);
        CHECK(pct_split_target("*", 1, &target) == PCT_OK && target.form == PCT_TARGET_ASTERISK);
        CHECK(target.first_error == PCT_NONE && target.path.len == 0 && target.query.offset == PCT_NONE);
        CHECK(pct_split_target("/admin#", 7, &target) == PCT_BAD_TARGET && target.first_error == 6);
        CHECK(target.form == PCT_TARGET_ORIGIN && target.path.len == 7);
        CHECK(pct_split_target("/a?\0", 4, &target) == PCT_BAD_TARGET && target.first_error == 3);
        CHECK(pct_split_target("index.html", 10, &target) == PCT_BAD_TARGET && target.first_error == 0);
        CHECK(pct_split_target("http://h\\admin", 14, &target) == PCT_BAD_TARGET && target.first_error == 8);
        CHECK(pct_split_target("http:///h/admin", 15, &target) == PCT_BAD_TARGET && target.first_error == 7);
        CHECK(pct_split_target(NULL, 0, &target) == PCT_BAD_TARGET && target.form == PCT_TARGET_INVALID);
        CHECK(pct_split_target("/", 1, NULL) == PCT_INVALID_ARGUMENT);
        CHECK(pct_split_target(NULL, 1, &target) == PCT_INVALID_ARGUMENT && target.path.offset == PCT_NONE);
        CHECK(pct_split_target("/", (size_t)PTRDIFF_MAX + 1, &target) == PCT_INVALID_ARGUMENT);
        CHECK(target.form == PCT_TARGET_INVALID && target.query.offset == PCT_NONE && target.reserved == 0);
    }
    CHECK(pct_normalize_path("/a/./%2e%2E/%7eb%2f", 19, out, sizeof out, PCT_PATH_STRICT, &result) == PCT_OK);
    CHECK(result.written == 6 && memcmp(out, "/~b%2F", 6) == 0 && result.changed);
    CHECK(pct_redact("x://root:p@ss@h/", 16, out, sizeof out, &result) == PCT_OK && result.changed == 1);
    CHECK(result.written == 15 && memcmp(out, "x://root:***@h/", 15) == 0 && result.read == 16);
    CHECK(pct_redact("x://u:p@h", 9, out, 10, &result) == PCT_OUTPUT_TOO_SMALL && result.needed == 11);
    CHECK(pct_redact("x://u@h:80", 10, out, sizeof out, &result) == PCT_OK && result.changed == 0);
    CHECK(pct_redact(NULL, 1, out, sizeof out, &result) == PCT_INVALID_ARGUMENT);
    CHECK(pct_normalize_path("//a//b/", 7, out, sizeof out, PCT_PATH_MERGE_SLASHES, &result) == PCT_OK);
    CHECK(result.written == 5 && memcmp(out, "/a/b/", 5) == 0);
    CHECK(pct_normalize_path("/a/..%2fb", 9, out, sizeof out, PCT_PATH_REJECT_SEPARATORS, &result) == PCT_BAD_PATH);
    CHECK(result.first_error == 5);
    CHECK(pct_file_from_path("/a b/50%", 8, out, sizeof out, PCT_FILE_POSIX, &result) == PCT_OK && result.changed == 1);
    CHECK(result.written == 19 && memcmp(out, "file:///a%20b/50%25", 19) == 0 && result.read == 8);
    CHECK(pct_file_from_path("C:\\a b\\c#d.txt", 14, out, sizeof out, PCT_FILE_WINDOWS, &result) == PCT_OK);
    CHECK(result.written == 26 && memcmp(out, "file:///C:/a%20b/c%23d.txt", 26) == 0);
    CHECK(pct_file_from_path("a", 1, out, sizeof out, PCT_FILE_POSIX, &result) == PCT_BAD_PATH && result.first_error == 0);
    CHECK(pct_file_from_path("/a", 2, out, 8, PCT_FILE_POSIX, &result) == PCT_OUTPUT_TOO_SMALL && result.needed == 9);
    CHECK(pct_file_from_path("/a", 2, out, sizeof out, 0, &result) == PCT_INVALID_ARGUMENT);
    CHECK(pct_file_to_path("file:///c%3a/a%20b", 18, out, sizeof out, PCT_FILE_WINDOWS, &result) == PCT_OK);
    CHECK(result.written == 6 && memcmp(out, "c:\\a b", 6) == 0);
    CHECK(pct_file_to_path("file://h/s/x", 12, out, sizeof out, PCT_FILE_POSIX, &result) == PCT_BAD_PATH);
    CHECK(pct_file_to_path("file:///a%2Fb", 13, out, sizeof out, PCT_FILE_POSIX, &result) == PCT_BAD_PATH);
    CHECK(result.first_error == 9);
    CHECK(pct_file_to_path("file:///%zz", 11, out, sizeof out, PCT_FILE_POSIX, &result) == PCT_NOT_HEX);
    CHECK(pct_file_to_path("file:///a", 9, out, 8, PCT_FILE_POSIX, &result) == PCT_OUTPUT_TOO_SMALL && result.needed == 9);
    {
        pct_change changes[2];
        size_t count;
        CHECK(pct_repair("http://h/a b/100%|", 18, out, sizeof out, 0, changes, 2, &count, &result) == PCT_OK && count == 3);
        CHECK(result.written == 24 && memcmp(out, "http://h/a%20b/100%25%7C", 24) == 0 && result.changed);
        CHECK(changes[0].offset == 10 && changes[0].len == 1 && changes[0].kind == PCT_REPAIR_SPACE);
        CHECK(changes[1].offset == 16 && changes[1].kind == PCT_REPAIR_PERCENT && changes[1].reserved == 0);
        CHECK(strcmp(pct_repair_reason(PCT_REPAIR_SPACE), "a URI contains no space") == 0 && pct_repair_reason(0) == NULL);
        CHECK(pct_repair("/a\n b", 5, out, sizeof out, 0, NULL, 0, NULL, &result) == PCT_OK && memcmp(out, "/ab", 3) == 0);
        CHECK(pct_repair("/a\n b", 5, out, 0, 0, NULL, 0, NULL, &result) == PCT_OUTPUT_TOO_SMALL && result.needed == 12);
        CHECK(pct_repair("(http://h/).", 12, out, sizeof out, 0, changes, 2, &count, &result) == PCT_OK && count == 2);
        CHECK(result.written == 9 && changes[0].kind == PCT_REPAIR_PUNCTUATION && changes[1].offset == 10);
        CHECK(pct_repair("/a b", 4, out, sizeof out, PCT_REPAIR_SPACE, NULL, 0, &count, &result) == PCT_OK && count == 0);
        CHECK(!result.changed && result.written == 4);
        CHECK(pct_repair("/\xff", 2, out, sizeof out, 0, NULL, 0, NULL, &result) == PCT_NOT_TEXT && result.first_error == 1);
        CHECK(pct_repair("/", 1, out, sizeof out, 8192, NULL, 0, NULL, &result) == PCT_INVALID_ARGUMENT);
    }
    {
        const char *field = "Inline; filename*=UTF-8''%E2%82%AC.jpg; filename=_.jpg";
        uint32_t kind;
        CHECK(pct_disposition_read(field, strlen(field), out, sizeof out, &kind, &result) == PCT_OK);
        CHECK(result.written == 7 && memcmp(out, "\xe2\x82\xac.jpg", 7) == 0 && kind == PCT_DISPOSITION_INLINE);
        CHECK(pct_disposition_read("x", 1, out, sizeof out, &kind, &result) == PCT_END && kind == PCT_DISPOSITION_ATTACHMENT);
        CHECK(pct_disposition_read(field, strlen(field), out, 9, &kind, &result) == PCT_OUTPUT_TOO_SMALL && kind == 0);
        CHECK(pct_disposition_write("a\xc3\xa9", 3, out, sizeof out, PCT_DISPOSITION_ATTACHMENT, &result) == PCT_OK);
        CHECK(result.written == 51 && memcmp(out, "attachment; filename=\"a_\"; filename*=UTF-8''a%C3%A9", 51) == 0);
        CHECK(pct_disposition_write("a", 1, out, sizeof out, PCT_DISPOSITION_FORM_DATA, &result) == PCT_INVALID_ARGUMENT);
        CHECK(pct_disposition_write("\xff", 1, out, sizeof out, PCT_DISPOSITION_INLINE, &result) == PCT_NOT_TEXT);
    }
    {
        const char *field = "a = 1;x=2 , ,b=a c,c=%20";
        size_t at = 0;
        pct_pair member;
        CHECK(pct_baggage_next(field, 24, &at, &member) == PCT_OK && member.name_len == 1 && member.name == field);
        CHECK(member.value_len == 1 && member.value == field + 4 && member.offset == 0);
        CHECK(pct_baggage_next(field, 24, &at, &member) == PCT_BAD_FIELD && member.offset == 16 && member.name_len == 0);
        CHECK(pct_baggage_next(field, 24, &at, &member) == PCT_OK && member.value_len == 3 && *member.name == 'c');
        CHECK(pct_baggage_next(field, 24, &at, &member) == PCT_END && member.offset == PCT_NONE);
        at = 25;
        CHECK(pct_baggage_next(field, 24, &at, &member) == PCT_INVALID_ARGUMENT);
        CHECK(pct_baggage_next(field, 24, NULL, &member) == PCT_INVALID_ARGUMENT);
    }
    CHECK(pct_canonical_query("b=1+2&a=%2b&c&utm_x", 19, out, sizeof out, PCT_QUERY_SIGV4, "utm_*", &result) == PCT_OK);
    CHECK(result.written == 16 && memcmp(out, "a=%2B&b=1%2B2&c=", 16) == 0 && result.changed);
    CHECK(pct_canonical_query("b&a", 3, out, sizeof out, PCT_QUERY_CACHE_KEY, NULL, &result) == PCT_OK);
    CHECK(result.written == 3 && memcmp(out, "a&b", 3) == 0);
    CHECK(pct_canonical_query("b&a", 3, out, 3, PCT_QUERY_CACHE_KEY, NULL, &result) == PCT_OUTPUT_TOO_SMALL);
    CHECK(result.needed == 19);
    CHECK(pct_canonical_query("b&a", 3, out, sizeof out, 0, NULL, &result) == PCT_INVALID_ARGUMENT);
    CHECK(pct_decode_layers(NULL, "%252541", 7, out, sizeof out, 8, &result) == PCT_OK && result.layers == 3);
    CHECK(result.written == 1 && out[0] == 'A');
    CHECK(pct_normalize_escapes("%6Aa:%6A", 8, out, sizeof out, &result) == PCT_OK && memcmp(out, "%6Aa:j", 6) == 0);
    CHECK(pct_normalize_escapes("%6Aa:%6A", 8, out, 3, &result) == PCT_OUTPUT_TOO_SMALL && result.needed == 6);
    CHECK(pct_normalize_escapes("%7e%2f", 6, out, sizeof out, &result) == PCT_OK && memcmp(out, "~%2F", 4) == 0);
    CHECK(pct_decode_u(NULL, "%u20AC", 6, out, sizeof out, &result) == PCT_OK && memcmp(out, "\xe2\x82\xac", 3) == 0);
    CHECK(pct_url_decode_uni(NULL, "%g0%u0020+%uff1c", 16, out, sizeof out, &result) == PCT_OK);
    CHECK(result.written == 6 && memcmp(out, "%g0  <", 6) == 0 && result.changed);
    CHECK(pct_url_decode_uni(NULL, "%0%1%u000g", 10, out, sizeof out, &result) == PCT_OK && !result.changed);
    map[0x20AC] = 0x80;
    CHECK(pct_url_decode_uni(map, "%u20AC", 6, out, sizeof out, &result) == PCT_OK && out[0] == '\x80');
    CHECK(pct_decode(pct_form_decoder(), "a+b", 3, out, sizeof out, NULL) == PCT_OK && memcmp(out, "a b", 3) == 0);
    CHECK(pct_decode_check(NULL, "%41%", 4, &result) == PCT_OK && result.written == 2 && result.first_error == 3);
    {
        pct_charset charset;
        CHECK(pct_charset_for_label(&charset, " Latin1\n", 8) == PCT_OK);
        CHECK(pct_decode_charset(NULL, &charset, 0, "%80", 3, out, sizeof out, &result) == PCT_OK); /* windows-1252 */
        CHECK(result.written == 3 && memcmp(out, "\xe2\x82\xac", 3) == 0);
        CHECK(pct_charset_for_label(&charset, "utf-32", 6) == PCT_UNKNOWN_NAME);
        CHECK(pct_charset_name(0, out, sizeof out) == 5 && strcmp(out, "UTF-8") == 0);
        CHECK(pct_encode_charset_bound(2) == 48 && pct_decode_charset_bound(2) == 6);
        CHECK(pct_encode_charset_bound(SIZE_MAX / 24) == PCT_NONE && pct_decode_charset_bound(SIZE_MAX / 3) == PCT_NONE);
    }
    CHECK(pct_decode_bound(7) == 7 && pct_encode_bound(7) == 21 && pct_encode_bound(SIZE_MAX) == PCT_NONE);
    CHECK(pct_decode(NULL, out, (size_t)PTRDIFF_MAX + 1, out, sizeof out, &result) == PCT_INVALID_ARGUMENT);
}

int main(int argc, char **argv)
{
    char name[16];
    size_t i;
    int count = 0;
    CHECK(pct_abi_version() == PCT_ABI_VERSION);
    for (i = 0; pct_engine_name(i, name, sizeof name) > 0; i++) {
        engine(name);
        batches(name);
        if (argc > 1) {
            count = vectors_of(argv[1], name);
            CHECK(count > 500);
        }
        printf("%s ", name);
    }
    CHECK(i > 0);
    forms_and_streams();
    vectors();
    the_rest();
    printf("passed, %d vectors\n", count);
    return 0;
}
