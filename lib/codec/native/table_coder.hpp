// Codes tables of frequencies as differences from what is expected of them. The code is written once, for encoder and
// decoder.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "codec/entropy/adaptive.hpp"
#include "codec/entropy/frequency_table.hpp"
#include "codec/native/native_model.hpp"
#include "codec/native/prior.hpp"
#include "codec/native/symbols.hpp"

namespace regraft::codec {

/// The codes that are expected of tables, given those before.
class ExpectedTables {
public:
    ExpectedTables(TableLayout const& layout, Symbols const& symbols, std::uint32_t num_edges);

    /// The codes that are expected of a table of symbols. `before`: those of the tables before it.
    TableCodes of(std::uint32_t table, std::span<TableCodes const> before) const;
    /// Whether the symbols of a table are numbers. There is a table before it.
    bool is_of_numbers(std::uint32_t table) const;
    TableCodes const& numbers(std::uint32_t shape) const { return numbers_[shape]; }
    /// The shape of numbers from which codes differ least.
    std::uint32_t nearest_shape(TableCodes const& codes) const;
    /// The table of numbers before, or the one that is expected if there is none.
    TableCodes const& numbers_before(std::uint32_t table, std::span<TableCodes const> before) const;

    static constexpr std::uint32_t num_shapes = 1U << shape_bits;

private:
    TableLayout const& layout_;
    Residues kind_;
    std::vector<std::uint8_t> residues_;
    std::array<TableCodes, num_shapes> numbers_;
};

/// The adaptive models of differences between codes.
template <class Coder>
class TableCoder {
public:
    TableCoder(Coder& coder, ExpectedTables const& expected) : coder_(coder), expected_(expected) {}

    /// Codes all tables in order.
    void code(TableLayout const& layout, std::vector<TableCodes>& tables);

private:
    /// Tables of the same sort share adaptive bits.
    enum Sort : std::uint8_t { classes, numbers, residues, changes, num_sorts };
    struct Models {
        std::array<AdaptiveBit, 2> differs;  // by whether the last table of this sort does
        std::array<AdaptiveBit, 2> changed;  // a code, by whether the one before is
        AdaptiveBit up;
        AdaptiveNumber distance;
        bool last_differs = false;
    };
    static Sort sort_of(TableLayout const& layout, std::uint32_t table) {
        if (table == TableLayout::root_residue || table >= layout.direct) return residues;
        if (table >= layout.residue_target) return changes;
        return table >= layout.change_count || (table >= TableLayout::drop_count && table < TableLayout::root_residue)
                   ? numbers
                   : classes;
    }
    void code_differences(Models& models, TableCodes const& base, TableCodes& codes);
    void code_code(Models& models, std::uint8_t base, std::uint8_t& code, bool& before);
    void code_numbers(TableCodes const& before, TableCodes& codes);

    Coder& coder_;
    ExpectedTables const& expected_;
    std::array<Models, num_sorts> models_;
    AdaptiveBit as_before_;
    AdaptiveBits shape_{shape_bits};
};

template <class Coder>
void TableCoder<Coder>::code_code(Models& models, std::uint8_t base, std::uint8_t& code, bool& before) {
    bool const changed = models.changed[before ? 1 : 0].code(coder_, code != base);
    before = changed;
    if (!changed) {
        code = base;
        return;
    }
    bool const up = models.up.code(coder_, code > base);
    auto const distance =
        1 + models.distance.code(coder_, static_cast<std::uint32_t>(up ? code - base : base - code) - 1);
    auto const room = up ? largest_code - base : base;
    if (distance > static_cast<std::uint32_t>(room)) throw InputError("a frequency is out of range");
    code = static_cast<std::uint8_t>(up ? base + distance : base - distance);
}

template <class Coder>
void TableCoder<Coder>::code_differences(Models& models, TableCodes const& base, TableCodes& codes) {
    auto const differs = models.differs[models.last_differs ? 1 : 0].code(coder_, codes != base);
    models.last_differs = differs;
    if (!differs) {
        codes = base;
        return;
    }
    bool before = false;
    for (std::uint32_t s = 0; s < most_symbols; ++s) {
        if (base[s] == absent) {
            codes[s] = absent;
        } else {
            code_code(models, base[s], codes[s], before);
        }
    }
}

template <class Coder>
void TableCoder<Coder>::code_numbers(TableCodes const& before, TableCodes& codes) {
    if (as_before_.code(coder_, codes == before)) {
        codes = before;
        return;
    }
    auto const shape = shape_.code(coder_, Coder::decodes ? 0 : expected_.nearest_shape(codes));
    code_differences(models_[numbers], expected_.numbers(shape), codes);
}

template <class Coder>
void TableCoder<Coder>::code(TableLayout const& layout, std::vector<TableCodes>& tables) {
    for (std::uint32_t t = 0; t < layout.size; ++t) {
        auto const before = std::span(tables).first(t);
        if (expected_.is_of_numbers(t)) {
            code_numbers(expected_.numbers_before(t, before), tables[t]);
        } else {
            code_differences(models_[sort_of(layout, t)], expected_.of(t, before), tables[t]);
        }
    }
}

/// The codes of a layout's first tables.
struct ChosenTables {
    std::vector<TableCodes> codes;
    std::uint64_t bits = 0;  // estimated size of the codes and of what they code, with 8 fractional bits
};
/// Chooses codes for counts, so that codes and what they code are small together: those of the tables from the first
/// one that is not chosen yet up to `last`, which is not chosen.
ChosenTables choose_tables(ExpectedTables const& expected, std::span<SymbolCounts const> counts, std::uint32_t last,
                           ChosenTables chosen = {});

}  // namespace regraft::codec
