// The communicator and the loop around a program that survives.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "mpi/shared.hpp"
#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/core/exact_sum.hpp"
#include "regraft/ft/failure_plan.hpp"
#include "regraft/ft/nodes.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::python {
namespace {

ft::FailPhase call_phase("mpi4py", ft::Moment::during_next_call);  // a call of mpi4py on the communicator

/// A Python exception that ends the loop here: that of the last member, or one of which the process dies.
class Raised : public std::runtime_error {
public:
    Raised(py::error_already_set const& error, std::string const& text)
        : std::runtime_error(text), error_(std::make_shared<py::error_already_set>(error)) {}
    py::error_already_set const& error() const { return *error_; }

private:
    std::shared_ptr<py::error_already_set> error_;
};

/// The same, on all members.
class RaisedAlike : public Raised, public ft::Uniform {
public:
    using Raised::Raised;
};

std::shared_ptr<Shared> make_shared_communicator(std::uintptr_t handle) {
    py::gil_scoped_release const released;
    // A handle is an integer or a pointer, by the MPI.
    auto const parent = (MPI_Comm)handle;
    return std::make_shared<Shared>(parent);
}

std::vector<std::uint32_t> numbers_of(std::span<PeId const> pes) {
    std::vector<std::uint32_t> numbers;
    for (auto const pe : pes) numbers.push_back(value(pe));
    return numbers;
}

/// The ranges of pe when n rows are dealt to the first of these memberships, and anew to each that follows.
std::vector<std::pair<std::uint64_t, std::uint64_t>> work_of(std::uint64_t n, std::uint32_t num_founders,
                                                             std::vector<std::vector<std::uint32_t>> const& memberships,
                                                             std::uint32_t pe) {
    assign::Assignment assignment;
    std::vector<std::uint64_t> const bounds{0, n};
    for (std::size_t i = 0; i < memberships.size(); ++i) {
        std::vector<PeId> pes;
        for (auto const number : memberships[i]) pes.push_back(PeId{number});
        assignment = i == 0 ? assign::balance(bounds, pes, num_founders) : assign::reassign(assignment, pes).after;
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (auto const& work : assignment[pe]) ranges.emplace_back(value(work.sites.first), value(work.sites.last));
    return ranges;
}

/// Sums the columns of values, shape [rows][columns], over all members. Without columns there is nothing to agree on.
std::vector<double> exact_sums(Shared& shared, py::buffer const& values, std::size_t columns) {
    auto const info = values.request();
    std::span<double const> const all(static_cast<double const*>(info.ptr), static_cast<std::size_t>(info.size));
    return guarded(shared, [&](ft::Communicator& comm) {
        std::vector<ExactSum> sums(columns);
        for (std::size_t i = 0; i < all.size(); ++i) sums[i % columns].add(all[i]);
        ft::all_reduce(comm, sums);
        std::vector<double> result;
        for (auto const& sum : sums) result.push_back(sum.value());
        return result;
    });
}

void print_traceback(py::error_already_set& error) {
    py::module_::import("traceback").attr("print_exception")(error.type(), error.value(), error.trace());
    for (auto const* const stream : {"stdout", "stderr"}) py::module_::import("sys").attr(stream).attr("flush")();
}

/// Throws what the loop in C++ understands for what Python has raised.
[[noreturn]] void pass_on(Shared& shared, py::error_already_set& error) {
    if (shared.departed) throw ft::Departed{};
    if (shared.failure) throw ft::ProcessFailure(*shared.failure);
    if (error.matches(py::module_::import("mpi4py.MPI").attr("Exception"))) {
        auto const code = error.value().attr("Get_error_code")().cast<int>();
        try {
            shared.comm.check(code, "a call of mpi4py");
        } catch (ft::MpiError const&) {  // NOLINT(bugprone-empty-catch): no failure, so an exception like others
        }
    }
    if (error.matches(exception("ProcessFailure"))) shared.comm.declare_failure("what the program calls by itself");
    std::string const text =
        py::str(error.type().attr("__name__")).cast<std::string>() + ": " + py::str(error.value()).cast<std::string>();
    if (error.matches(exception("Uniform"))) throw RaisedAlike(error, text);
    if (shared.comm.size() > 1) {  // this process is about to die of it, by abort()
        print_traceback(error);
        static_cast<void>(
            std::signal(SIGABRT, SIG_DFL));  // Open MPI's handler prints where in C++, which tells nothing
    }
    throw Raised(error, text);
}

/// Calls work with the GIL.
template <class Work>
void called(Shared& shared, Work work) {
    py::gil_scoped_acquire const acquired;
    try {
        work();
    } catch (py::error_already_set& error) {
        pass_on(shared, error);
    }
    if (shared.departed) throw ft::Departed{};
    if (shared.failure) throw ft::ProcessFailure(*shared.failure);  // the program has swallowed it
}

py::object run_resilient(std::shared_ptr<Shared> const& shared, py::function const& body, py::function const& recover) {
    py::object result;
    try {
        py::gil_scoped_release const released;
        ft::resilient(
            shared->comm, [&] { called(*shared, [&] { result = body(); }); },
            [&](ft::Failure const& failure) {
                shared->failure.reset();
                called(*shared, [&] {
                    recover(numbers_of(failure.lost), failure.noticed_in, failure.silence_ms, failure.shrink_ms);
                });
            });
    } catch (Raised const& raised) {
        throw py::error_already_set(raised.error());
    } catch (ft::Departed const&) {
        shared->departed = true;
        throw;
    }
    return result;
}

void add_state(py::class_<Shared, std::shared_ptr<Shared>>& type) {
    type.def(py::init(&make_shared_communicator), py::arg("handle"))
        .def("self", [](Shared const& shared) { return value(shared.comm.self()); })
        .def("members", [](Shared const& shared) { return numbers_of(shared.comm.members()); })
        .def("num_founders", [](Shared const& shared) { return shared.comm.num_founders(); })
        .def("leads", [](Shared const& shared) { return shared.comm.leads(); })
        .def("epoch", [](Shared const& shared) { return shared.comm.epoch(); })
        .def("handle", [](Shared const& shared) { return (std::uintptr_t)shared.comm.native(); });
}

void add_calls(py::class_<Shared, std::shared_ptr<Shared>>& type) {
    type.def("agree",
             [](Shared& shared, bool mine) {
                 return guarded(shared, [&](ft::Communicator& comm) { return comm.agree(mine); });
             })
        .def("agree_equal",
             [](Shared& shared, std::uint64_t hash) {
                 return guarded(shared, [&](ft::Communicator& comm) { return comm.agree_equal(hash); });
             })
        .def("shrink",
             [](Shared& shared) {
                 shared.failure.reset();  // this call may follow a failure
                 return guarded(shared, [](ft::Communicator& comm) { return numbers_of(comm.shrink()); });
             })
        .def("check",
             [](Shared& shared, int code, std::string const& call) {
                 guarded(shared, [&](ft::Communicator& comm) { comm.check(code, call.c_str()); });
             })
        .def("node_ids",
             [](Shared& shared) { return guarded(shared, [](ft::Communicator& comm) { return ft::node_ids(comm); }); })
        .def("look", [](Shared& shared) { guarded(shared, [](ft::Communicator& comm) { comm.look_for_failures(); }); })
        .def("before_call",
             [](Shared& shared) {
                 guarded(shared, [](ft::Communicator& comm) {
                     comm.reach(call_phase.before);
                     comm.reach(call_phase.inside);
                 });
             })
        .def("after_call",
             [](Shared& shared, int code, std::string const& call) {
                 guarded(shared, [&](ft::Communicator& comm) {
                     comm.check(code, call.c_str());
                     comm.reach(call_phase.after);
                 });
             })
        .def("reach", [](Shared& shared,
                         ft::FailPoint& point) { guarded(shared, [&](ft::Communicator& comm) { comm.reach(point); }); })
        .def("exact_sums", &exact_sums);
}

/// What mpi4py keeps of a communicator that is gone is the null communicator, which MPI refuses with an error.
void forget_handle(std::uintptr_t address) {
    *reinterpret_cast<MPI_Comm*>(address) = MPI_COMM_NULL;
}

}  // namespace

void add_communicator(py::module_& module) {
    py::class_<ft::FailPoint, std::unique_ptr<ft::FailPoint, py::nodelete>>(
        module, "FailPoint",
        "A named place at which a failure plan can kill a rank (Communicator.reach). With during_next_call it dies a "
        "moment later, most likely inside the call that follows. It stays until the process ends. Not collective.")
        .def(py::init([](std::string name, bool inside) {
                 return new ft::FailPoint(std::move(name), inside ? ft::Moment::during_next_call : ft::Moment::here);
             }),
             py::arg("name"), py::kw_only(), py::arg("during_next_call") = false);
    py::class_<Shared, std::shared_ptr<Shared>> type(module, "Communicator");
    add_state(type);
    add_calls(type);
    // A communicator that nobody has closed stays: to free it is a collective, and the others may not be here.
    module.def("leave",
               [](std::shared_ptr<Shared> const& shared) { static_cast<void>(new std::shared_ptr<Shared>(shared)); });
    module.def("forget_handle", &forget_handle);
    module.def("resilient", &run_resilient);
    module.def("work_of", &work_of);
    module.def("points_reached", [] {
        std::map<std::string, std::uint64_t> reached;
        for (auto const* const point : ft::fail_points()) reached[point->name()] = point->occurrences();
        return reached;
    });
    module.def("set_failure_plan", [](std::string const& plan) { ft::set_failure_plan(ft::parse_failure_plan(plan)); });
}

}  // namespace regraft::python
