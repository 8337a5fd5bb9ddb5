// How long messages take, in the simplest model that knows both latency and bandwidth.
#pragma once

#include <cstdint>

namespace regraft::plan {

/// The alpha-beta model: a message takes alpha, and its bytes divided by beta. A round takes as long as its largest
/// message, rounds do not overlap, and nothing else uses the network.
struct Network {
    double alpha_us = 2.0;    // microseconds per message
    double beta_gbps = 10.0;  // 10^9 bytes per second

    double message_seconds(std::uint64_t bytes) const {
        return alpha_us * 1e-6 + static_cast<double>(bytes) / (beta_gbps * 1e9);
    }
};

}  // namespace regraft::plan
