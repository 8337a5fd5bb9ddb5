#include "regraft/search/model_choice.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "likelihood/kernels/ieee_math.hpp"
#include "search/models/nested_models.hpp"

namespace regraft::search {
namespace {

using likelihood::Heterogeneity;

void write(ByteWriter& out, std::optional<Fit> const& fit) {
    out.put(fit.has_value());
    if (!fit) return;
    out.put_text(fit->candidate.scheme);
    out.put_text(fit->candidate.heterogeneity);
    fit->model.write(out);
    out.put_all(std::span(fit->lengths));
    out.put(fit->loglh);
}

Candidate read_candidate(ByteReader& in) {
    auto scheme = in.get_text();
    return {std::move(scheme), in.get_text()};
}

std::optional<Fit> read_fit(ByteReader& in) {
    if (!in.get_flag()) return std::nullopt;
    Fit fit;
    fit.candidate = read_candidate(in);
    fit.model = Model::read(in);
    fit.lengths = in.get_all<double>();
    fit.loglh = in.get<double>();
    return fit;
}

/// A value that is usual for real alignments. From a larger one an optimiser may step over it to the least alpha, where
/// there is another maximum.
constexpr double usual_alpha = 0.3;

/// The rates of a model from those of another: geometric means over the pairs of states that share a rate.
std::vector<double> rates_from(ModelSpec const& spec, ModelSpec const& source, std::vector<double> const& rates) {
    // From rates near 0 no optimiser gets away, because they hardly change the likelihood.
    double const least = *std::max_element(rates.begin(), rates.end()) / 50;
    std::vector<double> logs(spec.num_rate_classes(), 0.0);
    std::vector<double> sizes(logs.size(), 0.0);
    for (std::size_t pair = 0; pair < spec.rate_classes.size(); ++pair) {
        logs[spec.rate_classes[pair]] += likelihood::log(std::max(rates[source.rate_classes[pair]], least));
        sizes[spec.rate_classes[pair]] += 1;
    }
    std::vector<double> result;
    for (std::size_t i = 0; i < logs.size(); ++i) result.push_back(likelihood::exp(logs[i] / sizes[i]));
    auto const unit = result[spec.rate_classes.back()];
    for (auto& rate : result) rate /= unit;
    return result;
}

/// Adds a category: the one with the most sites is split in two.
void split_category(Model& model) {
    constexpr double apart = 1.5;
    auto const heaviest =
        static_cast<std::size_t>(std::max_element(model.category_weights.begin(), model.category_weights.end()) -
                                 model.category_weights.begin());
    double const rate = model.category_rates[heaviest];
    double const weight = model.category_weights[heaviest];
    auto const at = static_cast<std::ptrdiff_t>(heaviest);
    model.category_rates[heaviest] = rate * apart;
    model.category_rates.insert(model.category_rates.begin() + at, rate / apart);
    model.category_weights[heaviest] = weight / 2;
    model.category_weights.insert(model.category_weights.begin() + at, weight / 2);
}

/// The start of a trial: the values of the other fit that have a meaning in the candidate's model.
Fit fit_from(Candidate candidate, Fit const& source, CountedData const& counted) {
    auto const spec = likelihood::parse_model(candidate.name());
    auto const source_spec = likelihood::parse_model(source.candidate.name());
    auto model = start_model(spec, counted);
    if (!spec.rate_classes.empty()) model.rates = rates_from(spec, source_spec, source.model.rates);
    if (spec.has_gamma()) model.alpha = source_spec.has_gamma() ? source.model.alpha : usual_alpha;
    if (spec.invariant_from == source_spec.invariant_from) model.invariant = source.model.invariant;
    if (spec.heterogeneity == Heterogeneity::free && source_spec.heterogeneity == Heterogeneity::free &&
        (spec.categories == source_spec.categories || spec.categories == source_spec.categories + 1)) {
        model.category_rates = source.model.category_rates;
        model.category_weights = source.model.category_weights;
        if (spec.categories > source_spec.categories) split_category(model);
    }
    return {std::move(candidate), std::move(model), source.lengths, 0};
}

bool adds_category(Candidate const& candidate, Candidate const& before) {
    if (candidate.scheme != before.scheme) return false;
    auto const spec = likelihood::parse_model(candidate.name());
    auto const spec_before = likelihood::parse_model(before.name());
    return spec.heterogeneity == Heterogeneity::free && spec_before.heterogeneity == Heterogeneity::free &&
           spec.categories == spec_before.categories + 1;
}

}  // namespace

void PartitionChoice::write(ByteWriter& out) const {
    out.put(partition);
    out.put(std::uint64_t{trials.size()});
    for (auto const& trial : trials) {
        out.put_text(trial.candidate.scheme);
        out.put_text(trial.candidate.heterogeneity);
        out.put(trial.parameters);
        out.put(trial.loglh);
    }
    search::write(out, best);
    search::write(out, running);
}

PartitionChoice PartitionChoice::read(ByteReader& in) {
    PartitionChoice choice;
    choice.partition = in.get<std::uint64_t>();
    choice.trials.resize(in.get_count(1));
    for (auto& trial : choice.trials) {
        trial.candidate = read_candidate(in);
        trial.parameters = in.get<std::uint64_t>();
        trial.loglh = in.get<double>();
    }
    choice.best = read_fit(in);
    choice.running = read_fit(in);
    return choice;
}

PartitionChoice begin_choice(std::size_t partition, CandidateSet const& candidates, CountedData const& counted,
                             msa::Tree const& tree) {
    PartitionChoice choice;
    choice.partition = partition;
    Fit first{*next_candidate(candidates, {}, {}), {}, {}, 0};
    first.model = start_model(likelihood::parse_model(first.candidate.name()), counted);
    for (auto h : tree.edges()) first.lengths.push_back(tree.length(h));
    choice.running = std::move(first);
    return choice;
}

void end_trial(PartitionChoice& choice, CandidateSet const& candidates, CountedData const& counted,
               Measure const& measure) {
    auto const ended = std::move(*choice.running);
    auto const model_parameters = likelihood::free_parameters(likelihood::parse_model(ended.candidate.name()));
    choice.trials.push_back({ended.candidate, model_parameters + ended.lengths.size(), ended.loglh});
    raise_to_contained(choice.trials);
    if (best_trial(choice.trials, measure) + 1 == choice.trials.size()) choice.best = ended;
    auto candidate = next_candidate(candidates, choice.trials, measure);
    if (candidate) {
        auto const& source = adds_category(*candidate, ended.candidate) ? ended : *choice.best;
        choice.running = fit_from(std::move(*candidate), source, counted);
    } else {
        choice.best = choice.running = std::nullopt;
    }
}

}  // namespace regraft::search
