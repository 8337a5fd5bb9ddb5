// Turns files into the data of a job: models, patterns as blocks of the store, and start trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "input/check.hpp"
#include "input/starts.hpp"
#include "options/options.hpp"
#include "regraft/assign/assignment.hpp"
#include "regraft/core/digest.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/msa/newick.hpp"
#include "regraft/msa/patterns.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/search.hpp"

namespace regraft::phylo {

/// Where a pattern can be read again.
struct PatternOrigin {
    std::uint64_t site = 0;  // the first site that has the pattern
    Digest digest;           // of the pattern's column
};

/// The part of the input that every PE keeps: everything except the columns.
struct Dataset {
    std::vector<std::string> taxa;
    msa::SetCharacters sets;                     // as in msa::Alignment
    std::vector<msa::PartitionSpec> partitions;  // as the user named them
    std::vector<ModelSpec> specs;                // per partition; some model of the data type for `auto`
    std::vector<std::shared_ptr<CandidateSet const>> candidates;  // per partition; null if its model is given
    std::vector<CountedData> counted;                             // per partition
    std::vector<std::uint64_t> partition_begin;      // begins of the partitions' patterns, as in msa::Patterns
    std::vector<std::uint32_t> weights;              // per pattern; 0 where only its values are wanted, at the end
                                                     // of a partition
    std::vector<double> site_frequencies;            // [pattern][state]; empty: those of the model
    std::vector<PatternOrigin> origins;              // per pattern; empty if each PE has read the whole alignment
    std::vector<std::uint64_t> sites_per_partition;  // sums of weights
    std::string origin_of_sites;                     // as in CheckedInput
    std::vector<std::uint64_t> pattern_of_site;      // by site; empty unless results of single sites are written
    std::vector<std::string> warnings;               // for the log and the JSON
    std::vector<std::uint32_t> outgroup;             // taxa at which trees are rooted when they are written; or empty
    std::optional<double> collapse;                  // inner branches up to this length are not written
    std::vector<std::vector<std::uint32_t>> taxa_of_gene;  // with data, per partition, increasing; only for genes
    std::uint64_t content_hash = 0;                        // hash of models, taxa and patterns

    std::uint64_t num_patterns() const { return partition_begin.back(); }
    std::uint64_t num_sites() const;
    /// The number of patterns that have a weight, of a partition and of all.
    std::uint64_t num_weighted_patterns(std::size_t partition) const;
    std::uint64_t num_weighted_patterns() const;
    /// The partition of a pattern. O(log partitions).
    std::size_t partition_of(std::uint64_t pattern) const;
    /// The partitions whose models are to be chosen.
    std::vector<std::size_t> automatic() const;
    /// A storage block is one pattern: its weight (4 bytes) and one canonical character per taxon.
    std::size_t block_bytes() const { return sizeof(std::uint32_t) + taxa.size(); }
};

/// An alignment that was read as a whole.
struct Input {
    Dataset dataset;
    msa::Patterns patterns;
};

/// A dataset with everything that follows from checked input without the cells of the alignment, including its
/// warnings. Throws InputError if the input cannot be searched.
Dataset begin_dataset(CheckedInput const& checked);

/// A hash of models, taxa and patterns. digests: of the patterns' columns.
std::uint64_t content_hash(Dataset const& dataset, std::span<Digest const> digests);

/// The dataset and the patterns of checked input. Throws InputError if the input cannot be searched.
Input to_input(CheckedInput const& checked);

/// Reads and checks the alignment and the partition file. Throws InputError.
Input read_input(Options const& options);

/// The numbers of some taxa, in their order. Throws InputError for a name that is no taxon; source says in the message
/// where the names come from.
std::vector<std::uint32_t> taxa_of(std::vector<std::string> const& names, Dataset const& dataset,
                                   std::string const& source);

/// The taxa of --outgroup. Throws InputError if one is unknown, or if all taxa are named.
std::vector<std::uint32_t> outgroup_of(Options const& options, Dataset const& dataset);

/// The trees of --tree, empty without it. Nodes with more than two children are resolved at random by the seed, and
/// lengths that the search does not allow are changed. Throws InputError.
msa::ReadTrees read_user_trees(Options const& options, Dataset const& dataset);

/// Replaces trees of the same topology, which have the same optimum, by the first of them. Returns a warning for each
/// tree that was replaced.
std::vector<std::string> unite_equal_trees(std::vector<msa::Tree>& trees, Options const& options);

/// Warnings about what was changed in the user's trees when they were read.
std::vector<std::string> warnings_of(msa::ReadTrees const& read, Options const& options);

/// The tree of --constraint; none without it. Throws InputError.
std::optional<Constraint> read_constraint(Options const& options, Dataset const& dataset);

/// Throws InputError if the user gave a tree that the constraint does not allow.
void check_user_trees(Options const& options, msa::ReadTrees const& read, Constraint const& constraint);

/// The starts of the searches: the user's trees and those of --starts, or by default as many as pay. Throws InputError.
std::vector<Start> starts_of(Options const& options, std::size_t num_user_trees, std::size_t num_taxa);

/// The patterns whose blocks this PE submits: an even part.
BlockRange my_part(Dataset const& dataset, ft::Communicator const& comm);

/// The blocks of some patterns, one behind the other. Block numbers are pattern numbers.
std::vector<std::byte> to_blocks(msa::Patterns const& patterns, std::span<BlockRange const> ranges);

/// The weight and the column of a pattern.
struct Block {
    std::uint32_t weight = 0;
    std::span<char const> column;
};
/// The content of a block, as a view.
Block read_block(std::span<std::byte const> bytes);

/// Patterns without columns and weights, which append_blocks adds in the order of patterns. pattern_of_site is empty.
msa::Patterns no_patterns(Dataset const& dataset);
/// Appends the patterns that to_blocks turned into blocks.
void append_blocks(msa::Patterns& patterns, Dataset const& dataset, std::span<std::byte const> blocks);

/// The ranges of blocks that some work needs, in its order.
std::vector<BlockRange> blocks_of(std::span<assign::Work const> work);

/// The sites of a PE's work, per partition. blocks: those of the work, one behind the other. weights: of all patterns
/// of the alignment, to be used instead of their own; patterns of weight 0 are then left out. Empty: their own are
/// used.
std::vector<likelihood::Sites> to_local_sites(Dataset const& dataset, std::span<assign::Work const> work,
                                              std::span<std::byte const> blocks,
                                              std::span<std::uint32_t const> weights);

}  // namespace regraft::phylo
