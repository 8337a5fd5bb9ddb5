#include "options/iqtree_names.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <utility>

#include <fmt/format.h>

namespace regraft::phylo {
namespace {

/// An option of IQ-TREE, without dashes: it has one or two.
struct Theirs {
    std::string_view name;
    bool takes_value;
    std::string_view ours;     // the words here, before the value; empty: none
    std::string_view command;  // the command that it implies; empty: none
    std::string_view note;     // what to know about it; empty: nothing
};
constexpr bool with_value = true;
constexpr bool alone = false;

/// Stands for the option with trees that the command has: --tree, --trees or --bs-trees.
constexpr std::string_view tree_by_command = "TREE";
constexpr std::string_view their_lists = "--models takes names, such as GTR,HKY or LG,Q.*,mt*";
constexpr std::string_view number_of_categories = "R in --rates stands for as many as pay, and R4 for four";
constexpr std::string_view fixed_effort = "--effort fast, normal or thorough says how far a search goes";
constexpr std::string_view in_model = "it is a part of the model, such as GTR+F+I{0.2}+G4{0.5}";
constexpr std::string_view sampling =
    "sites are resampled in each partition; genes --sampling genesites also draws genes";
constexpr std::string_view always_written = "PREFIX.ufboot has the trees of replicates anyway";
constexpr std::string_view other_support = "there is no such support; --alrt N is the nearest";
constexpr std::string_view fixed_lengths = "loglh keeps the parameters of the model, too";

constexpr std::array iqtree_options{
    // Input.
    Theirs{"s", with_value, "--msa", "", ""},
    Theirs{"m", with_value, "--model", "", ""},
    Theirs{"p", with_value, "--partitions", "", ""},
    Theirs{"spp", with_value, "--partitions", "", ""},
    Theirs{"q", with_value, "--brlen linked --partitions", "", ""},
    Theirs{"Q", with_value, "--brlen unlinked --partitions", "", ""},
    Theirs{"sp", with_value, "--brlen unlinked --partitions", "", ""},
    Theirs{"S", with_value, "--partitions", "genes", ""},
    Theirs{"st", with_value, "", "", "the model says what the data are, such as LG+G4, BIN or MULTI7_MK"},
    Theirs{"seqtype", with_value, "", "", "the model says what the data are, such as LG+G4, BIN or MULTI7_MK"},
    Theirs{"fconst", with_value, "--constant-sites", "", ""},
    Theirs{"fs", with_value, "--site-frequencies", "", ""},
    Theirs{"site-freq", with_value, "--site-frequencies", "", ""},
    Theirs{"ft", with_value, "--pmsf --tree", "evaluate", "then search with --site-frequencies PREFIX.sitefreq"},
    Theirs{"tree-freq", with_value, "--pmsf --tree", "evaluate", "then search with --site-frequencies PREFIX.sitefreq"},
    Theirs{"a", with_value, "", "", in_model},
    Theirs{"i", with_value, "", "", in_model},
    Theirs{"c", with_value, "", "", in_model},
    Theirs{"keep-ident", alone, "", "", ""},
    // Trees.
    Theirs{"t", with_value, tree_by_command, "", ""},
    Theirs{"te", with_value, tree_by_command, "evaluate", ""},
    Theirs{"g", with_value, "--constraint", "", ""},
    Theirs{"o", with_value, "--outgroup", "", ""},
    Theirs{"blfix", alone, "--fix-lengths", "evaluate", fixed_lengths},
    Theirs{"show-lh", alone, "", "loglh", ""},
    Theirs{"n", with_value, "", "", fixed_effort},
    Theirs{"fast", alone, "--effort fast", "", ""},
    Theirs{"runs", with_value, "--starts", "", ""},
    Theirs{"allnni", alone, "", "", fixed_effort},
    Theirs{"ninit", with_value, "", "", fixed_effort},
    Theirs{"ntop", with_value, "", "", fixed_effort},
    Theirs{"nbest", with_value, "", "", fixed_effort},
    Theirs{"nstop", with_value, "", "", fixed_effort},
    Theirs{"nm", with_value, "", "", fixed_effort},
    Theirs{"nmax", with_value, "", "", fixed_effort},
    Theirs{"pers", with_value, "", "", fixed_effort},
    Theirs{"perturb", with_value, "", "", fixed_effort},
    Theirs{"radius", with_value, "", "", "--spr-radius N says how far subtrees are moved"},
    Theirs{"me", with_value, "", "", fixed_effort},
    Theirs{"epsilon", with_value, "", "", fixed_effort},
    Theirs{"czb", alone, "--collapse 2e-6", "", ""},
    Theirs{"polytomy", alone, "--collapse 2e-6", "", ""},
    Theirs{"terrace", alone, "", "", "terraces are not computed"},
    // Supports.
    Theirs{"B", with_value, "--ufboot", "", ""},
    Theirs{"bb", with_value, "--ufboot", "", ""},
    Theirs{"ufboot", with_value, "--ufboot", "", ""},
    Theirs{"b", with_value, "--bs-trees", "", ""},
    Theirs{"boot", with_value, "--bs-trees", "", ""},
    Theirs{"bo", with_value, "--bs-trees", "", ""},
    Theirs{"bonly", with_value, "--bs-trees", "", ""},
    Theirs{"bc", with_value, "--bs-trees", "", ""},
    Theirs{"bcon", with_value, "--bs-trees", "", ""},
    Theirs{"alrt", with_value, "--alrt", "", ""},
    Theirs{"tbe", alone, "", "", "--bs-trees writes PREFIX.supportTBE anyway"},
    Theirs{"abayes", alone, "", "", other_support},
    Theirs{"lbp", with_value, "", "", other_support},
    Theirs{"bnni", alone, "", "", "replicates are not optimised again; --bs-trees N searches on each"},
    Theirs{"wbt", alone, "", "", always_written},
    Theirs{"wbtl", alone, "", "", always_written},
    Theirs{"boot-trees", alone, "", "", always_written},
    Theirs{"bcor", with_value, "", "", "--ufboot makes as many replicates as it says"},
    Theirs{"bsam", with_value, "--sampling", "", ""},
    Theirs{"sampling", with_value, "--sampling", "", ""},
    // Choice of models, and of partitions to merge.
    Theirs{"merit", with_value, "--criterion", "", ""},
    Theirs{"AIC", alone, "--criterion aic", "", ""},
    Theirs{"AICc", alone, "--criterion aicc", "", ""},
    Theirs{"BIC", alone, "--criterion bic", "", ""},
    Theirs{"mset", with_value, "--models", "", ""},
    Theirs{"msub", with_value, "", "", their_lists},
    Theirs{"mfreq", with_value, "", "", "LG in --models stands for LG and LG+FC, and LG+FC for itself"},
    Theirs{"mrate", with_value, "--rates", "", ""},
    Theirs{"madd", with_value, "", "", "mixtures are no candidates; they are given by --model"},
    Theirs{"mdef", with_value, "", "", "a matrix in a file is a model, not a candidate: --model my.dat+G4"},
    Theirs{"cmin", with_value, "", "", number_of_categories},
    Theirs{"cmax", with_value, "", "", number_of_categories},
    Theirs{"mtree", alone, "", "", "models are chosen on one tree; leave it out"},
    Theirs{"merge", alone, "", "merge", ""},
    Theirs{"rcluster", with_value, "--merge-share", "merge", ""},
    Theirs{"rclusterf", with_value, "--merge-share", "merge", ""},
    // Tests of trees, and values of sites.
    Theirs{"z", with_value, "--trees", "test", ""},
    Theirs{"trees", with_value, "--trees", "test", ""},
    Theirs{"zb", with_value, "--samples", "", ""},
    Theirs{"test", with_value, "--samples", "", ""},
    Theirs{"zw", alone, "", "", ""},
    Theirs{"test-weight", alone, "", "", ""},
    Theirs{"au", alone, "", "", ""},
    Theirs{"test-au", alone, "", "", ""},
    Theirs{"wsl", alone, "--sitelh", "", ""},
    Theirs{"sitelh", alone, "--sitelh", "", ""},
    Theirs{"wsr", alone, "--site-rates", "", ""},
    Theirs{"rate", alone, "--site-rates", "", ""},
    Theirs{"mlrate", alone, "", "", "--site-rates writes rates by the empirical Bayesian method"},
    Theirs{"asr", alone, "--ancestral", "", ""},
    Theirs{"ancestral", alone, "--ancestral", "", ""},
    Theirs{"lmap", with_value, "", "", "quartets are not mapped"},
    // Files of trees.
    Theirs{"con", alone, "", "consensus", ""},
    Theirs{"con-tree", alone, "", "consensus", ""},
    Theirs{"minsup", with_value, "--threshold", "", ""},
    Theirs{"sup-min", with_value, "--threshold", "", ""},
    Theirs{"sup", with_value, "--tree", "support", ""},
    Theirs{"support", with_value, "--tree", "support", ""},
    Theirs{"rf_all", alone, "", "rfdist", ""},
    Theirs{"tree-dist-all", alone, "", "rfdist", ""},
    Theirs{"rf", with_value, "--tree", "rfdist", "rfdist --tree takes one tree"},
    Theirs{"tree-dist", with_value, "--tree", "rfdist", "rfdist --tree takes one tree"},
    Theirs{"gcf", with_value, "--gene-trees", "concordance", ""},
    Theirs{"scf", with_value, "--quartets", "concordance", ""},
    Theirs{"bi", with_value, "", "", "there is no burn-in; take the first trees out of the file"},
    Theirs{"burnin", with_value, "", "", "there is no burn-in; take the first trees out of the file"},
    // How it runs.
    Theirs{"pre", with_value, "--prefix", "", ""},
    Theirs{"prefix", with_value, "--prefix", "", ""},
    Theirs{"redo", alone, "--redo", "", ""},
    Theirs{"seed", with_value, "--seed", "", ""},
    Theirs{"nt", with_value, "--threads", "", ""},
    Theirs{"T", with_value, "--threads", "", ""},
    Theirs{"ntmax", with_value, "", "", ""},
    Theirs{"threads-max", with_value, "", "", ""},
    Theirs{"cptime", with_value, "--checkpoint-interval", "", ""},
    Theirs{"mem", with_value, "", "", "--memory MIB says how many MiB it may take"},
    Theirs{"safe", alone, "", "", ""},
    Theirs{"v", alone, "", "", ""},
    Theirs{"quiet", alone, "", "", ""},
};

/// Options of one dash, with any of which a command line is IQ-TREE's, and of two.
constexpr std::array iqtree_marks{"-s",  "-te",     "-sup",  "-con",       "-z",
                                  "-rf", "-rf_all", "-spp",  "-sp",        "-bb",
                                  "-B",  "-alrt",   "-nt",   "-p",         "-q",
                                  "-Q",  "-S",      "-t",    "-pre",       "-fs",
                                  "-ft", "--gcf",   "--scf", "--con-tree", "--tree-dist-all"};
/// Options of RAxML 8, whose other names are partly those of IQ-TREE.
constexpr std::array marks_of_raxml8{"-f", "-x", "-#", "-N"};

bool has_any(std::span<std::string const> words, auto const& names) {
    return std::ranges::any_of(words, [&](auto const& word) { return std::ranges::find(names, word) != names.end(); });
}

Theirs const* find_theirs(std::string_view option) {
    auto const name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
    auto const* const found = std::ranges::find(iqtree_options, name, &Theirs::name);
    return found == iqtree_options.end() ? nullptr : found;
}

std::vector<std::string> blank_separated(std::string_view words) {
    std::vector<std::string> result;
    for (auto const word : std::views::split(words, ' ')) {
        if (!word.empty()) result.emplace_back(word.begin(), word.end());
    }
    return result;
}

std::string in_lower_case(std::string text) {
    for (char& c : text) {
        if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

/// The name of a model here. MFP, TEST and the like choose one.
std::string model_for(std::string model) {
    constexpr std::string_view merging = "+MERGE";
    if (model.ends_with(merging)) model.resize(model.size() - merging.size());
    constexpr std::array automatic{"MFP", "MF", "TEST", "TESTONLY", "TESTNEW", "TESTNEWONLY"};
    auto const end = std::min(model.find('+'), model.size());
    auto const name = std::string_view(model).substr(0, end);
    return std::ranges::find(automatic, name) == automatic.end() ? model : "auto" + model.substr(end);
}

class IqtreeTranslation {
public:
    explicit IqtreeTranslation(std::span<std::string const> arguments) : arguments_(arguments) {}

    Answer run() {
        while (next_ < arguments_.size()) translate(arguments_[next_++]);
        std::vector<std::string> words{std::string(command_.empty() ? "search" : command_)};
        for (auto& given : given_) {
            if (!fits(given)) continue;
            std::ranges::move(given.words, std::back_inserter(words));
            if (given.value) words.push_back(*given.value);
        }
        bool const has_threshold = std::ranges::find(words, "--threshold") != words.end();
        if (command_ == "consensus" && !has_threshold) words.insert(words.end(), {"--threshold", "mre"});
        return {std::move(words), std::move(notes_)};
    }

private:
    /// An option here, whose last word takes the value.
    struct Given {
        std::vector<std::string> words;
        std::optional<std::string> value;
    };

    void translate(std::string const& word) {
        auto const* const theirs = word.starts_with('-') ? find_theirs(word) : nullptr;
        if (theirs == nullptr) {
            if (word.starts_with('-')) return note(word, "it is not known");
            return given_.push_back({{word}, std::nullopt});
        }
        std::optional<std::string> its_value;
        bool const follows = next_ < arguments_.size() && !arguments_[next_].starts_with('-');
        if (theirs->takes_value && follows) its_value = arguments_[next_++];
        if (theirs->name == "m" && its_value && its_value->ends_with("+MERGE")) command_ = "merge";
        if (theirs->name == "merge" && follows) ++next_;  // the algorithm
        if (!theirs->command.empty() && !is_kept(theirs->command)) command_ = theirs->command;
        if (!theirs->note.empty() && !(command_ == "test" && theirs->note == fixed_effort)) note(word, theirs->note);
        if (!theirs->ours.empty()) given_.push_back({blank_separated(theirs->ours), its_value});
    }

    /// Whether the command that is known already is more special than another.
    bool is_kept(std::string_view other) const {
        return command_ == "test" || command_ == "loglh" || (command_ == "concordance" && other == "evaluate");
    }

    void note(std::string_view option, std::string_view text) { notes_.push_back(fmt::format("{}: {}", option, text)); }

    /// The commands, in words, that have the option, if the command has it not.
    std::optional<std::string_view> others_with(std::string_view option) const {
        if (command_.empty()) return option == "--sampling" ? std::optional(sampling) : std::nullopt;
        auto const is_in = [&](auto const& options) { return std::ranges::find(options, option) != options.end(); };
        constexpr std::array only_in_search{"--constraint", "--effort", "--starts"};
        constexpr std::array also_in_evaluate{"--ufboot", "--alrt"};
        constexpr std::array also_in_genes{"--bs-trees", "--collapse"};
        bool const evaluates = command_ == "evaluate";
        if (is_in(only_in_search)) return "only search has it";
        if (is_in(also_in_evaluate) && !evaluates) return "only search and evaluate have it";
        if (is_in(also_in_genes) && !evaluates && command_ != "genes") return "only search, evaluate and genes have it";
        if (option == "--sampling" && command_ != "genes") return sampling;
        return std::nullopt;
    }

    /// Whether a value of -mset is the name of a program, whose models are meant.
    static bool is_program(std::string const& value) {
        constexpr std::array programs{"raxml",  "phyml",       "mrbayes",        "beast1",
                                      "beast2", "modelomatic", "partitionfinder"};
        return std::ranges::find(programs, in_lower_case(value)) != programs.end();
    }

    /// Changes an option and its value to what the command has in their place; false: it has nothing there.
    bool fits(Given& given) {
        auto& name = given.words.front();
        if (name == "--models" && given.value && is_program(*given.value)) {
            note("-mset", their_lists);
            return false;
        }
        if (auto const others = others_with(name)) {
            note(name, *others);
            return false;
        }
        if (name == "--fix-lengths" && command_ != "evaluate") return false;
        if (name == "--sampling" && given.value) {
            if (in_lower_case(*given.value) != "genesite") {
                note(name, sampling);
                return false;
            }
            given.value = "genesites";
        }
        bool const is_about_trees = command_ == "support" || command_ == "consensus" || command_ == "rfdist";
        if (name == "--threads") return given.value != "AUTO" && !is_about_trees && command_ != "concordance";
        if (name == "--seed") return !is_about_trees;
        if (name == "--threshold" && given.value == "0") given.value = "mre";
        if (name == "--starts" && given.value) given.value = fmt::format("pars{{{}}}", *given.value);
        if (name == "--criterion" && given.value) given.value = in_lower_case(*given.value);
        if (name == "--model" && given.value) given.value = model_for(*given.value);
        if (name != tree_by_command) return true;
        name = command_ == "support" ? "--bs-trees" : is_about_trees ? "--trees" : "--tree";
        constexpr std::array made{"PARS", "RAND", "RANDOM", "BIONJ", "NJ"};
        return command_ != "test" && std::ranges::find(made, given.value) == made.end();
    }

    std::span<std::string const> arguments_;
    std::size_t next_ = 1;
    std::string_view command_;
    std::vector<Given> given_;
    std::vector<std::string> notes_;
};

}  // namespace

std::optional<Answer> from_iqtree(std::span<std::string const> arguments) {
    if (arguments.size() < 3 || !arguments[1].starts_with('-')) return std::nullopt;
    auto const words = arguments.subspan(1);
    if (!has_any(words, iqtree_marks) || has_any(words, marks_of_raxml8)) return std::nullopt;
    return IqtreeTranslation(arguments).run();
}

std::optional<std::string> iqtree_advice(std::string_view option) {
    auto const* const theirs = find_theirs(option);
    if (theirs == nullptr) return std::nullopt;
    auto const ours = theirs->ours == tree_by_command ? "--tree" : theirs->ours;
    if (theirs->command.empty() && !ours.empty()) return fmt::format("{} is {} here", option, ours);
    if (!theirs->command.empty())
        return fmt::format("{} is {}{}{} here", option, theirs->command, ours.empty() ? "" : " ", ours);
    return fmt::format("{}: {}", option, theirs->note.empty() ? "leave it out" : theirs->note);
}

}  // namespace regraft::phylo
