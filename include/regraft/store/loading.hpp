// A load that is under way while the program goes on computing (start_load of a store).
#pragma once

#include <memory>

#include "regraft/store/reports.hpp"

#pragma GCC visibility push(default)
namespace regraft::store {

/// The handle of such a load. It belongs to the store that made it, which must live until wait() has returned. If the
/// store is destroyed earlier, that waits for the messages, and wait() is a broken precondition.
class Loading {
public:
    struct [[gnu::visibility("hidden")]] State;
    /// For stores: start_load makes it.
    explicit Loading(std::unique_ptr<State> state);
    Loading(Loading&&) noexcept;
    Loading& operator=(Loading&&) = delete;
    /// Waits for the messages unless wait() was called. After a failure it waits for nothing.
    ~Loading();

    /// Ends the load as the store's load would. All members call it once, in the same order of their loads. It must not
    /// be called after the communicator was renewed: a failure ends a load. Collective, uniform.
    LoadReport wait();

private:
    std::unique_ptr<State> state_;
};

}  // namespace regraft::store
#pragma GCC visibility pop
