#include "store/together/loading.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/contracts.hpp"

namespace regraft::store {

Loading::Loading(std::unique_ptr<State> state) : state_(std::move(state)) {}
Loading::Loading(Loading&&) noexcept = default;
Loading::~Loading() = default;

LoadReport Loading::wait() {
    REGRAFT_EXPECTS(state_ && "wait is called once");
    REGRAFT_EXPECTS(state_->loads && "the store lives until wait has returned");
    auto const state = std::move(state_);
    return state->wait();
}

bool LoadsUnderWay::any(std::uint32_t epoch) const {
    return std::ranges::any_of(loads_, [&](auto const* load) { return load->started_in == epoch; });
}

void LoadsUnderWay::abandon() {
    for (auto* const load : std::exchange(loads_, {})) {
        load->abandon();
        load->loads = nullptr;
    }
}

}  // namespace regraft::store
