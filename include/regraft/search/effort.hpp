// How much to search: from how many trees, how closely at the moves of a subtree, and how often the search tries to
// leave a local maximum before it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// How much a job searches.
enum class Effort : std::uint8_t {
    fast,       // one start, no escapes
    normal,     // one to three starts, by the number of taxa
    thorough,   // ten starts; more patience
    automatic,  // as normal, but as many starts as are expected to pay
};

/// SearchOptions::patience: how many escapes in a row may fail, per taxon. is_first: of a search from one of several
/// starts, before their trees are fused: fusing finds sooner what longer escapes would find. Otherwise of any other
/// search.
double patience(Effort effort, bool is_first);

/// How closely the insertions of a subtree are looked at. Shares are of the mean of Losses.
struct Care {
    std::size_t candidates;  // number of insertions that are optimised, the best ones before that
    double hopeless_share;   // insertions that lose more than this share are not optimised
    double beyond_share;     // edges beyond an insertion that loses more than this share are not tried
    double close;            // an insertion that loses less, once optimised, is judged with better branches around it
    bool learns = true;      // whether what insertions lose counts for Losses
    friend bool operator==(Care const&, Care const&) = default;
};
/// The care of moves on the way out of a local maximum, of which there are very many. What they lose in spoilt trees
/// does not count, so a way does not depend on those before it.
inline constexpr Care least_care{
    .candidates = 2, .hopeless_share = 0.15, .beyond_share = 0.5, .close = 0, .learns = false};
/// The care of near moves.
inline constexpr Care little_care{.candidates = 2, .hopeless_share = 0.15, .beyond_share = 1, .close = 0};
/// The care of far moves in a search that has to be fast. They are its last, so even here what is close counts.
inline constexpr Care fast_care{.candidates = 3, .hopeless_share = 0.2, .beyond_share = 1, .close = 3};
/// The usual care of far moves.
inline constexpr Care much_care{.candidates = 5, .hopeless_share = 0.6, .beyond_share = 1, .close = 3};

/// The care of far moves, SearchOptions::far_care.
Care far_care(Effort effort);

/// What a search saves where it can optimise all branch lengths together, with few reductions, or one after the other,
/// which computes less.
enum class Saves : std::uint8_t { reductions, computation };
/// What an effort saves, SearchOptions::saves. Trees of 1,000 taxa and more always save computation.
Saves saves(Effort effort);

/// The number of trees from which searches should start, before the results are fused; chosen by measurements
/// (docs/trees/phylo-results.md). For an automatic effort this is the most: another_start_pays says when fewer suffice.
std::uint32_t default_starts(Effort effort, std::uint32_t num_tips);

/// Whether an automatic effort should search from another start. loglh: the log-likelihoods at which the searches so
/// far have ended, in any order. difficulty: msa::difficulty.
///
/// Another start pays until there are 1, 2 or 3, the more the harder the data are, and, unless the data are clear, as
/// many as a normal effort makes. From then on, if there are at least 2, it pays if it is expected to raise the best
/// log-likelihood by more than 0.5. A search ends higher than k others with probability 1 / (k + 1), and then about as
/// much above the best of them as that is above the second. Precondition: !loglh.empty().
bool another_start_pays(std::span<double const> loglh, double difficulty, std::uint32_t num_tips);

}  // namespace regraft::search
#pragma GCC visibility pop
