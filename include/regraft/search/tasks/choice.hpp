// The task of choosing models: candidates are tried, for all partitions side by side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/model_choice.hpp"
#include "regraft/search/subject.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

struct SearchOptions;
struct Expected;

/// The progress of the choice of models. When it is done, the specs of the estimate are those that were chosen, with
/// models to start from.
struct Choice {
    std::vector<PartitionChoice> choices{};  // for the partitions whose models are not given
    std::uint32_t round = 0;                 // number of the round of the running trials
    std::uint64_t position = 0;              // number of the step within the round

    /// The contract of all tasks (search.hpp).
    static constexpr bool changes_subject = true;
    bool is_done() const;
    std::uint64_t shown_step() const { return position + 1; }
    std::string describe() const;
    Subject subject(Estimate const& now, BranchLinkage linkage) const;
    void step(Estimate& now, DistributedLikelihood& likelihood, SearchOptions const& options);
    void check(Estimate const& now, Expected const& expected) const;
    void write(ByteWriter& out) const;
    static Choice read(ByteReader& in);
};

}  // namespace regraft::search
#pragma GCC visibility pop
