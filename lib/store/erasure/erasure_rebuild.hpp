// Carries out rebuilds: sources come from their holders, round by round; rebuilt bytes that other members want too are
// sent on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "store/erasure/erasure_version.hpp"
#include "store/together/volume.hpp"

namespace regraft::store {

/// A cache of combinations: most rebuilds of a stripe have the same sources.
class Combinations {
public:
    explicit Combinations(erasure::Code const& code) : code_(code) {}
    erasure::Combination const& of(std::span<erasure::Source const> sources, std::uint32_t wanted);

private:
    erasure::Code code_;
    std::map<std::vector<std::uint32_t>, erasure::Combination> known_;
};

/// In each round no member rebuilds more than a window, or one part. The plan and the version must outlive this.
class Rebuilding {
public:
    /// Returns where rebuilt bytes go in the memory of their receiver; called on the receiver.
    using Target = std::function<std::span<std::byte>(erasure::Rebuild const&)>;

    Rebuilding(ft::Communicator& comm, ErasureVersion const& version, erasure::Rebuilds const& plan,
               ErasureOptions const& options, Target target);

    /// Adds the sources of the first round to an exchange that is made anyway, before run().
    void join(Shipment& shipment);
    /// Returns whether everything arrived as it was sent. Collective, not uniform.
    [[nodiscard]] bool run(ft::FailPoint& inside);
    Volume const& volume() const { return volume_; }

private:
    void add_sources(std::size_t round, Shipment& shipment);
    std::span<std::byte const> take(erasure::Rebuild const& task, erasure::Source const& source, Shipment& shipment);
    void combine(std::size_t round);
    bool forward(std::size_t round);

    ft::Communicator* comm_;
    ErasureVersion const* version_;
    erasure::Rebuilds const* plan_;
    ErasureOptions const* options_;
    Target target_;
    Csr<std::size_t> rounds_;
    PieceSums sum_of_;
    Combinations combinations_;
    Volume volume_;
    bool joined_ = false;
    bool own_intact_ = true;                   // whether the pieces that this PE reads for itself are intact
    Scratch scratch_;                          // memory of the present round
    Csr<std::span<std::byte const>> sources_;  // sources of the present round: a row per rebuild of this PE
};

}  // namespace regraft::store
