// Flow around a cylinder on a grid of ranks, with halos exchanged at each step and snapshots as often as pays. Whoever
// dies, survivors go back to the last snapshot, share the blocks of the dead, and end with the same flow, bit for bit.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "flow.hpp"
#include "picture.hpp"
#include "program.hpp"
#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/collectives.hpp"
#include "regraft/ft/derived.hpp"
#include "regraft/ft/resilient.hpp"

using namespace regraft;

namespace {

using example::Block;
using Blocks = std::map<std::uint32_t, Block>;  // by number: those of this rank

ft::FailPhase halo_phase("halo", ft::Moment::during_next_call);

/// The home of each block at first: the grid of ranks, laid over the channel.
std::vector<PeId> first_homes(ft::Communicator const& comm, MPI_Comm grid) {
    int dims[2], periodic[2], mine[2];
    MPI_Cart_get(grid, 2, dims, periodic, mine);
    std::vector<PeId> homes;
    for (std::uint32_t number = 0; number < Block::count; ++number) {
        auto const place = [number](std::uint32_t i, int n) { return static_cast<int>(i) * n / int{Block::per_side}; };
        int const at[2] = {place(number / Block::per_side, dims[0]), place(number % Block::per_side, dims[1])};
        int rank = 0;
        MPI_Cart_rank(grid, at, &rank);
        homes.push_back(comm.members()[static_cast<std::size_t>(rank)]);
    }
    return homes;
}

/// What blocks need of their neighbours, wherever these are: one message between any two ranks.
class Halo {
public:
    Halo(ft::Communicator& comm, MPI_Comm grid, std::span<PeId const> homes) : comm_(comm), grid_(grid) {
        for (std::uint32_t from = 0; from < Block::count; ++from) {
            for (std::size_t direction = 1; direction < Block::num_directions; ++direction) {
                auto const to = Block::neighbour(from, direction);
                if (to == Block::count) continue;
                if (homes[from] == comm.self()) partners_[rank(homes[to])].leaving.push_back({from, direction});
                if (homes[to] == comm.self()) partners_[rank(homes[from])].arriving.push_back({to, direction});
            }
        }
    }

    void exchange(Blocks& blocks) {
        Messages messages;
        comm_.reach(halo_phase.before);
        for (auto& [rank, partner] : partners_) {
            partner.in.resize(size(partner.arriving, blocks));
            partner.out.resize(size(partner.leaving, blocks));
            visit(partner.leaving, blocks, partner.out,
                  [](Block& block, auto direction, auto strip) { block.pack(direction, strip); });
            auto const start = [&, to = rank](auto call, std::vector<double>& numbers, char const* name) {
                comm_.check(call(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, to, 0, grid_,
                                 &messages.requests.emplace_back(MPI_REQUEST_NULL)),
                            name);
            };
            start(MPI_Irecv, partner.in, "MPI_Irecv");
            start(MPI_Isend, partner.out, "MPI_Isend");
        }
        comm_.reach(halo_phase.inside);
        ft::wait_all(comm_, messages.requests);
        comm_.reach(halo_phase.after);
        for (auto& [rank, partner] : partners_) {
            visit(partner.arriving, blocks, partner.in,
                  [](Block& block, auto direction, auto strip) { block.unpack(direction, strip); });
        }
    }

private:
    /// A failure leaves no message under way: it revokes the communicator, which ends them.
    struct Messages {
        ~Messages() {
            MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        }
        std::vector<MPI_Request> requests;
    };
    struct Strip {
        std::uint32_t block;  // of this rank
        std::size_t direction;
    };
    struct Partner {
        std::vector<Strip> leaving, arriving;  // the one's are the other's, in the same order
        std::vector<double> out, in;
    };

    int rank(PeId pe) const { return static_cast<int>(comm_.position(pe)); }
    static std::size_t size(std::vector<Strip> const& strips, Blocks const& blocks) {
        std::size_t sum = 0;
        for (auto const& [number, direction] : strips) sum += blocks.at(number).strip_size(direction);
        return sum;
    }
    static void visit(std::vector<Strip> const& strips, Blocks& blocks, std::span<double> numbers, auto const& visit) {
        for (auto const& [number, direction] : strips) {
            auto& block = blocks.at(number);
            auto const size = block.strip_size(direction);
            visit(block, direction, numbers.first(size));
            numbers = numbers.subspan(size);
        }
    }

    ft::Communicator& comm_;
    MPI_Comm grid_;
    std::map<int, Partner> partners_;  // by rank, this one included
};
