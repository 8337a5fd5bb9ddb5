#include "regraft/ft/reduce.hpp"

#include <algorithm>
#include <vector>

#include "regraft/core/checked_cast.hpp"

namespace regraft::ft {
namespace {
FailPhase reduce_phase("reduce", Moment::during_next_call);
}

void all_reduce(Communicator& comm, std::span<ExactSum> sums) {
    comm.reach(reduce_phase.before);
    std::vector<std::int64_t> limbs;
    limbs.reserve(sums.size() * ExactSum::num_limbs);
    for (auto& sum : sums) {
        sum.normalize();
        limbs.insert(limbs.end(), sum.limbs().begin(), sum.limbs().end());
    }
    comm.reach(reduce_phase.inside);
    comm.check(
        MPI_Allreduce(MPI_IN_PLACE, limbs.data(), checked_cast<int>(limbs.size()), MPI_INT64_T, MPI_SUM, comm.native()),
        "MPI_Allreduce");
    auto next = limbs.cbegin();
    for (auto& sum : sums) {
        std::copy_n(next, ExactSum::num_limbs, sum.limbs().begin());
        sum.normalize();
        next += ExactSum::num_limbs;
    }
    comm.reach(reduce_phase.after);
}

}  // namespace regraft::ft
