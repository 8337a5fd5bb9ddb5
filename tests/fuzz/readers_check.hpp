// What must hold of the reader of traces (regraft-plan simulate) for any bytes: a second, naive reader that shares no
// code with it accepts the same texts and understands the same; the message of a refusal names a place in the text.
#pragma once

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "regraft/core/errors.hpp"
#include "simulate/failures.hpp"
#include "simulate/machine.hpp"

namespace regraft::fuzz {

using Tokens = std::vector<std::string>;

/// Splits at every separator; a separator at the end ends the last piece.
inline std::vector<std::string> naive_split(std::string const& text, char separator) {
    std::vector<std::string> pieces;
    std::string piece;
    for (char const c : text) {
        if (c == separator) {
            pieces.push_back(piece);
            piece.clear();
        } else {
            piece += c;
        }
    }
    if (!piece.empty()) pieces.push_back(piece);
    return pieces;
}

inline std::vector<std::string> naive_raw_lines(std::string_view text) {
    std::string all(text);
    if (all.rfind("\xef\xbb\xbf", 0) == 0) all.erase(0, 3);
    return naive_split(all, '\n');
}

/// The words of every line that is not only a comment.
inline std::vector<Tokens> naive_lines(std::string_view text) {
    std::vector<Tokens> lines;
    for (auto line : naive_raw_lines(text)) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        auto const comment = line.find('#');
        auto content = line.substr(0, comment);
        std::replace(content.begin(), content.end(), '\t', ' ');
        Tokens tokens;
        for (auto const& token : naive_split(content, ' ')) {
            if (!token.empty()) tokens.push_back(token);
        }
        if (comment == std::string::npos || !tokens.empty()) lines.push_back(tokens);
    }
    return lines;
}

inline std::optional<std::uint64_t> naive_number(std::string token, std::uint64_t count) {
    if (token.empty() || token.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    token.erase(0, std::min(token.find_first_not_of('0'), token.size() - 1));
    if (token.size() > 15) return std::nullopt;  // far beyond any count here
    auto const number = std::stoull(token);
    return number < count ? std::optional<std::uint64_t>(number) : std::nullopt;
}

/// Hours from 0 to 1e9, in decimal.
inline std::optional<double> naive_hours(std::string const& token) {
    bool const is_decimal = token.find_first_not_of("0123456789.eE+-") == std::string::npos && token.front() != '+';
    if (!is_decimal) return std::nullopt;
    char* end = nullptr;
    errno = 0;
    double const hours = std::strtod(token.c_str(), &end);
    bool const is_too_small = errno == ERANGE && hours == 0;
    if (end != token.c_str() + token.size() || is_too_small || !(0 <= hours && hours <= 1e9)) return std::nullopt;
    return hours;
}

/// The machine whose parts fail, and how many it has of each.
inline plan::simulated::Machine const machine{12, {1, 4, 8, 0}};
inline std::map<std::string, std::uint64_t> const count_of = {{"rank", 12}, {"node", 3}, {"rack", 2}};

/// The number of seconds, the kind and the number of what fails.
using NaiveFailure = std::tuple<double, std::string, std::uint64_t>;

inline std::optional<std::vector<NaiveFailure>> naive_trace(std::string_view text) {
    std::vector<NaiveFailure> failures;
    for (auto const& line : naive_lines(text)) {
        if (line.empty()) continue;
        if (line.size() != 3 || count_of.count(line[1]) == 0) return std::nullopt;
        auto const hours = naive_hours(line[0]);
        auto const number = naive_number(line[2], count_of.at(line[1]));
        if (!hours || !number) return std::nullopt;
        failures.emplace_back(*hours * 3600, line[1], *number);
    }
    std::sort(failures.begin(), failures.end());
    return failures;
}

/// What is wrong with a message, or empty. It should begin with NAME:LINE:COLUMN and a place in the text, or right
/// behind its end.
inline std::string complaint_about_message(std::string_view text, std::string_view name, std::string const& message) {
    if (message.rfind(std::string(name) + ":", 0) != 0) return "no name in front: " + message;
    std::uint64_t line = 0;
    std::uint64_t column = 0;
    auto const* const end = message.data() + message.size();
    auto const after_line = std::from_chars(message.data() + name.size() + 1, end, line);
    if (after_line.ptr == end || *after_line.ptr != ':') return "no line: " + message;
    auto const after_column = std::from_chars(after_line.ptr + 1, end, column);
    if (after_column.ptr == end || *after_column.ptr != ':') return "no column: " + message;
    auto const lines = naive_raw_lines(text);
    auto const length = line - 1 < lines.size() ? lines[line - 1].size() : 0;
    bool const is_place = 1 <= line && line <= lines.size() + 1 && 1 <= column && column <= length + 1;
    if (!is_place) return "no place in the text: " + message;
    if (message.find_first_of(std::string_view("\0\r\n\x7f\xff", 5)) != std::string::npos)
        return "raw bytes: " + message;
    return "";
}

/// What is wrong, or empty.
inline std::string complaint_about_trace(std::string_view text) {
    auto const expected = naive_trace(text);
    try {
        auto const failures = plan::simulated::parse_trace(text, "fuzz", machine);
        if (!expected) return "a text was accepted that should not be";
        std::vector<NaiveFailure> found;
        for (auto const& [seconds, unit, number] : failures) found.emplace_back(seconds, name_of(unit), number);
        auto const is_earlier = [](auto const& a, auto const& b) { return a.seconds < b.seconds; };
        if (!std::is_sorted(failures.begin(), failures.end(), is_earlier)) return "failures are not in order";
        std::sort(found.begin(), found.end());
        return found == *expected ? "" : "wrong failures";
    } catch (InputError const& error) {
        if (expected) return std::string("a good text was refused: ") + error.what();
        return complaint_about_message(text, "fuzz", error.what());
    }
}

}  // namespace regraft::fuzz
