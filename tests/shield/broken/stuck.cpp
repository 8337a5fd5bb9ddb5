// A shield that is broken on purpose: rank 2 stays in each repair for ever.
#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include "wrapped_plan.hpp"

namespace regraft::shield {

LanePlan broken_plan(Census const* census, LaneId lane, std::span<PeId const> members) {
    while (std::string_view(std::getenv("OMPI_COMM_WORLD_RANK")) == "2") pause();
    return real_plan(census, lane, members);
}

}  // namespace regraft::shield
