#include <filesystem>

#include "options/parts.hpp"

namespace regraft::phylo {
namespace {

constexpr char const* what_auto_does =
    "--model auto, the default without partitions, chooses a model for each partition: of those for DNA or for amino\n"
    "acids, depending on its characters, the one with the lowest BIC (or other --criterion). On the start tree, with\n"
    "branch lengths of its own, it tries\n"
    "  1. GTR+FC or LG, with equal rates, +I, +G4m, +I+G4m, +R2, +R3 ... as long as that lowers the criterion;\n"
    "  2. under the best of these, all schemes with equal and with counted frequencies, or all matrices with and\n"
    "     without +FC, except special cases that cannot be better;\n"
    "  3. other combinations that come close.\n"
    "--models and --rates restrict what is tried. auto+ASC_LEWIS chooses where sites that do not vary were left out.\n"
    "Then the job goes on as if the best model had been given.\n"
    "\n";

constexpr char const* what_evaluate_writes =
    "The topologies stay. If --tree has several trees, each is evaluated: PREFIX.treeTable has their log-likelihoods,\n"
    "differences to the likeliest, and sums of branch lengths, and PREFIX.mlTrees the trees in their order. The other\n"
    "files are those of the likeliest tree. --alrt, --ufboot and --bs-trees tell how well its edges are supported; for\n"
    "the latter two, other trees are searched, on the alignment and on resampled ones. --fix-lengths keeps the lengths.\n"
    "--model auto chooses a model as a search does.\n"
    "\n";

/// Refuses signs, because CLI11 reads -1 as 2^64 - 1.
std::string whole_number(std::string const& text) {
    return text.find_first_not_of("0123456789") == std::string::npos ? "" : "'" + text + "' is not a whole number";
}

/// Moves rules for start trees, such as "pars{5}", from --tree, where RAxML-NG has them, to --starts.
void look_for_start_trees(Options& options) {
    auto const text = options.input.tree.string();
    bool const tells_how = text.starts_with("pars") || text.starts_with("rand");
    if (!tells_how || options.command != Command::search || std::filesystem::exists(options.input.tree)) return;
    if (!options.search.starts.empty()) options.search.starts += ',';
    options.search.starts += text;
    options.input.tree.clear();
}

void add_search(CLI::App& app, Options& options, Command command) {
    if (command == Command::check) return;
    auto& search = options.search;
    std::map<std::string, Effort> const efforts{{"fast", Effort::fast},
                                                {"normal", Effort::normal},
                                                {"thorough", Effort::thorough},
                                                {"auto", Effort::automatic}};
    if (command == Command::search)
        app.add_option(
               "--starts", search.starts,
               "start trees besides those of --tree: pars{N} by parsimony, rand{N} random, both as "
               "pars{N},rand{N}, or tree for none; what was found from all of them is combined (default: the program "
               "chooses how many it makes by parsimony)")
            ->type_name("WHICH");
    if (command == Command::search || command == Command::genes) {
        add_word(app, "--effort", search.effort, efforts,
                 "fast: climb by SPR moves to a local maximum; normal: then change the tree at random places and "
                 "climb again, until that has failed often enough; thorough: until it has failed four times as "
                 "often; auto (default): like normal, but from as many start trees as these data need");
        add_number(app, "--spr-radius", search.spr_radius, 1U, 1000U, "how far subtrees are moved (default 20)");
    }
    app.add_option("--seed", search.seed, "seed of all random choices (default 1)")
        ->check(whole_number)
        ->type_name("N");
}

void complete_search(Options& options) {
    look_for_start_trees(options);
    bool const needs_tree = options.command == Command::evaluate || options.command == Command::loglh;
    if (!needs_tree || !options.input.tree.empty()) return;
    throw CLI::ValidationError(
        "--tree",
        "FILE is needed: loglh and evaluate tell how well a given tree, in Newick format, explains the "
        "alignment; to find a tree, use search");
}

}  // namespace

Part const search_part{"Search", add_search, complete_search};

CommandHelp const search_help{
    Command::search,
    "search",
    "find a good tree: hill climbing by SPR moves, and escapes from local maxima",
    "  regraft-phylo search --msa a.phy                           chooses the model, too\n"
    "  regraft-phylo search --msa a.nex.gz --model GTR+G --prefix results/a --seed 7\n"
    "  regraft-phylo search --msa genes.phy --partitions genes.part --starts pars{5},rand{5} --effort thorough\n"
    "  regraft-run -n 8 regraft-phylo search --msa a.phy --model LG+G4 --time-limit 80000\n"
    "  regraft-run -n 8 regraft-phylo search --msa a.phy --model JC --fail spr:inside:0:20,load:before:3:0\n",
    what_auto_does,
    what_is_written};

CommandHelp const evaluate_help{Command::evaluate,
                                "evaluate",
                                "optimise model and branch lengths on --tree, or on each of its trees",
                                "  regraft-phylo evaluate --msa a.phy --model GTR+G --tree a.nwk\n"
                                "  regraft-phylo evaluate --msa a.phy --model GTR+G --tree a.nwk --alrt 1000\n",
                                what_evaluate_writes,
                                what_is_written};

CommandHelp const loglh_help{
    Command::loglh,
    "loglh",
    "compute the log-likelihood of --tree at its branch lengths, with start parameters (rates 1, alpha 1)",
    "  regraft-phylo loglh --msa a.phy --model a.phy.regraft.bestModel --tree a.phy.regraft.bestTree\n",
    what_auto_does,
    what_is_written};

}  // namespace regraft::phylo
