// Memory of NumPy, as bytes of C++.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <pybind11/pybind11.h>

namespace regraft::python {

namespace py = pybind11;

/// The bytes of an array in C order, which stays alive and keeps its memory as long as this object.
class Bytes {
public:
    Bytes(py::buffer const& array, bool is_written) : info_(array.request(is_written)) {}

    std::span<std::byte const> span() const { return writable(); }
    std::span<std::byte> writable() const {
        return {static_cast<std::byte*>(info_.ptr),
                static_cast<std::size_t>(info_.size) * static_cast<std::size_t>(info_.itemsize)};
    }
    /// Its elements, if they are of this type.
    template <class T>
    std::span<T const> as() const {
        return {static_cast<T const*>(info_.ptr), static_cast<std::size_t>(info_.size)};
    }

private:
    py::buffer_info info_;
};

inline py::bytes bytes_from(std::vector<std::byte> const& bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

}  // namespace regraft::python
