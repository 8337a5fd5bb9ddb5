// The constants of a machine, which say how long messages, agreements and copies take: with defaults, or from options
// and a file.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace regraft::plan::simulated {

/// Times are in microseconds (us) or milliseconds (ms), bandwidths in 10^9 bytes per second (gbps).
/// docs/mpi/simulate.md says where the defaults come from.
struct Constants {
    // A message takes alpha, and its bytes divided by the bandwidth of the rank.
    double alpha_within_us = 1;  // within a node
    double within_gbps = 4;
    double alpha_between_us = 2;  // between nodes
    double between_gbps = 10;
    double node_gbps = 25;   // at which all ranks of a node together send, or receive, between nodes
    double memory_gbps = 5;  // at which a rank copies, or computes an erasure code
    double fresh_gbps = 2;   // at which a rank gets new memory from the system, which fills it with zeros
    // The number of cores of a node. If a node has more ranks, they share its cores, and what all of them do takes
    // longer. 0: a core for each rank.
    double cores_per_node = 0;
    // Times that grow with the number of ranks: a fixed part, and a part for each rank.
    double agreement_us = 4;
    double agreement_us_per_rank = 2.2;
    double shrink_us = 500;  // beside its agreements
    double shrink_us_per_rank = 0;
    double exchange_us = 10;  // a collective exchange, beside its messages
    double exchange_us_per_rank = 0.05;
    double plan_us = 50;  // each rank plans the recovery itself
    double plan_us_per_rank = 0.4;
    double notice_ms = 100;   // until all know that a rank is dead
    double disk_gbps = 1000;  // of the file system, for the comparison with checkpoints on disk
};

/// A constant as options and files name it.
struct NamedConstant {
    std::string_view name;
    double Constants::*value;
    double least;  // the smallest value that is allowed
};
/// All of them, in the order of the struct.
std::span<NamedConstant const> named_constants();

/// Sets one constant from NAME=VALUE. Throws InputError that names the option.
void set_constant(Constants& constants, std::string_view assignment, std::string_view option);

/// Reads a JSON object whose members are constants; those that are missing keep their values. The member "machine" is a
/// text for people. Throws InputError with the place in the file of that name.
Constants parse_constants(std::string const& text, std::string const& name);

}  // namespace regraft::plan::simulated
