// The decoders of columns under libFuzzer: the first byte is the kind of coding; see meson.build.
#include "fuzz/codec_check.hpp"
#include "fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) return 0;
    auto const kind = static_cast<regraft::codec::Kind>(data[0] % 3);
    int accepted = 0;
    regraft::fuzz::require_none(
        regraft::fuzz::complaint_about_columns(kind, std::as_bytes(std::span(data + 1, size - 1)), accepted));
    return 0;
}
