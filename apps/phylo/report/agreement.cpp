#include "report/agreement.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "regraft/core/contracts.hpp"
#include "regraft/msa/splits.hpp"

namespace regraft::phylo {

double agreement_of_halves(std::span<msa::Tree const> replicates) {
    REGRAFT_EXPECTS(replicates.size() >= 2);
    msa::SplitSets sets(replicates.front().num_tips());
    for (auto const& tree : replicates) sets.add(tree);
    std::vector<std::array<double, 2>> shares(sets.table().size());
    if (shares.empty()) return 1;
    std::array<double, 2> mean{};
    for (std::size_t i = 0; i < sets.size(); ++i) {
        auto const half = i % 2;
        auto const size = static_cast<double>((sets.size() + 1 - half) / 2);
        for (auto const id : sets[i]) shares[id][half] += 1 / size;
        mean[half] += static_cast<double>(sets[i].size()) / size / static_cast<double>(shares.size());
    }
    double product = 0;
    std::array<double, 2> squares{};
    for (auto const& share : shares) {
        product += (share[0] - mean[0]) * (share[1] - mean[1]);
        for (std::size_t half = 0; half < 2; ++half)
            squares[half] += (share[half] - mean[half]) * (share[half] - mean[half]);
    }
    constexpr double rounding = 1e-9;  // all shares are the same
    if (squares[0] < rounding || squares[1] < rounding) return squares[0] < rounding && squares[1] < rounding ? 1 : 0;
    return product / std::sqrt(squares[0] * squares[1]);
}

}  // namespace regraft::phylo
