#include <charconv>
#include <string>
#include <string_view>

#include "options/parts.hpp"

namespace regraft::phylo {
namespace {

constexpr std::uint32_t most_replicates = 1'000'000;
constexpr std::uint32_t automatic_replicates = 1000;

/// Reads "100", "auto", "auto{500}", or autoMRE, as RAxML-NG calls it.
void read_replicates(std::string_view text, Options::Supports& supports) {
    auto number = text;
    for (std::string_view const name : {"autoMRE", "auto"}) {
        if (!number.starts_with(name)) continue;
        number.remove_prefix(name.size());
        supports.until_convergence = true;
        break;
    }
    if (supports.until_convergence && number.starts_with('{') && number.ends_with('}')) {
        number = number.substr(1, number.size() - 2);
    } else if (supports.until_convergence && number.empty()) {
        supports.replicates = automatic_replicates;
        return;
    }
    auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), supports.replicates);
    if (error != std::errc() || end != number.data() + number.size() || supports.replicates > most_replicates) {
        throw CLI::ValidationError("--bs-trees", "'" + std::string(text) + "', expected a number up to " +
                                                     std::to_string(most_replicates) + ", auto, or auto{AT MOST}");
    }
}

void add_supports_of_genes(CLI::App& app, Options::Supports& supports) {
    std::map<std::string, Sampling> const samplings{{"sites", Sampling::sites}, {"genesites", Sampling::genesites}};
    add_number(app, "--bs-trees", supports.replicates, 1U, most_replicates,
               "bootstrap: also search N times on resampled sites of each gene: supports of the gene trees, and "
               "PREFIX.geneBootstraps");
    add_word(app, "--sampling", supports.sampling, samplings,
             "what a replicate of --bs-trees resamples: sites (default), in each gene; or genesites: it draws as many "
             "genes as there are, and then sites in each of them",
             "WHAT");
}

void add_supports(CLI::App& app, Options& options, Command command) {
    if (command == Command::genes) return add_supports_of_genes(app, options.supports);
    if (command != Command::search && command != Command::evaluate) return;
    auto& supports = options.supports;
    add_number(app, "--alrt", supports.alrt_replicates, 1U, 65535U,
               "SH-aLRT: support of the best tree's edges by likelihoods of N samples of the sites, such as 1000");
    app.add_option_function<std::string>(
           "--bs-trees", [&supports](std::string const& text) { read_replicates(text, supports); },
           command == Command::evaluate
               ? "bootstrap: search on N resampled alignments, and count the given tree's splits; auto: on 50, 100, ... "
                 "until they suffice, at most 1000, or N with auto{N}"
               : "bootstrap: also search on N resampled alignments; auto: on 50, 100, ... until they suffice, at most 1000, "
                 "or N with auto{N}")
        ->type_name("N|auto");
    add_number(app, "--ufboot", supports.ultrafast_replicates, 2U, 100'000U,
               "ultrafast bootstrap: supports by N replicates, such as 1000, that are not searched one by one: their "
               "likelihoods are resampled from those of rearrangements of the best trees");
    if (command == Command::evaluate) return;
    app.add_flag_callback(
        "--all", [&supports] { supports.all = true; },
        "compute supports for the edges of the best tree: --ufboot 1000, unless there is --bs-trees, and --alrt 1000");
}

void complete_supports(Options& options) {
    auto& supports = options.supports;
    if (supports.sampling != Sampling::sites && supports.replicates == 0)
        throw CLI::ValidationError("--sampling", "is of replicates, expected also --bs-trees N");
    if (supports.all && supports.replicates == 0 && supports.ultrafast_replicates == 0)
        supports.ultrafast_replicates = automatic_replicates;
    if (supports.all && supports.alrt_replicates == 0) supports.alrt_replicates = automatic_replicates;
}

}  // namespace

Part const supports_part{"Support", add_supports, complete_supports};

}  // namespace regraft::phylo
