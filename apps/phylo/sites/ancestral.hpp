// Marginal ancestral states (Yang, Kumar and Nei 1995): the probability of each state at each inner node, for all
// sites.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "input/input.hpp"
#include "regraft/assign/assignment.hpp"
#include "regraft/disk/new_file.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/msa/alphabet.hpp"
#include "regraft/msa/tree.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "together/shared_input_error.hpp"

namespace regraft::phylo {

/// Files that were written piece by piece and have not appeared yet, on one PE, and why they are not complete.
struct LargeFiles {
    std::vector<disk::NewFile> files;
    Problem problem;
};

/// The inner half-edges from whose nodes an ancestor's states are seen, one for each inner node. The first ancestor is
/// the neighbour of tip 0, and an ancestor comes before those behind it.
std::vector<msa::HalfEdge> ancestors(msa::Tree const& tree);

/// The name of each inner node, in the order of their numbers: Node1 is the first ancestor.
std::vector<std::string> ancestor_names(msa::Tree const& tree);

/// The letters of an alphabet, by what they stand for.
class Letters {
public:
    explicit Letters(msa::Alphabet alphabet);

    /// The letter of a state. Precondition: the alphabet has the state.
    char of_state(std::size_t state) const { return letters_.at(msa::StateMask{1} << state); }
    /// The letter for the probable states: those whose probability is almost the largest one, as RAxML-NG has it; if no
    /// letter stands for these, that of the most probable one. Precondition: a probability for each state.
    char of_probable(std::span<double const> probabilities) const;

private:
    std::map<msa::StateMask, char> letters_;
};

/// Writes the text of two files, in the format of RAxML-NG: probs has a line for each ancestor and site with the
/// probability of each state, and states the sequence of each ancestor. Sites are in the order of
/// for_sites_by_partition. The leading PE receives and writes about a megabyte at a time. likelihood: of this PE's part
/// of the work, on all partitions. Paths: empty to compute without writing. Precondition: the work deals each pattern
/// to one member. Collective, uniform.
LargeFiles write_ancestors(ft::Communicator& comm, Dataset const& dataset, assign::Assignment const& work,
                           DistributedLikelihood& likelihood, std::filesystem::path const& probs,
                           std::filesystem::path const& states);

}  // namespace regraft::phylo
