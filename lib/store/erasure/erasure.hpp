// The implementation of an ErasureStore: what a PE knows and keeps, and the steps of its collectives.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "regraft/store/erasure_store.hpp"
#include "store/erasure/erasure_version.hpp"
#include "store/keeping/keeping.hpp"
#include "store/on_disk/on_disk.hpp"
#include "store/together/complaint.hpp"
#include "store/together/gather.hpp"
#include "store/together/identity.hpp"
#include "store/together/loading.hpp"

namespace regraft::store {

struct [[gnu::visibility("hidden")]] Coded;  // as its loads are

/// What a PE knows and keeps of a store.
struct Coded {
    Coded(ft::Communicator& communicator, ErasureOptions given)
        : comm(communicator), options(std::move(given)), identity(made_identity(comm)) {
        if (!options.keep) return;
        keeping.emplace(*options.keep, Keeping::Kind::pieces);
        options.own_copy = OwnCopy::copied;
        spare = fresh_memory();
    }
    Coded(Coded const&) = delete;
    Coded& operator=(Coded const&) = delete;
    ~Coded() { leave_files(); }

    bool checked() const { return options.integrity == Integrity::checked; }
    bool idle() const { return !loads.any(comm.epoch()); }
    std::uint64_t window() const { return window_bytes(options, current->holdings.layout().code()); }

    /// The files of the version stay when it goes.
    void leave_files() {
        if (current) current->leave_files();
    }
    /// Makes files. If there is no place for one, the complaint says why, and the memory is private: the exchange takes
    /// place all the same, and is not agreed on.
    SpareMemory::Make make_file();
    /// Memory that nothing was in, for pieces of a version.
    SpareMemory fresh_memory() { return keeping ? SpareMemory(make_file()) : SpareMemory(); }
    /// A hash of what members that keep files have in common.
    std::uint64_t alike_to_keep() const;
    /// What the files of a version have in common, if there are any. Collective if there are.
    Common next_common(erasure::Layout const& layout, std::uint64_t number);
    /// Lists a version in files. Not collective.
    void list(ErasureVersion& of);
    /// The files of a version of which no member can be sure are gone. Throws DiskError if a member has complained.
    /// Collective, uniform.
    void retract();
    /// All have agreed on what was listed last.
    void settle(ErasureVersion const& of);

    ft::Communicator& comm;
    ErasureOptions options;
    std::optional<Keeping> keeping;
    Complaint complaint;                    // about files of the version that is being made
    std::vector<std::byte> attributes;      // of the next version
    std::optional<ErasureReopen> reopened;  // not yet reported
    std::unique_ptr<ErasureVersion> current;
    SpareMemory spare;  // for the next submit
    std::uint64_t version = 0;
    std::uint64_t identity;  // of the current version, and before the first one of this object (identity.hpp)
    OnDisk on_disk;
    LoadsUnderWay loads;  // destroyed before the memory above, which the loads use
};

struct ErasureStore::Impl : Coded {
    using Coded::Coded;
};

/// Gathers what members submit, and submits it as ErasureStore::submit does. from: where the blocks were read, if they
/// were read from disk; their bytes may be its memory. Collective, uniform.
void submit(Coded& store, erasure::Code const& code, OwnSubmission const& own, OnDisk from = {});

/// Does what ErasureStore::repair says. Where everything is encoded anew, as what was inherited is, it is with this
/// code.
ErasureRepair repair(Coded& store, ErasureRepairOptions const& options, erasure::Code const& code);

}  // namespace regraft::store
