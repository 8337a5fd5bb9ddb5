// What must hold of the readers of regraft-plan for any bytes: a second, naive reader that shares no code with them
// accepts the same texts and understands the same; the message of a refusal names a place in the text.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "match/graph_file.hpp"
#include "regraft/core/errors.hpp"
#include "rounds/transfer_file.hpp"

namespace regraft::fuzz {

using Tokens = std::vector<std::string>;
using Numbers = std::vector<std::uint64_t>;

inline constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;

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

inline std::optional<Numbers> naive_numbers(Tokens const& tokens, std::uint64_t count) {
    Numbers numbers;
    for (auto const& token : tokens) {
        auto const number = naive_number(token, count);
        if (!number) return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

struct NaiveGraph {
    std::vector<Numbers> rows;
    std::uint64_t num_ranks = 0;
};

inline std::optional<NaiveGraph> naive_graph(std::string_view text) {
    auto lines = naive_lines(text);
    while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
    if (lines.empty() || lines.front().size() != 2) return std::nullopt;
    auto const num_blocks = naive_number(lines.front()[0], two_to_32 - 1);
    auto const num_ranks = naive_number(lines.front()[1], two_to_32 + 1);
    if (!num_blocks || !num_ranks) return std::nullopt;
    lines.erase(lines.begin());
    while (lines.size() > *num_blocks && lines.back().empty()) lines.pop_back();
    if (lines.size() != *num_blocks) return std::nullopt;
    NaiveGraph graph;
    graph.num_ranks = *num_ranks;
    for (auto const& line : lines) {
        auto const row = naive_numbers(line, *num_ranks);
        if (!row) return std::nullopt;
        graph.rows.push_back(*row);
    }
    return graph;
}

inline std::optional<std::vector<Numbers>> naive_transfers(std::string_view text) {
    std::vector<Numbers> transfers;
    for (auto const& line : naive_lines(text)) {
        if (line.empty()) continue;
        auto const pair = naive_numbers(line, two_to_32 - 1);
        if (!pair || pair->size() != 2) return std::nullopt;
        transfers.push_back(*pair);
    }
    return transfers;
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
inline std::string complaint_about_graph(std::string_view text) {
    auto const expected = naive_graph(text);
    try {
        auto const graph = plan::parse_graph(text, "fuzz");
        if (!expected) return "a text was accepted that should not be";
        if (graph.num_ranks != expected->num_ranks) return "wrong number of ranks";
        if (graph.holders.size() != expected->rows.size()) return "wrong number of blocks";
        if (!std::is_sorted(graph.ranks.begin(), graph.ranks.end())) return "ranks are not in order";
        for (std::size_t x = 0; x < graph.holders.size(); ++x) {
            Numbers row;
            for (auto const v : graph.holders[x]) row.push_back(graph.ranks.at(v));
            if (row != expected->rows[x]) return "wrong holders of block " + std::to_string(x);
        }
        return "";
    } catch (InputError const& error) {
        if (expected) return std::string("a good text was refused: ") + error.what();
        return complaint_about_message(text, "fuzz", error.what());
    }
}

/// What is wrong, or empty.
inline std::string complaint_about_transfers(std::string_view text) {
    auto const expected = naive_transfers(text);
    try {
        auto const transfers = plan::parse_transfers(text, "fuzz");
        if (!expected) return "a text was accepted that should not be";
        std::vector<Numbers> found;
        for (auto const& edge : transfers) found.push_back({edge.left, edge.right});
        return found == *expected ? "" : "wrong transfers";
    } catch (InputError const& error) {
        if (expected) return std::string("a good text was refused: ") + error.what();
        return complaint_about_message(text, "fuzz", error.what());
    }
}

}  // namespace regraft::fuzz
