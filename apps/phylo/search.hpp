// The hill climb as a machine of small steps. Its state is all there is to know between two steps: from equal states
// every PE, and every repetition after a failure, goes the same way, bit by bit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "likelihood.hpp"

namespace regraft::phylo {

enum class Command : std::uint8_t { check, loglh, evaluate, search };

/// Where the machine stands. A search passes through all stages in this order, an evaluation through the last ones.
enum class Stage : std::uint8_t { rough_model, nni, spr, final_model, done };
std::string to_string(Stage stage);

struct SearchState {
    explicit SearchState(msa::Tree start) : tree(std::move(start)) {}

    msa::Tree tree;
    std::vector<Model> models;
    Stage stage = Stage::final_model;
    std::uint32_t round = 0;        // within the stage
    std::uint64_t position = 0;     // step within the round
    std::uint64_t accepted = 0;     // moves in this round
    double loglh = 0;               // of tree and models
    double round_start = 0;         // loglh when the round began
    std::uint64_t evaluations = 0;  // of the likelihood, that led here

    std::vector<std::byte> to_bytes() const;
    static SearchState from_bytes(std::span<std::byte const> bytes);
};

/// "SPR round 2", "done".
std::string describe(SearchState const& state);

/// The state before the first step.
SearchState start_state(Command command, msa::Tree tree, std::vector<Model> models);

struct SearchOptions {
    std::uint32_t spr_radius = 5;
    double rough_epsilon = 1.0;  // a round of model optimisation that gains less ends its stage
    double final_epsilon = 0.001;
    double least_round_gain = 0.1;  // a round of moves that gains less is the stage's last
    std::vector<std::uint64_t> sites_per_partition;
};

/// One step: an optimiser call, or the moves of one edge or subtree. Reads the position from `state` and brings it up
/// to date. `likelihood` must hold state.tree and state.models. Precondition: state.stage != done.
void advance(SearchState& state, Likelihood& likelihood, SearchOptions const& options);

}  // namespace regraft::phylo
