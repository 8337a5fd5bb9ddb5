// What a distributed likelihood is asked, and what it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/fixed_sum.hpp"
#include "regraft/likelihood/model.hpp"
#include "regraft/msa/tree.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// How branch lengths of different partitions depend on each other. A tree has one length set for each partition if
/// they are unlinked, otherwise one for all.
enum class BranchLinkage : std::uint8_t {
    linked,    // the same for all
    scaled,    // proportional, one factor per partition
    unlinked,  // independent
};

using likelihood::Frequencies;
using likelihood::Model;
using likelihood::ModelSpec;
using likelihood::Origin;

/// Logarithm of the likelihood at a branch length, up to a constant, and its derivatives.
struct BranchValue {
    double loglh = 0;   // up to a constant
    double first = 0;   // derivative by the length
    double second = 0;  // second derivative
};

/// The log-likelihood of a tree and its derivatives by all branch lengths.
struct Gradient {
    std::vector<double> loglh;       // per length set: of its partitions
    std::vector<BranchValue> edges;  // [position in msa::preorder_edges][length set], at their own lengths
};

/// Another model for one of the partitions.
struct ModelTrial {
    std::size_t partition;  // index of the partition
    Model model;            // to be tried instead of the present one
};

/// Where a subtree that was cut off is inserted, and the lengths of the three edges at its node then.
struct Insertion {
    msa::HalfEdge target;         // one end of the edge into which the subtree is inserted
    std::vector<double> lengths;  // [to the subtree, to target, to target's other end][length set]
};

/// Makes reductions in the place of a likelihood, so that several likelihoods can share them.
class Reducer {
public:
    virtual ~Reducer() = default;
    virtual void reduce(std::span<FixedSum> sums) = 0;  // replaces these sums by those over all PEs
};

/// Receives a call at both ends of each reduction, to measure how long this PE waits.
class ReductionObserver {
public:
    virtual ~ReductionObserver() = default;
    virtual void begin_reduction() = 0;  // this PE has added its sites
    virtual void end_reduction() = 0;    // this PE has the sums over all PEs
};

}  // namespace regraft::search
#pragma GCC visibility pop
