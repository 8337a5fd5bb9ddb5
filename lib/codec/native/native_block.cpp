#include "codec/native/native_block.hpp"

namespace regraft::codec {

ClassStep ClassState::step_to(std::uint8_t next_root, std::span<Change const> next) const {
    ClassStep step;
    step.root = next_root;
    auto const add = [&](Change const& change) {
        step.added.push_back(change.node - 1);
        step.targets.push_back(change.to);
    };
    std::size_t i = 0;
    for (std::uint32_t k = 0; k < changes.size(); ++k) {
        for (; i < next.size() && next[i].node < changes[k].node; ++i) add(next[i]);
        if (i < next.size() && next[i].node == changes[k].node && next[i].to == changes[k].to) {
            ++i;
        } else {
            step.dropped.push_back(k);
        }
    }
    for (; i < next.size(); ++i) add(next[i]);
    step.same = next_root == root && step.dropped.empty() && step.added.empty();
    return step;
}

void ClassState::apply(ClassStep const& step) {
    if (step.same) return;
    root = step.root;
    std::vector<Change> next;
    std::size_t dropped = 0;
    std::size_t added = 0;
    auto const add_below = [&](std::uint64_t node) {
        for (; added < step.added.size() && step.added[added] + 1 <= node; ++added)
            next.push_back({step.added[added] + 1, 0, step.targets[added]});
    };
    for (std::uint32_t k = 0; k < changes.size(); ++k) {
        bool const stays = dropped == step.dropped.size() || step.dropped[dropped] != k;
        if (!stays) ++dropped;
        add_below(changes[k].node);
        if (stays) next.push_back(changes[k]);
    }
    add_below(~std::uint64_t{0});
    changes = std::move(next);
}

}  // namespace regraft::codec
