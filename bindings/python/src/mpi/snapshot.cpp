// Snapshots of named arrays, and mini-checkpoints.
#include "regraft/checkpoint/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "mpi/buffers.hpp"
#include "mpi/shared.hpp"
#include "mpi/snapshot_parts.hpp"
#include "regraft/checkpoint/mini_checkpoint.hpp"

namespace regraft::python {
namespace {

using namespace checkpoint;

/// The kind of a state, as it is stored before the state.
std::vector<std::byte> head_of(std::string const& kind) {
    ByteWriter writer;
    writer.put_text(kind);
    return writer.take();
}

/// Where the state of an entity is, and what kind of state it is.
struct Place {
    Place() = default;
    Place(std::span<std::byte> memory, std::string const& text) : bytes(memory), kind(text), head(head_of(text)) {}

    std::span<std::byte> bytes;
    std::string kind;
    std::vector<std::byte> head;  // the kind, as it is stored
};

/// A save that is under way. Its snapshot lives as long (keep_alive).
class SavingArrays {
public:
    SavingArrays(std::shared_ptr<Shared> shared, store::Saving saving)
        : shared_(std::move(shared)), epoch_(shared_->comm.epoch()), saving_(std::move(saving)) {}
    SavingArrays(SavingArrays const&) = delete;
    SavingArrays& operator=(SavingArrays const&) = delete;
    /// Waits for the thread that writes.
    ~SavingArrays() {
        py::gil_scoped_release const released;
        saving_.reset();
    }

    bool is_written() const { return !saving_ || saving_->is_written(); }
    /// The number of the generation; called again the same.
    std::uint64_t wait() {
        if (generation_) return *generation_;
        if (!saving_ || (!shared_->failure && epoch_ != shared_->comm.epoch()))
            throw py::value_error("expected a save that nothing has ended: begin another one");
        generation_ = guarded(*shared_, [&](ft::Communicator&) {
            auto waited = std::move(*saving_);
            saving_.reset();
            return waited.wait().generation;
        });
        return *generation_;
    }

private:
    std::shared_ptr<Shared> shared_;
    std::uint32_t epoch_;
    std::optional<store::Saving> saving_;      // until it was waited for
    std::optional<std::uint64_t> generation_;  // when it is complete
};

/// A snapshot whose entities are buffers of Python. Before each call Python tells where they are.
class Arrays {
public:
    /// make(name, kind, bytes): memory for a state that arrives and fits none that is here.
    Arrays(std::shared_ptr<Shared> shared, SnapshotOptions options, py::function make)
        : shared_(std::move(shared)), snapshot_(shared_->comm, std::move(options)), make_(std::move(make)) {}

    /// The state is here from now on; of another kind or length perhaps. It must stay until the next call of place.
    void place(std::string const& name, py::buffer const& array, std::string const& kind, bool is_common) {
        bool const is_new = !places_.contains(name);
        places_[name] = {Bytes(array, true).writable(), kind};
        if (!is_new) return;
        if (is_common) {
            snapshot_.add_common(name, entity_of(name));
        } else {
            snapshot_.add(name, entity_of(name));
        }
    }
    void remove(std::string const& name) {
        places_.erase(name);
        snapshot_.remove(name);
    }

    void changed(std::string const& name, std::uint64_t first_byte, std::uint64_t bytes) {
        snapshot_.changed(name, first_byte, bytes);
    }
    py::tuple commit() {
        auto const report = guarded(*shared_, [&](ft::Communicator&) { return snapshot_.commit(); });
        return py::make_tuple(report.bytes, report.stored_bytes, report.create_ms, report.exchange_ms,
                              report.changed_bytes);
    }
    /// The number of the commit, what has new homes, what is lost, and what is no longer here.
    py::tuple restore(py::object const& deal, std::string const& redundancy, bool leaves_lost, py::object const& read,
                      std::uint64_t generation) {
        RestoreOptions options;
        options.generation = generation;
        options.adopt = adopt();
        if (auto rule = deal_of(deal)) options.deal = std::move(rule);
        if (redundancy == "committed") options.redundancy = RestoreOptions::Redundancy::committed;
        if (redundancy == "left") options.redundancy = RestoreOptions::Redundancy::left;
        if (leaves_lost) options.lost = RestoreOptions::Lost::left;
        if (read.is(py::bool_(true))) options.reread = snapshot_.reread();
        auto const report = guarded(*shared_, [&](ft::Communicator&) { return snapshot_.restore(options); });
        forget(report.removed);
        return py::make_tuple(report.generation, list_of(report.adopted), report.lost, report.removed);
    }

    std::uint64_t save(std::string const& archive, std::uint32_t kept) {
        return guarded(*shared_, [&](ft::Communicator&) { return snapshot_.save(archive, {.kept = kept}).generation; });
    }
    std::unique_ptr<SavingArrays> start_save(std::string const& archive, std::uint32_t kept) {
        auto saving =
            guarded(*shared_, [&](ft::Communicator&) { return snapshot_.start_save(archive, {.kept = kept}); });
        return std::make_unique<SavingArrays>(shared_, std::move(saving));
    }
    py::tuple open(std::string const& archive, py::object const& deal) {
        OpenOptions const options{.adopt = adopt(), .deal = deal_of(deal)};
        return told(guarded(*shared_, [&](ft::Communicator&) { return snapshot_.open(archive, options); }));
    }
    /// None if no job has kept anything.
    std::optional<py::tuple> reopen(py::object const& deal) {
        OpenOptions const options{.adopt = adopt(), .deal = deal_of(deal)};
        auto const report = guarded(*shared_, [&](ft::Communicator&) { return snapshot_.reopen(options); });
        if (!report) return std::nullopt;
        return told(*report);
    }
    void discard() {
        guarded(*shared_, [&](ft::Communicator&) { snapshot_.discard(); });
    }

    bool due() { return snapshot_.due(); }
    std::uint64_t generation() const { return snapshot_.generation(); }
    std::vector<std::uint64_t> generations() const { return snapshot_.generations(); }
    std::uint64_t bytes_held() const { return snapshot_.bytes_held(); }
    /// The name, home and length of each committed entity. All members know all.
    py::list committed() const {
        py::list all;
        for (auto const& entity : snapshot_.committed())
            all.append(py::make_tuple(entity.name, value(entity.home), entity.bytes));
        return all;
    }

private:
    Entity entity_of(std::string const& name) {
        return {.save =
                    [this, name](ByteWriter& out) {
                        auto const& [bytes, kind, head] = places_.at(name);
                        out.put_plain(std::span<std::byte const>(head));
                        out.put_plain(std::span<std::byte const>(bytes));
                    },
                .restore = [this, name](ByteReader& in) { restore_entity(name, in); },
                .bytes = [this, name] { return std::span<std::byte const>(places_.at(name).bytes); },
                .head = [this, name] { return std::span<std::byte const>(places_.at(name).head); }};
    }

    void restore_entity(std::string const& name, ByteReader& in) {
        auto const kind = in.get_text();
        auto& place = places_[name];
        if (place.bytes.size() != in.size() || place.kind != kind) place = make(name, kind, in.size());
        in.get_plain(place.bytes);
    }
    Place make(std::string const& name, std::string const& kind, std::size_t size) {
        py::gil_scoped_acquire const acquired;
        try {
            py::buffer const memory = make_(name, kind, size);
            return {Bytes(memory, true).writable(), kind};
        } catch (py::error_already_set const& error) {
            throw std::runtime_error(error.what());
        }
    }
    std::function<void(std::string const&)> adopt() {
        return [this](std::string const& name) {
            places_[name] = Place();
            snapshot_.add(name, entity_of(name));
        };
    }
    void forget(std::vector<std::string> const& removed) {
        for (auto const& name : removed) places_.erase(name);
    }
    py::tuple told(OpenReport const& report) {
        forget(report.removed);
        return py::make_tuple(report.saved_commit, list_of(report.adopted), std::vector<std::string>{}, report.removed);
    }

    std::shared_ptr<Shared> shared_;
    Snapshot snapshot_;
    py::function make_;
    std::map<std::string, Place> places_;
};

/// Small objects, as bytes that Python makes of them.
class Mini {
public:
    explicit Mini(std::shared_ptr<Shared> shared) : shared_(std::move(shared)), mini_(shared_->comm) {}

    void commit(std::string const& share) {
        guarded(*shared_, [&](ft::Communicator&) { mini_.commit(std::as_bytes(std::span(share))); });
    }
    void commit_identical(std::string const& state) {
        guarded(*shared_, [&](ft::Communicator&) { mini_.commit_identical(std::as_bytes(std::span(state))); });
    }
    /// Pairs of a member and its bytes.
    py::list latest() const {
        py::list all;
        auto const& [pes, shares] = mini_.latest();
        for (std::size_t i = 0; i < pes.size(); ++i)
            all.append(py::make_tuple(value(pes[i]),
                                      py::bytes(reinterpret_cast<char const*>(shares[i].data()), shares[i].size())));
        return all;
    }
    std::uint64_t generation() const { return mini_.generation(); }

private:
    std::shared_ptr<Shared> shared_;
    MiniCheckpoint mini_;
};

}  // namespace

/// Dealing by a function of Python: its results as PeIds. What it raises ends this process, since the others have
/// dealt.
Deal deal_of(py::object const& rule) {
    if (rule.is_none()) return {};
    if (py::isinstance<py::str>(rule))
        return rule.cast<std::string>() == "balanced" ? Deal(balanced) : Deal(to_holders);
    return [&rule](std::span<Orphan const> orphans, std::span<Survivor const> survivors) {
        py::gil_scoped_acquire const acquired;
        py::list of_orphans;
        for (auto const& orphan : orphans) {
            py::list holders;
            for (auto const pe : orphan.holders) holders.append(value(pe));
            of_orphans.append(py::make_tuple(py::str(orphan.name.data(), orphan.name.size()), orphan.bytes,
                                             value(orphan.home), holders));
        }
        py::list of_survivors;
        for (auto const& survivor : survivors) of_survivors.append(py::make_tuple(value(survivor.pe), survivor.bytes));
        std::vector<PeId> homes;
        try {
            for (auto const home : rule(of_orphans, of_survivors)) homes.push_back(PeId{home.cast<std::uint32_t>()});
        } catch (py::error_already_set const& error) {
            throw std::runtime_error(error.what());
        }
        return homes;
    };
}

py::list list_of(std::vector<Adoption> const& adopted) {
    py::list all;
    for (auto const& [name, from, to, bytes] : adopted) all.append(py::make_tuple(name, value(from), value(to), bytes));
    return all;
}

SnapshotOptions snapshot_options(Shared const& shared, std::uint32_t copies,
                                 std::optional<std::pair<std::uint32_t, std::uint32_t>> code,
                                 std::vector<std::uint32_t> node_of, bool compressed, bool checked, std::uint64_t steps,
                                 double mtbf_hours, std::optional<store::Keep> keep, std::string const& differential,
                                 bool trusted, std::uint32_t generations) {
    SnapshotOptions options;
    options.generations = generations;
    if (differential == "automatic") options.differential = SnapshotOptions::Differential::automatic;
    if (differential == "always") options.differential = SnapshotOptions::Differential::always;
    if (trusted) options.told = SnapshotOptions::Told::trusted;
    if (code) {
        options.redundancy = erasure::Code(code->first, code->second);
        if (!node_of.empty()) options.node = node_of[value(shared.comm.self())];
    } else {
        options.redundancy = node_of.empty() ? pairwise(copies) : on_other_nodes(std::move(node_of), copies);
    }
    if (compressed) options.form = SnapshotOptions::Form::compressed;
    if (checked) options.integrity = store::Integrity::checked;
    options.pace = {.steps = steps, .mtbf_hours = mtbf_hours};
    options.keep = std::move(keep);
    return options;
}

void add_snapshot(py::module_& module) {
    py::class_<Arrays>(module, "Arrays")
        .def(py::init([](std::shared_ptr<Shared> shared, py::function make, std::uint32_t copies,
                         std::optional<std::pair<std::uint32_t, std::uint32_t>> code,
                         std::vector<std::uint32_t> node_of, bool compressed, bool checked, std::uint64_t steps,
                         double mtbf_hours, std::optional<store::Keep> keep, std::string const& differential,
                         bool trusted, std::uint32_t generations) {
            auto options = snapshot_options(*shared, copies, code, std::move(node_of), compressed, checked, steps,
                                            mtbf_hours, std::move(keep), differential, trusted, generations);
            return std::make_unique<Arrays>(std::move(shared), std::move(options), std::move(make));
        }))
        .def("place", &Arrays::place)
        .def("remove", &Arrays::remove)
        .def("changed", &Arrays::changed)
        .def("commit", &Arrays::commit)
        .def("restore", &Arrays::restore)
        .def("save", &Arrays::save)
        .def("start_save", &Arrays::start_save, py::keep_alive<0, 1>())
        .def("open", &Arrays::open)
        .def("reopen", &Arrays::reopen)
        .def("discard", &Arrays::discard)
        .def("due", &Arrays::due)
        .def("generation", &Arrays::generation)
        .def("generations", &Arrays::generations)
        .def("committed", &Arrays::committed)
        .def("bytes_held", &Arrays::bytes_held);
    py::class_<SavingArrays>(module, "SavingArrays")
        .def("is_written", &SavingArrays::is_written)
        .def("wait", &SavingArrays::wait);
    py::class_<Mini>(module, "Mini")
        .def(py::init<std::shared_ptr<Shared>>())
        .def("commit", &Mini::commit)
        .def("commit_identical", &Mini::commit_identical)
        .def("latest", &Mini::latest)
        .def("generation", &Mini::generation);
}

}  // namespace regraft::python
