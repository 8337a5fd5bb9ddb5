#include "simulate/disk.hpp"

#include <cmath>

#include "regraft/checkpoint/pace.hpp"

namespace regraft::plan::simulated {

DiskJob job_on_disk(DiskPlan const& plan) {
    auto const mtbf = plan.seconds_between_failures;
    if (std::isinf(mtbf)) return {mtbf, plan.work_seconds};
    auto const cost = plan.checkpoint_seconds;
    if (cost <= 0) return {0, plan.work_seconds * std::exp(plan.restart_seconds / mtbf)};
    auto const interval = std::min(checkpoint::daly_interval(cost, mtbf), plan.work_seconds);
    auto const seconds = mtbf * std::exp(plan.restart_seconds / mtbf) * std::expm1((interval + cost) / mtbf) *
                         plan.work_seconds / interval;
    return {interval, seconds};
}

}  // namespace regraft::plan::simulated
