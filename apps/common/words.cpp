#include "common/words.hpp"

#include <algorithm>
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

namespace {

/// The number of typing errors between two words, by optimal string alignment: insertions, deletions, substitutions,
/// and exchanges of neighbours.
std::size_t typing_errors(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> errors(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                errors[i][j] = i + j;
                continue;
            }
            std::size_t const differs = a[i - 1] == b[j - 1] ? 0 : 1;
            errors[i][j] = std::min({errors[i - 1][j] + 1, errors[i][j - 1] + 1, errors[i - 1][j - 1] + differs});
            bool const is_exchange = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (is_exchange) errors[i][j] = std::min(errors[i][j], errors[i - 2][j - 2] + 1);
        }
    }
    return errors[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> most_similar(std::string_view word, std::span<std::string const> words) {
    constexpr std::size_t longest = 40;
    std::optional<std::string> best;
    auto least = std::max<std::size_t>(1, word.size() / 3) + 1;
    if (word.size() > longest) return best;
    for (auto const& candidate : words) {
        auto const errors = typing_errors(word, candidate);
        if (errors >= least) continue;
        least = errors;
        best = candidate;
    }
    return best;
}

}  // namespace regraft::common
