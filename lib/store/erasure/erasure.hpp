// The implementation of an ErasureStore: what a PE knows and keeps, and the steps of its collectives.
#pragma once

#include <cstdint>
#include <memory>

#include "regraft/store/erasure_store.hpp"
#include "store/erasure/erasure_version.hpp"
#include "store/on_disk/on_disk.hpp"
#include "store/together/gather.hpp"
#include "store/together/identity.hpp"
#include "store/together/loading.hpp"

namespace regraft::store {

struct [[gnu::visibility("hidden")]] Coded;  // as its loads are

/// What a PE knows and keeps of a store.
struct Coded {
    Coded(ft::Communicator& communicator, ErasureOptions const& given)
        : comm(communicator), options(given), identity(made_identity(comm)) {}

    bool checked() const { return options.integrity == Integrity::checked; }
    bool idle() const { return !loads.any(comm.epoch()); }
    std::uint64_t window() const { return window_bytes(options, current->holdings.layout().code()); }

    ft::Communicator& comm;
    ErasureOptions options;
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

}  // namespace regraft::store
