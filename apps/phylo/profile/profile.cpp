#include "profile/profile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>

#include <nlohmann/json.hpp>

#include "regraft/core/bytes.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"

namespace regraft::phylo {
namespace {

constexpr std::size_t most_kept_by_all = std::size_t{1} << 22;
constexpr std::size_t least_kept = std::size_t{1} << 8;
constexpr std::size_t most_kept_by_one = std::size_t{1} << 15;

/// The half of a stretch of 2^level packages that is kept when it is thinned out. It is drawn, so that no kind of
/// package is preferred if packages repeat in a pattern.
std::uint64_t drawn_half(std::uint64_t stretch, std::uint32_t level) {
    return mix(stretch ^ (std::uint64_t{level} << 58)) & 1;
}

/// The package of a stretch that is kept.
std::uint64_t kept_of(std::uint64_t stretch, std::uint32_t level) {
    for (; level > 0; --level) stretch = 2 * stretch + drawn_half(stretch, level);
    return stretch;
}

/// Thins out from level - 1 to level. The last stretch may have ended early, without a package that is kept.
void thin_out(std::vector<float>& lengths, std::uint32_t level) {
    std::size_t stretch = 0;
    for (;; ++stretch) {
        auto const kept = 2 * stretch + drawn_half(stretch, level);
        if (kept >= lengths.size()) break;
        lengths[stretch] = lengths[kept];
    }
    lengths.resize(stretch);
}

std::uint64_t nanoseconds(std::chrono::steady_clock::duration time) {
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count());
}

double milliseconds(std::uint64_t ns) {
    return 1e-6 * static_cast<double>(ns);
}

}  // namespace

// --- what one rank measures

std::size_t WorkLog::bin_of(std::uint64_t ns) {
    if (ns < 4) return ns < 2 ? 0 : 4 + 2 * (ns - 2);
    auto const octave = static_cast<std::size_t>(std::bit_width(ns)) - 1;
    return 4 * octave + ((ns >> (octave - 2)) & 3);
}

double WorkLog::bin_edge(std::size_t bin) {
    return std::ldexp(static_cast<double>(4 + bin % 4), static_cast<int>(bin / 4) - 2);
}

WorkLog::WorkLog(std::uint32_t num_ranks)
    : most_kept_(std::clamp(most_kept_by_all / std::max(num_ranks, 1U), least_kept, most_kept_by_one)) {}

void WorkLog::begin_epoch(std::uint32_t epoch) {
    REGRAFT_EXPECTS(epochs_.empty() || epochs_.back().number <= epoch);
    if (!epochs_.empty() && epochs_.back().number == epoch) return;
    epochs_.push_back({epoch, {}});
    epoch_packages_ = 0;
    next_kept_ = kept_of(0, level_);
}

void WorkLog::add(std::uint64_t work_ns, std::uint64_t reduction_ns) {
    REGRAFT_EXPECTS(!epochs_.empty());
    ++num_packages_;
    work_ns_ += work_ns;
    reduction_ns_ += reduction_ns;
    ++bins_[bin_of(work_ns)];
    auto& epoch = epochs_.back();
    if (epoch_packages_++ != next_kept_) return;
    epoch.lengths.push_back(static_cast<float>(work_ns));
    ++num_kept_;
    while (num_kept_ >= most_kept_) thin();
    next_kept_ = kept_of(epoch.lengths.size(), level_);
}

void WorkLog::thin() {
    ++level_;
    num_kept_ = 0;
    for (auto& epoch : epochs_) {
        thin_out(epoch.lengths, level_);
        num_kept_ += epoch.lengths.size();
    }
}

std::vector<std::byte> WorkLog::to_bytes() const {
    ByteWriter out;
    out.put(level_);
    out.put(num_packages_);
    out.put(work_ns_);
    out.put(reduction_ns_);
    out.put(bins_);
    out.put(std::uint64_t{epochs_.size()});
    for (auto const& epoch : epochs_) {
        out.put(epoch.number);
        out.put_all(std::span<float const>(epoch.lengths));
    }
    return out.take();
}

void WorkClock::start(std::uint32_t epoch) {
    log_.begin_epoch(epoch);
    runs_ = true;
    package_began_ = Clock::now();
}

void WorkClock::begin_reduction() {
    if (runs_) reduction_began_ = Clock::now();
}

void WorkClock::end_reduction() {
    if (!runs_) return;
    auto const now = Clock::now();
    log_.add(nanoseconds(reduction_began_ - package_began_), nanoseconds(now - reduction_began_));
    package_began_ = now;
}

// --- what all measured

namespace {

/// The log of a rank.
struct ReadLog {
    explicit ReadLog(std::span<std::byte const> bytes) {
        ByteReader in(bytes);
        level = in.get<std::uint32_t>();
        num_packages = in.get<std::uint64_t>();
        work_ns = in.get<std::uint64_t>();
        reduction_ns = in.get<std::uint64_t>();
        bins = in.get<std::array<std::uint64_t, WorkLog::num_bins>>();
        for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
            auto const number = in.get<std::uint32_t>();
            epochs.push_back({number, in.get_all<float>()});
        }
    }

    void thin_to(std::uint32_t coarsest) {
        while (level < coarsest) {
            ++level;
            for (auto& epoch : epochs) thin_out(epoch.lengths, level);
        }
    }

    std::uint32_t level = 0;
    std::uint64_t num_packages = 0;
    std::uint64_t work_ns = 0;
    std::uint64_t reduction_ns = 0;
    std::array<std::uint64_t, WorkLog::num_bins> bins{};
    std::vector<WorkLog::Epoch> epochs;
};

/// Reduces all logs to the same packages: those of the epochs that all ranks have seen, up to the last package that all
/// have.
void align(std::vector<ReadLog>& logs) {
    std::uint32_t coarsest = 0;
    for (auto const& log : logs) coarsest = std::max(coarsest, log.level);
    std::vector<std::uint32_t> common;
    for (auto& log : logs) {
        log.thin_to(coarsest);
        std::vector<std::uint32_t> numbers;
        for (auto const& epoch : log.epochs) numbers.push_back(epoch.number);
        std::vector<std::uint32_t> both;
        std::ranges::set_intersection(common, numbers, std::back_inserter(both));
        common = &log == &logs.front() ? numbers : both;
    }
    for (auto& log : logs) {
        std::erase_if(log.epochs, [&](auto const& epoch) { return !std::ranges::binary_search(common, epoch.number); });
    }
    for (std::size_t e = 0; e < common.size(); ++e) {
        auto size = logs.front().epochs[e].lengths.size();
        for (auto const& log : logs) size = std::min(size, log.epochs[e].lengths.size());
        for (auto& log : logs) log.epochs[e].lengths.resize(size);
    }
}

/// The lengths of all packages that are compared.
std::vector<float> all_lengths(ReadLog const& log) {
    std::vector<float> result;
    for (auto const& epoch : log.epochs) result.insert(result.end(), epoch.lengths.begin(), epoch.lengths.end());
    return result;
}

std::size_t slowdown_bin(double slowdown) {
    auto const place = 8 * (std::log2(slowdown) + 3);
    if (!(place > 0)) return 0;
    return std::min(static_cast<std::size_t>(std::min(place, 1e3)), Profile::num_slowdown_bins - 1);
}

/// A package on all ranks.
struct Package {
    double mean = 0;
    double longest = 0;
    std::uint32_t num_longest = 0;
};

std::vector<Package> packages(std::vector<std::vector<float>> const& lengths) {
    std::vector<Package> result(lengths.front().size());
    for (auto const& of_rank : lengths) {
        for (std::size_t i = 0; i < result.size(); ++i) {
            double const length = of_rank[i];
            auto& package = result[i];
            package.mean += length / static_cast<double>(lengths.size());
            if (length > package.longest) package.num_longest = 0;
            package.longest = std::max(package.longest, length);
            if (length == package.longest) ++package.num_longest;
        }
    }
    return result;
}

/// The value that `tenths` in ten values do not exceed; values are reordered.
double quantile(std::vector<double>& values, std::size_t tenths) {
    auto const place = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * tenths / 10);
    std::ranges::nth_element(values, place);
    return *place;
}

struct Totals {
    double mean = 0;
    double longest = 0;
};

void compare(RankProfile& rank, std::span<float const> lengths, std::span<Package const> all, Totals const& totals) {
    if (lengths.empty()) return;
    std::vector<double> slowdowns;
    double own = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        auto const& package = all[i];
        slowdowns.push_back(package.mean > 0 ? lengths[i] / package.mean : 1.0);
        ++rank.slowdowns[slowdown_bin(slowdowns.back())];
        own += lengths[i];
        if (lengths[i] < package.longest) continue;
        rank.slowest_share += 1.0 / package.num_longest;
        rank.slowest_time_share += package.longest / package.num_longest;
    }
    rank.slowest_share /= static_cast<double>(lengths.size());
    rank.slowest_time_share = totals.longest > 0 ? rank.slowest_time_share / totals.longest : rank.slowest_share;
    rank.mean_slowdown = totals.mean > 0 ? own / totals.mean : 1;
    rank.median_slowdown = quantile(slowdowns, 5);
    rank.slowdown_90 = quantile(slowdowns, 9);
    auto const in_reductions = rank.communication_ms;
    if (own > 0) rank.waiting_ms = std::min(in_reductions, rank.work_ms * (totals.longest - own) / own);
    rank.communication_ms = in_reductions - rank.waiting_ms;
}

}  // namespace

double Profile::slowdown_edge(std::size_t bin) {
    return std::exp2(static_cast<double>(bin) / 8 - 3);
}

Profile profile_of(std::span<PeId const> pes, CsrView<std::byte> bytes) {
    REGRAFT_EXPECTS(!pes.empty() && pes.size() == bytes.size());
    std::vector<ReadLog> logs;
    for (std::size_t i = 0; i < bytes.size(); ++i) logs.emplace_back(bytes[i]);
    align(logs);
    std::vector<std::vector<float>> lengths;
    for (auto const& log : logs) lengths.push_back(all_lengths(log));
    auto const all = packages(lengths);
    Totals totals;
    for (auto const& package : all) {
        totals.mean += package.mean;
        totals.longest += package.longest;
    }

    Profile profile;
    profile.num_epochs = logs.front().epochs.size();
    profile.num_compared = all.size();
    profile.one_in = std::uint64_t{1} << logs.front().level;
    if (totals.mean > 0) profile.imbalance = totals.longest / totals.mean - 1;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        auto& rank = profile.ranks.emplace_back();
        rank.pe = pes[i];
        rank.num_packages = logs[i].num_packages;
        rank.work_ms = milliseconds(logs[i].work_ns);
        rank.communication_ms = milliseconds(logs[i].reduction_ns);  // includes the waiting time until that is known
        rank.lengths = logs[i].bins;
        rank.slowdowns.assign(Profile::num_slowdown_bins, 0);
        compare(rank, lengths[i], all, totals);
    }
    return profile;
}

std::string to_json(Profile const& profile) {
    using Json = nlohmann::ordered_json;
    std::size_t first = WorkLog::num_bins;  // the first bin that is not empty
    std::size_t last = 0;
    for (auto const& rank : profile.ranks) {
        for (std::size_t bin = 0; bin < rank.lengths.size(); ++bin) {
            if (rank.lengths[bin] == 0) continue;
            first = std::min(first, bin);
            last = std::max(last, bin + 1);
        }
    }
    first = std::min(first, last);
    Json json{{"imbalance", profile.imbalance},
              {"packages_compared", profile.num_compared},
              {"compared_one_in", profile.one_in},
              {"epochs", profile.num_epochs},
              {"length_edges_ns", Json::array()},
              {"slowdown_edges", Json::array()},
              {"ranks", Json::array()}};
    for (auto bin = first; bin <= last; ++bin) json["length_edges_ns"].push_back(WorkLog::bin_edge(bin));
    for (std::size_t bin = 0; bin <= Profile::num_slowdown_bins; ++bin)
        json["slowdown_edges"].push_back(Profile::slowdown_edge(bin));
    for (auto const& rank : profile.ranks) {
        auto const lengths = std::span(rank.lengths).subspan(first, last - first);
        json["ranks"].push_back({{"rank", value(rank.pe)},
                                 {"packages", rank.num_packages},
                                 {"work_ms", rank.work_ms},
                                 {"waiting_ms", rank.waiting_ms},
                                 {"communication_ms", rank.communication_ms},
                                 {"slowdown_mean", rank.mean_slowdown},
                                 {"slowdown_median", rank.median_slowdown},
                                 {"slowdown_90", rank.slowdown_90},
                                 {"slowest_share", rank.slowest_share},
                                 {"slowest_time_share", rank.slowest_time_share},
                                 {"lengths", std::vector(lengths.begin(), lengths.end())},
                                 {"slowdowns", rank.slowdowns}});
    }
    return json.dump(2) + '\n';
}

}  // namespace regraft::phylo
