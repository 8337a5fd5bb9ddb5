#include "shield/lanes/lane.hpp"

#include <algorithm>
#include <numeric>

#include "regraft/core/random.hpp"

namespace regraft::shield {

int Lane::position(PeId founder) const {
    return position(static_cast<int>(std::find(founders.begin(), founders.end(), founder) - founders.begin()));
}

void Lane::set_living(std::span<PeId const> members) {
    living.clear();
    sketch = 0;
    rank_of.assign(founders.size(), gone);
    for (auto const member : members) {
        rank_of[value(member)] = static_cast<int>(living.size());
        living.push_back(static_cast<int>(value(member)));
        sketch |= bit_of(founders[value(member)]);
    }
}

void Lane::set_all_living() {
    living.resize(founders.size());
    std::iota(living.begin(), living.end(), 0);
    rank_of = living;
    sketch = 0;
    for (auto const founder : founders) sketch |= bit_of(founder);
}

void Lane::set_members(Lane const& origin, std::span<int const> ranks) {
    std::vector<PeId> members;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        founders.push_back(origin.member(ranks[i]));
        if (ranks[i] == origin.self) self = static_cast<int>(i);
        if (origin.lives(ranks[i])) members.push_back(PeId{static_cast<std::uint32_t>(i)});
    }
    set_living(members);
    if (!is_whole()) native = rank_of;
}

int share(MPI_Comm face, MPI_Errhandler handler, MPI_Errhandler* shared) {
    MPI_Errhandler own = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(face, &own);
    int code = PMPI_Comm_set_errhandler(face, handler);
    if (code == MPI_SUCCESS) code = PMPI_Comm_get_errhandler(face, shared);
    PMPI_Comm_set_errhandler(face, own);
    PMPI_Errhandler_free(&own);
    return code;
}

LaneId child_id(LaneId parent, OperationNumber made_by, std::uint64_t colour) {
    return LaneId{mix(static_cast<std::uint64_t>(parent) ^ mix(made_by ^ mix(colour)))};
}

}  // namespace regraft::shield
