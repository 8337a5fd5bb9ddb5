// Shows where ranks lose time: how long each computes between two reductions, and how long it is in them.
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
#include "regraft/search/distributed_likelihood.hpp"

namespace regraft::phylo {

/// The measurements of one rank, in bounded memory. A work package is what the rank computes from the end of one
/// reduction to the beginning of the next; agreements count as reductions, because all ranks meet there too. Packages
/// are numbered from 0 in each epoch, alike on all ranks, and all ranks keep the lengths of the same packages. So the
/// logs of the survivors of a failure can be compared. If there are many packages, lengths are kept of a sample: of one
/// in each stretch of 2^k, drawn by its number. Everything else counts all packages.
class WorkLog {
public:
    /// Bins of package lengths in nanoseconds, four in each octave: [m, m + 1) * 2^k, m = 4 .. 7.
    static constexpr std::size_t num_bins = 64 * 4;
    static std::size_t bin_of(std::uint64_t ns);
    /// The begin of a bin.
    static double bin_edge(std::size_t bin);

    struct Epoch {
        std::uint32_t number = 0;
        std::vector<float> lengths;  // in ns, of the packages that are kept
    };

    /// The log of one of num_ranks ranks, whose samples together take at most 16 MiB, or 1 KiB each.
    explicit WorkLog(std::uint32_t num_ranks);

    /// Numbers packages from 0 again, unless the epoch is the same as before. Precondition: it is not below that.
    void begin_epoch(std::uint32_t epoch);
    /// Adds a package and the reduction that ended it. Precondition: an epoch has begun. O(1) amortised.
    void add(std::uint64_t work_ns, std::uint64_t reduction_ns);

    std::uint64_t num_packages() const { return num_packages_; }
    std::vector<std::byte> to_bytes() const;

private:
    void thin();

    std::size_t most_kept_;
    std::uint32_t level_ = 0;  // one of 2^level packages is kept
    std::vector<Epoch> epochs_;
    std::size_t num_kept_ = 0;  // over all epochs
    std::uint64_t epoch_packages_ = 0;
    std::uint64_t next_kept_ = 0;  // number of the next kept package in the epoch
    std::uint64_t num_packages_ = 0;
    std::uint64_t work_ns_ = 0;
    std::uint64_t reduction_ns_ = 0;
    std::array<std::uint64_t, num_bins> bins_{};
};

/// Fills a log by the clock.
class WorkClock : public search::ReductionObserver {
public:
    explicit WorkClock(std::uint32_t num_ranks) : log_(num_ranks) {}

    /// Begins a package; one that is under way is dropped.
    void start(std::uint32_t epoch);
    /// Before the first start nothing is measured.
    void begin_reduction() override;
    void end_reduction() override;
    WorkLog const& log() const { return log_; }

private:
    using Clock = std::chrono::steady_clock;
    WorkLog log_;
    bool runs_ = false;
    Clock::time_point package_began_;
    Clock::time_point reduction_began_;
};

/// The profile of one rank.
struct RankProfile {
    PeId pe{};
    std::uint64_t num_packages = 0;
    double work_ms = 0;
    double waiting_ms = 0;        // time in reductions, waiting for the slowest rank; estimated from the packages that
                                  // are compared
    double communication_ms = 0;  // the remaining time in reductions
    std::array<std::uint64_t, WorkLog::num_bins> lengths{};  // of packages
    /// Slowdown of packages: the length over the mean of all ranks, 1 if that is 0. Histogram in the bins of Profile.
    std::vector<std::uint64_t> slowdowns;
    double mean_slowdown = 1;  // all work over the mean of all ranks
    double median_slowdown = 1;
    double slowdown_90 = 1;         // nine of ten packages have at most this slowdown
    double slowest_share = 0;       // fraction of packages in which no rank took longer; ties are shared
    double slowest_time_share = 0;  // the same with packages weighted by the time of the slowest rank
};

struct Profile {
    /// Bins of slowdowns: eight in each octave, from 1/8 to 8; the first and the last include everything beyond.
    static constexpr std::size_t num_slowdown_bins = 48;
    static double slowdown_edge(std::size_t bin);

    std::vector<RankProfile> ranks;  // survivors, ascending
    std::size_t num_epochs = 0;      // epochs that all ranks have seen
    std::uint64_t num_compared = 0;  // packages
    std::uint64_t one_in = 1;        // one in this many packages is compared
    /// The relative additional time of packages, on the slowest ranks, compared to equal work on all ranks.
    double imbalance = 0;
};

/// The profile from the measurements of all ranks; logs[i] is that of pes[i] as WorkLog::to_bytes made it. O(kept *
/// log).
Profile profile_of(std::span<PeId const> pes, CsrView<std::byte> logs);

/// The profile for programs: docs/trees/phylo-profile.md.
std::string to_json(Profile const& profile);

/// The profile as a picture of at most 64 rows: if there are more ranks, several share a row.
std::string to_svg(Profile const& profile);

}  // namespace regraft::phylo
