#include "codec/native/edge_weights.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "codec/entropy/fixed_log.hpp"

namespace regraft::codec {
namespace {

constexpr std::uint32_t largest_class = (1U << class_bits) - 1;

/// The class of a number of events: 0, 1, 2, 3, then two classes per octave.
std::uint8_t class_of(std::uint64_t events, WeightSteps steps) {
    if (steps == WeightSteps::equal) return 0;
    bool const halves = steps == WeightSteps::half_octaves;
    if (events < 4) return static_cast<std::uint8_t>(events == 3 && !halves ? 2 : events);
    auto const octave = static_cast<std::uint32_t>(std::bit_width(events) - 1);
    auto const upper = halves ? static_cast<std::uint32_t>(events >> (octave - 1) & 1) : 0;
    return static_cast<std::uint8_t>(std::min(4 + 2 * (octave - 2) + upper, largest_class));
}

/// Four times the middle of a class; 1 for edges where nothing ever happened, since something might.
std::uint64_t weight_of(std::uint8_t weight_class, WeightSteps steps) {
    bool const halves = steps == WeightSteps::half_octaves;
    if (weight_class == 0) return 1;
    if (weight_class < 4) return weight_class == 2 && !halves ? 10 : 4 * std::uint64_t{weight_class};
    auto const octave = 2 + (weight_class - 4U) / 2;
    std::uint64_t const length = std::uint64_t{1} << (halves ? octave - 1 : octave);
    std::uint64_t const least = (std::uint64_t{1} << octave) + (weight_class % 2 == 0 ? 0 : length);
    return 4 * least + 2 * (length - 1);
}

/// Halves the numbers until the largest has a class, because only ratios matter. Numbers above 0 stay above 0.
std::vector<std::uint64_t> within_range(std::span<std::uint64_t const> events) {
    constexpr int most_bits = 16;
    auto const most = events.empty() ? 0 : std::ranges::max(events);
    auto const surplus = std::max(0, static_cast<int>(std::bit_width(most)) - most_bits);
    std::vector<std::uint64_t> out;
    for (auto const count : events) out.push_back(count == 0 ? 0 : std::max<std::uint64_t>(1, count >> surplus));
    return out;
}

/// Adds up the sizes of bits.
class BitCost {
public:
    static constexpr bool decodes = false;
    bool bit(std::uint32_t p, bool is_set) {
        cost_ += (std::uint64_t{probability_bits} << log_bits) - fixed_log2(is_set ? p : one_probability - p);
        return is_set;
    }
    std::uint32_t uniform(std::uint32_t number, std::uint64_t size) {
        cost_ += fixed_log2(size);
        return number;
    }
    /// With 8 fractional bits.
    std::uint64_t cost() const { return cost_ >> (log_bits - 8); }

private:
    std::uint64_t cost_ = 0;
};

}  // namespace

EdgeWeights::EdgeWeights(RootedTree const& tree) : classes_(tree.num_nodes() - 1) {}

EdgeWeights::EdgeWeights(RootedTree const& tree, std::span<std::uint64_t const> events, WeightSteps steps)
    : steps_(steps) {
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) classes_.push_back(class_of(events[v], steps));
    BitCost cost;
    code(cost, tree);
    class_cost_ = cost.cost();
}

EdgeWeights::EdgeWeights(RootedTree const& tree, std::span<std::uint64_t const> all_events)
    : EdgeWeights(tree, all_events, WeightSteps::equal) {
    auto const events = within_range(all_events);
    for (auto const steps : {WeightSteps::octaves, WeightSteps::half_octaves}) {
        EdgeWeights const other(tree, events, steps);
        if (other.bits(events) < bits(events)) *this = other;
    }
}

std::uint64_t EdgeWeights::bits(std::span<std::uint64_t const> events) const {
    auto const cost = costs();
    return std::inner_product(cost.begin(), cost.end(), events.begin(), class_cost_);
}

std::vector<std::uint64_t> EdgeWeights::weights() const {
    std::vector<std::uint64_t> out;
    for (auto const weight_class : classes_) out.push_back(weight_of(weight_class, steps_));
    return out;
}

std::vector<std::uint32_t> EdgeWeights::costs() const {
    std::vector<std::uint32_t> out{0};
    auto const weight = weights();
    auto const sum = std::reduce(weight.begin(), weight.end());
    for (auto const w : weight)
        out.push_back(static_cast<std::uint32_t>((fixed_log2(sum) - fixed_log2(w)) >> (log_bits - 8)));
    return out;
}

}  // namespace regraft::codec
