#include "shield/lanes/living_world.hpp"

#include <algorithm>
#include <utility>

#include "ft/backend.hpp"
#include "shield/lanes/hidden.hpp"

namespace regraft::shield {

int LivingWorld::rank_of(PeId member) const {
    return static_cast<int>(std::find(members.begin(), members.end(), member) - members.begin());
}

void LivingWorld::leave() const {
    ft::backend::revoke(comm);
}

MPI_Comm LivingWorld::renew(PeId self) {
    auto next = renewed(comm, self, members);
    members = std::move(next.members);
    return std::exchange(comm, next.comm);
}

}  // namespace regraft::shield
