// What is behind a ReplicatedStore: what a PE knows and keeps, and the steps of its collectives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "regraft/placement/directory.hpp"
#include "regraft/store/replicated_store.hpp"
#include "store/gather.hpp"
#include "store/held_blocks.hpp"
#include "store/load_plan.hpp"
#include "store/loading.hpp"
#include "store/on_disk.hpp"
#include "store/seals.hpp"
#include "store/seams.hpp"
#include "store/traffic.hpp"

namespace regraft::store {

/// One submit and what became of it.
struct Version {
    placement::Directory directory;  // who holds what: the same on all members
    BlockSizes sizes;
    HeldBlocks held;  // by this PE
    Seams seams;
};

/// A load, or what replaces damaged replicas, while it is not agreed on. It may take several attempts.
struct Delivery {
    CsrView<BlockRange> wanted{};  // by PeId
    std::span<std::byte> out{};
    LoadOptions options{};
    std::uint64_t alike = 0;  // the digest of what must be

    // What the attempts so far have found.
    std::vector<Damage> damaged{};
    std::vector<Damage> to_replace{};                 // those whose holders may write to them
    std::optional<placement::Directory> undamaged{};  // the directory without them, if there are any
    Resends resends{};

    // The attempt under way.
    LoadPlan plan{};
    LoadReport report{};
    Traffic traffic{};
    std::optional<Seals> seals{};
    std::optional<std::vector<exchange::Message>> messages{};  // if everybody knows all
};

struct ReplicatedStore::Impl {
    Impl(ft::Communicator& communicator, Options const& given) : comm(communicator), options(given) {}

    using SizesOf = std::function<BlockSizes(std::span<BlockRange const>)>;
    /// What members tell each other, and then the submit where everybody knows it. from: where the blocks were read, if
    /// they were; `bytes` may be its memory.
    void submit(placement::Any placement, BlockRange mine, std::span<std::byte const> bytes, std::uint64_t block_bytes,
                SizesOf const& sizes_of, OnDisk from = {});
    /// Without a vote everybody is in favour, and what arrives damaged is sent again.
    bool submit(placement::Any placement, Submissions const& all, std::span<std::byte const> bytes, OnDisk from = {},
                std::optional<Vote> const& vote = {});
    LoadReport load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& load_options,
                    std::uint64_t alike);
    RepairReport repair(RepairOptions const& repair_options);
    ScrubReport scrub();

    /// Plans the next attempt, and lays out where in memory everything comes from and goes to. Collective, not uniform.
    void prepare(Delivery& delivery);
    void move(Delivery& delivery);
    /// Attempt after attempt until all have what they want or know that it is lost. Collective, uniform.
    void settle(Delivery& delivery);
    /// settle, and what then is to be done about what is lost. Collective, uniform.
    LoadReport finish(Delivery& delivery);

    /// What this PE writes to disk: all members together every block.
    std::vector<BlockRange> to_write();

    bool checked() const { return options.integrity == Integrity::checked; }
    bool idle() const { return !loads.any(comm.epoch()); }

    ft::Communicator& comm;
    Options options;
    std::unique_ptr<Version> current;
    Memory spare;  // of the version before
    std::uint64_t version = 0;
    OnDisk on_disk;
    LoadsUnderWay loads;

private:
    struct Started;
    friend class ReplicatedStore;
    void lay_out(Delivery& delivery);
    bool is_clean(Delivery const& delivery);
    void note(Delivery& delivery, std::span<BadReplica const> bad) const;
    void forget_and_replace(Delivery const& delivery);
    bool carry_out(repair::Step const& step, RepairReport& report);
    bool forget_damage(std::span<BlockRange const> looked_at, std::vector<Damage>& damaged);
};

}  // namespace regraft::store
