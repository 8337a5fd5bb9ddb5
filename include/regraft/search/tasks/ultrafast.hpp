// The task of the ultrafast bootstrap: the trees from which replicates start, then rounds in which they improve.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/subject.hpp"
#include "regraft/search/ultrafast.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

struct SearchOptions;
struct Expected;

/// The progress of an ultrafast bootstrap (regraft/search/ultrafast.hpp).
struct Ultrafast {
    std::vector<msa::Tree> starts{};          // trees that replicates were offered, until the rounds begin
    double raised = 0;                        // by how much the last of them raised the log-likelihood of a replicate
    std::uint32_t round = 0;                  // rounds that are done
    std::vector<ReplicateTree> replicates{};  // empty until it has begun

    /// The contract of all tasks (search.hpp).
    static constexpr bool changes_subject = false;
    bool is_done() const;
    std::uint64_t shown_step() const { return starts.size() + round + 1; }
    std::string describe() const;
    Subject subject(Estimate const& now, BranchLinkage linkage) const { return whole_subject(now, linkage); }
    void step(Estimate& now, DistributedLikelihood& likelihood, SearchOptions const& options);
    void check(Estimate const& now, Expected const& expected) const;
    void write(ByteWriter& out) const;
    static Ultrafast read(ByteReader& in);

private:
    /// The next tree from which replicates may start: one of the good ones, then trees that are typical of replicates,
    /// as long as these pay. None: the rounds begin.
    std::optional<msa::Tree> next_start(msa::Tree const& best, SearchOptions const& options) const;
};

}  // namespace regraft::search
#pragma GCC visibility pop
