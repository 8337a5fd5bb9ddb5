// Exchanges what blocks of a flow need of their neighbours, wherever these are: one message between any two ranks.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "flow.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/ft/collectives.hpp"
#include "regraft/ft/communicator.hpp"

namespace example {

using regraft::PeId;
namespace ft = regraft::ft;

using Blocks = std::map<std::uint32_t, Block>;  // by number: those of this rank

/// A plan that stays the same as long as blocks and ranks stay as they are: which ranks exchange what.
class Halo {
public:
    /// native: derived from comm, with the same ranks, for messages of these alone. homes: of all blocks. Not
    /// collective.
    Halo(ft::Communicator& comm, MPI_Comm native, std::span<PeId const> homes) : comm_(comm), native_(native) {
        for (std::uint32_t from = 0; from < Block::count; ++from) {
            for (std::size_t direction = 1; direction < Block::num_directions; ++direction) {
                auto const to = Block::neighbour(from, direction);
                if (to == Block::count) continue;
                if (homes[from] == comm.self()) partners_[rank(homes[to])].leaving.push_back({from, direction});
                if (homes[to] == comm.self()) partners_[rank(homes[from])].arriving.push_back({to, direction});
            }
        }
    }

    /// Fills the rings of all blocks. Collective, not uniform: after a failure some rings may be filled.
    void exchange(Blocks& blocks) {
        Messages messages;
        comm_.reach(phase.before);
        for (auto& [rank, partner] : partners_) {
            partner.in.resize(size(partner.arriving, blocks));
            partner.out.resize(size(partner.leaving, blocks));
            visit(partner.leaving, blocks, partner.out,
                  [](Block& block, auto direction, auto strip) { block.pack(direction, strip); });
            auto const start = [&, to = rank](auto call, std::vector<double>& numbers, char const* name) {
                comm_.check(call(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, to, 0, native_,
                                 &messages.requests.emplace_back(MPI_REQUEST_NULL)),
                            name);
            };
            start(MPI_Irecv, partner.in, "MPI_Irecv");
            start(MPI_Isend, partner.out, "MPI_Isend");
        }
        comm_.reach(phase.inside);
        ft::wait_all(comm_, messages.requests);
        comm_.reach(phase.after);
        for (auto& [rank, partner] : partners_) {
            visit(partner.arriving, blocks, partner.in,
                  [](Block& block, auto direction, auto strip) { block.unpack(direction, strip); });
        }
    }

private:
    /// A failure leaves no message under way: it revokes the communicator, which ends them.
    struct Messages {
        ~Messages() { MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE); }
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

    static inline ft::FailPhase phase{"halo", ft::Moment::during_next_call};
    ft::Communicator& comm_;
    MPI_Comm native_;
    std::map<int, Partner> partners_;  // by rank, this one included
};

}  // namespace example
