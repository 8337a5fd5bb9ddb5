// The task of merging partitions (regraft/search/merging.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/merging.hpp"
#include "regraft/search/subject.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

struct SearchOptions;
struct Expected;

/// The progress of a merging.
struct Merging {
    /// What the next step computes: the likelihood of each partition, fits of pairs, or the fit of the best scheme. In
    /// the end there is no next step.
    enum class Phase : std::uint8_t { partitions, pairs, scheme, over };

    Phase phase = Phase::partitions;  // of the next step
    std::vector<SubsetFit> scheme;    // the present scheme, in the order of first partitions
    std::vector<SubsetFit> tried;     // unions of two subsets of the scheme that have been tried, in order of subsets
    std::vector<Subset> waiting;      // unions that are still to be tried in this round
    std::vector<SubsetFit> running;   // unions that are tried now
    std::vector<Merge> merges;        // made so far, one per round that has ended
    std::uint64_t num_tried = 0;      // number of unions that have been tried in all rounds
    SchemeValue given;                // of the scheme before the first round, in which no partitions are merged
    SchemeValue best;                 // of the present scheme
    std::uint32_t round = 0;          // number of the round of fitting the subject
    std::uint64_t position = 0;       // number of the step within the round

    /// The fits that the next step improves.
    std::vector<SubsetFit> const& fits() const { return phase == Phase::pairs ? running : scheme; }
    /// The same, to be improved.
    std::vector<SubsetFit>& fits() { return phase == Phase::pairs ? running : scheme; }

    /// The contract of all tasks (search.hpp).
    static constexpr bool changes_subject = true;
    bool is_done() const { return phase == Phase::over; }
    std::uint64_t shown_step() const { return position + 1; }
    std::string describe() const;
    Subject subject(Estimate const& now, BranchLinkage linkage) const;
    void step(Estimate& now, DistributedLikelihood& likelihood, SearchOptions const& options);
    void check(Estimate const& now, Expected const& expected) const;
    void write(ByteWriter& out) const;
    static Merging read(ByteReader& in);
};

}  // namespace regraft::search
#pragma GCC visibility pop
