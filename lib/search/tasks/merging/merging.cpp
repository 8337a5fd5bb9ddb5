#include "search/tasks/merging/merging.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "likelihood/kernels/ieee_math.hpp"

namespace regraft::search {
namespace {

void write(ByteWriter& out, std::span<SubsetFit const> fits) {
    out.put(std::uint64_t{fits.size()});
    for (auto const& fit : fits) fit.write(out);
}

std::vector<SubsetFit> read_fits(ByteReader& in) {
    std::vector<SubsetFit> fits;
    for (auto left = in.get_count(1); left > 0; --left) fits.push_back(SubsetFit::read(in));
    return fits;
}

void write(ByteWriter& out, SchemeValue const& value) {
    out.put(value.loglh);
    out.put(value.parameters);
}

SchemeValue read_value(ByteReader& in) {
    auto const loglh = in.get<double>();
    return {loglh, in.get<std::uint64_t>()};
}

Subset union_of(Subset const& a, Subset const& b) {
    Subset both;
    std::ranges::merge(a, b, std::back_inserter(both));
    return both;
}

/// The aspects in which subsets are compared: speed, exchangeabilities, frequencies, and rates over sites. Each counts
/// alike. An aspect may have no numbers.
constexpr std::size_t num_aspects = 4;
using Features = std::array<std::vector<double>, num_aspects>;

Features features_of(SubsetFit const& fit, BranchLinkage linkage) {
    auto const log = [](double x) { return likelihood::log(std::max(x, 1e-9)); };
    Features features;
    auto& [speed, rates, frequencies, shape] = features;
    if (linkage == BranchLinkage::unlinked)
        speed.push_back(log(std::accumulate(fit.lengths.begin(), fit.lengths.end(), 0.0)));
    if (linkage == BranchLinkage::scaled) speed.push_back(log(fit.model.scaler));
    std::ranges::transform(fit.model.rates, std::back_inserter(rates), log);
    frequencies = fit.model.frequencies;
    shape = {log(fit.model.alpha), fit.model.invariant};
    std::ranges::transform(fit.model.category_rates, std::back_inserter(shape), log);
    return features;
}

/// The squared Euclidean distance. Numbers that only one of both has do not count.
double distance(std::vector<double> const& a, std::vector<double> const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/// Moves the next unions from waiting to running: as many as need no more memory than all partitions do.
void run_next(Merging& merging, MergeData const& data) {
    auto const& work = data.how().work;
    auto room = std::accumulate(work.begin(), work.end(), std::uint64_t{0});
    auto const take = [&](Subset const& subset) {
        auto const needed = std::accumulate(subset.begin(), subset.end(), std::uint64_t{0},
                                            [&](std::uint64_t sum, std::uint32_t q) { return sum + work[q]; });
        if (needed > room) return false;
        room -= needed;
        return true;
    };
    auto const end = std::ranges::find_if_not(merging.waiting, take);
    for (auto next = merging.waiting.begin(); next != end; ++next) {
        auto const part_of = [&](SubsetFit const& fit) { return std::ranges::includes(*next, fit.subset); };
        auto const first = std::ranges::find_if(merging.scheme, part_of);
        auto const second = std::find_if(std::next(first), merging.scheme.end(), part_of);
        merging.running.push_back(united(*first, *second, data));
    }
    merging.waiting.erase(merging.waiting.begin(), end);
}

/// The fit of a union that has been tried; null: it has not. `tried` is in the order of subsets.
SubsetFit const* find(std::span<SubsetFit const> tried, Subset const& subset) {
    auto const found = std::ranges::lower_bound(tried, subset, {}, &SubsetFit::subset);
    return found == tried.end() || found->subset != subset ? nullptr : &*found;
}

Subset union_of(std::span<SubsetFit const> scheme, SubsetPair pair) {
    return union_of(scheme[pair.first].subset, scheme[pair.second].subset);
}

/// Merges the pair that lowers the score most, if one does. Precondition: all of these pairs were tried.
bool merge_best(Merging& merging, std::span<SubsetPair const> pairs, MergeData const& data) {
    auto& scheme = merging.scheme;
    SchemeSums sums;
    for (auto const& fit : scheme) sums = sums.with(fit, data);
    auto lowest = data.score(merging.best);
    std::optional<SubsetPair> best;
    for (auto const pair : pairs) {
        auto const& both = *find(merging.tried, union_of(scheme, pair));
        auto const after = sums.without(scheme[pair.first], data).without(scheme[pair.second], data).with(both, data);
        auto const score = data.score(data.value(after));
        if (!(score < lowest)) continue;
        lowest = score;
        best = pair;
    }
    if (!best) return false;
    auto fit = *find(merging.tried, union_of(scheme, *best));
    Merge merge{scheme[best->first].subset, scheme[best->second].subset, {}};
    // Unions with one of the two subsets are no longer unions of two subsets of the scheme.
    std::erase_if(merging.tried, [&](SubsetFit const& tried) {
        return std::ranges::any_of(fit.subset, [&](auto q) { return std::ranges::binary_search(tried.subset, q); });
    });
    scheme[best->first] = std::move(fit);
    scheme.erase(scheme.begin() + static_cast<std::ptrdiff_t>(best->second));
    merging.best = merge.value = data.value(scheme);
    merging.merges.push_back(std::move(merge));
    return true;
}

}  // namespace

Scores scores(SchemeValue const& scheme, std::uint64_t num_sites) {
    return scores(TriedModel{{}, scheme.parameters, scheme.loglh}, num_sites);
}

void SubsetFit::write(ByteWriter& out) const {
    out.put_all(std::span(subset));
    model.write(out);
    out.put_all(std::span(lengths));
    out.put(loglh);
}

SubsetFit SubsetFit::read(ByteReader& in) {
    SubsetFit fit;
    fit.subset = in.get_all<std::uint32_t>();
    fit.model = Model::read(in);
    fit.lengths = in.get_all<double>();
    fit.loglh = in.get<double>();
    return fit;
}

void Merging::write(ByteWriter& out) const {
    out.put(phase);
    for (auto const* fits : {&scheme, &tried, &running}) search::write(out, *fits);
    out.put(std::uint64_t{waiting.size()});
    for (auto const& subset : waiting) out.put_all(std::span(subset));
    out.put(std::uint64_t{merges.size()});
    for (auto const& [first, second, value] : merges) {
        out.put_all(std::span(first));
        out.put_all(std::span(second));
        search::write(out, value);
    }
    out.put(num_tried);
    search::write(out, given);
    search::write(out, best);
    out.put(round);
    out.put(position);
}

Merging Merging::read(ByteReader& in) {
    Merging merging;
    merging.phase = in.get<Phase>();
    for (auto* fits : {&merging.scheme, &merging.tried, &merging.running}) *fits = read_fits(in);
    for (auto left = in.get_count(1); left > 0; --left) merging.waiting.push_back(in.get_all<std::uint32_t>());
    for (auto left = in.get_count(1); left > 0; --left) {
        auto first = in.get_all<std::uint32_t>();
        auto second = in.get_all<std::uint32_t>();
        merging.merges.push_back({std::move(first), std::move(second), read_value(in)});
    }
    merging.num_tried = in.get<std::uint64_t>();
    merging.given = read_value(in);
    merging.best = read_value(in);
    merging.round = in.get<std::uint32_t>();
    merging.position = in.get<std::uint64_t>();
    return merging;
}

std::uint64_t MergeData::sites_of(Subset const& subset) const {
    std::uint64_t sum = 0;
    for (auto q : subset) sum += options.sites_per_partition[q];
    return sum;
}

SchemeSums SchemeSums::with(SubsetFit const& fit, MergeData const& data) const {
    auto const& spec = data.specs[fit.subset.front()];
    return {.subsets = subsets + 1,
            .loglh = loglh + fit.loglh,
            .parameters = parameters + likelihood::free_parameters(spec),
            .scalers = scalers + (spec.scaler_from == Origin::fixed ? 0 : 1)};
}

SchemeSums SchemeSums::without(SubsetFit const& fit, MergeData const& data) const {
    auto const part = SchemeSums().with(fit, data);
    return {subsets - part.subsets, loglh - part.loglh, parameters - part.parameters, scalers - part.scalers};
}

SchemeValue MergeData::value(SchemeSums const& sums) const {
    auto parameters = sums.parameters + (linkage == BranchLinkage::unlinked ? num_edges * sums.subsets : num_edges);
    // If all scalers are free, one of them follows from the branch lengths.
    if (linkage == BranchLinkage::scaled) parameters += sums.scalers - (sums.scalers == sums.subsets ? 1 : 0);
    return {sums.loglh, parameters};
}

SchemeValue MergeData::value(std::span<SubsetFit const> scheme) const {
    SchemeSums sums;
    for (auto const& fit : scheme) sums = sums.with(fit, *this);
    return value(sums);
}

double MergeData::score(SchemeValue const& value) const {
    auto const& sites = options.sites_per_partition;
    auto const num_sites = std::accumulate(sites.begin(), sites.end(), std::uint64_t{0});
    return scores(value, num_sites).by(options.criterion);
}

std::vector<SubsetPair> nearest_pairs(std::span<SubsetFit const> scheme, MergeData const& data) {
    struct Distant {
        SubsetPair pair;
        std::array<double, num_aspects> distances;
        double sum = 0;  // of the distances, each relative to the largest in its aspect
    };
    auto const kind = [&](std::size_t i) { return data.how().kinds[scheme[i].subset.front()]; };
    std::vector<Features> features;
    for (auto const& fit : scheme) features.push_back(features_of(fit, data.linkage));
    std::vector<Distant> pairs;
    std::array<double, num_aspects> largest{};
    for (std::size_t i = 0; i < scheme.size(); ++i) {
        for (std::size_t j = i + 1; j < scheme.size(); ++j) {
            if (kind(i) != kind(j)) continue;
            auto& pair = pairs.emplace_back(Distant{{i, j}, {}});
            for (std::size_t k = 0; k < num_aspects; ++k) {
                pair.distances[k] = distance(features[i][k], features[j][k]);
                largest[k] = std::max(largest[k], pair.distances[k]);
            }
        }
    }
    for (auto& pair : pairs) {
        for (std::size_t k = 0; k < num_aspects; ++k) {
            if (largest[k] > 0) pair.sum += pair.distances[k] / largest[k];
        }
    }
    std::ranges::stable_sort(pairs, {}, &Distant::sum);
    auto const wanted = std::ceil(data.how().share / 100 * static_cast<double>(pairs.size()));
    pairs.resize(std::min(pairs.size(), static_cast<std::size_t>(wanted)));
    std::vector<SubsetPair> result;
    for (auto const& pair : pairs) result.push_back(pair.pair);
    return result;
}

SubsetFit united(SubsetFit const& a, SubsetFit const& b, MergeData const& data) {
    auto const sites_a = static_cast<double>(data.sites_of(a.subset));
    auto const sites_b = static_cast<double>(data.sites_of(b.subset));
    auto const mean = [&](double x, double y) { return (x * sites_a + y * sites_b) / (sites_a + sites_b); };
    SubsetFit fit = sites_b > sites_a ? b : a;
    fit.subset = union_of(a.subset, b.subset);
    fit.model.scaler = mean(a.model.scaler, b.model.scaler);
    for (std::size_t i = 0; i < fit.lengths.size(); ++i) fit.lengths[i] = mean(a.lengths[i], b.lengths[i]);
    auto const& spec = data.specs[fit.subset.front()];
    std::vector<CountedData> parts;
    for (auto q : fit.subset) parts.push_back(data.options.counted[q]);
    auto const counted = start_model(spec, counted_together(parts, spec.num_states()));
    if (spec.frequencies == Frequencies::counted) fit.model.frequencies = counted.frequencies;
    if (spec.invariant_from == Origin::counted) fit.model.invariant = counted.invariant;
    fit.loglh = -std::numeric_limits<double>::infinity();
    return fit;
}

void go_on(Merging& merging, MergeData const& data) {
    using Phase = Merging::Phase;
    if (merging.phase == Phase::scheme) {
        merging.best = data.value(merging.scheme);
        merging.phase = Phase::over;
        return;
    }
    if (merging.phase == Phase::partitions) merging.given = merging.best = data.value(merging.scheme);
    merging.phase = Phase::pairs;
    merging.num_tried += merging.running.size();
    std::ranges::move(merging.running, std::back_inserter(merging.tried));
    merging.running.clear();
    std::ranges::sort(merging.tried, {}, &SubsetFit::subset);
    while (merging.waiting.empty()) {
        auto const pairs = nearest_pairs(merging.scheme, data);
        for (auto const pair : pairs) {
            auto both = union_of(merging.scheme, pair);
            if (find(merging.tried, both) == nullptr) merging.waiting.push_back(std::move(both));
        }
        if (!merging.waiting.empty() || merge_best(merging, pairs, data)) continue;
        // Without a merge the scheme is that which was given.
        merging.phase = merging.merges.empty() ? Phase::over : Phase::scheme;
        return;
    }
    run_next(merging, data);
}

}  // namespace regraft::search
