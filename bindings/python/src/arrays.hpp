// NumPy arrays as spans, and statuses of regraft.h as exceptions.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "regraft.h"

namespace regraft::python {

namespace py = pybind11;

/// The array must be one-dimensional, contiguous and of just this type: the modules in Python see to that, so nothing
/// is copied here.
template <class T>
using Array = py::array_t<T, py::array::c_style>;

template <class T>
std::span<T const> span_of(Array<T> const& array) {
    return {array.data(), static_cast<std::size_t>(array.size())};
}

/// An array that takes over the values, without a copy.
template <class T>
Array<T> array_of(std::vector<T> values) {
    auto owner = std::make_unique<std::vector<T>>(std::move(values));
    auto* const data = owner->data();
    auto const size = owner->size();
    py::capsule const capsule(owner.release(), [](void* p) { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(size, data, capsule);
}

/// Throws what Python calls a status.
inline void expect_ok(regraft_status status) {
    if (status == REGRAFT_OK) return;
    if (status == REGRAFT_NO_MEMORY) throw std::bad_alloc();
    if (status == REGRAFT_ERROR_ARGUMENT) throw py::value_error(regraft_error_message());
    throw std::runtime_error(regraft_error_message());
}

inline void expect(bool good, char const* what) {
    if (!good) throw py::value_error(std::string("expected ") + what);
}

/// Each file adds its part to the module.
void add_planning(py::module_& module);
void add_placement(py::module_& module);
void add_msa(py::module_& module);
void add_storage(py::module_& module);

}  // namespace regraft::python
