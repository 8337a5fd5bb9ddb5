// The probability of a change on each edge of the tree, in few bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/adaptive.hpp"
#include "regraft/codec/rooted_tree.hpp"

namespace regraft::codec {

/// How weights are rounded; the values are those of the format.
enum class WeightSteps : std::uint8_t { equal, octaves, half_octaves };

/// The bits of a class of weights.
inline constexpr std::uint32_t class_bits = 5;

/// The weights of the edges above nodes 1, 2, ..., rounded to classes. The class of an edge is
/// predicted by the number of tips below it.
class EdgeWeights {
public:
    /// All weights are equal.
    explicit EdgeWeights(RootedTree const& tree);
    /// Weights from the number of events above each node. The rounding steps are those for which the weights and what
    /// is coded by them are smallest together.
    EdgeWeights(RootedTree const& tree, std::span<std::uint64_t const> events);
    /// Codes the weights; a decoder replaces these by what it reads.
    template <class Coder>
    void code(Coder& coder, RootedTree const& tree);

    /// The weight of each edge, all > 0.
    std::vector<std::uint64_t> weights() const;
    /// log2(sum of all weights / weight) per node, with 8 fractional bits; 0 for the root.
    std::vector<std::uint32_t> costs() const;

private:
    EdgeWeights(RootedTree const& tree, std::span<std::uint64_t const> events, WeightSteps steps);
    std::uint64_t bits(std::span<std::uint64_t const> events) const;

    static constexpr std::uint32_t num_contexts = 3;
    static std::uint32_t context_of(RootedTree const& tree, std::uint32_t node) {
        auto const tips = tree.last_tip[node] - tree.first_tip[node];
        return tips == 1 ? 0 : tips <= 8 ? 1 : 2;
    }

    WeightSteps steps_ = WeightSteps::equal;
    std::vector<std::uint8_t> classes_;  // per edge
    std::uint64_t class_cost_ = 0;       // of the classes, in bits with 8 fractional bits; known only to the encoder
};

template <class Coder>
void EdgeWeights::code(Coder& coder, RootedTree const& tree) {
    steps_ = static_cast<WeightSteps>(coder.uniform(static_cast<std::uint32_t>(steps_), 3));
    classes_.resize(tree.num_nodes() - 1);
    if (steps_ == WeightSteps::equal) return;
    std::array models{AdaptiveBits(class_bits), AdaptiveBits(class_bits), AdaptiveBits(class_bits)};
    static_assert(models.size() == num_contexts);
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v)
        classes_[v - 1] = static_cast<std::uint8_t>(models[context_of(tree, v)].code(coder, classes_[v - 1]));
}

}  // namespace regraft::codec
