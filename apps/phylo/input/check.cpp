#include "input/check.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/alignment_input.hpp"
#include "common/input.hpp"
#include "common/output.hpp"
#include "common/program.hpp"
#include "files/file_texts.hpp"
#include "files/matrix_file.hpp"
#include "input/candidate_words.hpp"
#include "input/check_report.hpp"
#include "input/constant_sites.hpp"
#include "input/model_words.hpp"
#include "input/own_files.hpp"
#include "input/site_weights.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/alphabet.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/patterns.hpp"
#include "regraft/msa/text_layout.hpp"
#include "together/by_one.hpp"

namespace regraft::phylo {
namespace {

namespace fs = std::filesystem;

/// The number of occurrences of each character in partition q, with the weights of the sites.
msa::Histogram histogram(CheckedInput const& input, std::size_t q) {
    msa::Histogram result{};
    for (std::size_t taxon = 0; taxon < input.alignment.num_taxa(); ++taxon) {
        auto const row = input.alignment.row(taxon);
        for (auto const& range : input.partitions[q].sites) {
            for (std::uint64_t i = 0, size = range.size(); i < size; ++i)
                result[static_cast<unsigned char>(row[range[i]])] +=
                    input.site_weights.empty() ? 1 : input.site_weights[range[i]];
        }
    }
    return result;
}

/// The model to check with if the user gave none.
std::string likely_model(msa::Histogram const& histogram, msa::SetCharacters const& sets) {
    constexpr auto* dna = "GTR+FC+G4m";
    if (msa::character_table(histogram).kind == msa::CharacterKind::dna) return dna;
    auto const misfits = [&](msa::Alphabet alphabet) {
        std::uint64_t count = 0;
        for (std::size_t c = 0; c < histogram.size(); ++c) {
            if (msa::state_mask(alphabet, static_cast<char>(c), sets) == 0) count += histogram[c];
        }
        return count;
    };
    if (misfits(msa::Alphabet::binary) == 0) return "BIN+FC+G4m";
    for (std::uint32_t n = 3; n <= 10; ++n) {  // digits
        if (misfits(msa::Alphabet::multistate(n)) == 0) return fmt::format("MULTI{}_MK+G4m", n);
    }
    return misfits(msa::Alphabet::amino_acid) < misfits(msa::Alphabet::dna) ? "LG+G4m" : dna;
}

/// `stored` are the partitions that came with the alignment.
std::vector<msa::PartitionSpec> read_partitions(Options const& options, std::uint64_t num_sites,
                                                std::vector<msa::PartitionSpec> stored) {
    if (!options.input.partitions.empty())
        return msa::read_partitions(options.input.partitions, num_sites, options.input.model, is_model);
    if (options.input.model.empty() && !stored.empty()) return stored;
    if (options.command == Command::merge)
        throw InputError("--partitions is needed: there is nothing to merge without partitions");
    if (options.command == Command::genes) throw InputError("--partitions is needed: each partition gets a tree");
    if (num_sites == 0) return {};  // the findings will report this
    bool const is_to_be_chosen = options.input.model.empty() && options.command != Command::check;
    return {msa::whole_alignment(is_to_be_chosen ? std::string(automatic_model) : options.input.model, num_sites)};
}

/// Some model of the kind that is to be chosen.
ModelSpec some_model_of(ModelToChoose const& wanted, std::function<msa::Histogram()> const& histogram,
                        msa::SetCharacters const& sets) {
    auto const begin = wanted.begin.empty() ? likely_model(histogram(), sets) : std::string(wanted.begin);
    auto spec = likelihood::parse_model(begin + wanted.ascertainment);
    if (spec.alphabet == msa::Alphabet::dna || spec.alphabet == msa::Alphabet::amino_acid) return spec;
    throw InputError("model 'auto', the default, chooses among models of DNA and amino acids, but the data look like " +
                     spec.name + "; expected a model for these (--model)");
}

ModelSpec model_of(Options const& options, msa::PartitionSpec const& partition, bool has_scaler,
                   std::function<msa::Histogram()> const& histogram, msa::SetCharacters const& sets) {
    try {
        if (auto const wanted = model_to_choose(partition.model)) return some_model_of(*wanted, histogram, sets);
        auto spec = likelihood::parse_model(with_matrix(partition.model));
        if (spec.scaler_from && !has_scaler) {
            throw InputError("model '" + spec.text +
                             "' scales branch lengths (+B), expected several partitions and --brlen scaled");
        }
        return spec;
    } catch (InputError const& error) {
        if (options.input.partitions.empty() && !options.input.model.empty()) throw;
        auto const& file = options.input.partitions.empty() ? options.input.msa : options.input.partitions;
        throw InputError({file.string()}, "partition " + partition.name + ": " + error.what());
    }
}

bool lacks_states(ModelSpec const& spec, msa::Histogram const& histogram, msa::SetCharacters const& sets) {
    std::vector<msa::StateCount> counts;
    for (std::size_t i = 0; i < histogram.size(); ++i)
        counts.push_back({msa::state_mask(spec.alphabet, static_cast<char>(i), sets), histogram[i]});
    auto const missing = msa::missing_states(counts, spec.num_states());
    return missing != 0 && missing != msa::undetermined(spec.alphabet);
}

/// Finds partitions whose frequencies are counted although some states never occur.
void find_missing_states(CheckedInput& input) {
    for (std::size_t q = 0; q < input.specs.size(); ++q) {
        if (!input.specs[q].counts_frequencies() ||
            !lacks_states(input.specs[q], input.census.partitions[q].histogram, input.alignment.sets))
            continue;
        input.findings.push_back({msa::Severity::warning,
                                  "missing-states",
                                  "partition " + input.partitions[q].name +
                                      ": some states never occur; their frequencies are taken as 1e-12",
                                  {}});
    }
    std::ranges::stable_sort(input.findings, {}, &msa::Finding::severity);
}

/// Adds what can be done about constant sites under +ASC_.
void tell_cures(CheckedInput& input) {
    for (auto& finding : input.findings) {
        if (finding.check != "ascertainment") continue;
        finding.text +=
            "; regraft-msa trim --no-constant removes them, also those where one state is possible in all rows; without "
            "+ASC_, --constant-sites A,C,G,T adds the numbers of those that were left out";
    }
}

/// Says if lengths in the partition file have no effect.
void find_unused_lengths(CheckedInput& input) {
    auto const has_length = [](msa::PartitionSpec const& partition) { return partition.length > 0; };
    if (input.uses_lengths || std::ranges::none_of(input.partitions, has_length)) return;
    input.findings.push_back(
        {msa::Severity::warning,
         "tree-lengths",
         "the partition file gives lengths of partitions' trees, which are not used; they are with "
         "--brlen scaled, several partitions, a length for each, and no model to be chosen",
         {}});
}

/// The number of free scalers. One scaler is the unit of the branch lengths, unless some are given.
std::size_t free_scalers(std::span<ModelSpec const> specs) {
    auto const given = std::ranges::count(specs, std::optional(Origin::fixed), &ModelSpec::scaler_from);
    return specs.size() - static_cast<std::size_t>(std::max<std::ptrdiff_t>(given, 1));
}

/// The number of branch lengths of a tree.
std::uint64_t num_branches(CheckedInput const& input) {
    auto const num_taxa = input.alignment.num_taxa();
    return num_taxa < 2 ? 0 : 2 * num_taxa - 3;
}

fs::path reduced_partitions(Options const& options) {
    return fs::path(options.input.reduced) += ".partitions";
}

/// Checks that names fit relaxed PHYLIP, where a name ends at a blank.
void check_phylip_names(Options const& options, msa::Alignment const& alignment) {
    for (auto const& name : alignment.names) {
        if (name.find(' ') == std::string::npos) continue;
        throw InputError({options.input.reduced.string()}, "cannot be written as PHYLIP: taxon '" + name +
                                                               "' has a blank; expected names without blanks");
    }
}

/// Checks that all cells have characters, which sets of states of NEXUS have not.
void check_phylip_cells(Options const& options, msa::Alignment const& alignment) {
    if (std::ranges::none_of(alignment.cells, msa::is_state_set)) return;
    throw InputError({options.input.reduced.string()},
                     "cannot be written as PHYLIP: there are sets of states such as {01}; expected single states");
}

/// Throws InputError if a file that is written is one that is read.
void refuse_input(fs::path const& path, Options const& options, CheckedInput const& input) {
    common::refuse_input(path.string(), options.input.files());
    common::refuse_input(path.string(), input.own_files);
}

void refuse_existing(fs::path const& path, Options const& options, CheckedInput const& input) {
    if (path.empty()) return;
    refuse_input(path, options, input);
    std::error_code none;
    if (fs::is_directory(path, none)) throw InputError({path.string()}, "cannot be written: it is a directory");
    if (fs::exists(path, none) && !options.output.redo)
        throw InputError({path.string()}, "exists already; --redo overwrites it");
}

/// Reads the frequencies of sites, if there are some, and checks that the models go with them.
void add_site_frequencies(Options const& options, std::uint64_t num_sites, CheckedInput& input) {
    if (options.output.pmsf) check_has_site_frequencies(input.specs);
    if (options.input.site_frequencies.empty()) return;
    if (std::ranges::any_of(input.partitions, is_automatic))
        throw InputError("--site-frequencies: the model is to be chosen, expected one, such as LG+G4");
    check_takes_site_frequencies(input.specs);
    auto const file = options.input.site_frequencies.string();
    input.site_frequencies =
        parse_site_frequencies(common::read_text(file), file, num_sites, input.specs.front().num_states());
}

/// Begins with --msa, or with the alignments that charsets name.
CheckedInput begun(Options const& options) {
    if (auto joined = read_own_files(options)) {
        CheckedInput input;
        input.alignment = std::move(joined->alignment);
        input.num_columns = input.alignment.num_sites();
        input.has_partitions = true;
        input.partitions = std::move(joined->partitions);
        input.own_files = std::move(joined->paths);
        return input;
    }
    if (options.input.msa.empty()) {
        throw InputError(
            {options.input.partitions.string()},
            "names no alignments, expected --msa, or charsets of NEXUS such as 'charset a = genes.fa: *;'");
    }
    auto [alignment, stored, skipped] = common::read_alignment(options.input.msa, options.input.reading());
    auto const num_sites = alignment.num_sites();
    auto input = begin_check(options, std::move(alignment), num_sites, std::move(stored));
    input.skipped_records = skipped;
    return input;
}

CheckedInput read_and_check(Options const& options) {
    auto input = begun(options);
    auto const num_sites = input.alignment.num_sites();
    if (!options.input.site_weights.empty()) {
        auto const file = options.input.site_weights.string();
        input.site_weights = parse_site_weights(common::read_text(file), file, num_sites, input.partitions);
        input.origin_of_sites = fmt::format(", the weights of {}", num_sites);
    }
    input.shows_sites = options.output.writes_sites();
    bool const has_constant_sites = !options.input.constant_sites.empty() && num_sites > 0;
    if (has_constant_sites) append_constant_sites(options.input.constant_sites, input);
    add_models(options, input, [&](std::size_t q) { return histogram(input, q); });
    if (has_constant_sites) check_takes_constant_sites(input);
    add_site_frequencies(options, num_sites, input);
    add_findings(options, input,
                 msa::take_census(input.alignment, partitions_to_check(options, input), input.site_weights));
    return input;
}

/// The files for --reduced, if wanted: the alignment without duplicates and gaps, and its partitions.
FileTexts reduced_files(Options const& options, CheckedInput const& input) {
    if (options.input.reduced.empty()) return {};
    auto const [alignment, partitions] = msa::reduced(input.alignment, input.partitions, input.census);
    check_phylip_names(options, alignment);
    check_phylip_cells(options, alignment);
    // The alignment comes last: if it exists, so do its partitions.
    FileTexts files;
    if (input.has_partitions) files.emplace_back(reduced_partitions(options), msa::to_text(partitions));
    files.emplace_back(options.input.reduced, msa::to_text(alignment, {.format = msa::TextFormat::phylip}));
    return files;
}

void tell(Options const& options, CheckedInput const& input) {
    FileTexts files;
    if (input.can_be_searched()) files = reduced_files(options, input);
    if (!options.output.json.empty()) files.emplace_back(options.output.json, check_json(options, input));
    write_files(files);
    common::print(check_text(options, input));
}

/// Without a search, three taxa are enough: their tree is the only one.
void allow_three_taxa(Options const& options, CheckedInput& input) {
    auto const& supports = options.supports;
    bool const evaluates =
        options.command == Command::evaluate && supports.replicates + supports.ultrafast_replicates == 0;
    bool const searches = !evaluates && options.command != Command::loglh;
    if (searches || input.alignment.num_taxa() != 3) return;
    std::erase_if(input.findings, [](msa::Finding const& finding) {
        return finding.check == "few-taxa" && finding.severity == msa::Severity::error;
    });
}

}  // namespace

bool CheckedInput::can_be_searched() const {
    return findings.empty() || findings[0].severity != msa::Severity::error;
}

std::vector<msa::SiteStride> CheckedInput::counted_sites(std::size_t q) const {
    if (site_weights.empty()) return partitions[q].sites;
    return msa::strides_of(sites_with_weight(partitions[q], site_weights));
}

bool is_automatic(msa::PartitionSpec const& partition) {
    return is_to_be_chosen(partition.model);
}

CheckedInput begin_check(Options const& options, msa::Alignment alignment, std::uint64_t num_sites,
                         std::vector<msa::PartitionSpec> stored) {
    CheckedInput input;
    input.alignment = std::move(alignment);
    input.num_columns = num_sites;
    input.has_partitions = !options.input.partitions.empty() || (options.input.model.empty() && !stored.empty());
    input.partitions = read_partitions(options, num_sites, std::move(stored));
    return input;
}

void add_models(Options const& options, CheckedInput& input, HistogramOf const& histogram_of) {
    auto const& sets = input.alignment.sets;
    bool const have_scalers = options.input.linkage == BranchLinkage::scaled && input.partitions.size() > 1;
    if (have_scalers) input.uses_lengths = scale_by_lengths(input.partitions, input.site_weights);
    for (std::size_t q = 0; q < input.partitions.size(); ++q) {
        auto& partition = input.partitions[q];
        if (partition.model.empty()) partition.model = likely_model(histogram_of(q), sets);
        auto const histogram = [&] { return histogram_of(q); };
        partition.model = with_states(partition.model, histogram, sets);
        input.specs.push_back(model_of(options, partition, have_scalers, histogram, sets));
        // In files of RAxML, as --reduced writes them, DNA is a model.
        if (partition.model == "DNA") partition.model = automatic_model;
    }
    if (options.command != Command::check) input.candidates = candidates_of(options, input.partitions, input.specs);
}

std::vector<msa::PartitionToCheck> partitions_to_check(Options const& options, CheckedInput const& input) {
    bool const unlinked = options.input.linkage == BranchLinkage::unlinked;
    std::vector<msa::PartitionToCheck> partitions;
    for (std::size_t q = 0; q < input.specs.size(); ++q) {
        partitions.push_back(
            {.name = input.partitions[q].name,
             .alphabet = input.specs[q].alphabet,
             .sites = input.counted_sites(q),
             .free_parameters = likelihood::free_parameters(input.specs[q]) + (unlinked ? num_branches(input) : 0),
             .only_varying = input.specs[q].ascertainment != likelihood::Ascertainment::none});
    }
    return partitions;
}

void add_findings(Options const& options, CheckedInput& input, msa::Census census) {
    auto const partitions = partitions_to_check(options, input);
    auto shared = options.input.linkage == BranchLinkage::unlinked ? 0 : num_branches(input);
    if (options.input.linkage == BranchLinkage::scaled && !partitions.empty()) shared += free_scalers(input.specs);
    input.census = std::move(census);
    input.findings = msa::findings(input.alignment, partitions, shared, input.census);
    if (input.skipped_records > 0) {
        input.findings.push_back(
            {msa::Severity::warning,
             "skipped",
             fmt::format("{} of VCF skipped that {}",
                         input.skipped_records == 1 ? std::string("1 record")
                                                    : fmt::format("{} records", input.skipped_records),
                         input.skipped_records == 1 ? "is no SNP" : "are no SNPs"),
             {}});
    }
    std::ranges::stable_sort(input.findings, {}, &msa::Finding::severity);
    tell_cures(input);
    allow_three_taxa(options, input);
    if (!input.can_be_searched()) return;
    find_unused_lengths(input);
    find_only_varying(input);
    find_missing_states(input);
}

CheckedInput check_input(Options const& options) {
    return common::naming_files({options.input.msa.string(), options.input.partitions.string(),
                                 options.input.site_weights.string(), options.input.site_frequencies.string()},
                                [&] { return read_and_check(options); });
}

void prepare_reduced(Options const& options, CheckedInput const& input) {
    for (auto const& [path, text] : reduced_files(options, input)) {
        refuse_input(path, options, input);
        std::error_code none;
        bool const is_there = fs::is_regular_file(path, none) && common::read_text(path.string()) == text;
        if (!is_there) refuse_existing(path, options, input);
    }
}

void write_reduced(Options const& options, CheckedInput const& input) {
    write_files(reduced_files(options, input));
}

int check(ft::Communicator* comm, Options const& options) {
    std::optional<CheckedInput> input;
    auto const look = [&] {
        input = check_input(options);
        if (input->can_be_searched()) prepare_reduced(options, *input);
        refuse_existing(options.output.json, options, *input);
    };
    do_by_one(comm, look, [&] { tell(options, *input); });
    return input->can_be_searched() ? 0 : 2;
}

}  // namespace regraft::phylo
