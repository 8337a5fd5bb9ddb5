// The readers of packed texts under libFuzzer; see meson.build.
#include "fuzz/packed_check.hpp"
#include "fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    int accepted = 0;
    regraft::fuzz::require_none(
        regraft::fuzz::complaint_about_packed({reinterpret_cast<char const*>(data), size}, accepted));
    return 0;
}
