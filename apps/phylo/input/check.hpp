// Checks input before anything is computed on it, and implements the command `check`, which reports the findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "input/site_frequencies.hpp"
#include "options/options.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/checks.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/search/distributed_likelihood.hpp"

namespace regraft::phylo {

/// Input that was read, and what its checks have found.
struct CheckedInput {
    msa::Alignment alignment;
    std::vector<msa::PartitionSpec> partitions;
    std::vector<std::string> own_files;  // paths of the alignments that charsets name
    bool has_partitions = false;         // whether partitions came from --partitions or from an .rgm file
    bool uses_lengths = false;           // whether lengths in the partition file became scalers
    std::vector<ModelSpec> specs;        // per partition; one that fits the characters if a model is to be chosen
    std::vector<std::shared_ptr<CandidateSet const>> candidates;  // per partition; null if its model is given
    std::uint64_t num_columns = 0;            // of the alignment, without those of append_constant_sites
    std::uint64_t skipped_records = 0;        // of VCF, which are no SNPs
    std::vector<std::uint32_t> site_weights;  // empty: all 1
    std::string origin_of_sites;              // words behind the number of sites; empty if the alignment has so many
    bool shows_sites = false;                 // whether results of single sites are wanted, also of those of weight 0
    SiteFrequencies site_frequencies;         // empty: those of the model
    msa::Census census;
    std::vector<msa::Finding> findings;  // errors first

    /// Whether no finding is an error.
    bool can_be_searched() const;
    /// The sites of partition q that have a weight.
    std::vector<msa::SiteStride> counted_sites(std::size_t q) const;
};

/// Whether the model of the partition is to be chosen (`auto`).
bool is_automatic(msa::PartitionSpec const& partition);

/// The number of occurrences of each character in partition q.
using HistogramOf = std::function<msa::Histogram(std::size_t q)>;

// The steps of a check, in their order. The alignment may have names only, where no process has all of its cells.

/// Begins with the partitions of the options or, without these, those stored with the alignment. If there is neither a
/// model nor a partition, the whole alignment is one with the model `auto`, or under the command check with none yet.
/// Throws InputError.
CheckedInput begin_check(Options const& options, msa::Alignment alignment, std::uint64_t num_sites,
                         std::vector<msa::PartitionSpec> stored);
/// Adds the models. Throws InputError.
void add_models(Options const& options, CheckedInput& input, HistogramOf const& histogram_of);
/// The partitions as a census needs them. Precondition: the models were added.
std::vector<msa::PartitionToCheck> partitions_to_check(Options const& options, CheckedInput const& input);
/// Adds the census and the findings that follow from it. Preconditions: as for partitions_to_check and msa::findings.
void add_findings(Options const& options, CheckedInput& input, msa::Census census);

/// Reads alignment, partitions and models, and makes all of these steps. Under the command check, a model that fits the
/// characters is chosen if neither a model nor a partition file is given. Throws InputError if the input cannot be read
/// at all.
CheckedInput check_input(Options const& options);

/// Throws InputError if the file for --reduced exists and must not be overwritten, or is the input itself. Files that a
/// job which was ended left with the same contents may stay. Precondition: the input can be searched.
void prepare_reduced(Options const& options, CheckedInput const& input);

/// Writes the alignment without duplicates and gaps to the file of --reduced, and its partitions, if they came from a
/// file, to the same name with .partitions. Does nothing if there is none. Throws OutputError.
void write_reduced(Options const& options, CheckedInput const& input);

/// The command check: prints the findings, and writes the files that were requested. Returns the exit code: 0 if the
/// input can be searched, 2 if not. Throws InputError. comm: null without MPI. Survives deaths. Collective.
int check(ft::Communicator* comm, Options const& options);

}  // namespace regraft::phylo
