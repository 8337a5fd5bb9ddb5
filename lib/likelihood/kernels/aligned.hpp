// Aligned memory for numbers that are loaded as vectors.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace regraft::likelihood {

template <class T>
struct AlignedDelete {
    static constexpr std::align_val_t alignment{64};
    void operator()(T* memory) const { ::operator delete[](memory, alignment); }
};

/// Aligned memory that is not initialised.
template <class T>
using Aligned = std::unique_ptr<T[], AlignedDelete<T>>;  // NOLINT(*-avoid-c-arrays): as make_unique has them

template <class T>
Aligned<T> make_aligned(std::size_t count) {
    return Aligned<T>(new (AlignedDelete<T>::alignment) T[count]);
}

}  // namespace regraft::likelihood
