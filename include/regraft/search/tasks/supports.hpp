// The task of computing the support of the edges of a tree, one inner edge at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/subject.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

struct SearchOptions;
struct Expected;

/// The progress of SH-aLRT supports (regraft/search/alrt.hpp).
struct Supports {
    std::uint64_t position = 0;  // of the next edge in tree.edges()
    std::vector<double> alrt{};  // support of tree.edges(), NaN at tips; empty until it has begun

    /// The contract of all tasks (search.hpp).
    static constexpr bool changes_subject = false;
    bool is_done() const { return !alrt.empty() && position >= alrt.size(); }
    std::uint64_t shown_step() const { return position + 1; }
    std::string describe() const;
    Subject subject(Estimate const& now, BranchLinkage linkage) const { return whole_subject(now, linkage); }
    void step(Estimate& now, DistributedLikelihood& likelihood, SearchOptions const& options);
    void check(Estimate const& now, Expected const& expected) const;
    void write(ByteWriter& out) const;
    static Supports read(ByteReader& in);
};

}  // namespace regraft::search
#pragma GCC visibility pop
