// regraft._mpi: what regraft.mpi is made from, on the MPI library of mpi4py.
#include <string>

#include <pybind11/stl.h>

#include "mpi/shared.hpp"
#include "regraft/checkpoint/snapshot_reports.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/store/disk.hpp"
#include "regraft/store/reports.hpp"

namespace regraft::python {
namespace {

py::handle module_of_exceptions;

void make_exception(py::module_& module, char const* name, char const* doc, py::handle base) {
    std::string const full = std::string("regraft.mpi.") + name;
    module.attr(name) =
        py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(full.c_str(), doc, base.ptr(), nullptr));
}

void raise(char const* name, std::string const& what) {
    PyErr_SetString(exception(name).ptr(), what.c_str());
}

void raise_data_lost(store::DataLost const& error) {
    py::list ranges;
    for (auto const& range : error.ranges()) ranges.append(py::make_tuple(value(range.first), value(range.last)));
    auto const raised = exception("DataLost")(error.what());
    raised.attr("ranges") = ranges;
    raised.attr("why") = error.why();
    PyErr_SetObject(exception("DataLost").ptr(), raised.ptr());
}

void raise_entities_lost(checkpoint::EntitiesLost const& error) {
    auto const raised = exception("EntitiesLost")(error.what());
    raised.attr("names") = py::cast(error.names());
    PyErr_SetObject(exception("EntitiesLost").ptr(), raised.ptr());
}

void translate(std::exception_ptr error) {
    try {
        if (error) std::rethrow_exception(error);
    } catch (ft::ProcessFailure const& failure) {
        raise("ProcessFailure", "a member died, noticed in " + failure.call());
    } catch (ft::Departed const&) {
        PyErr_SetObject(exception("Departed").ptr(), py::int_(0).ptr());
    } catch (store::DataLost const& lost) {
        raise_data_lost(lost);
    } catch (checkpoint::EntitiesLost const& lost) {
        raise_entities_lost(lost);
    } catch (checkpoint::DuplicateEntity const& duplicate) {
        raise("DuplicateEntity", duplicate.what());
    } catch (store::DiskError const& disk) {
        raise("DiskError", disk.what());
    } catch (ft::Divergence const& divergence) {
        raise("Divergence", divergence.what());
    } catch (ft::EndlessRecovery const& endless) {
        raise("EndlessRecovery", endless.what());
    } catch (ft::WrongLauncher const& wrong) {
        raise("WrongLauncher", wrong.what());
    } catch (store::DamagedInTransit const& damaged) {
        raise("DamagedInTransit", damaged.what());
    } catch (ft::MpiError const& of_mpi) {
        raise("MpiError", of_mpi.what());
    } catch (InputError const& input) {
        PyErr_SetString(py::module_::import("regraft._core").attr("InputError").ptr(), input.what());
    }
}

std::string library_version() {
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    text.resize(static_cast<std::size_t>(length));
    return text.substr(0, text.find('\0'));
}

/// How the text of the library begins with which this was compiled; empty if its header does not tell.
std::string compiled_with() {
#ifdef OMPI_MAJOR_VERSION
    return "Open MPI v" + std::to_string(OMPI_MAJOR_VERSION) + '.' + std::to_string(OMPI_MINOR_VERSION) + '.';
#else
    return {};
#endif
}

}  // namespace

py::object exception(char const* name) {
    return module_of_exceptions.attr(name);
}

void add_exceptions(py::module_& module) {
    module_of_exceptions = module;  // never unloaded
    make_exception(module, "ProcessFailure",
                   "A member died. The loop of ``resilient`` catches it, and recovers. It is no ``Exception``, so that "
                   "``except Exception`` around a collective does not swallow it.",
                   PyExc_BaseException);
    make_exception(
        module, "Departed",
        "The death of this rank is simulated, on an MPI whose survivors cannot go on. It is a ``SystemExit``: "
        "the process ends with code 0.",
        PyExc_SystemExit);
    make_exception(module, "Uniform",
                   "Raised on all members alike, and so may leave the body of ``resilient``. Programs derive their own "
                   "from it.",
                   PyExc_Exception);
    auto const uniform = module.attr("Uniform");
    make_exception(module, "DataLost",
                   "No living member holds some wanted rows, and no source of last resort has brought them. "
                   "``ranges``: the lost rows, the same on all members; ``why``: what the source said.",
                   uniform);
    make_exception(module, "EntitiesLost",
                   "No living member has some entities of the snapshot. ``names``: which, the same on all members.",
                   uniform);
    make_exception(module, "DuplicateEntity", "Two entities have one name, on two members or on one.", uniform);
    make_exception(module, "DiskError",
                   "Files could not be written, or none of those that are there can be used. It is an "
                   "``regraft.InputError``, too.",
                   py::make_tuple(uniform, py::module_::import("regraft._core").attr("InputError")));
    make_exception(module, "Divergence", "Members that must call alike, or compute alike, did not.", uniform);
    make_exception(module, "EndlessRecovery", "Recovery after recovery found that nobody had died.", uniform);
    make_exception(module, "WrongLauncher",
                   "What has started the job ends it when a rank dies. The text says what to type instead.", uniform);
    make_exception(module, "DamagedInTransit", "Rows arrived different from what was sent, repeatedly.", uniform);
    make_exception(module, "MpiError", "Any other error that MPI returned. Not survivable.", PyExc_RuntimeError);
    py::register_local_exception_translator(translate);
    module.def("library_version", library_version, "What MPI_Get_library_version says, called by this extension.");
    module.attr("compiled_with") = compiled_with();
}

}  // namespace regraft::python

PYBIND11_MODULE(_mpi, module) {
    using namespace regraft::python;
    add_exceptions(module);
    add_communicator(module);
    add_stores(module);
    add_snapshot(module);
    add_files(module);
}
