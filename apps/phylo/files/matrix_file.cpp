#include "files/matrix_file.hpp"

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <numeric>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "common/input.hpp"
#include "files/words.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

constexpr std::size_t matrix_states = 20;
constexpr std::size_t matrix_pairs = matrix_states * (matrix_states - 1) / 2;

std::optional<double> read_number(std::string_view text) {
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Reads the numbers at the begin of a file of PAML: exchangeabilities below the diagonal, row by row, and frequencies.
std::vector<double> read_matrix(std::string const& file) {
    auto const text = common::read_text(file);
    Words words(text, file);
    std::vector<double> values;
    while (values.size() < matrix_pairs + matrix_states) {
        auto const word = words.next();
        auto const value = read_number(word.text);
        if (!value || !(*value >= 0)) {
            throw InputError(word.where,
                             fmt::format("expected number {} of {}: {} exchangeabilities and {} frequencies "
                                         "of amino acids, as PAML has them",
                                         values.size() + 1, matrix_pairs + matrix_states, matrix_pairs, matrix_states));
        }
        values.push_back(*value);
    }
    return values;
}

/// "{1/2/3}"
std::string braced(std::span<double const> values) {
    return fmt::format("{{{}}}", fmt::join(values, "/"));
}

}  // namespace

std::string_view name_of(std::string_view model) {
    return model.substr(0, model.find_first_of("+{"));
}

bool has_matrix_file(std::string_view model) {
    std::filesystem::path const path(name_of(model));
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    auto const text = common::read_text(path.string());
    auto const first = Words(text, path.string()).next().text;
    return !first.empty() && read_number(first).has_value();
}

std::string with_matrix(std::string_view model) {
    if (!has_matrix_file(model)) return std::string(model);
    auto const name = name_of(model);
    auto const values = read_matrix(std::string(name));
    // Below the diagonal row by row, which is above it column by column.
    std::vector<double> upper;
    for (std::size_t i = 0; i < matrix_states; ++i) {
        for (auto j = i + 1; j < matrix_states; ++j) upper.push_back(values[j * (j - 1) / 2 + i]);
    }
    auto frequencies = std::vector(values.begin() + matrix_pairs, values.end());
    auto const sum = std::accumulate(frequencies.begin(), frequencies.end(), 0.0);
    if (!(sum > 0.9 && sum < 1.1))
        throw InputError({std::string(name)}, fmt::format("has frequencies whose sum is {}, expected 1", sum));
    for (auto& frequency : frequencies) frequency /= sum;
    auto const rest = model.substr(name.size());
    bool const has_frequencies = rest.find("+F") != std::string_view::npos;
    return "PROTGTR" + braced(upper) + (has_frequencies ? "" : "+FU" + braced(frequencies)) + std::string(rest);
}

}  // namespace regraft::phylo
