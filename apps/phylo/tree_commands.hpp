// The commands on files of trees: support, consensus, rfdist.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regraft/ft/communicator.hpp"
#include "regraft/msa/consensus.hpp"
#include "regraft/msa/support.hpp"

namespace CLI {
class App;
}

namespace regraft::phylo {

enum class TreeCommand : std::uint8_t { support, consensus, rfdist };

struct TreeOptions {
    TreeCommand command = TreeCommand::support;
    std::filesystem::path tree;   // the reference; rfdist: empty for all pairs
    std::filesystem::path trees;  // in support the replicates
    msa::SupportMetric metric = msa::SupportMetric::felsenstein;
    double threshold = msa::majority_rule;
    std::vector<std::string> outgroup;
    std::string prefix;          // of the output file; empty: the name of the file with the tree
    std::filesystem::path json;  // rfdist: empty: nowhere
    bool redo = false;           // overwrite what is there
};

/// Adds the commands to the program's command line. `options` is filled when it is parsed, and has to live until then.
void add_tree_commands(CLI::App& app, TreeOptions& options);
/// Which of them was given.
std::optional<TreeCommand> parsed_tree_command(CLI::App const& app);

/// RAxML-NG's command lines for these in this program's words: --support, --rfdist (--rf) and --consense [HOW] become
/// the command, which comes first, and --tree of the latter two --trees. Others stay as they are. arguments[0] is the
/// program.
std::vector<std::string> trees_from_raxml(std::span<std::string const> arguments);

/// Does it on one rank, which says what came out. Throws SharedInputError or SharedFailure. Collective, uniform;
/// survives deaths. comm: null without MPI, and then InputError or OutputError is thrown.
void run(ft::Communicator* comm, TreeOptions const& options);

}  // namespace regraft::phylo
