#include "input/options.hpp"

#include <charconv>
#include <iterator>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include "common/command_line.hpp"
#include "input/failure_draw.hpp"
#include "input/raxml_names.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/likelihood/instructions.hpp"
#include "regraft/store/keep.hpp"

namespace regraft::phylo {
namespace {

constexpr char const* description =
    "Searches maximum-likelihood trees, on ranks that may die.\n"
    "\n"
    "The sites of the alignment are dealt to the ranks and kept on several of them. When ranks die, the others take over\n"
    "their sites and go on: the result is the same, bit for bit, as without the failure, for any number of ranks.\n"
    "\n"
    "Command lines of RAxML-NG are understood too, such as: regraft-phylo --all --msa a.phy --model GTR+G\n";

/// Examples by the names of commands.
std::map<std::string, std::string> const examples{
    {"regraft-phylo",
     "  regraft-phylo check --msa a.phy                            tells what is in it, and what is wrong with it\n"
     "  regraft-phylo search --msa a.phy                           writes the best tree to a.phy.regraft.bestTree\n"
     "  regraft-run -n 8 regraft-phylo search --msa a.phy          runs on eight ranks, which may die\n"
     "  regraft-phylo search --help                                lists all options of a search\n"},
    {"check",
     "  regraft-phylo check --msa a.phy\n"
     "  regraft-phylo check --msa a.phy --partitions genes.nex --model GTR+FC+G4m --json found.json --reduced small.phy\n"},
    {"search",
     "  regraft-phylo search --msa a.phy                           chooses the model, too\n"
     "  regraft-phylo search --msa a.nex.gz --model GTR+G --prefix results/a --seed 7\n"
     "  regraft-phylo search --msa genes.phy --partitions genes.part --starts pars{5},rand{5} --effort thorough\n"
     "  regraft-run -n 8 regraft-phylo search --msa a.phy --model LG+G4 --time-limit 80000\n"
     "  regraft-run -n 8 regraft-phylo search --msa a.phy --model JC --fail spr:inside:0:20,load:before:3:0\n"},
    {"evaluate", "  regraft-phylo evaluate --msa a.phy --model GTR+G --tree a.nwk\n"},
    {"test",
     "  regraft-phylo test --msa a.phy --model GTR+G --trees hypotheses.nwk\n"
     "  regraft-phylo test --msa a.phy --model a.phy.regraft.bestModel --trees hypotheses.nwk --sitelh\n"},
    {"merge",
     "  regraft-phylo merge --msa genes.phy --partitions genes.part --prefix genes\n"
     "  regraft-phylo search --msa genes.phy --partitions genes.bestScheme\n"
     "  regraft-phylo merge --msa genes.phy --partitions genes.nex --model auto --tree genes.nwk --merge-share 10\n"},
    {"loglh", "  regraft-phylo loglh --msa a.phy --model a.phy.regraft.bestModel --tree a.phy.regraft.bestTree\n"}};

/// Options that belong together, in the order of the help.
struct OptionGroup {
    char const* name;
    std::vector<char const*> options;
};
std::vector<OptionGroup> const groups{
    {"Input",
     {"--msa", "--model", "--criterion", "--partitions", "--brlen", "--site-weights", "--site-frequencies", "--tree",
      "--trees", "--constraint", "--reduced"}},
    {"Merging", {"--merge-share"}},
    {"Search", {"--starts", "--effort", "--spr-radius", "--seed"}},
    {"Support", {"--all", "--bs-trees", "--bs-metric", "--ufboot", "--alrt", "--samples"}},
    {"Output",
     {"--prefix", "--redo", "--json", "--outgroup", "--sitelh", "--site-rates", "--ancestral", "--pmsf", "--profile"}},
    {"Resources",
     {"--threads", "--groups", "--memory", "--time-limit", "--checkpoint-interval", "--keep", "--replicas"}},
    {"For tests", {"--fail", "--lookahead", "--repeats", "--instructions"}}};

void group_options(CLI::App& app) {
    for (auto const& group : groups) {
        for (auto const* name : group.options) {
            if (auto* const option = app.get_option_no_throw(name)) option->group(group.name);
        }
    }
}

constexpr char const* what_check_does =
    "Reads the input as a search would, and tells within seconds what is wrong with it:\n"
    "\n"
    "  errors    nothing can be searched: too few taxa, symbols that the model does not know, no data at all, sites\n"
    "            that do not vary under a model that says they were left out (+ASC_)\n"
    "  warnings  the search would run, but its result is doubtful or the time wasted: equal sequences, taxa or sites\n"
    "            that are all gaps, DNA under an amino-acid model, partitions without data for a taxon, fewer sites\n"
    "            than taxa, more free parameters than site patterns\n"
    "  notes     good to know: how many sites do not vary\n"
    "\n"
    "Exit codes: 0 the input can be searched, perhaps with warnings; 2 it cannot, or bad usage; 1 the output cannot\n"
    "be written, memory does not suffice, or an internal or MPI error.";

constexpr char const* what_auto_does =
    "--model auto, the default without partitions, chooses a model for each partition: of those for DNA or for amino\n"
    "acids, depending on its characters, the one with the lowest BIC (or other --criterion). On the start tree, with\n"
    "branch lengths of its own, it tries\n"
    "  1. GTR+FC or LG, with equal rates, +I, +G4m, +I+G4m, +R2, +R3 ... as long as that lowers the criterion;\n"
    "  2. under the best of these, all schemes with equal and with counted frequencies, or all matrices with and\n"
    "     without +FC, except special cases that cannot be better;\n"
    "  3. other combinations that come close.\n"
    "Then the job goes on as if the best model had been given.\n"
    "\n";

constexpr char const* what_test_does =
    "Tests which of the given trees the data reject. Branch lengths and models are optimised for each tree, as evaluate\n"
    "does; --model PREFIX.bestModel keeps one model for all. Then sites are resampled, and the log-likelihoods of the\n"
    "resampled sites, without optimising again (RELL), tell how much of a difference is chance:\n"
    "\n"
    "  bp    share of the samples in which the tree is the best (Kishino et al. 1990)\n"
    "  kh    p-value against the best other tree, for two trees chosen before the data were seen (Kishino, Hasegawa 1989)\n"
    "  sh    p-value against all trees, conservative, more so the more trees there are (Shimodaira, Hasegawa 1999)\n"
    "  wkh, wsh  the same two with differences in standard deviations\n"
    "  elw   expected likelihood weight (Strimmer, Rambaut 2002)\n"
    "  au    p-value of the approximately unbiased test, from samples of ten sizes: recommended (Shimodaira 2002)\n"
    "\n"
    "A tree is rejected if its p-value is below 0.05, or if it is outside of the smallest set of trees whose bp or elw\n"
    "add up to 0.95. All trees should be there that are plausible, the best one included, and none should be chosen by\n"
    "these data, except by sh and au.\n"
    "\n"
    "Output: PREFIX.test (a table), PREFIX.mlTrees (all trees with their branch lengths), PREFIX.siteLH with --sitelh,\n"
    "PREFIX.bestTree, .svg, .bestModel (of the likeliest tree), .json, .log. Exit codes as for search.";

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

constexpr char const* after =
    "Output: PREFIX.bestTree (Newick, with all supports), PREFIX.svg (the tree, drawn), PREFIX.bestModel (for --model),\n"
    "PREFIX.json (results, models, a record per failure), PREFIX.log. With several starts also PREFIX.mlTrees; with a\n"
    "bootstrap PREFIX.bootstraps, PREFIX.support, PREFIX.supportTBE and PREFIX.consensus; with --ufboot PREFIX.ufboot\n"
    "and PREFIX.supportUltrafast; with --alrt PREFIX.supportAlrt; with --brlen unlinked PREFIX.bestPartitionTrees. More:\n"
    "man regraft-phylo.\n"
    "Exit codes: 0 done, 1 output cannot be written, or internal or MPI error, 2 bad input or usage, 75 stopped in time:\n"
    "the same command goes on.";

std::string list_of_points() {
    std::ostringstream text;
    text << "Points at which --fail POINT:RANK:OCCURRENCE can kill a rank (occurrences count from 0, for each rank "
            "alone):\n";
    for (auto const* point : search_points()) text << "  " << point->name() << '\n';
    text << "Points named inside a single MPI call strike shortly after the rank has entered it.\n"
            "--fail random:SEED:COUNT rehearses the run without failures and draws COUNT deaths over all points it "
            "reached.\n";
    return text.str();
}

/// Refuses signs, because CLI11 reads -1 as 2^64 - 1.
std::string whole_number(std::string const& text) {
    return text.find_first_not_of("0123456789") == std::string::npos ? "" : "'" + text + "' is not a whole number";
}

/// CLI::Range would allow 0, and NaN.
std::string above_0_to_100(std::string const& text) {
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const is_read = error == std::errc() && end == text.data() + text.size();
    return is_read && value > 0 && value <= 100 ? "" : "'" + text + "', expected a number above 0 and up to 100";
}

void add_input_options(CLI::App& app, Options& options) {
    std::map<std::string, BranchLinkage> const linkages{
        {"linked", BranchLinkage::linked}, {"scaled", BranchLinkage::scaled}, {"unlinked", BranchLinkage::unlinked}};
    app.add_option("--msa", options.msa,
                   "alignment in FASTA, PHYLIP, NEXUS, Stockholm, Clustal or A3M, also packed by gzip, bzip2, xz or "
                   "zstd, or an .rgm file, whose partitions are used without --model and --partitions; "
                   "-: standard input")
        ->required()
        ->type_name("FILE");
    app.add_option("--model", options.model,
                   "model, such as GTR+FC+G4m, JC, HKY+FO+I, TVM+R4, LG+G4m, GTR{1/2/1/1/2/1}+FU{.3/.2/.2/.3}, BIN, "
                   "MULTI7_MK; +ASC_LEWIS where sites that do not vary were left out; or a file, PREFIX.bestModel; or "
                   "auto, here or in the partition file (explained by regraft-phylo search --help); default: auto, "
                   "unless there are partitions")
        ->type_name("MODEL");
    app.add_option("--partitions", options.partitions,
                   "partition file of RAxML-NG or RAxML 8 (MODEL, NAME = RANGES per line), or NEXUS, where charsets "
                   "without a charpartition take --model")
        ->type_name("FILE");
    app.add_option("--brlen", options.linkage,
                   "how branch lengths of partitions depend on each other: linked, scaled (default) or unlinked")
        ->transform(common::one_of(linkages))
        ->type_name("HOW");
    app.add_option("--site-weights", options.site_weights,
                   "file with a whole number for each site: how often it counts, 0 leaves it out")
        ->type_name("FILE");
    app.add_option("--site-frequencies", options.site_frequencies,
                   "file with the frequencies of the states at each site, as --pmsf and IQ-TREE write it, which take "
                   "the place of those of the model, such as LG+G4")
        ->type_name("FILE");
    app.add_option("--reduced", options.reduced,
                   "write the alignment in PHYLIP, without duplicate sequences and without taxa and sites that are all "
                   "gaps, and its partitions, if any, to FILE.partitions")
        ->type_name("FILE");
}

void add_redo(CLI::App& app, Options& options) {
    app.add_flag("--redo", options.redo, "overwrite output files");
}

CLI::App* add_check(CLI::App& app, Options& options) {
    auto* const check = app.add_subcommand("check", "tell what is wrong with the input, before hours are spent on it");
    add_input_options(*check, options);
    add_redo(*check, options);
    check->add_option("--json", options.json, "write what was found, with all names, as JSON for programs")
        ->type_name("FILE");
    check->footer(what_check_does);
    group_options(*check);
    return check;
}

std::vector<std::string> names_of_instructions() {
    auto const names = likelihood::available_instructions();
    return {names.begin(), names.end()};
}

constexpr std::uint32_t most_replicates = 1'000'000;
constexpr std::uint32_t automatic_replicates = 1000;

/// Reads "100", "auto", "auto{500}", or autoMRE, as RAxML-NG calls it.
void read_replicates(std::string_view text, Options& options) {
    auto number = text;
    for (std::string_view const name : {"autoMRE", "auto"}) {
        if (!number.starts_with(name)) continue;
        number.remove_prefix(name.size());
        options.until_convergence = true;
        break;
    }
    if (options.until_convergence && number.starts_with('{') && number.ends_with('}')) {
        number = number.substr(1, number.size() - 2);
    } else if (options.until_convergence && number.empty()) {
        options.replicates = automatic_replicates;
        return;
    }
    auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), options.replicates);
    if (error != std::errc() || end != number.data() + number.size() || options.replicates > most_replicates) {
        throw CLI::ValidationError("--bs-trees", "'" + std::string(text) + "', expected a number up to " +
                                                     std::to_string(most_replicates) + ", auto, or auto{AT MOST}");
    }
}

/// Moves rules for start trees, such as "pars{5}", from --tree, where RAxML-NG has them, to --starts.
void look_for_start_trees(Options& options) {
    auto const text = options.tree.string();
    bool const tells_how = text.starts_with("pars") || text.starts_with("rand");
    if (!tells_how || options.command != Command::search || std::filesystem::exists(options.tree)) return;
    if (!options.starts.empty()) options.starts += ',';
    options.starts += text;
    options.tree.clear();
}

void add_search_options(CLI::App& app, Options& options) {
    std::map<std::string, Effort> const efforts{{"fast", Effort::fast},
                                                {"normal", Effort::normal},
                                                {"thorough", Effort::thorough},
                                                {"auto", Effort::automatic}};
    app.add_option(
           "--starts", options.starts,
           "start trees besides those of --tree: pars{N} by parsimony, rand{N} random, both as "
           "pars{N},rand{N}, or tree for none; what was found from all of them is combined (default: the program "
           "chooses how many it makes by parsimony)")
        ->type_name("WHICH");
    app.add_option_function<std::string>(
           "--bs-trees", [&options](std::string const& text) { read_replicates(text, options); },
           "bootstrap: also search on N resampled alignments; auto: on 50, 100, ... until they suffice, at most 1000, "
           "or N with auto{N}")
        ->type_name("N|auto");
    app.add_option(
           "--ufboot", options.ultrafast_replicates,
           "ultrafast bootstrap: supports by N replicates, such as 1000, that are not searched one by one: their "
           "likelihoods are resampled from those of rearrangements of the best trees")
        ->check(CLI::Range(2U, 100'000U))
        ->type_name("N");
    app.add_option("--alrt", options.alrt_replicates,
                   "SH-aLRT: support of the best tree's edges by likelihoods of N samples of the sites, such as 1000")
        ->check(CLI::Range(1U, 65535U))
        ->type_name("N");
    app.add_flag_callback(
        "--all", [&options] { options.all = true; },
        "compute supports for the edges of the best tree: --ufboot 1000, unless there is --bs-trees, and --alrt 1000");
    app.add_option("--outgroup", options.outgroup, "taxa, separated by commas, at which trees are rooted when written")
        ->delimiter(',')
        ->type_name("NAMES");
    app.add_option("--constraint,--tree-constraint", options.constraint,
                   "Newick tree of all taxa or some, whose splits all trees must have; it need not be resolved")
        ->type_name("FILE");
    app.add_option("--effort", options.effort,
                   "fast: climb by SPR moves to a local maximum; normal: then change the tree at random places and "
                   "climb again, until that has failed often enough; thorough: until it has failed four times as "
                   "often; auto (default): like normal, but from as many start trees as these data need")
        ->transform(common::one_of(efforts))
        ->type_name("HOW");
    app.add_option("--spr-radius", options.spr_radius, "how far subtrees are moved (default 20)")
        ->check(CLI::Range(1U, 1000U))
        ->type_name("N");
}

/// Refuses --keep where the job has no name: files that are kept belong to a job, and all of its starts have one name.
std::string has_job(std::string const&) {
    return store::job_of_environment().empty()
               ? "REGRAFT_JOB is not set, expected the name of the job, as regraft-run sets it"
               : "";
}

void add_resources(CLI::App& app, Options& options) {
    app.add_option("--replicas", options.replicas,
                   "how many ranks keep each site (default 3; at most the number of ranks)")
        ->check(CLI::Range(1U, 1U << 20))
        ->type_name("R");
    app.add_option("--groups", options.groups,
                   "groups of ranks, which work on different searches of one job; 0 (default): the program chooses")
        ->check(CLI::Range(0U, 1U << 20))
        ->type_name("N");
    app.add_option(
           "--checkpoint-interval", options.checkpoint_seconds,
           "time between checkpoints on disk, from which the same command goes on if all ranks died (default 60)")
        ->check(CLI::Range(0.0, 1e9))
        ->type_name("SECONDS");
    app.add_option(
           "--keep", options.keep,
           "folder on each node, such as /dev/shm, that gets the state of the search many times a second, too: if all "
           "ranks die, regraft-run --restarts goes on from there")
        ->check(CLI::ExistingDirectory)
        ->check(CLI::Validator(has_job, ""))
        ->type_name("FOLDER");
    app.add_option(
           "--time-limit", options.time_limit_seconds,
           "stop before this time is over, with a checkpoint and exit code 75; the same command goes on. Ctrl-C, "
           "SIGTERM and SIGUSR1 stop it alike; mpirun passes on SIGUSR1, regraft-run all of them")
        ->check(CLI::Range(0.0, 1e9))
        ->type_name("SECONDS");
    app.add_option("--threads", options.threads, "threads of each rank; 0 (default): the program chooses")
        ->check(CLI::Range(0U, 1024U))
        ->type_name("N");
    app.add_option("--memory", options.memory_mib,
                   "most memory for the likelihoods of a rank: less is slower (default: as much as helps)")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
        ->type_name("MIB");
}

void add_options_for_tests(CLI::App& app, Options& options) {
    std::map<std::string, likelihood::Repeats> const repeats{{"auto", likelihood::Repeats::automatic},
                                                             {"on", likelihood::Repeats::everywhere},
                                                             {"off", likelihood::Repeats::off}};
    app.add_option("--lookahead", options.lookahead,
                   "most subtrees whose moves are computed at once, so that ranks meet less often: the results are the "
                   "same; 0 (default): the fewer sites a rank has, the more")
        ->check(CLI::Range(0U, 1024U))
        ->type_name("N");
    app.add_option(
           "--repeats", options.repeats,
           "compute sites that look alike in a subtree once: on, off, or auto (default): where that halves the work")
        ->transform(common::one_of(repeats))
        ->type_name("HOW");
    app.add_option("--instructions", options.instructions,
                   "vector instructions, for tests: the results are the same with all (default: " +
                       std::string(likelihood::available_instructions().front()) + ")")
        ->check(CLI::IsMember(names_of_instructions()))
        ->envname("REGRAFT_INSTRUCTIONS")
        ->type_name("NAME");
    app.add_option("--fail", options.fail,
                   "kill ranks: POINT:RANK:OCCURRENCE,... or random:SEED:COUNT (see: regraft-phylo points)")
        ->type_name("PLAN");
}

/// Adds the options of all commands that run a job.
void add_options(CLI::App& app, Options& options) {
    std::map<std::string, Criterion> const criteria{
        {"bic", Criterion::bic}, {"aicc", Criterion::aicc}, {"aic", Criterion::aic}};
    app.add_option(
           "--criterion", options.criterion,
           "criterion by which --model auto chooses, and by which merge compares schemes: bic (default), aicc or aic")
        ->transform(common::one_of(criteria))
        ->type_name("NAME");
    app.add_option("--seed", options.seed, "seed of all random choices (default 1)")
        ->check(whole_number)
        ->type_name("N");
    add_redo(app, options);
    app.add_option("--prefix", options.prefix,
                   "how the output files' names begin (default: the alignment's name + .regraft)")
        ->check(problem_of_prefix)
        ->type_name("PATH");
    add_resources(app, options);
    add_options_for_tests(app, options);
    app.add_flag("--sitelh", options.site_loglh,
                 "write PREFIX.siteLH: the log-likelihood of each site, in the alignment's order, as TREE-PUZZLE does");
}

void add_site_results(CLI::App& app, Options& options) {
    app.add_flag("--site-rates", options.site_rates,
                 "write PREFIX.rate: the rate of each site, by the empirical Bayesian method, as IQ-TREE does");
    app.add_flag("--ancestral", options.ancestral,
                 "write the probable states of each site at each inner node: PREFIX.ancestralProbs, "
                 "PREFIX.ancestralStates and, with the names of the nodes, PREFIX.ancestralTree, as RAxML-NG does");
    app.add_flag("--pmsf", options.pmsf,
                 "write PREFIX.sitefreq, for --site-frequencies: the posterior mean frequencies of the states at each "
                 "site under a profile mixture, as IQ-TREE does");
}

void add_tree(CLI::App& app, Options& options) {
    app.add_option("--tree", options.tree, "Newick tree to evaluate, or trees to start from")->type_name("FILE");
    app.footer(std::string(what_auto_does) + after);
}

void add_test_options(CLI::App& app, Options& options) {
    app.add_option("--trees", options.tree, "Newick trees to test, each with all taxa")->required()->type_name("FILE");
    app.add_option("--samples", options.samples, "samples of the sites, of each of ten sizes (default 10000)")
        ->check(CLI::Range(1U, 10'000'000U))
        ->type_name("N");
    app.footer(what_test_does);
}

void add_merge_options(CLI::App& app, Options& options) {
    app.add_option("--tree", options.tree, "Newick tree on which partitions are merged (default: one by parsimony)")
        ->type_name("FILE");
    app.add_option("--merge-share", options.merge_share,
                   "percentage of the pairs of partitions that each round tries, those whose models are the most "
                   "similar (default 100; 10 for hundreds of partitions)")
        ->check(above_0_to_100)
        ->type_name("PERCENT");
    app.footer(what_merge_does);
}

void add_profile(CLI::App& app, Options& options) {
    app.add_flag("--profile", options.profile,
                 "measure where ranks lose time: PREFIX.profile.json and PREFIX.profile.svg tell how evenly they work "
                 "and how long they wait and communicate");
}

/// Takes --model as --partitions if it is a file, such as PREFIX.bestModel.
void look_for_model_file(Options& options) {
    std::error_code error;
    if (!options.partitions.empty() || !std::filesystem::is_regular_file(options.model, error)) return;
    options.partitions = std::exchange(options.model, "");
}

/// Checks what CLI11 cannot check, and completes the options. Throws CLI::ValidationError.
void complete(Options& options) {
    look_for_model_file(options);
    look_for_start_trees(options);
    if (!options.reduced.empty() && !options.site_weights.empty())
        throw CLI::ValidationError("--reduced", "has other sites than --site-weights, expected only one of both");
    if (!options.reduced.empty() && !options.site_frequencies.empty())
        throw CLI::ValidationError("--reduced", "has other sites than --site-frequencies, expected only one of both");
    if (options.command == Command::check) return;
    if (options.command == Command::merge && options.partitions.empty() && !options.model.empty())
        throw CLI::ValidationError("--partitions", "FILE is needed: there is nothing to merge without partitions");
    if (options.command != Command::search && options.command != Command::merge && options.tree.empty()) {
        throw CLI::ValidationError(
            "--tree",
            "FILE is needed: loglh and evaluate tell how well a given tree, in Newick format, explains the "
            "alignment; to find a tree, use search");
    }
    if (options.prefix.empty() && options.msa == "-")
        throw CLI::ValidationError("--prefix", "is needed where the alignment is standard input");
    if (options.all && options.replicates == 0 && options.ultrafast_replicates == 0)
        options.ultrafast_replicates = 1000;
    if (options.all && options.alrt_replicates == 0) options.alrt_replicates = 1000;
    if (options.profile && options.groups > 1) {
        throw CLI::ValidationError("--profile", "compares ranks that work on the same search, expected --groups 1");
    }
    if (options.prefix.empty()) options.prefix = options.msa.string() + ".regraft";
}

/// Parses a command line with this program's options, which from_raxml has translated.
Parsed parse_our_words(int argc, char const* const* argv) {
    CLI::App app(description, "regraft-phylo");
    app.require_subcommand(1);
    app.formatter(common::short_help(examples));
    app.set_version_flag("--version", "regraft-phylo " REGRAFT_VERSION);
    Options options;
    auto* check = add_check(app, options);
    std::pair<char const*, char const*> const commands[] = {
        {"search", "find a good tree: hill climbing by SPR moves, and escapes from local maxima"},
        {"evaluate", "optimise model and branch lengths on --tree"},
        {"test", "test which of given trees the data reject: AU, SH, KH, bootstrap proportions"},
        {"merge", "find out which partitions should share a model: those of the scheme with the lowest BIC"},
        {"loglh",
         "compute the log-likelihood of --tree at its branch lengths, with start parameters (rates 1, alpha 1)"}};
    Command const meaning[] = {Command::search, Command::evaluate, Command::test, Command::merge, Command::loglh};
    CLI::App* subcommands[std::size(meaning)];
    for (std::size_t i = 0; i < std::size(meaning); ++i) {
        subcommands[i] = app.add_subcommand(commands[i].first, commands[i].second);
        add_input_options(*subcommands[i], options);
        if (meaning[i] == Command::search) add_search_options(*subcommands[i], options);
        add_options(*subcommands[i], options);
        auto* const add_rest = meaning[i] == Command::test    ? add_test_options
                               : meaning[i] == Command::merge ? add_merge_options
                                                              : add_tree;
        add_rest(*subcommands[i], options);
        if (meaning[i] != Command::test && meaning[i] != Command::merge) add_site_results(*subcommands[i], options);
        if (meaning[i] != Command::loglh) add_profile(*subcommands[i], options);
        group_options(*subcommands[i]);
    }
    TreeOptions trees;
    add_tree_commands(app, trees);
    auto* points = app.add_subcommand("points", "list the points at which --fail can kill a rank");
    app.footer(after);
    common::refuse_empty_values(app);
    if (auto const message = common::unknown_command(app, argc, argv)) return {std::nullopt, *message, 2};
    try {
        app.parse(argc, argv);
        if (points->parsed()) return {std::nullopt, list_of_points(), 0};
        if (auto const command = parsed_tree_command(app)) {
            trees.command = *command;
            return {.options = std::nullopt, .message = "", .trees = trees};
        }
        if (check->parsed()) options.command = Command::check;
        for (std::size_t i = 0; i < std::size(meaning); ++i) {
            if (subcommands[i]->parsed()) options.command = meaning[i];
        }
        complete(options);
        return {options, "", 0};
    } catch (CLI::ParseError const& error) {
        auto const end = common::ending(app, error, raxml_advice);
        return {std::nullopt, end.message, end.exit_code};
    }
}

/// The arguments as words of a shell.
std::string shell_words(int argc, char const* const* argv) {
    std::string line;
    for (int i = 1; i < argc; ++i) {
        std::string word = argv[i];
        bool const is_plain = !word.empty() && word.find_first_of(" \t\n\"'\\$&|;<>()*?[]{}#~`!") == std::string::npos;
        for (std::size_t at = 0; !is_plain && (at = word.find('\'', at)) != std::string::npos; at += 4)
            word.replace(at, 1, "'\\''");
        line += (i > 1 ? " " : "") + (is_plain ? word : "'" + word + "'");
    }
    return line;
}

}  // namespace

Parsed parse_command_line(int argc, char const* const* argv) {
    try {
        auto const words = from_raxml(trees_from_raxml(std::vector<std::string>(argv, argv + argc)));
        std::vector<char const*> pointers;
        for (auto const& word : words) pointers.push_back(word.c_str());
        auto parsed = parse_our_words(static_cast<int>(pointers.size()), pointers.data());
        if (parsed.options) parsed.options->command_line = shell_words(argc, argv);
        return parsed;
    } catch (InputError const& error) {
        return {std::nullopt, std::string("regraft-phylo: ") + error.what() + '\n', 2};
    }
}

}  // namespace regraft::phylo
