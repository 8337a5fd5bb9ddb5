#include "likelihood/partition/left_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "likelihood/partition/ascertainment.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {
namespace {

std::size_t num_constant_patterns(std::uint32_t num_states, Sites const& sites) {
    bool const are_needed =
        sites.ascertainment != Ascertainment::none && sites.weights.size() + sites.left_out.size() > 0;
    return are_needed ? num_states : 0;
}

std::uint32_t weight_of_term(Sites const& sites) {
    switch (sites.ascertainment) {
        case Ascertainment::lewis:
            return checked_cast<std::uint32_t>(
                std::accumulate(sites.weights.begin(), sites.weights.end(), std::uint64_t{0}));
        case Ascertainment::felsenstein:
            return sites.left_out.empty() ? 0 : sites.left_out[0];
        case Ascertainment::none:
        case Ascertainment::stamatakis:  // its constant patterns count like others
            break;
    }
    return 0;
}

}  // namespace

LeftOut::LeftOut(std::uint32_t num_states, Sites const& sites)
    : ascertainment_(sites.ascertainment),
      num_patterns_(num_constant_patterns(num_states, sites)),
      weight_(weight_of_term(sites)) {}

void LeftOut::put_weights(Sites const& sites, std::int64_t* weights) const {
    std::fill_n(weights, num_patterns_, 0);
    std::copy(sites.weights.begin(), sites.weights.end(), weights + num_patterns_);
    if (ascertainment_ != Ascertainment::stamatakis) return;
    REGRAFT_EXPECTS(sites.left_out.empty() || sites.left_out.size() == num_patterns_);
    std::copy(sites.left_out.begin(), sites.left_out.end(), weights);
}

void LeftOut::add_term(std::span<double const> loglh, FixedScale const& scale, FixedSum& sum) const {
    auto const terms = correction(ascertainment_, unchanging(loglh.first(num_patterns_)));
    sum.add(terms[0], weight_, scale);
}

std::vector<std::uint32_t> LeftOut::scalers(kernels::Shape shape, kernels::Side const& near,
                                            kernels::Side const& far) const {
    constexpr auto width = kernels::block_sites;
    std::vector<std::uint32_t> scalers(num_patterns_, std::numeric_limits<std::uint32_t>::max());
    auto const scaler = [](kernels::Side const& side, std::size_t place) -> std::uint32_t {
        return side.scalers == nullptr ? 0 : side.scalers[place];
    };
    for (std::size_t i = 0; i < num_patterns_; ++i) {
        for (std::size_t c = 0; c < shape.categories; ++c) {
            auto const place = (i / width * shape.categories + c) * width + i % width;
            scalers[i] = std::min(scalers[i], scaler(near, place) + scaler(far, place));
        }
    }
    return scalers;
}

void LeftOut::add_terms(kernels::Shape shape, Table const& table, std::span<double const> terms,
                        std::span<FixedScale const, 3> scales, std::span<FixedSum, 3> sums) const {
    constexpr double ln2_256 = 256 * std::numbers::ln2;
    auto const least = *std::min_element(table.scalers.begin(), table.scalers.end());
    auto const size = shape.categories * shape.states;
    Unchanging all{.log_scale = -ln2_256 * least};
    for (std::size_t i = 0; i < num_patterns_; ++i) {
        auto const* x = &table.values[i / kernels::block_sites * shape.block_size() + i % kernels::block_sites];
        auto const sum = [&](std::size_t order) {
            double total = 0;
            for (std::size_t k = 0; k < size; ++k) total += terms[order * size + k] * x[k * kernels::block_sites];
            return std::ldexp(total, -256 * static_cast<int>(std::min(table.scalers[i] - least, 8U)));
        };
        all.probability += std::max(sum(0), 0.0);
        all.first += sum(1);
        all.second += sum(2);
    }
    auto const corrections = correction(ascertainment_, all);
    for (std::size_t order = 0; order < corrections.size(); ++order) {
        sums[order].add(corrections[order], weight_, scales[order]);
    }
}

}  // namespace regraft::likelihood
