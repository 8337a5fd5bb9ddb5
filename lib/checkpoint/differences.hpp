// Differential commits: finds what differs from the commit before, and decides whether looking for it pays.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checkpoint/registry.hpp"
#include "regraft/store/reports.hpp"

namespace regraft::checkpoint {

/// Whether commits look for what has changed. All members count alike.
class Differences {
public:
    explicit Differences(SnapshotOptions const& options);

    /// Whether the next commit looks.
    bool looks() const { return wait_ == 0; }
    /// A commit has succeeded. found: what has changed, if it was told to others.
    void committed(std::optional<store::ChangesReport> const& found);

private:
    SnapshotOptions::Differential when_;
    std::uint64_t wait_ = 0;       // commits until one looks again
    std::uint64_t next_wait_ = 0;  // after the next one that finds too much
};

/// What the program has told, and whether it is trusted.
struct Told {
    ToldChanges const& changes;
    SnapshotOptions::Told are;
};

/// Digests of all chunks of the image's bytes. O(bytes).
void digest_chunks(Image& image, std::uint64_t chunk_bytes);

/// Makes `next` the state of the registered entities, as save does, but copies only the chunks that differ from what
/// next has already. Returns a bit for each chunk that differs from `before` (store::Changes), or nothing if names or
/// sizes are not those of `before`, or `before` has no digests; then next must be saved. O(bytes).
std::optional<std::vector<std::uint64_t>> save_changes(Registry const& registry, Told const& told, Image const& before,
                                                       std::uint64_t chunk_bytes, Image& next);

}  // namespace regraft::checkpoint
