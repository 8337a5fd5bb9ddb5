// A save that is under way while the program goes on (checkpoint::Snapshot::start_save).
#pragma once

#include <memory>

#include "regraft/store/disk.hpp"

#pragma GCC visibility push(default)
namespace regraft::store {

/// The handle of such a save. What made it must live until wait() has returned. A thread of this PE writes; it calls no
/// MPI.
class Saving {
public:
    struct [[gnu::visibility("hidden")]] State;
    /// For start_save, which makes it.
    explicit Saving(std::unique_ptr<State> state);
    Saving(Saving&&) noexcept;
    Saving& operator=(Saving&&) = delete;
    /// Waits until this PE has written. Without wait() the generation stays incomplete, and the next save removes it.
    ~Saving();

    /// Whether this PE has written everything. No communication.
    bool is_written() const;
    /// Ends the save as save() would. All members call it once, in the same order of their saves. It must not be called
    /// after the communicator was renewed: a failure ends a save. Collective, uniform.
    SaveReport wait();

private:
    std::unique_ptr<State> state_;
};

}  // namespace regraft::store
#pragma GCC visibility pop
