// Alignments: read, compressed, and read again by site.
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "regraft/codec/guide_tree.hpp"
#include "regraft/codec/pack.hpp"
#include "regraft/codec/rgm.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/difference_rows.hpp"

namespace regraft::python {
namespace {

enum class Major { columns, rows };

/// A list of characters that takes over the values, without a copy.
py::array characters_of(std::vector<char> values) {
    auto owner = std::make_unique<std::vector<char>>(std::move(values));
    auto* const data = owner->data();
    auto const size = owner->size();
    py::capsule const capsule(owner.release(), [](void* p) { delete static_cast<std::vector<char>*>(p); });
    return {py::dtype("S1"), {size}, {std::size_t{1}}, data, capsule};
}

/// The same as a matrix.
py::array matrix_of(std::vector<char> cells, std::size_t rows, std::size_t columns) {
    return characters_of(std::move(cells)).reshape({rows, columns});
}

py::tuple parse(py::bytes const& text, std::string const& file) {
    std::string_view const view = text;
    msa::Alignment alignment;
    {
        py::gil_scoped_release const release;
        alignment = msa::parse_alignment(view, file);
    }
    auto const taxa = alignment.num_taxa();
    auto const sites = alignment.num_sites();
    return py::make_tuple(std::move(alignment.names), matrix_of(std::move(alignment.cells), taxa, sites));
}

std::unique_ptr<codec::ByteSource> in_memory(std::string_view bytes, std::string const& name) {
    auto const all = std::as_bytes(std::span(bytes));
    return codec::bytes_in_memory({all.begin(), all.end()}, name);
}

py::bytes compress(py::bytes const& text, std::string const& file, std::uint32_t level,
                   std::optional<std::string> const& tree) {
    expect(codec::fastest_level <= level && level <= codec::best_level, "a level from 1 to 9");
    std::string_view const view = text;
    codec::PackOptions options{.level = level};
    if (tree) {
        options.tree = [&](msa::Alignment const& alignment) {
            return codec::guide_tree_from_newick(*tree, "tree", alignment.names);
        };
    }
    std::string bytes;
    bool same = false;
    {
        py::gil_scoped_release const release;
        bytes = codec::pack(view, file, options).bytes;
        same = codec::RgmFile(in_memory(bytes, file)).text() == view;
    }
    if (!same) throw std::runtime_error(file + " does not come back from its compressed form");
    return bytes;
}

/// An .rgm file that several threads may ask.
class RgmFile {
public:
    explicit RgmFile(std::unique_ptr<codec::ByteSource> source) : file_(std::move(source)) {}

    std::vector<std::string> names() const { return {file_.names().begin(), file_.names().end()}; }
    std::uint64_t num_taxa() const { return file_.num_taxa(); }
    std::uint64_t num_sites() const { return file_.num_sites(); }
    std::uint64_t bytes_read() const { return file_.bytes_read(); }
    std::string kind() const {
        constexpr std::array names{"plain", "native", "thesis", "sparse"};
        return names.at(static_cast<std::size_t>(file_.kind()));
    }
    std::string newick() const {
        return locked([&] { return file_.newick(); });
    }

    /// Names, letters and reference, then differences and runs of rows: offsets, sites and letters; offsets, first
    /// sites, sizes and characters.
    py::tuple differences(std::optional<std::vector<std::size_t>> const& chosen) const {
        expect(file_.kind() == codec::Kind::sparse, "a file of kind sparse, which has differences");
        for (auto const row : chosen.value_or(std::vector<std::size_t>()))
            expect(row < num_taxa(), "rows of the alignment");
        msa::DifferenceRows rows;
        {
            py::gil_scoped_release const release;
            std::lock_guard const lock(mutex_);
            rows = chosen ? file_.differences(*chosen) : file_.differences();
        }
        auto const& runs = rows.runs.values;
        auto const first = collect<std::uint32_t>(runs, [](auto const& run) { return run.first; });
        auto const size = collect<std::uint32_t>(runs, [](auto const& run) { return run.size; });
        auto const& differences = rows.differences.values;
        auto const sites = collect<std::uint32_t>(differences, [](auto const& change) { return change.site(); });
        auto const reference = rows.reference_text();
        return py::make_tuple(
            std::move(rows.names), characters_of({reference.begin(), reference.end()}),
            array_of(std::move(rows.differences.offsets)), sites,
            characters_of(collect_all<char>(differences, [&](auto const& x) { return rows.letters[x.letter()]; })),
            array_of(std::move(rows.runs.offsets)), first, size,
            characters_of(collect_all<char>(runs, [](auto const& run) { return run.character; })));
    }

    py::array read(std::uint64_t first, std::uint64_t last, Major major) const {
        expect(first <= last && last <= num_sites(), "sites within those of the alignment");
        auto const taxa = static_cast<std::size_t>(num_taxa());
        auto const sites = static_cast<std::size_t>(last - first);
        auto const shape = major == Major::rows ? std::array{taxa, sites} : std::array{sites, taxa};
        py::array out(py::dtype("S1"), shape);
        auto* const cells = static_cast<char*>(out.mutable_data());
        py::gil_scoped_release const release;
        std::lock_guard const lock(mutex_);
        SiteRange const wanted{SiteId{first}, SiteId{last}};
        if (sites > 0)
            file_.read(wanted).decode(
                wanted, major == Major::rows ? codec::CellGrid{cells, sites, 1} : codec::CellGrid{cells, 1, taxa});
        return out;
    }
    py::bytes text() const {
        return locked([&] { return file_.text(); });
    }
    void verify() const {
        locked([&] { return file_.verify(), std::string(); });
    }

private:
    template <class Work>
    std::string locked(Work work) const {
        py::gil_scoped_release const release;
        std::lock_guard const lock(mutex_);
        return work();
    }
    /// A member of each item.
    template <class Member, class Items, class Get>
    static std::vector<Member> collect_all(Items const& items, Get get) {
        std::vector<Member> members;
        members.reserve(items.size());
        for (auto const& item : items) members.push_back(get(item));
        return members;
    }
    template <class Member, class Items, class Get>
    static Array<Member> collect(Items const& items, Get get) {
        return array_of(collect_all<Member>(items, get));
    }

    mutable std::mutex mutex_;
    codec::RgmFile file_;
};

}  // namespace

void add_msa(py::module_& module) {
    using py::arg;
    module.def("parse", &parse, arg("text"), arg("file"));
    module.def("compress", &compress, arg("text"), arg("file"), arg("level"), arg("tree"));
    py::class_<RgmFile>(module, "RgmFile")
        .def(py::init([](std::string const& path) { return std::make_unique<RgmFile>(codec::open_bytes(path)); }),
             arg("path"))
        .def_static(
            "from_bytes",
            [](py::bytes const& bytes, std::string const& name) {
                return std::make_unique<RgmFile>(in_memory(bytes, name));
            },
            arg("data"), arg("name"))
        .def_property_readonly("names", &RgmFile::names)
        .def_property_readonly("num_taxa", &RgmFile::num_taxa)
        .def_property_readonly("num_sites", &RgmFile::num_sites)
        .def_property_readonly("bytes_read", &RgmFile::bytes_read)
        .def_property_readonly("kind", &RgmFile::kind)
        .def("newick", &RgmFile::newick)
        .def("differences", &RgmFile::differences, arg("rows"))
        .def(
            "columns",
            [](RgmFile const& self, std::uint64_t first, std::uint64_t last) {
                return self.read(first, last, Major::columns);
            },
            arg("first"), arg("last"))
        .def(
            "rows",
            [](RgmFile const& self, std::uint64_t first, std::uint64_t last) {
                return self.read(first, last, Major::rows);
            },
            arg("first"), arg("last"))
        .def("text", &RgmFile::text)
        .def("verify", &RgmFile::verify);
}

}  // namespace regraft::python
