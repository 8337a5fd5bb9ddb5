#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "files/matrix_file.hpp"
#include "options/parts.hpp"

namespace regraft::phylo {
namespace {

constexpr char const* what_check_does =
    "Reads the input as a search would, and tells within seconds what is wrong with it:\n"
    "\n"
    "  errors    nothing can be searched: too few taxa, symbols that the model does not know, no data at all, sites\n"
    "            that do not vary under a model that says they were left out (+ASC_)\n"
    "  warnings  the search would run, but its result is doubtful or the time wasted: equal sequences, taxa or sites\n"
    "            that are all gaps, DNA under an amino-acid model, partitions without data for a taxon, fewer sites\n"
    "            than taxa, more free parameters than site patterns, only sites that vary under a model that does not\n"
    "            say that others were left out\n"
    "  notes     good to know: how many sites do not vary\n"
    "\n"
    "Exit codes: 0 the input can be searched, perhaps with warnings; 2 it cannot, or bad usage; 1 the output cannot\n"
    "be written, memory does not suffice, or an internal or MPI error.";

/// Whether the text is like a path. Names of models have dots in braces, or behind a Q.
bool is_like_path(std::string const& model) {
    auto const name = model.substr(0, model.find_first_of("{+"));
    return name.find('/') != std::string::npos ||
           (name.find('.') != std::string::npos && !name.starts_with("Q.") && !name.starts_with("q."));
}

/// Takes --model as --partitions if it is a file, such as PREFIX.bestModel, unless this is a matrix.
void look_for_model_file(Options::Input& input) {
    std::error_code error;
    if (!input.partitions.empty() || has_matrix_file(input.model)) return;
    if (!std::filesystem::is_regular_file(input.model, error)) {
        if (!is_like_path(input.model)) return;
        throw CLI::ValidationError("--model", "'" + input.model + "' is no model, and no file of this name is there");
    }
    input.partitions = std::exchange(input.model, "");
}

/// Reads four whole numbers, separated by commas.
std::vector<std::uint32_t> read_constant_sites(std::string_view text) {
    std::vector<std::uint32_t> numbers;
    for (auto rest = text;;) {
        auto const word = rest.substr(0, rest.find(','));
        std::uint32_t number = 0;
        auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error != std::errc() || end != word.data() + word.size()) break;
        numbers.push_back(number);
        if (word.size() == rest.size()) {
            if (numbers.size() != 4) break;
            return numbers;
        }
        rest.remove_prefix(word.size() + 1);
    }
    throw CLI::ValidationError("--constant-sites",
                               "'" + std::string(text) +
                                   "', expected four whole numbers with commas: how many sites have "
                                   "A, C, G and T, such as 1000,800,790,1010");
}

void add_input(CLI::App& app, Options& options, Command command) {
    auto& input = options.input;
    std::map<std::string, BranchLinkage> const linkages{
        {"linked", BranchLinkage::linked}, {"scaled", BranchLinkage::scaled}, {"unlinked", BranchLinkage::unlinked}};
    std::map<std::string, Criterion> const criteria{
        {"bic", Criterion::bic}, {"aicc", Criterion::aicc}, {"aic", Criterion::aic}};
    auto* const msa =
        add_file(
            app, "--msa", input.msa,
            "alignment in FASTA, PHYLIP, NEXUS, Stockholm, Clustal or A3M, or SNPs in VCF, also packed by gzip, bzip2, "
            "xz or zstd, or an .rgm file, whose partitions are used without --model and --partitions; "
            "-: standard input; not needed if the charsets of --partitions name alignments")
            ->required();
    common::add_names(app, input.names);
    app.add_option("--model", input.model,
                   "model, such as GTR+FC+G4m, JC, HKY+FO+I, TVM+R4, LG+G4m, GTR{1/2/1/1/2/1}+FU{.3/.2/.2/.3}, BIN, "
                   "MULTI7_MK; +ASC_LEWIS where sites that do not vary were left out; or a file, PREFIX.bestModel; or "
                   "auto, here or in the partition file (explained by regraft-phylo search --help); default: auto, "
                   "unless there are partitions")
        ->type_name("MODEL");
    add_file(app, "--partitions", input.partitions,
             "partition file of RAxML-NG or RAxML 8 (MODEL, NAME = RANGES per line), or NEXUS, where charsets "
             "without a charpartition take --model, and may name alignments of their own, as in 'charset a = "
             "genes.fa: 1-200', whose taxa are joined by name")
        ->each([msa](std::string const&) { msa->required(false); });
    if (command != Command::genes)
        add_word(app, "--brlen", input.linkage, linkages,
                 "how branch lengths of partitions depend on each other: linked, scaled (default) or unlinked");
    add_file(app, "--site-weights", input.site_weights,
             "file with a whole number for each site: how often it counts, 0 leaves it out");
    common::add_not_snps(app, input.not_snps);
    app.add_option_function<std::string>(
           "--constant-sites", [&input](std::string const& text) { input.constant_sites = read_constant_sites(text); },
           "how many constant sites with A, C, G and T there are that are not in the alignment, for DNA of which only "
           "variable sites were kept")
        ->type_name("A,C,G,T");
    add_file(app, "--site-frequencies", input.site_frequencies,
             "file with the frequencies of the states at each site, as --pmsf and IQ-TREE write it, which take "
             "the place of those of the model, such as LG+G4");
    add_file(app, "--reduced", input.reduced,
             "write the alignment in PHYLIP, without duplicate sequences and without taxa and sites that are all "
             "gaps, and its partitions, if any, to FILE.partitions");
    if (command == Command::check) return;
    if (command == Command::search)
        add_file(app, "--constraint,--tree-constraint", input.constraint,
                 "Newick tree of all taxa or some, whose splits all trees must have; it need not be resolved");
    add_word(app, "--criterion", input.criterion, criteria,
             "criterion by which --model auto chooses, and by which merge compares schemes: bic (default), aicc or aic",
             "NAME");
    app.add_option("--models", input.models,
                   "models among which --model auto, DNA or AA chooses: names, also with * for any letters, such as "
                   "HKY,GTR or LG,WAG,Q.*; LG stands for LG and LG+FC (default: all)")
        ->type_name("NAME,...");
    app.add_option("--rates", input.rates,
                   "rates over sites among which it chooses: E equal, I, G, I+G, R as many free categories as pay, or "
                   "a number of them, such as G8 or R4 (default: E,I,G,I+G,R)")
        ->type_name("WORD,...");
    if (command == Command::genes) return;
    auto const* const about = command == Command::test ? "Newick trees to test, each with all taxa"
                              : command == Command::merge
                                  ? "Newick tree on which partitions are merged (default: one by parsimony)"
                                  : "Newick trees to evaluate, or to start from";
    app.add_option(command == Command::test ? "--trees" : "--tree", input.tree, about)
        ->required(command == Command::test)
        ->type_name("FILE");
    if (command == Command::evaluate)
        app.add_flag("--fix-lengths", input.fix_lengths,
                     "keep the branch lengths of --tree, for all partitions, and optimise only the model");
}

void complete_input(Options& options) {
    auto& input = options.input;
    look_for_model_file(input);
    if (options.command == Command::genes) input.linkage = BranchLinkage::unlinked;  // and trees of their own
    if (!input.reduced.empty() && !input.site_weights.empty())
        throw CLI::ValidationError("--reduced", "has other sites than --site-weights, expected only one of both");
    if (!input.reduced.empty() && !input.constant_sites.empty())
        throw CLI::ValidationError("--reduced", "has other sites than --constant-sites, expected only one of both");
    if (!input.site_frequencies.empty() && !input.constant_sites.empty()) {
        throw CLI::ValidationError("--constant-sites",
                                   "has sites without --site-frequencies, expected only one of both");
    }
    if (!input.reduced.empty() && !input.site_frequencies.empty())
        throw CLI::ValidationError("--reduced", "has other sites than --site-frequencies, expected only one of both");
}

}  // namespace

Part const input_part{"Input", add_input, complete_input};

std::vector<std::string> Options::Input::files() const {
    std::vector<std::string> paths{model};
    for (auto const& path : {msa, partitions, site_weights, site_frequencies, tree, constraint})
        paths.push_back(path.string());
    return paths;
}

CommandHelp const check_help{
    Command::check, "check", "tell what is wrong with the input, before hours are spent on it",
    "  regraft-phylo check --msa a.phy\n"
    "  regraft-phylo check --msa a.phy --partitions genes.nex --model GTR+FC+G4m --json found.json --reduced small.phy\n",
    what_check_does};

}  // namespace regraft::phylo
