#include <charconv>

#include "options/parts.hpp"

namespace regraft::phylo {
namespace {

constexpr char const* what_merge_does =
    "Finds out which partitions should share a model. Two of them become one as long as that lowers the BIC (or other\n"
    "--criterion) of the scheme: in each round, all pairs are tried, or a share of them, and the best is merged. Only\n"
    "partitions with the same model are merged. With auto, the models for this are GTR+FC+G4m and LG+G4m, and the search\n"
    "with the merged partitions then chooses their models.\n"
    "\n"
    "All is computed on the tree of --tree, or on a parsimony tree. With --brlen unlinked, each union has branch lengths of\n"
    "its own; otherwise those of the scheme as given, in proportion with scaled. In the end, the best scheme is optimised\n"
    "as a whole.\n"
    "\n"
    "Output: PREFIX.bestScheme (a partition file, for --partitions), PREFIX.json, .log; and of the partitions as given,\n"
    "PREFIX.bestTree, .svg, .bestModel. Exit codes as for search.";

/// CLI::Range would allow 0, and NaN.
std::string above_0_to_100(std::string const& text) {
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const is_read = error == std::errc() && end == text.data() + text.size();
    return is_read && value > 0 && value <= 100 ? "" : "'" + text + "', expected a number above 0 and up to 100";
}

void add_merge(CLI::App& app, Options& options, Command command) {
    if (command != Command::merge) return;
    app.add_option("--merge-share", options.merge.share,
                   "percentage of the pairs of partitions that each round tries, those whose models are the most "
                   "similar (default 100; 10 for hundreds of partitions)")
        ->check(above_0_to_100)
        ->type_name("PERCENT");
}

void complete_merge(Options& options) {
    auto const& input = options.input;
    if (options.command == Command::merge && input.partitions.empty() && !input.model.empty())
        throw CLI::ValidationError("--partitions", "FILE is needed: there is nothing to merge without partitions");
}

}  // namespace

Part const merge_part{"Merging", add_merge, complete_merge};

CommandHelp const merge_help{
    Command::merge, "merge", "find out which partitions should share a model: those of the scheme with the lowest BIC",
    "  regraft-phylo merge --msa genes.phy --partitions genes.part --prefix genes\n"
    "  regraft-phylo search --msa genes.phy --partitions genes.bestScheme\n"
    "  regraft-phylo merge --msa genes.phy --partitions genes.nex --model auto --tree genes.nwk --merge-share 10\n",
    what_merge_does};

}  // namespace regraft::phylo
