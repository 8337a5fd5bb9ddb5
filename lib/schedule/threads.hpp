// Which thread am I? One and only, where there is no OpenMP.
#pragma once

#include <cstddef>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace regraft::schedule {

/// Below that many edges nothing is done in parallel.
inline constexpr std::size_t worth_a_team = 100'000;

struct Team {
    std::size_t size = 1;
    std::size_t self = 0;
};

/// The threads of the innermost parallel region.
inline Team team() {
#ifdef _OPENMP
    return {static_cast<std::size_t>(omp_get_num_threads()), static_cast<std::size_t>(omp_get_thread_num())};
#else
    return {};
#endif
}

}  // namespace regraft::schedule
