// The symbols of a block of the native coding in their order. The code is written once, for coders that count, write or
// read symbols.
//
// A coder has symbol(table, s), raw(table, bits, r) for the raw bits that belong to a symbol, and item(line, size,
// first, count, i). Each gets the value to be coded and returns it; a reader ignores what it gets and returns what it
// read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/native/history.hpp"
#include "codec/native/native_contexts.hpp"
#include "codec/native/native_model.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {

/// Codes a number whose symbol is known already.
template <class Coder>
std::uint32_t code_raw(Coder& coder, std::uint32_t table, std::uint32_t symbol, std::uint32_t number) {
    auto const [least, bits] = number_ranges[symbol];
    return bits == 0 ? least : least + coder.raw(table, bits, number - least);
}

template <class Coder>
std::uint32_t code_number(Coder& coder, std::uint32_t table, std::uint32_t number) {
    return code_raw(coder, table, coder.symbol(table, symbol_of(number)), number);
}

/// Codes `items`, which ascend and are below `size`; their number is the length of the span. The even line ends after
/// `size` items.
template <class Coder>
void code_items(Coder& coder, Line line, std::uint32_t size, std::span<std::uint32_t> items) {
    std::uint32_t first = 0;
    auto count = static_cast<std::uint32_t>(items.size());
    for (auto& item : items) {
        item = coder.item(line, size, first, count--, item);
        first = item + 1;
    }
}

/// The differences of a site's classes from those of the site before.
struct ClassStep {
    bool same = true;  // there are no differences
    std::uint8_t root = 0;
    std::vector<std::uint32_t> dropped;  // positions in the list of the last site's changes, ascending
    std::vector<std::uint32_t> added;    // edges - 1, ascending
    std::vector<std::uint8_t> targets;   // per added edge
};

/// The classes of a site: a root class and changes in pre-order. A block starts with class 0 everywhere.
struct ClassState {
    bool was_same = true;
    std::uint8_t root = 0;
    std::vector<Change> changes;  // `from` is unused

    ClassStep step_to(std::uint8_t next_root, std::span<Change const> next) const;
    void apply(ClassStep const& step);
};

enum Dropped : std::uint32_t { drop_none, drop_all, drop_some };

template <class Coder>
void code_classes(Coder& coder, TableLayout const& layout, std::uint32_t num_edges, ClassState& state,
                  ClassStep& step) {
    step.same = coder.symbol(layout.same_classes + (state.was_same ? 1 : 0), step.same ? 1 : 0) != 0;
    state.was_same = step.same;
    if (step.same) return;
    step.root = static_cast<std::uint8_t>(coder.symbol(layout.root_class + state.root, step.root));

    auto const before = static_cast<std::uint32_t>(state.changes.size());
    std::uint32_t dropped = drop_none;
    if (before != 0) {
        dropped = step.dropped.empty() ? drop_none : step.dropped.size() == before ? drop_all : drop_some;
        dropped = coder.symbol(layout.dropped + std::min(rough(before), 3U) - 1, dropped);
    }
    auto num_dropped = dropped == drop_none ? 0 : dropped == drop_all ? before : 0;
    if (dropped == drop_some) {
        num_dropped = code_number(coder, layout.drop_count, static_cast<std::uint32_t>(step.dropped.size()));
        if (num_dropped > before) throw InputError("a block drops more changes than there are");
    }
    step.dropped.resize(num_dropped);
    code_items(coder, Line::even, before, step.dropped);

    auto const num_added =
        code_number(coder, layout.add_count + rough(before), static_cast<std::uint32_t>(step.added.size()));
    if (num_added > num_edges) throw InputError("a block has more changes than there are edges");
    step.added.resize(num_added);
    step.targets.resize(num_added);
    code_items(coder, Line::class_edges, num_edges, step.added);
    std::uint32_t last = layout.num_classes;
    for (auto& target : step.targets) {
        target = static_cast<std::uint8_t>(coder.symbol(layout.class_target + last, target));
        last = target;
    }
}

/// The value in place of the number of changes if the residues follow directly, and its symbol.
inline constexpr std::uint32_t direct_residues = ~0U;
inline constexpr std::uint32_t direct_symbol = most_symbols - 1;

/// Codes the number of changes.
template <class Coder>
std::uint32_t code_count(Coder& coder, TableLayout const& layout, std::uint32_t num_edges, CountMemory& memory,
                         std::uint32_t count) {
    auto const table = layout.change_count + memory.context(layout.contexts.count);
    auto const symbol = coder.symbol(table, count == direct_residues ? direct_symbol : symbol_of(count));
    count = symbol == direct_symbol ? direct_residues : code_raw(coder, table, symbol, count);
    if (count > num_edges && count != direct_residues)
        throw InputError("a block has more changes than there are edges");
    memory.add(count);
    return count;
}

/// Codes the residues of a site one by one, each predicted by the one before.
template <class Coder, class Residues>
void code_direct(Coder& coder, TableLayout const& layout, Residues&& residues) {
    auto last = layout.num_residues;
    for (auto& residue : residues) {
        residue = static_cast<std::uint8_t>(coder.symbol(layout.direct + last, residue));
        last = residue;
    }
}

}  // namespace regraft::codec
