#include "check.hpp"

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "regraft/core/errors.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/patterns.hpp"
#include "regraft/msa/text_layout.hpp"
#include "report.hpp"

namespace regraft::phylo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t text_width = 110;
constexpr std::size_t partitions_shown = 20;

/// A model to check with if the user gave none.
std::string likely_model(msa::Alignment const& alignment) {
    constexpr auto* dna = "GTR+FC+G4m";
    if (msa::character_table(alignment).kind == msa::CharacterKind::dna) return dna;
    auto const misfits = [&](msa::Alphabet alphabet) {
        return std::ranges::count_if(alignment.cells, [&](char c) { return msa::state_mask(alphabet, c) == 0; });
    };
    return misfits(msa::Alphabet::amino_acid) < misfits(msa::Alphabet::dna) ? "LG+G4m" : dna;
}

std::vector<msa::PartitionSpec> read_partitions(Options const& options, msa::Alignment const& alignment) {
    if (!options.partitions.empty())
        return msa::read_partitions(options.partitions, alignment.num_sites(), options.model);
    if (alignment.num_sites() == 0) return {};  // one of the findings
    return {
        msa::whole_alignment(options.model.empty() ? likely_model(alignment) : options.model, alignment.num_sites())};
}

ModelSpec model_of(Options const& options, msa::PartitionSpec const& partition) {
    try {
        auto spec = likelihood::parse_model(partition.model);
        static_cast<void>(alphabet(spec));  // there is one
        if (spec.ascertainment != likelihood::Ascertainment::none) {
            throw InputError("model '" + spec.text + "': corrections for ascertainment are not made, expected none");
        }
        return spec;
    } catch (InputError const& error) {
        if (options.partitions.empty()) throw;
        throw InputError({options.partitions.string()}, "partition " + partition.name + ": " + error.what());
    }
}

bool lacks_states(ModelSpec const& spec, msa::Histogram const& histogram) {
    std::vector<msa::StateCount> counts;
    for (std::size_t i = 0; i < histogram.size(); ++i)
        counts.push_back({msa::state_mask(alphabet(spec), static_cast<char>(i)), histogram[i]});
    auto const missing = msa::missing_states(counts, spec.num_states);
    return missing != 0 && missing != msa::undetermined(alphabet(spec));
}

/// Partitions whose frequencies are counted, though some states never occur.
void find_missing_states(CheckedInput& input) {
    for (std::size_t q = 0; q < input.specs.size(); ++q) {
        if (!input.specs[q].counts_frequencies() || !lacks_states(input.specs[q], input.census.partitions[q].histogram))
            continue;
        input.findings.push_back({msa::Severity::warning,
                                  "missing-states",
                                  "partition " + input.partitions[q].name +
                                      ": some states never occur; their frequencies are taken as 1e-12",
                                  {}});
    }
    std::ranges::stable_sort(input.findings, {}, &msa::Finding::severity);
}

void run_checks(Options const& options, CheckedInput& input) {
    auto const num_taxa = input.alignment.num_taxa();
    auto const num_branches = num_taxa < 2 ? 0 : 2 * num_taxa - 3;
    bool const unlinked = options.linkage == BranchLinkage::unlinked;
    std::vector<msa::PartitionToCheck> partitions;
    for (std::size_t q = 0; q < input.specs.size(); ++q) {
        partitions.push_back(
            {.name = input.partitions[q].name,
             .alphabet = alphabet(input.specs[q]),
             .sites = msa::sites_of(input.partitions[q]),
             .free_parameters = likelihood::free_parameters(input.specs[q]) + (unlinked ? num_branches : 0)});
    }
    auto shared = unlinked ? 0 : num_branches;
    if (options.linkage == BranchLinkage::scaled && !partitions.empty()) shared += partitions.size() - 1;
    input.census = msa::take_census(input.alignment, partitions);
    input.findings = msa::findings(input.alignment, partitions, shared, input.census);
    if (input.can_be_searched()) find_missing_states(input);
}

fs::path reduced_partitions(Options const& options) {
    return fs::path(options.reduced) += ".partitions";
}

/// A relaxed PHYLIP name ends at a blank.
void check_phylip_names(Options const& options, msa::Alignment const& alignment) {
    for (auto const& name : alignment.names) {
        if (name.find(' ') == std::string::npos) continue;
        throw InputError({options.reduced.string()},
                         "cannot be written as PHYLIP: taxon '" + name + "' has a blank; expected names without");
    }
}

std::string wrapped(std::string_view text, std::size_t indent) {
    std::string result;
    auto room = text_width - indent;
    while (text.size() > room) {
        auto const blank = text.rfind(' ', room);
        auto const end = blank == std::string_view::npos || blank == 0 ? text.find(' ', room) : blank;
        if (end == std::string_view::npos) break;
        result.append(text.substr(0, end)).append("\n").append(indent, ' ');
        text.remove_prefix(end + 1);
    }
    return result.append(text);
}

std::string to_text(msa::Finding const& finding) {
    constexpr std::size_t indent = 9;
    // The place as InputError writes it.
    auto const text =
        finding.where.file.empty() ? finding.text : std::string(InputError(finding.where, finding.text).what());
    return fmt::format("{:<{}}{}\n", name(finding.severity), indent, wrapped(text, indent));
}

/// The first partitions, and how many more there are.
std::string partition_table(CheckedInput const& input) {
    auto const shown = std::span(input.partitions).first(std::min(input.partitions.size(), partitions_shown));
    std::size_t name_width = std::string_view("partition").size();
    std::size_t model_width = std::string_view("model").size();
    for (auto const& partition : shown) {
        name_width = std::max(name_width, partition.name.size());
        model_width = std::max(model_width, partition.model.size());
    }
    auto const row = [&](auto const& name, auto const& model, auto const& sites, auto const& patterns,
                         auto const& invariant) {
        return fmt::format("{:<{}}  {:<{}}  {:>9}  {:>9}  {:>9}\n", name, name_width, model, model_width, sites,
                           patterns, invariant);
    };
    auto text = row("partition", "model", "sites", "patterns", "invariant");
    for (std::size_t q = 0; q < shown.size(); ++q) {
        auto const& counts = input.census.partitions[q];
        text += row(shown[q].name, shown[q].model, msa::sites_of(shown[q]).size(), counts.num_patterns,
                    counts.invariant_sites);
    }
    auto const more = input.partitions.size() - shown.size();
    return more == 0 ? text : text + fmt::format("... and {} more\n", more);
}

std::string verdict(Options const& options, CheckedInput const& input) {
    auto const count = [&](msa::Severity severity) {
        return std::ranges::count(input.findings, severity, &msa::Finding::severity);
    };
    auto const warnings = count(msa::Severity::warning);
    if (!input.can_be_searched()) return "This cannot be searched: first mend what is called an error.\n";
    std::string text =
        warnings == 0 ? "This can be searched.\n" : "This can be searched, but read the warnings first.\n";
    bool const is_reducible =
        input.census.twins.size() + input.census.gap_taxa.size() + input.census.gap_sites.size() > 0;
    if (is_reducible && options.reduced.empty())
        text += "--reduced FILE writes the alignment without what is there twice or without data.\n";
    return text;
}

std::string to_text(Options const& options, CheckedInput const& input) {
    auto text = fmt::format("{}: {} taxa, {} sites\n\n", options.msa.string(), input.alignment.num_taxa(),
                            input.alignment.num_sites());
    if (!input.partitions.empty()) text += partition_table(input) + '\n';
    if (options.model.empty() && options.partitions.empty() && !input.partitions.empty())
        text += fmt::format("No --model was given: {} fits these characters.\n\n", input.partitions[0].model);
    for (auto const& finding : input.findings) text += to_text(finding);
    return text + (input.findings.empty() ? "" : "\n") + verdict(options, input);
}

template <class Taxa>
Json names(CheckedInput const& input, Taxa const& taxa) {
    auto list = Json::array();
    for (auto taxon : taxa) list.push_back(input.alignment.names[taxon]);
    return list;
}

Json to_json(msa::Finding const& finding) {
    Json json{{"severity", name(finding.severity)}, {"check", finding.check}, {"text", finding.text}};
    if (finding.where.line > 0) {
        json["line"] = finding.where.line;
        json["column"] = finding.where.column;
    }
    return json;
}

Json partition_to_json(CheckedInput const& input, std::size_t q) {
    auto const& counts = input.census.partitions[q];
    return {{"name", input.partitions[q].name},
            {"model", input.partitions[q].model},
            {"sites", msa::sites_of(input.partitions[q]).size()},
            {"patterns", counts.num_patterns},
            {"invariant_sites", counts.invariant_sites},
            {"taxa_without_data", counts.empty_taxa.count + input.census.gap_taxa.size()},
            {"model_parameters", likelihood::free_parameters(input.specs[q])}};
}

/// Complete, where the texts give a few names. Sites count from 1, as in partition files.
std::string to_json(Options const& options, CheckedInput const& input) {
    Json json{{"program", "regraft-phylo"},
              {"version", REGRAFT_VERSION},
              {"command", "check"},
              {"msa", options.msa.string()},
              {"taxa", input.alignment.num_taxa()},
              {"sites", input.alignment.num_sites()},
              {"can_be_searched", input.can_be_searched()},
              {"findings", Json::array()},
              {"partitions", Json::array()},
              {"same_sequences", Json::array()},
              {"taxa_without_data", names(input, input.census.gap_taxa)},
              {"sites_without_data", Json::array()}};
    for (auto const& finding : input.findings) json["findings"].push_back(to_json(finding));
    for (std::size_t q = 0; q < input.partitions.size(); ++q) json["partitions"].push_back(partition_to_json(input, q));
    auto const& twins = input.census.twins;
    for (std::size_t i = 0; i < twins.size(); ++i) json["same_sequences"].push_back(names(input, twins[i]));
    for (auto site : input.census.gap_sites) json["sites_without_data"].push_back(site + 1);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

void refuse_existing(fs::path const& path, Options const& options) {
    if (path.empty()) return;
    std::error_code none;
    for (auto const& input : {options.msa, options.partitions, options.tree}) {
        if (fs::equivalent(path, input, none)) throw InputError({path.string()}, "is the input; expected another name");
    }
    if (fs::is_directory(path, none)) throw InputError({path.string()}, "cannot be written: it is a directory");
    if (fs::exists(path, none) && !options.redo)
        throw InputError({path.string()}, "exists already; --redo overwrites it");
}

void tell(Options const& options, CheckedInput const& input) {
    fmt::print("{}", to_text(options, input));
    std::fflush(stdout);  // a death after the agreement that this was told must not take it along
    if (!options.json.empty()) write_file(options.json, to_json(options, input));
    if (input.can_be_searched()) write_reduced(options, input);
}

}  // namespace

bool CheckedInput::can_be_searched() const {
    return findings.empty() || findings[0].severity != msa::Severity::error;
}

CheckedInput check_input(Options const& options) {
    CheckedInput input;
    input.alignment = msa::read_alignment(options.msa);
    input.partitions = read_partitions(options, input.alignment);
    for (auto const& partition : input.partitions) input.specs.push_back(model_of(options, partition));
    run_checks(options, input);
    return input;
}

void prepare_reduced(Options const& options) {
    refuse_existing(options.reduced, options);
    if (!options.reduced.empty() && !options.partitions.empty()) refuse_existing(reduced_partitions(options), options);
}

void write_reduced(Options const& options, CheckedInput const& input) {
    if (options.reduced.empty()) return;
    auto const [alignment, partitions] = msa::reduced(input.alignment, input.partitions, input.census);
    check_phylip_names(options, alignment);
    // The alignment last: where it is, its partitions are.
    if (!options.partitions.empty()) write_file(reduced_partitions(options), msa::to_text(partitions));
    write_file(options.reduced, msa::to_text(alignment, {.format = msa::TextFormat::phylip}));
}

int check(ft::Communicator& comm, Options const& options) {
    auto const input = check_input(options);
    std::string problem;
    auto const attempt = [&](bool& is_done, auto const& step) {
        try {
            if (!std::exchange(is_done, true)) step();
        } catch (InputError const& error) {
            problem = error.what();
        }
    };
    bool has_looked = false;
    bool has_told = false;
    auto const body = [&] {
        // Everybody looks before anybody writes: what is there afterwards may be by one who has died.
        attempt(has_looked, [&] {
            prepare_reduced(options);
            refuse_existing(options.json, options);
        });
        if (!comm.agree(problem.empty())) return false;
        if (comm.leads()) attempt(has_told, [&] { tell(options, input); });
        // Agreements do not see the dead: if nobody has told, then because it was for a dead one to do.
        if (comm.agree(!has_told)) comm.declare_failure("check");
        return comm.agree(problem.empty());
    };
    bool const is_told = ft::resilient(comm, body, [](ft::Failure const&) {});
    if (!problem.empty()) throw InputError(problem);
    return is_told && input.can_be_searched() ? 0 : 2;
}

}  // namespace regraft::phylo
