// What the user asks for on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "common/program.hpp"
#include "input/network.hpp"

namespace regraft::plan {

struct MatchOptions {
    std::string graph;  // path; "-": standard input
    std::string json;   // path; empty: none; "-": standard output, and no text
};

struct RoundsOptions {
    std::string transfers;
    std::string json;
    bool list = false;  // every round in the text
};

struct RecoverOptions {
    std::uint32_t ranks = 0;
    std::uint64_t blocks = 0;
    std::uint32_t replicas = 3;
    std::uint32_t partitions = 1;
    std::string placement = "mod-k";
    std::uint32_t node_size = 1;  // ranks that fail together
    // Which ranks fail: one of these three is there.
    std::optional<std::string> failed;      // list of ranks
    std::optional<std::string> fail_nodes;  // list of nodes
    std::optional<double> fail_rate;        // of all nodes
    std::uint64_t seed = 1;
    std::uint64_t block_bytes = 1024;
    bool bundle = false;
    Network network;
    bool redistribute = false;
    std::string json;
    bool transfers = false;  // all of them in the JSON
};

struct LossOptions {
    std::uint32_t ranks = 0;
    std::uint32_t node_size = 1;           // ranks that fail together
    std::string placement = "mod-k";       // or permuted, pairwise, node-aware
    std::optional<std::string> replicas;   // list; none: 2,3,4 as far as there are ranks
    std::optional<std::string> failures;   // list of numbers of failed ranks, or nodes
    std::optional<std::string> fractions;  // list of parts of them
    std::uint64_t trials = 0;              // 0: nothing is simulated
    std::uint64_t seed = 1;
    std::string json;
    std::string svg;  // path, as json
};

using Options = std::variant<MatchOptions, RoundsOptions, RecoverOptions, LossOptions>;

using Parsed = common::Parsed<Options>;

/// Reads the command line. Never prints, never throws.
Parsed parse_command_line(int argc, char const* const* argv);

}  // namespace regraft::plan
