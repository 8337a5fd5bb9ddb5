// The probability of a change on each edge of the tree, in few bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/bit_stream.hpp"
#include "codec/entropy/frequency_table.hpp"
#include "codec/entropy/rans.hpp"
#include "regraft/codec/rooted_tree.hpp"

namespace regraft::codec {

/// How weights are rounded; the values are those of the format.
enum class WeightSteps : std::uint8_t { equal, octaves, half_octaves };

/// The weights of the edges above nodes 1, 2, ..., rounded to classes with a symbol each. The class of an edge is
/// predicted by the number of tips below it.
class EdgeWeights {
public:
    /// All weights are equal.
    explicit EdgeWeights(RootedTree const& tree);
    /// Weights from the number of events above each node. The rounding steps are those for which the weights and what
    /// is coded by them are smallest together.
    EdgeWeights(RootedTree const& tree, std::span<std::uint64_t const> events);
    /// Reads what write_tables and shares wrote. The reader of the symbols starts where that of the tables ends.
    explicit EdgeWeights(BitReader& tables);
    void read_classes(RootedTree const& tree, RansReader& in);

    void write_tables(BitWriter& out) const;
    void append_shares(RootedTree const& tree, std::vector<Share>& out) const;

    /// The weight of each edge, all > 0.
    std::vector<std::uint64_t> weights() const;
    /// log2(sum of all weights / weight) per node, with 8 fractional bits; 0 for the root.
    std::vector<std::uint32_t> costs() const;

private:
    EdgeWeights(RootedTree const& tree, std::span<std::uint64_t const> events, WeightSteps steps);
    std::uint64_t bits(std::span<std::uint64_t const> events) const;

    static constexpr std::uint32_t num_contexts = 3;
    WeightSteps steps_ = WeightSteps::equal;
    std::vector<std::uint8_t> classes_;  // per edge
    std::array<FrequencyTable, num_contexts> tables_;
    std::uint64_t class_cost_ = 0;  // cost of tables and classes, in bits with 8 fractional bits; known only to the
                                    // encoder
};

}  // namespace regraft::codec
