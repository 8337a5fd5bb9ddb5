// Communicators: functions that make, free and query them.
#include <mpi.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "shield/calls/collectives/collective_requests.hpp"
#include "shield/calls/collectives/topologies.hpp"
#include "shield/calls/communicators/attributes.hpp"
#include "shield/calls/messages/own_faces.hpp"
#include "shield/calls/messages/starts.hpp"
#include "shield/engine/creation.hpp"
#include "shield/session/session.hpp"
#include "shield/waits/any_source.hpp"
#include "shield/waits/messages.hpp"
#include "shield/waits/proxies.hpp"
#include "shield/waits/waiting.hpp"

using namespace regraft::shield;

namespace {

int duplicate(char const* call, Lane& lane, MPI_Comm* made) {
    std::vector<int> members(lane.size());
    std::iota(members.begin(), members.end(), 0);
    auto const make = [&](MPI_Comm parent, MPI_Comm* result) {
        bool const has_lost_it = lane.is_whole() && topology_of(parent) != topology_of(lane.face);  // the lane lost it
                                                                                                    // in a repair
        return has_lost_it ? duplicate_with_topology(lane.face, parent, result) : PMPI_Comm_dup(parent, result);
    };
    int const code = derive(*session().shield, lane, 0, members, make, made);
    if (code != MPI_SUCCESS || topology_of(lane.face) == topology_of(*made)) return code;
    return unsupported(call, nullptr, MPI_ERR_PROC_FAILED,
                       "a rank has died, and topologies are made only while all ranks live");
}

/// The state of a communicator when its duplication was started; it may change until that is over.
struct AtStart {
    CopiedAttributes attributes;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Info info = MPI_INFO_NULL;

    AtStart(Lane const& lane, MPI_Info given) : attributes(lane.face) {
        share(lane.face, lane.handler, &handler);
        if (given != MPI_INFO_NULL) PMPI_Info_dup(given, &info);
    }
    AtStart(AtStart const&) = delete;
    AtStart& operator=(AtStart const&) = delete;
    ~AtStart() {
        PMPI_Errhandler_free(&handler);
        if (info != MPI_INFO_NULL) PMPI_Info_free(&info);
    }
    int give(MPI_Comm to) {
        int code = attributes.attach(to);
        if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(to, handler);
        return code != MPI_SUCCESS || info == MPI_INFO_NULL ? code : PMPI_Comm_set_info(to, info);
    }
};

/// The duplication itself blocks, so it begins when all members have started it.
int start_duplicate(char const* call, Lane& lane, MPI_Info info, MPI_Comm* made, MPI_Request* request) {
    int code = begin_request(request);
    if (code != MPI_SUCCESS) return complain(lane, code);
    auto const had = std::make_shared<AtStart>(lane, info);
    code = session().shield->defer(lane, [=, &lane, handle = *request] {
        int ended = duplicate(call, lane, made);
        if (ended == MPI_SUCCESS) ended = had->give(*made);
        if (ended != MPI_SUCCESS) *made = MPI_COMM_NULL;
        end_request(handle, {ended, lane.face});
    });
    if (code != MPI_SUCCESS) withdraw_request(request);
    return complain(lane, code);
}

/// Communicators that the program has freed while messages were under way on them, or prepared.
std::vector<MPI_Comm>& freed_in_use() {
    static auto& faces = *new std::vector<MPI_Comm>;  // never destroyed
    return faces;
}

bool is_in_use(MPI_Comm face) {
    return has_messages(face) || is_prepared_on(face);
}

void drop_unused() {
    auto& faces = freed_in_use();
    for (;;) {
        auto const unused = std::find_if_not(faces.begin(), faces.end(), is_in_use);
        if (unused == faces.end()) return;
        auto& lane = *lane_of(*unused);
        faces.erase(unused);  // erased before the functions of its attributes free others
        forget_the_dead(lane.id);
        drop(*session().shield, lane);
    }
}

}  // namespace

extern "C" {

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
    auto const* const lane = rank == nullptr ? nullptr : lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_rank(comm, rank);
    *rank = lane->self;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
    auto const* const lane = size == nullptr ? nullptr : lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_size(comm, size);
    *size = static_cast<int>(lane->size());
    return MPI_SUCCESS;
}

/// Native faces lack members that were dead when the face was made.
int MPI_Comm_compare(MPI_Comm one, MPI_Comm other, int* result) {
    auto const* const left = lane_of(one);
    auto const* const right = lane_of(other);
    if (left == nullptr || right == nullptr || one == other) return PMPI_Comm_compare(one, other, result);
    bool const congruent = left->founders == right->founders;
    bool const similar = congruent || (left->size() == right->size() &&
                                       std::is_permutation(left->founders.begin(), left->founders.end(),
                                                           right->founders.begin(), right->founders.end()));
    *result = congruent ? MPI_CONGRUENT : similar ? MPI_SIMILAR : MPI_UNEQUAL;
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

// Functions of MPI-1, which the library still has.
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler) {
    return MPI_Comm_set_errhandler(comm, handler);
}
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* handler) {
    return MPI_Comm_get_errhandler(comm, handler);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
    auto* const lane = made == nullptr ? nullptr : lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_dup(comm, made);
    int code = wait_in(*lane, [&] { return duplicate("MPI_Comm_dup", *lane, made); });
    if (code == MPI_SUCCESS) code = CopiedAttributes(comm).attach(*made);
    // The new communicator stays: perhaps the copy functions of all other members have succeeded, and these would not
    // help to free it.
    if (code != MPI_SUCCESS) *made = MPI_COMM_NULL;
    return complain(*lane, code);
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_idup(comm, made, request);
    return start_duplicate("MPI_Comm_idup", *lane, MPI_INFO_NULL, made, request);
}
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_idup_with_info(comm, info, made, request);
    return start_duplicate("MPI_Comm_idup_with_info", *lane, info, made, request);
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

int MPI_Comm_free(MPI_Comm* comm) {
    auto* const lane = comm == nullptr || *comm == MPI_COMM_WORLD ? nullptr : lane_of(*comm);
    if (lane == nullptr) return PMPI_Comm_free(comm);
    auto& shield = *session().shield;
    release_own_faces(*lane);
    {
        Waiting const waiting(*lane);
        part(shield, *lane);
    }
    freed_in_use().push_back(*comm);
    drop_unused();
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
    if (comm == nullptr || lane_of(*comm) == nullptr) return PMPI_Comm_disconnect(comm);
    return MPI_Comm_free(comm);
}
}
