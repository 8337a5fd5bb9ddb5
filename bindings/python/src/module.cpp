// regraft._core: the functions from which the modules of the package regraft are made.
#include "arrays.hpp"
#include "regraft/core/errors.hpp"

PYBIND11_MODULE(_core, module) {
    using namespace regraft::python;
    module.attr("__version__") = regraft_version();
    py::register_exception<regraft::InputError>(module, "InputError", PyExc_ValueError);
    add_planning(module);
    add_placement(module);
    add_msa(module);
    add_storage(module);
}
