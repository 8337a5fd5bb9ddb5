// Words and tables for texts that people read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace regraft::common {

/// A number with its noun: "1 block", "2 blocks".
std::string counted(std::uint64_t count, std::string_view thing);
/// A duration with about three digits: "12.3 ms", "4.56 s".
std::string duration(double seconds);
/// A number of bytes with about three digits and powers of 1000: "812 B", "1.50 MB".
std::string bytes(double count);

/// The word that a misspelt one most likely means, if any; ties go to the first. Typing errors are letters that are
/// missing, superfluous, wrong, or exchanged with their neighbours: at most one in three letters.
std::optional<std::string> most_similar(std::string_view word, std::span<std::string const> words);

/// The first few numbers of a list, and the number of the others: "0, 3, 4 and 7 more".
template <class List, class Number>
std::string first_few(List const& list, Number&& number) {
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t i = 0; i < list.size() && i < most; ++i)
        text += fmt::format("{}{}", i == 0 ? "" : ", ", number(list[i]));
    return list.size() > most ? fmt::format("{} and {} more", text, list.size() - most) : text;
}

/// Lines with a name on the left.
class Table {
public:
    void row(std::string_view name, std::string_view text) { lines_ += fmt::format("{:<{}}{}\n", name, width, text); }
    /// Adds a line under the same name.
    void more(std::string_view text) { row("", text); }
    std::string take() { return std::move(lines_); }

private:
    static constexpr std::size_t width = 13;
    std::string lines_;
};

}  // namespace regraft::common
