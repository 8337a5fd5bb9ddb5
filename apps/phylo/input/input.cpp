#include "input/input.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "input/constant_sites.hpp"
#include "input/site_weights.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/msa/splits.hpp"
#include "regraft/search/optimise.hpp"
#include "regraft/search/topology.hpp"

namespace regraft::phylo {
namespace {

CountedData counted_in(msa::Patterns const& patterns, std::size_t partition) {
    auto const alphabet = patterns.alphabet[partition];
    std::uint64_t constant = 0;
    std::uint64_t all = 0;
    for (auto i = patterns.partition_begin[partition]; i < patterns.partition_begin[partition + 1]; ++i) {
        auto states = msa::undetermined(alphabet);
        for (auto const symbol : patterns.column(i)) states &= msa::state_mask(alphabet, symbol, patterns.sets);
        all += patterns.weight[i];
        if (states != 0) constant += patterns.weight[i];
    }
    return counted_from(msa::count_states(patterns, partition), constant, all, alphabet.num_states);
}

/// Lets patterns have the weights of their sites. Some may have none.
void weigh(msa::Patterns& patterns, std::span<std::uint32_t const> site_weights) {
    std::ranges::fill(patterns.weight, 0);
    for (std::size_t site = 0; site < site_weights.size(); ++site) {
        if (site_weights[site] > 0) patterns.weight[patterns.pattern_of_site[site]] += site_weights[site];
    }
}

/// The sites whose patterns are needed. Those of weight 0 are the last, so that they change no number of the others.
std::vector<std::uint64_t> needed_sites(CheckedInput const& checked, std::size_t q) {
    auto sites = sites_with_weight(checked.partitions[q], checked.site_weights);
    if (checked.site_weights.empty() || !checked.shows_sites) return sites;
    for (auto const site : msa::sites_of(checked.partitions[q])) {
        if (checked.site_weights[site] == 0) sites.push_back(site);
    }
    return sites;
}

}  // namespace

std::uint64_t content_hash(Dataset const& dataset, std::span<Digest const> digests) {
    ByteWriter out;
    for (auto const& taxon : dataset.taxa) out.put_text(taxon);
    for (auto const& spec : dataset.specs) out.put_text(spec.text);
    out.put_all(std::span(dataset.partition_begin));
    out.put_all(std::span(dataset.weights));
    if (!dataset.site_frequencies.empty()) out.put_all(std::span(dataset.site_frequencies));
    if (!dataset.sets.are_usual()) out.put_all(std::span(dataset.sets.sets()));
    out.put_all(digests);
    return hash(out.bytes());
}

std::uint64_t Dataset::num_sites() const {
    return std::accumulate(sites_per_partition.begin(), sites_per_partition.end(), std::uint64_t{0});
}

std::uint64_t Dataset::num_weighted_patterns(std::size_t partition) const {
    auto const mine = std::span(weights).subspan(partition_begin[partition],
                                                 partition_begin[partition + 1] - partition_begin[partition]);
    return mine.size() - static_cast<std::size_t>(std::ranges::count(mine, 0U));
}

std::uint64_t Dataset::num_weighted_patterns() const {
    return weights.size() - static_cast<std::size_t>(std::ranges::count(weights, 0U));
}

std::size_t Dataset::partition_of(std::uint64_t pattern) const {
    auto const after = std::ranges::upper_bound(partition_begin, pattern);
    return static_cast<std::size_t>(after - partition_begin.begin()) - 1;
}

std::vector<std::size_t> Dataset::automatic() const {
    std::vector<std::size_t> result;
    for (std::size_t q = 0; q < partitions.size(); ++q) {
        if (is_automatic(partitions[q])) result.push_back(q);
    }
    return result;
}

Dataset begin_dataset(CheckedInput const& checked) {
    auto const& alignment = checked.alignment;
    if (!checked.can_be_searched()) {
        auto const& [severity, check, text, where] = checked.findings[0];
        throw InputError(where.file.empty() ? TextPosition{alignment.file} : where, text);
    }
    Dataset dataset;
    dataset.taxa = alignment.names;
    dataset.sets = alignment.sets;
    dataset.specs = checked.specs;
    dataset.partitions = checked.partitions;
    for (auto& partition : dataset.partitions) take_constant_sites_out(checked, partition);
    dataset.origin_of_sites = checked.origin_of_sites;
    dataset.candidates = checked.candidates;
    for (auto const& finding : checked.findings) {
        if (finding.severity == msa::Severity::warning) dataset.warnings.push_back(finding.text);
    }
    for (auto const& partition : checked.partitions)
        dataset.sites_per_partition.push_back(weight_of(partition, checked.site_weights));
    return dataset;
}

Input to_input(CheckedInput const& checked) {
    auto dataset = begin_dataset(checked);
    std::vector<msa::PartitionSites> partitions;
    for (std::size_t q = 0; q < checked.partitions.size(); ++q)
        partitions.push_back({dataset.specs[q].alphabet, needed_sites(checked, q)});
    auto patterns = msa::compress_patterns(checked.alignment, partitions);
    if (!checked.site_weights.empty()) weigh(patterns, checked.site_weights);
    dataset.partition_begin = patterns.partition_begin;
    dataset.weights = patterns.weight;
    if (!checked.site_frequencies.values.empty())
        dataset.site_frequencies = frequencies_of_patterns(checked.site_frequencies, patterns);
    for (std::size_t q = 0; q < dataset.specs.size(); ++q) dataset.counted.push_back(counted_in(patterns, q));
    std::vector<Digest> digests;
    for (std::size_t i = 0; i < patterns.num_patterns(); ++i)
        digests.push_back(digest(std::as_bytes(patterns.column(i))));
    dataset.content_hash = content_hash(dataset, digests);
    patterns.pattern_of_site.resize(checked.num_columns);
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
    auto taxa = taxa_of(options.output.outgroup, dataset, "--outgroup");
    std::ranges::sort(taxa);
    taxa.erase(std::unique(taxa.begin(), taxa.end()), taxa.end());
    if (taxa.size() == dataset.taxa.size()) throw InputError("--outgroup: has all taxa, expected some of them");
    return taxa;
}

msa::ReadTrees read_user_trees(Options const& options, Dataset const& dataset) {
    if (options.input.tree.empty()) return {};
    msa::NewickOptions const how{.multifurcations = msa::Multifurcations::at_random,
                                 .seed = mix(options.search.seed),
                                 .limits = msa::LengthLimits{min_branch_length, max_branch_length}};
    bool const takes_one = options.command == Command::loglh || options.command == Command::merge;
    return msa::read_trees(options.input.tree, dataset.taxa, how,
                           takes_one ? msa::TreeCount::one : msa::TreeCount::any);
}

std::vector<std::string> unite_equal_trees(std::vector<msa::Tree>& trees, Options const& options) {
    std::vector<std::string> warnings;
    std::map<std::uint64_t, std::size_t> first_of;
    for (std::size_t i = 0; i < trees.size(); ++i) {
        auto const first = first_of.try_emplace(fingerprint(trees[i]), i).first->second;
        if (first == i) continue;
        trees[i] = trees[first];
        warnings.push_back(fmt::format("{}: tree {} has the topology of tree {}, so it has the same result",
                                       options.input.tree.string(), i + 1, first + 1));
    }
    return warnings;
}

std::vector<std::string> warnings_of(msa::ReadTrees const& read, Options const& options) {
    auto const file = options.input.tree.string();
    std::vector<std::string> warnings;
    if (options.command == Command::test && read.trees.size() == 1)
        warnings.push_back(file + ": has one tree, and tests compare it with others; expected several trees");
    if (auto const count = read.num_resolved; count > 0) {
        warnings.push_back(fmt::format("{}: {} with more than two children, resolved at random by --seed {}", file,
                                       count == 1 ? "1 node" : fmt::format("{} nodes", count), options.search.seed));
    }
    if (auto const count = read.num_limited; count > 0) {
        warnings.push_back(fmt::format("{}: {} beyond the limits, {} to {}, set to the nearer one", file,
                                       count == 1 ? "1 branch length" : fmt::format("{} branch lengths", count),
                                       min_branch_length, max_branch_length));
    }
    std::uint64_t num_edges = 0;
    for (auto const& tree : read.trees) num_edges += tree.num_edges();
    // If lengths are optimised, a tree without any is nothing to warn of: they are not meant to be known.
    bool const stays = options.command == Command::loglh;
    if (auto const count = read.num_missing; count > 0 && (stays || count < num_edges)) {
        warnings.push_back(fmt::format("{}: {} without a length, {} at {}", file,
                                       count == 1 ? "1 branch" : fmt::format("{} branches", count),
                                       stays ? "taken" : "started", msa::Tree::default_length));
    }
    return warnings;
}

std::optional<Constraint> read_constraint(Options const& options, Dataset const& dataset) {
    if (options.input.constraint.empty()) return std::nullopt;
    auto const file = options.input.constraint.string();
    auto const [names, trees] = msa::read_named_trees(options.input.constraint);
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

void check_user_trees(Options const& options, msa::ReadTrees const& read, Constraint const& constraint) {
    auto const* const resolved =
        read.num_resolved == 0 ? "" : " (nodes with more than two children are resolved at random)";
    for (std::size_t i = 0; i < read.trees.size(); ++i) {
        if (constraint.allows(read.trees[i])) continue;
        throw InputError({options.input.tree.string()}, "tree " + std::to_string(i + 1) + " lacks a split of " +
                                                            options.input.constraint.string() +
                                                            ", expected that it has all" + resolved);
    }
}

std::vector<Start> starts_of(Options const& options, std::size_t num_user_trees, std::size_t num_taxa) {
    std::vector<Start> starts;
    for (std::uint32_t i = 0; i < num_user_trees; ++i) starts.push_back({Start::Kind::user, i});
    if (options.search.starts == "tree" && num_user_trees == 0) {
        throw InputError("--starts tree: there is no tree, expected --tree FILE");
    }
    bool const begins_alone = options.command == Command::merge || options.command == Command::genes;
    if (begins_alone && starts.empty()) return {{Start::Kind::parsimony, 0}};
    if (options.command != Command::search || options.search.starts == "tree") return starts;
    if (!options.search.starts.empty()) {
        std::ranges::copy(parse_starts(options.search.starts), std::back_inserter(starts));
    } else {
        auto const enough = default_starts(options.search.effort, checked_cast<std::uint32_t>(num_taxa));
        for (std::uint32_t i = 0; starts.size() < enough; ++i) starts.push_back({Start::Kind::parsimony, i});
    }
    return starts;
}

BlockRange my_part(Dataset const& dataset, ft::Communicator const& comm) {
    return even_part<BlockId>(dataset.num_patterns(), comm.position(comm.self()), comm.size());
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

Block read_block(std::span<std::byte const> bytes) {
    Block block;
    std::memcpy(&block.weight, bytes.data(), sizeof block.weight);
    auto const column = bytes.subspan(sizeof block.weight);
    block.column = {reinterpret_cast<char const*>(column.data()), column.size()};
    return block;
}

msa::Patterns no_patterns(Dataset const& dataset) {
    msa::Patterns patterns;
    patterns.num_taxa = checked_cast<std::uint32_t>(dataset.taxa.size());
    for (auto const& spec : dataset.specs) patterns.alphabet.push_back(spec.alphabet);
    patterns.partition_begin = dataset.partition_begin;
    patterns.sets = dataset.sets;
    return patterns;
}

void append_blocks(msa::Patterns& patterns, Dataset const& dataset, std::span<std::byte const> blocks) {
    for (; !blocks.empty(); blocks = blocks.subspan(dataset.block_bytes())) {
        auto const [weight, column] = read_block(blocks.first(dataset.block_bytes()));
        patterns.weight.push_back(weight);
        patterns.columns.insert(patterns.columns.end(), column.begin(), column.end());
    }
}

std::vector<BlockRange> blocks_of(std::span<assign::Work const> work) {
    std::vector<BlockRange> ranges;
    for (auto const& piece : work)
        ranges.push_back({BlockId{value(piece.sites.first)}, BlockId{value(piece.sites.last)}});
    return ranges;
}

namespace {

void add_frequencies(Dataset const& dataset, std::uint64_t pattern, likelihood::Sites& sites) {
    if (dataset.site_frequencies.empty()) return;
    auto const num_states = dataset.specs.front().num_states();
    auto const own = std::span(dataset.site_frequencies).subspan(pattern * num_states, num_states);
    sites.frequencies.insert(sites.frequencies.end(), own.begin(), own.end());
}

}  // namespace

std::vector<likelihood::Sites> to_local_sites(Dataset const& dataset, std::span<assign::Work const> work,
                                              std::span<std::byte const> blocks,
                                              std::span<std::uint32_t const> weights) {
    std::vector<likelihood::Sites> result(dataset.specs.size());
    for (std::size_t q = 0; q < result.size(); ++q) {
        result[q].rows.resize(dataset.taxa.size());
        result[q].ascertainment = dataset.specs[q].ascertainment;
        result[q].sets = dataset.sets;
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
            if (weight == 0 && !weights.empty()) continue;
            sites.weights.push_back(weight);
            add_frequencies(dataset, value(piece.sites.first) + i, sites);
            for (std::size_t t = 0; t < column.size(); ++t) sites.rows[t].push_back(column[t]);
        }
    }
    return result;
}

}  // namespace regraft::phylo
