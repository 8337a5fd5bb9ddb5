// What the campaigns that campaign.py draws have in common: their settings, and deaths at unplanned moments.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include <unistd.h>

#include "regraft/core/ids.hpp"
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

/// Prints points for campaign.py, which plans deaths at those that it has seen here.
inline void print_points_reached() {
    for (auto const* point : ft::fail_points()) {
        auto const times = static_cast<unsigned long long>(point->occurrences());
        if (times > 0) std::printf("campaign: reached %s %llu\n", point->name().c_str(), times);
    }
}

}  // namespace regraft::test
