// A two-dimensional decomposition: sums along rows, columns and a grid, on communicators derived from one that shrinks.
#include <mpi.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/collectives.hpp"
#include "regraft/ft/derived.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

FailPhase row_phase("test:row", Moment::during_next_call);
FailPhase column_phase("test:column", Moment::during_next_call);
FailPhase grid_phase("test:grid", Moment::during_next_call);

std::vector<int> dims_of(std::size_t members) {
    std::vector<int> dims(2, 0);
    MPI_Dims_create(static_cast<int>(members), 2, dims.data());
    return dims;
}

/// Members in the order of PeIds fill a grid row by row.
struct GridPosition {
    explicit GridPosition(Communicator const& comm) : columns(dims_of(comm.size())[1]) {
        auto const position = static_cast<int>(comm.position(comm.self()));
        row = position / columns;
        column = position % columns;
    }
    int columns, row, column;
};

/// 0 on members that are not in it, which come to the same points.
std::uint64_t sum_along(Communicator& comm, Derived const& line, FailPhase& phase) {
    bool const in = line.native() != MPI_COMM_NULL;
    std::uint64_t sum = in ? value(comm.self()) + std::uint64_t{1} : 0;
    comm.reach(phase.before);
    comm.reach(phase.inside);
    if (in) {
        comm.check(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, line.native()), "MPI_Allreduce");
    }
    comm.reach(phase.after);
    return sum;
}

std::uint64_t expected_sum(Derived const& line) {
    std::uint64_t sum = 0;
    for (auto const pe : line.members()) sum += value(pe) + std::uint64_t{1};
    return sum;
}

TEST(Derived, RowsAndColumnsAreMadeAgainAfterEachDeath) {
    Communicator comm(MPI_COMM_WORLD);
    std::optional<Derived> rows, columns, copy, halves;
    std::optional<Cart> grid;
    int rounds = 0;
    resilient(
        comm,
        [&] {
            auto const colour = [&comm](auto of) { return [&comm, of] { return of(GridPosition(comm)); }; };
            auto const make = [](auto& derived, auto factory) {
                // Made in place, since what is derived does not move; each at most once, whichever ranks die meanwhile.
                using Made = typename std::remove_reference_t<decltype(derived)>::value_type;
                struct Maker {
                    decltype(factory)& make;
                    operator Made() const { return make(); }
                };
                if (!derived) derived.emplace(Maker{factory});
            };
            make(rows, [&] { return split(comm, colour([](GridPosition const& p) { return p.row; })); });
            make(columns, [&] { return split(comm, colour([](GridPosition const& p) { return p.column; })); });
            make(grid, [&] { return cart(comm, dims_of, {1, 0}); });
            make(copy, [&] { return dup(comm); });
            make(halves, [&] {
                return split(comm, colour([](GridPosition const& p) { return p.column % 2 == 0 ? 0 : MPI_UNDEFINED; }));
            });
            for (rounds = 0; rounds < 4; ++rounds) {
                EXPECT_EQ(sum_along(comm, *rows, row_phase), expected_sum(*rows));
                EXPECT_EQ(sum_along(comm, *columns, column_phase), expected_sum(*columns));
                EXPECT_EQ(sum_along(comm, *grid, grid_phase), expected_sum(*grid));
                EXPECT_EQ(sum_along(comm, *copy, grid_phase), expected_sum(*copy));
                EXPECT_EQ(halves->native() != MPI_COMM_NULL, GridPosition(comm).column % 2 == 0);
                EXPECT_EQ(sum_along(comm, *halves, row_phase), expected_sum(*halves));
            }
        },
        [](Failure const&) {});
    EXPECT_EQ(rounds, 4);

    GridPosition const place(comm);
    EXPECT_EQ(rows->members().size(), static_cast<std::size_t>(place.columns));
    EXPECT_EQ(rows->members()[static_cast<std::size_t>(place.column)], comm.self());
    EXPECT_TRUE(std::ranges::is_sorted(columns->members()));
    EXPECT_EQ(columns->members()[static_cast<std::size_t>(place.row)], comm.self());
    EXPECT_TRUE(std::ranges::equal(copy->members(), comm.members()));
    EXPECT_EQ(grid->coordinates(), (std::vector<int>{place.row, place.column}));
    int topology = MPI_CART;
    MPI_Topo_test(grid->native(), &topology);
    EXPECT_EQ(topology, MPI_UNDEFINED) << "MPI_Cart_create crashes survivors when somebody dies in it";
}

}  // namespace
}  // namespace regraft::ft
