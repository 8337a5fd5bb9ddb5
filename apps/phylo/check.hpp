// Input that was checked before anything is computed on it, and the command that tells what was found.
#pragma once

#include <vector>

#include "likelihood.hpp"
#include "options.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/checks.hpp"
#include "regraft/msa/partition.hpp"

namespace regraft::phylo {

struct CheckedInput {
    msa::Alignment alignment;
    std::vector<msa::PartitionSpec> partitions;
    bool has_partitions = false;   // from a file: with --partitions, or from an .rgm file that has them
    std::vector<ModelSpec> specs;  // per partition; one that fits the characters where a model is to be chosen
    msa::Census census;
    std::vector<msa::Finding> findings;  // errors first

    bool can_be_searched() const;
};

/// Whether the model is to be chosen.
bool is_automatic(msa::PartitionSpec const& partition);

/// Reads alignment, partitions and models, and checks them. Without a model, which only the command check allows, and
/// without partitions one is chosen that fits the characters. Throws InputError for what cannot be read at all.
CheckedInput check_input(Options const& options);

/// Throws InputError if options.reduced is there already and must not be overwritten, or is the input itself. What a
/// job that was ended has left, with the same contents, may stay. Precondition: the input can be searched.
void prepare_reduced(Options const& options, CheckedInput const& input);

/// Writes the alignment without duplicates and gaps to options.reduced, and its partitions, if they came from a file,
/// to the same name with .partitions. Nothing if options.reduced is empty. Throws OutputError.
void write_reduced(Options const& options, CheckedInput const& input);

/// The command check: prints what was found, and writes the files that are asked for. The exit code: 0 if the input can
/// be searched, 2 if not. Collective; survives deaths; throws InputError. comm: null without MPI.
int check(ft::Communicator* comm, Options const& options);

}  // namespace regraft::phylo
