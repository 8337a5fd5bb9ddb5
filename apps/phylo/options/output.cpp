#include <map>
#include <string>

#include "options/parts.hpp"
#include "trees/tree_options.hpp"

namespace regraft::phylo {
namespace {

void add_output(CLI::App& app, Options& options, Command command) {
    auto& output = options.output;
    if (command == Command::search)
        app.add_option("--outgroup", output.outgroup,
                       "taxa, separated by commas, at which trees are rooted when written")
            ->delimiter(',')
            ->type_name("NAMES");
    app.add_flag("--redo", output.redo, "overwrite output files");
    if (command == Command::check) {
        add_file(app, "--json", output.json, "write what was found, with all names, as JSON for programs");
        return;
    }
    app.add_option("--prefix", output.prefix,
                   "how the output files' names begin (default: the alignment's name + .regraft)")
        ->check(problem_of_prefix)
        ->type_name("PATH");
    if (command == Command::search || command == Command::evaluate || command == Command::genes)
        add_number(app, "--collapse", output.collapse, 0.0, max_branch_length,
                   "write trees without inner branches of at most this length: their ends become one node; 2e-6: those "
                   "of no length",
                   "LENGTH");
    if (command == Command::genes) return;
    std::map<std::string, TreeFormat> const formats{{"newick", TreeFormat::newick}, {"nexus", TreeFormat::nexus}};
    add_word(app, "--format", output.format, formats,
             "nexus: write also PREFIX.bestTree.nex, with supports as FigTree shows them", "NAME");
    app.add_flag("--sitelh", output.site_loglh,
                 "write PREFIX.siteLH: the log-likelihood of each site, in the alignment's order, as TREE-PUZZLE does");
    if (command != Command::test && command != Command::merge) {
        app.add_flag("--site-rates", output.site_rates,
                     "write PREFIX.rate: the rate of each site, by the empirical Bayesian method, as IQ-TREE does");
        app.add_flag("--ancestral", output.ancestral,
                     "write the probable states of each site at each inner node: PREFIX.ancestralProbs, "
                     "PREFIX.ancestralStates and, with the names of the nodes, PREFIX.ancestralTree, as RAxML-NG does");
        app.add_flag(
            "--pmsf", output.pmsf,
            "write PREFIX.sitefreq, for --site-frequencies: the posterior mean frequencies of the states at each "
            "site under a profile mixture, as IQ-TREE does");
    }
    if (command != Command::loglh)
        app.add_flag(
            "--profile", output.profile,
            "measure where ranks lose time: PREFIX.profile.json and PREFIX.profile.svg tell how evenly they work "
            "and how long they wait and communicate");
}

void complete_output(Options& options) {
    if (options.command == Command::check) return;
    auto& output = options.output;
    if (output.prefix.empty() && options.input.msa == "-")
        throw CLI::ValidationError("--prefix", "is needed where the alignment is standard input");
    if (output.profile && options.resources.groups > 1)
        throw CLI::ValidationError("--profile", "compares ranks that work on the same search, expected --groups 1");
    if (output.prefix.empty()) output.prefix = options.input.source().string() + ".regraft";
}

}  // namespace

Part const output_part{"Output", add_output, complete_output};

char const* const what_is_written =
    "Output: PREFIX.bestTree (Newick, with all supports), PREFIX.svg (the tree, drawn), PREFIX.bestModel (for --model),\n"
    "PREFIX.json (results, models, a record per failure), PREFIX.log. With several starts also PREFIX.mlTrees; with a\n"
    "bootstrap PREFIX.bootstraps, PREFIX.support, PREFIX.supportTBE and PREFIX.consensus; with --ufboot PREFIX.ufboot\n"
    "and PREFIX.supportUltrafast; with --alrt PREFIX.supportAlrt; with --brlen unlinked PREFIX.bestPartitionTrees. More:\n"
    "man regraft-phylo.\n"
    "Exit codes: 0 done, 1 output cannot be written, or internal or MPI error, 2 bad input or usage, 75 stopped in time:\n"
    "the same command goes on.";

std::vector<char const*> output_extensions() {
    return {".bestTree",
            ".bestTree.nex",
            ".bestPartitionTrees",
            ".svg",
            ".bestModel",
            ".mlTrees",
            ".treeTable",
            ".bootstraps",
            ".support",
            ".supportTBE",
            ".supportUltrafast",
            ".ufboot",
            ".supportAlrt",
            ".consensus",
            ".test",
            ".geneTrees",
            ".geneBootstraps",
            ".bestScheme",
            ".siteLH",
            ".rate",
            ".sitefreq",
            ".ancestralTree",
            ".ancestralProbs",
            ".ancestralStates",
            ".profile.json",
            ".profile.svg",
            ".json",
            ".log"};
}

}  // namespace regraft::phylo
