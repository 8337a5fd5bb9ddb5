#include "codec/sparse/sparse.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "codec/content_hash.hpp"
#include "codec/first_error.hpp"
#include "codec/sparse/runs.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/format_bytes.hpp"

namespace regraft::codec {
namespace {

constexpr std::array<std::string_view, 4> alphabets{"ACGT", "acgt", "ACGU", "acgu"};

enum class RunOrder : std::uint8_t { tips = 0, rows = 1 };

[[noreturn]] void fail_damaged() {
    throw InputError("the file is cut off or damaged");
}

/// The order in which the runs of rows are coded.
std::vector<std::uint32_t> order_of(RunOrder kind, std::span<std::uint32_t const> row_of_tip) {
    std::vector<std::uint32_t> order(row_of_tip.begin(), row_of_tip.end());
    if (kind == RunOrder::rows) std::iota(order.begin(), order.end(), 0U);
    return order;
}

std::size_t num_run_blocks(std::size_t num_rows) {
    return (num_rows + runs_per_block - 1) / runs_per_block;
}

std::span<std::uint32_t const> rows_of_block(std::span<std::uint32_t const> order, std::size_t block) {
    auto const rest = order.subspan(block * runs_per_block);
    return rest.first(std::min<std::size_t>(rest.size(), runs_per_block));
}

/// Encodes each step-th block; the others stay empty.
std::vector<std::vector<std::byte>> encode_run_blocks(msa::DifferenceRows const& rows,
                                                      std::span<std::uint32_t const> order, std::size_t step = 1) {
    std::vector<std::vector<std::byte>> blocks(num_run_blocks(order.size()));
#pragma omp parallel for schedule(dynamic)
    for (std::size_t block = 0; block < blocks.size(); block += step)
        blocks[block] = encode_runs(rows, rows_of_block(order, block));
    return blocks;
}

/// The order with which runs take fewer bytes, in a sample of at most 4 blocks.
RunOrder best_run_order(msa::DifferenceRows const& rows, std::span<std::uint32_t const> row_of_tip) {
    constexpr std::size_t most_blocks = 4;
    auto const step = (num_run_blocks(row_of_tip.size()) + most_blocks - 1) / most_blocks;
    auto const size = [&](RunOrder kind) {
        std::size_t sum = 0;
        for (auto const& block : encode_run_blocks(rows, order_of(kind, row_of_tip), step)) sum += block.size();
        return sum;
    };
    return size(RunOrder::tips) <= size(RunOrder::rows) ? RunOrder::tips : RunOrder::rows;
}

std::vector<std::byte> encode_model(msa::DifferenceRows const& rows, RunOrder order) {
    FormatWriter out;
    std::string_view const letters(rows.letters.data(), rows.letters.size());
    out.fixed(static_cast<std::uint64_t>(std::ranges::find(alphabets, letters) - alphabets.begin()), 1);
    out.fixed(static_cast<std::uint64_t>(order), 1);
    for (std::size_t site = 0; site < rows.num_sites(); site += 4) {
        std::uint32_t four = 0;
        for (std::size_t i = 0; i < 4 && site + i < rows.num_sites(); ++i)
            four |= std::uint32_t{rows.reference[site + i]} << 2 * i;
        out.fixed(four, 1);
    }
    return out.take();
}

std::vector<std::uint32_t> rows_at_tips(msa::PlacementTree const& tree) {
    std::vector<std::uint32_t> rows;
    std::ranges::copy_if(tree.row, std::back_inserter(rows), [](auto row) { return row != msa::no_row; });
    return rows;
}

/// Throws InputError if a reader would refuse the blocks.
void check_limits(msa::DifferenceRows const& rows, msa::PlacementTree const& tree, std::span<std::uint32_t const> order,
                  Csr<std::byte> const& blocks) {
    bool fits = tree.changes.values.size() <= most_entries(blocks[0].size()) &&
                rows.differences.values.size() <= most_entries(blocks.values.size());
    for (std::size_t block = 1; block < blocks.size(); ++block) {
        std::size_t num_runs = 0;
        for (auto const row : rows_of_block(order, block - 1)) num_runs += rows.runs[row].size();
        fits = fits && num_runs <= most_entries(blocks[block].size());
    }
    if (!fits) throw InputError("the rows are so much alike that their compressed form might be a bomb");
}

}  // namespace

SparseParts encode_sparse(msa::DifferenceRows const& rows, msa::PlacementTree const& tree) {
    auto const skeleton = skeleton_of(tree);
    auto const row_of_tip = rows_at_tips(tree);
    auto const run_order = best_run_order(rows, row_of_tip);
    auto const order = order_of(run_order, row_of_tip);

    SparseParts parts;
    FormatWriter shape;
    shape.section(encode_skeleton(skeleton));
    shape.append(encode_rows(skeleton, row_of_tip));
    parts.tree = shape.take();
    parts.model = encode_model(rows, run_order);
    parts.blocks.push_row(encode_changes(skeleton, rows.reference, tree.changes));
    for (auto const& block : encode_run_blocks(rows, order)) parts.blocks.push_row(block);
    check_limits(rows, tree, order, parts.blocks);
    return parts;
}

std::vector<std::uint64_t> row_hashes(msa::DifferenceRows const& rows, std::uint64_t first, std::uint64_t last) {
    auto const reference = rows.reference_text();
    std::vector<std::uint64_t> hashes(last - first);
#pragma omp parallel
    {
        std::string cells;
#pragma omp for schedule(static)
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            cells = reference;
            rows.write_row(first + i, cells);
            hashes[i] = hash(std::as_bytes(std::span(cells)));
        }
    }
    return hashes;
}

std::uint64_t content_hash(msa::DifferenceRows const& rows) {
    return hash_of_content(rows.names, rows.num_sites(), row_hashes(rows, 0, rows.num_taxa()));
}

namespace {

/// The index of the first of some sorted items that fulfils a condition, which all later ones fulfil, too.
template <class Item, class Condition>
std::size_t index_of_first(std::span<Item const> items, Condition is_true) {
    auto const first = std::ranges::partition_point(items, [&](Item const& item) { return !is_true(item); });
    return static_cast<std::size_t>(first - items.begin());
}

}  // namespace

Csr<std::byte> plain_blocks(msa::DifferenceRows const& rows, std::uint32_t sites_per_block, std::uint64_t first_block,
                            std::uint64_t last_block) {
    Csr<std::byte> blocks;
    auto const reference = rows.reference_text();
    std::vector<std::size_t> differences_seen(rows.num_taxa());
    std::vector<std::size_t> runs_seen(rows.num_taxa());
    auto const first_site = first_block * sites_per_block;
    for (std::size_t row = 0; row < rows.num_taxa(); ++row) {
        differences_seen[row] =
            index_of_first(rows.differences[row], [&](auto const& x) { return x.site() >= first_site; });
        runs_seen[row] = index_of_first(rows.runs[row], [&](auto const& run) { return run.last() > first_site; });
    }
    for (auto block = first_block; block < last_block; ++block) {
        auto const first = block * sites_per_block;
        auto const last = std::min<std::uint64_t>(rows.num_sites(), first + sites_per_block);
        for (std::size_t row = 0; row < rows.num_taxa(); ++row) {
            auto cells = reference.substr(first, last - first);
            auto const differences = rows.differences[row];
            for (auto& i = differences_seen[row]; i < differences.size() && differences[i].site() < last; ++i)
                if (differences[i].site() >= first)
                    cells[differences[i].site() - first] = rows.letters[differences[i].letter()];
            auto const runs = rows.runs[row];
            auto& seen = runs_seen[row];
            while (seen < runs.size() && runs[seen].last() <= first) ++seen;
            for (auto i = seen; i < runs.size() && runs[i].first < last; ++i) {
                auto const begin = std::max<std::uint64_t>(first, runs[i].first) - first;
                auto const end = std::min<std::uint64_t>(last, runs[i].last()) - first;
                std::fill(cells.begin() + static_cast<std::ptrdiff_t>(begin),
                          cells.begin() + static_cast<std::ptrdiff_t>(end), runs[i].character);
            }
            auto const bytes = std::as_bytes(std::span(cells));
            blocks.values.insert(blocks.values.end(), bytes.begin(), bytes.end());
        }
        blocks.end_row();
    }
    return blocks;
}

SparseDecoder::SparseDecoder(std::span<std::byte const> tree, std::span<std::byte const> model, std::uint32_t num_taxa,
                             std::uint64_t num_sites) {
    FormatReader shape(tree);
    skeleton_ = decode_skeleton(shape.section(), num_taxa);
    row_of_tip_ = decode_rows(skeleton_, shape.rest(), num_taxa);

    FormatReader in(model);
    auto const alphabet = in.fixed(1);
    auto const order = in.fixed(1);
    if (alphabet >= alphabets.size() || order > 1 || num_sites == 0 || num_sites > msa::most_difference_sites)
        fail_damaged();
    std::ranges::copy(alphabets[alphabet], empty_.letters.begin());
    auto const reference = in.take((num_sites + 3) / 4);
    in.expect_end();
    empty_.reference.resize(num_sites);
    for (std::size_t site = 0; site < num_sites; ++site)
        empty_.reference[site] = std::to_integer<std::uint8_t>(reference[site / 4] >> 2 * (site % 4)) & 3;
    if (num_sites % 4 != 0 && std::to_integer<std::uint32_t>(reference.back()) >> 2 * (num_sites % 4) != 0)
        fail_damaged();
    order_ = order_of(static_cast<RunOrder>(order), row_of_tip_);
}

std::uint64_t SparseDecoder::num_blocks() const {
    return 1 + num_run_blocks(order_.size());
}

msa::PlacementTree SparseDecoder::tree(std::span<std::byte const> first_block) const {
    msa::PlacementTree tree;
    tree.parent = skeleton_.parent;
    tree.changes = decode_changes(skeleton_, empty_.reference, first_block, most_entries(first_block.size()));
    auto next = row_of_tip_.begin();
    for (auto const kind : skeleton_.kind) tree.row.push_back(kind == NodeKind::inner ? msa::no_row : *next++);
    return tree;
}

Csr<msa::CharacterRun> SparseDecoder::runs_of_block(std::uint64_t block, std::span<std::byte const> bytes,
                                                    std::size_t wanted) const {
    auto const num_rows = rows_of_block(order_, block - 1).size();
    return decode_runs(empty_, bytes, num_rows, most_entries(bytes.size()), std::min(wanted, num_rows));
}

Csr<msa::CharacterRun> SparseDecoder::runs(CsrView<std::byte> blocks) const {
    std::vector<Csr<msa::CharacterRun>> decoded(blocks.size() - 1);
    FirstError error;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t block = 0; block < decoded.size(); ++block)
        error.run(block, [&] { decoded[block] = runs_of_block(block + 1, blocks[block + 1]); });
    error.rethrow();
    std::vector<std::uint32_t> place(order_.size());  // per row, where it is in the order
    for (std::uint32_t i = 0; i < order_.size(); ++i) place[order_[i]] = i;
    Csr<msa::CharacterRun> runs;
    for (auto const i : place) runs.push_row(decoded[i / runs_per_block][i % runs_per_block]);
    return runs;
}

msa::DifferenceRows SparseDecoder::rows(std::vector<std::string> names, CsrView<std::byte> blocks) const {
    auto rows = empty_;
    rows.names = std::move(names);
    rows.runs = runs(blocks);
    rows.differences =
        msa::differences_of(tree(blocks[0]), rows.reference, rows.runs, most_entries(blocks.values.size()));
    return rows;
}

msa::DifferenceRows SparseDecoder::rows(std::vector<std::string> names, std::span<std::size_t const> chosen,
                                        ReadBlock const& read) const {
    auto rows = empty_;
    rows.names = std::move(names);
    auto const all_changes = tree(read(0));
    std::unordered_map<std::size_t, std::uint32_t> tip_of;
    for (auto const row : chosen) tip_of.emplace(row, 0);
    for (std::uint32_t node = 0; node < all_changes.num_nodes(); ++node)
        if (auto const found = tip_of.find(all_changes.row[node]); found != tip_of.end()) found->second = node;
    std::unordered_map<std::size_t, std::size_t> place_of;   // where its runs are
    std::unordered_map<std::size_t, std::size_t> wanted_of;  // per block, how many of its first rows
    for (std::size_t i = 0; i < order_.size(); ++i) {
        if (!tip_of.contains(order_[i])) continue;
        place_of.emplace(order_[i], i);
        wanted_of[i / runs_per_block] = i % runs_per_block + 1;
    }

    std::unordered_map<std::size_t, Csr<msa::CharacterRun>> decoded;
    for (auto const row : chosen) {
        auto const place = place_of.at(row);
        auto const block = place / runs_per_block;
        if (!decoded.contains(block))
            decoded.emplace(block, runs_of_block(block + 1, read(block + 1), wanted_of.at(block)));
        rows.runs.push_row(decoded.at(block)[place % runs_per_block]);
        for (auto const& letter :
             msa::letters_at(all_changes, tip_of.at(row), rows.reference, rows.runs[rows.runs.size() - 1]))
            rows.differences.push_value(letter);
        rows.differences.end_row();
    }
    return rows;
}

}  // namespace regraft::codec
