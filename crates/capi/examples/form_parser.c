/* Prints the pairs of a form: of the first argument, or of a sample. Decodes names and values into a buffer of a fixed
 * size. */

#include <percent_simd.h>

#include <stdio.h>
#include <string.h>

/* Prints the steps of a decoded name. In PHP, Rails and qs, "a[b][]" is a new element of the list "b" in "a". These programs
 * disagree about malformed names, so this function prints the malformed rest of a name as it is. */
static void print_steps(const char *name, size_t len)
{
    const char *end = name + len, *open = memchr(name, '[', len), *close;

    if (open == NULL || open == name) {
        open = end;
    }
    fwrite(name, 1, (size_t)(open - name), stdout);
    while (open < end && *open == '[' && (close = memchr(open, ']', (size_t)(end - open))) != NULL) {
        fputs(" > ", stdout);
        if (close == open + 1) {
            fputs("(new element)", stdout);
        }
        fwrite(open + 1, 1, (size_t)(close - open - 1), stdout);
        open = close + 1;
    }
    fwrite(open, 1, (size_t)(end - open), stdout);
}

static void print_part(const char *part, size_t len, int is_name)
{
    char out[256];
    pct_result result;

    if (pct_decode(pct_form_decoder(), part, len, out, sizeof out, &result) == PCT_OUTPUT_TOO_SMALL) {
        printf("(%zu bytes)", result.needed);
    } else if (is_name) {
        print_steps(out, result.written);
    } else {
        fwrite(out, 1, result.written, stdout);
    }
}

int main(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : "name=Ada+Lovelace&note=a%26b%3Dc&&empty=&flag&%C3%A9=%E2%82%AC&a[b]%5B%5D=c";
    pct_form_options options = PCT_FORM_OPTIONS;
    pct_form form;
    pct_pair pair;
    pct_status status;

    options.flags = PCT_FORM_STRICT;
    options.limit = 100;
    if (pct_form_init(&form, text, strlen(text), &options) != PCT_OK) {
        return 1;
    }
    while ((status = pct_form_next(&form, &pair)) == PCT_OK) {
        print_part(pair.name, pair.name_len, 1);
        fputs(pair.has_value ? " = " : "\n", stdout);
        if (pair.has_value) {
            print_part(pair.value, pair.value_len, 0);
            fputs("\n", stdout);
        }
    }
    if (status != PCT_END) {
        printf("malformed at byte %zu\n", pair.offset);
        return 1;
    }
    return 0;
}
