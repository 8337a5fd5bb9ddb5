#include "regraft/placement/node_aware.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "placement/ring.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::placement {
namespace {

__extension__ using Wide = unsigned __int128;

/// The largest x <= most with f(x) <= target, for an f that never falls. Precondition: f(0) <= target.
template <class Function>
std::uint64_t largest(std::uint64_t most, Wide target, Function&& f) {
    std::uint64_t x = 0;
    while (x < most) {
        auto const middle = x + (most - x + 1) / 2;
        if (f(middle) <= target) {
            x = middle;
        } else {
            most = middle - 1;
        }
    }
    return x;
}

template <class PerNode>
Wide total(std::span<std::uint64_t const> sizes, PerNode&& per_node) {
    return std::accumulate(sizes.begin(), sizes.end(), Wide{0},
                           [&](Wide sum, std::uint64_t size) { return sum + per_node(size); });
}

/// The begins of the nodes' parts on the line of replicas * num_ranges points, and the end of the last one.
///
/// Parts are bounded so that the copies spread. Within these bounds a part has M points per slot. M is the largest
/// number for which the parts are not longer than the line. The rest of the line is smaller than what M + 1 would add,
/// and is dealt in proportion to that. So slots of nodes within the bounds have M or M + 1. If M (or M + 1 if there is
/// a rest) were not the least possible maximum, the line would be shorter.
std::vector<std::uint64_t> divide_line(std::span<std::uint64_t const> sizes, std::uint32_t replicas,
                                       std::uint64_t num_ranges) {
    auto const level = largest(replicas, replicas, [&](std::uint64_t l) {
        return total(sizes, [&](std::uint64_t size) { return std::min(size, l); });
    });
    auto const length = [&](std::uint64_t size, std::uint64_t per_slot) {
        auto const least = Wide{std::min(size, level)} * num_ranges;
        auto const most = Wide{std::min(size, level + 1)} * num_ranges;
        return static_cast<std::uint64_t>(std::clamp(Wide{size} * per_slot, least, most));
    };
    auto const sum_for = [&](std::uint64_t per_slot) {
        return total(sizes, [&](std::uint64_t size) { return length(size, per_slot); });
    };
    auto const points = Wide{replicas} * num_ranges;
    auto const per_slot = largest(num_ranges, points, sum_for);
    auto const rest = points - sum_for(per_slot);
    auto const growth = sum_for(per_slot + 1) - sum_for(per_slot);

    std::vector<std::uint64_t> begins{0};
    Wide grown = 0;
    for (auto const size : sizes) {
        auto end = begins.back() + length(size, per_slot);
        if (rest > 0) {
            auto const before = rest * grown / growth;
            grown += length(size, per_slot + 1) - length(size, per_slot);
            end += static_cast<std::uint64_t>(rest * grown / growth - before);
        }
        begins.push_back(end);
    }
    REGRAFT_ASSERT(begins.back() == points);
    return begins;
}

std::size_t num_different(std::span<std::uint32_t const> node_of) {
    std::vector<std::uint32_t> nodes(node_of.begin(), node_of.end());
    std::sort(nodes.begin(), nodes.end());
    return static_cast<std::size_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
}

/// A rule that does not follow from the nodes, and the nodes.
class OnNodes {
public:
    OnNodes(Any rule, std::span<std::uint32_t const> node_of)
        : rule_(std::move(rule)), nodes_(node_of.begin(), node_of.end()) {}

    Shape shape() const { return rule_.shape(); }
    std::uint32_t num_copies(BlockId block) const { return rule_.num_copies(block); }
    Slot holder(BlockId block, std::uint32_t copy) const { return rule_.holder(block, copy); }
    void holders(BlockId block, std::vector<Slot>& out) const { rule_.holders(block, out); }
    std::vector<BlockRange> held(Slot slot) const { return rule_.held(slot); }
    BlockRange run(BlockId block) const { return rule_.run(block); }
    std::uint64_t num_held(Slot slot) const { return rule_.num_held(slot); }
    std::uint32_t most_copies() const { return rule_.most_copies(); }
    std::vector<std::uint32_t> nodes() const { return nodes_; }

private:
    Any rule_;
    std::vector<std::uint32_t> nodes_;
};

}  // namespace

Any over_nodes(Any rule, std::span<std::uint32_t const> node_of, RangeOptions const& options) {
    auto const [num_blocks, num_slots, replicas] = rule.shape();
    REGRAFT_EXPECTS(node_of.size() == num_slots && "a node for every slot");
    auto const num_nodes = num_different(node_of);
    if (num_nodes <= 1 || num_nodes == num_slots) return OnNodes(std::move(rule), node_of);
    return NodeAware(num_blocks, node_of, replicas, options);
}

/// A slot and its points on the line.
struct NodeAware::SlotPoints {
    Slot slot{};
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

NodeAware::NodeAware(std::uint64_t num_blocks, std::span<std::uint32_t const> node_of, std::uint32_t replicas,
                     RangeOptions const& options)
    : shape_(checked({num_blocks, checked_cast<std::uint32_t>(node_of.size()), replicas})),
      order_(shape_, options),
      slots_(node_of.size()),
      place_(node_of.size()) {
    REGRAFT_EXPECTS(Wide{replicas} * order_.size() < Wide{1} << 63);
    std::iota(slots_.begin(), slots_.end(), 0U);
    std::stable_sort(slots_.begin(), slots_.end(), [&](auto a, auto b) { return node_of[a] < node_of[b]; });
    std::vector<std::uint64_t> sizes;
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
        place_[slots_[i]] = i;
        if (i == 0 || node_of[slots_[i]] != node_of[slots_[i - 1]]) {
            members_.push_back(i);
            sizes.push_back(0);
        }
        ++sizes.back();
    }
    members_.push_back(shape_.num_slots);
    line_ = divide_line(sizes, replicas, order_.size());
}

std::vector<std::uint32_t> NodeAware::nodes() const {
    std::vector<std::uint32_t> result(slots_.size());
    for (std::uint32_t node = 0; node < num_nodes(); ++node) {
        for (auto i = members_[node]; i < members_[node + 1]; ++i) result[slots_[i]] = node;
    }
    return result;
}

std::uint32_t NodeAware::num_copies(BlockId block) const {
    REGRAFT_EXPECTS(value(block) < shape_.num_blocks);
    return shape_.replicas;
}

Slot NodeAware::holder(BlockId block, std::uint32_t copy) const {
    REGRAFT_EXPECTS(copy < shape_.replicas);
    return part_at(copy * order_.size() + value(order_.position(block))).slot;
}

void NodeAware::holders(BlockId block, std::vector<Slot>& out) const {
    auto const position = value(order_.position(block));
    out.clear();
    for (std::uint32_t copy = 0; copy < shape_.replicas; ++copy)
        out.push_back(part_at(copy * order_.size() + position).slot);
}

std::vector<BlockRange> NodeAware::held(Slot slot) const {
    return order_.blocks(positions(slot));
}

std::uint64_t NodeAware::num_held(Slot slot) const {
    std::uint64_t sum = 0;
    for (auto const& piece : positions(slot)) sum += order_.num_blocks(piece);
    return sum;
}

std::vector<PositionRange> NodeAware::positions(Slot slot) const {
    REGRAFT_EXPECTS(value(slot) < shape_.num_slots);
    auto const part = part_of_place(place_[value(slot)]);
    if (part.first == part.last) return {};
    auto const ranges = order_.size();
    auto const first = part.first % ranges;
    auto const last = first + (part.last - part.first);  // one copy's points may end within it
    std::vector<PositionRange> result{{Position{first}, Position{std::min(last, ranges)}}};
    if (last > ranges) result.push_back({Position{0}, Position{last - ranges}});
    return result;
}

BlockRange NodeAware::run(BlockId block) const {
    if (order_.is_random()) return order_.range(block);
    auto const position = value(order_.position(block));
    PositionRange same{Position{0}, Position{order_.size()}};
    for (std::uint32_t copy = 0; copy < shape_.replicas; ++copy) {
        auto const begin = copy * order_.size();
        auto const part = part_at(begin + position);
        if (part.first > begin) same.first = std::max(same.first, Position{part.first - begin});
        same.last = std::min(same.last, Position{part.last - begin});
    }
    return order_.consecutive(same);
}

NodeAware::SlotPoints NodeAware::part_at(std::uint64_t point) const {
    auto const node = static_cast<std::size_t>(std::upper_bound(line_.begin(), line_.end(), point) - line_.begin()) - 1;
    auto const length = line_[node + 1] - line_[node];
    return part(node, part_of(length, point - line_[node], members_[node + 1] - members_[node]));
}

NodeAware::SlotPoints NodeAware::part_of_place(std::uint32_t place) const {
    auto const behind = std::upper_bound(members_.begin(), members_.end(), place);
    auto const node = static_cast<std::size_t>(behind - members_.begin()) - 1;
    return part(node, place - members_[node]);
}

NodeAware::SlotPoints NodeAware::part(std::size_t node, std::uint64_t index) const {
    auto const begin = line_[node];
    auto const piece = even_part<Position>(line_[node + 1] - begin, index, members_[node + 1] - members_[node]);
    return {Slot{slots_[members_[node] + index]}, begin + value(piece.first), begin + value(piece.last)};
}

}  // namespace regraft::placement
