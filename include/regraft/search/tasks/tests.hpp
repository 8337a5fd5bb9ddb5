// The task of counting samples for tests of trees, a batch at a time.
#pragma once

#include <cstdint>
#include <string>

#include "regraft/core/bytes.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/subject.hpp"
#include "regraft/search/tree_tests.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

struct SearchOptions;
struct Expected;

/// The progress of the samples of one size (regraft/search/tested_trees.hpp).
struct Tests {
    std::uint64_t position = 0;  // number of the next sample
    bool is_over = false;        // all samples are counted
    SampleCounts counts{};       // of the samples so far

    /// The contract of all tasks (search.hpp).
    static constexpr bool changes_subject = false;
    bool is_done() const { return is_over; }
    std::uint64_t shown_step() const { return position; }
    std::string describe() const;
    Subject subject(Estimate const& now, BranchLinkage linkage) const { return whole_subject(now, linkage); }
    void step(Estimate& now, DistributedLikelihood& likelihood, SearchOptions const& options);
    void check(Estimate const& now, Expected const& expected) const;
    void write(ByteWriter& out) const;
    static Tests read(ByteReader& in);
};

}  // namespace regraft::search
#pragma GCC visibility pop
