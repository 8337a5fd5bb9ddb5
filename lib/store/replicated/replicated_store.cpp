#include "regraft/store/replicated_store.hpp"

#include <utility>

#include "store/replicated/replicated.hpp"

namespace regraft::store {

std::vector<Segment*> files_of(HeldBlocks& held) {
    std::vector<Segment*> files;
    for (auto& memory : held.memories()) {
        if (memory.segment()) files.push_back(memory.segment());
    }
    return files;
}

Memory Replicated::new_memory(std::uint64_t size, Complaint& complaint) {
    if (!keeping) return Memory(size);
    Memory memory;
    complaint = attempt([&] {
        if (size > 0) memory = Memory(keeping->file(size));
    });
    return complaint ? Memory(size) : std::move(memory);
}

Replicated::Taken Replicated::take_memory(std::uint64_t size, Complaint& complaint) {
    Memory memory = std::move(spare);
    bool const fits = size <= memory.bytes().size() && memory.bytes().size() <= size + size / 8;
    bool const is_right_kind = !keeping || size == 0 || memory.segment();
    if (fits && is_right_kind) {
        if (memory.segment()) memory.segment()->mark(0);
        return {std::move(memory), true};
    }
    memory = Memory();  // frees the spare memory before new memory is taken
    return {new_memory(size, complaint)};
}

Common Replicated::next_common(std::uint32_t replicas, BlockSizes const& sizes, std::uint64_t alike) {
    if (!keeping) return {};
    Common common{keeping->next(comm, alike_to_keep(), version + 1), replicas, sizes, attributes};
    common.id.alike = alike;
    return common;
}

void Replicated::list(Common const& common, HeldBlocks& held, Complaint& complaint) {
    if (!keeping || complaint) return;
    complaint = attempt([&] {
        if (files_of(held).empty()) held.own(Memory(keeping->file(0)));
        Listing listing{.files = files_of(held), .checked = checked()};
        for (auto const& blocks : held.pieces()) listing.pieces.push_back({blocks, held.at(blocks, common.sizes)});
        if (checked()) {
            held.visit_checksums([&](BlockRange blocks, std::uint64_t sum) { listing.sums.push_back({blocks, sum}); });
        }
        keeping->write(common, listing);
    });
}

void Replicated::settle(HeldBlocks& held) {
    if (keeping) keeping->settle(files_of(held));
}

void Replicated::retract(Complaint const& complaint) {
    if (keeping) keeping->retract(comm, complaint);
}

ReplicatedStore::ReplicatedStore(ft::Communicator& comm, Options options)
    : ReplicatedContents(std::make_unique<Impl>(comm, std::move(options))) {}

ReplicatedContents::ReplicatedContents(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ReplicatedContents::ReplicatedContents(ReplicatedContents&&) noexcept = default;
ReplicatedContents::~ReplicatedContents() = default;

BlockSizes const& ReplicatedContents::sizes() const {
    static BlockSizes const none;
    return impl_->current ? impl_->current->sizes : none;
}

std::uint64_t ReplicatedContents::version() const {
    return impl_->version;
}

std::span<std::byte const> ReplicatedContents::held(BlockRange blocks) const {
    REGRAFT_EXPECTS(value(blocks.last) <= num_blocks());
    if (!impl_->current) return {};
    auto const& [directory, sizes, held, seams, common] = *impl_->current;
    auto const bytes = held.find(blocks, sizes);
    std::vector<BlockRange> bad;
    if (impl_->checked() && !bytes.empty()) held.verify(blocks, sizes, bad);
    return bad.empty() ? bytes : std::span<std::byte const>();
}

void ReplicatedContents::visit_holders(BlockRange blocks,
                                       std::function<void(placement::Run const&)> const& visit) const {
    REGRAFT_EXPECTS(value(blocks.last) <= num_blocks());
    if (!impl_->current) return;
    impl_->current->directory.retain(impl_->comm.members());
    impl_->current->directory.visit(blocks, visit);
}

void ReplicatedContents::trim() {
    impl_->free_spare();
}

std::uint64_t ReplicatedContents::bytes_spare() const {
    return impl_->spare.bytes().size();
}

std::uint64_t ReplicatedContents::bytes_held() const {
    return impl_->current ? impl_->current->held.own_bytes() : 0;
}

}  // namespace regraft::store
