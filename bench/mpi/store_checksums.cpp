// The cost of checksums: two replicated stores, one with Integrity::checked, submit and load the same in turn. An MPI
// job; rank 0 prints a line of JSON for each operation: medians of the slowest rank's seconds, and the median of the
// ratios of neighbouring pairs.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/permuted.hpp"
#include "regraft/store/replicated_store.hpp"

namespace {

using namespace regraft;

constexpr std::uint64_t block_bytes = 64;

double seconds(ft::Communicator& comm, std::function<void()> const& body) {
    MPI_Barrier(comm.native());
    auto const begin = MPI_Wtime();
    body();
    double spent = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MAX, comm.native());
    return spent;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

/// Times of one operation without and with checksums, in turn.
struct Pairs {
    std::vector<double> unchecked, checked, ratios;
    void add(double a, double b) {
        unchecked.push_back(a);
        checked.push_back(b);
        ratios.push_back(b / a);
    }
    void print(std::string const& name) const {
        std::printf("{\"name\": \"%s\", \"unchecked_s\": %.6f, \"checked_s\": %.6f, \"ratio\": %.3f, \"pairs\": %zu}\n",
                    name.c_str(), median(unchecked), median(checked), median(ratios), ratios.size());
    }
};

class Comparison {
public:
    Comparison(ft::Communicator& comm, placement::Any placement, std::uint64_t bytes_each)
        : comm_(comm), placement_(std::move(placement)), blocks_each_(bytes_each / block_bytes) {
        data_.resize(bytes_each);
        for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<std::byte>(i * 2654435761U >> 13);
    }

    void run(std::string const& name, int pairs) {
        Pairs submits, loads, small_loads;
        for (int i = 0; i < pairs + 2; ++i) {
            double times[3][2];
            for (int which = 0; which < 2; ++which) {
                auto& store = which == 0 ? unchecked_ : checked_;
                times[0][which] =
                    seconds(comm_, [&] { store.submit(placement_, part(comm_.self()), data_, block_bytes); });
                times[1][which] = load(store, blocks_each_);
                times[2][which] = load(store, std::min<std::uint64_t>(blocks_each_, 1024));
            }
            if (i < 2) continue;  // into memory that no process touched before
            submits.add(times[0][0], times[0][1]);
            loads.add(times[1][0], times[1][1]);
            small_loads.add(times[2][0], times[2][1]);
        }
        if (!comm_.leads()) return;
        submits.print(name + "/submit");
        loads.print(name + "/load_all");
        small_loads.print(name + "/load_64K");
    }

private:
    BlockRange part(PeId pe) const {
        return {BlockId{value(pe) * blocks_each_}, BlockId{(value(pe) + 1) * blocks_each_}};
    }
    /// All members load the first blocks of the one half the machine away.
    double load(store::ReplicatedStore& store, std::uint64_t blocks) {
        auto const p = comm_.num_founders();
        auto const first = part(PeId{(value(comm_.self()) + p / 2) % p}).first;
        std::vector const wanted{BlockRange{first, advance(first, blocks)}};
        std::vector<std::byte> out(blocks * block_bytes);
        auto const spent = seconds(comm_, [&] { static_cast<void>(store.load(wanted, out)); });
        if (!std::equal(out.begin(), out.end(), data_.begin())) std::abort();
        return spent;
    }

    ft::Communicator& comm_;
    placement::Any placement_;
    std::uint64_t blocks_each_;
    std::vector<std::byte> data_;
    store::ReplicatedStore unchecked_{comm_, {.integrity = store::Integrity::unchecked}};
    store::ReplicatedStore checked_{comm_, {.integrity = store::Integrity::checked}};
};

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        ft::Communicator comm(MPI_COMM_WORLD);
        bool const smoke = argc > 1 && std::string_view(argv[1]) == "--smoke";
        auto const bytes_each = std::uint64_t{smoke ? 1U : 16U} << 20;
        auto const size = static_cast<std::uint32_t>(comm.size());
        auto const num_blocks = bytes_each / block_bytes * size;
        auto const copies = std::min(2U, size);
        Comparison(comm, placement::ModK(num_blocks, size, copies), bytes_each).run("mod_k", smoke ? 1 : 15);
        Comparison(comm, placement::Permuted(num_blocks, size, copies, {.range_blocks = (256 << 10) / block_bytes}),
                   bytes_each)
            .run("permuted_256K", smoke ? 1 : 15);
    }
    MPI_Finalize();
}
