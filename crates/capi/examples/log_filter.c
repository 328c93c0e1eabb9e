/* Decodes a log from standard input to standard output, with buffers of a fixed size and no allocation. The input is read
 * in chunks that end anywhere, even inside an escape. Line feeds and other controls stay escaped, so no escape can forge a
 * log line. */

#include <percent_simd.h>

#include <stdio.h>

int main(void)
{
    static char in[16384], out[16384];
    pct_decode_options options = PCT_DECODE_OPTIONS;
    pct_decoder decoder;
    pct_stream stream;
    pct_result result;
    size_t len;

    options.keep = pct_set_union(pct_set_range(0, 31), pct_set_of("\x7f", 1));
    if (pct_decoder_init(&decoder, &options) != PCT_OK || pct_stream_decode(&stream, &decoder) != PCT_OK) {
        return 1;
    }
    while ((len = fread(in, 1, sizeof in, stdin)) > 0) {
        size_t done = 0;
        while (done < len) {
            if (pct_stream_push(&stream, in + done, len - done, out, sizeof out, &result) != PCT_OK) {
                return 1;
            }
            done += result.read;
            if (fwrite(out, 1, result.written, stdout) != result.written) {
                return 1;
            }
        }
    }
    if (pct_stream_finish(&stream, out, sizeof out, &result) != PCT_OK) {
        return 1;
    }
    if (fwrite(out, 1, result.written, stdout) != result.written || ferror(stdin) || fflush(stdout) != 0) {
        return 1;
    }
    if (result.first_error != PCT_NONE) {
        fprintf(stderr, "log_filter: the first malformed escape is at byte %zu; it was copied\n", result.first_error);
    }
    return 0;
}
