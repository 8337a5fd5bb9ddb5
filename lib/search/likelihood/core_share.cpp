#include "regraft/search/core_share.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include "regraft/core/contracts.hpp"

namespace regraft::search {
namespace {

constexpr std::uint32_t often_enough = 5;       // looks in a row at which cores are free, before more threads are used
constexpr std::chrono::milliseconds pause{20};  // between two looks

/// The number of runnable threads on this machine; 0: unknown.
std::uint32_t runnable_threads() {
    std::ifstream file("/proc/loadavg");  // "0.20 0.18 0.12 2/80 11206"
    file.ignore(std::numeric_limits<std::streamsize>::max(), ' ');
    file.ignore(std::numeric_limits<std::streamsize>::max(), ' ');
    file.ignore(std::numeric_limits<std::streamsize>::max(), ' ');
    std::uint32_t number = 0;
    file >> number;
    return file ? number : 0;
}

}  // namespace

CoreShare::CoreShare(std::uint32_t most_threads, std::uint32_t cores)
    : most_(most_threads), cores_(cores), threads_(most_threads) {
    REGRAFT_EXPECTS(most_threads >= 1 && cores >= 1);
}

void CoreShare::see(std::uint32_t runnable) {
    auto const others = runnable > threads_ ? runnable - threads_ : 0;
    auto const free = std::clamp(cores_ > others ? cores_ - others : 1, 1U, most_);
    times_free_ = free > threads_ ? times_free_ + 1 : 0;
    if (free < threads_ || times_free_ == often_enough) {
        threads_ = free;
        times_free_ = 0;
    }
}

LoadWatch::LoadWatch(std::uint32_t most_threads)
    : share_(most_threads, std::max(1U, std::thread::hardware_concurrency())) {}

std::uint32_t LoadWatch::threads() {
    auto const now = std::chrono::steady_clock::now();
    if (now >= next_look_) {
        share_.see(runnable_threads());
        next_look_ = now + pause;
    }
    return share_.threads();
}

}  // namespace regraft::search
