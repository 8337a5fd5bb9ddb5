// What both stores share in saving and opening their blocks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "regraft/disk/generation.hpp"
#include "regraft/store/disk.hpp"
#include "regraft/store/saving.hpp"
#include "store/together/digest.hpp"
#include "store/together/gather.hpp"

namespace regraft::store {

/// Where a version is on disk.
struct OnDisk {
    std::vector<disk::Saved> saved{};      // the newest last
    std::shared_ptr<void const> opened{};  // the memory of what was read there, if the version refers to it
};

/// Saves as save() does, blocks of the object of this identity (identity.hpp).
SaveReport save_of(std::uint64_t identity, ft::Communicator& comm, std::filesystem::path const& archive,
                   BlockSizes const& sizes, std::span<OwnBlocks const> mine, SaveOptions const& options);

/// Writing that goes on in a thread.
class Writing {
public:
    Writing() = default;
    Writing(Writing const&) = delete;
    Writing& operator=(Writing const&) = delete;
    ~Writing() { finish(); }

    void start(std::function<void()> write) {
        thread_ = std::thread([this, write = std::move(write)] {
            write();
            done_ = true;
        });
    }
    bool done() const { return done_; }
    /// Returns when it is over.
    void finish() {
        if (thread_.joinable()) thread_.join();
    }

private:
    std::atomic<bool> done_ = false;
    std::thread thread_;
};

/// What a save was given. The memory of the pieces stays as it is until `writing` has finished.
struct ToSave {
    std::filesystem::path archive;
    BlockSizes sizes;
    std::vector<OwnBlocks> mine;
    SaveOptions options;
    std::shared_ptr<Writing> writing;
    std::function<void(SaveReport const&)> after;  // called when all know that it is complete
};

/// Does what start_save says for blocks of the object of this identity (identity.hpp). Collective, uniform.
Saving start_save_of(std::uint64_t identity, ft::Communicator& comm, ToSave given);

/// Saves blocks of a store; `mine` of all members together are all blocks. Blocks that are not in memory in one piece,
/// or are damaged there, are loaded.
template <class Store>
SaveReport save_blocks(Store& store, std::uint64_t identity, ft::Communicator& comm, std::span<BlockRange const> mine,
                       std::filesystem::path const& archive, SaveOptions const& options, OnDisk& on_disk) {
    auto const& sizes = store.sizes();
    std::vector<OwnBlocks> pieces;
    std::vector<BlockRange> missing;
    std::uint64_t bytes_missing = 0;
    for (auto const& blocks : mine) {
        auto const bytes = store.held(blocks);
        if (bytes.size() == sizes.bytes(blocks)) {
            pieces.push_back({blocks, bytes});
        } else {
            missing.push_back(blocks);
            bytes_missing += sizes.bytes(blocks);
        }
    }
    std::vector<std::byte> loaded(bytes_missing);
    static_cast<void>(store.load(missing, loaded));
    auto rest = std::span<std::byte const>(loaded);
    for (auto const& blocks : missing) {
        pieces.push_back({blocks, rest.first(sizes.bytes(blocks))});
        rest = rest.subspan(sizes.bytes(blocks));
    }
    auto const report = save_of(identity, comm, archive, sizes, pieces, options);
    auto& saved = on_disk.saved;
    saved.push_back({archive, report.generation});
    if (saved.size() > options.kept) saved.erase(saved.begin());
    return report;
}

/// Opens the newest generation, and passes to submit(num_blocks, own, on_disk) what this PE has read of it.
template <class Submit>
OpenReport open_blocks(ft::Communicator& comm, std::filesystem::path const& archive, Submit submit) {
    auto opened = open(comm, archive);
    auto const& sizes = opened.index.sizes;
    OwnSubmission const own{opened.blocks.front(), opened.bytes, various_bytes, [&](auto) { return sizes; }};
    submit(sizes.num_blocks(), own, OnDisk{{{archive, opened.index.generation}}, std::move(opened.memory)});
    return {opened.index.generation, std::move(opened.index.attributes), std::move(opened.refused)};
}

}  // namespace regraft::store
