// The store of rows.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "mpi.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"

namespace regraft::python {
namespace {

using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

BlockRange range_of(std::uint64_t first, std::uint64_t last) {
    return {BlockId{first}, BlockId{last}};
}

Pairs pairs_of(std::vector<BlockRange> const& ranges) {
    Pairs pairs;
    for (auto const& range : ranges) pairs.emplace_back(value(range.first), value(range.last));
    return pairs;
}

store::Options options_of(bool checked) {
    store::Options options;
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

class RowStore {
public:
    RowStore(std::shared_ptr<Shared> shared, bool checked)
        : shared_(std::move(shared)), store_(shared_->comm, options_of(checked)) {}

    void submit(std::uint32_t replicas, std::uint64_t n, std::uint64_t first, std::uint64_t last,
                py::buffer const& rows, std::size_t row_bytes) {
        auto const info = rows.request();
        std::span<std::byte const> const bytes(static_cast<std::byte const*>(info.ptr), bytes_of(info));
        guarded(*shared_, [&](ft::Communicator& comm) {
            auto const slots = static_cast<std::uint32_t>(comm.size());
            store_.submit(placement::ModK(n, slots, std::min(replicas, slots)), range_of(first, last), bytes,
                          row_bytes);
        });
    }

    void load(Pairs const& wanted, py::buffer const& out, py::object const& read) {
        auto const info = out.request(true);
        std::span<std::byte> const bytes(static_cast<std::byte*>(info.ptr), bytes_of(info));
        std::vector<BlockRange> ranges;
        for (auto const& [first, last] : wanted) ranges.push_back(range_of(first, last));
        store::LoadOptions const options{.reread = source_of(read)};
        guarded(*shared_, [&](ft::Communicator&) { static_cast<void>(store_.load(ranges, bytes, options)); });
    }

    Pairs repair() {
        return guarded(*shared_, [&](ft::Communicator&) { return pairs_of(store_.repair().lost); });
    }

    std::uint64_t version() const { return store_.version(); }
    std::uint64_t bytes_held() const { return store_.bytes_held(); }

private:
    static std::size_t bytes_of(py::buffer_info const& info) {
        return static_cast<std::size_t>(info.size) * static_cast<std::size_t>(info.itemsize);
    }

    std::shared_ptr<Shared> shared_;
    store::ReplicatedStore store_;
};

}  // namespace

void add_store(py::module_& module) {
    py::class_<RowStore>(module, "RowStore")
        .def(py::init<std::shared_ptr<Shared>, bool>())
        .def("submit", &RowStore::submit)
        .def("load", &RowStore::load)
        .def("repair", &RowStore::repair)
        .def("version", &RowStore::version)
        .def("bytes_held", &RowStore::bytes_held);
}

}  // namespace regraft::python
