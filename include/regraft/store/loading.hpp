// A load that is under way while the program goes on computing (start_load of a store).
#pragma once

#include <memory>

#include "regraft/store/reports.hpp"

namespace regraft::store {

class Loading {
public:
    struct State;
    explicit Loading(std::unique_ptr<State> state);
    Loading(Loading&&) noexcept;
    Loading& operator=(Loading&&) = delete;
    /// Waits for the messages if wait() was not called, and for nothing after a failure.
    ~Loading();

    /// As the end of the store's load. To be called once, by all members in the same order of their loads, and not
    /// after the communicator was renewed: a load that a failure interrupted is over. Collective, uniform.
    LoadReport wait();

private:
    std::unique_ptr<State> state_;
};

}  // namespace regraft::store
