#include "likelihood/clvs/own_systems.hpp"

#include <algorithm>
#include <cmath>

#include "likelihood/models/eigensystem.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {

using kernels::block_sites;

OwnSystems::OwnSystems(std::uint32_t num_states, std::span<double const> frequencies)
    : num_states_(num_states), frequencies_(frequencies.begin(), frequencies.end()) {
    REGRAFT_EXPECTS(!frequencies.empty() && frequencies.size() % num_states == 0);
    // Sites that only fill the last block have the frequencies of the last one.
    while (frequencies_.size() / num_states % block_sites != 0) {
        frequencies_.push_back(frequencies_[frequencies_.size() - num_states]);
    }
    values_ = make_aligned<double>(frequencies_.size());
    vectors_ = make_aligned<double>(frequencies_.size() * num_states);
    roots_ = make_aligned<double>(frequencies_.size());
    reciprocals_ = make_aligned<double>(frequencies_.size());
    view_ = {values_.get(), vectors_.get(), roots_.get(), reciprocals_.get()};
}

void OwnSystems::set(std::span<double const> exchangeabilities, Threads const& threads) {
    if (std::ranges::equal(exchangeabilities, exchangeabilities_)) return;
    exchangeabilities_.assign(exchangeabilities.begin(), exchangeabilities.end());
    auto const num_blocks = frequencies_.size() / num_states_ / block_sites;
    constexpr std::size_t work_of_a_block = 64;  // an eigensystem takes much longer than an update
    threads.for_parts(num_blocks, num_blocks * work_of_a_block, [&](kernels::Blocks blocks, std::size_t) {
        for (auto site = blocks.first * block_sites; site < blocks.last * block_sites; ++site) compute(site);
    });
}

void OwnSystems::compute(std::size_t site) {
    auto const n = num_states_;
    auto const system = eigensystem(exchangeabilities_, std::span(frequencies_).subspan(site * n, n));
    for (std::size_t i = 0; i < n; ++i) {
        auto const root = std::sqrt(system.frequencies[i]);
        roots_[place(site, i, n)] = root;
        reciprocals_[place(site, i, n)] = 1 / root;
        values_[place(site, i, n)] = system.values[i];
        for (std::size_t k = 0; k < n; ++k) vectors_[place(site, k * n + i, n * n)] = system.vectors[i * n + k] * root;
    }
}

}  // namespace regraft::likelihood
