// Translates codons to amino acids.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/input.hpp"
#include "common/words.hpp"
#include "edit/edits.hpp"
#include "edit/genetic_code.hpp"
#include "edit/outputs.hpp"
#include "edit/rows.hpp"
#include "input/files.hpp"
#include "input/progress.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

/// A stop with an amino acid behind it.
struct StopWithin {
    std::size_t row = 0;
    std::size_t codon = 0;
};

/// What the user is told.
struct Notes {
    std::uint64_t stops = 0;  // within sequences
    std::optional<StopWithin> first;
    std::uint64_t broken = 0;  // codons with one gap or two
};

class Translator {
public:
    explicit Translator(TranslateOptions const& options)
        : code_(options.code), frame_(options.frame), stop_as_(options.stop_as) {}

    /// The number of amino acids of so many sites.
    std::size_t num_codons(std::size_t sites) const { return sites < offset() ? 0 : (sites - offset()) / 3; }
    std::size_t offset() const { return static_cast<std::size_t>(frame_ > 0 ? frame_ - 1 : -frame_ - 1); }

    /// Appends the amino acids of a row.
    void append(std::size_t row, std::string_view cells, std::string& amino_acids) {
        auto const count = num_codons(cells.size());
        std::size_t after_stop = 0;  // stops since the last amino acid
        std::size_t first_stop = 0;
        for (std::size_t codon = 0; codon < count; ++codon) {
            auto const meaning = translated(cells, offset() + 3 * codon);
            if (meaning == '*') {
                if (after_stop++ == 0) first_stop = codon;
            } else if (meaning != '-' && meaning != '?') {
                if (after_stop > 0 && !notes_.first) notes_.first = StopWithin{row, first_stop};
                notes_.stops += std::exchange(after_stop, 0);
            }
            amino_acids += meaning == '*' ? stop_as_ : meaning;
        }
    }
    Notes const& notes() const { return notes_; }

private:
    /// The base at a place of the strand that is read.
    char cell(std::string_view cells, std::size_t at) const {
        return frame_ > 0 ? cells[at] : cells[cells.size() - 1 - at];
    }
    msa::StateMask base(char cell) const {
        auto const mask = masks_[static_cast<unsigned char>(cell)];
        if (frame_ > 0) return mask;
        return (mask & 1) << 3 | (mask & 2) << 1 | (mask & 4) >> 1 | (mask & 8) >> 3;  // A with T, C with G
    }
    char translated(std::string_view cells, std::size_t at) {
        auto const a = cell(cells, at);
        auto const b = cell(cells, at + 1);
        auto const c = cell(cells, at + 2);
        if (a == b && b == c && (a == '-' || a == '?')) return a;
        if (a == '-' || b == '-' || c == '-') {
            ++notes_.broken;
            return 'X';
        }
        return code_.meaning(base(a), base(b), base(c));
    }

    GeneticCode code_;
    int frame_;
    char stop_as_;
    std::array<msa::StateMask, 256> masks_ = msa::state_masks(msa::Alphabet::dna);
    Notes notes_;
};

/// MAPLE has no amino acids, so what was MAPLE becomes FASTA.
msa::TextLayout layout_of_proteins(Opened const& source, Look const& look) {
    if (look.format == OutputFormat::maple)
        throw InputError("--format maple: MAPLE is for DNA, not for amino acids; expected fasta or phylip");
    auto layout = layout_for(source, all_rows(source), look);
    if (layout.format == msa::TextFormat::maple) return {};
    return layout;
}

std::string told(Notes const& notes, std::size_t left_over, Opened const& source) {
    std::string text;
    if (left_over > 0) text += fmt::format("; {} left over at the end", counted(left_over, "site"));
    if (notes.broken > 0) text += fmt::format("; {} with gaps in part, now X", counted(notes.broken, "codon"));
    if (notes.stops > 0)
        text += fmt::format("; {} within sequences, the first in taxon '{}', codon {}", counted(notes.stops, "stop"),
                            escaped(source.names()[notes.first->row]), notes.first->codon + 1);
    return text;
}

}  // namespace

void translate(TranslateOptions const& options) {
    auto const& places = options.places;
    auto const& input = places.inputs[0];
    Replacement result(input, places.output, places, Replacement::Result::text);
    Opened const source(input, options.general);
    auto const part = whole_of(source);
    check_is_dna(source, part, "translation");
    Translator translator(options);
    auto const codons = translator.num_codons(source.num_sites());
    if (codons == 0)
        throw InputError({shown_input(input)},
                         fmt::format("has {}, expected a codon", counted(source.num_sites(), "site")));
    RowReader read(part);
    MadeRows rows{{source.names().begin(), source.names().end()},
                  codons,
                  layout_of_proteins(source, options.look),
                  false,
                  {},
                  source.input()};
    rows.make = [&](std::size_t row, std::string& cells) { translator.append(row, read(row), cells); };
    result.finish([&](msa::TextSink const& sink) { write_text(rows, sink); });
    auto const left_over = source.num_sites() - translator.offset() - 3 * codons;
    say(options.general.verbosity,
        fmt::format("{}: {}, {} by code {}{}", shown_output(places.output), counted_taxa(rows.names.size()),
                    counted(codons, "codon"), options.code, told(translator.notes(), left_over, source)));
}

}  // namespace regraft::msa_cli
