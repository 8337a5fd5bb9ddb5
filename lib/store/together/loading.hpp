// The implementation of a Loading, for every store that has loads under way.
#pragma once

#include <cstdint>

#include "regraft/store/loading.hpp"

namespace regraft::store {

/// Counts the loads that were started and are not over. A shrink ends all of them.
class LoadsUnderWay {
public:
    void begin(std::uint32_t epoch) {
        count_ = any(epoch) ? count_ + 1 : 1;
        epoch_ = epoch;
    }
    void end(std::uint32_t epoch) {
        if (any(epoch)) --count_;
    }
    bool any(std::uint32_t epoch) const { return count_ > 0 && epoch_ == epoch; }

private:
    std::uint64_t count_ = 0;
    std::uint32_t epoch_ = 0;
};

/// A load is under way as long as this object lives.
struct Loading::State {
    State(LoadsUnderWay& all, std::uint32_t epoch) : loads(all), started_in(epoch) { loads.begin(started_in); }
    State(State const&) = delete;
    State& operator=(State const&) = delete;
    virtual ~State() { loads.end(started_in); }
    virtual LoadReport wait() = 0;

    LoadsUnderWay& loads;
    std::uint32_t started_in;
};

}  // namespace regraft::store
