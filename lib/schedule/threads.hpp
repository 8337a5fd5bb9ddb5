// The team of threads that a thread belongs to. Without OpenMP there is one thread.
#pragma once

#include <cstddef>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace regraft::schedule {

/// The number of edges below which nothing is done in parallel.
inline constexpr std::size_t worth_a_team = 100'000;

/// The number of threads of a team, and that of the calling thread, from 0.
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
