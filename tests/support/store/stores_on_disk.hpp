// Both kinds of stores by the same calls, for tests of what they save and open.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/communicator.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/permuted.hpp"
#include "regraft/store/erasure_store.hpp"
#include "regraft/store/replicated_store.hpp"
#include "support/store/store_model.hpp"

namespace regraft::test {

/// A name that is the same on all ranks of a job, which has a folder for temporary files of its own.
inline std::filesystem::path job_folder(std::string const& name) {
    return std::filesystem::temp_directory_path() / name;
}

/// Two copies, or as many as there are members.
class Replicated {
public:
    using Options = store::Options;
    Replicated(ft::Communicator& comm, Options options, bool scattered = false)
        : comm_(comm), scattered_(scattered), store_(comm, options) {}
    store::ReplicatedStore& store() { return store_; }
    void submit(Submission const& submission, Content const& content) {
        submission.to(store_, placement(content.num_blocks()), content);
    }
    store::OpenReport open(std::filesystem::path const& archive) {
        return store_.open(archive, [this](std::uint64_t num_blocks) { return placement(num_blocks); });
    }

    std::optional<store::ReopenReport> reopen() { return store_.reopen(); }

private:
    placement::Any placement(std::uint64_t num_blocks) const {
        auto const size = static_cast<std::uint32_t>(comm_.size());
        if (scattered_) return placement::Permuted(num_blocks, size, std::min(2U, size), {.range_blocks = 3});
        return placement::ModK(num_blocks, size, std::min(2U, size));
    }
    ft::Communicator& comm_;
    bool scattered_;
    store::ReplicatedStore store_;
};

/// 3 + 1, or what fits the members.
class Coded {
public:
    using Options = store::ErasureOptions;
    Coded(ft::Communicator& comm, Options options) : store_(comm, options) {}
    store::ErasureStore& store() { return store_; }
    void submit(Submission const& submission, Content const& content) {
        if (content.sizes() == Content::Sizes::fixed) {
            store_.submit(code_, submission.mine, submission.blocks.values, content.block_bytes());
        } else {
            store_.submit(code_, submission.mine, CsrView<std::byte>(submission.blocks));
        }
    }
    store::OpenReport open(std::filesystem::path const& archive) { return store_.open(archive, code_); }
    std::optional<store::ErasureReopen> reopen() { return store_.reopen(code_); }

private:
    erasure::Code code_{3, 1};
    store::ErasureStore store_;
};

/// Expects that a load of everything gives all blocks but these, and leaves the places of these as they are.
/// Collective.
template <class Store>
void expect_all_but(std::vector<BlockRange> const& lost, Store& store, Content const& content) {
    auto const all = content.everything();
    std::vector<std::byte> out(content.bytes(all));
    auto const loaded = store.load(std::span(&all, 1), out, {.lost = store::LoadOptions::Lost::left});
    EXPECT_EQ(loaded.lost, lost);
    auto right = content.rows(all).values;
    for (auto const& blocks : lost) {
        auto const begin = content.bytes({BlockId{0}, blocks.first});
        std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(begin), content.bytes(blocks),
                    right.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    EXPECT_EQ(out, right);
}

/// What is wrong when all members load everything; empty: nothing. Collective.
template <class Store>
std::string wrong_in(Store& store, Content const& content, store::LoadOptions const& options = {}) {
    if (store.num_blocks() != content.num_blocks()) return std::to_string(store.num_blocks()) + " blocks";
    auto const all = content.everything();
    std::vector<std::byte> out(store.sizes().bytes());
    static_cast<void>(store.load(std::span(&all, 1), out, options));
    auto const right = content.rows(all);
    for (std::uint64_t id = 0; id < content.num_blocks(); ++id) {
        auto const begin = store.sizes().begin(BlockId{id});
        if (begin != right.offsets[id]) return "block " + std::to_string(id) + " begins elsewhere";
    }
    return out == right.values ? "" : "other bytes";
}

inline std::vector<std::byte> as_bytes(std::uint64_t number) {
    ByteWriter out;
    out.put(number);
    return out.take();
}
inline std::uint64_t as_number(std::span<std::byte const> bytes) {
    return ByteReader(bytes).get<std::uint64_t>();
}

}  // namespace regraft::test
