// What all functions for callers in C share: exceptions become statuses, and arguments are checked first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "regraft.h"
#include "regraft/core/ids.hpp"

// The functions of libregraft_mpi for callers in C use those of libregraft.
#pragma GCC visibility push(default)
namespace regraft::c {

/// The caller broke a contract, which was found before anything was done.
class ArgumentError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// Keeps the message for regraft_error_message and returns the status.
regraft_status fail(regraft_status status, char const* message) noexcept;

/// The status of the exception that is being handled, for exceptions of modules without MPI; keeps its message.
regraft_status status_of_exception() noexcept;

/// Calls work() and returns its outcome as a status.
template <class Work>
regraft_status guarded(Work work) noexcept {
    try {
        work();
        return REGRAFT_OK;
    } catch (...) {
        return status_of_exception();
    }
}

/// Throws ArgumentError("function: expected what") unless good.
inline void expect(bool good, char const* what) {
    if (!good) throw ArgumentError(std::string("expected ") + what);
}

/// The object behind a pointer. Throws ArgumentError for NULL.
template <class T>
T& object(T* pointer, char const* what) {
    expect(pointer != nullptr, what);
    return *pointer;
}

/// A span of data[count]. Throws ArgumentError for NULL with a count, and if that could not be in memory.
template <class T>
std::span<T> span_of(T* data, std::uint64_t count, char const* what) {
    expect((data != nullptr || count == 0) && count <= PTRDIFF_MAX / sizeof(T), what);
    return {data, static_cast<std::size_t>(count)};
}

/// The ids with these numbers.
template <StrongId Id>
std::vector<Id> ids(std::span<std::underlying_type_t<Id> const> numbers) {
    std::vector<Id> result;
    result.reserve(numbers.size());
    for (auto const number : numbers) result.push_back(Id{number});
    return result;
}

/// Offsets of rows; offsets[count] is the number of items. Throws ArgumentError unless they ascend from 0. O(count).
std::span<std::uint64_t const> offsets_of(std::uint64_t const* offsets, std::uint64_t count, char const* what);

/// The range as ids. Throws ArgumentError unless it is within 0 .. size.
template <StrongId Id>
IdRange<Id> range_within(regraft_range range, std::uint64_t size, char const* what) {
    expect(range.first <= range.last && range.last <= size, what);
    return {Id{range.first}, Id{range.last}};
}

/// Makes *handle, which stays as it is if the constructor throws. Throws ArgumentError if handle is NULL.
template <class Handle, class... Args>
void make(Handle** handle, Args&&... args) {
    expect(handle != nullptr, "where to put the handle, not NULL");
    *handle = std::make_unique<Handle>(std::forward<Args>(args)...).release();
}

}  // namespace regraft::c
#pragma GCC visibility pop
