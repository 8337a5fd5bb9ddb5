// The readers of regraft-plan under libFuzzer, for clang; run by hand:
//   readers_fuzzer -dict=tests/fuzz/readers.dict -max_len=4096 -max_total_time=300
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz/readers_check.hpp"
#include "recover/failures.hpp"

namespace {

void require_none(std::string const& complaint) {
    if (complaint.empty()) return;
    std::fprintf(stderr, "%s\n", complaint.c_str());
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    require_none(regraft::fuzz::complaint_about_trace(text));
    try {
        static_cast<void>(regraft::plan::parse_list(text, 1000, "--failed", "rank"));
    } catch (regraft::InputError const&) {
        // refused, as it should be
    }
    return 0;
}
