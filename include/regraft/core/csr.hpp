// Lists of lists in compressed rows: one array of offsets, one of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "regraft/core/contracts.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// A view of rows: row i is values[offsets[i] .. offsets[i + 1]). offsets has one entry more than there are rows.
template <class T>
struct CsrView {
    std::span<std::uint64_t const> offsets;  // ascends from 0; empty is a view of no rows
    std::span<T const> values;               // the rows, one behind the other

    /// The number of rows.
    std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
    /// A row. Precondition: row < size().
    std::span<T const> operator[](std::size_t row) const {
        REGRAFT_ASSERT(row < size());
        return values.subspan(offsets[row], offsets[row + 1] - offsets[row]);
    }
};

/// Rows that own their memory. They are built row by row with push_row, or with push_value and end_row.
template <class T>
struct Csr {
    std::vector<std::uint64_t> offsets{0};  // one more than rows; ascends from 0
    std::vector<T> values;                  // the rows, one behind the other

    /// The number of complete rows.
    std::size_t size() const { return offsets.size() - 1; }
    /// A row. Precondition: row < size(). Valid until the next push, as is the one below.
    std::span<T const> operator[](std::size_t row) const { return CsrView<T>(*this)[row]; }
    /// The same to write to.
    std::span<T> operator[](std::size_t row) {
        REGRAFT_ASSERT(row < size());
        return std::span<T>(values).subspan(offsets[row], offsets[row + 1] - offsets[row]);
    }
    /// Appends to the row that is being built.
    void push_value(T item) { values.push_back(std::move(item)); }
    /// Completes the row that is being built, which may be empty.
    void end_row() { offsets.push_back(values.size()); }
    /// Appends a complete row.
    void push_row(std::span<T const> row) {
        values.insert(values.end(), row.begin(), row.end());
        end_row();
    }
    /// A view of all rows. Valid until the next push.
    operator CsrView<T>() const { return {offsets, values}; }
    friend bool operator==(Csr const&, Csr const&) = default;
};

}  // namespace regraft
#pragma GCC visibility pop
