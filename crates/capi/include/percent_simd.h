/*
 * percent_simd.h - percent-encoding (URL encoding) with SIMD, for C99 and C++.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The library encodes and decodes bytes; see percent_simd.hpp for std::string. To begin with:
 *
 *     pct_result result;
 *     pct_decode(NULL, text, len, text, len, &result);       decodes in place; result.written bytes
 *
 *     pct_encoder encoder;                                    once
 *     pct_encoder_named(&encoder, "rfc3986-segment");
 *     pct_encode(&encoder, text, len, out, cap, &result);     as often as you like
 *
 * Most functions return a pct_status, which is 0 for success, and describe in a pct_result how far they came:
 *
 *     switch (pct_decode(&decoder, src, len, dst, cap, &result)) {
 *     case PCT_OK:               result.written bytes are at dst; result.changed tells whether they differ from src
 *     case PCT_OUTPUT_TOO_SMALL: try again with a buffer of result.needed bytes
 *     case PCT_REJECTED:         result.rejected is the byte, escaped at src + result.first_error
 *     default:                   malformed at src + result.first_error, or an argument is invalid
 *     }
 *
 * A buffer of pct_decode_bound(len) bytes is enough to decode to, and one of pct_encode_bound(len) to encode to.
 *
 * A charset other than UTF-8 is named once, and text goes from UTF-8 to triplets and back in one call:
 *
 *     pct_charset_for_label(&charset, "shift_jis", 9);
 *     pct_decode_charset(NULL, &charset, 0, src, len, dst, cap, &result);
 *
 * A triplet is "%" and two hexadecimal digits, of either case; a "%" that begins none is malformed.
 *
 * This holds for all functions:
 *
 * - Lengths first: text is a pointer and a length in bytes. It may hold any bytes, NUL included. No NUL is expected at
 *   its end, and none is written. Only names of sets and engines are strings that end in NUL.
 * - A null pointer with the length 0 is the empty text. A null pointer with another length, and a length above
 *   PTRDIFF_MAX, are refused with PCT_INVALID_ARGUMENT; nothing is read or written then. A null `result` is allowed.
 * - No function allocates, locks, logs, changes errno, or calls back, and none but the choice of an engine depends on
 *   anything but its arguments: that is found out at the first call and kept in one atomic pointer. The environment is not
 *   looked at.
 * - All functions may be called from any number of threads at the same time. Encoders, decoders and sets may be shared
 *   between threads once they are initialised. A stream or an iterator belongs to one thread at a time.
 * - Objects live in your memory and own nothing. Do not look into their fields called `opaque`; begin with an
 *   initialising function. One that was not initialised, whose initialisation failed, or that is all zeros, is refused with
 *   PCT_INVALID_ARGUMENT.
 * - Nothing is written beyond `cap` bytes, and nothing is lost: what cannot be decoded is copied or is an error with its
 *   offset. Output bytes after `written` and within `cap` are unspecified.
 * - Input and output may be the same where a function says that it works in place; otherwise they must not overlap.
 *   That is checked over `len` and `cap`, and refused with PCT_OVERLAP.
 * - Time is linear in the input unless a function says otherwise. It depends on the data: do not use it on secrets.
 * - The interface grows without breaking programs: functions and values of pct_status are added, and the structs that begin with
 *   their own size get fields at their end, of which zero means what was before. pct_encoder and the other opaque structs have
 *   bytes to spare. Where a program must be compiled anew, PCT_ABI_VERSION and the number after ".so" are others.
 *
 * Generated from the Rust sources; do not edit.
 */

#ifndef PERCENT_SIMD_H
#define PERCENT_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Names the version that this header belongs to. */
#define PCT_VERSION_STRING "0.1.0"

/** Stands for "nowhere" as an offset, and as a length for "more than a size_t can say". */
#define PCT_NONE SIZE_MAX

/** Begins options: pct_decode_options options = PCT_DECODE_OPTIONS; sets the size, and the rest to zero. */
#define PCT_ENCODE_OPTIONS {sizeof(pct_encode_options), 0, 0, {{0, 0, 0, 0}}, 0}
/** Begins options. */
#define PCT_DECODE_OPTIONS {sizeof(pct_decode_options), 0, 0, {{0, 0, 0, 0}}, {{0, 0, 0, 0}}, 0}
/** Begins options. */
#define PCT_FORM_OPTIONS {sizeof(pct_form_options), 0, 0, 0}

/*
 Numbers the version of the binary interface that this header describes.
 */
#define PCT_ABI_VERSION 0

/*
 Makes a "%" that starts no triplet an error. Without this it is copied, as the URL Standard says.
 */
#define PCT_DECODE_STRICT 1

/*
 Decodes "+" to a space, as in forms.
 */
#define PCT_DECODE_PLUS 2

/*
 Decodes "+" to a space after the first "?" of the input: right for whole request targets. Not with PCT_DECODE_PLUS.
 */
#define PCT_DECODE_PLUS_AFTER_QUERY 4

/*
 Writes the hexadecimal digits of triplets that are kept in upper case.
 */
#define PCT_DECODE_KEEP_UPPER 8

/*
 Writes hexadecimal digits in lower case. RFC 3986 asks for upper case, the default.
 */
#define PCT_ENCODE_LOWERCASE 1

/*
 Writes a space as "+", whether it is in the set or not. The set should lack "+".
 */
#define PCT_ENCODE_SPACE_TO_PLUS 2

/*
 Leaves valid triplets as they are, so that nothing is encoded twice; every other "%" becomes "%25".
 */
#define PCT_ENCODE_KEEP_TRIPLETS 4

/*
 Encodes a character that has no bytes in the charset as a decimal numeric character reference, "&#8364;", as browsers do in
 forms. Without this it is an error.
 */
#define PCT_CHARSET_HTML 1

/*
 Decodes bytes that stand for no character to U+FFFD. Without this they are an error.
 */
#define PCT_CHARSET_LOSSY 2

/*
 Makes a malformed "%", or a character that may not stand in a path, an error. Without this they are escaped.
 */
#define PCT_PATH_STRICT 1

/*
 Makes a "%" that starts no triplet an error.
 */
#define PCT_FORM_STRICT 1

/*
 Ends a pair at ";", as at "&" (HTML 4). A cache in front of the server that splits another way may see another form.
 */
#define PCT_FORM_SEMICOLONS 2

/*
 Says what a call came to. Every value above PCT_OUTPUT_TOO_SMALL is an error in the input or in the arguments. Later
 versions may add values: treat those you do not know as errors.
 */
typedef enum {
    /*
     Says that all was done.
     */
    PCT_OK = 0,
    /*
     Says that there is nothing more: an iterator has come to its end.
     */
    PCT_END = 1,
    /*
     The output buffer is too small; `needed` in the result says what is enough. Its contents are unspecified.
     */
    PCT_OUTPUT_TOO_SMALL = 2,
    /*
     The input ends inside a triplet ("%" or "%4"), and the decoder is strict.
     */
    PCT_TRUNCATED = 3,
    /*
     A "%" is not followed by two hexadecimal digits, and the decoder is strict.
     */
    PCT_NOT_HEX = 4,
    /*
     A triplet stands for a byte that the decoder was told to reject; `rejected` in the result is that byte.
     */
    PCT_REJECTED = 5,
    /*
     A form has more pairs than the limit.
     */
    PCT_TOO_MANY_PAIRS = 6,
    /*
     The offsets of a batch are negative, not ascending, beyond the values, or cannot express the output.
     */
    PCT_BAD_OFFSETS = 7,
    /*
     A request path does not begin with "/", or has a control or, strictly, a character that may not stand in it.
     */
    PCT_BAD_PATH = 8,
    /*
     No set, charset or engine has this name, or this CPU cannot run the engine.
     */
    PCT_UNKNOWN_NAME = 9,
    /*
     An argument is not as the function's description asks: a null pointer with a length other than 0, a length above
     PTRDIFF_MAX, an unknown flag, options of an unknown size, or an object that was not initialised.
     */
    PCT_INVALID_ARGUMENT = 10,
    /*
     Input and output overlap without beginning at the same address, or the call cannot work in place.
     */
    PCT_OVERLAP = 11,
    /*
     A character of the text has no bytes in the charset.
     */
    PCT_UNMAPPABLE = 12,
    /*
     Bytes stand for no character in the charset; or what is to be encoded in one is not UTF-8.
     */
    PCT_NOT_TEXT = 13,
    /*
     A request target is in none of the forms of RFC 9112 3.2, or has a "#", a blank or a control.
     */
    PCT_BAD_TARGET = 14,
} pct_status;

/*
 Says which form a request target has (RFC 9112 3.2).
 */
typedef enum {
    /*
     None of the four. It is split into a path and a query at the first "?".
     */
    PCT_TARGET_INVALID = 0,
    /*
     "/path?query". It names no host, even if it begins with "//".
     */
    PCT_TARGET_ORIGIN = 1,
    /*
     "http://host/path?query": a URI with its scheme.
     */
    PCT_TARGET_ABSOLUTE = 2,
    /*
     "host:443", which only CONNECT takes.
     */
    PCT_TARGET_AUTHORITY = 3,
    /*
     "*", which only OPTIONS takes.
     */
    PCT_TARGET_ASTERISK = 4,
} pct_target_form;

/*
 Decodes: options, ready for use. A decoder lives in your memory, owns nothing, and needs no clean-up. Once initialised it
 may be copied, and any number of threads may use it at the same time. Where a function takes a decoder, a null
 pointer stands for the lenient one: all options zero.
 */
typedef struct {
    /*
     Private.
     */
    uint64_t opaque[64];
} pct_decoder;

/*
 Holds a set of bytes, as a value of 32 bytes: byte b is in it when bit b % 64 of words[b / 64] is set. All zeros is the empty
 set. The functions below take and return sets by value.
 */
typedef struct {
    /*
     The bits.
     */
    uint64_t words[4];
} pct_set;

/*
 Says how to decode. Set `size` to sizeof(pct_decode_options) and the rest to zero, then what you want: PCT_DECODE_OPTIONS
 does the first. Zeros are the URL Standard's percent-decode.
 */
typedef struct {
    /*
     sizeof(pct_decode_options).
     */
    size_t size;
    /*
     PCT_DECODE_ flags, combined with |.
     */
    uint32_t flags;
    /*
     0.
     */
    uint32_t reserved;
    /*
     Triplets of these bytes stay as they are: pct_set_of("/", 1) leaves "%2F". With "%" in the set, no new triplet comes
     about: a malformed "%" keeps the triplets that would be its digits, so that decoding twice changes nothing more.
     */
    pct_set keep;
    /*
     Triplets of these bytes are an error, unless they are kept: pct_set_range(0, 31) refuses "%00" and "%0A". What
     stands in the input unescaped is not looked at.
     */
    pct_set reject;
    /*
     The engine to use, or null for the best one.
     */
    const char *engine;
} pct_decode_options;

/*
 Describes what a call did. Every function that takes a `pct_result *` fills all of it, whatever the status; the pointer may be
 null. Offsets and lengths are in bytes.
 */
typedef struct {
    /*
     Bytes of the input that were dealt with: all of them where the status is PCT_OK (but for a stream, which stops
     where the output is full), those before the error otherwise.
     */
    size_t read;
    /*
     Bytes of the output that were written; these are good even if an error follows.
     */
    size_t written;
    /*
     With PCT_OUTPUT_TOO_SMALL, the capacity that is enough (SIZE_MAX if no buffer can be); otherwise 0.
     */
    size_t needed;
    /*
     Offset in the input of the first malformed or rejected triplet, or PCT_NONE. A lenient decoder copies malformed
     ones and goes on, so this may be set where the status is PCT_OK.
     */
    size_t first_error;
    /*
     Counts how many times decoding has changed something: 0 or 1, or more from pct_decode_layers().
     */
    uint32_t layers;
    /*
     1 if what was written differs from what was read, 0 if it is the same.
     */
    uint8_t changed;
    /*
     With PCT_REJECTED, the byte that the triplet stands for; otherwise 0.
     */
    uint8_t rejected;
    /*
     0.
     */
    uint16_t reserved;
} pct_result;

/*
 Encodes: a set and options, ready for use. An encoder lives in your memory, owns nothing, and needs no clean-up. Once
 initialised it may be copied, and any number of threads may use it at the same time.
 */
typedef struct {
    /*
     Private.
     */
    uint64_t opaque[24];
} pct_encoder;

/*
 Says how to encode. Set `size` to sizeof(pct_encode_options) and the rest to zero, then what you want: PCT_ENCODE_OPTIONS
 does the first.
 */
typedef struct {
    /*
     sizeof(pct_encode_options).
     */
    size_t size;
    /*
     PCT_ENCODE_ flags, combined with |.
     */
    uint32_t flags;
    /*
     0.
     */
    uint32_t reserved;
    /*
     The bytes that stay as they are. All others become triplets.
     */
    pct_set allowed;
    /*
     The engine to use, or null for the best one.
     */
    const char *engine;
} pct_encode_options;

/*
 Names a charset: one of the Encoding Standard, UTF-16 and UTF-32, US-ASCII and ISO 8859-1 to the letter, an EBCDIC
 page, or one of DOS. A charset lives in your memory, owns nothing, and needs no clean-up. Once initialised it may be
 copied, and any number of threads may use it at the same time.
 */
typedef struct {
    /*
     Private.
     */
    uint64_t opaque[4];
} pct_charset;

/*
 Holds the place of a component in a text.
 */
typedef struct {
    /*
     Offset of the component in the text, or PCT_NONE if it is absent.
     */
    size_t offset;
    /*
     Its length, which is 0 if it is absent.
     */
    size_t len;
} pct_slice;

/*
 Holds the form and the components of a request target.
 */
typedef struct {
    /*
     The form.
     */
    pct_target_form form;
    /*
     0.
     */
    uint32_t reserved;
    /*
     With PCT_BAD_TARGET, the offset of the fault; otherwise PCT_NONE.
     */
    size_t first_error;
    /*
     The scheme, in absolute-form.
     */
    pct_slice scheme;
    /*
     User, host and port: after "//" in absolute-form, or all of authority-form.
     */
    pct_slice authority;
    /*
     The path. It is always there, and empty in authority-form and asterisk-form. If it is empty and there is a scheme and an
     authority, it stands for "/".
     */
    pct_slice path;
    /*
     The text after the first "?".
     */
    pct_slice query;
} pct_request_target;

/*
 Iterates over the pairs of a form, in your memory: 512 bytes that own nothing and need no clean-up. The form must
 stay as it is while you iterate. One thread at a time may use an iterator.
 */
typedef struct {
    /*
     Private.
     */
    uint64_t opaque[64];
} pct_form;

/*
 Says how to read a form. Set `size` to sizeof(pct_form_options) and the rest to zero, then what you want: PCT_FORM_OPTIONS
 does the first.
 */
typedef struct {
    /*
     sizeof(pct_form_options).
     */
    size_t size;
    /*
     PCT_FORM_ flags, combined with |.
     */
    uint32_t flags;
    /*
     0.
     */
    uint32_t reserved;
    /*
     The greatest number of pairs; 0 if there is none.
     */
    size_t limit;
} pct_form_options;

/*
 Points to a pair of a form, as it stands there: decode name and value with pct_decode() and pct_form_decoder(). The pointers are
 into the form, and are not null; the bytes are not followed by a NUL.
 */
typedef struct {
    /*
     Points to what precedes the first "=": all of it, if there is none.
     */
    const char *name;
    /*
     Its length.
     */
    size_t name_len;
    /*
     Points to what follows the first "=".
     */
    const char *value;
    /*
     Its length.
     */
    size_t value_len;
    /*
     Offset of the pair in the form; after an error, that of the fault.
     */
    size_t offset;
    /*
     Whether there is a "=".
     */
    bool has_value;
} pct_pair;

/*
 Keeps the state of a stream, in your memory: 128 bytes that own nothing and need no clean-up. It points to its encoder or
 decoder, which must stay where it is until the stream ends. One thread at a time may use a stream. A copy of it is a
 second stream that goes on from the same place.
 */
typedef struct {
    /*
     Private.
     */
    uint64_t opaque[16];
} pct_stream;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Returns the version of the library that is loaded: major * 65536 + minor * 256 + patch.
 */
uint32_t pct_version(void);

/*
 Returns the version of the binary interface of the library that is loaded. A program that was compiled with a header of
 the same PCT_ABI_VERSION runs with it.
 */
uint32_t pct_abi_version(void);

/*
 Initialises `decoder`. Null options stand for zeros.

 Returns PCT_OK, PCT_UNKNOWN_NAME for an engine that this CPU does not run, or PCT_INVALID_ARGUMENT.
 */
pct_status pct_decoder_init(pct_decoder *decoder, const pct_decode_options *options);

/*
 Returns the decoder for names and values of forms: lenient, a "+" is a space. It is there for the life of the program.
 */
const pct_decoder *pct_form_decoder(void);

/*
 Decodes the `len` bytes at `src` to the front of the `cap` bytes at `dst`, or in place, if dst == src and cap >= len.
 No NUL is written. The result is bytes, of which nothing is known: "%00", "%2F" and what is not UTF-8 come out too,
 unless they are kept or rejected.

 On an error the bytes that precede it have been decoded. If that was in place, those from `read` on are as they were.

 Returns PCT_OK; PCT_TRUNCATED or PCT_NOT_HEX from a strict decoder; PCT_REJECTED from one that rejects;
 PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_decode(const pct_decoder *decoder,
                      const char *src,
                      size_t len,
                      char *dst,
                      size_t cap,
                      pct_result *result);

/*
 Returns how long the decoded form of `len` bytes can be at most: as long. Decoding never grows.
 */
size_t pct_decode_bound(size_t len);

/*
 Tells what pct_decode() would do, without writing anything: `written` in the result is the exact length of the decoded
 form. This is also how to check an input. `changed` is 0 or 1 as there; on an error `written` is 0.

 Returns what pct_decode() returns, but never PCT_OUTPUT_TOO_SMALL or PCT_OVERLAP.
 */
pct_status pct_decode_check(const pct_decoder *decoder,
                            const char *src,
                            size_t len,
                            pct_result *result);

/*
 Returns the offset of the first of the `len` bytes at `src` that decoding would change, as far as there is no error
 before it; PCT_NONE if there is none. If an argument is invalid, it returns 0, and pct_decode() returns the reason.
 */
size_t pct_decode_first_changed(const pct_decoder *decoder,
                                const char *src,
                                size_t len);

/*
 Normalises the escapes of a URI or a part of one (RFC 3986 6.2.2.1 and 6.2.2.2), as pct_decode() would do it: triplets
 of unreserved characters are decoded, the digits of all others become upper case, and nothing else changes. So
 "%7euser%2f" becomes "~user%2F", which means the same. A malformed "%" is an error.

 The text before the first ":" stays as it is if a "%" is in it: "%6Aavascript:" has no scheme, and gets none.
 */
pct_status pct_normalize_escapes(const char *src,
                                 size_t len,
                                 char *dst,
                                 size_t cap,
                                 pct_result *result);

/*
 Decodes, like pct_decode(), over and over until nothing changes, `max` times at most; `layers` in the result says how
 many times something changed. For looking at what somebody encoded twice, not for accepting it: RFC 3986 2.4 forbids
 to decode the same string more than once, because "%2541" is the text "%41".

 A "+" becomes a space in the first layer only, and only the first is strict: what was escaped is data. Rejected bytes
 are rejected in every layer. On an error `layers` is how many layers were decoded before the one at fault, whose text
 the offset refers to; `written` is how much of that one was decoded. Takes time in proportion to len * max.

 Works in place, like pct_decode(). The buffer must have room for the first layer.
 */
pct_status pct_decode_layers(const pct_decoder *decoder,
                             const char *src,
                             size_t len,
                             char *dst,
                             size_t cap,
                             uint32_t max,
                             pct_result *result);

/*
 Decodes, like pct_decode(), and "%uXXXX" as well, as IIS, old scripts and their logs have it: to the UTF-8 form of the
 UTF-16 code unit. Two surrogates side by side are one character; one that stands alone is a malformed "%", as is any
 "%u" without four digits. No standard knows "%uXXXX", so no other function here reads it. The set of triplets to keep
 does not apply to it; the set of those to reject does, where it stands for a character of ASCII.

 Works in place, like pct_decode(); in any case `cap` must not be below `len`. The decoder must not have
 PCT_DECODE_PLUS_AFTER_QUERY.
 */
pct_status pct_decode_u(const pct_decoder *decoder,
                        const char *src,
                        size_t len,
                        char *dst,
                        size_t cap,
                        pct_result *result);

/*
 Decodes like the transformation "urlDecodeUni" of ModSecurity and Coraza, for rules that are written against it: "%XX" is a
 byte, "+" a space, and "%uXXXX" or "%UXXXX" one byte. Which one is in `map`, if that is not null: 65,536 numbers, one for each
 code unit, -1 where there is none. Otherwise it is the lower byte, and for full-width forms (FF01 to FF5E) the ASCII
 character. What is malformed stays. Use the result for matching only.

 Works in place, like pct_decode(); in any case `cap` must not be below `len`.

 Returns PCT_OK, PCT_OUTPUT_TOO_SMALL, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
 */
pct_status pct_url_decode_uni(const int32_t *map,
                              const char *src,
                              size_t len,
                              char *dst,
                              size_t cap,
                              pct_result *result);

/*
 Initialises `encoder`.

 Returns PCT_OK, PCT_UNKNOWN_NAME for an engine that this CPU does not run, or PCT_INVALID_ARGUMENT.
 */
pct_status pct_encoder_init(pct_encoder *encoder, const pct_encode_options *options);

/*
 Initialises `encoder` with the set of this name, as pct_set_named() finds it, and with what else its users do: of
 "whatwg-form", "php-urlencode" and their like, a space becomes "+".

 Returns PCT_OK, PCT_UNKNOWN_NAME or PCT_INVALID_ARGUMENT.
 */
pct_status pct_encoder_named(pct_encoder *encoder,
                             const char *set_name);

/*
 Encodes the `len` bytes at `src` to the front of the `cap` bytes at `dst`. No NUL is written. Encoding cannot work in
 place, as its output grows: the two must not overlap.

 Returns PCT_OK; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_encode(const pct_encoder *encoder,
                      const char *src,
                      size_t len,
                      char *dst,
                      size_t cap,
                      pct_result *result);

/*
 Returns how long the encoded form of `len` bytes can be at most: three times as long; SIZE_MAX if that is more than
 PTRDIFF_MAX.
 */
size_t pct_encode_bound(size_t len);

/*
 Returns exactly how long the encoded form of the `len` bytes at `src` is; SIZE_MAX if a size_t cannot say, or an
 argument is invalid.
 */
size_t pct_encoded_len(const pct_encoder *encoder,
                       const char *src,
                       size_t len);

/*
 Returns the offset of the first of the `len` bytes at `src` that encoding would change; PCT_NONE if it would change
 none. If an argument is invalid, it returns 0, and pct_encode() returns the reason.
 */
size_t pct_encode_first_changed(const pct_encoder *encoder,
                                const char *src,
                                size_t len);

/*
 Returns the set of the `len` bytes at `data`; the empty set if `data` is null. For a literal:
 pct_set_of("/%", 2).
 */
pct_set pct_set_of(const char *data, size_t len);

/*
 Returns the set of the bytes from `first` to `last`, both included; the empty set if first > last.
 */
pct_set pct_set_range(uint8_t first, uint8_t last);

/*
 Returns the set of the bytes that are in `a`, in `b`, or in both.
 */
pct_set pct_set_union(pct_set a, pct_set b);

/*
 Returns the set of the bytes that are in both `a` and `b`.
 */
pct_set pct_set_intersection(pct_set a, pct_set b);

/*
 Returns the set of the bytes that are in `a` and not in `b`.
 */
pct_set pct_set_difference(pct_set a, pct_set b);

/*
 Returns the set of the bytes that are not in `set`, those of 0x80 and above included.
 */
pct_set pct_set_complement(pct_set set);

/*
 Returns whether `byte` is in `set`.
 */
bool pct_set_contains(pct_set set, uint8_t byte);

/*
 Stores the set of this name at `set`: one of the catalogue, such as "rfc3986-path", "rfc3986-unreserved",
 "whatwg-query" or "ecma-encode-uri-component". These are sets of the bytes that stay as they are when encoding. The
 case of letters does not matter, nor whether "-" or "_" is written. pct_set_name() lists them all.

 Returns PCT_OK, PCT_UNKNOWN_NAME, or PCT_INVALID_ARGUMENT if a pointer is null.
 */
pct_status pct_set_named(const char *set_name,
                         pct_set *set);

/*
 Writes the name of the set with this index in the catalogue to `out`, with a NUL at its end, and returns its length; 0
 if there is none. Indices count from 0. If `cap` is not above the length, the name is cut off; `out` may be null if
 `cap` is 0.
 */
size_t pct_set_name(size_t index,
                    char *out,
                    size_t cap);

/*
 Initialises `charset` with the one that IANA's registry calls by the `len` bytes at `name`, as MIME, HTTP and "data:" URLs
 have it. The case of ASCII letters does not matter. "ISO-8859-1" is that here, and not windows-1252.

 Returns PCT_OK, PCT_UNKNOWN_NAME or PCT_INVALID_ARGUMENT.
 */
pct_status pct_charset_for_name(pct_charset *charset,
                                const char *name,
                                size_t len);

/*
 Initialises `charset` with the one that the `len` bytes at `label` mean on the Web, in HTML and in forms (Encoding Standard
 4.2, "get an encoding"). The case of ASCII letters and the whitespace around it do not matter. "iso-8859-1" and "us-ascii" are
 windows-1252 there.

 Returns PCT_OK, PCT_UNKNOWN_NAME or PCT_INVALID_ARGUMENT.
 */
pct_status pct_charset_for_label(pct_charset *charset,
                                 const char *label,
                                 size_t len);

/*
 Writes the name of a charset and a NUL to the `cap` bytes at `out`, as much of it as there is room for, and returns its
 length. Charsets are numbered from 0; 0 is returned for those beyond the last. pct_charset_for_name() finds each by its
 name.
 */
size_t pct_charset_name(size_t index,
                        char *out,
                        size_t cap);

/*
 Converts the `len` bytes at `src`, text in UTF-8, to bytes in `charset`, and encodes those to the front of the `cap` bytes at
 `dst`. In charsets that are no superset of US-ASCII the bytes that stay are not the characters of the text: in UTF-16BE
 "A" is "%00A". `flags` is 0 or PCT_CHARSET_HTML. It cannot work in place.

 On an error `first_error` is the offset of the character without bytes, or of what is not UTF-8, and what precedes it has been
 written.

 Returns PCT_OK; PCT_UNMAPPABLE; PCT_NOT_TEXT; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_encode_charset(const pct_encoder *encoder,
                              const pct_charset *charset,
                              uint32_t flags,
                              const char *src,
                              size_t len,
                              char *dst,
                              size_t cap,
                              pct_result *result);

/*
 Decodes the `len` bytes at `src`, and writes the text that the bytes stand for in `charset`, in UTF-8, to the front of the
 `cap` bytes at `dst`. All of it becomes bytes first, and these become text: characters that are not escaped, or kept, are bytes
 of the charset too. `flags` is 0 or PCT_CHARSET_LOSSY. A null decoder is the lenient one. It cannot work in place.

 On an error the text that precedes it has been written. To try UTF-8 first, and another charset where that fails with
 PCT_NOT_TEXT, is how to read text of unknown origin: what is not UTF-8 is hardly ever UTF-8 by chance.

 Returns PCT_OK; PCT_NOT_TEXT; the errors of pct_decode(); PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or
 PCT_INVALID_ARGUMENT.
 */
pct_status pct_decode_charset(const pct_decoder *decoder,
                              const pct_charset *charset,
                              uint32_t flags,
                              const char *src,
                              size_t len,
                              char *dst,
                              size_t cap,
                              pct_result *result);

/*
 Returns how long what pct_encode_charset() writes can be at most, of `len` bytes in any charset and with any set: 24 times as
 long; SIZE_MAX if that is more than PTRDIFF_MAX.
 */
size_t pct_encode_charset_bound(size_t len);

/*
 Returns how long what pct_decode_charset() writes can be at most, of `len` bytes in any charset: three times as long; SIZE_MAX
 if that is more than PTRDIFF_MAX.
 */
size_t pct_decode_charset_bound(size_t len);

/*
 Splits the target of an HTTP request, such as "//a?b" of "GET //a?b HTTP/1.1". Checks that it has one of the four forms, and no
 "#", blank or control (RFC 9112 3.2).

 A target is no URI reference: "//private/a" is a path. `target` is filled whatever the status. A server answers 400 (Bad Request)
 unless the status is PCT_OK, and checks that the method takes the form; then it hands the path to pct_normalize_path(). A reader
 of logs ignores the status: a "#" belongs to the path or to the query. "host:443" has authority-form, although it could be a URI
 with the scheme "host" if the method is not CONNECT. Whether the authority is valid is not checked.

 Returns PCT_OK, PCT_BAD_TARGET or PCT_INVALID_ARGUMENT; with the last, `target` has no form and no component.
 */
pct_status pct_split_target(const char *src,
                            size_t len,
                            pct_request_target *target);

/*
 Normalizes the path of a request, without the query, so that what is checked is what is used:

 1. A path that does not begin with "/" is refused, and so is every control, "%00" included, escaped or not.
 2. Whatever may not stand in a path becomes triplets: "%25" for a "%" that starts none, "%5C" for a backslash.
 3. Triplets of unreserved characters are decoded, once; all others stay, with digits in upper case. So "%2F" remains.
 4. Dot segments are removed, those that were written "%2E" too. No ".." gets out of the root.

 Normalizing the result again changes nothing. `flags` is 0 or PCT_PATH_STRICT. Does not work in place; `cap` must have
 room for the path after the second step, three times `len` at most.

 Returns PCT_OK; PCT_NOT_HEX (strict only); PCT_BAD_PATH for everything else that is wrong with the path, with its
 offset; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_normalize_path(const char *src,
                              size_t len,
                              char *dst,
                              size_t cap,
                              uint32_t flags,
                              pct_result *result);

/*
 Begins to iterate over the pairs of the `len` bytes at `src`, a body of the type application/x-www-form-urlencoded or
 what follows the "?" of a URL. Pairs are separated by "&"; empty ones are skipped (URL Standard 5.1). Null options
 stand for zeros.

 Returns PCT_OK or PCT_INVALID_ARGUMENT.
 */
pct_status pct_form_init(pct_form *form,
                         const char *src,
                         size_t len,
                         const pct_form_options *options);

/*
 Stores the next pair at `pair`.

 Returns PCT_OK; PCT_END if there is none; PCT_TRUNCATED or PCT_NOT_HEX if one is malformed and the form is read
 strictly (the call after that goes on with the next pair); PCT_TOO_MANY_PAIRS (the call after that returns PCT_END);
 or PCT_INVALID_ARGUMENT. Unless it is PCT_OK, `pair` is empty, but for the offset of the fault.
 */
pct_status pct_form_next(pct_form *form,
                         pct_pair *pair);

/*
 Begins a stream that encodes.

 Returns PCT_OK or PCT_INVALID_ARGUMENT.
 */
pct_status pct_stream_encode(pct_stream *stream, const pct_encoder *encoder);

/*
 Begins a stream that decodes; leniently, if `decoder` is null.

 Returns PCT_OK or PCT_INVALID_ARGUMENT.
 */
pct_status pct_stream_decode(pct_stream *stream, const pct_decoder *decoder);

/*
 Gives a stream its next `len` bytes, and writes what comes of them to the front of the `cap` bytes at `dst`. Chunks may
 end anywhere, inside a triplet too: what cannot be decided yet, six bytes at most, is kept in the stream.

 If `read` in the result is below `len`, the output is full, or an error follows: call again with the rest. A `cap` of
 7 or more always gets on. `first_error` is an offset in the whole stream; `changed` is not set.

 Returns PCT_OK; PCT_OUTPUT_TOO_SMALL if there is no room to get on; the errors of pct_decode(), which come when what
 precedes them has been written, and stay; PCT_OVERLAP, as a stream cannot work in place; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_stream_push(pct_stream *stream,
                           const char *src,
                           size_t len,
                           char *dst,
                           size_t cap,
                           pct_result *result);

/*
 Ends a stream: writes what it has kept, at most 6 bytes. If there is too little room, call again with more. After PCT_OK
 the stream must be begun anew before it is used again.

 Returns PCT_OK; PCT_OUTPUT_TOO_SMALL; from a strict decoder PCT_TRUNCATED if the input ended inside a triplet, or the
 error that came before; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_stream_finish(pct_stream *stream,
                             char *dst,
                             size_t cap,
                             pct_result *result);

/*
 Encodes many strings in one call. Row i is the bytes of `values` from offsets[i] up to offsets[i + 1]; there are
 `rows` + 1 offsets, ascending, as in Arrow's variable-size binary layout. The encoded rows go to `dst`, one behind the
 other, and their `rows` + 1 offsets, from 0 on, to `out_offsets`. `read` in the result is how many rows were done. What is
 written must not overlap what is read.

 All offsets are checked first, whatever the capacity. If row i is the first one whose offsets do not ascend or are not
 within the values, the call returns PCT_BAD_OFFSETS, `read` is i, and no row is done.

 Returns PCT_OK; PCT_OUTPUT_TOO_SMALL, with a `needed` that is enough for all rows; PCT_BAD_OFFSETS, also for the row `read`
 whose output ends beyond what the offsets can express; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_encode_batch32(const pct_encoder *encoder,
                              const char *values,
                              size_t values_len,
                              const int32_t *offsets,
                              size_t rows,
                              char *dst,
                              size_t cap,
                              int32_t *out_offsets,
                              pct_result *result);

/*
 Encodes many strings in one call, like pct_encode_batch32(), with offsets of 64 bits.
 */
pct_status pct_encode_batch64(const pct_encoder *encoder,
                              const char *values,
                              size_t values_len,
                              const int64_t *offsets,
                              size_t rows,
                              char *dst,
                              size_t cap,
                              int64_t *out_offsets,
                              pct_result *result);

/*
 Decodes many strings in one call, with the layout of pct_encode_batch32(). No triplet is read across the end of a row.
 If a row is malformed or rejected, it is the one with the index `read`, and `first_error` is an offset in that row; the rows
 before it are good. A lenient decoder finds no row malformed, so no row can fail the others.

 Returns PCT_OK, PCT_OUTPUT_TOO_SMALL or PCT_BAD_OFFSETS as there; the errors of pct_decode(); PCT_OVERLAP; or
 PCT_INVALID_ARGUMENT.
 */
pct_status pct_decode_batch32(const pct_decoder *decoder,
                              const char *values,
                              size_t values_len,
                              const int32_t *offsets,
                              size_t rows,
                              char *dst,
                              size_t cap,
                              int32_t *out_offsets,
                              pct_result *result);

/*
 Decodes many strings in one call, like pct_decode_batch32(), with offsets of 64 bits.
 */
pct_status pct_decode_batch64(const pct_decoder *decoder,
                              const char *values,
                              size_t values_len,
                              const int64_t *offsets,
                              size_t rows,
                              char *dst,
                              size_t cap,
                              int64_t *out_offsets,
                              pct_result *result);

/*
 Writes the name of the engine with this index to `out`, with a NUL at its end, and returns its length; 0 if there is
 none. An engine is the codec compiled for one instruction set: "avx512", "avx2", "sse42", "neon" or "scalar". Those
 that this CPU can run have the indices from 0 on, best first; the one with index 0 is used where none is asked for.
 If `cap` is not above the length, the name is cut off; `out` may be null if `cap` is 0.
 */
size_t pct_engine_name(size_t index,
                       char *out,
                       size_t cap);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PERCENT_SIMD_H */
