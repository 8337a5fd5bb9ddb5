// regraft._core: the functions from which the modules of the package regraft are made.
#include <cstdint>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::python {
namespace {

/// A NumPy whose arrays are laid out otherwise than pybind11 knows gets arrays with wrong strides, and so wrong
/// numbers, without an error: pybind11 before 2.12 does so with NumPy 2.
void expect_numpy_that_fits() {
    std::vector<std::uint32_t> const numbers{3, 1, 4};
    if (array_of(numbers).attr("tolist")().cast<std::vector<std::uint32_t>>() == numbers) return;
    auto const numpy = py::module_::import("numpy").attr("__version__").cast<std::string>();
    throw py::import_error("this build of regraft does not fit NumPy " + numpy +
                           ", which would get wrong numbers: build it with a newer pybind11 (for NumPy 2 with 2.12 or "
                           "newer), or install an older NumPy");
}

}  // namespace
}  // namespace regraft::python

PYBIND11_MODULE(_core, module) {
    using namespace regraft::python;
    expect_numpy_that_fits();
    module.attr("__version__") = regraft_version();
    py::register_exception<regraft::InputError>(module, "InputError", PyExc_ValueError).doc() =
        "Bad input. The text says in which file and line, what is wrong, and what was expected.";
    add_planning(module);
    add_placement(module);
    add_msa(module);
    add_storage(module);
}
