#include "search/likelihood/fiber.hpp"

#include <new>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "regraft/core/contracts.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define REGRAFT_FIBER_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REGRAFT_FIBER_ASAN
#endif
#endif
#ifdef REGRAFT_FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace regraft::search {
namespace {

constexpr std::size_t stack_bytes = std::size_t{1} << 20;  // the system gives memory to what is used of it

thread_local Fiber* entering = nullptr;  // makecontext passes no pointers

/// Tells AddressSanitizer that the code after this call runs on another stack. shadow: where it keeps what it knows of
/// the present stack; null if that is left for ever.
void begin_switch([[maybe_unused]] void** shadow, [[maybe_unused]] void const* stack,
                  [[maybe_unused]] std::size_t bytes) {
#ifdef REGRAFT_FIBER_ASAN
    __sanitizer_start_switch_fiber(shadow, stack, bytes);
#endif
}

/// Tells it that the other stack is reached, and learns which one was left.
void end_switch([[maybe_unused]] void* shadow, [[maybe_unused]] void const** left,
                [[maybe_unused]] std::size_t* bytes) {
#ifdef REGRAFT_FIBER_ASAN
    __sanitizer_finish_switch_fiber(shadow, left, bytes);
#endif
}

std::size_t page_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Fiber::Fiber(std::function<void()> function) : function_(std::move(function)) {
    auto const guard = page_bytes();
    auto* const memory = mmap(nullptr, guard + stack_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    stack_ = static_cast<std::byte*>(memory) + guard;
    if (mprotect(memory, guard, PROT_NONE) != 0 || getcontext(&own_) != 0) {
        munmap(memory, guard + stack_bytes);
        throw std::bad_alloc();
    }
    own_.uc_stack.ss_sp = stack_;
    own_.uc_stack.ss_size = stack_bytes;
    own_.uc_link = nullptr;
    makecontext(&own_, &Fiber::enter, 0);
}

Fiber::~Fiber() {
    REGRAFT_EXPECTS(state_ != State::runs);
    if (state_ == State::paused) {
        stops_ = true;
        switch_in();
    }
    munmap(stack_ - page_bytes(), page_bytes() + stack_bytes);
}

void Fiber::enter() {
    entering->run();
}

void Fiber::run() {
    end_switch(nullptr, &stack_of_caller_, &size_of_caller_);
    try {
        function_();
    } catch (Stop const&) {
        // The caller does not want the rest.
    } catch (...) {
        problem_ = std::current_exception();
    }
    state_ = State::ended;
    begin_switch(nullptr, stack_of_caller_, size_of_caller_);
    setcontext(&caller_);
}

void Fiber::switch_in() {
    state_ = State::runs;
    entering = this;
    void* shadow = nullptr;
    begin_switch(&shadow, stack_, stack_bytes);
    swapcontext(&caller_, &own_);
    end_switch(shadow, nullptr, nullptr);
}

void Fiber::resume() {
    REGRAFT_EXPECTS(state_ == State::fresh || state_ == State::paused);
    switch_in();
    if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
}

void Fiber::pause() {
    REGRAFT_EXPECTS(state_ == State::runs);
    state_ = State::paused;
    begin_switch(&shadow_, stack_of_caller_, size_of_caller_);
    swapcontext(&own_, &caller_);
    end_switch(shadow_, &stack_of_caller_, &size_of_caller_);
    if (stops_) throw Stop();
}

}  // namespace regraft::search
