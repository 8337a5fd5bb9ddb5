// Where ranks lose time: how long each computes between two reductions, and how long it is in them.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"

namespace regraft::phylo {

/// What one rank measured, in bounded memory. A work package is what it computes from the end of one reduction to the
/// beginning of the next; agreements count as reductions, as all ranks meet there, too. Packages are numbered from 0 in
/// each epoch, alike on all ranks, and all ranks keep the lengths of the same of them: the logs of those that are left
/// after a failure can be compared. Lengths are kept of a sample once there are many packages: of one in each stretch
/// of 2^k, drawn by its number. Everything else counts all packages.
class WorkLog {
public:
    /// Bins of package lengths in nanoseconds, four in each octave: [m, m + 1) * 2^k, m = 4 .. 7.
    static constexpr std::size_t num_bins = 64 * 4;
    static std::size_t bin_of(std::uint64_t ns);
    /// Where a bin begins.
    static double bin_edge(std::size_t bin);

    struct Epoch {
        std::uint32_t number = 0;
        std::vector<float> lengths;  // in ns, of those that are kept
    };

    /// Of one of so many ranks, whose samples together take at most 16 MiB, or 1 KiB each.
    explicit WorkLog(std::uint32_t num_ranks);

    /// Packages are numbered from 0 again, unless the epoch is the same as before. Precondition: it is not below that.
    void begin_epoch(std::uint32_t epoch);
    /// One more package, and the reduction that ended it. Precondition: an epoch has begun. O(1) amortised.
    void add(std::uint64_t work_ns, std::uint64_t reduction_ns);

    std::uint64_t num_packages() const { return num_packages_; }
    std::vector<std::byte> to_bytes() const;

private:
    void thin();

    std::size_t most_kept_;
    std::uint32_t level_ = 0;  // one of 2^level packages is kept
    std::vector<Epoch> epochs_;
    std::size_t num_kept_ = 0;  // in all epochs
    std::uint64_t epoch_packages_ = 0;
    std::uint64_t next_kept_ = 0;  // the number of a package in the epoch
    std::uint64_t num_packages_ = 0;
    std::uint64_t work_ns_ = 0;
    std::uint64_t reduction_ns_ = 0;
    std::array<std::uint64_t, num_bins> bins_{};
};

/// Fills a log by the clock.
class WorkClock {
public:
    explicit WorkClock(std::uint32_t num_ranks) : log_(num_ranks) {}

    /// A package begins now; one that is under way is forgotten.
    void start(std::uint32_t epoch);
    /// Nothing is measured before the first start.
    void begin_reduction();
    void end_reduction();
    WorkLog const& log() const { return log_; }

private:
    using Clock = std::chrono::steady_clock;
    WorkLog log_;
    bool runs_ = false;
    Clock::time_point package_began_;
    Clock::time_point reduction_began_;
};

/// One rank among all.
struct RankProfile {
    PeId pe{};
    std::uint64_t num_packages = 0;
    double work_ms = 0;
    double waiting_ms = 0;        // in reductions, for the slowest; estimated from the packages that are compared
    double communication_ms = 0;  // in reductions, what is left
    std::array<std::uint64_t, WorkLog::num_bins> lengths{};  // of packages
    /// Of a package: its length over the mean of all ranks, 1 if that is 0. Histogram in the bins of Profile.
    std::vector<std::uint64_t> slowdowns;
    double mean_slowdown = 1;  // all work over the mean of all ranks
    double median_slowdown = 1;
    double slowdown_90 = 1;         // nine of ten are at most that
    double slowest_share = 0;       // of the packages in which no rank took longer; ties are shared
    double slowest_time_share = 0;  // the same, packages weighted with the time of the slowest
};

struct Profile {
    /// Slowdown bins: eight in each octave, from 1/8 to 8; the first and the last take what is beyond.
    static constexpr std::size_t num_slowdown_bins = 48;
    static double slowdown_edge(std::size_t bin);

    std::vector<RankProfile> ranks;  // survivors, ascending
    std::size_t num_epochs = 0;      // that all of them have seen
    std::uint64_t num_compared = 0;  // packages
    std::uint64_t one_in = 1;        // of so many is compared
    /// By how much packages took longer, on the slowest ranks, than if all ranks had worked equally long.
    double imbalance = 0;
};

/// What all ranks measured, in logs[i] that of pes[i] as WorkLog::to_bytes made it. O(kept * log).
Profile profile_of(std::span<PeId const> pes, CsrView<std::byte> logs);

/// For programs: docs/phylo-profile.md.
std::string to_json(Profile const& profile);

/// A picture, of at most 64 rows: more ranks are taken together.
std::string to_svg(Profile const& profile);

}  // namespace regraft::phylo
