// How long messages take, in the simplest model that knows both latency and bandwidth.
#pragma once

#include <bit>
#include <cstdint>

namespace regraft::plan {

/// A shrink is made of so many agreements: docs/mpi/failure-model.md.
inline constexpr int agreements_per_shrink = 6;

/// The alpha-beta model: a message takes alpha, and its bytes divided by beta. A round takes as long as its largest
/// message, rounds do not overlap, and nothing else uses the network.
///
/// An agreement goes to a root and back. In a star, the only shape in which Open MPI's does not hang when members die,
/// the root alone has a message from and to each member. In a binary tree a message goes up and down each level.
struct Network {
    double alpha_us = 2.0;    // microseconds per message
    double beta_gbps = 10.0;  // 10^9 bytes per second

    double member_us = 2.2;  // what each member of an agreement costs at its root, of CPU time

    double message_seconds(std::uint64_t bytes) const {
        return alpha_us * 1e-6 + static_cast<double>(bytes) / (beta_gbps * 1e9);
    }
    double agreement_seconds(std::uint64_t num_ranks) const {
        return num_ranks < 2 ? 0 : 1e-6 * (2 * alpha_us + static_cast<double>(num_ranks - 1) * member_us);
    }
    double tree_agreement_seconds(std::uint64_t num_ranks) const {
        auto const levels = static_cast<double>(num_ranks < 2 ? 0 : std::bit_width(num_ranks - 1));
        return 1e-6 * levels * (2 * alpha_us + 2 * member_us);  // an inner node has two children
    }
};

}  // namespace regraft::plan
