// How the blocks of sites are shared out to threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "likelihood/kernels/kernels.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {

class Threads {
public:
    explicit Threads(std::uint32_t number) { use(number); }

    void use(std::uint32_t number) {
        REGRAFT_EXPECTS(number >= 1);
        number_ = number;
    }
    std::size_t number() const { return number_; }

    /// Calls f(blocks, thread) for as many parts of the blocks as there are threads, or blocks; for fewer parts if
    /// there is little work. work: blocks to be computed, of all nodes.
    template <class Function>
    void for_parts(std::size_t num_blocks, std::size_t work, Function f) const {
        constexpr std::size_t enough = 32;  // blocks per thread
        auto const threads = static_cast<int>(std::min({number_, work / enough, num_blocks}));
        if (threads <= 1) return f(kernels::Blocks{0, num_blocks}, 0);
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int thread = 0; thread < threads; ++thread) {
            f(part_of(num_blocks, thread, threads), static_cast<std::size_t>(thread));
        }
    }

private:
    static kernels::Blocks part_of(std::size_t num_blocks, int thread, int threads) {
        auto const begin = [&](int t) {
            return num_blocks * static_cast<std::size_t>(t) / static_cast<std::size_t>(threads);
        };
        return {begin(thread), begin(thread + 1)};
    }

    std::size_t number_ = 1;
};

}  // namespace regraft::likelihood
