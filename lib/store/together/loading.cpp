#include "store/together/loading.hpp"

#include <utility>

#include "regraft/core/contracts.hpp"

namespace regraft::store {

Loading::Loading(std::unique_ptr<State> state) : state_(std::move(state)) {}
Loading::Loading(Loading&&) noexcept = default;
Loading::~Loading() = default;

LoadReport Loading::wait() {
    REGRAFT_EXPECTS(state_ && "wait is called once");
    auto const state = std::move(state_);
    return state->wait();
}

}  // namespace regraft::store
