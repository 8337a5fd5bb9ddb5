// Functions by which the program queries the shield (regraft_shield.h).
#include "ft/backend.hpp"
#include "regraft_shield.h"
#include "shield/session/session.hpp"

using namespace regraft::shield;

namespace backend = regraft::ft::backend;

extern "C" {

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int regraft_shield_is_active(void) {
    return session().shield == nullptr ? 0 : 1;
}

EXPORTED int regraft_shield_list_dead(MPI_Comm comm, int* ranks, int most) {
    auto const* const lane = lane_of(comm);
    if (lane == nullptr || (lane->is_whole() && !backend::knows_of_deaths(lane->face))) return 0;
    int count = 0;
    for (int rank = 0; rank < static_cast<int>(lane->size()); ++rank) {
        if (lane->lives(rank) && !backend::is_dead(lane->face, lane->on_face(rank))) continue;
        if (count < most) ranks[count] = rank;
        ++count;
    }
    return count;
}

EXPORTED int regraft_shield_count_repairs(void) {
    return session().shield == nullptr ? 0 : static_cast<int>(session().shield->statistics().repairs);
}
}
