// Arrays that the program passes to calls which use them later.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace regraft::shield {

/// A copy of an array, because some programs free theirs as soon as a call has returned. Copies of the object share it.
template <class Item>
class Copied {
public:
    /// Without items it is not null, because MPI refuses null even then. With items it is null if the program's is.
    Copied(Item const* items, std::size_t size) {
        if (items == nullptr && size > 0) return;
        size_ = size;
        items_ = std::shared_ptr<Item[]>(new Item[size]);
        std::copy_n(items, size, items_.get());
    }
    operator Item const*() const { return items_.get(); }
    Item const* begin() const { return items_.get(); }
    Item const* end() const { return items_.get() + size_; }

private:
    std::size_t size_ = 0;
    std::shared_ptr<Item[]> items_;
};

/// The items of both in a row.
template <class Item>
std::vector<Item> joined(Copied<Item> const& some, Copied<Item> const& more) {
    std::vector<Item> all(some.begin(), some.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace regraft::shield
