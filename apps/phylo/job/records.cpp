#include "job/records.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/clock.hpp"

namespace regraft::phylo {

Recovery Records::begin(ft::Failure const& failure, std::size_t survivors, bool works) const {
    Recovery record;
    record.lost = failure.lost;
    record.survivors = survivors;
    record.during = doing;
    record.noticed_in = failure.noticed_in;
    record.silence_ms = failure.silence_ms;
    record.shrink_ms = failure.shrink_ms;
    if (works) {
        record.work_lost_ms = std::max(0.0, milliseconds_since(committed_at) - failure.shrink_ms);
        record.work_lost_evaluations = uncommitted_evaluations;
    }
    return record;
}

void Records::keep(Recovery recovery) {
    if (!recovery.lost.empty()) recoveries.push_back(std::move(recovery));
    doing = "recovery";
}

void Records::tell(Context& context) {
    if (told < recoveries.size()) recoveries.back().restore_ms = milliseconds_since(restoring_at);
    for (; told < recoveries.size(); ++told) context.say(to_string(recoveries[told]));
}

}  // namespace regraft::phylo
