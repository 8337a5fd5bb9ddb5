// Archives, as programs on MPI write them, and erasure codes.
#include <mutex>
#include <optional>
#include <string>

#include "arrays.hpp"
#include "regraft/core/block_parts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/zstd.hpp"
#include "regraft/disk/archive.hpp"
#include "regraft/disk/generation.hpp"
#include "regraft/erasure/code.hpp"

namespace regraft::python {
namespace {

namespace fs = std::filesystem;
using Bytes = Array<std::uint8_t>;

std::span<std::byte const> bytes_of(Bytes const& array) {
    return std::as_bytes(span_of(array));
}

std::span<std::byte> room_in(Bytes& array) {
    return std::as_writable_bytes(std::span(array.mutable_data(), static_cast<std::size_t>(array.size())));
}

/// Reads a generation. Like a generation, it may be used by one thread at a time.
class Archive {
public:
    Archive(std::string const& folder, std::uint64_t number) : generation_(fs::path(folder), number) {}
    explicit Archive(disk::Newest newest) : generation_(std::move(newest.generation)), refused_(newest.refused) {}

    static std::unique_ptr<Archive> newest(std::string const& folder) {
        py::gil_scoped_release const release;
        return std::make_unique<Archive>(disk::open_newest(folder));
    }
    disk::Index const& index() const { return generation_.index(); }
    std::vector<std::string> const& refused() const { return refused_; }
    Array<std::uint64_t> sizes() const {
        std::vector<std::uint64_t> all;
        auto const& sizes = index().sizes;
        for (std::uint64_t i = 0; i < sizes.num_blocks(); ++i) all.push_back(sizes.bytes(BlockId{i}));
        return array_of(std::move(all));
    }
    Bytes read(std::uint64_t first, std::uint64_t last) {
        auto const& sizes = index().sizes;
        expect(first <= last && last <= sizes.num_blocks(), "blocks within those of the archive");
        BlockRange const range{BlockId{first}, BlockId{last}};
        Bytes out(static_cast<py::ssize_t>(sizes.bytes(range)));
        auto const room = room_in(out);
        py::gil_scoped_release const release;
        std::lock_guard const lock(mutex_);
        generation_.read(range, room);
        return out;
    }

private:
    std::mutex mutex_;
    disk::Generation generation_;
    std::vector<std::string> refused_;
};

/// Writes blocks that lie one behind the other as a generation of one data file. Returns its number.
std::uint64_t save_archive(std::string const& folder, Bytes const& blocks, Array<std::uint64_t> const& sizes,
                           std::string const& attributes, std::uint64_t kept) {
    BlockSizes::Builder builder;
    for (auto const size : span_of(sizes)) builder.add(size);
    disk::Index index;
    index.sizes = std::move(builder).take();
    auto const bytes = bytes_of(blocks);
    expect(bytes.size() == index.sizes.bytes(), "as many bytes as all blocks have");
    auto const text = std::as_bytes(std::span(attributes));
    index.attributes.assign(text.begin(), text.end());
    py::gil_scoped_release const release;
    BlockRange const all{BlockId{0}, BlockId{index.sizes.num_blocks()}};
    if (!all.empty()) index.files.push_value({all, num_parts(all, index.sizes)});
    index.files.end_row();
    index.generation = disk::begin_generation(folder);
    try {
        auto const pieces = std::span(&bytes, all.empty() ? 0 : 1);
        auto const seals = disk::write_pieces(folder, index, {0, 0, pieces});
        if (!all.empty()) index.files[0][0].seal = seals.front();
        disk::commit(folder, index);
    } catch (...) {
        disk::remove_generation(folder, index.generation);
        throw;
    }
    disk::remove_older(folder, index.generation, kept);
    return index.generation;
}

py::bytes unpack(std::string const& frame, std::uint64_t size) {
    auto const content = zstd_decompress(std::as_bytes(std::span(frame)), size);
    return {reinterpret_cast<char const*>(content.data()), content.size()};
}

std::vector<std::span<std::byte const>> spans_of(std::vector<Bytes> const& pieces, std::size_t most) {
    std::vector<std::span<std::byte const>> result;
    for (auto const& piece : pieces) {
        result.push_back(bytes_of(piece));
        expect(result.back().size() <= most, "no piece that is longer than what follows from it");
    }
    return result;
}

erasure::Code code_of(std::uint32_t data, std::uint32_t parity) {
    expect(data >= 1 && data <= 255 && parity <= 255 - data, "at least one piece of data, at most 255 pieces in all");
    return {data, parity};
}

std::vector<Bytes> encode(std::uint32_t data, std::uint32_t parity, std::vector<Bytes> const& pieces) {
    auto const code = code_of(data, parity);
    expect(pieces.size() == data, "as many pieces of data as the code has");
    std::size_t longest = 0;
    for (auto const& piece : pieces) longest = std::max(longest, static_cast<std::size_t>(piece.size()));
    std::vector<Bytes> parities;
    std::vector<std::span<std::byte>> rooms;
    for (std::uint32_t i = 0; i < parity; ++i) {
        parities.emplace_back(static_cast<py::ssize_t>(longest));
        rooms.push_back(room_in(parities.back()));
    }
    auto const sources = spans_of(pieces, longest);
    py::gil_scoped_release const release;
    code.encode(sources, rooms);
    return parities;
}

Bytes rebuild(std::uint32_t data, std::uint32_t parity, std::vector<std::uint32_t> numbers,
              std::vector<Bytes> const& pieces, std::uint32_t wanted, std::uint64_t size) {
    auto const code = code_of(data, parity);
    expect(pieces.size() == data && numbers.size() == data, "as many pieces as the code has of data");
    auto sorted = numbers;
    std::sort(sorted.begin(), sorted.end());
    expect(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() && sorted.back() < code.pieces() &&
               wanted < code.pieces(),
           "different pieces of the code");
    Bytes out(static_cast<py::ssize_t>(size));
    auto const room = room_in(out);
    auto const sources = spans_of(pieces, size);
    py::gil_scoped_release const release;
    code.rebuild(numbers, wanted).combine(sources, room);
    return out;
}

}  // namespace

void add_storage(py::module_& module) {
    using py::arg;
    py::class_<Archive>(module, "Archive")
        .def(py::init<std::string const&, std::uint64_t>(), arg("folder"), arg("generation"))
        .def_static("newest", &Archive::newest, arg("folder"))
        .def_property_readonly("generation", [](Archive const& self) { return self.index().generation; })
        .def_property_readonly("attributes",
                               [](Archive const& self) {
                                   auto const& bytes = self.index().attributes;
                                   return py::bytes(reinterpret_cast<char const*>(bytes.data()), bytes.size());
                               })
        .def_property_readonly("refused", &Archive::refused)
        .def_property_readonly("sizes", &Archive::sizes)
        .def("read", &Archive::read, arg("first"), arg("last"));
    module.def(
        "save_archive",
        [](std::string const& folder, Bytes const& blocks, Array<std::uint64_t> const& sizes,
           py::bytes const& attributes,
           std::uint64_t kept) { return save_archive(folder, blocks, sizes, attributes, kept); },
        arg("folder"), arg("blocks"), arg("sizes"), arg("attributes"), arg("kept"));
    module.def(
        "unpack", [](py::bytes const& frame, std::uint64_t size) { return unpack(frame, size); }, arg("frame"),
        arg("size"));
    module.def("encode", &encode, arg("data"), arg("parity"), arg("pieces"));
    module.def("rebuild", &rebuild, arg("data"), arg("parity"), arg("numbers"), arg("pieces"), arg("wanted"),
               arg("size"));
}

}  // namespace regraft::python
