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

/// Frequencies of states at each site, and where they were read.
struct SiteFrequencies {
    std::string file;
    std::vector<double> values;        // [site][state]
    std::vector<std::uint64_t> lines;  // per site: its line in the file, from 1
};

/// Reads the format of IQ-TREE: for each site its number, from 1, and a frequency per state. Throws InputError, with
/// the place in `file`, also unless the frequencies of each site add up to 1, up to rounding.
SiteFrequencies parse_site_frequencies(std::string_view text, std::string const& file, std::uint64_t num_sites,
                                       std::uint32_t num_states);

/// Checks the models of --site-frequencies. Throws InputError unless there is one partition, with a model of one matrix
/// without frequencies and without a correction for sites that were left out.
void check_takes_site_frequencies(std::span<likelihood::ModelSpec const> specs);
/// Checks the models of --pmsf. Throws InputError unless there is one partition, with a profile mixture.
void check_has_site_frequencies(std::span<likelihood::ModelSpec const> specs);

/// The frequencies of patterns, [pattern][state]. Throws InputError if sites of one pattern have different frequencies.
std::vector<double> frequencies_of_patterns(SiteFrequencies const& sites, msa::Patterns const& patterns);

}  // namespace regraft::phylo
