// The choice of models by trying candidates, of all partitions side by side, each with branch lengths of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "candidates.hpp"
#include "likelihood.hpp"

namespace regraft::phylo {

/// What the data of a partition say before anything is computed.
struct CountedData {
    std::vector<double> frequencies;  // per state
    double invariant = 0;             // share of sites that may have one state everywhere
};

/// Start parameters.
Model start_model(ModelSpec const& spec, CountedData const& counted);

/// A candidate with values for all that is free.
struct Fit {
    Candidate candidate;
    Model model;
    std::vector<double> lengths;  // per edge, as in Tree::edges()
    double loglh = 0;
};

/// How far the choice is for a partition.
struct PartitionChoice {
    std::uint64_t partition = 0;
    std::vector<TriedModel> trials;  // that have ended
    std::optional<Fit> best;         // of them; none before the first, or when all have ended
    std::optional<Fit> running;      // none: all have ended

    void write(ByteWriter& out) const;
    static PartitionChoice read(ByteReader& in);
};

/// Starts the first trial, from the branch lengths of the tree.
PartitionChoice begin_choice(std::size_t partition, msa::Alphabet alphabet, CountedData const& counted,
                             msa::Tree const& tree);

/// Ends the running trial and starts the next one, if there is one: from what is best so far, or, if it adds a category
/// of free rates, from the one that has ended.
void end_trial(PartitionChoice& choice, msa::Alphabet alphabet, CountedData const& counted, Measure const& measure);

}  // namespace regraft::phylo
