// What the user asks for on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/program.hpp"
#include "input/network.hpp"

namespace regraft::plan {

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

struct SimulateOptions {
    std::uint32_t ranks = 0;
    std::uint32_t node_size = 1;     // ranks
    std::uint32_t rack_nodes = 0;    // 0: there are no racks
    std::uint32_t switch_racks = 0;  // 0: there are no switches
    double hours = 24;               // of computing with all ranks
    std::uint64_t blocks_per_rank = 64;
    std::uint64_t block_bytes = 16384;
    std::uint64_t state_bytes = 100'000'000;  // of each rank
    // How the job is protected: lists, of more than one item with --optimise.
    std::string replicas = "3";
    std::string placement = "node-aware";
    std::string interval = "auto";  // minutes, or auto
    std::optional<std::string> code;
    std::string apart = "node";
    bool no_repair = false;
    bool optimise = false;
    // Failures: rates, a file, or so many nodes at once.
    double mtbf_rank = 0;  // hours; 0: never
    double mtbf_node = 0;
    double mtbf_rack = 0;
    double mtbf_switch = 0;
    double shape = 1;
    std::optional<std::string> trace;
    std::uint32_t burst = 0;
    std::uint64_t seed = 1;
    std::string constants;  // path; empty: the defaults
    std::vector<std::string> set;
    std::string transport = "collective";
    double restart_minutes = 10;
    std::uint32_t spares = 0;
    std::uint64_t jobs = 1;
    std::uint32_t threads = 0;  // 0: as many as there are cores
    double limit = 10;          // times the hours
    std::string json;
    std::string svg;
};

using Options = std::variant<RecoverOptions, LossOptions, SimulateOptions>;

using Parsed = common::Parsed<Options>;

/// Reads the command line. Never prints, never throws.
Parsed parse_command_line(int argc, char const* const* argv);

}  // namespace regraft::plan
