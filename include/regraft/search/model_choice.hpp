// The choice of models by trying candidates, for all partitions side by side, each with its own branch lengths.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regraft/msa/patterns.hpp"
#include "regraft/search/candidates.hpp"
#include "regraft/search/distributed_likelihood.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// Values that are counted in the data of a partition before anything is computed.
struct CountedData {
    std::vector<double> frequencies;       // per state
    double invariant = 0;                  // fraction of sites that may have one state everywhere
    std::vector<msa::StateCount> cells{};  // from which the frequencies follow; only for counted_together
    std::uint64_t constant_sites = 0;      // that may have one state everywhere
    std::uint64_t sites = 0;               // all of them, with weights
};

/// The values that follow from these counts.
CountedData counted_from(std::vector<msa::StateCount> cells, std::uint64_t constant_sites, std::uint64_t sites,
                         std::uint32_t num_states);
/// The values of all these partitions together, as if their sites were one: the same bits. Precondition: each has its
/// counts.
CountedData counted_together(std::span<CountedData const> parts, std::uint32_t num_states);

/// The start parameters of a model.
Model start_model(ModelSpec const& spec, CountedData const& counted);

/// A candidate with values for all free parameters.
struct Fit {
    Candidate candidate;          // the name that is tried
    Model model;                  // its parameters
    std::vector<double> lengths;  // per edge, as in Tree::edges()
    double loglh = 0;             // of this model and these lengths
};

/// The progress of the choice for a partition.
struct PartitionChoice {
    std::uint64_t partition = 0;     // index of the partition
    std::vector<TriedModel> trials;  // trials that have ended
    std::optional<Fit> best;         // the best of them; none before the first, or when all have ended
    std::optional<Fit> running;      // the running trial; none: all have ended

    /// Writes all trials and fits, for checkpoints.
    void write(ByteWriter& out) const;
    /// Reads what write wrote. Throws InputError if the bytes are not that.
    static PartitionChoice read(ByteReader& in);
};

/// Starts the first trial, with the branch lengths of the tree.
PartitionChoice begin_choice(std::size_t partition, msa::Alphabet alphabet, CountedData const& counted,
                             msa::Tree const& tree);

/// Ends the running trial and starts the next one, if there is one. It starts from the best fit so far or, if it adds a
/// category of free rates, from the fit of the trial that has ended.
void end_trial(PartitionChoice& choice, msa::Alphabet alphabet, CountedData const& counted, Measure const& measure);

}  // namespace regraft::search
#pragma GCC visibility pop
