// Checkpoint files of the program.
#include "regraft/checkpoint/files.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "mpi/shared.hpp"
#include "mpi/snapshot_parts.hpp"

namespace regraft::python {
namespace {

class RoutedFiles {
public:
    RoutedFiles(std::shared_ptr<Shared> shared, checkpoint::FilesOptions options)
        : shared_(std::move(shared)), files_(shared_->comm, std::move(options)) {}

    std::string route(std::string const& name) { return files_.route(name).string(); }
    void remove(std::string const& name) { files_.remove(name); }
    std::vector<std::string> names() const { return files_.names(); }
    bool due() { return files_.due(); }
    std::uint64_t generation() const { return files_.generation(); }

    /// The number of the generation that a flush has completed, if one has, and why one could not be written.
    py::tuple commit() {
        auto const report = guarded(*shared_, [&](ft::Communicator&) { return files_.commit(); });
        auto const flushed = report.flushed ? std::optional(report.flushed->generation) : std::nullopt;
        return py::make_tuple(flushed, report.problem);
    }
    py::tuple restore(py::object const& deal, bool leaves_lost) {
        checkpoint::RestoreOptions options;
        if (auto rule = deal_of(deal)) options.deal = std::move(rule);
        if (leaves_lost) options.lost = checkpoint::RestoreOptions::Lost::left;
        auto const report = guarded(*shared_, [&](ft::Communicator&) { return files_.restore(options); });
        return py::make_tuple(report.generation, list_of(report.adopted), report.lost, report.removed);
    }
    /// None if there is nothing to resume.
    std::optional<py::tuple> resume(py::object const& deal) {
        auto const rule = deal_of(deal);
        auto const report = guarded(*shared_, [&](ft::Communicator&) { return files_.resume(rule); });
        if (!report) return std::nullopt;
        return py::make_tuple(report->saved_commit, list_of(report->adopted), std::vector<std::string>{},
                              report->removed);
    }
    void flush() {
        guarded(*shared_, [&](ft::Communicator&) { files_.flush(); });
    }
    void discard() {
        guarded(*shared_, [&](ft::Communicator&) { files_.discard(); });
    }

private:
    std::shared_ptr<Shared> shared_;
    checkpoint::Files files_;
};

}  // namespace

void add_files(py::module_& module) {
    py::class_<RoutedFiles>(module, "Files")
        .def(py::init([](std::shared_ptr<Shared> shared, std::string const& folder, std::string const& archive,
                         std::uint64_t flush_every, std::uint32_t kept, std::uint32_t copies,
                         std::vector<std::uint32_t> node_of, bool checked, std::uint64_t steps, double mtbf_hours,
                         std::optional<store::Keep> keep, std::string const& differential) {
            checkpoint::FilesOptions options{
                .folder = folder, .archive = archive, .flush_every = flush_every, .save = {.kept = kept}};
            options.snapshot = snapshot_options(*shared, copies, std::nullopt, std::move(node_of), false, checked,
                                                steps, mtbf_hours, std::move(keep), differential, false, 1);
            return std::make_unique<RoutedFiles>(std::move(shared), std::move(options));
        }))
        .def("route", &RoutedFiles::route)
        .def("remove", &RoutedFiles::remove)
        .def("names", &RoutedFiles::names)
        .def("commit", &RoutedFiles::commit)
        .def("restore", &RoutedFiles::restore)
        .def("resume", &RoutedFiles::resume)
        .def("flush", &RoutedFiles::flush)
        .def("discard", &RoutedFiles::discard)
        .def("due", &RoutedFiles::due)
        .def("generation", &RoutedFiles::generation);
    module.def("is_file_name", [](std::string const& name) { return checkpoint::is_file_name(name); });
}

}  // namespace regraft::python
