// Calls the percent-encoding and decoding of ada, the URL parser of Node.js. peers.c times these functions.

#include <ada.h>

extern "C" size_t ada_unescape(const char *text, size_t len)
{
    const std::string_view input(text, len);
    return ada::unicode::percent_decode(input, input.find('%')).size();
}

extern "C" size_t ada_escape(const char *text, size_t len)
{
    const auto &set = ada::character_sets::WWW_FORM_URLENCODED_PERCENT_ENCODE;
    return ada::unicode::percent_encode(std::string_view(text, len), set).size();
}
