// Frequencies of states at each site, as posterior means under a mixture (PMSF; Wang et al. 2018).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/likelihood/model.hpp"
#include "regraft/msa/patterns.hpp"

namespace regraft::phylo {

/// Frequencies of sites, and where they are.
struct SiteFrequencies {
    std::string file;
    std::vector<double> values;        // [site][state]
    std::vector<std::uint64_t> lines;  // per site: the line that it is in
};

/// Reads the format of IQ-TREE: for each site its number, from 1, and a frequency per state. Throws InputError, with
/// the place in `file`, also unless the frequencies of each site add up to 1, up to rounding.
SiteFrequencies parse_site_frequencies(std::string_view text, std::string const& file, std::uint64_t num_sites,
                                       std::uint32_t num_states);

/// Throws InputError unless sites can have frequencies of their own under these models.
void check_takes_site_frequencies(std::span<likelihood::ModelSpec const> specs);
/// Throws InputError unless there are posterior means of frequencies under these models.
void check_has_site_frequencies(std::span<likelihood::ModelSpec const> specs);

/// [pattern][state]. Throws InputError if sites of one pattern have different frequencies.
std::vector<double> frequencies_of_patterns(SiteFrequencies const& sites, msa::Patterns const& patterns);

}  // namespace regraft::phylo
