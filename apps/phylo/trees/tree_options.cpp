#include "trees/tree_options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <map>
#include <string_view>

#include <CLI/CLI.hpp>

#include "common/command_line.hpp"

namespace regraft::phylo {
namespace {

constexpr char const* what_support_does =
    "Writes PREFIX.support: the reference tree. The node below each inner edge has the support of that edge by the\n"
    "replicates.\n"
    "\n"
    "  fbp   the share of replicates that have the edge's split, in percent (Felsenstein 1985)\n"
    "  tbe   transfer bootstrap expectation, 0 to 1: 1 - d / (p - 1). The edge has p taxa on its smaller side; on\n"
    "        average d taxa must be moved to turn the most similar split of a replicate into the edge's (Lemoine et\n"
    "        al. 2018). It is kinder to large trees, where a single stray taxon spoils a split\n"
    "\n"
    "  regraft-phylo support --tree best.nwk --bs-trees replicates.nwk\n"
    "  regraft-phylo support --tree best.nwk --bs-trees replicates.nwk --metric tbe --prefix tbe\n"
    "  regraft-phylo support --tree best.nwk --bs-trees replicates.nwk --outgroup chicken,turkey\n";

constexpr char const* what_consensus_does =
    "Writes PREFIX.consensus: a tree of the splits that the trees agree on, with the share of trees that have each, in\n"
    "percent, and mean branch lengths.\n"
    "\n"
    "  mr      splits of more than half of the trees (majority rule)\n"
    "  0.75    splits of more than 75 % of them; any number from 0.5 to 1, or, as RAxML-NG has it, mr75\n"
    "  strict  splits of all trees\n"
    "  mre     splits of more than half, and then less frequent ones as long as they fit (extended majority rule)\n"
    "\n"
    "  regraft-phylo consensus --trees replicates.nwk\n"
    "  regraft-phylo consensus --trees replicates.nwk --threshold mre --prefix all\n";

constexpr char const* what_rfdist_does =
    "Writes PREFIX.rfDistances: a line for each pair of trees, with their numbers (from 0), how many splits are in only\n"
    "one of them (Robinson and Foulds 1981), and the same divided by 2 (n - 3) for n taxa. With --tree, lines for the\n"
    "distances from the reference to each tree, whose number comes first.\n"
    "\n"
    "  regraft-phylo rfdist --trees searches.nwk\n"
    "  regraft-phylo rfdist --trees searches.nwk --tree best.nwk --json distances.json\n";

constexpr char const* what_concordance_does =
    "Tells for each inner edge of a tree how many gene trees and sites agree with it (Minh, Hahn and Lanfear 2020):\n"
    "\n"
    "  gCF   of the gene trees that are decisive for the edge, those that have it, in percent. A tree is decisive if it\n"
    "        has taxa of each of the four subtrees around the edge; gN is the number of these\n"
    "  gDF1, gDF2  those that have one of the two edges that an interchange of neighbours puts there\n"
    "  gDFP  those that have none of the three\n"
    "  sCF, sDF1, sDF2  the same for sites, as means over quartets of taxa, one of each subtree. A site is decisive for a\n"
    "        quartet if two of the taxa have one state, and the other two another; sN is the mean number of these\n"
    "\n"
    "Output: PREFIX.concordance (the tree with labels gCF/sCF), PREFIX.concordanceEdges (the tree with the numbers of\n"
    "edges) and PREFIX.concordanceTable (a line for each of these, in the columns of IQ-TREE).\n"
    "\n"
    "  regraft-phylo concordance --tree best.nwk --gene-trees genes.nwk\n"
    "  regraft-phylo concordance --tree best.nwk --gene-trees genes.nwk --msa a.phy --quartets 1000\n";

constexpr char const* exit_codes =
    "Exit codes: 0 done, 1 output cannot be written, or internal or MPI error, 2 bad input or usage.";
constexpr char const* about_trees =
    "\nTrees are Newick, over the same taxa, with nodes of any degree, rooted (which is ignored) or not.\n";

std::string lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// A threshold by name or as a number; none if it is neither.
std::optional<double> parse_threshold(std::string const& text) {
    auto const word = lower_case(text);
    if (word == "strict") return msa::strict_consensus;
    if (word == "mr") return msa::majority_rule;
    if (word == "mre") return msa::extended_majority_rule;
    bool const is_percentage = word.starts_with("mr");
    auto const digits = std::string_view(word).substr(is_percentage ? 2 : 0);
    double number = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    if (is_percentage) number /= 100;
    if (!(0.5 <= number && number <= 1)) return std::nullopt;
    return number;
}

void add_output_options(CLI::App& app, TreeOptions& options, std::string const& named_after) {
    app.add_option("--prefix", options.prefix, "how the output file's name begins (default: " + named_after + ")")
        ->check(problem_of_prefix)
        ->type_name("PATH");
    app.add_flag("--redo", options.redo, "overwrite output files");
}

void add_outgroup(CLI::App& app, TreeOptions& options) {
    app.add_option("--outgroup", options.outgroup, "a taxon, or several that are a clade, at which the tree is rooted")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("TAXON,...");
    std::map<std::string, TreeFormat> const formats{{"newick", TreeFormat::newick}, {"nexus", TreeFormat::nexus}};
    app.add_option("--format", options.format,
                   "format of the tree: newick (default), or nexus, with supports as FigTree shows them")
        ->transform(common::one_of(formats))
        ->type_name("NAME");
}

void add_support(CLI::App& app, TreeOptions& options) {
    std::map<std::string, msa::SupportMetric> const metrics{{"fbp", msa::SupportMetric::felsenstein},
                                                            {"tbe", msa::SupportMetric::transfer}};
    auto* const support =
        app.add_subcommand("support", "compute how far bootstrap replicates support the edges of a tree");
    support->add_option("--tree", options.tree, "the reference, in Newick format")->required()->type_name("FILE");
    support->add_option("--bs-trees", options.trees, "the replicates, in Newick format")->required()->type_name("FILE");
    support->add_option("--metric,--bs-metric", options.metric, "what support is: fbp (default) or tbe")
        ->transform(common::one_of(metrics))
        ->type_name("NAME");
    add_outgroup(*support, options);
    add_output_options(*support, options, "the name of --tree");
    support->footer(std::string(what_support_does) + about_trees + exit_codes);
}

void add_consensus(CLI::App& app, TreeOptions& options) {
    auto* const consensus = app.add_subcommand("consensus", "write what trees have in common, as a tree");
    consensus->add_option("--trees", options.trees, "a file of trees")->required()->type_name("FILE");
    consensus
        ->add_option_function<std::string>(
            "--threshold",
            [&options](std::string const& text) {
                auto const threshold = parse_threshold(text);
                if (!threshold) {
                    throw CLI::ValidationError("--threshold", "'" + text +
                                                                  "', expected strict, mr, mre or a number from 0.5 to "
                                                                  "1");
                }
                options.threshold = *threshold;
            },
            "strict, mr (default), mre, or a number from 0.5 to 1")
        ->type_name("HOW");
    add_outgroup(*consensus, options);
    add_output_options(*consensus, options, "the name of --trees");
    consensus->footer(std::string(what_consensus_does) + about_trees + exit_codes);
}

void add_rfdist(CLI::App& app, TreeOptions& options) {
    auto* const rfdist = app.add_subcommand("rfdist", "compute distances between trees (Robinson and Foulds)");
    rfdist->add_option("--trees", options.trees, "a file of trees")->required()->type_name("FILE");
    rfdist->add_option("--tree", options.tree, "a reference: compute only the distances to it")->type_name("FILE");
    rfdist->add_option("--json", options.json, "write distances and summary for programs")->type_name("FILE");
    add_output_options(*rfdist, options, "the name of --trees");
    rfdist->footer(std::string(what_rfdist_does) + about_trees + exit_codes);
}

void add_concordance(CLI::App& app, TreeOptions& options) {
    auto* const concordance =
        app.add_subcommand("concordance", "compute how many gene trees and sites agree with each edge of a tree");
    concordance->add_option("--tree", options.tree, "the tree, in Newick format")->required()->type_name("FILE");
    auto* const genes = concordance->add_option("--gene-trees", options.trees,
                                                "gene trees, in Newick format, each with all taxa or some");
    genes->type_name("FILE");
    auto* const msa = concordance->add_option("--msa", options.msa, "alignment, in any format that search reads");
    msa->type_name("FILE");
    common::add_names(*concordance, options.reading.names);
    common::add_not_snps(*concordance, options.reading.not_snps);
    concordance
        ->add_option("--quartets", options.quartets, "quartets of taxa that are drawn for each edge (default 100)")
        ->check(common::whole(1, 100'000'000))
        ->type_name("N");
    concordance->add_option("--seed", options.seed, "seed of the draw (default 1)")
        ->check(common::whole(0, ~std::uint64_t{0}))
        ->type_name("N");
    concordance->add_option("--json", options.json, "write the table, with the taxa of each edge, for programs")
        ->type_name("FILE");
    concordance->callback([genes, msa] {
        if (genes->empty() && msa->empty())
            throw CLI::ValidationError("concordance", "needs --gene-trees, --msa or both");
    });
    add_outgroup(*concordance, options);
    add_output_options(*concordance, options, "the name of --tree");
    concordance->footer(std::string(what_concordance_does) +
                        "\nTrees are Newick, with nodes of any degree, rooted (which is ignored) or not.\n" +
                        exit_codes);
}

/// Takes options with their values out of the words.
void leave_out(std::vector<std::string>& words, std::initializer_list<std::string_view> names) {
    for (auto const name : names) {
        auto const found = std::ranges::find(words, name);
        if (found != words.end()) words.erase(found, std::min(found + 2, words.end()));
    }
}

}  // namespace

std::string problem_of_prefix(std::string const& prefix) {
    auto const name = std::filesystem::path(prefix).filename();
    if (prefix.empty() || (!name.empty() && name != "." && name != "..")) return "";
    return prefix + " is a folder; expected how the names of files begin, such as " +
           (std::filesystem::path(prefix).parent_path() / "NAME").string();
}

void add_tree_commands(CLI::App& app, TreeOptions& options) {
    add_support(app, options);
    add_consensus(app, options);
    add_rfdist(app, options);
    add_concordance(app, options);
}

std::optional<TreeCommand> parsed_tree_command(CLI::App const& app) {
    if (app.got_subcommand("support")) return TreeCommand::support;
    if (app.got_subcommand("consensus")) return TreeCommand::consensus;
    if (app.got_subcommand("rfdist")) return TreeCommand::rfdist;
    if (app.got_subcommand("concordance")) return TreeCommand::concordance;
    return std::nullopt;
}

std::vector<std::string> trees_from_raxml(std::span<std::string const> arguments) {
    std::map<std::string, std::string> const commands{
        {"--support", "support"}, {"--rfdist", "rfdist"}, {"--rf", "rfdist"}, {"--consense", "consensus"}};
    std::vector<std::string> words;
    for (auto const& argument : arguments) {  // --name=value
        auto const end = argument.starts_with("--") ? argument.find('=') : std::string::npos;
        words.push_back(argument.substr(0, end));
        if (end != std::string::npos) words.push_back(argument.substr(end + 1));
    }
    auto const is_command = [&](std::string const& word) { return commands.contains(word); };
    auto given = std::ranges::find_if(words, is_command);
    // This program's command lines have the command in front.
    if (given == words.end() || !words[1].starts_with("-")) return {arguments.begin(), arguments.end()};
    auto const command = commands.at(*given);
    leave_out(words, {"--threads", "--workers", "--seed"});
    given = std::ranges::find_if(words, is_command);
    auto const after = words.erase(given);
    if (command == "consensus" && after != words.end() && !after->starts_with("-")) words.insert(after, "--threshold");
    if (command != "support") std::ranges::replace(words, "--tree", "--trees");
    words.insert(words.begin() + 1, command);
    return words;
}

}  // namespace regraft::phylo
