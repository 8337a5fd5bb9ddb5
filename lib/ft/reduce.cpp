#include "regraft/ft/reduce.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "regraft/core/checked_cast.hpp"

namespace regraft::ft {
namespace {
FailPhase reduce_phase("reduce", Moment::during_next_call);
}

void all_reduce(Participants who, std::span<ExactSum> sums) {
    who.parent().reach(reduce_phase.before);
    std::vector<std::int64_t> limbs;
    limbs.reserve(sums.size() * ExactSum::num_limbs);
    for (auto& sum : sums) {
        sum.normalize();
        limbs.insert(limbs.end(), sum.limbs().begin(), sum.limbs().end());
    }
    who.parent().reach(reduce_phase.inside);
    who.parent().check(
        MPI_Allreduce(MPI_IN_PLACE, limbs.data(), checked_cast<int>(limbs.size()), MPI_INT64_T, MPI_SUM, who.native()),
        "MPI_Allreduce");
    auto next = limbs.cbegin();
    for (auto& sum : sums) {
        std::copy_n(next, ExactSum::num_limbs, sum.limbs().begin());
        sum.normalize();
        next += ExactSum::num_limbs;
    }
    who.parent().reach(reduce_phase.after);
}

void all_reduce(Participants who, std::span<FixedSum> sums) {
    who.parent().reach(reduce_phase.before);
    constexpr std::size_t width = 3;
    std::vector<std::int64_t> parts;
    parts.reserve(width * sums.size());
    for (auto const& sum : sums) parts.insert(parts.end(), {sum.high, sum.low, sum.num_strays});
    who.parent().reach(reduce_phase.inside);
    who.parent().check(
        MPI_Allreduce(MPI_IN_PLACE, parts.data(), checked_cast<int>(parts.size()), MPI_INT64_T, MPI_SUM, who.native()),
        "MPI_Allreduce");
    std::vector<ExactSum> strays;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i].high = parts[width * i];
        sums[i].low = parts[width * i + 1];
        sums[i].num_strays = parts[width * i + 2];
        if (sums[i].num_strays > 0) strays.push_back(sums[i].strays);
    }
    if (!strays.empty()) all_reduce(who, std::span(strays));
    auto next = strays.begin();
    for (auto& sum : sums) {
        if (sum.num_strays > 0) sum.strays = *next++;
    }
    who.parent().reach(reduce_phase.after);
}

void all_reduce(Participants who, std::span<std::uint64_t> sums) {
    constexpr std::size_t most_at_once = std::size_t{1} << 20;
    who.parent().reach(reduce_phase.before);
    while (!sums.empty()) {
        auto const piece = sums.first(std::min(sums.size(), most_at_once));
        who.parent().reach(reduce_phase.inside);
        who.parent().check(MPI_Allreduce(MPI_IN_PLACE, piece.data(), checked_cast<int>(piece.size()), MPI_UINT64_T,
                                         MPI_SUM, who.native()),
                           "MPI_Allreduce");
        sums = sums.subspan(piece.size());
    }
    who.parent().reach(reduce_phase.after);
}

bool all_equal(Participants who, std::uint64_t number) {
    std::array<std::uint64_t, 2> least{number, ~number};  // the complement of the least complement is the greatest
                                                          // number
    who.parent().reach(reduce_phase.inside);
    who.parent().check(
        MPI_Allreduce(MPI_IN_PLACE, least.data(), checked_cast<int>(least.size()), MPI_UINT64_T, MPI_MIN, who.native()),
        "MPI_Allreduce");
    return least[0] == ~least[1];
}

}  // namespace regraft::ft
