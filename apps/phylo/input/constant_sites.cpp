#include "input/constant_sites.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

constexpr std::string_view bases = "ACGT";

/// Appends cells to each row.
void append_to_rows(msa::Alignment& alignment, std::string_view cells) {
    auto const old_size = alignment.num_sites();
    auto const new_size = old_size + cells.size();
    alignment.cells.reserve(alignment.num_taxa() * new_size);
    alignment.cells.resize(alignment.num_taxa() * new_size);
    auto* const begin = alignment.cells.data();
    for (auto taxon = alignment.num_taxa(); taxon-- > 0;) {  // from the last row on, so that none is overwritten
        auto* const from = begin + taxon * old_size;
        auto* const to = begin + taxon * new_size;
        std::copy_backward(from, from + old_size, to + old_size);
        std::ranges::copy(cells, to + old_size);
    }
}

}  // namespace

void append_constant_sites(std::span<std::uint32_t const> numbers, CheckedInput& input) {
    REGRAFT_EXPECTS(numbers.size() == bases.size());
    if (input.partitions.size() != 1) {
        throw InputError(fmt::format(
            "--constant-sites: there are {} partitions, and these sites belong to none of them; expected one partition "
            "(--model without --partitions)",
            input.partitions.size()));
    }
    auto& weights = input.site_weights;
    if (weights.empty()) weights.assign(input.num_columns, 1);
    std::string columns;
    for (std::size_t i = 0; i < bases.size(); ++i) {
        if (numbers[i] == 0) continue;
        columns += bases[i];
        weights.push_back(numbers[i]);
    }
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}) > most) {
        throw InputError(
            fmt::format("--constant-sites: with the sites of the alignment there are more than {}, the most", most));
    }
    append_to_rows(input.alignment, columns);
    if (!columns.empty())
        input.partitions.front().sites.push_back({input.num_columns, input.num_columns + columns.size()});
    input.origin_of_sites += fmt::format(", {} of them constant and not in the alignment",
                                         std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}));
}

void check_takes_constant_sites(CheckedInput const& input) {
    auto const& spec = input.specs.front();
    if (spec.alphabet != msa::Alphabet::dna) {
        throw InputError(
            fmt::format("--constant-sites: are numbers of A, C, G and T, but {} {} data; expected a model of DNA",
                        is_automatic(input.partitions.front()) ? "these look like" : "model '" + spec.text + "' is for",
                        name(spec.alphabet)));
    }
    if (spec.ascertainment != likelihood::Ascertainment::none) {
        throw InputError(
            fmt::format("--constant-sites: model '{}' corrects for the same sites, expected either their numbers or "
                        "the correction (+ASC_)",
                        spec.text));
    }
}

void take_constant_sites_out(CheckedInput const& input, msa::PartitionSpec& partition) {
    std::erase_if(partition.sites, [&](auto const& range) { return range.first >= input.num_columns; });
}

void find_only_varying(CheckedInput& input) {
    bool const are_corrected = std::ranges::any_of(
        input.specs, [](auto const& spec) { return spec.ascertainment != likelihood::Ascertainment::none; });
    bool const any_constant =
        std::ranges::any_of(input.census.partitions, [](auto const& counts) { return counts.invariant_sites > 0; });
    if (are_corrected || any_constant) return;
    bool const is_dna = input.specs.size() == 1 && input.specs.front().alphabet == msa::Alphabet::dna;
    input.findings.push_back(
        {msa::Severity::warning,
         "only-varying",
         fmt::format("all sites vary; if constant ones were left out, as from lists of SNPs, branches come out too "
                     "long: a model with +ASC_LEWIS corrects for them{}",
                     is_dna ? ", or --constant-sites A,C,G,T says how many there were" : ""),
         {}});
}

}  // namespace regraft::phylo
