// CLVs that are planned: they are computed with the next result, in one pass over the sites.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "likelihood/clvs/side_memory.hpp"
#include "likelihood/clvs/threads.hpp"
#include "likelihood/kernels/kernels.hpp"
#include "regraft/core/fixed_sum.hpp"

namespace regraft::likelihood {

/// Number of likelihoods of a CLV that are computed at once: those of several nodes fit into a second-level cache.
inline constexpr std::size_t chunk_size = 32768;

/// A CLV to be computed.
struct Update {
    kernels::Side left;
    kernels::Side right;
    double* clv = nullptr;
    std::uint16_t* scalers = nullptr;
};

class Pending {
public:
    /// Keeps a view of the threads. bytes: size of the memory for sides.
    Pending(Threads const& threads, kernels::Shape shape, std::size_t num_blocks, std::size_t bytes)
        : threads_(&threads), shape_(shape), num_blocks_(num_blocks), memory_(bytes) {}

    /// Memory for the sides of planned CLVs and of the next result. It is freed when the result is there.
    SideMemory& memory() { return memory_; }

    /// Plans a CLV. It may need those that were planned before.
    void add(Update const& update) { updates_.push_back(update); }
    /// Computes what is planned.
    void compute() {
        if (!updates_.empty()) for_blocks([](kernels::Blocks) {});
    }

    /// Calls f(blocks) for all blocks.
    template <class Function>
    void for_blocks(Function f) {
        threads_->for_parts(num_blocks_, work(), [&](kernels::Blocks blocks, std::size_t) { pass(blocks, f); });
        clear();
    }

    /// Calls f(blocks, sums) for all blocks and adds the sums.
    template <std::size_t count, class Function>
    void reduce_blocks(std::span<FixedSum, count> sums, Function f) {
        std::vector<std::array<FixedSum, count>> others(threads_->number() - 1);
        threads_->for_parts(num_blocks_, work(), [&](kernels::Blocks blocks, std::size_t thread) {
            auto const part = thread == 0 ? sums : std::span<FixedSum, count>(others[thread - 1]);
            pass(blocks, [&](kernels::Blocks chunk) { f(chunk, part); });
        });
        clear();
        for (auto const& part : others) {
            for (std::size_t i = 0; i < count; ++i) sums[i].add(part[i]);
        }
    }

private:
    std::size_t work() const { return num_blocks_ * (1 + updates_.size()); }

    /// Computes what is planned, and then calls f, chunk by chunk of the sites. So a CLV is still in the cache when it
    /// is needed, and slots may be reused as if everything were computed at once.
    template <class Function>
    void pass(kernels::Blocks blocks, Function f) const {
        auto const step = updates_.empty() ? blocks.last - blocks.first : blocks_at_once();
        for (auto first = blocks.first; first < blocks.last; first += step) {
            kernels::Blocks const chunk{first, std::min(first + step, blocks.last)};
            for (auto const& update : updates_) {
                kernels::combine(shape_, update.left, update.right, update.clv, update.scalers, chunk);
            }
            f(chunk);
        }
    }

    /// The eigenvectors of sites that have such are as large as several CLVs.
    std::size_t blocks_at_once() const {
        auto const systems = updates_.front().left.systems != nullptr ? shape_.system_size() : 0;
        return std::max<std::size_t>(1, chunk_size / (shape_.block_size() + systems));
    }

    void clear() {
        updates_.clear();
        memory_.give_back();
    }

    Threads const* threads_;
    kernels::Shape shape_;
    std::size_t num_blocks_;
    SideMemory memory_;
    std::vector<Update> updates_;  // in the order in which they are computed
};

}  // namespace regraft::likelihood
