// percent_simd.hpp - percent_simd.h for C++17 and later: strings in, strings out.
//
// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Failures are values: a call that can fail returns an `expected`, a std::optional or a pct_status. Only two things
// throw: a std::string that cannot grow, and `expected<T>::value()`, which exists to throw.
//
// The header compiles without exceptions and without RTTI. Without exceptions there is no `value()`: use `if (result)`,
// `*result` and `result.value_or(...)`. A std::string that cannot grow then ends the program, as in all code without
// exceptions. To handle that case, write to your own buffer with the functions of percent_simd.h, which do not
// allocate.

#ifndef PERCENT_SIMD_HPP
#define PERCENT_SIMD_HPP

#include "percent_simd.h"

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(__has_include) && __cplusplus >= 202002L
#include <ranges>
#include <span>
#endif

#if defined(__cpp_exceptions)
#include <stdexcept>
#endif

namespace percent_simd {

// A set of bytes, passed by value.
class byte_set {
public:
    constexpr byte_set() noexcept : set_{{0, 0, 0, 0}} {}
    constexpr byte_set(pct_set set) noexcept : set_(set) {}
    explicit byte_set(std::string_view bytes) noexcept : set_(pct_set_of(bytes.data(), bytes.size())) {}

    static byte_set range(unsigned char first, unsigned char last) noexcept { return pct_set_range(first, last); }

    // Finds a set by its name in the catalogue.
    static std::optional<byte_set> named(const char *name) noexcept {
        pct_set set;
        if (pct_set_named(name, &set) != PCT_OK) {
            return std::nullopt;
        }
        return byte_set(set);
    }

    bool contains(unsigned char byte) const noexcept { return pct_set_contains(set_, byte); }
    constexpr pct_set get() const noexcept { return set_; }

    friend byte_set operator|(byte_set a, byte_set b) noexcept { return pct_set_union(a.set_, b.set_); }
    friend byte_set operator&(byte_set a, byte_set b) noexcept { return pct_set_intersection(a.set_, b.set_); }
    friend byte_set operator-(byte_set a, byte_set b) noexcept { return pct_set_difference(a.set_, b.set_); }
    friend byte_set operator~(byte_set a) noexcept { return pct_set_complement(a.set_); }

private:
    pct_set set_;
};

// A charset, for `encoder::in_charset` and `decoder::in_charset`.
class charset {
public:
    // Finds a charset by its name in IANA's registry.
    static std::optional<charset> for_name(std::string_view name) noexcept {
        charset found;
        if (pct_charset_for_name(&found.charset_, name.data(), name.size()) != PCT_OK) {
            return std::nullopt;
        }
        return found;
    }
    // Finds a charset by its label on the Web, where "iso-8859-1" means windows-1252.
    static std::optional<charset> for_label(std::string_view label) noexcept {
        charset found;
        if (pct_charset_for_label(&found.charset_, label.data(), label.size()) != PCT_OK) {
            return std::nullopt;
        }
        return found;
    }
    const pct_charset *get() const noexcept { return &charset_; }

private:
    charset() noexcept = default;
    pct_charset charset_{};
};

// The result of a decoder: a value, or the status of the call that failed.
template <class T> class expected {
public:
    expected(T value, pct_result result) : value_(std::move(value)), result_(result), status_(PCT_OK) {}
    expected(pct_status status, pct_result result) : value_(), result_(result), status_(status) {}

    explicit operator bool() const noexcept { return status_ == PCT_OK; }
    pct_status status() const noexcept { return status_; }
    // The offset of the fault in the input. With a lenient decoder, the offset of the first malformed escape. PCT_NONE
    // if there is no such offset.
    std::size_t offset() const noexcept { return result_.first_error; }
    const pct_result &result() const noexcept { return result_; }
    // The value. After a failure, this is an empty value, never a part of the result.
    T &operator*() noexcept { return value_; }
    const T &operator*() const noexcept { return value_; }
    T *operator->() noexcept { return &value_; }
    const T *operator->() const noexcept { return &value_; }
    T value_or(T other) const { return *this ? value_ : std::move(other); }
#if defined(__cpp_exceptions)
    // Throws std::invalid_argument if there is no value. The message has the number of the pct_status, and the offset of
    // the fault if there is one.
    const T &value() const {
        if (status_ != PCT_OK) {
            const std::string place = offset() == PCT_NONE ? "" : ", at byte " + std::to_string(offset());
            throw std::invalid_argument("percent_simd: failed with pct_status " + std::to_string(status_) + place);
        }
        return value_;
    }
#endif

private:
    T value_;
    pct_result result_;
    pct_status status_;
};

namespace detail {
// Calls `call` with a buffer of `size` bytes. If this buffer is too small, calls `call` once more with a buffer that is
// large enough.
template <class Call> expected<std::string> convert(std::size_t size, Call &&call) {
    std::string out(size, '\0');
    pct_result result;
    pct_status status = call(out.data(), out.size(), &result);
    if (status == PCT_OUTPUT_TOO_SMALL && result.needed != PCT_NONE) {
        out.resize(result.needed);
        status = call(out.data(), out.size(), &result);
    }
    if (status != PCT_OK) {
        return {status, result};
    }
    out.resize(result.written);
    return {std::move(out), result};
}
} // namespace detail

// The components of a request target, as views of the text that was split.
class request_target {
public:
    // Splits the target of a request. The text must outlive this object.
    explicit request_target(std::string_view text) noexcept
        : text_(text), status_(pct_split_target(text.data(), text.size(), &target_)) {}

    // PCT_OK or PCT_BAD_TARGET. After PCT_BAD_TARGET, a server answers 400 (Bad Request).
    pct_status status() const noexcept { return status_; }
    // The offset of the fault after PCT_BAD_TARGET, otherwise PCT_NONE.
    std::size_t offset() const noexcept { return target_.first_error; }
    pct_target_form form() const noexcept { return target_.form; }
    std::optional<std::string_view> scheme() const noexcept { return part(target_.scheme); }
    std::optional<std::string_view> authority() const noexcept { return part(target_.authority); }
    // The path. It may be empty.
    std::string_view path() const noexcept { return part(target_.path).value_or(std::string_view()); }
    // The path, or "/" if a URI with an authority has an empty path.
    std::string_view path_or_root() const noexcept {
        const bool is_root = form() == PCT_TARGET_ABSOLUTE && authority() && path().empty();
        return is_root ? std::string_view("/") : path();
    }
    std::optional<std::string_view> query() const noexcept { return part(target_.query); }
    const pct_request_target &get() const noexcept { return target_; }

private:
    std::optional<std::string_view> part(pct_slice slice) const noexcept {
        if (slice.offset == PCT_NONE) {
            return std::nullopt;
        }
        return std::string_view(text_.data() + slice.offset, slice.len);
    }

    std::string_view text_;
    pct_request_target target_;
    pct_status status_;
};

// Encodes text. You make an encoder from the set of bytes to keep, or from the name of a set. Threads may share an
// encoder.
class encoder {
public:
    explicit encoder(byte_set allowed, std::uint32_t flags = 0) noexcept {
        pct_encode_options options = PCT_ENCODE_OPTIONS;
        options.allowed = allowed.get();
        options.flags = flags;
        status_ = pct_encoder_init(&encoder_, &options);
    }
    // If the catalogue does not have the name, `ok()` is false, and every call returns an empty string.
    explicit encoder(const char *set_name) noexcept { status_ = pct_encoder_named(&encoder_, set_name); }

    bool ok() const noexcept { return status_ == PCT_OK; }
    const pct_encoder *get() const noexcept { return &encoder_; }

    // Returns true if encoding would change `text`, or if the encoder is not `ok()`.
    bool needs_encoding(std::string_view text) const noexcept {
        return pct_encode_first_changed(&encoder_, text.data(), text.size()) != PCT_NONE;
    }
    // Appends the encoded form of `text` to `out`. `text` may be a part of `out`.
    void append_to(std::string &out, std::string_view text) const {
        const std::size_t before = out.size();
        const std::size_t len = pct_encoded_len(&encoder_, text.data(), text.size());
        if (!ok()) {
            return;
        }
        const std::less_equal<const char *> up_to;
        const bool inside = up_to(out.data(), text.data()) && up_to(text.data(), out.data() + before);
        const std::size_t start = inside ? std::size_t(text.data() - out.data()) : 0;
        // If the result is too long, ask for the length `npos`. No string can have it, so `resize` fails as usual.
        out.resize(len > out.max_size() - before ? std::string::npos : before + len);
        const char *from = inside ? out.data() + start : text.data();
        pct_encode(&encoder_, from, text.size(), out.data() + before, len, nullptr);
    }
    std::string operator()(std::string_view text) const {
        std::string out;
        append_to(out, text);
        return out;
    }
    // Writes the encoded form to an output iterator, piece by piece, and returns the iterator.
    template <class Iterator> Iterator copy_to(Iterator out, std::string_view text) const;
#if defined(__cpp_lib_span)
    // Encodes into `buffer`, and returns the part that was written. If the status is PCT_OUTPUT_TOO_SMALL, a buffer of
    // `result().needed` bytes is large enough.
    expected<std::span<char>> encode_to(std::span<char> buffer, std::string_view text) const noexcept {
        pct_result result;
        const pct_status status =
            pct_encode(&encoder_, text.data(), text.size(), buffer.data(), buffer.size(), &result);
        if (status != PCT_OK) {
            return {status, result};
        }
        return {buffer.first(result.written), result};
    }
#endif

    // Converts `text` from UTF-8 to a charset, and encodes it. `flags` is 0 or PCT_CHARSET_HTML.
    expected<std::string> in_charset(const charset &charset, std::string_view text, std::uint32_t flags = 0) const {
        return detail::convert(3 * text.size(), [&](char *out, std::size_t cap, pct_result *result) {
            return pct_encode_charset(&encoder_, charset.get(), flags, text.data(), text.size(), out, cap, result);
        });
    }

private:
    pct_encoder encoder_{};
    pct_status status_;
};

// Decodes text. A decoder is lenient by default: it decodes every triplet, and copies all other bytes.
class decoder {
public:
    decoder() noexcept { status_ = pct_decoder_init(&decoder_, nullptr); }
    explicit decoder(std::uint32_t flags, byte_set keep = {}, byte_set reject = {}) noexcept {
        pct_decode_options options = PCT_DECODE_OPTIONS;
        options.flags = flags;
        options.keep = keep.get();
        options.reject = reject.get();
        status_ = pct_decoder_init(&decoder_, &options);
    }

    bool ok() const noexcept { return status_ == PCT_OK; }
    const pct_decoder *get() const noexcept { return &decoder_; }

    // Returns true if decoding would change `text`, or if the decoder is not `ok()`.
    bool needs_decoding(std::string_view text) const noexcept {
        return pct_decode_first_changed(&decoder_, text.data(), text.size()) != PCT_NONE;
    }
    expected<std::string> operator()(std::string_view text) const {
        std::string out(text.size(), '\0');
        pct_result result;
        const pct_status status = pct_decode(&decoder_, text.data(), text.size(), out.data(), out.size(), &result);
        if (status != PCT_OK) {
            return {status, result};
        }
        out.resize(result.written);
        return {std::move(out), result};
    }
    // Decodes `text` in place.
    //
    // After an error `text` keeps its length. Its first `result().written` bytes are decoded, and its bytes from
    // `result().read` on are unchanged.
    expected<std::size_t> in_place(std::string &text) const noexcept {
        pct_result result;
        const pct_status status = pct_decode(&decoder_, text.data(), text.size(), text.data(), text.size(), &result);
        if (status != PCT_OK) {
            return {status, result};
        }
        text.resize(result.written);
        return {result.written, result};
    }
    // Writes the decoded form to an output iterator, piece by piece.
    //
    // Returns the advanced iterator and the status. Output before an error has been written.
    template <class Iterator>
    std::pair<Iterator, pct_status> copy_to(Iterator out, std::string_view text) const;
#if defined(__cpp_lib_span)
    // Decodes into `buffer`, and returns the part that was written. If the status is PCT_OUTPUT_TOO_SMALL, a buffer of
    // `result().needed` bytes is large enough.
    expected<std::span<char>> decode_to(std::span<char> buffer, std::string_view text) const noexcept {
        pct_result result;
        const pct_status status =
            pct_decode(&decoder_, text.data(), text.size(), buffer.data(), buffer.size(), &result);
        if (status != PCT_OK) {
            return {status, result};
        }
        return {buffer.first(result.written), result};
    }
    // Decodes `buffer` in place, and returns the part that was written.
    expected<std::span<char>> in_place(std::span<char> buffer) const noexcept {
        pct_result result;
        const pct_status status =
            pct_decode(&decoder_, buffer.data(), buffer.size(), buffer.data(), buffer.size(), &result);
        if (status != PCT_OK) {
            return {status, result};
        }
        return {buffer.first(result.written), result};
    }
#endif

    // Decodes `text`, and converts it from a charset to UTF-8. `flags` is 0 or PCT_CHARSET_LOSSY.
    expected<std::string> in_charset(const charset &charset, std::string_view text, std::uint32_t flags = 0) const {
        return detail::convert(text.size(), [&](char *out, std::size_t cap, pct_result *result) {
            return pct_decode_charset(&decoder_, charset.get(), flags, text.data(), text.size(), out, cap, result);
        });
    }

private:
    pct_decoder decoder_{};
    pct_status status_;
};

// A stream. Its encoder or decoder must outlive it.
class stream {
public:
    explicit stream(const encoder &encoder) noexcept { status_ = pct_stream_encode(&stream_, encoder.get()); }
    explicit stream(const decoder &decoder) noexcept { status_ = pct_stream_decode(&stream_, decoder.get()); }
    explicit stream(encoder &&) = delete;
    explicit stream(decoder &&) = delete;

    // Passes the output for `chunk` to `sink`, in string_views. Each view is valid only during that call of `sink`.
    //
    // If `sink` throws, the rest of the output is lost. So every later call returns PCT_INVALID_ARGUMENT.
    template <class Sink> pct_status push(std::string_view chunk, Sink &&sink) {
        char buffer[4096];
        while (status_ == PCT_OK && !chunk.empty()) {
            pct_result result;
            status_ = pct_stream_push(&stream_, chunk.data(), chunk.size(), buffer, sizeof buffer, &result);
            offset_ = result.first_error;
            pass(sink, std::string_view(buffer, result.written));
            chunk.remove_prefix(result.read);
        }
        return status_;
    }
    // Ends the stream. Passes to `sink` the output for the bytes that the stream has kept.
    template <class Sink> pct_status finish(Sink &&sink) {
        char buffer[8];
        pct_result result;
        if (status_ == PCT_OK) {
            status_ = pct_stream_finish(&stream_, buffer, sizeof buffer, &result);
            offset_ = result.first_error;
            pass(sink, std::string_view(buffer, result.written));
        }
        return status_;
    }
    // The offset of the first malformed or rejected escape in the whole stream, or PCT_NONE.
    std::size_t offset() const noexcept { return offset_; }

private:
    template <class Sink> void pass(Sink &sink, std::string_view output) {
        if (output.empty()) {
            return;
        }
        const pct_status status = std::exchange(status_, PCT_INVALID_ARGUMENT);
        sink(output);
        status_ = status;
    }

    pct_stream stream_{};
    pct_status status_;
    std::size_t offset_ = PCT_NONE;
};

template <class Iterator> Iterator encoder::copy_to(Iterator out, std::string_view text) const {
    auto put = [&out](std::string_view piece) {
        for (const char byte : piece) {
            *out++ = byte;
        }
    };
    stream pieces(*this);
    pieces.push(text, put);
    pieces.finish(put);
    return out;
}

template <class Iterator>
std::pair<Iterator, pct_status> decoder::copy_to(Iterator out, std::string_view text) const {
    auto put = [&out](std::string_view piece) {
        for (const char byte : piece) {
            *out++ = byte;
        }
    };
    stream pieces(*this);
    pieces.push(text, put);
    const pct_status status = pieces.finish(put);
    return {out, status};
}

// The pairs of a form, undecoded:
//
//     for (const auto &pair : percent_simd::form("a=1&b=%32")) { ... pair.decoded_value() ... }
class form {
public:
    struct pair {
        std::string_view name;
        std::string_view value;
        bool has_value;
        std::size_t offset;

        std::string decoded_name() const { return decoded(name); }
        std::string decoded_value() const { return decoded(value); }

    private:
        static std::string decoded(std::string_view part) {
            std::string out(part.size(), '\0');
            pct_result result;
            pct_decode(pct_form_decoder(), part.data(), part.size(), out.data(), out.size(), &result);
            out.resize(result.written);
            return out;
        }
    };

    // An input iterator. It ends at the end of the form or at an error. Then `status()` of the form is PCT_END or the
    // error.
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = pair;
        using difference_type = std::ptrdiff_t;
        using pointer = const pair *;
        using reference = const pair &;

        iterator() noexcept = default;
        explicit iterator(form *form) noexcept : form_(form) { ++*this; }
        reference operator*() const noexcept { return pair_; }
        pointer operator->() const noexcept { return &pair_; }
        iterator &operator++() noexcept {
            pct_pair next;
            form_->status_ = pct_form_next(&form_->form_, &next);
            if (form_->status_ == PCT_OK) {
                pair_ = {{next.name, next.name_len}, {next.value, next.value_len}, next.has_value, next.offset};
            } else {
                form_->offset_ = next.offset;
                form_ = nullptr;
            }
            return *this;
        }
        void operator++(int) noexcept { ++*this; }
        friend bool operator==(const iterator &a, const iterator &b) noexcept { return a.form_ == b.form_; }
        friend bool operator!=(const iterator &a, const iterator &b) noexcept { return a.form_ != b.form_; }

    private:
        form *form_ = nullptr;
        pair pair_{};
    };

    explicit form(std::string_view text, std::uint32_t flags = 0, std::size_t limit = 0) noexcept {
        pct_form_options options = PCT_FORM_OPTIONS;
        options.flags = flags;
        options.limit = limit;
        status_ = pct_form_init(&form_, text.data(), text.size(), &options);
    }

    iterator begin() noexcept { return iterator(this); }
    iterator end() noexcept { return iterator(); }
    // After the iteration: PCT_END, or the error that ended it early.
    pct_status status() const noexcept { return status_; }
    std::size_t offset() const noexcept { return offset_; }

private:
    pct_form form_{};
    pct_status status_;
    std::size_t offset_ = PCT_NONE;
};

// The members of a header field "baggage" (W3C Baggage 3.2). Their values are decoded by `decoded_value`.
//
//     baggage members(field);
//     while (auto member = members.next()) { ... member->decoded_value() ... }
class baggage {
public:
    struct member {
        std::string_view key;
        std::string_view value;
        std::size_t offset;

        // Bytes that are not UTF-8 stay as they are.
        std::string decoded_value() const {
            std::string out(value.size(), '\0');
            pct_result result;
            pct_decode(nullptr, value.data(), value.size(), out.data(), out.size(), &result);
            out.resize(result.written);
            return out;
        }
    };

    explicit baggage(std::string_view field) noexcept : field_(field) {}

    // Returns the next member. Returns no value at the end of the field, and if a member is malformed: `status()` is then
    // PCT_END or PCT_BAD_FIELD. After a malformed member, the next call continues with the member after it.
    std::optional<member> next() noexcept {
        pct_pair found;
        status_ = pct_baggage_next(field_.data(), field_.size(), &at_, &found);
        offset_ = found.offset;
        if (status_ != PCT_OK) {
            return std::nullopt;
        }
        return member{{found.name, found.name_len}, {found.value, found.value_len}, found.offset};
    }
    pct_status status() const noexcept { return status_; }
    // The offset of the member or of its fault, or PCT_NONE at the end.
    std::size_t offset() const noexcept { return offset_; }

private:
    std::string_view field_;
    std::size_t at_ = 0;
    pct_status status_ = PCT_OK;
    std::size_t offset_ = PCT_NONE;
};

#if defined(__cpp_lib_ranges)
static_assert(std::ranges::input_range<form>);
#endif

// Returns the normal form of the path of a request. `flags` is 0 or PCT_PATH_ flags.
inline expected<std::string> normalize_path(std::string_view path, std::uint32_t flags = 0) {
    return detail::convert(path.size(), [&](char *out, std::size_t cap, pct_result *result) {
        return pct_normalize_path(path.data(), path.size(), out, cap, flags, result);
    });
}

// Returns the text with equivalent escapes in one form.
inline expected<std::string> normalize_escapes(std::string_view text) {
    return detail::convert(text.size(), [&](char *out, std::size_t cap, pct_result *result) {
        return pct_normalize_escapes(text.data(), text.size(), out, cap, result);
    });
}

// Returns a canonical form of a query. `kind` is a PCT_QUERY_ constant, and `drop` is null or a list of names.
inline expected<std::string> canonical_query(std::string_view query, std::uint32_t kind, const char *drop = nullptr) {
    return detail::convert(query.size(), [&](char *out, std::size_t cap, pct_result *result) {
        return pct_canonical_query(query.data(), query.size(), out, cap, kind, drop, result);
    });
}

// Returns the text with "***" in place of the passwords of its URLs.
inline expected<std::string> redact(std::string_view text) {
    return detail::convert(text.size(), [&](char *out, std::size_t cap, pct_result *result) {
        return pct_redact(text.data(), text.size(), out, cap, result);
    });
}

// Returns the "file:" URL of an absolute path. `style` is PCT_FILE_POSIX or PCT_FILE_WINDOWS.
inline expected<std::string> file_from_path(std::string_view path, std::uint32_t style) {
    return detail::convert(path.size() + 16, [&](char *out, std::size_t cap, pct_result *result) {
        return pct_file_from_path(path.data(), path.size(), out, cap, style, result);
    });
}

// Returns the path of a "file:" URL. `style` is PCT_FILE_POSIX or PCT_FILE_WINDOWS.
inline expected<std::string> file_to_path(std::string_view url, std::uint32_t style) {
    return detail::convert(url.size(), [&](char *out, std::size_t cap, pct_result *result) {
        return pct_file_to_path(url.data(), url.size(), out, cap, style, result);
    });
}

// A repaired link, and its repairs in the order of their starts.
struct repaired {
    std::string text;
    std::vector<pct_change> changes;
};

// Repairs a link that people paste, so that it works. `without` is 0 or PCT_REPAIR_ constants, combined with |.
inline expected<repaired> repair(std::string_view link, std::uint32_t without = 0) {
    // The first round has room for eight repairs, which is enough for most links. If a link needs more, the second
    // round has room for all.
    repaired link_and_changes{{}, std::vector<pct_change>(8)};
    for (;;) {
        auto &changes = link_and_changes.changes;
        std::size_t found = 0;
        auto text = detail::convert(link.size(), [&](char *out, std::size_t cap, pct_result *result) {
            return pct_repair(link.data(), link.size(), out, cap, without, changes.data(), changes.size(), &found, result);
        });
        if (!text) {
            return {text.status(), text.result()};
        }
        const bool fits = found <= changes.size();
        changes.resize(found);
        if (fits) {
            link_and_changes.text = std::move(*text);
            return {std::move(link_and_changes), text.result()};
        }
    }
}

// The file name of a header field "Content-Disposition", and one of the PCT_DISPOSITION_ constants.
struct disposition {
    std::uint32_t kind;
    std::optional<std::string> filename;
};

// Reads a header field "Content-Disposition". The name may be a path: see pct_disposition_read().
inline expected<disposition> read_disposition(std::string_view field) {
    disposition found{0, std::nullopt};
    auto name = detail::convert(field.size(), [&](char *out, std::size_t cap, pct_result *result) {
        return pct_disposition_read(field.data(), field.size(), out, cap, &found.kind, result);
    });
    if (name) {
        found.filename = std::move(*name);
    } else if (name.status() != PCT_END) {
        return {name.status(), name.result()};
    }
    return {std::move(found), name.result()};
}

// Writes a header field "Content-Disposition" for a file name in UTF-8.
inline expected<std::string> write_disposition(std::string_view filename, std::uint32_t kind = PCT_DISPOSITION_ATTACHMENT) {
    return detail::convert(filename.size() + 32, [&](char *out, std::size_t cap, pct_result *result) {
        return pct_disposition_write(filename.data(), filename.size(), out, cap, kind, result);
    });
}

} // namespace percent_simd

#endif
