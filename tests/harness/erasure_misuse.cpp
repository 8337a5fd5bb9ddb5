// Breaks a contract of the erasure-coded store, by name: erasure_misuse NAME. All ranks must stop and name the
// contract.
#include <mpi.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "regraft/store/erasure_store.hpp"
#include "support/store/blocks.hpp"

using namespace regraft;

namespace {

constexpr std::uint64_t num_blocks = 60;

void submit(ft::Communicator const& comm, store::ErasureStore& store, std::uint32_t data = 1) {
    auto const mine = test::part_of(num_blocks, comm.position(comm.self()), comm.size());
    store.submit(erasure::Code(data, 1), mine, test::blocks(mine, 8), 8);
}

/// All members want a block of PE 0.
Csr<BlockRange> rows(ft::Communicator const& comm, std::uint64_t first) {
    Csr<BlockRange> rows;
    for (std::uint32_t pe = 0; pe < comm.num_founders(); ++pe) {
        rows.push_row(std::vector{BlockRange{BlockId{first}, BlockId{first + 1}}});
    }
    return rows;
}

void misuse(std::string const& name, ft::Communicator& comm) {
    bool const odd = value(comm.self()) == 1;
    store::ErasureOptions options{.integrity = store::Integrity::checked};
    if (name == "other-buffer" && odd) options.buffer_bytes = 64;
    if (name == "other-integrity" && odd) options.integrity = store::Integrity::unchecked;
    if (name == "node-of-some" && odd) options.node = 1;
    std::optional<store::ErasureStore> owner(std::in_place, comm, options);
    auto& store = *owner;
    submit(comm, store, name == "other-code" && odd ? 2 : 1);
    std::vector<std::byte> out(8);
    if (name == "other-rows") static_cast<void>(store.load(rows(comm, odd ? 1 : 0), out));
    auto loading = store.start_load(rows(comm, 0), out);
    if (name == "submit-under-load") submit(comm, store);
    if (name == "repair-under-load") static_cast<void>(store.repair());
    if (name == "scrub-under-load") static_cast<void>(store.scrub());
    if (name == "store-gone-before-wait") owner.reset();
    static_cast<void>(loading.wait());
    submit(comm, store);
    static_cast<void>(store.scrub());
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
