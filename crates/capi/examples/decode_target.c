/* Decodes the path of a request target in place, as a server does before it uses the path. Splits the target first: in a
 * decoded target, a decoded "?" would end the path. A target that begins with "//" is a path, and names no host. */

#include <percent_simd.h>

#include <stdio.h>
#include <string.h>

/* main() initialises it once. */
static pct_decoder path_decoder;

static int init(void)
{
    pct_decode_options options = PCT_DECODE_OPTIONS;
    options.flags = PCT_DECODE_STRICT;
    options.keep = pct_set_of("/\\%", 3);                                       /* stay escaped */
    options.reject = pct_set_union(pct_set_range(0, 31), pct_set_of("\x7f", 1)); /* NUL, CR, LF and other controls */
    return pct_decoder_init(&path_decoder, &options) == PCT_OK;
}

/* Decodes the path of the request target at `text`. Prints and returns the HTTP status. */
static int handle(char *text, size_t len)
{
    pct_request_target target;
    pct_result result;
    char *path;

    if (pct_split_target(text, len, &target) != PCT_OK) {
        printf("400 not a request target, at offset %zu\n", target.first_error);
        return 400;
    }
    path = text + target.path.offset;
    switch (pct_decode(&path_decoder, path, target.path.len, path, target.path.len, &result)) {
    case PCT_OK:
        printf("200 path \"%.*s\"%s\n", (int)result.written, path, result.changed ? ", decoded" : "");
        return 200;
    case PCT_REJECTED:
        printf("400 byte 0x%02X is not accepted, at offset %zu\n", (unsigned)result.rejected,
               target.path.offset + result.first_error);
        return 400;
    default:
        printf("400 malformed escape at offset %zu\n", target.path.offset + result.first_error);
        return 400;
    }
}

int main(int argc, char **argv)
{
    static char targets[][64] = {"/plain", "/caf%C3%A9?q=%20", "/a%2Fb%2e", "//host/%61", "http://host/%61?q", "/admin#",
                                 "/%00",   "http://h/100%",    "/x%0d%0aSet-Cookie:"};
    size_t i;

    if (!init()) {
        return 1;
    }
    for (i = 0; argc < 2 && i < sizeof targets / sizeof *targets; i++) {
        handle(targets[i], strlen(targets[i]));
    }
    return argc < 2 || handle(argv[1], strlen(argv[1])) == 200 ? 0 : 1;
}
