// The command lines of the commands on files of trees: support, consensus, rfdist, concordance.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/alignment_input.hpp"
#include "regraft/msa/consensus.hpp"
#include "regraft/msa/support.hpp"

namespace CLI {
class App;
}

namespace regraft::phylo {

enum class TreeCommand : std::uint8_t { support, consensus, rfdist, concordance };

enum class TreeFormat : std::uint8_t { newick, nexus };

struct TreeOptions {
    TreeCommand command = TreeCommand::support;
    std::filesystem::path tree;    // the reference; rfdist: empty for all pairs
    std::filesystem::path trees;   // support: the replicates; concordance: the gene trees, empty for none
    std::filesystem::path msa;     // concordance: the alignment; empty for none
    common::Reading reading;       // concordance: how the alignment is read
    std::uint32_t quartets = 100;  // concordance: drawn for each edge
    std::uint64_t seed = 1;        // concordance: from which quartets follow
    msa::SupportMetric metric = msa::SupportMetric::felsenstein;
    double threshold = msa::majority_rule;
    std::vector<std::string> outgroup;
    TreeFormat format = TreeFormat::newick;  // of the tree that is written
    std::string prefix;                      // prefix of the output file; empty: the name of the file with the tree
    std::filesystem::path json;              // rfdist, concordance: empty: nowhere
    bool redo = false;                       // overwrite existing files
};

/// What is wrong with a prefix of output files: they would be hidden files of a folder. Empty: nothing.
std::string problem_of_prefix(std::string const& prefix);

/// Adds the commands to the program's command line. `options` is filled when the line is parsed, and must live until
/// then.
void add_tree_commands(CLI::App& app, TreeOptions& options);
/// The command that was given, if any.
std::optional<TreeCommand> parsed_tree_command(CLI::App const& app);

/// Translates RAxML-NG's command lines for these commands: --support, --rfdist (--rf) and --consense [HOW] become the
/// command, which comes first, and --tree of the latter two becomes --trees. Other command lines stay as they are.
/// arguments[0] is the program.
std::vector<std::string> trees_from_raxml(std::span<std::string const> arguments);

}  // namespace regraft::phylo
