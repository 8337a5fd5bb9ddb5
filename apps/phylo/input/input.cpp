#include "input/input.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/newick.hpp"
#include "regraft/msa/parsimony.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/msa/splits.hpp"

namespace regraft::phylo {
namespace {

/// The fraction of sites of a partition that may have one state everywhere.
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

std::vector<std::uint32_t> taxa_of(std::vector<std::string> const& names, Dataset const& dataset,
                                   std::string const& source) {
    std::map<std::string_view, std::uint32_t> numbers;
    for (auto const& taxon : dataset.taxa) numbers.emplace(taxon, checked_cast<std::uint32_t>(numbers.size()));
    std::vector<std::uint32_t> result;
    for (auto const& name : names) {
        auto const found = numbers.find(name);
        if (found == numbers.end()) {
            throw InputError(source + ": '" + name + "' is not in the alignment, expected names of taxa, such as " +
                             dataset.taxa.front());
        }
        result.push_back(found->second);
    }
    return result;
}

std::vector<std::uint32_t> outgroup_of(Options const& options, Dataset const& dataset) {
    auto taxa = taxa_of(options.outgroup, dataset, "--outgroup");
    std::ranges::sort(taxa);
    taxa.erase(std::unique(taxa.begin(), taxa.end()), taxa.end());
    if (taxa.size() == dataset.taxa.size()) throw InputError("--outgroup: has all taxa, expected some of them");
    return taxa;
}

std::vector<msa::Tree> read_user_trees(Options const& options, Dataset const& dataset) {
    if (options.tree.empty()) return {};
    if (options.command == Command::search) return msa::read_newick_trees(options.tree, dataset.taxa);
    return {msa::read_newick(options.tree, dataset.taxa)};
}

std::optional<Constraint> read_constraint(Options const& options, Dataset const& dataset) {
    if (options.constraint.empty()) return std::nullopt;
    auto const file = options.constraint.string();
    auto const [names, trees] = msa::read_named_trees(options.constraint);
    if (trees.size() != 1) throw InputError({file}, "has " + std::to_string(trees.size()) + " trees, expected one");
    auto numbers = taxa_of(names, dataset, file);
    std::vector<std::vector<std::uint32_t>> groups;
    msa::TreeSplits const splits(trees.front());
    for (std::size_t i = 0; i < splits.size(); ++i) {
        auto& group = groups.emplace_back(splits[i].begin(), splits[i].end());
        std::ranges::sort(group);
        for (auto& taxon : group) taxon = numbers[taxon];
    }
    return Constraint(checked_cast<std::uint32_t>(dataset.taxa.size()), std::move(numbers), std::move(groups));
}

void check_user_trees(Options const& options, std::span<msa::Tree const> trees, Constraint const& constraint) {
    for (std::size_t i = 0; i < trees.size(); ++i) {
        if (constraint.allows(trees[i])) continue;
        throw InputError({options.tree.string()}, "tree " + std::to_string(i + 1) + " lacks a split of " +
                                                      options.constraint.string() + ", expected that it has all");
    }
}

std::vector<Start> starts_of(Options const& options, std::size_t num_user_trees, std::size_t num_taxa) {
    std::vector<Start> starts;
    for (std::uint32_t i = 0; i < num_user_trees; ++i) starts.push_back({Start::Kind::user, i});
    if (options.starts == "tree" && num_user_trees == 0) {
        throw InputError("--starts tree: there is no tree, expected --tree FILE");
    }
    if (options.command != Command::search || options.starts == "tree") return starts;
    if (!options.starts.empty()) {
        std::ranges::copy(parse_starts(options.starts), std::back_inserter(starts));
    } else {
        auto const enough = default_starts(options.effort, checked_cast<std::uint32_t>(num_taxa));
        for (std::uint32_t i = 0; starts.size() < enough; ++i) starts.push_back({Start::Kind::parsimony, i});
    }
    return starts;
}

msa::Tree start_tree(Start start, std::uint64_t seed, msa::Patterns const& patterns,
                     std::span<msa::Tree const> user_trees, Constraint const* constraint) {
    if (constraint != nullptr && start.kind != Start::Kind::user) return constraint->random_tree(seed);
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
        // Sites that were left out count where the partition begins.
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
