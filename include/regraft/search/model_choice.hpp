// The choice of models by trying candidates, for all partitions side by side, each with its own branch lengths.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regraft/search/candidates.hpp"
#include "regraft/search/counted_data.hpp"
#include "regraft/search/distributed_likelihood.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// A candidate with values for all free parameters.
struct Fit {
    Candidate candidate;          // names the model
    Model model;                  // the model's parameters
    std::vector<double> lengths;  // per edge, as in Tree::edges()
    double loglh = 0;             // of this model and these lengths
};

/// The progress of the choice for a partition.
struct PartitionChoice {
    std::uint64_t partition = 0;     // index of the partition
    std::vector<TriedModel> trials;  // trials that have ended
    std::optional<Fit> best;         // fit of the best of them; none before the first has ended, or if all have ended
    std::optional<Fit> running;      // fit of the running trial; none if all have ended

    /// Writes all trials and fits, for checkpoints.
    void write(ByteWriter& out) const;
    /// Reads what write wrote. Throws InputError if the bytes are not that.
    static PartitionChoice read(ByteReader& in);
};

/// Starts the first trial of a partition, with the branch lengths that the tree has in its first length set.
PartitionChoice begin_choice(std::size_t partition, CandidateSet const& candidates, CountedData const& counted,
                             msa::Tree const& tree);

/// Ends the running trial and starts the next one, if next_candidate has one. The next trial starts from the best fit
/// so far or, if it adds a category of free rates, from the fit of the trial that has ended. Precondition:
/// choice.running.
void end_trial(PartitionChoice& choice, CandidateSet const& candidates, CountedData const& counted,
               Measure const& measure);

}  // namespace regraft::search
#pragma GCC visibility pop
