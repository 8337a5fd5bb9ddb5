// The merging of partitions: a greedy search, as by PartitionFinder (Lanfear et al. 2012, 2014), for the partitioning
// scheme with the lowest score. A partitioning scheme, here scheme for short, says which partitions share a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/likelihood/model.hpp"
#include "regraft/search/candidates.hpp"
#include "regraft/search/subject.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

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

}  // namespace regraft::search
#pragma GCC visibility pop
