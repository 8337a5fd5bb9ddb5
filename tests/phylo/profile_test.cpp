#include "profile/profile.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/random.hpp"
#include "search/small_job.hpp"

namespace regraft::phylo {
namespace {

constexpr std::uint64_t reduction_ns = 1000;

using Lengths = std::vector<std::uint64_t>;

WorkLog log_of(Lengths const& lengths, std::uint32_t num_ranks = 2) {
    WorkLog log(num_ranks);
    log.begin_epoch(1);
    for (auto const length : lengths) log.add(length, reduction_ns);
    return log;
}

Profile profile_of_logs(std::vector<WorkLog> const& logs) {
    std::vector<PeId> pes;
    Csr<std::byte> bytes;
    for (auto const& log : logs) {
        pes.push_back(PeId{static_cast<std::uint32_t>(2 * pes.size() + 1)});
        bytes.push_row(log.to_bytes());
    }
    return profile_of(pes, bytes);
}

std::uint64_t sum(auto const& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

TEST(WorkLog, PutsEveryLengthIntoTheBinAroundIt) {
    for (std::uint64_t base = 1; base < std::uint64_t{1} << 52; base = base * 9 / 8 + 1) {
        auto const bin = WorkLog::bin_of(base);
        EXPECT_LE(WorkLog::bin_edge(bin), static_cast<double>(base));
        EXPECT_GT(WorkLog::bin_edge(bin + 1), static_cast<double>(base)) << base;
    }
    EXPECT_EQ(WorkLog::bin_of(0), 0u);
    EXPECT_LT(WorkLog::bin_of(~std::uint64_t{0}), WorkLog::num_bins);
}

TEST(WorkLog, StaysSmallHoweverManyPackagesAndRanksThereAre) {
    for (std::uint32_t const num_ranks : {1U, 1000U, 1U << 20}) {
        WorkLog log(num_ranks);
        for (std::uint32_t epoch = 1; epoch <= 3; ++epoch) {
            log.begin_epoch(epoch);
            for (int i = 0; i < 200'000; ++i) log.add(1, 1);
        }
        EXPECT_EQ(log.num_packages(), 600'000u);
        auto const most = std::clamp((std::size_t{16} << 20) / num_ranks, std::size_t{1} << 10, std::size_t{1} << 17);
        auto const of_all_packages = 8 * WorkLog::num_bins + 200;
        EXPECT_LE(log.to_bytes().size(), most + of_all_packages);
        EXPECT_GE(log.to_bytes().size(), most / 4);
    }
}

//         package 0   1    2   3
// rank 1         10  20  100   0     work 130
// rank 3         30  20    0   0     work  50
TEST(ProfileOf, TellsSlowdownsAndWhoWasSlowest) {
    auto const profile = profile_of_logs({log_of({10, 20, 100, 0}), log_of({30, 20, 0, 0})});
    EXPECT_EQ(profile.num_compared, 4u);
    EXPECT_EQ(profile.one_in, 1u);
    EXPECT_NEAR(profile.imbalance, (30 + 20 + 100) / (20 + 20 + 50.0) - 1, 1e-12);
    auto const& [a, b] = std::tie(profile.ranks[0], profile.ranks[1]);
    EXPECT_EQ(a.pe, PeId{1});
    EXPECT_EQ(b.pe, PeId{3});
    EXPECT_NEAR(a.mean_slowdown, 130 / 90.0, 1e-12);
    EXPECT_NEAR(b.mean_slowdown, 50 / 90.0, 1e-12);
    EXPECT_NEAR(a.median_slowdown, 1, 1e-12);  // of .5, 1, 1, 2
    EXPECT_NEAR(a.slowest_share, (0 + 0.5 + 1 + 0.5) / 4, 1e-12);
    EXPECT_NEAR(b.slowest_share, (1 + 0.5 + 0 + 0.5) / 4, 1e-12);
    EXPECT_NEAR(a.slowest_time_share, (10 + 100) / 150.0, 1e-12);
    EXPECT_NEAR(b.slowest_time_share, (30 + 10) / 150.0, 1e-12);
    EXPECT_NEAR(a.work_ms, 130e-6, 1e-15);
    EXPECT_NEAR(a.waiting_ms, 20e-6, 1e-12);
    EXPECT_NEAR(b.waiting_ms, 100e-6, 1e-12);
    EXPECT_NEAR(b.waiting_ms + b.communication_ms, 4e-6 * reduction_ns, 1e-12);
}

TEST(ProfileOf, NeverLetsARankWaitLongerThanItsReductionsTook) {
    auto const profile = profile_of_logs({log_of({1'000'000}), log_of({1})});
    EXPECT_NEAR(profile.ranks[1].waiting_ms, 1e-6 * reduction_ns, 1e-12);
    EXPECT_EQ(profile.ranks[1].communication_ms, 0);
}

TEST(ProfileOf, SharesAddUpToOneForAnyLengths) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const num_ranks = 1 + random.below(6);
        auto const num_packages = 1 + random.below(40);
        std::vector<WorkLog> logs;
        std::uint64_t total = 0;
        for (std::size_t rank = 0; rank < num_ranks; ++rank) {
            Lengths lengths(num_packages);
            for (auto& length : lengths) total += length = random.below(4) * (1 + random.below(100));
            logs.push_back(log_of(lengths));
        }
        auto const profile = profile_of_logs(logs);
        double slowest = 0;
        double slowest_time = 0;
        double slowdown = 0;
        for (auto const& rank : profile.ranks) {
            slowest += rank.slowest_share;
            slowest_time += rank.slowest_time_share;
            slowdown += rank.mean_slowdown;
            EXPECT_EQ(sum(rank.lengths), num_packages);
            EXPECT_EQ(sum(rank.slowdowns), num_packages);
            EXPECT_GE(rank.slowdown_90, rank.median_slowdown);
        }
        EXPECT_NEAR(slowest, 1, 1e-9);
        if (total == 0) continue;
        EXPECT_NEAR(slowest_time, 1, 1e-9);
        EXPECT_NEAR(slowdown, static_cast<double>(num_ranks), 1e-9);
    }
}

/// Lengths of many sizes; factor times that of others is exact in the log.
Lengths many_lengths(std::size_t count, std::uint64_t factor) {
    Lengths lengths(count);
    for (std::size_t i = 0; i < count; ++i)
        lengths[i] = factor * (1 + mix(i) % (std::uint64_t{1} << (mix(i + 7) % 20)));
    return lengths;
}

TEST(ProfileOf, ComparesTheSamePackagesHoweverOftenLogsWereThinned) {
    constexpr std::size_t full = std::size_t{1} << 15;
    for (std::size_t const count : {full - 1, full, full + 1, 2 * full, 5 * full + 3, 16 * full}) {
        for (std::size_t const behind : {0, 1, 1000}) {
            SCOPED_TRACE(std::to_string(count) + " packages, " + std::to_string(behind) + " behind");
            auto const profile =
                profile_of_logs({log_of(many_lengths(count, 1)), log_of(many_lengths(count - behind, 3))});
            EXPECT_GE(profile.num_compared, full / 2 - 1001);
            EXPECT_LE(profile.num_compared, full);
            EXPECT_NEAR(static_cast<double>(profile.num_compared * profile.one_in), static_cast<double>(count),
                        static_cast<double>(profile.one_in + behind));
            EXPECT_DOUBLE_EQ(profile.ranks[0].slowest_share, 0);
            EXPECT_NEAR(profile.ranks[0].slowdown_90, 0.5, 1e-12);
            EXPECT_NEAR(profile.ranks[1].median_slowdown, 1.5, 1e-12);
            EXPECT_NEAR(profile.imbalance, 0.5, 1e-12);
            EXPECT_EQ(sum(profile.ranks[1].lengths), count - behind);
        }
    }
}

TEST(ProfileOf, ComparesAFairSampleOfPackagesThatRepeatThemselves) {
    constexpr std::size_t count = 700'000;
    for (std::size_t const period : {2, 3, 8, 64, 1024}) {
        SCOPED_TRACE(period);
        Lengths uneven(count, 100);
        for (std::size_t i = 1; i < count; i += period) uneven[i] = 100 * period;
        auto const profile = profile_of_logs({log_of(Lengths(count, 100)), log_of(uneven)});
        auto const p = static_cast<double>(period);
        auto const imbalance = (2 * p - 1) / (((p - 1) * 2 + (p + 1)) / 2) - 1;
        ASSERT_GT(profile.one_in, 8u);
        EXPECT_NEAR(profile.imbalance, imbalance, 0.15 * imbalance);
    }
}

TEST(ProfileOf, ComparesOnlyWhatAllSurvivorsHaveSeen) {
    auto const add = [](WorkLog& log, std::uint32_t epoch, Lengths const& lengths) {
        log.begin_epoch(epoch);
        for (auto const length : lengths) log.add(length, reduction_ns);
    };
    WorkLog a(3);
    add(a, 1, {10, 20, 30});
    add(a, 2, {1000});
    add(a, 4, {50});
    add(a, 4, {60});  // goes on
    WorkLog b(3);
    add(b, 1, {20, 40});
    add(b, 4, {100, 120, 7});
    auto const profile = profile_of_logs({a, b});
    EXPECT_EQ(profile.num_epochs, 2u);
    EXPECT_EQ(profile.num_compared, 4u);
    EXPECT_NEAR(profile.ranks[0].median_slowdown, 2 / 3.0, 1e-12);
    EXPECT_NEAR(profile.ranks[1].slowdown_90, 4 / 3.0, 1e-12);
    EXPECT_EQ(profile.ranks[0].num_packages, 6u);  // but all are counted
}

TEST(ProfileOf, IsNoTroubleWithoutPackages) {
    auto const profile = profile_of_logs({WorkLog(2), WorkLog(2)});
    EXPECT_EQ(profile.num_compared, 0u);
    EXPECT_EQ(profile.imbalance, 0);
    EXPECT_EQ(nlohmann::json::parse(to_json(profile))["ranks"].size(), 2u);
    EXPECT_NE(to_svg(profile).find("no packages"), std::string::npos);
}

TEST(ProfileJson, HasHistogramsThatFitTheirEdges) {
    auto const json = nlohmann::json::parse(to_json(profile_of_logs({log_of({10, 20, 4000}), log_of({30, 20, 5})})));
    EXPECT_LE(json["length_edges_ns"].front(), 5);
    EXPECT_GT(json["length_edges_ns"].back(), 4000);
    for (auto const& rank : json["ranks"]) {
        EXPECT_EQ(rank["lengths"].size() + 1, json["length_edges_ns"].size());
        EXPECT_EQ(rank["slowdowns"].size() + 1, json["slowdown_edges"].size());
        EXPECT_EQ(sum(rank["lengths"].get<Lengths>()), 3u);
    }
}

TEST(ProfileSvg, HasARowForEveryRankAsLongAsThereAreFew) {
    auto const labels = [](std::size_t num_ranks) {
        auto const svg = to_svg(profile_of_logs(std::vector(num_ranks, log_of({10, 20, 4000}))));
        std::size_t count = 0;
        for (std::size_t at = 0; (at = svg.find("class=\"rank\"", at)) != std::string::npos; ++at) ++count;
        return count;
    };
    EXPECT_EQ(labels(1), 1u);
    EXPECT_EQ(labels(64), 64u);
    EXPECT_EQ(labels(65), 33u);
    EXPECT_EQ(labels(1000), 63u);
}

TEST(WorkClock, CountsEveryReductionFromItsStartOnAndChangesNoAnswer) {
    for (auto const linkage : test::linkages) {
        SCOPED_TRACE(static_cast<int>(linkage));
        test::SmallJob job(2, linkage);
        auto const expected = job.fresh(job.likelihood.tree()).gradient().edges;
        WorkClock clock(checked_cast<std::uint32_t>(job.comm.size()));
        job.likelihood.tell(&clock);
        static_cast<void>(job.likelihood.loglh());
        EXPECT_EQ(clock.log().num_packages(), 0u);
        clock.start(job.comm.epoch());
        static_cast<void>(job.likelihood.partition_loglh());
        auto const values = job.likelihood.gradient().edges;
        EXPECT_EQ(clock.log().num_packages(), 2u);
        clock.start(job.comm.epoch());
        static_cast<void>(job.likelihood.loglh());
        EXPECT_EQ(clock.log().num_packages(), 3u);
        for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i].first, expected[i].first);
    }
}

}  // namespace
}  // namespace regraft::phylo
