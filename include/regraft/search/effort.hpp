// How long to search: from how many trees, and how long for a way out of each local maximum.
#pragma once

#include <cstdint>
#include <span>

#pragma GCC visibility push(default)
namespace regraft::search {

/// How much a job searches.
enum class Effort : std::uint8_t {
    fast,       // one start, no escapes
    normal,     // one to three starts
    thorough,   // ten starts, with four times the patience
    automatic,  // as many starts as are expected to pay, with little patience; and patience with what is found from
                // them
};

/// SearchOptions::patience of the search from one of several starts (is_first), or of any other search.
double patience(Effort effort, bool is_first);

/// The number of trees from which searches should start, to be fused. These numbers were found to pay. An automatic
/// effort may do with fewer: another_start_pays says when.
std::uint32_t default_starts(Effort effort, std::uint32_t num_tips);

/// Whether an automatic effort should search from another start. loglh: the log-likelihoods of the maxima that were
/// found, in any order. difficulty: msa::difficulty. Another start does not pay where data are so clear that all
/// searches end alike, nor if it is expected to raise the best maximum by little: it ends higher than k others with
/// probability 1 / (k + 1), and then about as much higher than the best of them as that is above the second.
/// Precondition: !loglh.empty().
bool another_start_pays(std::span<double const> loglh, double difficulty);

}  // namespace regraft::search
#pragma GCC visibility pop
