// A number that processes share, whichever of them die: it is in a file beside the data, which is locked while it is
// changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace regraft::shield {

/// The number is 0 until it is set. An empty result means that the file cannot be read or written.
class SharedPointer {
public:
    explicit SharedPointer(std::string path) : path_(std::move(path)) {}
    SharedPointer(SharedPointer const&) = delete;
    SharedPointer& operator=(SharedPointer const&) = delete;
    ~SharedPointer();

    std::optional<std::int64_t> get() { return change(Change::none, 0); }
    std::optional<std::int64_t> set(std::int64_t value) { return change(Change::set, value); }
    /// Adds amount and returns the value before. Atomic among processes.
    std::optional<std::int64_t> add(std::int64_t amount) { return change(Change::add, amount); }
    /// Sets the number to 0; if it was never used, nothing is written.
    std::optional<std::int64_t> reset();
    /// Removes the file. Precondition: no process uses it any more, or none does yet.
    void remove() const;

private:
    enum class Change { none, set, add };
    std::optional<std::int64_t> change(Change change, std::int64_t amount);

    std::string path_;
    int file_ = -1;
};

}  // namespace regraft::shield
