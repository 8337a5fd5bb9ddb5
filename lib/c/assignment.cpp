// Assignments for callers in C.
#include "regraft/assign/assignment.hpp"

#include <algorithm>
#include <functional>

#include "c/status.hpp"
#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"

using namespace regraft;

namespace {

/// Rows of work as arrays that a caller in C can read.
struct Pieces {
    Pieces() = default;
    explicit Pieces(Csr<assign::Work> const& rows) : offsets(rows.offsets) {
        for (auto const& [range, partition] : rows.values) {
            sites.push_back({value(range.first), value(range.last)});
            partitions.push_back(value(partition));
        }
    }
    std::vector<std::uint64_t> offsets;
    std::vector<regraft_range> sites;
    std::vector<std::uint32_t> partitions;
};

}  // namespace

struct regraft_assignment {
    std::vector<std::uint64_t> cost_per_site;  // empty: all the same
    assign::Assignment now;
    Pieces pieces;
    Pieces gained;
};

namespace {

/// The costs of partitions, checked: each is positive, and all sites together cost less than 2^63.
std::vector<std::uint64_t> costs_of(std::uint64_t const* costs, std::span<std::uint64_t const> begins) {
    if (costs == nullptr) return {};
    __extension__ using Wide = unsigned __int128;
    Wide total = 0;
    std::vector<std::uint64_t> result(costs, costs + (begins.size() - 1));
    for (std::size_t q = 0; q < result.size(); ++q) {
        total += Wide{begins[q + 1] - begins[q]} * result[q];
        c::expect(result[q] > 0 && total < Wide{1} << 63, "positive costs, together below 2^63");
    }
    return result;
}

regraft_status show(regraft_assignment const* assignment, Pieces regraft_assignment::*which, std::uint32_t pe,
                    regraft_range const** sites, std::uint32_t const** partitions, std::uint64_t* count) {
    return c::guarded([&] {
        auto const& pieces = c::object(assignment, "an assignment, not NULL").*which;
        c::expect(pe < assignment->now.size(), "a PE of the assignment");
        auto& where = c::object(sites, "sites, not NULL");
        auto& number = c::object(count, "count, not NULL");
        auto const first = pieces.offsets.empty() ? 0 : pieces.offsets[pe];
        number = pieces.offsets.empty() ? 0 : pieces.offsets[pe + 1] - first;
        where = pieces.sites.data() + first;
        if (partitions != nullptr) *partitions = pieces.partitions.data() + first;
    });
}

}  // namespace

regraft_status regraft_assignment_balance(uint64_t const* partition_begin, uint64_t num_partitions,
                                          uint64_t const* cost_per_site, uint32_t num_pes,
                                          regraft_assignment** assignment) {
    return c::guarded([&] {
        c::expect(num_pes > 0, "at least one PE");
        c::expect(partition_begin != nullptr && num_partitions < REGRAFT_NONE, "partition_begin[num_partitions + 1]");
        std::span const begins(partition_begin, static_cast<std::size_t>(num_partitions) + 1);
        c::expect(
            std::is_sorted(begins.begin(), begins.end()) && begins.back() - begins.front() < std::uint64_t{1} << 63,
            "partition_begin that ascends, fewer than 2^63 sites");
        auto costs = costs_of(cost_per_site, begins);
        auto now = costs.empty() ? assign::balance(begins, num_pes) : assign::balance(begins, costs, num_pes);
        Pieces pieces(now);
        c::make(assignment, regraft_assignment{std::move(costs), std::move(now), std::move(pieces), {}});
    });
}

void regraft_assignment_free(regraft_assignment* assignment) {
    delete assignment;
}

regraft_status regraft_assignment_reassign(regraft_assignment* assignment, uint32_t const* survivors,
                                           uint64_t num_survivors) {
    return c::guarded([&] {
        auto& [costs, now, pieces, gained] = c::object(assignment, "an assignment, not NULL");
        auto const pes = c::span_of(survivors, num_survivors, "survivors, not NULL");
        c::expect(!pes.empty() && pes.back() < now.size() &&
                      std::adjacent_find(pes.begin(), pes.end(), std::greater_equal<>{}) == pes.end(),
                  "survivors that ascend, at least one, each a PE of the assignment");
        auto next = assign::reassign(now, c::ids<PeId>(pes), {.cost_per_site = costs});
        Pieces after(next.after);
        gained = Pieces(next.gained);
        pieces = std::move(after);
        now = std::move(next.after);
    });
}

regraft_status regraft_assignment_pieces(regraft_assignment const* assignment, uint32_t pe, regraft_range const** sites,
                                         uint32_t const** partitions, uint64_t* count) {
    return show(assignment, &regraft_assignment::pieces, pe, sites, partitions, count);
}

regraft_status regraft_assignment_gained(regraft_assignment const* assignment, uint32_t pe, regraft_range const** sites,
                                         uint32_t const** partitions, uint64_t* count) {
    return show(assignment, &regraft_assignment::gained, pe, sites, partitions, count);
}
