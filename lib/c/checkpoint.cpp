// Mini-checkpoints for callers in C.
#include <limits>

#include "c/communicator.hpp"
#include "regraft/checkpoint/mini_checkpoint.hpp"

using namespace regraft;

struct regraft_checkpoint {
    explicit regraft_checkpoint(std::shared_ptr<c::Shared> keep) : shared(std::move(keep)), mini(shared->comm) {}
    std::shared_ptr<c::Shared> shared;
    checkpoint::MiniCheckpoint mini;
};

namespace {

std::span<std::byte const> share_of(void const* data, std::uint64_t size) {
    constexpr std::uint64_t most = std::numeric_limits<int>::max() - 8;  // an int must hold this, and its size
    c::expect(size <= most, "a small share, below 2 GiB");
    return c::span_of(static_cast<std::byte const*>(data), size, "a share, not NULL");
}

}  // namespace

regraft_status regraft_checkpoint_create(regraft_communicator* comm, regraft_checkpoint** checkpoint) {
    return c::guarded(comm, [&](regraft_communicator& handle) { c::make(checkpoint, handle.shared); });
}

void regraft_checkpoint_free(regraft_checkpoint* checkpoint) {
    delete checkpoint;
}

regraft_status regraft_checkpoint_commit(regraft_checkpoint* checkpoint, void const* share, uint64_t size) {
    return c::guarded(checkpoint, [&](regraft_checkpoint& handle) { handle.mini.commit(share_of(share, size)); });
}

regraft_status regraft_checkpoint_commit_identical(regraft_checkpoint* checkpoint, void const* state, uint64_t size) {
    return c::guarded(checkpoint,
                      [&](regraft_checkpoint& handle) { handle.mini.commit_identical(share_of(state, size)); });
}

uint64_t regraft_checkpoint_generation(regraft_checkpoint const* checkpoint) {
    return checkpoint == nullptr ? 0 : checkpoint->mini.generation();
}

uint64_t regraft_checkpoint_num_shares(regraft_checkpoint const* checkpoint) {
    return checkpoint == nullptr ? 0 : checkpoint->mini.latest().shares.size();
}

regraft_status regraft_checkpoint_share(regraft_checkpoint const* checkpoint, uint64_t index, uint32_t* pe,
                                        void const** bytes, uint64_t* size) {
    return c::guarded([&] {
        auto const& [pes, shares] = c::object(checkpoint, "a checkpoint, not NULL").mini.latest();
        c::expect(index < shares.size(), "a share that there is");
        auto& where = c::object(bytes, "bytes, not NULL");
        c::object(size, "size, not NULL") = shares[index].size();
        where = shares[index].data();
        if (pe != nullptr) *pe = value(pes[index]);
    });
}
