/* Times percent_simd beside the codecs that C programs use. crates/capi/scripts/bench builds and lists them.
 *
 * The codecs are timed in turns, and the fastest turn counts. Decoding in place overwrites the texts, so they are
 * copied again before each pass. That copying is not timed. Prints nanoseconds per call. */

#define _GNU_SOURCE
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <percent_simd.h>

#include <apr_escape.h>
#include <curl/curl.h>
#include <glib.h>
#include <uriparser/Uri.h>
#ifdef HAVE_MODP
#include <modp_burl.h>
#endif
#ifdef HAVE_ADA
size_t ada_unescape(const char *text, size_t len);
size_t ada_escape(const char *text, size_t len);
#endif

/* Types that the functions of nginx and Apache take from headers of their own. */
typedef unsigned char u_char;
typedef uintptr_t ngx_uint_t;
typedef intptr_t ngx_int_t;
#define NGX_ESCAPE_URI 0
#define NGX_ESCAPE_ARGS 1
#define NGX_ESCAPE_URI_COMPONENT 2
#define NGX_ESCAPE_HTML 3
#define NGX_ESCAPE_REFRESH 4
#define NGX_ESCAPE_MEMCACHED 5
#define NGX_ESCAPE_MAIL_AUTH 6
#define NGX_UNESCAPE_URI 1
#define NGX_UNESCAPE_REDIRECT 2
#include "nginx.inc"

static inline int ishex(unsigned char c)
{
    return isxdigit(c);
}
static inline int hex2i(int c)
{
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}
#include "haproxy.inc"

#define OK 0
#define HTTP_BAD_REQUEST 400
#define HTTP_NOT_FOUND 404
#define AP_UNESCAPE_URL_KEEP_UNRESERVED 1
#define AP_UNESCAPE_URL_FORBID_SLASHES 2
#define AP_UNESCAPE_URL_KEEP_SLASHES 4
#define AP_IS_SLASH(c) ((c) == '/')
#define TEST_CHAR(c, f) 0
#define apr_isxdigit(c) isxdigit((unsigned char)(c))
#define apr_isupper(c) isupper((unsigned char)(c))
#define apr_isdigit(c) isdigit((unsigned char)(c))
#define ap_strchr_c(s, c) strchr(s, c)
#define APR_CHARSET_EBCDIC 0
#include "apache.inc"

#define PHPAPI static
#include "php.inc"

static pct_encoder unreserved;
static char *out; /* room for three times the longest text, and more */

/* Each function returns the length of its result. The result is in `out`. Functions that decode in place leave it in
 * `text`. `text` ends in a NUL. */

static size_t simd_decode(const char *text, size_t len)
{
    pct_result result;
    pct_decode(NULL, text, len, out, len, &result);
    return result.written;
}
static size_t simd_decode_in_place(const char *text, size_t len)
{
    pct_result result;
    pct_decode(NULL, text, len, (char *)text, len, &result);
    return result.written;
}
static size_t simd_encode(const char *text, size_t len)
{
    pct_result result;
    pct_encode(&unreserved, text, len, out, 3 * len, &result);
    return result.written;
}
static size_t just_memchr(const char *text, size_t len)
{
    const char *found = memchr(text, 1, len);
    return found ? 0 : len;
}
static size_t just_memcpy(const char *text, size_t len)
{
    memcpy(out, text, len);
    return len;
}
static size_t nginx_decode(const char *text, size_t len)
{
    u_char *src = (u_char *)text, *dst = (u_char *)out;
    ngx_unescape_uri(&dst, &src, len, 0);
    return (size_t)(dst - (u_char *)out);
}
static size_t nginx_decode_in_place(const char *text, size_t len)
{
    u_char *src = (u_char *)text, *dst = (u_char *)text;
    ngx_unescape_uri(&dst, &src, len, 0);
    return (size_t)(dst - (u_char *)text);
}
/* Calls ngx_escape_uri twice, as nginx does: it first counts the bytes to escape, and then escapes them. */
static size_t nginx_encode(const char *text, size_t len)
{
    uintptr_t escapes = ngx_escape_uri(NULL, (u_char *)text, len, NGX_ESCAPE_URI_COMPONENT);
    if (escapes == 0) {
        memcpy(out, text, len);
        return len;
    }
    return (size_t)((u_char *)ngx_escape_uri((u_char *)out, (u_char *)text, len, NGX_ESCAPE_URI_COMPONENT) - (u_char *)out);
}
static size_t haproxy_decode_in_place(const char *text, size_t len)
{
    return (size_t)url_decode((char *)text, 0);
}
static size_t apache_decode_in_place(const char *text, size_t len)
{
    unescape_url((char *)text, NULL, NULL, 0);
    return strlen(text);
}
static size_t php_decode_in_place(const char *text, size_t len)
{
    return php_raw_url_decode((char *)text, len);
}
static size_t uriparser_decode_in_place(const char *text, size_t len)
{
    return (size_t)(uriUnescapeInPlaceExA((char *)text, URI_FALSE, URI_BR_DONT_TOUCH) - text);
}
static size_t uriparser_encode(const char *text, size_t len)
{
    return (size_t)(uriEscapeExA(text, text + len, out, URI_FALSE, URI_FALSE) - out);
}
static size_t apr_decode(const char *text, size_t len)
{
    apr_size_t written = 0;
    apr_unescape_url(out, text, (apr_ssize_t)len, NULL, NULL, 0, &written);
    return written - 1; /* `written` includes the NUL */
}
static size_t apr_encode(const char *text, size_t len)
{
    apr_size_t written = 0;
    apr_escape_path_segment(out, text, (apr_ssize_t)len, &written);
    return written - 1;
}
static size_t curl_decode(const char *text, size_t len)
{
    int written = 0;
    char *result = curl_easy_unescape(NULL, text, (int)len, &written);
    curl_free(result);
    return (size_t)written;
}
static size_t curl_encode(const char *text, size_t len)
{
    char *result = curl_easy_escape(NULL, text, (int)len);
    size_t written = strlen(result);
    curl_free(result);
    return written;
}
static size_t glib_decode(const char *text, size_t len)
{
    GBytes *bytes = g_uri_unescape_bytes(text, (gssize)len, NULL, NULL);
    size_t written = g_bytes_get_size(bytes);
    g_bytes_unref(bytes);
    return written;
}
static size_t glib_encode(const char *text, size_t len)
{
    char *result = g_uri_escape_bytes((const guint8 *)text, len, NULL);
    size_t written = strlen(result);
    g_free(result);
    return written;
}

#ifdef HAVE_MODP
static size_t modp_decode(const char *text, size_t len)
{
    return modp_burl_decode_raw(out, text, len);
}
static size_t modp_decode_in_place(const char *text, size_t len)
{
    return modp_burl_decode_raw((char *)text, text, len);
}
static size_t modp_encode(const char *text, size_t len)
{
    return modp_burl_encode(out, text, len);
}
#endif

typedef struct {
    const char *name;
    size_t (*run)(const char *text, size_t len);
    const char *note;
} peer;

static const peer decoders[] = {
    {"memchr", just_memchr, "only searches"},
    {"memcpy", just_memcpy, "only copies"},
    {"percent_simd", simd_decode, ""},
    {"nginx", nginx_decode, "drops a malformed %"},
    {"apr", apr_decode, ""},
#ifdef HAVE_MODP
    {"modp_burl", modp_decode, ""},
#endif
#ifdef HAVE_ADA
    {"ada", ada_unescape, "allocates"},
#endif
    {"curl", curl_decode, "allocates"},
    {"glib", glib_decode, "allocates"},
};
static const peer in_place[] = {
    {"memchr", just_memchr, "only searches"},
    {"percent_simd", simd_decode_in_place, ""},
    {"nginx", nginx_decode_in_place, "drops a malformed %"},
    {"haproxy", haproxy_decode_in_place, "cuts off at a malformed %"},
    {"apache", apache_decode_in_place, "refuses %00"},
#ifdef HAVE_MODP
    {"modp_burl", modp_decode_in_place, ""},
#endif
    {"php", php_decode_in_place, ""},
    {"uriparser", uriparser_decode_in_place, ""},
};
static const peer encoders[] = {
    {"memcpy", just_memcpy, "only copies"},
    {"percent_simd", simd_encode, ""},
    {"nginx", nginx_encode, "counts first"},
    {"apr", apr_encode, ""},
    {"uriparser", uriparser_encode, ""},
#ifdef HAVE_MODP
    {"modp_burl", modp_encode, "a space is a plus"},
#endif
#ifdef HAVE_ADA
    {"ada", ada_escape, "allocates"},
#endif
    {"curl", curl_encode, "allocates"},
    {"glib", glib_encode, "allocates"},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Texts of one length. Calls take these texts in turn. With a single short text, the processor would learn to predict every
 * branch. Decoding in place works on copies of the texts. */
#define MOST_TEXTS 256
typedef struct {
    char *text[MOST_TEXTS];
    size_t count;
} texts;

/* The nanoseconds that reading the clock adds to a measured time. */
static double clock_cost = 1e300;

static void find_clock_cost(void)
{
    int i;
    for (i = 0; i < 1000; i++) {
        double start = now(), cost = now() - start;
        clock_cost = cost < clock_cost ? cost : clock_cost;
    }
}

static void copy_texts(const texts *to, const texts *from, size_t len)
{
    size_t i;
    for (i = 0; i < from->count; i++) {
        memcpy(to->text[i], from->text[i], len + 1);
    }
}

/* Returns the nanoseconds that `passes` passes over all texts take. Stores the sum of the results, so that the compiler
 * cannot drop the calls. */
static double pass(const peer *peer, const texts *given, size_t len, size_t passes)
{
    static volatile size_t sink;
    size_t sum = 0, i;
    double start = now();
    for (; passes > 0; passes--) {
        for (i = 0; i < given->count; i++) {
            sum += peer->run(given->text[i], len);
            __asm__ volatile("" ::: "memory");
        }
    }
    sink = sum;
    (void)sink;
    return now() - start - clock_cost;
}

/* Returns the nanoseconds per call. If `copies` is not null, the calls work in place on these copies of the texts. */
static double turn(const peer *peer, const texts *given, const texts *copies, size_t len, size_t passes)
{
    double spent = 0;
    size_t i;
    if (copies == NULL) {
        return pass(peer, given, len, passes) / (double)(passes * given->count);
    }
    for (i = 0; i < passes; i++) {
        copy_texts(copies, given, len);
        spent += pass(peer, copies, len, 1);
    }
    return spent / (double)(passes * given->count);
}

static void table(const char *title, const peer *peers, size_t count, const texts *given, const texts *copies, size_t len,
                  size_t wanted)
{
    double best[16], ours = 0, fastest = 1e300;
    size_t i, round, passes = len < 2000 ? 400000 / (len + 20) / given->count + 1 : 4;
    for (i = 0; i < count; i++) {
        size_t t;
        best[i] = 1e300;
        if (copies != NULL) {
            copy_texts(copies, given, len);
        }
        for (t = 0; t < given->count; t++) {
            size_t got = peers[i].run((copies != NULL ? copies : given)->text[t], len);
            if (wanted != 0 && got != wanted && strncmp(peers[i].name, "mem", 3) != 0) {
                fprintf(stderr, "%s, %s: %zu bytes, not %zu\n", title, peers[i].name, got, wanted);
                exit(1);
            }
        }
    }
    for (round = 0; round < 40; round++) {
        for (i = 0; i < count; i++) {
            double ns = turn(&peers[i], given, copies, len, passes);
            if (ns < best[i]) {
                best[i] = ns;
            }
        }
    }
    for (i = 0; i < count; i++) {
        if (strcmp(peers[i].name, "percent_simd") == 0) {
            ours = best[i];
        } else if (strncmp(peers[i].name, "mem", 3) != 0 && best[i] < fastest) {
            fastest = best[i];
        }
    }
    printf("%-50s", title);
    for (i = 0; i < count; i++) {
        printf("  %s %.1f", peers[i].name, best[i]);
    }
    printf("  | %.2fx the fastest\n", fastest / ours);
}

static unsigned below(size_t n)
{
    static unsigned long long seed = 42;
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)((seed >> 33) % n);
}

/* Returns `len` bytes and a NUL. The bytes are letters and digits, and at `marks` random places `even` and `odd` in turn. */
static char *make_text(size_t len, size_t marks, const char *even, const char *odd)
{
    static const char plain_bytes[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    size_t mark_len = strlen(even), items = len - marks * (mark_len - 1), i, n = 0;
    char *text = malloc(len + 1);
    for (i = 0; i < items; i++) {
        if (below(items - i) < marks) {
            memcpy(text + n, marks % 2 ? odd : even, mark_len);
            n += mark_len;
            marks--;
        } else {
            text[n++] = plain_bytes[below(36)];
        }
    }
    text[len] = 0;
    return text;
}

int main(void)
{
    static const size_t lengths[] = {16, 100, 1000, 1 << 20};
    static texts escaped, raw, copies;
    size_t longest = (1 << 20) + 64, l, d, i;
    out = malloc(3 * longest);
    find_clock_cost();
    pct_encoder_named(&unreserved, "rfc3986-unreserved");
    for (d = 0; d < 2; d++) {
        for (l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            /* One in ten decoded bytes is escaped. The texts of one length together fit into the L1 cache, except 1 MiB texts. */
            size_t len = lengths[l], triplets = d * (len / 12), decoded = len - 2 * triplets;
            char title[80];
            escaped.count = raw.count = copies.count = len > 16384 ? 1 : 16384 / len > MOST_TEXTS ? MOST_TEXTS : 16384 / len;
            for (i = 0; i < escaped.count; i++) {
                copies.text[i] = malloc(len + 1);
                escaped.text[i] = make_text(len, triplets, "%C3", "%2f");
                raw.text[i] = make_text(len, d * ((len + 9) / 10), "\xC3", "?");
            }
            const char *kind = d == 0 ? "clean" : "10% escaped";
#define ROWS(name, peers, texts, copies, wanted)                                \
    snprintf(title, sizeof title, "%s, %zu bytes, %s:", name, len, kind);       \
    table(title, peers, sizeof peers / sizeof *peers, &texts, copies, len, wanted)
            ROWS("decode to a buffer", decoders, escaped, NULL, decoded);
            ROWS("decode in place", in_place, escaped, &copies, decoded);
            ROWS("encode", encoders, raw, NULL, 0);
        }
    }
    return 0;
}
