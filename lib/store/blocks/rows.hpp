// Items of members, collected in any order, as rows in the order of the members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "regraft/core/csr.hpp"

namespace regraft::store {

template <class T>
class RowsBuilder {
public:
    explicit RowsBuilder(std::size_t num_rows) : num_rows_(num_rows) {}
    void add(std::size_t row, T item) { items_.emplace_back(row, std::move(item)); }

    /// The items of a row are in the order in which they were added.
    Csr<T> rows() const {
        Csr<T> result;
        result.offsets.assign(num_rows_ + 1, 0);
        for (auto const& [row, item] : items_) ++result.offsets[row + 1];
        for (std::size_t row = 0; row < num_rows_; ++row) result.offsets[row + 1] += result.offsets[row];
        result.values.resize(items_.size());
        auto next = result.offsets;
        for (auto const& [row, item] : items_) result.values[next[row]++] = item;
        return result;
    }

private:
    std::size_t num_rows_;
    std::vector<std::pair<std::size_t, T>> items_;
};

}  // namespace regraft::store
