#include "likelihood/clvs/clvs.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace regraft::likelihood {

using kernels::Blocks;
using msa::HalfEdge;

/// The larger child of a node is computed while nothing of the node is held, the other one while one CLV is. A parent
/// and two children are needed at once, and one call pins up to three subtrees and a scratch CLV.
std::size_t least_slots(std::uint32_t num_tips, bool has_classes) {
    auto const at_once = static_cast<std::size_t>(std::bit_width(num_tips)) + 6;
    // CLVs of different sizes do not fit together. Between k pinned ones there is a gap for one more if there is memory
    // for 2k + 1.
    return has_classes ? std::min(enough_slots(num_tips), 2 * at_once - 1) : at_once;
}

std::size_t enough_slots(std::uint32_t num_tips) {
    constexpr std::size_t spare = 16;  // enough for the ways in which a search goes back and forth
    std::size_t const num_inner = num_tips - 2;
    return std::min(3 * num_inner, num_inner + spare);
}

Room enough_room(std::uint32_t num_tips, bool has_classes) {
    auto const all = enough_slots(num_tips);
    auto const share = std::max(all / 6, std::min<std::size_t>(all / 4, 64));  // less pays where there are many
    return {all, has_classes ? std::max(least_slots(num_tips, true), share) : all};
}

Clvs::Clvs(msa::Tree const& tree, std::uint32_t length_set, Transitions& transitions, Tips const& tips,
           SiteClasses& classes, Threads const& threads, Room const& room)
    : tree_(&tree),
      classes_(&classes),
      threads_(&threads),
      shape_(transitions.shape()),
      num_blocks_(tips.num_blocks()),
      matrices_(tree, length_set, transitions),
      slots_({room.num_clvs, room.num_full * num_blocks_}, tree.num_half_edges(), shape_.block_size(),
             shape_.block_scalers()),
      pending_(threads, shape_, num_blocks_,
               bytes_for_sides(shape_, classes.most(), tips.num_sites(), tips.sets().size())),
      sides_(tips, classes, slots_, threads, pending_, transitions, tree.num_half_edges()),
      order_(tree) {}

void Clvs::join(HalfEdge h, Child const& left, Child const& right) {
    slots_.invalidate(h);
    auto const* const of_left = matrices_.of(left.h, left.length, 0);
    auto const* const of_right = left.length == right.length ? of_left : matrices_.of(right.h, right.length, 1);
    plan(h, {left.h, of_left}, {right.h, of_right});
}

void Clvs::cut(HalfEdge h) {
    slots_.release(h);
    slots_.invalidate(h);
}

void Clvs::update_and_pin(HalfEdge h) {
    struct Unfinished {
        HalfEdge h;
        int done;  // number of its two children that are done
    };
    if (is_there(h)) return pin(h);
    order_.count(h);
    std::vector<Unfinished> stack{{h, 0}};
    while (!stack.empty()) {
        auto const [g, done] = stack.back();
        if (done < 2) {
            ++stack.back().done;
            auto const child = order_.child(g, done);
            if (is_tip(child)) continue;
            if (is_there(child)) {
                pin(child);
            } else {
                stack.push_back({child, 0});
            }
            continue;
        }
        compute(g);
        stack.pop_back();
    }
}

void Clvs::compute(HalfEdge h) {
    auto const to_left = tree_->next(h);
    auto const to_right = tree_->next(to_left);
    Sides::End const left{tree_->back(to_left), matrices_.of(to_left)};
    Sides::End const right{tree_->back(to_right), matrices_.of(to_right)};
    if (classes_->are_few(h)) {
        compute_classes(h, left, right);
    } else {
        plan(h, left, right);
    }
    release(left.h);
    release(right.h);
}

void Clvs::compute_classes(HalfEdge h, Sides::End left, Sides::End right) {
    auto const num_blocks = kernels::blocks_for(classes_->number(h));
    // Rows are made at once, so memory that a pending computation will write to must not be used.
    if (!slots_.has_room(h, num_blocks)) pending_.compute();
    sides_.use_for_classes(h, left, right, [&](Sides::Pair const& sides) {
        auto const clv = slots_.take(h, num_blocks);
        threads_->for_parts(num_blocks, num_blocks, [&](Blocks blocks, std::size_t) {
            kernels::combine(shape_, sides.left, sides.right, clv.values, clv.scalers, blocks);
        });
    });
    sides_.look_at_scalers(h);
    ++num_updates_;
}

void Clvs::plan(HalfEdge h, Sides::End left, Sides::End right) {
    // With classes, memory that is taken from a planned CLV may be cut into pieces and used before that is computed.
    if (classes_->most() > 0 && !slots_.has_room(h, num_blocks_)) pending_.compute();
    auto const clv = slots_.take(h, num_blocks_);
    auto const sides = sides_.of_sites(left, right);
    pending_.add({sides.left, sides.right, clv.values, clv.scalers});
    ++num_updates_;
}

}  // namespace regraft::likelihood
