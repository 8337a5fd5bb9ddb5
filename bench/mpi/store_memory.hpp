// How much memory this process uses, and has used at most.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace regraft::bench {

inline std::uint64_t status_bytes(std::string const& key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind(key + ":", 0) != 0) continue;
        std::uint64_t kibibytes = 0;
        std::istringstream(line.substr(key.size() + 1)) >> kibibytes;
        return kibibytes << 10;
    }
    return 0;
}

inline std::uint64_t resident_bytes() {
    return status_bytes("VmRSS");
}
/// The most since the last reset.
inline std::uint64_t peak_bytes() {
    return status_bytes("VmHWM");
}
inline void reset_peak() {
    std::ofstream("/proc/self/clear_refs") << '5';
}

}  // namespace regraft::bench
