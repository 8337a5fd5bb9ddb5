#include "input/site_frequencies.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "common/input.hpp"
#include "files/words.hpp"

namespace regraft::phylo {
namespace {

/// Sums of frequencies that were printed with few digits differ from 1.
constexpr double rounding = 1e-3;

template <class Number>
bool read_number(std::string_view text, Number& number) {
    auto const* const end = text.data() + text.size();
    auto const parsed = std::from_chars(text.data(), end, number);
    return parsed.ec == std::errc() && parsed.ptr == end;
}

std::uint64_t site_in(Word const& word, std::uint64_t num_sites) {
    std::uint64_t site = 0;
    if (read_number(word.text, site) && site >= 1 && site <= num_sites) return site - 1;
    throw InputError(word.where, fmt::format("'{}', expected the number of a site, from 1 to {}",
                                             common::escaped(word.text), num_sites));
}

double frequency_in(Word const& word) {
    double frequency = 0;
    if (read_number(word.text, frequency) && frequency >= 0 && frequency <= 1) return frequency;
    throw InputError(word.where,
                     fmt::format("'{}', expected a frequency: a number from 0 to 1", common::escaped(word.text)));
}

likelihood::ModelSpec const& only_one(std::span<likelihood::ModelSpec const> specs, char const* option) {
    if (specs.size() == 1) return specs.front();
    throw InputError(fmt::format("{}: there are {} partitions, expected one", option, specs.size()));
}

}  // namespace

SiteFrequencies parse_site_frequencies(std::string_view text, std::string const& file, std::uint64_t num_sites,
                                       std::uint32_t num_states) {
    SiteFrequencies sites{file, std::vector<double>(num_sites * num_states), std::vector<std::uint64_t>(num_sites)};
    Words words(text, file);
    for (auto word = words.next(); !word.text.empty(); word = words.next()) {
        auto const first = word.where;
        auto const site = site_in(word, num_sites);
        if (sites.lines[site] != 0) {
            throw InputError(first, fmt::format("is the second line of site {}, expected one for each site", site + 1));
        }
        sites.lines[site] = first.line;
        auto const values = std::span(sites.values).subspan(site * num_states, num_states);
        for (auto& value : values) {
            word = words.next();
            if (word.text.empty() || word.where.line != first.line) {
                throw InputError(first,
                                 fmt::format("has fewer than {} frequencies, expected one for each state", num_states));
            }
            value = frequency_in(word);
        }
        auto const sum = std::accumulate(values.begin(), values.end(), 0.0);
        if (!(std::abs(sum - 1) <= rounding))
            throw InputError(first, fmt::format("gives frequencies whose sum is {:.6g}, expected 1", sum));
    }
    auto const missing = std::ranges::find(sites.lines, std::uint64_t{0});
    if (missing == sites.lines.end()) return sites;
    throw InputError({file}, fmt::format("has no line for site {}, expected one for each of {} sites",
                                         missing - sites.lines.begin() + 1, num_sites));
}

void check_takes_site_frequencies(std::span<likelihood::ModelSpec const> specs) {
    auto const& spec = only_one(specs, "--site-frequencies");
    auto const refuse = [&](char const* what) {
        throw InputError(fmt::format("--site-frequencies: model '{}' {}", spec.text, what));
    };
    if (!spec.profiles.empty() || spec.matrices.size() > 1) refuse("is a mixture, expected one matrix, such as LG+G4");
    if (spec.counts_frequencies() || spec.frequencies == likelihood::Frequencies::given)
        refuse("has frequencies, expected none, or +FE");
    if (spec.ascertainment != likelihood::Ascertainment::none)
        refuse("has +ASC_, expected that no sites were left out");
}

void check_has_site_frequencies(std::span<likelihood::ModelSpec const> specs) {
    auto const& spec = only_one(specs, "--pmsf");
    if (!spec.profiles.empty()) return;
    throw InputError(
        fmt::format("--pmsf: model '{}' has no profiles, expected a mixture, such as LG+C20+F+G4", spec.text));
}

std::vector<double> frequencies_of_patterns(SiteFrequencies const& sites, msa::Patterns const& patterns) {
    auto const num_states = sites.values.size() / sites.lines.size();
    auto const of = [&](std::size_t site) { return std::span(sites.values).subspan(site * num_states, num_states); };
    std::vector<std::size_t> first(patterns.num_patterns(), sites.lines.size());
    std::vector<double> result(patterns.num_patterns() * num_states);
    for (std::size_t site = 0; site < sites.lines.size(); ++site) {
        auto const pattern = patterns.pattern_of_site[site];
        if (pattern == msa::no_pattern) continue;
        auto& before = first[pattern];
        if (before == sites.lines.size()) {
            before = site;
            std::ranges::copy(of(site), result.begin() + static_cast<std::ptrdiff_t>(pattern * num_states));
        } else if (!std::ranges::equal(of(site), of(before))) {
            throw InputError({sites.file, sites.lines[site], 1},
                             fmt::format("gives site {} other frequencies than site {}, which has the same characters; "
                                         "expected the same",
                                         site + 1, before + 1));
        }
    }
    return result;
}

}  // namespace regraft::phylo
