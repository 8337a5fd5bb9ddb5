// The reader of .rgm files under libFuzzer, with the checksum of the frame made right; see meson.build.
#include "fuzz/codec_check.hpp"
#include "fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const bytes = std::as_bytes(std::span(data, size));
    regraft::fuzz::Bytes file(bytes.begin(), bytes.end());
    regraft::fuzz::reseal(file);
    int accepted = 0;
    regraft::fuzz::require_none(regraft::fuzz::complaint_about_file(std::move(file), accepted));
    return 0;
}
