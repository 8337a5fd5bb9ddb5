// The replicated store on disk: decides which PE writes which blocks.
#include <algorithm>
#include <utility>

#include "regraft/load/plan.hpp"
#include "store/on_disk/on_disk.hpp"
#include "store/replicated/replicated.hpp"

namespace regraft::store {
namespace {

/// The blocks that this PE writes: all members together write every block.
std::vector<BlockRange> to_write(ft::Communicator const& comm, Version& version) {
    auto& [directory, sizes, held, seams, common] = version;
    directory.retain(comm.members());
    // Plans as for a further member that holds nothing and wants everything.
    PeId const disk{comm.num_founders()};
    Csr<BlockRange> wanted;
    while (wanted.size() < value(disk)) wanted.end_row();
    wanted.push_value({BlockId{0}, BlockId{sizes.num_blocks()}});
    wanted.end_row();
    auto const plan = load::plan(directory, sizes, seams.blocks(), std::span(&disk, 1), wanted);

    std::vector<BlockRange> mine;
    for (auto const& transfer : plan.senders.transfers) {
        if (transfer.sender == comm.self()) mine.push_back(transfer.blocks);
    }
    if (comm.leads()) mine.insert(mine.end(), plan.lost.begin(), plan.lost.end());  // so that they are reported as lost
    std::sort(mine.begin(), mine.end());
    std::vector<BlockRange> joined;
    for (auto const& blocks : mine) {
        bool const goes_on = !joined.empty() && joined.back().last == blocks.first &&
                             !held.find({joined.back().first, blocks.last}, sizes).empty();
        if (goes_on) {
            joined.back().last = blocks.last;
        } else {
            joined.push_back(blocks);
        }
    }
    return joined;
}

}  // namespace

SaveReport ReplicatedStore::save(std::filesystem::path const& archive, SaveOptions const& options) {
    REGRAFT_EXPECTS(impl_->current && "something was submitted");
    auto const mine = to_write(impl_->comm, *impl_->current);
    return save_blocks(*this, impl_->identity, impl_->comm, mine, archive, options, impl_->on_disk);
}

OpenReport ReplicatedStore::open(std::filesystem::path const& archive,
                                 std::function<placement::Any(std::uint64_t num_blocks)> const& placement) {
    return open_blocks(impl_->comm, archive, [&](std::uint64_t num_blocks, OwnSubmission const& own, OnDisk from) {
        store::submit(*impl_, placement(num_blocks), own, std::move(from));
    });
}

std::function<void(BlockRange, std::span<std::byte>)> ReplicatedStore::reread() const {
    return disk::reread(impl_->on_disk.saved);
}

}  // namespace regraft::store
