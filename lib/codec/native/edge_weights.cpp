#include "codec/native/edge_weights.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "codec/entropy/fixed_log.hpp"

namespace regraft::codec {
namespace {

/// The class of a number of events: 0, 1, 2, 3, then two classes per octave.
std::uint8_t class_of(std::uint64_t events, WeightSteps steps) {
    if (steps == WeightSteps::equal) return 0;
    bool const halves = steps == WeightSteps::half_octaves;
    if (events < 4) return static_cast<std::uint8_t>(events == 3 && !halves ? 2 : events);
    auto const octave = static_cast<std::uint32_t>(std::bit_width(events) - 1);
    auto const upper = halves ? static_cast<std::uint32_t>(events >> (octave - 1) & 1) : 0;
    return static_cast<std::uint8_t>(std::min(4 + 2 * (octave - 2) + upper, most_symbols - 1));
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

std::uint32_t context_of(RootedTree const& tree, std::uint32_t node) {
    auto const tips = tree.last_tip[node] - tree.first_tip[node];
    return tips == 1 ? 0 : tips <= 8 ? 1 : 2;
}

}  // namespace

EdgeWeights::EdgeWeights(RootedTree const& tree) : classes_(tree.num_nodes() - 1) {}

EdgeWeights::EdgeWeights(RootedTree const& tree, std::span<std::uint64_t const> events, WeightSteps steps)
    : steps_(steps) {
    std::array<SymbolCounts, num_contexts> counts{};
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        classes_.push_back(class_of(events[v], steps));
        ++counts[context_of(tree, v)][classes_.back()];
    }
    if (steps == WeightSteps::equal) return;
    for (std::uint32_t c = 0; c < num_contexts; ++c) {
        tables_[c] = FrequencyTable(counts[c]);
        BitWriter size;
        tables_[c].write(size, most_symbols);
        class_cost_ += (size.size() << 8) + tables_[c].cost(counts[c]);
    }
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

EdgeWeights::EdgeWeights(BitReader& tables) : steps_(static_cast<WeightSteps>(tables.get(2))) {
    if (steps_ > WeightSteps::half_octaves) throw InputError("weights of edges are in steps that are not known");
    if (steps_ == WeightSteps::equal) return;
    for (auto& table : tables_) table = FrequencyTable::read(tables, most_symbols);
}

void EdgeWeights::read_classes(RootedTree const& tree, RansReader& in) {
    classes_.assign(tree.num_nodes() - 1, 0);
    if (steps_ == WeightSteps::equal) return;
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v)
        classes_[v - 1] = static_cast<std::uint8_t>(tables_[context_of(tree, v)].take(in));
}

void EdgeWeights::write_tables(BitWriter& out) const {
    out.put(static_cast<std::uint64_t>(steps_), 2);
    if (steps_ == WeightSteps::equal) return;
    for (auto const& table : tables_) table.write(out, most_symbols);
}

void EdgeWeights::append_shares(RootedTree const& tree, std::vector<Share>& out) const {
    if (steps_ == WeightSteps::equal) return;
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v)
        out.push_back(tables_[context_of(tree, v)].share(classes_[v - 1]));
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
