#include "regraft/store/erasure_store.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "store/erasure_version.hpp"
#include "store/gather.hpp"

namespace regraft::store {
namespace {

ft::FailPhase submit_phase("erasure-submit");

/// What the members say of themselves when they submit.
struct Submitters {
    std::vector<BlockRange> ranges;
    std::vector<std::uint32_t> node_of;  // empty if they do not say
};

Submitters gather_submitters(ft::Communicator& comm, BlockRange mine, std::optional<std::uint32_t> node) {
    std::vector words{value(mine.first), value(mine.last)};
    if (node) words.push_back(*node);
    auto const rows = exchange::all_gather(comm, words);
    Submitters result;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        auto const row = rows[rank];
        REGRAFT_EXPECTS(row.size() == words.size() && "all members give a node or none does");
        result.ranges.push_back({BlockId{row[0]}, BlockId{row[1]}});
        if (node) result.node_of.push_back(checked_cast<std::uint32_t>(row[2]));
    }
    static_cast<void>(num_covered(result.ranges));
    return result;
}

}  // namespace

ErasureStore::ErasureStore(ft::Communicator& comm, ErasureOptions options) : comm_(comm), options_(options) {
    REGRAFT_EXPECTS(options.buffer_bytes > 0);
}
ErasureStore::ErasureStore(ErasureStore&&) noexcept = default;
ErasureStore::~ErasureStore() = default;

void ErasureStore::submit(erasure::Code code, BlockRange mine, std::span<std::byte const> blocks,
                          std::size_t block_bytes) {
    REGRAFT_EXPECTS(blocks.size() == mine.size() * block_bytes);
    submit(code, mine, blocks,
           [&](std::span<BlockRange const> ranges) { return BlockSizes(num_covered(ranges), block_bytes); });
}

void ErasureStore::submit(erasure::Code code, BlockRange mine, CsrView<std::byte> blocks) {
    REGRAFT_EXPECTS(blocks.size() == mine.size());
    REGRAFT_EXPECTS(blocks.size() == 0 ||
                    (blocks.offsets.front() == 0 && blocks.offsets.back() == blocks.values.size()));
    submit(code, mine, blocks.values,
           [&](std::span<BlockRange const> ranges) { return gather_sizes(comm_, ranges, blocks); });
}

void ErasureStore::submit(erasure::Code const& code, BlockRange mine, std::span<std::byte const> bytes,
                          std::function<BlockSizes(std::span<BlockRange const>)> const& sizes_of) {
    comm_.reach(submit_phase.before);
    auto const submitters = gather_submitters(comm_, mine, options_.node);
    auto sizes = sizes_of(submitters.ranges);
    Csr<BlockRange> own;
    for (auto const& range : submitters.ranges) {
        if (!range.empty()) own.push_value(range);
        own.end_row();
    }
    auto next = std::make_unique<ErasureVersion>();
    next->submitters.assign(comm_.members().begin(), comm_.members().end());
    next->node_of = submitters.node_of;
    next->holdings =
        erasure::Holdings(erasure::Layout(code.fitted(checked_cast<std::uint32_t>(comm_.size())), std::move(sizes),
                                          std::move(own), erasure::ring_order(submitters.node_of)),
                          next->submitters);
    if (options_.own_copy == OwnCopy::referenced) {
        next->add_own(bytes, nullptr);
    } else {
        auto const memory = std::make_shared<Memory>(bytes.size());
        std::copy(bytes.begin(), bytes.end(), memory->bytes().begin());
        next->add_own(memory->bytes(), memory);
    }
    encode(comm_, *next, options_, submit_phase.inside);
    comm_.agree();
    current_ = std::move(next);
    ++version_;
    comm_.reach(submit_phase.after);
}

BlockSizes const& ErasureStore::sizes() const {
    static BlockSizes const none;
    return current_ ? current_->holdings.layout().sizes() : none;
}

erasure::Code ErasureStore::code() const {
    return current_ ? current_->holdings.layout().code() : erasure::Code();
}

std::uint64_t ErasureStore::bytes_held() const {
    return current_ ? current_->bytes_held() : 0;
}

}  // namespace regraft::store
