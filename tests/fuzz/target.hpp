// What targets for libFuzzer have in common.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace regraft::fuzz {

inline void require_none(std::string const& complaint) {
    if (complaint.empty()) return;
    std::fprintf(stderr, "%s\n", complaint.c_str());
    std::abort();
}

}  // namespace regraft::fuzz
