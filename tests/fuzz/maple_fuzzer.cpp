// The reader of MAPLE under libFuzzer; see meson.build, and -dict=tests/fuzz/text.dict.
#include "fuzz/codec_check.hpp"
#include "fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    int accepted = 0;
    regraft::fuzz::require_none(
        regraft::fuzz::complaint_about_maple({reinterpret_cast<char const*>(data), size}, accepted));
    return 0;
}
