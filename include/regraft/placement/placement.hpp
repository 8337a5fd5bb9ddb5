// Placements: which of the PEs that were alive at submission keep a copy of which block. Pure arithmetic, no MPI.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft::placement {

/// A place 0 .. num_slots - 1 among the PEs that were alive at submission. The store maps slots to PeIds, so a
/// placement never meets a dead PE or a renumbering.
enum class Slot : std::uint32_t {};

/// The size of a placement: it deals num_blocks blocks to num_slots slots, and every block is on at least `replicas`
/// different slots.
struct Shape {
    std::uint64_t num_blocks = 0;  // blocks are numbered from 0
    std::uint32_t num_slots = 0;   // slots are numbered from 0
    std::uint32_t replicas = 0;    // copies on different slots, at least
    friend bool operator==(Shape const&, Shape const&) = default;
};

/// A rule that every PE can evaluate alone:
///   num_copies(block)     the number of slots that hold the block, at least shape().replicas;
///   holder(block, copy)   one of these slots, all different, for copy < num_copies(block);
///   held(slot)            all blocks of a slot as ascending disjoint ranges, none empty;
///   run(block)            the largest known range around block whose blocks all have the same holders in one order,
///                         so that a caller can work in ranges instead of blocks.
/// A rule may also have these functions if it can answer them faster than by the ones above:
///   holders(block, out)   replaces out by all holders, in the order of the copies;
///   num_held(slot)        the number of blocks in held(slot);
///   most_copies()         an upper bound for num_copies.
/// A rule that knows which slots are on one node, and so die together, tells it by
///   nodes()               a number for each slot, the same for slots of one node.
/// Then a store loads from the same node where it can, and repairs onto different nodes.
template <class P>
concept Placement = requires(P const& placement, BlockId block, std::uint32_t copy, Slot slot) {
    { placement.shape() } -> std::same_as<Shape>;
    { placement.num_copies(block) } -> std::same_as<std::uint32_t>;
    { placement.holder(block, copy) } -> std::same_as<Slot>;
    { placement.held(slot) } -> std::same_as<std::vector<BlockRange>>;
    { placement.run(block) } -> std::same_as<BlockRange>;
};

/// Any placement behind one type: immutable, with value semantics, O(1) to copy.
class Any {
public:
    /// Takes a copy of the rule. Implicit, so that any rule can be passed where a placement is wanted.
    template <Placement P>
    requires(!std::same_as<P, Any>) Any(P placement)
        : rule_(std::make_shared<Holding<P> const>(std::move(placement))) {}

    /// The shape of the rule.
    Shape shape() const { return rule_->shape(); }
    /// Precondition here and below: block < shape().num_blocks, copy < num_copies(block), slot < shape().num_slots.
    std::uint32_t num_copies(BlockId block) const { return rule_->num_copies(block); }
    /// The slot of a copy of the block; different copies are on different slots.
    Slot holder(BlockId block, std::uint32_t copy) const { return rule_->holder(block, copy); }
    /// Replaces out by all holders, in the order of the copies.
    void holders(BlockId block, std::vector<Slot>& out) const { rule_->holders(block, out); }
    /// All blocks of the slot: ascending, disjoint, none empty.
    std::vector<BlockRange> held(Slot slot) const { return rule_->held(slot); }
    /// A range around the block whose blocks have the same holders in the same order.
    BlockRange run(BlockId block) const { return rule_->run(block); }
    /// The number of blocks of the slot. O(ranges held) if the rule does not give it.
    std::uint64_t num_held(Slot slot) const { return rule_->num_held(slot); }
    /// 2^32 - 1 if the rule does not give a bound.
    std::uint32_t most_copies() const { return rule_->most_copies(); }
    /// Empty if the rule does not know nodes. O(slots).
    std::vector<std::uint32_t> nodes() const { return rule_->nodes(); }

private:
    struct Rule {
        Rule() = default;
        Rule(Rule const&) = delete;
        Rule& operator=(Rule const&) = delete;
        virtual ~Rule() = default;
        virtual Shape shape() const = 0;
        virtual std::uint32_t num_copies(BlockId block) const = 0;
        virtual Slot holder(BlockId block, std::uint32_t copy) const = 0;
        virtual void holders(BlockId block, std::vector<Slot>& out) const = 0;
        virtual std::vector<BlockRange> held(Slot slot) const = 0;
        virtual BlockRange run(BlockId block) const = 0;
        virtual std::uint64_t num_held(Slot slot) const = 0;
        virtual std::uint32_t most_copies() const = 0;
        virtual std::vector<std::uint32_t> nodes() const = 0;
    };
    template <Placement P>
    struct Holding final : Rule {
        explicit Holding(P placement) : placement_(std::move(placement)) {}
        Shape shape() const override { return placement_.shape(); }
        std::uint32_t num_copies(BlockId block) const override { return placement_.num_copies(block); }
        Slot holder(BlockId block, std::uint32_t copy) const override { return placement_.holder(block, copy); }
        void holders(BlockId block, std::vector<Slot>& out) const override {
            if constexpr (requires { placement_.holders(block, out); }) {
                placement_.holders(block, out);
            } else {
                out.clear();
                for (std::uint32_t copy = 0; copy < num_copies(block); ++copy) out.push_back(holder(block, copy));
            }
        }
        std::vector<BlockRange> held(Slot slot) const override { return placement_.held(slot); }
        BlockRange run(BlockId block) const override { return placement_.run(block); }
        std::uint64_t num_held(Slot slot) const override {
            if constexpr (requires { placement_.num_held(slot); }) return placement_.num_held(slot);
            std::uint64_t sum = 0;
            for (auto const& range : held(slot)) sum += range.size();
            return sum;
        }
        std::uint32_t most_copies() const override {
            if constexpr (requires { placement_.most_copies(); }) return placement_.most_copies();
            return std::numeric_limits<std::uint32_t>::max();
        }
        std::vector<std::uint32_t> nodes() const override {
            if constexpr (requires { placement_.nodes(); }) return placement_.nodes();
            return {};
        }
        P placement_;
    };
    std::shared_ptr<Rule const> rule_;
};

}  // namespace regraft::placement
#pragma GCC visibility pop
