/*
 * percent_simd.h - percent-encoding (URL encoding) with SIMD, for C99 and C++.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The library encodes and decodes bytes. For std::string see percent_simd.hpp. The shortest use:
 *
 *     pct_result result;
 *     pct_decode(NULL, text, len, text, len, &result);       decodes in place; result.written bytes
 *
 *     pct_encoder encoder;                                    once
 *     pct_encoder_named(&encoder, "rfc3986-segment");
 *     pct_encode(&encoder, text, len, out, cap, &result);     as often as you like
 *
 * Most functions return a pct_status, which is 0 for success, and fill a pct_result with details:
 *
 *     switch (pct_decode(&decoder, src, len, dst, cap, &result)) {
 *     case PCT_OK:               result.written bytes are at dst; result.changed is 1 if they differ from src
 *     case PCT_OUTPUT_TOO_SMALL: try again with a buffer of result.needed bytes
 *     case PCT_REJECTED:         result.rejected is the byte; its triplet is at src + result.first_error
 *     default:                   malformed at src + result.first_error, or an argument is invalid
 *     }
 *
 * A buffer of pct_decode_bound(len) bytes is always large enough for decoding, and a buffer of pct_encode_bound(len)
 * bytes for encoding.
 *
 * To use a charset other than UTF-8, look it up once. One call then converts between UTF-8 text and triplets:
 *
 *     pct_charset_for_label(&charset, "shift_jis", 9);
 *     pct_decode_charset(NULL, &charset, 0, src, len, dst, cap, &result);
 *
 * A triplet is "%" and two hexadecimal digits, in upper or lower case. A "%" that starts no triplet is malformed.
 *
 * These rules hold for all functions:
 *
 * - Text is a pointer and a length in bytes. It may hold any bytes, NUL included. It needs no NUL at its end, and the
 *   library writes no NUL. Only names of sets, charsets and engines are strings that end in NUL.
 * - A null pointer with the length 0 is the empty text. A null pointer with another length, and a length above PTRDIFF_MAX,
 *   are refused with PCT_INVALID_ARGUMENT, without reading or writing any text. A null `result` is allowed.
 * - No function allocates, locks, logs, changes errno, calls back, or reads the environment. The output depends only
 *   on the arguments. The first call chooses the engine for this CPU and keeps it in one atomic pointer.
 * - You may call all functions from any number of threads at the same time. Threads may share encoders, decoders and sets
 *   once these are initialised. Only one thread at a time may use a stream or an iterator.
 * - Objects live in your memory and hold no resources. Their fields called `opaque` are private. Pass an object to an
 *   initialising function first. Every function refuses an object with PCT_INVALID_ARGUMENT if it was not initialised, if
 *   its initialisation failed, or if it is all zeros.
 * - No function writes beyond `cap` bytes. No input is dropped: bytes that cannot be decoded are copied, or cause an error with
 *   an offset. Output bytes after `written` and within `cap` are unspecified.
 * - If a function works in place, its documentation says so, and input and output may be the same buffer. In all other cases,
 *   memory that a call writes to (an output, a result, an object) must not overlap another argument. If it does, the call
 *   returns PCT_OVERLAP. It then writes only to the result, and not even to the result if the result overlaps another argument.
 * - Time is linear in the input, unless the documentation of a function says otherwise. It depends on the data, so do not use
 *   the functions on secrets.
 * - New versions do not break compiled programs. They add functions and values of pct_status. Structs that begin with their own
 *   size get new fields at their end, and zero in a new field means the old behaviour. pct_encoder and the other opaque
 *   structs have spare bytes. If programs must be recompiled, PCT_ABI_VERSION and the number after ".so" change.
 *
 * Generated from the Rust sources; do not edit.
 */

#ifndef PERCENT_SIMD_H
#define PERCENT_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The version of the library that this header belongs to. */
#define PCT_VERSION_STRING "0.1.0"

/** Means "no offset", or a length that does not fit into a size_t. */
#define PCT_NONE SIZE_MAX

/** Initialises options: "pct_encode_options options = PCT_ENCODE_OPTIONS;" sets `size`, and all other fields to zero. */
#define PCT_ENCODE_OPTIONS {sizeof(pct_encode_options), 0, 0, {{0, 0, 0, 0}}, 0}
/** Initialises options, like PCT_ENCODE_OPTIONS. */
#define PCT_DECODE_OPTIONS {sizeof(pct_decode_options), 0, 0, {{0, 0, 0, 0}}, {{0, 0, 0, 0}}, 0}
/** Initialises options, like PCT_ENCODE_OPTIONS. */
#define PCT_FORM_OPTIONS {sizeof(pct_form_options), 0, 0, 0}

/*
 The version of the binary interface that this header describes.
 */
#define PCT_ABI_VERSION 0

/*
 Makes a malformed "%" an error. Without this flag, a malformed "%" is copied, as the URL Standard requires.
 */
#define PCT_DECODE_STRICT 1

/*
 Decodes "+" to a space, as in forms.
 */
#define PCT_DECODE_PLUS 2

/*
 Decodes "+" to a space after the first "?" of the input, which is right for whole request targets. This flag cannot
 be combined with PCT_DECODE_PLUS.
 */
#define PCT_DECODE_PLUS_AFTER_QUERY 4

/*
 Writes the hexadecimal digits of kept triplets in upper case.
 */
#define PCT_DECODE_KEEP_UPPER 8

/*
 Writes hexadecimal digits in lower case. The default is upper case, as RFC 3986 asks.
 */
#define PCT_ENCODE_LOWERCASE 1

/*
 Writes a space as "+", even if the space is in the set. The set should not contain "+", because a "+" that is kept
 would later be decoded to a space.
 */
#define PCT_ENCODE_SPACE_TO_PLUS 2

/*
 Keeps valid triplets, so that encoded text is not encoded twice. Every other "%" becomes "%25".
 */
#define PCT_ENCODE_KEEP_TRIPLETS 4

/*
 Encodes a character that the charset lacks as a decimal numeric character reference, "&#8364;", as browsers do in
 forms. Without this flag, the character is an error.
 */
#define PCT_CHARSET_HTML 1

/*
 Replaces bytes that form no character in the charset by U+FFFD. Without this flag, these bytes are an error.
 */
#define PCT_CHARSET_LOSSY 2

/*
 Refuses a malformed "%" and every character that paths do not allow. Without this flag, both are escaped.
 */
#define PCT_PATH_STRICT 1

/*
 Removes empty segments, except the last: "//a//b/" becomes "/a/b/". Use this flag if the path names a file.
 */
#define PCT_PATH_MERGE_SLASHES 2

/*
 Refuses "%2F" and "%5C", and a raw backslash. Use this flag if another program decodes the path after your check.
 */
#define PCT_PATH_REJECT_SEPARATORS 4

/*
 AWS Signature Version 4, and V4 signatures of Google Cloud Storage: sorts by name and value, encodes everything
 but letters, digits and "-._~", and always writes "=". A "+" is a plus sign.
 */
#define PCT_QUERY_SIGV4 1

/*
 The parameters of OAuth 1.0 (RFC 5849 3.4.1.3): like PCT_QUERY_SIGV4, but "+" is a space.
 */
#define PCT_QUERY_OAUTH1 2

/*
 A key for a cache: sorts by name, and changes no pair. Pairs with the same name keep their order.
 */
#define PCT_QUERY_CACHE_KEY 3

/*
 Keeps all pairs as they are written, in their order, except the pairs that you drop by name.
 */
#define PCT_QUERY_AS_WRITTEN 4

/*
 Blanks, quotes or angle brackets around the link: removed.
 */
#define PCT_REPAIR_SURROUNDINGS 1

/*
 A line break inside the link, with the blanks and quote marks of mail next to it: removed.
 */
#define PCT_REPAIR_LINE_BREAK 2

/*
 A space outside the host: encoded.
 */
#define PCT_REPAIR_SPACE 4

/*
 A character above ASCII outside the host: encoded.
 */
#define PCT_REPAIR_NON_ASCII 8

/*
 A "%" that starts no triplet: encoded.
 */
#define PCT_REPAIR_PERCENT 16

/*
 A bracket outside the host: encoded.
 */
#define PCT_REPAIR_BRACKET 32

/*
 Another character that must be encoded in a URI: encoded.
 */
#define PCT_REPAIR_ILLEGAL 64

/*
 "%u4E2D": replaced by the triplets of the character.
 */
#define PCT_REPAIR_U_ESCAPE 128

/*
 "&amp;" in a query: replaced by "&".
 */
#define PCT_REPAIR_ENTITY 256

/*
 A backslash that browsers read as a slash: replaced by "/".
 */
#define PCT_REPAIR_BACKSLASH 512

/*
 A path, query or fragment that was certainly encoded twice: one layer of triplets is removed.
 */
#define PCT_REPAIR_DOUBLE_ENCODED 1024

/*
 Brackets, quotes and punctuation marks of the sentence around the link, such as "(" and ").": removed, if they are
 certainly not part of the link.
 */
#define PCT_REPAIR_PUNCTUATION 2048

/*
 An IPv6 address without brackets: gets them.
 */
#define PCT_REPAIR_IPV6 4096

/*
 A path of Linux, macOS and other systems like Unix: segments of any bytes but NUL, separated by "/".
 */
#define PCT_FILE_POSIX 1

/*
 A path of Windows in UTF-8: a drive letter or "\\host", and segments separated by "\" or "/".
 */
#define PCT_FILE_WINDOWS 2

/*
 Makes a malformed "%" an error.
 */
#define PCT_FORM_STRICT 1

/*
 Ends a pair at ";" as well as at "&" (HTML 4). If a cache in front of the server does not split at ";", cache and
 server read different pairs.
 */
#define PCT_FORM_SEMICOLONS 2

/*
 The type is neither "inline" nor "form-data": save the response as a file (RFC 6266 4.2).
 */
#define PCT_DISPOSITION_ATTACHMENT 1

/*
 Show the response.
 */
#define PCT_DISPOSITION_INLINE 2

/*
 A part of "multipart/form-data" (RFC 7578 4.2).
 */
#define PCT_DISPOSITION_FORM_DATA 3

/*
 Names the outcome of a call.

 Every value above PCT_OUTPUT_TOO_SMALL is an error in the input or in the arguments. Later versions may add values.
 Treat values that you do not know as errors.
 */
typedef enum {
    /*
     The call succeeded. It has processed all of its input, or, for a stream, as much as the output has room for.
     */
    PCT_OK = 0,
    /*
     An iterator has reached its end.
     */
    PCT_END = 1,
    /*
     The output buffer is too small. `needed` in the result is a sufficient capacity. The contents of the buffer are
     unspecified.
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
     A triplet encodes a byte that the decoder rejects. That byte is in `rejected` of the result.
     */
    PCT_REJECTED = 5,
    /*
     A form has more pairs than the limit.
     */
    PCT_TOO_MANY_PAIRS = 6,
    /*
     The offsets of a batch are negative, not ascending, or beyond the values. Or the type of the offsets is too
     small for the output.
     */
    PCT_BAD_OFFSETS = 7,
    /*
     A request path does not begin with "/", contains a control, or contains a character that a flag refuses. Or the
     path of a file has no "file:" URL. Or a "file:" URL has no path of a file.
     */
    PCT_BAD_PATH = 8,
    /*
     No set, charset or engine has this name, or this CPU cannot run the engine.
     */
    PCT_UNKNOWN_NAME = 9,
    /*
     An argument breaks the rules of the function: a null pointer with a length other than 0, a length above
     PTRDIFF_MAX, an unknown flag, options of an unknown size, or an object that was not initialised.
     */
    PCT_INVALID_ARGUMENT = 10,
    /*
     Input and output overlap without beginning at the same address, or the call cannot work in place. Or other memory
     that the call writes to overlaps an argument.
     */
    PCT_OVERLAP = 11,
    /*
     A character of the text has no bytes in the charset.
     */
    PCT_UNMAPPABLE = 12,
    /*
     Decoded bytes are no character of the charset, or the text to encode is not UTF-8.
     */
    PCT_NOT_TEXT = 13,
    /*
     A request target matches no form of RFC 9112 3.2, or contains a "#", a blank or a control.
     */
    PCT_BAD_TARGET = 14,
    /*
     A member of a header field does not have the form that the field's standard requires.
     */
    PCT_BAD_FIELD = 15,
} pct_status;

/*
 Names the form of a request target (RFC 9112 3.2).
 */
typedef enum {
    /*
     The target matches no form of RFC 9112 3.2. It is split into a path and a query at the first "?".
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
     "host:443", allowed with CONNECT only.
     */
    PCT_TARGET_AUTHORITY = 3,
    /*
     "*", allowed with OPTIONS only.
     */
    PCT_TARGET_ASTERISK = 4,
} pct_target_form;

/*
 Holds a decoder and its options.

 A decoder lives in your memory, holds no resources, and needs no clean-up. Once initialised it may be copied, and any
 number of threads may use it at the same time. If a function takes a decoder, a null pointer means the lenient
 decoder, whose options are all zero.
 */
typedef struct {
    /*
     Private.
     */
    uint64_t opaque[64];
} pct_decoder;

/*
 Holds a set of bytes, as a value of 32 bytes.

 Byte b is in the set if bit b % 64 of words[b / 64] is 1. All zeros is the empty set. The functions below take and
 return sets by value.
 */
typedef struct {
    /*
     The bits.
     */
    uint64_t words[4];
} pct_set;

/*
 Holds the options of a decoder.

 Begin with PCT_DECODE_OPTIONS, which sets `size` to sizeof(pct_decode_options) and the rest to zero. Then set the
 options you want. If all of them are zero, the decoder does the URL Standard's percent-decode.
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
     Must be 0.
     */
    uint32_t reserved;
    /*
     Triplets of these bytes stay escaped: pct_set_of("/", 1) keeps "%2F". If the set contains "%", decoding never
     forms a new triplet. In "%%32F", for example, "%32" is kept too, because decoding it would form "%2F". So
     decoding a second time has no effect.
     */
    pct_set keep;
    /*
     Triplets of these bytes are an error, unless they are kept: pct_set_range(0, 31) rejects "%00" and "%0A".
     Unescaped bytes of the input are not checked.
     */
    pct_set reject;
    /*
     The engine to use, or null for the best one.
     */
    const char *engine;
} pct_decode_options;

/*
 Describes the outcome of a call in detail.

 Every function that takes a `pct_result *` fills all of it, whatever the status, unless it overlaps another argument.
 The pointer may be null. Offsets and lengths are in bytes.
 */
typedef struct {
    /*
     Number of input bytes that were processed. With PCT_OK this is the whole input, or less if the output of a
     stream is full. After an error it is the number of bytes before the error.
     */
    size_t read;
    /*
     Number of output bytes that were written. These bytes are valid even if an error follows, except after
     PCT_OUTPUT_TOO_SMALL.
     */
    size_t written;
    /*
     With PCT_OUTPUT_TOO_SMALL, a sufficient capacity, or SIZE_MAX if no buffer can be large enough. Otherwise 0.
     */
    size_t needed;
    /*
     Offset in the input of the first malformed or rejected triplet, or PCT_NONE. A lenient decoder copies malformed
     triplets and continues, so this field can be set even with PCT_OK.
     */
    size_t first_error;
    /*
     Number of decoding passes that changed the text: 0 or 1, or more from pct_decode_layers().
     */
    uint32_t layers;
    /*
     1 if the output differs from the input, 0 if they are equal.
     */
    uint8_t changed;
    /*
     With PCT_REJECTED, the byte that the triplet encodes. Otherwise 0.
     */
    uint8_t rejected;
    /*
     Always 0.
     */
    uint16_t reserved;
} pct_result;

/*
 Holds an encoder: its set and its options.

 An encoder lives in your memory, holds no resources, and needs no clean-up. Once initialised it may be copied, and any
 number of threads may use it at the same time.
 */
typedef struct {
    /*
     Private.
     */
    uint64_t opaque[24];
} pct_encoder;

/*
 Holds the options of an encoder.

 Begin with PCT_ENCODE_OPTIONS, which sets `size` to sizeof(pct_encode_options) and the rest to zero. Then set the
 options you want.
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
     Must be 0.
     */
    uint32_t reserved;
    /*
     The bytes that are not encoded. All others become triplets.
     */
    pct_set allowed;
    /*
     The engine to use, or null for the best one.
     */
    const char *engine;
} pct_encode_options;

/*
 Identifies a charset.

 The supported charsets are the charsets of the Encoding Standard, UTF-16 and UTF-32, strict US-ASCII and ISO 8859-1,
 EBCDIC pages, and DOS pages. A charset lives in your memory, holds no resources, and needs no clean-up. Once
 initialised it may be copied, and any number of threads may use it at the same time.
 */
typedef struct {
    /*
     Private.
     */
    uint64_t opaque[4];
} pct_charset;

/*
 Holds the position of a component in a text.
 */
typedef struct {
    /*
     Offset of the component in the text, or PCT_NONE if it is absent.
     */
    size_t offset;
    /*
     Length of the component, or 0 if it is absent.
     */
    size_t len;
} pct_slice;

/*
 Holds the form and the components of a request target.
 */
typedef struct {
    /*
     The form of the target.
     */
    pct_target_form form;
    /*
     Always 0.
     */
    uint32_t reserved;
    /*
     With PCT_BAD_TARGET, the offset of the fault; otherwise PCT_NONE.
     */
    size_t first_error;
    /*
     The scheme. Only absolute-form has one.
     */
    pct_slice scheme;
    /*
     User, host and port. In absolute-form, they follow "//". In authority-form, they are the whole target.
     */
    pct_slice authority;
    /*
     The path. It is always present, and empty in authority-form and asterisk-form. An empty path after a scheme and
     an authority means "/".
     */
    pct_slice path;
    /*
     The text after the first "?".
     */
    pct_slice query;
} pct_request_target;

/*
 A repair of one place.
 */
typedef struct {
    /*
     Offset in the input of the replaced text.
     */
    size_t offset;
    /*
     Length of the replaced text. This includes a line break that was removed inside the text.
     */
    size_t len;
    /*
     The kind of repair: one of the PCT_REPAIR_ constants.
     */
    uint32_t kind;
    /*
     Always 0.
     */
    uint32_t reserved;
} pct_change;

/*
 Iterates over the pairs of a form.

 An iterator is 512 bytes in your memory. It holds no resources and needs no clean-up. The form must not change while
 you iterate. Only one thread at a time may use an iterator.
 */
typedef struct {
    /*
     Private.
     */
    uint64_t opaque[64];
} pct_form;

/*
 Holds the options for reading a form.

 Begin with PCT_FORM_OPTIONS, which sets `size` to sizeof(pct_form_options) and the rest to zero. Then set the
 options you want.
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
     Must be 0.
     */
    uint32_t reserved;
    /*
     The greatest number of pairs; 0 means no limit.
     */
    size_t limit;
} pct_form_options;

/*
 Points to the name and the value of a pair of a form, undecoded.

 Decode name and value with pct_decode() and pct_form_decoder(). The pointers point into the form and are never null.
 No NUL follows the bytes.
 */
typedef struct {
    /*
     Points to the bytes before the first "=", or to the whole pair if it has no "=".
     */
    const char *name;
    /*
     Length of the name.
     */
    size_t name_len;
    /*
     Points to the bytes after the first "=".
     */
    const char *value;
    /*
     Length of the value, or 0 if the pair has no "=".
     */
    size_t value_len;
    /*
     Offset of the pair in the form. After an error, offset of the fault.
     */
    size_t offset;
    /*
     True if the pair has a "=".
     */
    bool has_value;
} pct_pair;

/*
 Keeps the state of a stream.

 A stream is 128 bytes in your memory. It holds no resources and needs no clean-up. It points to its encoder or
 decoder, which must stay at its address until the stream ends. Only one thread at a time may use a stream. If you copy
 a stream, the copy is a second stream that continues from the same point.
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
 Returns the version of the loaded library: major * 65536 + minor * 256 + patch.
 */
uint32_t pct_version(void);

/*
 Returns the version of the binary interface of the loaded library.

 A program runs with every library that returns the same number as PCT_ABI_VERSION in the header that the program was
 compiled with.
 */
uint32_t pct_abi_version(void);

/*
 Initialises `decoder`. If `options` is null, all options are zero.

 Returns PCT_OK, PCT_UNKNOWN_NAME for an engine that this CPU cannot run, PCT_OVERLAP or
 PCT_INVALID_ARGUMENT.
 */
pct_status pct_decoder_init(pct_decoder *decoder, const pct_decode_options *options);

/*
 Returns the decoder for names and values of forms. It is lenient, decodes "+" to a space, and lives as long as the
 program.
 */
const pct_decoder *pct_form_decoder(void);

/*
 Decodes the `len` bytes at `src` into the `cap` bytes at `dst`, or in place if dst == src and cap >= len.

 No NUL is written. The result is arbitrary bytes: "%00", "%2F" and invalid UTF-8 are decoded too, unless they are
 kept or rejected.

 On an error, the bytes before the error have been decoded. If the call works in place, the bytes from offset `read`
 on are unchanged.

 Returns PCT_OK; PCT_TRUNCATED or PCT_NOT_HEX from a strict decoder; PCT_REJECTED from a decoder that rejects bytes;
 PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_decode(const pct_decoder *decoder,
                      const char *src,
                      size_t len,
                      char *dst,
                      size_t cap,
                      pct_result *result);

/*
 Returns the greatest length of the decoded form of `len` bytes: `len`, because decoding never makes text longer.
 */
size_t pct_decode_bound(size_t len);

/*
 Checks an input: fills the result as pct_decode() would, but writes no output.

 `written` in the result is the exact length of the decoded form, or 0 on an error. `changed` is 0 or 1, as from
 pct_decode().

 Returns the status of pct_decode(), but never PCT_OUTPUT_TOO_SMALL.
 */
pct_status pct_decode_check(const pct_decoder *decoder,
                            const char *src,
                            size_t len,
                            pct_result *result);

/*
 Returns the offset of the first of the `len` bytes at `src` that decoding would change, or PCT_NONE.

 If an error comes before the first change, the function returns PCT_NONE, too. If an argument is invalid, it returns
 0. A call of pct_decode() with the same arguments then returns the reason.
 */
size_t pct_decode_first_changed(const pct_decoder *decoder,
                                const char *src,
                                size_t len);

/*
 Normalises the escapes of a URI or a part of one (RFC 3986 6.2.2.1 and 6.2.2.2).

 Triplets of unreserved characters are decoded. The digits of all other triplets become upper case. The remaining text
 stays the same. So "%7euser%2f" becomes "~user%2F", an equivalent path. A malformed "%" is an error. Works in place,
 like pct_decode(), and returns the statuses of a strict decoder.

 If the text before the first ":" contains a "%", that text stays as it is: "%6Aavascript:" has no scheme, and
 normalizing must not give it one.
 */
pct_status pct_normalize_escapes(const char *src,
                                 size_t len,
                                 char *dst,
                                 size_t cap,
                                 pct_result *result);

/*
 Decodes like pct_decode(), repeatedly, until the text no longer changes or `max` layers are decoded.

 `layers` in the result is the number of passes that changed something. Use this function to inspect text that was
 encoded several times, not to accept such text: RFC 3986 2.4 forbids decoding the same string more than once,
 because "%2541" is the text "%41".

 Only the first layer is strict and turns "+" into a space: a "+" or "%" that appears in a later layer was escaped in
 the input, so it is data. Rejected bytes are rejected in every layer. On an error `layers` is the number of layers
 decoded before the faulty layer. `first_error` is an offset in the text of the faulty layer, and `written` is the
 number of decoded bytes of that layer. The call takes time in proportion to len * max.

 Works in place, like pct_decode(). With separate buffers, `cap` must be enough for the result of the first layer.
 */
pct_status pct_decode_layers(const pct_decoder *decoder,
                             const char *src,
                             size_t len,
                             char *dst,
                             size_t cap,
                             uint32_t max,
                             pct_result *result);

/*
 Decodes like pct_decode(), and also decodes "%uXXXX", the number of a UTF-16 code unit, to UTF-8.

 IIS, old scripts and their logs write "%uXXXX". No standard defines this escape, so only this function and
 pct_url_decode_uni() read it. A pair of adjacent surrogates is one character. A lone surrogate is a malformed "%",
 and so is a "%u" without four digits. The option `keep` does not apply to "%uXXXX". The option `reject` applies if
 the character is ASCII.

 Works in place, like pct_decode(). Even with separate buffers `cap` must be at least `len`. The decoder must not
 have PCT_DECODE_PLUS_AFTER_QUERY.
 */
pct_status pct_decode_u(const pct_decoder *decoder,
                        const char *src,
                        size_t len,
                        char *dst,
                        size_t cap,
                        pct_result *result);

/*
 Decodes like the transformation "urlDecodeUni" of ModSecurity and Coraza, for rules that expect this transformation.

 "%XX" becomes a byte, "+" becomes a space, and "%uXXXX" or "%UXXXX" becomes one byte. If `map` is not null, it has
 65,536 numbers: for each code unit its byte, or -1. Without a map, or if the number is -1, a full-width form (FF01
 to FF5E) becomes its ASCII character, and any other code unit becomes its lower byte. Malformed escapes stay. Use
 the result for matching only.

 Works in place, like pct_decode(). Even with separate buffers `cap` must be at least `len`.

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

 Returns PCT_OK, PCT_UNKNOWN_NAME for an engine that this CPU cannot run, PCT_OVERLAP or
 PCT_INVALID_ARGUMENT.
 */
pct_status pct_encoder_init(pct_encoder *encoder, const pct_encode_options *options);

/*
 Finds an encoder by its name in the catalogue, and initialises `encoder` with its set and its options.

 pct_set_named() describes the names. For "whatwg-form", "php-urlencode" and similar names, a space becomes "+".

 Returns PCT_OK, PCT_UNKNOWN_NAME, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
 */
pct_status pct_encoder_named(pct_encoder *encoder,
                             const char *set_name);

/*
 Encodes the `len` bytes at `src` into the `cap` bytes at `dst`.

 No NUL is written. Encoding cannot work in place, because its output grows: the two buffers must not overlap.

 Returns PCT_OK; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_encode(const pct_encoder *encoder,
                      const char *src,
                      size_t len,
                      char *dst,
                      size_t cap,
                      pct_result *result);

/*
 Returns the greatest length of the encoded form of `len` bytes: 3 times `len`, or SIZE_MAX if that is more than
 PTRDIFF_MAX.
 */
size_t pct_encode_bound(size_t len);

/*
 Returns the exact length of the encoded form of the `len` bytes at `src`.

 Returns SIZE_MAX if the length does not fit into a size_t, or if an argument is invalid.
 */
size_t pct_encoded_len(const pct_encoder *encoder, const char *src, size_t len);

/*
 Returns the offset of the first of the `len` bytes at `src` that encoding would change, or PCT_NONE.

 If an argument is invalid, the function returns 0. A call of pct_encode() with the same arguments then returns the
 reason.
 */
size_t pct_encode_first_changed(const pct_encoder *encoder,
                                const char *src,
                                size_t len);

/*
 Returns the set of the `len` bytes at `data`, or the empty set if `data` is null.

 Example: pct_set_of("/%", 2).
 */
pct_set pct_set_of(const char *data, size_t len);

/*
 Returns the set of the bytes from `first` to `last`, both included, or the empty set if first > last.
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
 Returns the set of the bytes that are in `a` but not in `b`.
 */
pct_set pct_set_difference(pct_set a, pct_set b);

/*
 Returns the set of the bytes that are not in `set`, including bytes of 0x80 and above.
 */
pct_set pct_set_complement(pct_set set);

/*
 Returns true if `byte` is in `set`.
 */
bool pct_set_contains(pct_set set, uint8_t byte);

/*
 Finds a set by its name in the catalogue, and stores it at `set`.

 Examples are "rfc3986-path", "rfc3986-unreserved", "whatwg-query" and "ecma-encode-uri-component". Each set holds
 the bytes that encoding keeps. The case of letters in a name does not matter, and "-" equals "_". pct_set_name()
 lists all names.

 Returns PCT_OK, PCT_UNKNOWN_NAME, PCT_OVERLAP, or PCT_INVALID_ARGUMENT if a pointer is null.
 */
pct_status pct_set_named(const char *set_name,
                         pct_set *set);

/*
 Writes the name of the set with this index in the catalogue to `out`, with a NUL at its end, and returns the length
 of the name.

 Indices count from 0. Returns 0 if there is no set with this index. If `cap` is not above the length, the name is
 cut off. `out` may be null if `cap` is 0.
 */
size_t pct_set_name(size_t index,
                    char *out,
                    size_t cap);

/*
 Initialises `charset` by its name in IANA's registry, as in MIME, HTTP and "data:" URLs.

 The name is the `len` bytes at `name`. The case of ASCII letters does not matter. Here "ISO-8859-1" means exactly this
 charset. As a label on the Web, it means windows-1252.

 Returns PCT_OK, PCT_UNKNOWN_NAME, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
 */
pct_status pct_charset_for_name(pct_charset *charset,
                                const char *name,
                                size_t len);

/*
 Initialises `charset` by its label on the Web, as in HTML and forms (Encoding Standard 4.2, "get an encoding").

 The label is the `len` bytes at `label`. The case of ASCII letters and surrounding whitespace do not matter. On the
 Web, "iso-8859-1" and "us-ascii" mean windows-1252.

 Returns PCT_OK, PCT_UNKNOWN_NAME, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
 */
pct_status pct_charset_for_label(pct_charset *charset,
                                 const char *label,
                                 size_t len);

/*
 Writes the name of the charset with this index to `out`, with a NUL at its end, and returns the length of the name.

 Indices count from 0. Returns 0 if there is no charset with this index. If `cap` is not above the length, the name
 is cut off. pct_charset_for_name() finds each charset by its name.
 */
size_t pct_charset_name(size_t index,
                        char *out,
                        size_t cap);

/*
 Converts UTF-8 text to `charset`, then percent-encodes the bytes.

 The text is the `len` bytes at `src`. The output goes to the `cap` bytes at `dst`. `flags` is 0 or PCT_CHARSET_HTML.
 The call cannot work in place. The encoder's set holds bytes of the charset, not characters. The difference shows if
 the charset does not contain US-ASCII: in UTF-16BE "A" becomes "%00A".

 On an error `first_error` is the offset of the character that the charset lacks, or of the first invalid UTF-8. The
 output for the text before that offset has been written.

 Returns PCT_OK; PCT_UNMAPPABLE; PCT_NOT_TEXT; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or
 PCT_INVALID_ARGUMENT.
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
 Percent-decodes the input, then converts the bytes from `charset` to UTF-8 text.

 The input is the `len` bytes at `src`. The text goes to the `cap` bytes at `dst`. All of the input is decoded first,
 and then converted from the charset. So bytes without an escape, and kept triplets, are converted, too. `flags` is 0 or
 PCT_CHARSET_LOSSY. A null decoder is the lenient one. The call cannot work in place.

 On an error, the text before the error has been written. If you do not know the charset, try UTF-8 first. If you get
 PCT_NOT_TEXT, try a likely charset. Text in a charset other than UTF-8 is hardly ever valid UTF-8 by chance.

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
 Returns the greatest length of the output of pct_encode_charset() for `len` bytes: 24 times `len`, or SIZE_MAX if
 that is more than PTRDIFF_MAX.

 The bound holds for any charset and any set.
 */
size_t pct_encode_charset_bound(size_t len);

/*
 Returns the greatest length of the output of pct_decode_charset() for `len` bytes: 3 times `len`, or SIZE_MAX if
 that is more than PTRDIFF_MAX.

 The bound holds for any charset.
 */
size_t pct_decode_charset_bound(size_t len);

/*
 Splits the target of an HTTP request, such as "//a?b" in "GET //a?b HTTP/1.1".

 Checks that the target has one of the four forms and contains no "#", blank or control (RFC 9112 3.2). In
 absolute-form, the authority must be valid (RFC 3986 3.2), and a URI with "http", "https", "ws", "wss" or
 "ftp" needs a host. `target` is filled whatever the status, except PCT_OVERLAP.

 A target is not a URI reference: "//private/a" is a path. "host:443" always has authority-form, because the call
 does not know the method. If the method is not CONNECT, the target could be a URI with the scheme "host".

 - A server answers 400 (Bad Request) unless the status is PCT_OK. It checks that the method allows the form. Then it
   passes the path to pct_normalize_path().
 - A reader of logs ignores the status. A "#" in the target then belongs to the path or to the query.

 Returns PCT_OK, PCT_BAD_TARGET, PCT_OVERLAP or PCT_INVALID_ARGUMENT. With PCT_INVALID_ARGUMENT, `target` has no form
 and no component.
 */
pct_status pct_split_target(const char *src,
                            size_t len,
                            pct_request_target *target);

/*
 Normalizes the path of a request, without the query. Do your checks on the normalized path, and after that use only
 this path, never the original one.

 1. A path that does not begin with "/" is refused. A control is refused too, escaped ("%00") or not.
 2. Each byte that paths do not allow becomes a triplet: "%25" for a malformed "%", "%5C" for a backslash.
 3. Triplets of unreserved characters are decoded once. All other triplets stay, with their digits in upper case. So
    "%2F" remains, or is refused with PCT_PATH_REJECT_SEPARATORS.
 4. Dot segments are removed, even if they were written "%2E". No ".." leads above the root.

 Normalizing the result again changes nothing. `flags` is 0 or PCT_PATH_ flags, combined with |. The call cannot work
 in place. `cap` must have room for the path after the second step, which is at most three times `len`.

 Returns PCT_OK; PCT_NOT_HEX (strict only); PCT_BAD_PATH for every other fault of the path, with its offset in
 `first_error`; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_normalize_path(const char *src,
                              size_t len,
                              char *dst,
                              size_t cap,
                              uint32_t flags,
                              pct_result *result);

/*
 Writes a query, without its "?", in a canonical form, so that equal queries become equal text.

 `kind` is one of the PCT_QUERY_ constants. `drop` is null or a string with the names of pairs to drop, separated by
 commas, at most 64. "*" at the end of a name stands for any text: "utm_*,fbclid". Names are compared after decoding.

 The call cannot work in place. A `cap` of 8 * len + 8 is always sufficient. If the call has to sort, it needs room behind
 the result: 8 bytes for each pair.

 Returns PCT_OK; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_canonical_query(const char *src,
                               size_t len,
                               char *dst,
                               size_t cap,
                               uint32_t kind,
                               const char *drop,
                               pct_result *result);

/*
 Replaces the passwords of URLs in a text by "***", before you log or show it (RFC 3986 3.2.1).

 The text may be anything: one URL, a connection string that does not parse, "user:password@host" without a scheme,
 or a log with several URLs. If a URL does not parse, everything from its first ":" to the last "@" of the line is
 hidden. So more than the password may be hidden, but not less. A token in a query or in place of the user stays. A
 password with a raw "@" before a "/", "?", "#", white space, a quote, a backtick, "<" or ">" makes a valid URL with
 another host. In this case, only the text before that "@" is hidden. So encode passwords when you build a URL, for
 example with the set "rfc3986-reg-name".

 In rare cases, a second call hides more. If that matters, repeat the call until `changed` is 0.

 The call cannot work in place. If `cap` is too small, the call writes nothing, so pass a `cap` of 0 to get the
 length.

 Returns PCT_OK; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_redact(const char *src,
                      size_t len,
                      char *dst,
                      size_t cap,
                      pct_result *result);

/*
 Repairs a link that people paste, so that it works: with spaces, line breaks, raw letters, a bare "%" and so on.

 Only faults with one remedy are repaired. A valid URI stays as it is, except that PCT_REPAIR_ENTITY and
 PCT_REPAIR_DOUBLE_ENCODED also repair valid text. The host stays as it is, even if it is not ASCII, unless it is an
 IPv6 address without brackets. No repair creates a delimiter, except that a backslash becomes the slash that browsers
 read. If the result is repaired again, it stays as it is.

 `without` has the kinds that are not repaired: 0, or PCT_REPAIR_ constants combined with |. `changes` is null, or has
 room for `changes_cap` repairs, which are stored in the order of their offsets. `*changes_len` is set to the number
 of all repairs, even if some of them do not fit. If the status is not PCT_OK, this number is 0; with
 PCT_OVERLAP, it stays as it is. `changes_len` may be null.

 The call cannot work in place. A `cap` of 4 * len is always sufficient: to join lines, the call needs memory after the
 result.

 Returns PCT_OK; PCT_NOT_TEXT if the link is not UTF-8, with the offset in `first_error`; PCT_OUTPUT_TOO_SMALL, with
 `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_repair(const char *src,
                      size_t len,
                      char *dst,
                      size_t cap,
                      uint32_t without,
                      pct_change *changes,
                      size_t changes_cap,
                      size_t *changes_len,
                      pct_result *result);

/*
 Returns the reason for a repair as one clause that ends in NUL, or null if `kind` is not one of the PCT_REPAIR_ constants.
 */
const char *pct_repair_reason(uint32_t kind);

/*
 Writes the absolute path of a file as a "file:" URL (RFC 8089): "/a b" as "file:///a%20b", "C:\a" as "file:///C:/a",
 "\\host\share\x" as "file://host/share/x".

 `style` is one of the PCT_FILE_ constants, whatever system the library runs on. The call cannot work in place. If
 `cap` is too small, the call writes nothing, so pass a `cap` of 0 to get the length.

 Returns PCT_OK; PCT_BAD_PATH for a path that is not absolute, has a NUL, names a device, or lacks a share after its host,
 with the offset in `first_error`; PCT_NOT_TEXT for a path of Windows that is not UTF-8; PCT_OUTPUT_TOO_SMALL, with
 `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_file_from_path(const char *src,
                              size_t len,
                              char *dst,
                              size_t cap,
                              uint32_t style,
                              pct_result *result);

/*
 Reads a "file:" URL as the path of a file (RFC 8089, with the forms of its appendix E). The path has exactly the segments
 of the URL.

 `style` is one of the PCT_FILE_ constants, whatever system the library runs on. The result has no NUL, so you can
 add one and open the file. The path may lead anywhere in the file system. The call cannot work in place. `cap` must
 be at least `len`, although the path is shorter.

 Returns:

 - PCT_OK.
 - PCT_BAD_PATH, with the offset in `first_error`: a scheme other than "file", a query or fragment, a path that is not
   absolute, a host that the style does not allow, or an escaped NUL or separator ("%00", "%2F", and in a path of Windows
   "%5C").
 - PCT_NOT_HEX for a malformed "%", with its offset.
 - PCT_NOT_TEXT for a URL, or a path of Windows, that is not UTF-8.
 - PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_file_to_path(const char *src,
                            size_t len,
                            char *dst,
                            size_t cap,
                            uint32_t style,
                            pct_result *result);

/*
 Begins to iterate over the pairs of a form.

 The `len` bytes at `src` are a body of the type application/x-www-form-urlencoded, or the text after the "?" of a
 URL. Pairs are separated by "&". Empty pairs are skipped (URL Standard 5.1). If `options` is null, all options are
 zero.

 Returns PCT_OK, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
 */
pct_status pct_form_init(pct_form *form,
                         const char *src,
                         size_t len,
                         const pct_form_options *options);

/*
 Stores the next pair at `pair`.

 If the status is not PCT_OK, name and value are empty. With PCT_OVERLAP, the pair stays as it is. After an error,
 `offset` is the offset of the fault.
 Returns:

 - PCT_OK.
 - PCT_END if there is no further pair.
 - PCT_TRUNCATED or PCT_NOT_HEX if the form is read strictly and the pair is malformed. The next call returns the
   pair after the malformed one.
 - PCT_TOO_MANY_PAIRS. The next call returns PCT_END.
 - PCT_OVERLAP or PCT_INVALID_ARGUMENT.
 */
pct_status pct_form_next(pct_form *form,
                         pct_pair *pair);

/*
 Stores the next member of a header field "baggage" at `member` (W3C Baggage 3.2).

 `*at` is the position in the field. Set it to 0 before the first call. `name` is the key, which is not encoded. `value` is
 undecoded: decode it with pct_decode() and a null decoder, and replace invalid UTF-8 by U+FFFD. A "+" is a plus sign.
 Properties after a ";" are checked and left out. Empty members are skipped. To write a value, use the encoder
 "w3c-baggage".

 If the status is not PCT_OK, name and value are empty. With PCT_OVERLAP, the member stays as it is. Returns:

 - PCT_OK.
 - PCT_END if there is no further member.
 - PCT_BAD_FIELD if the member is malformed, with the offset of the fault in `offset`. The next call returns the
   member after the malformed one, so you can drop malformed members, as the standard allows.
 - PCT_OVERLAP.
 - PCT_INVALID_ARGUMENT, which can also mean that `*at` is after the end of the field.
 */
pct_status pct_baggage_next(const char *src,
                            size_t len,
                            size_t *at,
                            pct_pair *member);

/*
 Reads the name of the file from a header field "Content-Disposition", as leniently as browsers do (RFC 6266, RFC 8187,
 RFC 2231): "attachment; filename*=UTF-8''%E2%82%AC.jpg". The result is UTF-8.

 `*kind` is set to one of the PCT_DISPOSITION_ constants, or to 0 if the status is not PCT_OK or PCT_END. With
 PCT_OVERLAP, it stays as it is. `kind` may be null.

 The sender chooses the name, and it may be a path: "../../etc/passwd". Use only the text after the last "/" or "\", and
 refuse ".", ".." and controls (RFC 6266 4.3). In "multipart/form-data", "%22", "%0D" and "%0A" are escapes of browsers, and
 stay.

 The call cannot work in place. A `cap` of 4 * len + 8 is always sufficient: the call needs memory after the name, too.

 Returns PCT_OK; PCT_END if the field has no name that can be read; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or
 PCT_INVALID_ARGUMENT.
 */
pct_status pct_disposition_read(const char *src,
                                size_t len,
                                char *dst,
                                size_t cap,
                                uint32_t *kind,
                                pct_result *result);

/*
 Writes the header field "Content-Disposition" for a file name in UTF-8, as RFC 6266 appendix D advises. All browsers
 read the result: "attachment; filename="_.jpg"; filename*=UTF-8''%E2%82%AC.jpg". The parameter "filename*" is left
 out if its name equals that of "filename".

 `kind` is PCT_DISPOSITION_ATTACHMENT or PCT_DISPOSITION_INLINE. The call cannot work in place. Pass a `cap` of 0 to get the
 length.

 Returns PCT_OK; PCT_NOT_TEXT if the name is not UTF-8, with the offset in `first_error`; PCT_OUTPUT_TOO_SMALL, with `needed`;
 PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_disposition_write(const char *src,
                                 size_t len,
                                 char *dst,
                                 size_t cap,
                                 uint32_t kind,
                                 pct_result *result);

/*
 Begins a stream that encodes.

 Returns PCT_OK, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
 */
pct_status pct_stream_encode(pct_stream *stream, const pct_encoder *encoder);

/*
 Begins a stream that decodes. A null `decoder` means the lenient one.

 Returns PCT_OK, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
 */
pct_status pct_stream_decode(pct_stream *stream, const pct_decoder *decoder);

/*
 Passes the next `len` bytes to a stream, and writes the output to the `cap` bytes at `dst`.

 Chunks may end anywhere, even inside a triplet. If the output for the last bytes of a chunk depends on the next chunk,
 the stream keeps these bytes, six at most.

 If `read` in the result is below `len`, the output is full or an error follows. Call again with the rest of the chunk.
 With a `cap` of 7 or more the stream always makes progress. `first_error` is an offset in the whole stream, or
 SIZE_MAX - 1 if the offset does not fit into a size_t. `changed` is not set.

 Returns PCT_OK; PCT_OUTPUT_TOO_SMALL if there is no room for progress; the errors of pct_decode(); PCT_OVERLAP,
 because a stream cannot work in place; or PCT_INVALID_ARGUMENT. If the input has an error of pct_decode(), the
 stream first writes all output before the error. Then this call and every later call return the error.
 */
pct_status pct_stream_push(pct_stream *stream,
                           const char *src,
                           size_t len,
                           char *dst,
                           size_t cap,
                           pct_result *result);

/*
 Ends a stream, and writes the bytes that the stream has kept, six at most.

 If there is too little room, call again with more room. After PCT_OK, begin the stream again before you push more.

 Returns PCT_OK; PCT_OUTPUT_TOO_SMALL; from a strict decoder PCT_TRUNCATED if the input ended inside a triplet; an
 earlier error of the stream; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
 */
pct_status pct_stream_finish(pct_stream *stream,
                             char *dst,
                             size_t cap,
                             pct_result *result);

/*
 Encodes many strings in one call.

 The layout is Arrow's variable-size binary layout. Row i is the bytes of `values` from offsets[i] up to, not
 including, offsets[i+1]. There are `rows` + 1 offsets, in ascending order. The encoded rows go to `dst` without
 gaps. Their `rows` + 1 offsets go to `out_offsets`, and the first of them is 0. `read` in the result is the number
 of encoded rows.

 All offsets are checked first, whatever the capacity. If row i is the first whose offsets do not ascend or are not
 within the values, the call returns PCT_BAD_OFFSETS, `read` is i, and no row is converted.

 Returns PCT_OK; PCT_OUTPUT_TOO_SMALL, with a `needed` that is enough for all rows; PCT_BAD_OFFSETS; PCT_OVERLAP; or
 PCT_INVALID_ARGUMENT. PCT_BAD_OFFSETS can also mean that the output of the row with index `read` would end beyond
 the greatest offset of the type.
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
 Encodes many strings in one call, like pct_encode_batch32(), but with offsets of 64 bits.
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
 Decodes many strings in one call, with the layout of pct_encode_batch32().

 A triplet never continues in the next row. If a row is malformed or rejected, `read` is the index of that row, and
 `first_error` is an offset in that row. The rows before it are valid. With a lenient decoder that rejects no bytes, no
 row can fail.

 Returns PCT_OK, PCT_OUTPUT_TOO_SMALL or PCT_BAD_OFFSETS as pct_encode_batch32() does; the errors of pct_decode();
 PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
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
 Decodes many strings in one call, like pct_decode_batch32(), but with offsets of 64 bits.
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
 Writes the name of the engine with this index to `out`, with a NUL at its end, and returns the length of the name.

 Returns 0 if no engine has this index. An engine is the codec compiled for one instruction set: "avx512", "avx2",
 "sse42", "neon" or "scalar". The engines that this CPU can run have the indices from 0 on, best first. Engine 0 is
 the default. If `cap` is not above the length, the name is cut off. `out` may be null if `cap` is 0.
 */
size_t pct_engine_name(size_t index,
                       char *out,
                       size_t cap);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PERCENT_SIMD_H */
