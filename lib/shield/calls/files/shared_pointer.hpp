// A number that processes share, whoever of them dies: in a file beside the data, locked while it is changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace regraft::shield {

/// 0 until somebody sets it. Nothing as a result: the file cannot be read or written.
class SharedPointer {
public:
    explicit SharedPointer(std::string path) : path_(std::move(path)) {}
    SharedPointer(SharedPointer const&) = delete;
    SharedPointer& operator=(SharedPointer const&) = delete;
    ~SharedPointer();

    std::optional<std::int64_t> get() { return change(Change::none, 0); }
    std::optional<std::int64_t> set(std::int64_t value) { return change(Change::set, value); }
    /// What it was before. Atomic among processes.
    std::optional<std::int64_t> add(std::int64_t amount) { return change(Change::add, amount); }
    /// It is 0 again, and if nobody has used it, nothing is written.
    std::optional<std::int64_t> reset();
    /// Precondition: nobody uses it any more, or nobody does yet.
    void remove() const;

private:
    enum class Change { none, set, add };
    std::optional<std::int64_t> change(Change change, std::int64_t amount);

    std::string path_;
    int file_ = -1;
};

}  // namespace regraft::shield
