// The rate matrices of sites that have frequencies of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "likelihood/clvs/threads.hpp"
#include "likelihood/kernels/aligned.hpp"
#include "likelihood/kernels/kernels.hpp"

namespace regraft::likelihood {

class OwnSystems {
public:
    /// frequencies: [site][state]; not empty.
    OwnSystems(std::uint32_t num_states, std::span<double const> frequencies);

    /// Computes the eigensystems of all sites, unless the exchangeabilities are the same as before. O(sites *
    /// states^3).
    void set(std::span<double const> exchangeabilities, Threads const& threads);

    /// What kernels need. The address stays the same.
    kernels::SiteSystems const* get() const { return &view_; }
    double frequency(std::size_t site, std::size_t state) const {
        auto const root = roots_[place(site, state, num_states_)];
        return root * root;
    }

    /// Bytes of memory for each site of a block.
    static constexpr std::uint64_t bytes_per_site(std::uint64_t num_states) {
        return num_states * (num_states + 4) * sizeof(double);
    }

private:
    /// The place of a number of a site, of which each has `per_site`.
    static std::size_t place(std::size_t site, std::size_t number, std::size_t per_site) {
        return (site / kernels::block_sites * per_site + number) * kernels::block_sites + site % kernels::block_sites;
    }
    void compute(std::size_t site);

    std::size_t num_states_;
    std::vector<double> frequencies_;  // of all sites, also of those that only fill the last block
    std::vector<double> exchangeabilities_;
    Aligned<double> values_;
    Aligned<double> vectors_;
    Aligned<double> roots_;
    Aligned<double> reciprocals_;
    kernels::SiteSystems view_;
};

}  // namespace regraft::likelihood
