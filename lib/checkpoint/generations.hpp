// The generations of a snapshot, each a state of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "checkpoint/snapshot_impl.hpp"

namespace regraft::checkpoint {

/// The generations form a ring: a commit replaces the oldest.
struct Snapshot::Impl {
    Impl(ft::Communicator& comm, SnapshotOptions const& options);

    SnapshotState& last() { return *ring[at]; }
    SnapshotState const& last() const { return *ring[at]; }
    /// The generation with this number, or the last for 0; the last, too, for that to which a restore has gone back
    /// that then was interrupted. Precondition: there is one.
    std::size_t place_of(std::uint64_t generation) const;
    /// Calls work for the oldest generation, which commits into it. If that succeeds, it is the last.
    template <class Work>
    auto replace_oldest(Work work);
    /// The generation at this place is the last. Those after it are given up.
    void go_back_to(std::size_t place);

    Program program;
    std::vector<std::unique_ptr<SnapshotState>> ring;
    std::size_t at = 0;
    std::uint64_t gone_back_to = 0;  // since the last commit; 0: no restore has gone back
};

template <class Work>
auto Snapshot::Impl::replace_oldest(Work work) {
    auto const place = (at + 1) % ring.size();
    auto& oldest = *ring[place];
    auto const before = oldest.vault.version();
    auto const number = last().generation() + 1;
    auto const note = [&] {
        if (oldest.vault.version() == before) return;
        gone_back_to = 0;
        for (auto const& each : ring) each->unreported = {};
        if (ring.size() == 1) return;
        oldest.commits_elsewhere = number - oldest.vault.version();
        oldest.given_up = false;
        at = place;
    };
    try {
        auto result = work(oldest);
        note();
        return result;
    } catch (...) {
        note();
        throw;
    }
}

}  // namespace regraft::checkpoint
