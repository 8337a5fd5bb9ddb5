// What the campaigns that campaign.py draws have in common: their settings, and deaths at unplanned moments.
#pragma once

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include <unistd.h>

#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/ft/failure_plan.hpp"

namespace regraft::test {

/// The settings in REGRAFT_CAMPAIGN: "name=value name=value ...".
class CampaignSettings {
public:
    CampaignSettings() {
        char const* const text = std::getenv("REGRAFT_CAMPAIGN");
        std::istringstream words(text == nullptr ? "" : text);
        for (std::string word; words >> word;)
            values_[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    }

    std::uint64_t number(std::string const& name, std::uint64_t otherwise) const {
        auto const found = values_.find(name);
        return found == values_.end() ? otherwise : std::stoull(found->second);
    }
    std::string word(std::string const& name, std::string const& otherwise) const {
        auto const found = values_.find(name);
        return found == values_.end() ? otherwise : found->second;
    }

private:
    std::map<std::string, std::string> values_;
};

/// random=RANK:MICROSECONDS,...: a helper thread kills the rank while calls are under way.
inline void die_some_time(CampaignSettings const& settings, PeId self) {
    std::istringstream deaths(settings.word("random", ""));
    for (std::string death; std::getline(deaths, death, ',');) {
        if (std::stoul(death) != value(self)) continue;
        std::thread([delay = std::chrono::microseconds(std::stoull(death.substr(death.find(':') + 1)))] {
            std::this_thread::sleep_for(delay);
            kill(getpid(), SIGKILL);
        }).detach();
    }
}

/// The nodes of a job, each of which has some neighbouring ranks.
struct Nodes {
    std::uint64_t number;
    std::uint64_t ranks;  // with which the job began

    std::uint32_t of(PeId pe) const { return static_cast<std::uint32_t>(value(pe) * number / ranks); }
    std::uint64_t without_ranks(ft::Communicator const& comm) const {
        std::set<std::uint32_t> left;
        for (auto pe : comm.members()) left.insert(of(pe));
        return std::min(number, ranks) - left.size();
    }
};

/// Tells kept_killed.py what has happened, with its number and who was there: ranks, and nodes that have lost all
/// theirs.
inline void say(ft::Communicator const& comm, Nodes const& nodes, char const* what, std::uint64_t number) {
    if (!comm.leads()) return;
    std::printf("%s %llu with %zu ranks, %llu nodes dead\n", what, static_cast<unsigned long long>(number), comm.size(),
                static_cast<unsigned long long>(nodes.without_ranks(comm)));
    std::fflush(stdout);
}

/// Prints points for campaign.py, which plans deaths at those that it has seen here.
inline void print_points_reached() {
    for (auto const* point : ft::fail_points()) {
        auto const times = static_cast<unsigned long long>(point->occurrences());
        if (times > 0) std::printf("campaign: reached %s %llu\n", point->name().c_str(), times);
    }
}

}  // namespace regraft::test
