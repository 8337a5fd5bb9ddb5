// The model of the native coding, which all blocks of an alignment share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/frequency_table.hpp"
#include "codec/entropy/weighted_line.hpp"
#include "codec/native/edge_weights.hpp"
#include "codec/native/symbols.hpp"
#include "regraft/codec/rooted_tree.hpp"

namespace regraft::codec {

/// What predicts the number of changes of a site.
enum class CountContext : std::uint8_t { none, last_site, last_and_third_last_site };
/// What predicts the new state of a residue: the old state alone, or also the changes of the site so far.
enum class TargetContext : std::uint8_t { state, state_and_candidate };

struct Contexts {
    CountContext count = CountContext::none;
    TargetContext target = TargetContext::state;
};

/// The numbers of the tables: each field is the number of the first table of a kind. A kind has one table per context.
struct TableLayout {
    TableLayout(std::uint32_t num_classes, std::uint32_t num_residues, Contexts contexts);

    std::uint32_t num_classes;
    std::uint32_t num_residues;
    Contexts contexts;

    static constexpr std::uint32_t same_classes = 0;  // [2]: whether it was so at the last site
    static constexpr std::uint32_t dropped = 2;       // [3]: rough number of edges with a change of class
    static constexpr std::uint32_t drop_count = 5;    // a number
    static constexpr std::uint32_t add_count = 6;     // [5]: a number; context: the number of edges
    static constexpr std::uint32_t root_residue = 11;
    static constexpr std::uint32_t root_class = 12;  // [num_classes]: context: that of the last site
    std::uint32_t class_target;                      // [num_classes + 1]: context: that of the last edge
    std::uint32_t change_count;                      // [1, 5 or 25]: a number
    std::uint32_t residue_target;                    // [num_residues, or that times candidates]
    std::uint32_t direct;                            // [num_residues + 1]: context: the last residue
    std::uint32_t size;

    std::uint32_t num_symbols(std::uint32_t table) const;
};

/// Numbers are coded as a symbol (one each for 0 to 7, then two per octave up to 63, then one per octave) and raw bits.
struct NumberRange {
    std::uint32_t least = 0;
    std::uint32_t raw_bits = 0;
};
/// Ranges by symbol. The last one has too many raw bits to be coded.
extern std::array<NumberRange, most_symbols> const number_ranges;
/// Precondition: number < 2^23.
std::uint32_t symbol_of(std::uint32_t number);

/// Throws InputError if there are too many taxa: then weights of edges would be too small for shares.
void check_native_taxa(RootedTree const& tree);

/// Everything except the tree that is needed to read a block.
struct NativeModel {
    Symbols symbols;
    TableLayout layout;
    std::vector<FrequencyTable> tables;
    EdgeWeights residue_edges;
    EdgeWeights class_edges;

    /// The bytes of the model. read() decodes them, and throws InputError for bytes that write did not write.
    std::vector<std::byte> write(RootedTree const& tree) const;
    static NativeModel read(std::span<std::byte const> bytes, RootedTree const& tree);
};

/// What sets of items are drawn from: edges by their weights, or items that are all equal.
enum class Line : std::uint8_t { residue_edges, class_edges, even };

/// The lines of a model.
class NativeLines {
public:
    NativeLines(NativeModel const& model, RootedTree const& tree);

    WeightedLine const& of(Line line) const { return lines_[static_cast<std::size_t>(line)]; }
    /// The number of items of the line before those that are used. Of the even line the last `size` items are used.
    std::uint32_t skipped(Line line, std::uint32_t size) const {
        return line == Line::even ? of(line).size() - size : 0;
    }
    Share share(Line line, std::uint32_t size, std::uint32_t first, std::uint32_t count, std::uint32_t item) const {
        auto const before = skipped(line, size);
        return of(line).share(first + before, count, item + before);
    }

private:
    std::array<WeightedLine, 3> lines_;
};

}  // namespace regraft::codec
