// A codec as a C programmer would write it: a table and a loop. Before the loop writes a byte, it tests if the output
// has room.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint8_t value[256];    // the value of a hexadecimal digit, or 16 for other bytes
static uint8_t stays[256];    // true for unreserved bytes
static uint8_t words[256][4]; // for each byte, its output and the length of the output

void calls_prepare(void) {
    static const char digits[] = "0123456789ABCDEF";
    for (int byte = 0; byte < 256; byte++) {
        int letter = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
        int digit = byte >= '0' && byte <= '9';
        stays[byte] = letter || digit || (byte && strchr("-._~", byte));
        value[byte] = digit ? byte - '0' : letter && (byte | 32) <= 'f' ? (byte | 32) - 'a' + 10 : 16;
        uint8_t escape[4] = {'%', digits[byte >> 4], digits[byte & 15], 3}, itself[4] = {byte, 0, 0, 1};
        memcpy(words[byte], stays[byte] ? itself : escape, 4);
    }
}

// Decodes n bytes. If `plus` is set, `+` becomes a space. Returns the length of the output, or SIZE_MAX if `room` is too
// small.
size_t calls_decode(const uint8_t *src, size_t n, uint8_t *dst, size_t room, int plus) {
    size_t o = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = src[i];
        if (byte == '%' && n - i > 2) {
            uint8_t high = value[src[i + 1]], low = value[src[i + 2]];
            if ((high | low) < 16) {
                byte = high << 4 | low;
                i += 2;
            }
        } else if (byte == '+' && plus) {
            byte = ' ';
        }
        if (o == room)
            return SIZE_MAX;
        dst[o++] = byte;
    }
    return o;
}

// Encodes n bytes. Returns the length of the output, or SIZE_MAX if `room` is too small.
size_t calls_encode(const uint8_t *src, size_t n, uint8_t *dst, size_t room) {
    size_t o = 0, i = 0;
    for (; i < n && room - o >= 4; i++) {
        memcpy(dst + o, words[src[i]], 4);
        o += words[src[i]][3];
    }
    for (; i < n; i++) {
        uint8_t len = words[src[i]][3];
        if (room - o < len)
            return SIZE_MAX;
        memcpy(dst + o, words[src[i]], len);
        o += len;
    }
    return o;
}

// Returns `src` if it has no `%`, and if `plus` is set, no `+`. Otherwise returns a new block of *len bytes.
uint8_t *calls_decode_new(const uint8_t *src, size_t n, int plus, size_t *len) {
    *len = n;
    if (!n || (!memchr(src, '%', n) && !(plus && memchr(src, '+', n))))
        return (uint8_t *)src;
    uint8_t *block = malloc(n);
    if (block)
        *len = calls_decode(src, n, block, n, plus);
    return block;
}

// Returns `src` if encoding changes no byte and `borrow` is set. Otherwise returns a new block of *len bytes.
uint8_t *calls_encode_new(const uint8_t *src, size_t n, int borrow, size_t *len) {
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += words[src[i]][3];
    *len = total;
    if (borrow && total == n)
        return (uint8_t *)src;
    uint8_t *block = malloc(total + !total);
    if (block)
        calls_encode(src, n, block, total);
    return block;
}
