// Describes the findings of a census in words.
#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "msa/sites/set_cells.hpp"
#include "msa/text/text.hpp"
#include "regraft/msa/checks.hpp"

namespace regraft::msa {
namespace {

constexpr std::size_t items_shown = 10;

/// A number with its noun: "1 taxon", "2 taxa".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return std::to_string(count) + ' ' + std::string(count == 1 ? one : many);
}
std::string taxa(std::uint64_t count) {
    return counted(count, "taxon", "taxa");
}
std::string sites(std::uint64_t count) {
    return counted(count, "site", "sites");
}

/// The first of `count` items, and the number of the others. item(i) returns a text.
template <class Item>
std::string first_few(std::uint64_t count, std::string_view separator, Item&& item) {
    auto const shown = std::min<std::uint64_t>(count, items_shown);
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) text.append(i == 0 ? "" : separator).append(item(i));
    return count > shown ? text + " ... and " + std::to_string(count - shown) + " more" : text;
}

/// Runs of consecutive sites, counted from 1 as in files.
std::string ranges_of(std::span<std::uint64_t const> increasing) {
    std::vector<std::string> shown;
    std::uint64_t count = 0;
    for (std::size_t first = 0; first < increasing.size(); ++count) {
        auto last = first;
        while (last + 1 < increasing.size() && increasing[last + 1] == increasing[last] + 1) ++last;
        if (shown.size() < items_shown) {
            shown.push_back(std::to_string(increasing[first] + 1));
            if (last > first) shown.back() += '-' + std::to_string(increasing[last] + 1);
        }
        first = last + 1;
    }
    return first_few(count, ", ", [&](std::size_t i) { return shown[i]; });
}

struct Cell {
    std::size_t taxon = 0;
    std::uint64_t site = 0;
};

/// The first cell of a partition with one of some symbols. Precondition: there is one.
Cell first_of(std::span<char const> symbols, Alignment const& alignment, PartitionToCheck const& partition) {
    std::array<bool, 256> is_one{};
    for (char const c : symbols) is_one[static_cast<unsigned char>(c)] = true;
    for (std::size_t taxon = 0;; ++taxon) {
        auto const row = alignment.row(taxon);
        auto first = row.size();
        for (auto const& range : partition.sites) {
            for (std::uint64_t i = 0, size = range.size(); i < size && range[i] < first; ++i) {
                if (is_one[static_cast<unsigned char>(row[range[i]])]) first = range[i];
            }
        }
        if (first < row.size()) return {taxon, first};
    }
}

/// The symbols that occur and for which is_meant is true, the most frequent first.
template <class IsMeant>
std::vector<char> symbols_in(Histogram const& histogram, IsMeant is_meant) {
    std::vector<char> symbols;
    for (std::size_t i = 0; i < histogram.size(); ++i) {
        if (histogram[i] > 0 && is_meant(static_cast<char>(i))) symbols.push_back(static_cast<char>(i));
    }
    std::ranges::stable_sort(symbols, std::greater<>{},
                             [&](char c) { return histogram[static_cast<unsigned char>(c)]; });
    return symbols;
}

/// The symbols that are not in the alphabet.
std::vector<char> misfits_of(Histogram const& histogram, Alphabet alphabet, SetCharacters const& sets) {
    return symbols_in(histogram, [&](char c) { return state_mask(alphabet, c, sets) == 0; });
}

/// The symbols that stand for unknown bases here, and often for something else elsewhere.
std::vector<char> odd_gaps_of(Histogram const& histogram, Alphabet alphabet) {
    if (alphabet != Alphabet::dna) return {};
    return symbols_in(histogram, [](char c) { return std::string_view(".*!").find(c) != std::string_view::npos; });
}

/// "'.' (12 cells), '!' (1 cell)".
std::string with_counts(std::vector<char> const& symbols, Histogram const& histogram, SetCharacters const& sets,
                        Alphabet alphabet) {
    return first_few(symbols.size(), ", ", [&](std::size_t i) {
        auto const cells = histogram[static_cast<unsigned char>(symbols[i])];
        return shown_symbol(symbols[i], sets, alphabet) + " (" + counted(cells, "cell", "cells") + ')';
    });
}

/// Data that look like DNA are taken for DNA only if they have at least three of its letters.
bool has_three_bases(Histogram const& histogram) {
    auto const occurs = [&](char upper, char lower) {
        return histogram[static_cast<unsigned char>(upper)] + histogram[static_cast<unsigned char>(lower)] > 0 ? 1 : 0;
    };
    bool const has_t = occurs('T', 't') + occurs('U', 'u') > 0;
    return occurs('A', 'a') + occurs('C', 'c') + occurs('G', 'g') + (has_t ? 1 : 0) >= 3;
}

/// The answers of one pass over all partitions: the numbers of those that the findings name, and sums.
struct Answers {
    std::vector<std::size_t> misfits;      // with symbols that are not in the alphabet
    std::vector<std::size_t> not_varying;  // with sites that do not vary, which the model excludes
    std::vector<std::size_t> odd_gaps;     // with symbols that may mean something else
    std::vector<std::size_t> dna;          // looks like DNA, but the model is for amino acids
    std::vector<std::size_t> protein;      // the other way round
    std::vector<std::size_t> lacking;      // without data for some taxa
    std::vector<std::size_t> poor;         // with fewer patterns than parameters
    std::uint64_t patterns = 0;
    std::uint64_t parameters = 0;
    std::uint64_t invariant = 0;  // sites
    std::uint64_t gaps = 0;       // sites without data
};

Answers look_at(std::span<PartitionToCheck const> partitions, Census const& census, SetCharacters const& sets) {
    Answers answers;
    for (std::size_t q = 0; q < partitions.size(); ++q) {
        auto const& partition = partitions[q];
        auto const& counts = census.partitions[q];
        auto const note = [&](bool is_so, std::vector<std::size_t>& list) {
            if (is_so) list.push_back(q);
        };
        auto const looks_like = character_table(counts.histogram).kind;
        bool const is_dna = looks_like == CharacterKind::dna && has_three_bases(counts.histogram);
        note(!misfits_of(counts.histogram, partition.alphabet, sets).empty(), answers.misfits);
        note(partition.only_varying && counts.first_not_varying, answers.not_varying);
        note(!odd_gaps_of(counts.histogram, partition.alphabet).empty(), answers.odd_gaps);
        note(partition.alphabet == Alphabet::amino_acid && is_dna, answers.dna);
        note(partition.alphabet == Alphabet::dna && looks_like == CharacterKind::amino_acid, answers.protein);
        note(counts.empty_taxa.count > 0, answers.lacking);
        note(counts.num_patterns < partition.free_parameters, answers.poor);
        answers.patterns += counts.num_patterns;
        answers.parameters += partition.free_parameters;
        answers.invariant += counts.invariant_sites;
        answers.gaps += counts.gap_sites;
    }
    return answers;
}

class Writer {
public:
    Writer(Alignment const& alignment, std::span<PartitionToCheck const> partitions, Census const& census)
        : alignment_(alignment),
          partitions_(partitions),
          census_(census),
          answers_(look_at(partitions, census, alignment.sets)) {}

    std::vector<Finding> write(std::uint64_t shared_parameters);

private:
    void too_small();
    void misfits();
    void misfits_in(std::size_t q);
    void not_varying();
    void no_data();
    void odd_gaps();
    void other_alphabets();
    void empty_partitions();
    void twins();
    void few_sites(std::uint64_t shared_parameters);
    void invariant_sites();

    void add(Severity severity, char const* check, std::string text, TextPosition where = {}) {
        findings_.push_back({severity, check, std::move(text), std::move(where)});
    }
    void warn(char const* check, std::string text) { add(Severity::warning, check, std::move(text)); }
    std::string name_of(std::uint32_t taxon) const { return in_quotes(alignment_.names[taxon]); }
    template <class Taxa>
    std::string names_of(std::uint64_t count, Taxa const& first) const {
        return first_few(count, ", ", [&](std::size_t i) { return name_of(first[i]); });
    }
    std::string partition(std::size_t q) const { return "partition " + in_quotes(partitions_[q].name); }
    /// Combines texts about some partitions in one finding.
    std::string about(std::vector<std::size_t> const& which,
                      std::function<std::string(std::size_t)> const& text) const {
        return first_few(which.size(), "; ", [&](std::size_t i) { return text(which[i]); });
    }

    Alignment const& alignment_;
    std::span<PartitionToCheck const> partitions_;
    Census const& census_;
    Answers answers_;
    std::vector<Finding> findings_;
};

std::vector<Finding> Writer::write(std::uint64_t shared_parameters) {
    too_small();
    misfits();
    if (answers_.misfits.empty()) {  // cells that do not fit were counted as gaps
        not_varying();
        no_data();
        odd_gaps();
        other_alphabets();
        empty_partitions();
        twins();
        few_sites(shared_parameters);
        invariant_sites();
    }
    std::ranges::stable_sort(findings_, {}, &Finding::severity);
    return std::move(findings_);
}

void Writer::too_small() {
    if (alignment_.num_taxa() < min_taxa) {
        add(Severity::error, "few-taxa",
            taxa(alignment_.num_taxa()) + ", expected at least " + std::to_string(min_taxa) + " for a tree search");
    }
    if (census_.num_sites == 0) add(Severity::error, "few-sites", "no sites, expected at least 1");
}

void Writer::misfits() {
    auto const& wrong = answers_.misfits;
    auto const shown = std::min(wrong.size(), items_shown);
    for (std::size_t i = 0; i < shown; ++i) misfits_in(wrong[i]);
    if (wrong.size() == shown) return;
    add(Severity::error, "symbols",
        "... and " + counted(wrong.size() - shown, "partition", "partitions") + " more with symbols that do not fit");
}

void Writer::misfits_in(std::size_t q) {
    auto const alphabet = partitions_[q].alphabet;
    auto const& histogram = census_.partitions[q].histogram;
    auto const symbols = misfits_of(histogram, alphabet, alignment_.sets);
    auto const first = first_of(symbols, alignment_, partitions_[q]);
    bool const is_protein = alphabet == Alphabet::dna && character_table(histogram).kind == CharacterKind::amino_acid;
    auto text = partition(q) + ", taxon " + name_of(static_cast<std::uint32_t>(first.taxon)) + ", site " +
                std::to_string(first.site + 1) + ": not a " + std::string(name(alphabet)) +
                " symbol; these are not: " + with_counts(symbols, histogram, alignment_.sets, alphabet) +
                "; allowed are " + std::string(allowed_symbols(alphabet));
    if (is_protein) text += "; it looks like amino acids, which need another model, such as LG+G4m";
    add(Severity::error, "symbols", std::move(text), alignment_.position(first.taxon, first.site));
}

void Writer::not_varying() {
    auto const& wrong = answers_.not_varying;
    if (wrong.empty()) return;
    auto const number_and_first = [&](std::size_t q) {
        auto const& counts = census_.partitions[q];
        return partition(q) + " has " + sites(counts.invariant_sites + counts.gap_sites) + ", the first is site " +
               std::to_string(*counts.first_not_varying + 1);
    };
    add(Severity::error, "ascertainment",
        "the model corrects for sites that do not vary having been left out (+ASC_), but some are there: " +
            about(wrong, number_and_first) + "; remove them, or the correction",
        alignment_.position(0, *census_.partitions[wrong[0]].first_not_varying));
}

void Writer::no_data() {
    if (census_.num_sites == 0) return;
    if (census_.gap_taxa.size() == alignment_.num_taxa()) {
        add(Severity::error, "gap-taxa", "there are only gaps and unknown characters, no data");
        return;
    }
    if (auto const& gaps = census_.gap_taxa; !gaps.empty()) {
        warn("gap-taxa", taxa(gaps.size()) + " without data, only gaps, which may stand anywhere in the tree: " +
                             names_of(gaps.size(), gaps));
    }
    if (auto const& gaps = census_.gap_sites; !gaps.empty())
        warn("gap-sites", sites(answers_.gaps) + " without data, only gaps, which only cost time: " + ranges_of(gaps));
}

void Writer::odd_gaps() {
    auto const& found = answers_.odd_gaps;
    if (found.empty() || census_.gap_taxa.size() == alignment_.num_taxa()) return;
    auto const symbols_of = [&](std::size_t q) {
        auto const& histogram = census_.partitions[q].histogram;
        auto const alphabet = partitions_[q].alphabet;
        return partition(q) + " has " +
               with_counts(odd_gaps_of(histogram, alphabet), histogram, alignment_.sets, alphabet);
    };
    TextPosition where;
    if (!alignment_.cells.empty()) {
        auto const& histogram = census_.partitions[found[0]].histogram;
        auto const symbols = odd_gaps_of(histogram, partitions_[found[0]].alphabet);
        auto const first = first_of(symbols, alignment_, partitions_[found[0]]);
        where = alignment_.position(first.taxon, first.site);
    }
    add(Severity::warning, "odd-gaps",
        "symbols that count as unknown bases, like '?', although other programs may mean something else by them, such "
        "as '.' for the base of the first row: " +
            about(found, symbols_of),
        std::move(where));
}

void Writer::other_alphabets() {
    auto const named = [&](std::size_t q) { return partition(q); };
    if (!answers_.dna.empty())
        warn("alphabet", "looks like DNA, but the model is for amino acids: " + about(answers_.dna, named));
    if (!answers_.protein.empty())
        warn("alphabet", "looks like amino acids, but the model is for DNA: " + about(answers_.protein, named));
}

void Writer::empty_partitions() {
    auto const& lacking = answers_.lacking;
    if (lacking.empty()) return;
    warn("empty-partitions", counted(lacking.size(), "partition", "partitions") +
                                 " without data for some taxa: " + about(lacking, [&](std::size_t q) {
                                     auto const& [count, first] = census_.partitions[q].empty_taxa;
                                     return in_quotes(partitions_[q].name) + " for " + taxa(count) + " (" +
                                            names_of(count, first) + ')';
                                 }));
}

void Writer::twins() {
    auto const& groups = census_.twins;
    if (groups.size() == 0) return;
    auto const superfluous = groups.values.size() - groups.size();
    warn("twins", counted(superfluous, "sequence is", "sequences are") +
                      " the same as others; where they join is arbitrary, and their branches have no length: " +
                      first_few(groups.size(), "; ", [&](std::size_t i) {
                          return first_few(groups[i].size(), " = ",
                                           [&](std::size_t j) { return name_of(groups[i][j]); });
                      }));
    auto const different = alignment_.num_taxa() - superfluous;
    if (different < min_taxa && alignment_.num_taxa() >= min_taxa) {
        warn("few-taxa", "only " + std::to_string(different) + " different sequences, which have a single topology");
    }
}

void Writer::few_sites(std::uint64_t shared_parameters) {
    auto const patterns = answers_.patterns;
    auto const parameters = answers_.parameters + shared_parameters;
    if (auto const num_sites = census_.num_sites; 0 < num_sites && num_sites < alignment_.num_taxa())
        warn("few-sites", sites(num_sites) + " for " + taxa(alignment_.num_taxa()) + ", too few for a reliable tree");
    if (patterns < parameters && census_.num_sites > 0) {
        warn("few-patterns", counted(patterns, "site pattern", "site patterns") + " for " +
                                 counted(parameters, "free parameter", "free parameters") +
                                 " (branch lengths and models), which are estimated poorly");
    }
    if (answers_.poor.empty() || partitions_.size() == 1) return;
    warn("few-patterns",
         "too few site patterns for the model's free parameters, a simpler model or a larger "
         "partition would help: " +
             about(answers_.poor, [&](std::size_t q) {
                 return in_quotes(partitions_[q].name) + " (" + std::to_string(census_.partitions[q].num_patterns) +
                        " for " + std::to_string(partitions_[q].free_parameters) + ')';
             }));
}

void Writer::invariant_sites() {
    auto const invariant = answers_.invariant;
    auto const with_data = census_.num_sites - answers_.gaps;
    if (with_data == 0) return;
    if (invariant == with_data) {
        warn("invariant-sites", "no site varies, so all trees are equally good");
    } else if (invariant > 0) {
        add(Severity::note, "invariant-sites",
            std::to_string(invariant) + " of " + sites(census_.num_sites) + " do not vary");
    }
}

}  // namespace

std::string_view name(Severity severity) {
    switch (severity) {
        case Severity::error:
            return "error";
        case Severity::warning:
            return "warning";
        case Severity::note:
            break;
    }
    return "note";
}

std::vector<Finding> findings(Alignment const& alignment, std::span<PartitionToCheck const> partitions,
                              std::uint64_t shared_parameters, Census const& census) {
    return Writer(alignment, partitions, census).write(shared_parameters);
}

}  // namespace regraft::msa
