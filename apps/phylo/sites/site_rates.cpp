#include "sites/site_rates.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "regraft/core/contracts.hpp"
#include "regraft/likelihood/site_model.hpp"
#include "sites/site_values.hpp"

namespace regraft::phylo {
namespace {

/// A category as the file has it.
struct NumberedCategory {
    std::uint32_t number;
    double rate;
};

/// The categories of rates of a model, which are those of each of its classes; first that of sites that never change.
std::vector<NumberedCategory> numbered_categories(ModelSpec const& spec, Model const& model) {
    auto const site_model = likelihood::site_model(spec, model);
    std::vector<NumberedCategory> result;
    if (site_model.invariant > 0) result.push_back({0, 0});
    auto const of_class = std::span(site_model.categories).first(spec.categories);
    for (auto const& category : of_class) {
        auto const is_slower = [&](auto const& other) { return other.rate < category.rate; };
        auto const number = 1 + std::ranges::count_if(of_class, is_slower);
        result.push_back({static_cast<std::uint32_t>(number), category.rate});
    }
    return result;
}

/// The posterior probabilities of the categories of rates: sums over the classes. of_site: as in
/// Partition::category_posteriors; first: number of categories that never change.
std::vector<double> over_classes(std::span<double const> of_site, std::size_t first, std::size_t num_rates) {
    std::vector<double> sums(first + num_rates);
    for (std::size_t i = 0; i < of_site.size(); ++i)
        sums[i < first ? i : first + (i - first) % num_rates] += of_site[i];
    return sums;
}

/// The rates of this PE's patterns, per partition.
struct LocalRates {
    std::vector<std::vector<double>> mean;
    std::vector<std::vector<double>> category;
};

LocalRates local_rates(DistributedLikelihood& likelihood) {
    LocalRates rates;
    for (std::size_t q = 0; q < likelihood.num_partitions(); ++q) {
        auto const categories = numbered_categories(likelihood.spec(q), likelihood.model(q));
        auto const posteriors = likelihood.local_categories(0, q);
        auto& mean = rates.mean.emplace_back();
        auto& category = rates.category.emplace_back();
        auto const& spec = likelihood.spec(q);
        auto const width = spec.num_site_categories() + categories.size() - spec.categories;
        for (auto rest = std::span(posteriors); !rest.empty(); rest = rest.subspan(width)) {
            auto const of_site = over_classes(rest.first(width), categories.size() - spec.categories, spec.categories);
            double sum = 0;
            for (std::size_t c = 0; c < categories.size(); ++c) sum += of_site[c] * categories[c].rate;
            mean.push_back(sum);
            category.push_back(static_cast<double>(std::ranges::max_element(of_site) - of_site.begin()));
        }
    }
    return rates;
}

}  // namespace

PatternRates pattern_rates(ft::Communicator& comm, Dataset const& dataset, assign::Assignment const& work,
                           DistributedLikelihood& likelihood) {
    auto const mine = local_rates(likelihood);
    return {gather_values(comm, dataset.num_patterns(), work, mine.mean),
            gather_values(comm, dataset.num_patterns(), work, mine.category)};
}

std::string rate_table(Dataset const& dataset, SearchState const& state, PatternRates const& rates,
                       std::string_view file) {
    bool const has_parts = dataset.partitions.size() > 1;
    auto text = fmt::format(
        "# Site-specific substitution rates determined by empirical Bayesian method\n"
        "# This file can be read in R with command:\n"
        "#   tab=read.table('{}',header=TRUE)\n"
        "# Columns are tab-separated with following meaning:\n",
        file);
    if (has_parts) {
        text += fmt::format("#   Part:   Partition ID (1={}, etc)\n", dataset.partitions.front().name);
        text += "#   Site:   Site ID within partition (starting from 1 for each partition)\n";
    } else {
        text += "#   Site:   Alignment site ID\n";
    }
    text +=
        "#   Rate:   Posterior mean site rate weighted by posterior probability\n"
        "#   Cat:    Category with highest posterior (0=invariable, 1=slow, etc)\n"
        "#   C_Rate: Corresponding rate of highest category\n";
    text += has_parts ? "Part\tSite\tRate\tCat\tC_Rate\n" : "Site\tRate\tCat\tC_Rate\n";
    std::vector<std::vector<NumberedCategory>> categories;
    for (std::size_t q = 0; q < dataset.partitions.size(); ++q)
        categories.push_back(numbered_categories(state.specs[q], state.models[q]));
    for_sites_by_partition(dataset, [&](std::size_t q, std::uint64_t number, std::uint64_t pattern) {
        auto const& category = categories[q][static_cast<std::size_t>(rates.category[pattern])];
        if (has_parts) fmt::format_to(std::back_inserter(text), "{}\t", q + 1);
        fmt::format_to(std::back_inserter(text), "{}\t{:.8f}\t{}\t{:.8f}\n", number + 1, rates.mean[pattern],
                       category.number, category.rate);
    });
    return text;
}

}  // namespace regraft::phylo
