// The implementation of a Loading, for every store that has loads under way.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/store/loading.hpp"

namespace regraft::store {

class [[gnu::visibility("hidden")]] LoadsUnderWay;  // as its loads are

/// The loads of a store that were started and are not over. A shrink ends all of them.
class LoadsUnderWay {
public:
    LoadsUnderWay() = default;
    LoadsUnderWay(LoadsUnderWay const&) = delete;
    LoadsUnderWay& operator=(LoadsUnderWay const&) = delete;
    ~LoadsUnderWay() { abandon(); }

    void begin(Loading::State& load) { loads_.push_back(&load); }
    void end(Loading::State& load) { std::erase(loads_, &load); }
    bool any(std::uint32_t epoch) const;

private:
    /// Returns when no message needs the memory of the store any more. The loads have no store then.
    void abandon();

    std::vector<Loading::State*> loads_;
};

/// A load is under way as long as this object lives.
struct Loading::State {
    State(LoadsUnderWay& all, std::uint32_t epoch) : loads(&all), started_in(epoch) { loads->begin(*this); }
    State(State const&) = delete;
    State& operator=(State const&) = delete;
    virtual ~State() {
        if (loads != nullptr) loads->end(*this);
    }
    virtual LoadReport wait() = 0;
    /// Waits for the messages without looking at what they bring.
    virtual void abandon() = 0;

    LoadsUnderWay* loads;  // null: their store is gone
    std::uint32_t started_in;
};

}  // namespace regraft::store
