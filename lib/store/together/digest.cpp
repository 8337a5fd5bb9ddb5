#include "store/together/digest.hpp"

#include <algorithm>

namespace regraft::store {

Digest& Digest::add(placement::Any const& placement) {
    constexpr std::uint64_t most_sampled = 16;
    auto const [num_blocks, num_slots, replicas] = placement.shape();
    auto const nodes = placement.nodes();
    add(num_blocks).add(num_slots).add(replicas).add(hash(std::as_bytes(std::span(nodes))));
    auto const sampled = std::min(num_blocks, most_sampled);
    for (std::uint64_t i = 0; i < sampled; ++i) {
        auto const block = even_part<BlockId>(num_blocks, i, sampled).first;
        for (std::uint32_t copy = 0; copy < placement.num_copies(block); ++copy) add(placement.holder(block, copy));
    }
    return *this;
}

Digest& Digest::add(CsrView<BlockRange> rows) {
    add(hash(std::as_bytes(rows.offsets)));
    return add(hash(std::as_bytes(rows.values)));
}

Digest& Digest::add(LoadOptions const& options) {
    add(static_cast<bool>(options.reread) ? 1 : 0);
    return add(options.lost);
}

}  // namespace regraft::store
