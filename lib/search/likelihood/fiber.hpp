// A computation on a stack of its own, which takes turns with its caller.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>

#include <ucontext.h>

namespace regraft::search {

/// Runs a function in the thread of the caller, with pauses in which the caller goes on. Only one of both runs at any
/// time, so what they share needs no lock.
class Fiber {
public:
    /// The function begins at the first resume().
    explicit Fiber(std::function<void()> function);
    /// Ends a function that pauses: its pause() throws, so that it leaves its blocks.
    ~Fiber();
    Fiber(Fiber const&) = delete;
    Fiber& operator=(Fiber const&) = delete;

    /// Lets the function run until it pauses or ends. Throws what it throws. Precondition: !has_ended().
    void resume();
    /// Returns from resume(). Only the function calls it, and outside of its exception handlers.
    void pause();
    bool has_ended() const { return state_ == State::ended; }

private:
    enum class State { fresh, paused, runs, ended };
    struct Stop {};  // what pause() throws to end the function

    static void enter();
    void run();
    void switch_in();

    std::function<void()> function_;
    State state_ = State::fresh;
    bool stops_ = false;
    std::exception_ptr problem_;  // what the function has thrown
    std::byte* stack_ = nullptr;
    ucontext_t own_{};
    ucontext_t caller_{};
    // What AddressSanitizer wants to know of stacks.
    void* shadow_ = nullptr;
    void const* stack_of_caller_ = nullptr;
    std::size_t size_of_caller_ = 0;
};

}  // namespace regraft::search
