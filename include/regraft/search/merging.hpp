// The merging of partitions: a greedy search, as by PartitionFinder (Lanfear et al. 2012, 2014), for the partitioning
// scheme with the lowest score. A partitioning scheme, here scheme for short, says which partitions share a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/likelihood/model.hpp"
#include "regraft/search/candidates.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// Partitions that share a model: their indices, in increasing order.
using Subset = std::vector<std::uint32_t>;

/// A subset and the model that fits it.
struct SubsetFit {
    Subset subset;                // at least one partition
    likelihood::Model model;      // the same for all of them
    std::vector<double> lengths;  // per edge, as in Tree::edges(), if branch lengths are unlinked; otherwise empty
    double loglh = 0;             // of the sites of these partitions

    /// Writes everything, for checkpoints.
    void write(ByteWriter& out) const;
    /// Reads what write wrote. Throws InputError if the bytes are not that.
    static SubsetFit read(ByteReader& in);
};

/// The likelihood of a scheme and the number of its free parameters.
struct SchemeValue {
    double loglh = 0;              // of all sites
    std::uint64_t parameters = 0;  // of all models and branch lengths
};
/// The scores of a scheme of num_sites sites, as of a model.
Scores scores(SchemeValue const& scheme, std::uint64_t num_sites);

/// Two subsets that became one.
struct Merge {
    Subset first;       // the subset with the lower first partition
    Subset second;      // the other one
    SchemeValue value;  // of the scheme after the merge
};

/// How partitions are merged.
struct MergeOptions {
    double share = 100;                // percentage of the pairs, the most similar ones, that each round tries
    std::vector<std::uint32_t> kinds;  // per partition; only partitions of the same kind may be merged
    std::vector<std::uint64_t> work;   // per partition: work or memory of an evaluation, in any unit; pairs that are
                                       // tried side by side need at most as much as all partitions
};

/// The progress of a merging.
struct Merging {
    /// What the next step computes: the likelihood of each partition, fits of pairs, or the fit of the best scheme.
    enum class Phase : std::uint8_t { partitions, pairs, scheme };

    Phase phase = Phase::partitions;  // of the next step
    std::vector<SubsetFit> scheme;    // the present scheme, in the order of first partitions
    std::vector<SubsetFit> tried;     // unions of two subsets of the scheme that have been tried, in order of subsets
    std::vector<Subset> waiting;      // unions that are still to be tried in this round
    std::vector<SubsetFit> running;   // unions that are tried now
    std::vector<Merge> merges;        // made so far, one per round that has ended
    std::uint64_t num_tried = 0;      // number of unions that have been tried in all rounds
    SchemeValue given;                // of the scheme before the first round, in which no partitions are merged
    SchemeValue best;                 // of the present scheme

    /// The fits that the next step improves.
    std::vector<SubsetFit> const& subject() const { return phase == Phase::pairs ? running : scheme; }
    /// The same, to be improved.
    std::vector<SubsetFit>& subject() { return phase == Phase::pairs ? running : scheme; }

    /// Writes everything, for checkpoints.
    void write(ByteWriter& out) const;
    /// Reads what write wrote. Throws InputError if the bytes are not that.
    static Merging read(ByteReader& in);
};

}  // namespace regraft::search
#pragma GCC visibility pop
