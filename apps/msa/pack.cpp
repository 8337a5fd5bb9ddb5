#include "pack.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <utility>

#include "common/input.hpp"
#include "common/text_input.hpp"
#include "regraft/codec/guide_tree.hpp"
#include "regraft/codec/rgm.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

/// Unpacks what is packed. Throws std::logic_error unless it is what is expected.
void check(std::string_view packed, std::string const& name,
           std::function<bool(codec::RgmFile const&)> const& is_expected) {
    auto const bytes = std::as_bytes(std::span(packed));
    std::string problem;
    try {
        codec::RgmFile const file(codec::bytes_in_memory({bytes.begin(), bytes.end()}, name));
        if (is_expected(file)) return;
        problem = "it differs";
    } catch (InputError const& error) {
        problem = error.what();
    }
    throw std::logic_error(name + " does not come back from its compressed form: " + problem +
                           "; nothing is written. Please report this, with the file if you can");
}

}  // namespace

codec::PackOptions pack_options(CompressOptions const& options) {
    codec::PackOptions result{
        .level = options.level, .kind = options.kind, .sites_per_block = options.sites_per_block, .seed = options.seed};
    if (!options.tree.empty()) {
        result.tree = [file = options.tree](msa::Alignment const& alignment) {
            return codec::guide_tree_from_newick(read_unpacked(file), shown_input(file), alignment.names);
        };
    }
    if (!options.partitions.empty()) {
        result.partitions = [file = options.partitions](msa::Alignment const& alignment) {
            return msa::parse_partitions(read_unpacked(file), shown_input(file), alignment.num_sites());
        };
    } else if (!options.stored.empty()) {
        result.partitions = [stored = options.stored](auto const&) { return stored; };
    }
    return result;
}

codec::Packed pack(Source source, std::string const& name, CompressOptions const& options, Progress& progress) {
    auto how = pack_options(options);
    how.begins = [&](std::string_view what, double begin, double end) {
        auto const percent = [](double part) { return static_cast<int>(20 + 70 * part); };
        progress.phase(what, percent(begin), percent(end));
    };
    how.reached = [&](double part) { progress.reached(part); };
    auto const result = codec::pack({.text = source.text, .rows = std::move(source.rows)}, name, how);
    if (options.verify) {
        progress.phase("checking", 90, 98);
        if (source.text) {
            source.hashes = {};
            source.hashes.add(*source.text);
        }
        check(result.bytes, name, [&](codec::RgmFile const& file) {
            TextHashes found;
            file.write_text([&](std::string_view piece) { found.add(piece); });
            return found == source.hashes;
        });
    }
    return result;
}

std::string packed_rows(msa::DifferenceText const& rows, msa::PlacementTree const& tree, std::string const& name,
                        bool verify) {
    std::string bytes;
    try {
        codec::write_rgm(rows, tree, [&](std::span<std::byte const> piece) {
            bytes.append(reinterpret_cast<char const*>(piece.data()), piece.size());
        });
    } catch (InputError const& error) {
        throw InputError({name}, error.what());
    }
    if (verify) {
        check(bytes, name, [&](codec::RgmFile const& file) {
            return file.extras().layout == rows.layout && file.differences() == rows.rows;
        });
    }
    return bytes;
}

}  // namespace regraft::msa_cli
