// The merging of partitions: which of them share a model in the scheme with the lowest score. It is found greedily, as
// by PartitionFinder (Lanfear et al. 2012, 2014).
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
    likelihood::Model model;      // of all of them
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
/// The scores of a scheme of num_sites sites.
Scores scores(SchemeValue const& scheme, std::uint64_t num_sites);

/// Two subsets that became one.
struct Merge {
    Subset first;       // has the lower first partition
    Subset second;      // the other one
    SchemeValue value;  // of the scheme after it
};

/// How partitions are merged.
struct MergeOptions {
    double share = 100;                // percentage of the pairs, the most similar ones, that each round tries
    std::vector<std::uint32_t> kinds;  // per partition: only those of the same kind may be merged
    std::vector<std::uint64_t> work;   // per partition: of an evaluation; limits how many pairs are tried side by side
};

/// The progress of a merging.
struct Merging {
    /// What the next step computes: the likelihood of each partition; the fits of pairs; the fit of the best scheme.
    enum class Phase : std::uint8_t { partitions, pairs, scheme };

    Phase phase = Phase::partitions;  // of the next step
    std::vector<SubsetFit> scheme;    // the present one, in the order of first partitions
    std::vector<SubsetFit> tried;     // unions of two of its subsets that have been tried
    std::vector<Subset> waiting;      // unions that are still to be tried in this round
    std::vector<SubsetFit> running;   // unions that are tried now
    std::vector<Merge> merges;        // that have been made; their number is that of the round
    std::uint64_t num_tried = 0;      // unions that have been tried in all rounds
    SchemeValue given;                // the scheme of the first round
    SchemeValue best;                 // the present scheme

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
