/* What a C or C++ program sees: compiled by gcc and clang, as C99 and as C++, with sanitizers and under valgrind, against the
 * header and the library. Every engine, every length up to 200 against a plain loop, both buffers between pages that
 * nobody may touch, in place too. The suites in Rust do the rest. */

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

/* A page between two that nobody may touch. */
static char *guarded(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *base = (char *)mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
    CHECK(base != (char *)MAP_FAILED);
    CHECK(mprotect(base + page, page, PROT_READ | PROT_WRITE) == 0);
    return base + page;
}

/* `len` bytes at the end of the page, or at its front. */
static char *at(char *page, size_t len, int end)
{
    return end ? page + (size_t)sysconf(_SC_PAGESIZE) - len : page;
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

/* Strings that implementations differ on, and what RFC 3986 and the URL Standard make of them. */
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

int main(void)
{
    char name[16];
    size_t i;
    CHECK(pct_abi_version() == PCT_ABI_VERSION);
    for (i = 0; pct_engine_name(i, name, sizeof name) > 0; i++) {
        engine(name);
        printf("%s ", name);
    }
    CHECK(i > 0);
    forms_and_streams();
    vectors();
    puts("passed");
    return 0;
}
