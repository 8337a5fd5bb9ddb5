// Breaks a contract of the store, by name: store_misuse NAME. All ranks must stop and name the contract.
#include <mpi.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "regraft/placement/permuted.hpp"
#include "regraft/store/replicated_store.hpp"
#include "support/store/blocks.hpp"

using namespace regraft;

namespace {

constexpr std::uint64_t num_blocks = 60;

void submit(ft::Communicator const& comm, store::ReplicatedStore& store, std::uint64_t seed) {
    auto const size = static_cast<std::uint32_t>(comm.size());
    auto const mine = test::part_of(num_blocks, comm.position(comm.self()), size);
    placement::Permuted const placement(num_blocks, size, 1, {.range_blocks = 2, .seed = seed});
    store.submit(placement, mine, test::blocks(mine, 8), 8);
}

/// All members want the first blocks; rank 1 says that it wants others, as many.
Csr<BlockRange> rows(ft::Communicator const& comm, std::uint64_t first) {
    Csr<BlockRange> rows;
    for (std::uint32_t pe = 0; pe < comm.num_founders(); ++pe) {
        rows.push_row(std::vector{BlockRange{BlockId{first}, BlockId{first + 1}}});
    }
    return rows;
}

void misuse(std::string const& name, ft::Communicator& comm) {
    std::optional<store::ReplicatedStore> owner(std::in_place, comm,
                                                store::Options{.transport = store::Transport::rounds});
    auto& store = *owner;
    auto const self = value(comm.self());
    submit(comm, store, name == "other-seed" ? self : 1);
    std::vector<std::byte> out(8);
    auto const options = name == "other-options" && self == 0
                             ? store::LoadOptions{}
                             : store::LoadOptions{.lost = store::LoadOptions::Lost::left};
    BlockRange const first{BlockId{0}, BlockId{1}};
    static_cast<void>(store.load(std::span(&first, 1), out, options));
    // All members hold it, so that what travels has the same sizes.
    if (name == "other-rows") static_cast<void>(store.load(rows(comm, self == 0 ? 0 : 1), out));
    auto loading = store.start_load(rows(comm, 0), out);
    if (name == "submit-under-load") submit(comm, store, 2);
    if (name == "repair-under-load") static_cast<void>(store.repair());
    if (name == "store-gone-before-wait") owner.reset();
    static_cast<void>(loading.wait());
    submit(comm, store, 3);
    static_cast<void>(store.repair());
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        ft::Communicator comm(MPI_COMM_WORLD);
        misuse(argc > 1 ? argv[1] : "", comm);
        if (comm.leads()) std::puts("nothing was wrong");
    }
    MPI_Finalize();
}
