// What the parts of regraft._mpi share: a communicator with the failure that was noticed last, and its exceptions.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <stdexcept>

#include <pybind11/pybind11.h>

#include "regraft/ft/communicator.hpp"

namespace regraft::python {

namespace py = pybind11;

/// Stores share it with the communicator, so objects may be closed in any order.
struct Shared {
    explicit Shared(MPI_Comm parent) : comm(parent) {}

    ft::Communicator comm;
    std::optional<ft::ProcessFailure> failure;  // the failure since the last shrink; every call throws it until the
                                                // next one
    bool departed = false;                      // the death of this PE is simulated
    bool busy = false;                          // a call is under way, possibly without the GIL
};

/// Returns work(communicator), called without the GIL. Throws at once if a failure was noticed before and not recovered
/// from, also if Python has swallowed its exception.
template <class Work>
auto guarded(Shared& shared, Work work) {
    if (shared.departed) throw ft::Departed{};
    if (shared.failure) throw ft::ProcessFailure(*shared.failure);
    if (shared.busy)
        throw std::runtime_error(
            "the communicator is in another call: threads use a communicator each, and a function that reads rows "
            "again calls nothing of it");
    struct Busy {
        explicit Busy(bool& flag) : flag_(flag) { flag_ = true; }
        Busy(Busy const&) = delete;
        Busy& operator=(Busy const&) = delete;
        ~Busy() { flag_ = false; }
        bool& flag_;
    } const busy(shared.busy);
    py::gil_scoped_release const released;
    try {
        return work(shared.comm);
    } catch (ft::ProcessFailure const& failure) {
        shared.failure = failure;
        throw;
    } catch (ft::Departed const&) {
        shared.departed = true;
        throw;
    }
}

/// The exception of this name in regraft.mpi.
py::object exception(char const* name);

/// Each file adds its part to the module.
void add_exceptions(py::module_& module);
void add_communicator(py::module_& module);
void add_stores(py::module_& module);
void add_snapshot(py::module_& module);
void add_files(py::module_& module);

}  // namespace regraft::python
