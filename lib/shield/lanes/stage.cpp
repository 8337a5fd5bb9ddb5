#include "shield/lanes/stage.hpp"

#include <algorithm>
#include <utility>

#include "ft/backend.hpp"
#include "shield/lanes/hidden.hpp"

namespace regraft::shield {

int Stage::rank_of(PeId member) const {
    return static_cast<int>(std::find(members.begin(), members.end(), member) - members.begin());
}

void Stage::leave() const {
    ft::backend::revoke(comm);
}

MPI_Comm Stage::renew(PeId self) {
    auto next = renewed(comm, self, members);
    members = std::move(next.members);
    return std::exchange(comm, next.comm);
}

}  // namespace regraft::shield
