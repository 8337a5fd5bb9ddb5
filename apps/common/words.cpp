#include "common/words.hpp"

#include <array>

namespace regraft::common {

std::string counted(std::uint64_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string duration(double seconds) {
    if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
    if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
    return seconds < 1000 ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string bytes(double count) {
    constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    std::size_t unit = 0;
    for (; count >= 999.5 && unit + 1 < units.size(); ++unit) count /= 1000;
    return fmt::format("{:.{}f} {}", count, unit == 0 || count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2, units[unit]);
}

}  // namespace regraft::common
