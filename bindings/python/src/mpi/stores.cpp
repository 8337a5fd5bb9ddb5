// The stores of rows: copies of each, or an erasure code.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "mpi/buffers.hpp"
#include "mpi/shared.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/node_aware.hpp"
#include "regraft/placement/permuted.hpp"
#include "regraft/store/erasure_store.hpp"
#include "regraft/store/replicated_store.hpp"

namespace regraft::python {
namespace {

using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
using Path = std::string;

BlockRange range_of(std::uint64_t first, std::uint64_t last) {
    return {BlockId{first}, BlockId{last}};
}

std::vector<BlockRange> ranges_of(Pairs const& pairs) {
    std::vector<BlockRange> ranges;
    for (auto const& [first, last] : pairs) ranges.push_back(range_of(first, last));
    return ranges;
}

Pairs pairs_of(std::vector<BlockRange> const& ranges) {
    Pairs pairs;
    for (auto const& range : ranges) pairs.emplace_back(value(range.first), value(range.last));
    return pairs;
}

template <class Options>
Options options_of(bool checked) {
    Options options;
    if (checked) options.integrity = store::Integrity::checked;
    return options;
}

/// A source of last resort that calls read(first, last, memory) with the GIL. What it raises becomes the text of
/// DataLost, because no Python exception may live on without the GIL.
std::function<void(BlockRange, std::span<std::byte>)> source_of(py::object const& read) {
    if (read.is_none()) return {};
    return [&read](BlockRange range, std::span<std::byte> out) {
        py::gil_scoped_acquire const acquired;
        try {
            auto const memory = py::memoryview::from_memory(static_cast<void*>(out.data()),
                                                            static_cast<py::ssize_t>(out.size()), false);
            read(value(range.first), value(range.last), memory);
        } catch (py::error_already_set const& error) {
            throw std::runtime_error(error.what());
        }
    };
}

/// A load that is under way, with what it needs.
class UnderWay {
public:
    /// start: of a store, called without the GIL. store: stays until the load is over. read: as Rows::load.
    template <class Start>
    UnderWay(std::shared_ptr<Shared> shared, py::object store, py::buffer const& out, py::object read, Start start)
        : shared_(std::move(shared)), store_(std::move(store)), out_(out, true), read_(std::move(read)) {
        guarded(*shared_, [&](ft::Communicator& comm) {
            epoch_ = comm.epoch();
            loading_.emplace(start(out_.writable(), read_));
        });
    }

    void wait() {
        guarded(*shared_, [&](ft::Communicator& comm) {
            if (!loading_ || comm.epoch() != epoch_)
                throw std::invalid_argument("expected a load that is under way; this one has failed");
            auto loading = std::move(*loading_);
            loading_.reset();
            static_cast<void>(loading.wait());
        });
    }
    /// Whether no message is under way any more, so that this may be destroyed at once: a failure ends a load.
    bool is_over() const {
        return !loading_ || shared_->failure || shared_->departed || shared_->comm.epoch() != epoch_;
    }

private:
    std::shared_ptr<Shared> shared_;
    py::object store_;
    Bytes out_;
    py::object read_;
    std::uint32_t epoch_ = 0;
    std::optional<store::Loading> loading_;  // is destroyed before what it needs
};

/// Which members keep the copies of a row.
struct Rule {
    std::uint32_t replicas;
    bool permuted;
    std::uint64_t seed;
    std::vector<std::uint32_t> node_of;  // of each founder; empty: nothing is known of nodes

    placement::Any operator()(std::uint64_t n, ft::Communicator const& comm) const {
        auto const slots = static_cast<std::uint32_t>(comm.size());
        auto const copies = std::min(replicas, slots);
        auto any = permuted ? placement::Any(placement::Permuted(n, slots, copies, {.seed = seed}))
                            : placement::Any(placement::ModK(n, slots, copies));
        if (node_of.empty()) return any;
        std::vector<std::uint32_t> of_slots;
        for (auto const pe : comm.members()) of_slots.push_back(node_of[value(pe)]);
        return placement::over_nodes(std::move(any), of_slots);
    }
};

/// What both stores have in common. Placing: what submit and open need beside the rows.
template <class Store>
class Rows {
public:
    Rows(std::shared_ptr<Shared> shared, Store store) : shared_(std::move(shared)), store_(std::move(store)) {}

    /// offsets: of rows of different sizes, as bytes of 64-bit numbers; empty: all have row_bytes.
    template <class Placing>
    void submit(Placing const& placing, std::uint64_t n, std::uint64_t first, std::uint64_t last,
                py::buffer const& rows, py::buffer const& offsets, std::size_t row_bytes) {
        Bytes const bytes(rows, false);
        Bytes const begins(offsets, false);
        guarded(*shared_, [&](ft::Communicator& comm) {
            auto const placed = placing(n, comm);
            auto const mine = range_of(first, last);
            if (row_bytes != 0) return store_.submit(placed, mine, bytes.span(), row_bytes);
            store_.submit(placed, mine, CsrView<std::byte>{begins.template as<std::uint64_t>(), bytes.span()});
        });
    }

    /// read: a source of last resort, or True for what was saved.
    void load(Pairs const& wanted, py::buffer const& out, py::object const& read) {
        Bytes const bytes(out, true);
        auto const options = options_with(read);
        guarded(*shared_, [&](ft::Communicator&) {
            static_cast<void>(store_.load(ranges_of(wanted), bytes.writable(), options));
        });
    }
    /// self: this store, as Python knows it.
    std::shared_ptr<UnderWay> start_load(py::object self, Pairs const& wanted, py::buffer const& out, py::object read) {
        return std::make_shared<UnderWay>(shared_, std::move(self), out, std::move(read),
                                          [&](std::span<std::byte> bytes, py::object const& source) {
                                              return store_.start_load(ranges_of(wanted), bytes, options_with(source));
                                          });
    }

    Pairs repair() {
        return guarded(*shared_, [&](ft::Communicator&) { return pairs_of(store_.repair().lost); });
    }
    Pairs scrub() {
        return guarded(*shared_, [&](ft::Communicator&) { return pairs_of(store_.scrub().lost); });
    }

    std::uint64_t save(Path const& archive, std::string const& attributes, std::uint32_t kept) {
        auto const begin = std::as_bytes(std::span(attributes));
        store::SaveOptions const options{.kept = kept, .attributes = {begin.begin(), begin.end()}};
        return guarded(*shared_, [&](ft::Communicator&) { return store_.save(archive, options).generation; });
    }
    template <class Placing>
    std::pair<std::uint64_t, py::bytes> open(Path const& archive, Placing const& placing) {
        auto const report =
            guarded(*shared_, [&](ft::Communicator& comm) { return placing.open(store_, archive, comm); });
        return {report.generation, bytes_from(report.attributes)};
    }

    void set_attributes(std::string const& attributes) {
        auto const begin = std::as_bytes(std::span(attributes));
        store_.set_attributes({begin.begin(), begin.end()});
    }
    /// The attributes of what was reopened, if there is anything.
    template <class Placing>
    std::optional<py::bytes> reopen(Placing const& placing) {
        auto const report = guarded(*shared_, [&](ft::Communicator&) { return placing.reopen(store_); });
        if (!report) return std::nullopt;
        return bytes_from(report->attributes);
    }
    void discard() {
        guarded(*shared_, [&](ft::Communicator&) { store_.discard(); });
    }

    /// Where each row of the range begins, as bytes, and the last ends.
    std::vector<std::uint64_t> begins(std::uint64_t first, std::uint64_t last) const {
        std::vector<std::uint64_t> all;
        for (auto i = first; i <= last; ++i)
            all.push_back(store_.sizes().begin(BlockId{i}) - store_.sizes().begin(BlockId{first}));
        return all;
    }
    std::uint64_t num_rows() const { return store_.num_blocks(); }
    std::uint64_t version() const { return store_.version(); }
    std::uint64_t bytes_held() const { return store_.bytes_held(); }

protected:
    /// read must outlive the load.
    store::LoadOptions options_with(py::object const& read) const {
        bool const from_disk = read.ptr() == Py_True;
        return {.reread = from_disk ? store_.reread() : source_of(read)};
    }

    std::shared_ptr<Shared> shared_;
    Store store_;
};

struct ByRule {
    Rule const& rule;
    placement::Any operator()(std::uint64_t n, ft::Communicator const& comm) const { return rule(n, comm); }
    store::OpenReport open(store::ReplicatedStore& store, Path const& archive, ft::Communicator const& comm) const {
        return store.open(archive, [&](std::uint64_t n) { return rule(n, comm); });
    }
    auto reopen(store::ReplicatedStore& store) const { return store.reopen(); }
};

class Copies : public Rows<store::ReplicatedStore> {
public:
    Copies(std::shared_ptr<Shared> shared, Rule rule, bool checked, std::optional<store::Keep> keep)
        : Rows(shared, made(*shared, checked, std::move(keep))), rule_(std::move(rule)) {}

    void submit(std::uint64_t n, std::uint64_t first, std::uint64_t last, py::buffer const& rows,
                py::buffer const& offsets, std::size_t row_bytes) {
        Rows::submit(ByRule{rule_}, n, first, last, rows, offsets, row_bytes);
    }
    std::pair<std::uint64_t, py::bytes> open(Path const& archive) { return Rows::open(archive, ByRule{rule_}); }
    /// Returns the rows that were lost and are there again.
    Pairs update(Pairs const& changed, py::buffer const& rows) {
        Bytes const bytes(rows, false);
        return guarded(*shared_, [&](ft::Communicator&) {
            return pairs_of(store_.update(ranges_of(changed), bytes.span()).regained);
        });
    }
    std::optional<py::bytes> reopen() { return Rows::reopen(ByRule{rule_}); }

private:
    static store::ReplicatedStore made(Shared& shared, bool checked, std::optional<store::Keep> keep) {
        auto options = options_of<store::Options>(checked);
        options.keep = std::move(keep);
        return store::ReplicatedStore(shared.comm, std::move(options));
    }

    Rule rule_;
};

struct ByCode {
    erasure::Code code;
    erasure::Code operator()(std::uint64_t, ft::Communicator const&) const { return code; }
    store::OpenReport open(store::ErasureStore& store, Path const& archive, ft::Communicator const&) const {
        return store.open(archive, code);
    }
    auto reopen(store::ErasureStore& store) const { return store.reopen(code); }
};

class Coded : public Rows<store::ErasureStore> {
public:
    Coded(std::shared_ptr<Shared> shared, std::uint32_t data, std::uint32_t parity, bool checked,
          std::vector<std::uint32_t> const& node_of, std::optional<store::Keep> keep)
        : Rows(shared, made(*shared, checked, node_of, std::move(keep))), code_{erasure::Code(data, parity)} {}

    void submit(std::uint64_t n, std::uint64_t first, std::uint64_t last, py::buffer const& rows,
                py::buffer const& offsets, std::size_t row_bytes) {
        Rows::submit(code_, n, first, last, rows, offsets, row_bytes);
    }
    std::pair<std::uint64_t, py::bytes> open(Path const& archive) { return Rows::open(archive, code_); }
    std::optional<py::bytes> reopen() { return Rows::reopen(code_); }
    /// Pieces of data, and parities.
    std::pair<std::uint32_t, std::uint32_t> code() const { return {store_.code().data(), store_.code().parity()}; }

private:
    static store::ErasureStore made(Shared& shared, bool checked, std::vector<std::uint32_t> const& node_of,
                                    std::optional<store::Keep> keep) {
        auto options = options_of<store::ErasureOptions>(checked);
        if (!node_of.empty()) options.node = node_of[value(shared.comm.self())];
        options.keep = std::move(keep);
        return store::ErasureStore(shared.comm, std::move(options));
    }

    ByCode code_;
};

template <class Store>
py::class_<Store> add_rows(py::module_& module, char const* name) {
    return py::class_<Store>(module, name)
        .def("submit", &Store::submit)
        .def("load", &Store::load)
        .def("start_load",
             [](py::object const& self, Pairs const& wanted, py::buffer const& out, py::object const& read) {
                 return self.cast<Store&>().start_load(self, wanted, out, read);
             })
        .def("repair", &Store::repair)
        .def("scrub", &Store::scrub)
        .def("save", &Store::save)
        .def("open", &Store::open)
        .def("set_attributes", &Store::set_attributes)
        .def("reopen", &Store::reopen)
        .def("discard", &Store::discard)
        .def("begins", &Store::begins)
        .def("num_rows", &Store::num_rows)
        .def("version", &Store::version)
        .def("bytes_held", &Store::bytes_held);
}

}  // namespace

void add_stores(py::module_& module) {
    py::class_<store::Keep>(module, "Kept").def(py::init([](std::string folder, std::string job, std::string name) {
        return store::Keep{.folder = std::move(folder), .job = std::move(job), .name = std::move(name)};
    }));
    py::class_<UnderWay, std::shared_ptr<UnderWay>>(module, "UnderWay")
        .def("wait", &UnderWay::wait)
        .def("is_over", &UnderWay::is_over);
    // Messages of a load that nobody waits for may still arrive in its memory.
    module.def("leave_load",
               [](std::shared_ptr<UnderWay> const& load) { static_cast<void>(new std::shared_ptr<UnderWay>(load)); });
    add_rows<Copies>(module, "Copies")
        .def(py::init([](std::shared_ptr<Shared> shared, std::uint32_t replicas, bool permuted, std::uint64_t seed,
                         std::vector<std::uint32_t> node_of, bool checked, std::optional<store::Keep> keep) {
            return Copies(std::move(shared), {replicas, permuted, seed, std::move(node_of)}, checked, std::move(keep));
        }))
        .def("update", &Copies::update);
    add_rows<Coded>(module, "Coded")
        .def(py::init<std::shared_ptr<Shared>, std::uint32_t, std::uint32_t, bool, std::vector<std::uint32_t> const&,
                      std::optional<store::Keep>>())
        .def("code", &Coded::code);
    module.def("job_of_environment", &store::job_of_environment);
}

}  // namespace regraft::python
