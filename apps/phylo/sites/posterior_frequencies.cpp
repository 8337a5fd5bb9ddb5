#include "sites/posterior_frequencies.hpp"

#include <array>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include "regraft/core/contracts.hpp"
#include "regraft/likelihood/site_model.hpp"
#include "sites/site_values.hpp"

namespace regraft::phylo {
namespace {

/// Adds the mean frequencies of a pattern to `result`. posteriors: of the categories, without that of sites that never
/// change.
void add_mean(likelihood::SiteModel const& model, std::span<double const> posteriors, std::vector<double>& result) {
    std::vector<double> mean(model.num_states);
    for (std::size_t c = 0; c < model.categories.size(); ++c) {
        auto const& frequencies = model.systems[model.categories[c].system].frequencies;
        for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += posteriors[c] * frequencies[i];
    }
    auto const sum = std::accumulate(mean.begin(), mean.end(), 0.0);
    for (auto const value : mean) result.push_back(value / sum);
}

}  // namespace

std::vector<double> posterior_frequencies(ft::Communicator& comm, Dataset const& dataset,
                                          assign::Assignment const& work, DistributedLikelihood& likelihood) {
    REGRAFT_EXPECTS(likelihood.num_partitions() == 1);
    auto const model = likelihood::site_model(likelihood.spec(0), likelihood.model(0));
    auto const first = model.invariant > 0 ? std::size_t{1} : std::size_t{0};
    auto const posteriors = likelihood.local_categories(0, 0);
    std::array<std::vector<double>, 1> mine;
    auto const width = first + model.categories.size();
    for (auto rest = std::span(posteriors); !rest.empty(); rest = rest.subspan(width))
        add_mean(model, rest.subspan(first, model.categories.size()), mine[0]);
    return gather_values(comm, dataset.num_patterns(), work, mine, model.num_states);
}

std::string site_frequency_table(Dataset const& dataset, std::span<double const> frequencies) {
    auto const num_states = dataset.specs[0].num_states();
    std::string text;
    for_sites_by_partition(dataset, [&](std::size_t, std::uint64_t number, std::uint64_t pattern) {
        text += std::to_string(number + 1);
        for (auto const value : frequencies.subspan(pattern * num_states, num_states))
            fmt::format_to(std::back_inserter(text), " {}", value);
        text += '\n';
    });
    return text;
}

}  // namespace regraft::phylo
