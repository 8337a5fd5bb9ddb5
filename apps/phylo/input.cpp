#include "input.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/newick.hpp"
#include "regraft/msa/parsimony.hpp"
#include "regraft/msa/partition.hpp"

namespace regraft::phylo {
namespace {

/// The share of sites of a partition that may have one state everywhere.
double invariant_share(msa::Patterns const& patterns, std::size_t partition) {
    auto const alphabet = patterns.alphabet[partition];
    std::uint64_t constant = 0;
    std::uint64_t all = 0;
    for (auto i = patterns.partition_begin[partition]; i < patterns.partition_begin[partition + 1]; ++i) {
        auto states = msa::undetermined(alphabet);
        for (auto const symbol : patterns.column(i)) states &= msa::state_mask(alphabet, symbol);
        all += patterns.weight[i];
        if (states != 0) constant += patterns.weight[i];
    }
    return static_cast<double>(constant) / static_cast<double>(all);
}

std::uint64_t content_hash(Dataset const& dataset, msa::Patterns const& patterns) {
    ByteWriter out;
    for (auto const& taxon : dataset.taxa) out.put_text(taxon);
    for (auto const& spec : dataset.specs) out.put_text(spec.text);
    out.put_all(std::span(patterns.partition_begin));
    out.put_all(std::span(patterns.weight));
    out.put(hash(std::as_bytes(std::span(patterns.columns))));
    return hash(out.bytes());
}

struct Block {
    std::uint32_t weight = 0;
    std::span<std::byte const> column;
};

Block read_block(std::span<std::byte const> bytes) {
    Block block;
    std::memcpy(&block.weight, bytes.data(), sizeof block.weight);
    block.column = bytes.subspan(sizeof block.weight);
    return block;
}

}  // namespace

std::uint64_t Dataset::num_sites() const {
    return std::accumulate(sites_per_partition.begin(), sites_per_partition.end(), std::uint64_t{0});
}

std::vector<std::size_t> Dataset::automatic() const {
    std::vector<std::size_t> result;
    for (std::size_t q = 0; q < partitions.size(); ++q) {
        if (is_automatic(partitions[q])) result.push_back(q);
    }
    return result;
}

Input to_input(CheckedInput const& checked) {
    auto const& alignment = checked.alignment;
    if (!checked.can_be_searched()) {
        auto const& [severity, check, text, where] = checked.findings[0];
        throw InputError(where.file.empty() ? TextPosition{alignment.file} : where, text);
    }
    Dataset dataset;
    dataset.taxa = alignment.names;
    dataset.specs = checked.specs;
    dataset.partitions = checked.partitions;
    for (auto const& finding : checked.findings) {
        if (finding.severity == msa::Severity::warning) dataset.warnings.push_back(finding.text);
    }
    std::vector<msa::PartitionSites> partitions;
    for (std::size_t q = 0; q < checked.partitions.size(); ++q) {
        partitions.push_back({dataset.specs[q].alphabet, msa::sites_of(checked.partitions[q])});
        dataset.sites_per_partition.push_back(partitions.back().sites.size());
    }
    auto patterns = msa::compress_patterns(alignment, partitions);
    dataset.partition_begin = patterns.partition_begin;
    for (std::size_t q = 0; q < dataset.specs.size(); ++q) {
        auto const& spec = dataset.specs[q];
        dataset.counted.push_back({msa::empirical_frequencies(msa::count_states(patterns, q), spec.num_states()),
                                   invariant_share(patterns, q)});
    }
    dataset.content_hash = content_hash(dataset, patterns);
    return {std::move(dataset), std::move(patterns)};
}

Input read_input(Options const& options) {
    return to_input(check_input(options));
}

std::vector<std::uint32_t> taxa_of(std::vector<std::string> const& names, Dataset const& dataset) {
    std::set<std::uint32_t> numbers;
    for (auto const& name : names) {
        auto const found = std::ranges::find(dataset.taxa, name);
        if (found == dataset.taxa.end()) {
            throw InputError("--outgroup: '" + name + "' is not in the alignment, expected names of taxa, such as " +
                             dataset.taxa.front());
        }
        numbers.insert(checked_cast<std::uint32_t>(found - dataset.taxa.begin()));
    }
    if (numbers.size() == dataset.taxa.size()) throw InputError("--outgroup: has all taxa, expected some of them");
    return {numbers.begin(), numbers.end()};
}

std::vector<msa::Tree> read_user_trees(Options const& options, Dataset const& dataset) {
    if (options.tree.empty()) return {};
    if (options.command == Command::search) return msa::read_newick_trees(options.tree, dataset.taxa);
    return {msa::read_newick(options.tree, dataset.taxa)};
}

std::vector<Start> starts_of(Options const& options, std::size_t num_user_trees) {
    std::vector<Start> starts;
    for (std::uint32_t i = 0; i < num_user_trees; ++i) starts.push_back({Start::Kind::user, i});
    auto const* const automatic = num_user_trees == 0 ? "pars{1}" : "";
    std::string const by_rule = options.starts.empty() ? automatic : options.starts;
    if (!by_rule.empty()) std::ranges::copy(parse_starts(by_rule), std::back_inserter(starts));
    return starts;
}

msa::Tree start_tree(Start start, std::uint64_t seed, msa::Patterns const& patterns,
                     std::span<msa::Tree const> user_trees) {
    switch (start.kind) {
        case Start::Kind::user:
            return user_trees[start.number];
        case Start::Kind::parsimony:
            return msa::stepwise_addition(patterns, seed);
        case Start::Kind::random:
            return msa::random_tree(patterns.num_taxa, seed);
    }
    REGRAFT_EXPECTS(!"a kind of start");
}

msa::Tree with_length_sets(msa::Tree tree, BranchLinkage linkage, std::size_t num_partitions) {
    if (linkage != BranchLinkage::unlinked) return tree;
    return tree.with_length_sets(checked_cast<std::uint32_t>(num_partitions));
}

std::vector<std::byte> to_blocks(msa::Patterns const& patterns, std::span<BlockRange const> ranges) {
    std::vector<std::byte> blocks;
    auto const append = [&](auto const& bytes) { blocks.insert(blocks.end(), bytes.begin(), bytes.end()); };
    for (auto const& range : ranges) {
        for (auto id = range.first; id < range.last; id = advance(id, 1)) {
            append(std::as_bytes(std::span(&patterns.weight[value(id)], 1)));
            append(std::as_bytes(patterns.column(value(id))));
        }
    }
    return blocks;
}

msa::Patterns to_patterns(Dataset const& dataset, std::span<std::byte const> blocks) {
    msa::Patterns patterns;
    patterns.num_taxa = checked_cast<std::uint32_t>(dataset.taxa.size());
    for (auto const& spec : dataset.specs) patterns.alphabet.push_back(spec.alphabet);
    patterns.partition_begin = dataset.partition_begin;
    patterns.columns.reserve(dataset.num_patterns() * dataset.taxa.size());
    for (; !blocks.empty(); blocks = blocks.subspan(dataset.block_bytes())) {
        auto const [weight, column] = read_block(blocks.first(dataset.block_bytes()));
        patterns.weight.push_back(weight);
        for (auto const symbol : column) patterns.columns.push_back(std::to_integer<char>(symbol));
    }
    return patterns;
}

std::vector<BlockRange> blocks_of(std::span<assign::Work const> work) {
    std::vector<BlockRange> ranges;
    for (auto const& piece : work)
        ranges.push_back({BlockId{value(piece.sites.first)}, BlockId{value(piece.sites.last)}});
    return ranges;
}

std::vector<likelihood::Sites> to_local_sites(Dataset const& dataset, std::span<assign::Work const> work,
                                              std::span<std::byte const> blocks,
                                              std::span<std::uint32_t const> weights) {
    std::vector<likelihood::Sites> result(dataset.specs.size());
    for (std::size_t q = 0; q < result.size(); ++q) {
        result[q].rows.resize(dataset.taxa.size());
        result[q].ascertainment = dataset.specs[q].ascertainment;
    }
    for (auto const& piece : work) {
        auto const q = value(piece.partition);
        auto& sites = result[q];
        // What was left out counts where the partition begins.
        if (!piece.sites.empty() && value(piece.sites.first) == dataset.partition_begin[q])
            sites.left_out = dataset.specs[q].left_out;
        for (std::uint64_t i = 0; i < piece.sites.size(); ++i) {
            auto const [counted, column] = read_block(blocks.first(dataset.block_bytes()));
            blocks = blocks.subspan(dataset.block_bytes());
            auto const weight = weights.empty() ? counted : weights[value(piece.sites.first) + i];
            if (weight == 0) continue;
            sites.weights.push_back(weight);
            for (std::size_t t = 0; t < column.size(); ++t) sites.rows[t].push_back(std::to_integer<char>(column[t]));
        }
    }
    return result;
}

}  // namespace regraft::phylo
