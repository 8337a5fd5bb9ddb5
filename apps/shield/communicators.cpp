// Communicators: made, freed, asked.
#include <mpi.h>

#include <numeric>
#include <vector>

#include "shield/attributes.hpp"
#include "shield/creation.hpp"
#include "shield/session.hpp"
#include "shield/waiting.hpp"

using namespace regraft::shield;

namespace {

bool has_topology(MPI_Comm comm) {
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    return kind != MPI_UNDEFINED;
}

}  // namespace

extern "C" {

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
    auto const* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_rank(comm, rank);
    *rank = lane->self;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
    auto const* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_size(comm, size);
    *size = static_cast<int>(lane->size());
    return MPI_SUCCESS;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
    auto const* const lane = lane_of(comm);
    if (lane == nullptr || lane->native.empty()) return PMPI_Comm_group(comm, group);
    std::vector<int> ranks;
    for (auto const founder : lane->founders) ranks.push_back(static_cast<int>(regraft::value(founder)));
    MPI_Group world = MPI_GROUP_NULL;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    int const code = PMPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), group);
    PMPI_Group_free(&world);
    return code;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler shared = MPI_ERRHANDLER_NULL;
    int const code = share(lane->face, handler, &shared);
    if (code != MPI_SUCCESS) return complain(*lane, code);
    PMPI_Errhandler_free(&lane->handler);
    lane->handler = shared;
    return MPI_SUCCESS;
}

int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_get_errhandler(comm, handler);
    return complain(*lane, share(lane->face, lane->handler, handler));
}

// Those of MPI-1, which are in the library still.
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler) {
    return MPI_Comm_set_errhandler(comm, handler);
}
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* handler) {
    return MPI_Comm_get_errhandler(comm, handler);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_dup(comm, made);
    int code = wait_in(*lane, [&] { return duplicate(*session().shield, *lane, made); });
    if (code == MPI_SUCCESS && has_topology(comm) && !has_topology(*made))
        code = unsupported("MPI_Comm_dup", nullptr, MPI_ERR_PROC_FAILED,
                           "somebody has died, and topologies are made only while all live");
    if (code == MPI_SUCCESS) code = copy_attributes(comm, *made);
    // What has been made stays: perhaps no other member's copy function has failed, so nobody would help to free it.
    if (code != MPI_SUCCESS) *made = MPI_COMM_NULL;
    return complain(*lane, code);
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* made) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_split(comm, colour, key, made);
    return complain(*lane, wait_in(*lane, [&] { return split(*session().shield, *lane, colour, key, made); }));
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
    if (lane_of(comm) == nullptr) return PMPI_Comm_dup_with_info(comm, info, made);
    int const code = MPI_Comm_dup(comm, made);
    return code != MPI_SUCCESS || info == MPI_INFO_NULL ? code : PMPI_Comm_set_info(*made, info);
}

/// A split in which the first of a group gives the colour: groups of different members do not overlap.
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
    if (lane_of(comm) == nullptr) return PMPI_Comm_create(comm, group, made);
    int place = MPI_UNDEFINED;
    int first = MPI_UNDEFINED;
    int const zero = 0;
    PMPI_Group_rank(group, &place);
    if (place != MPI_UNDEFINED) {
        MPI_Group world = MPI_GROUP_NULL;
        PMPI_Comm_group(MPI_COMM_WORLD, &world);
        PMPI_Group_translate_ranks(group, 1, &zero, world, &first);
        PMPI_Group_free(&world);
    }
    return MPI_Comm_split(comm, first, place == MPI_UNDEFINED ? 0 : place, made);
}

int MPI_Comm_free(MPI_Comm* comm) {
    auto* const lane = comm == nullptr || *comm == MPI_COMM_WORLD ? nullptr : lane_of(*comm);
    if (lane == nullptr) return PMPI_Comm_free(comm);
    auto& shield = *session().shield;
    {
        Waiting const waiting(*lane);
        part(shield, *lane);
    }
    drop(shield, *lane);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
    return MPI_Comm_free(comm);
}
}
