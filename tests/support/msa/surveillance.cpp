#include "support/msa/surveillance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>
#include <vector>

#include "regraft/core/random.hpp"

namespace regraft::test {
namespace {

constexpr std::string_view bases = "ACGT";
constexpr std::uint32_t num_generations = 110;
constexpr std::uint32_t num_laboratories = 40;

class Dice {
public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}
    double unit() { return random_.unit(); }
    std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(random_.below(bound)); }
    bool happens(double probability) { return unit() < probability; }
    double normal() { return std::sqrt(-2 * std::log(1 - unit())) * std::cos(2 * std::numbers::pi * unit()); }
    /// Marsaglia and Tsang 2000.
    double gamma(double shape) {
        if (shape < 1) return gamma(shape + 1) * std::pow(1 - unit(), 1 / shape);
        double const d = shape - 1. / 3;
        for (;;) {
            double const x = normal();
            double const v = std::pow(1 + x / std::sqrt(9 * d), 3);
            if (v > 0 && std::log(1 - unit()) < .5 * x * x + d - d * v + d * std::log(v)) return d * v;
        }
    }
    std::uint32_t poisson(double mean) {
        double p = std::exp(-mean);
        double const u = unit();
        std::uint32_t k = 0;
        for (double sum = p; u > sum && k < 1000; sum += p) p *= mean / ++k;
        return k;
    }

private:
    Random random_;
};

/// Draws numbers with given weights.
class Weighted {
public:
    explicit Weighted(std::vector<double> const& weights) : sums_(weights.size()) {
        std::partial_sum(weights.begin(), weights.end(), sums_.begin());
    }
    std::uint32_t draw(Dice& dice) const {
        auto const found = std::ranges::upper_bound(sums_, dice.unit() * sums_.back());
        return static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(found - sums_.begin(), std::ssize(sums_) - 1));
    }

private:
    std::vector<double> sums_;
};

/// A substitution, or a deletion of some sites.
struct Event {
    std::uint32_t site = 0;
    std::uint32_t letter = 0;
    std::uint32_t deleted = 0;
};

struct Case {
    std::uint32_t parent = 0;
    double fitness = 0;
    std::vector<Event> events{};
};

/// The cases, whom each has infected, and what has changed on the way.
class Epidemic {
public:
    Epidemic(Surveillance const& size, Dice& dice) : size_(size), dice_(dice), sites_(rates()), cases_(1) {
        std::uint32_t begin = 0;
        auto const sizes = generation_sizes();
        for (auto const count : sizes) begin = add_generation(begin, count);
    }
    std::uint32_t num_cases() const { return static_cast<std::uint32_t>(cases_.size()); }
    std::string const& reference() const { return reference_; }
    std::uint32_t draw_site() { return sites_.draw(dice_); }

    /// The cases from the first one to this one.
    std::vector<std::uint32_t> path_to(std::uint32_t patient) const {
        std::vector<std::uint32_t> path;
        for (; patient != 0; patient = cases_[patient].parent) path.push_back(patient);
        std::ranges::reverse(path);
        return path;
    }
    std::string genome(std::vector<std::uint32_t> const& path) const {
        auto genome = reference_;
        for (auto const patient : path) {
            for (auto const& event : cases_[patient].events) {
                if (event.deleted > 0) {
                    genome.replace(event.site, event.deleted, event.deleted, '-');
                } else if (genome[event.site] != '-') {
                    genome[event.site] = bases[event.letter];
                }
            }
        }
        return genome;
    }

private:
    std::vector<double> rates() {
        std::vector<double> rates(size_.sites);
        reference_.resize(size_.sites);
        for (std::uint32_t site = 0; site < size_.sites; ++site) {
            double const u = dice_.unit();
            reference_[site] = bases[u < .30 ? 0 : u < .48 ? 1 : u < .68 ? 2 : 3];
            rates[site] = dice_.gamma(.8) * (reference_[site] == 'C' ? 2.5 : reference_[site] == 'G' ? 1.5 : .7);
            if (dice_.happens(.004)) rates[site] += 30 * dice_.gamma(1);
        }
        return rates;
    }
    std::vector<std::uint32_t> generation_sizes() const {
        std::vector<double> weights(num_generations);
        for (std::uint32_t g = 0; g < num_generations; ++g) weights[g] = std::exp(.06 * g) * (1.3 + std::sin(g / 6.));
        double const sum = std::accumulate(weights.begin(), weights.end(), 0.);
        std::vector<std::uint32_t> sizes;
        for (auto const weight : weights)
            sizes.push_back(std::max(3U, static_cast<std::uint32_t>(weight / sum * 10 * size_.taxa)));
        return sizes;
    }
    /// Returns where it begins.
    std::uint32_t add_generation(std::uint32_t first_parent, std::uint32_t count) {
        auto const begin = num_cases();
        std::vector<double> infectiousness;
        for (auto parent = first_parent; parent < begin; ++parent)
            infectiousness.push_back(dice_.gamma(.2) * std::exp(cases_[parent].fitness));
        Weighted const parents(infectiousness);
        double const mean = std::max(.05, .28 * size_.sites / 29903.);
        for (; count > 0; --count) {
            auto const parent = first_parent + parents.draw(dice_);
            Case patient{parent, cases_[parent].fitness};
            auto num_events = dice_.poisson(mean);
            if (dice_.happens(.0002)) {  // a variant
                patient.fitness += .35 * dice_.gamma(1);
                num_events += dice_.poisson(6);
            }
            for (; num_events > 0; --num_events) add_event(patient);
            cases_.push_back(std::move(patient));
        }
        return begin;
    }
    void add_event(Case& patient) {
        if (dice_.happens(.01)) {
            auto const deleted = std::min(3 * (1 + dice_.below(4)), size_.sites);
            patient.events.push_back({dice_.below(size_.sites - deleted + 1), 0, deleted});
            return;
        }
        auto const site = sites_.draw(dice_);
        if (std::ranges::find(patient.events, site, &Event::site) != patient.events.end()) return;
        auto const from = letter_at(patient.parent, site);
        auto const transition = from ^ 2;
        auto letter = transition;
        if (!dice_.happens(.72)) {
            do letter = dice_.below(bases.size());
            while (letter == from || letter == transition);
        }
        patient.events.push_back({site, letter, 0});
    }
    std::uint32_t letter_at(std::uint32_t patient, std::uint32_t site) const {
        for (; patient != 0; patient = cases_[patient].parent)
            for (auto const& event : cases_[patient].events)
                if (event.deleted == 0 && event.site == site) return event.letter;
        return static_cast<std::uint32_t>(bases.find(reference_[site]));
    }

    Surveillance size_;
    Dice& dice_;
    std::string reference_;
    Weighted sites_;
    std::vector<Case> cases_;
};

/// What a laboratory does to a genome.
class Laboratories {
public:
    Laboratories(std::uint32_t sites, Dice& dice) : sites_(sites), dice_(dice), laboratories_(num_laboratories) {
        auto const num_amplicons = std::max(4U, sites / 305);
        std::vector<double> fragile(num_amplicons);
        for (std::uint32_t a = 0; a < num_amplicons; ++a) {
            auto const at = [&](std::uint64_t i) { return static_cast<std::uint32_t>(i * sites / num_amplicons); };
            amplicons_.push_back(
                {std::min(sites, at(a) + dice.below(20)), std::min(sites, at(a + 1) + 8 + dice.below(20))});
            fragile[a] = std::pow(dice.unit(), 6);
        }
        for (auto& laboratory : laboratories_) {
            for (auto const f : fragile)
                laboratory.drop.push_back(.004 + .35 * f * std::pow(dice.unit(), 2) + (dice.happens(.02) ? .4 : 0));
            laboratory.left = dice.below(60);
            laboratory.right = dice.below(90);
            laboratory.end = dice.happens(.15) ? '-' : 'N';
            laboratory.is_careful = dice.happens(.1);
        }
        for (auto& laboratory : of_cluster_) laboratory = dice.below(num_laboratories);
    }
    /// Most samples of a cluster of cases are sequenced in the same laboratory.
    std::uint32_t choose(std::uint32_t cluster) {
        return dice_.happens(.7) ? of_cluster_[cluster * 2654435761U >> 20] : dice_.below(num_laboratories);
    }
    void sequence(std::string& genome, std::uint32_t number, Epidemic& epidemic) {
        auto const& laboratory = laboratories_[number];
        double const poorness = .9 * dice_.gamma(.6);
        for (std::size_t a = 0; a < amplicons_.size(); ++a)
            if (dice_.happens(std::min(.95, poorness * laboratory.drop[a]))) drop(genome, amplicons_[a]);
        for (auto k = dice_.poisson(.5 * poorness); k > 0; --k)
            mask(genome, dice_.below(sites_), 1 + static_cast<std::uint32_t>(40 * dice_.gamma(.5)), 'N');
        if (!laboratory.is_careful) {
            auto const ragged = [&](std::uint32_t usual) {
                return std::min(sites_ / 20, usual + (dice_.happens(.15) ? dice_.below(200) : 0));
            };
            mask(genome, 0, ragged(laboratory.left), laboratory.end);
            auto const right = ragged(laboratory.right);
            mask(genome, sites_ - right, right, laboratory.end);
        }
        for (auto k = dice_.poisson(.15 * poorness); k > 0; --k) {
            auto& cell = genome[epidemic.draw_site()];
            if (bases.find(cell) != std::string_view::npos) cell = "RYMWSK"[dice_.below(6)];
        }
    }

private:
    struct Amplicon {
        std::uint32_t begin;
        std::uint32_t end;
    };
    struct Laboratory {
        std::vector<double> drop{};  // per amplicon: the probability that it drops out
        std::uint32_t left = 0;      // sites that are not sequenced
        std::uint32_t right = 0;
        char end = 'N';
        bool is_careful = false;  // its ends are not ragged
    };
    static void mask(std::string& genome, std::uint32_t begin, std::uint32_t size, char character) {
        auto const fits = std::min<std::size_t>(size, genome.size() - begin);
        genome.replace(begin, fits, fits, character);
    }
    void drop(std::string& genome, Amplicon amplicon) {
        if (dice_.happens(.1)) amplicon.begin += dice_.below(60);
        if (dice_.happens(.1)) amplicon.end -= std::min(amplicon.end, dice_.below(60));
        if (amplicon.begin < amplicon.end) mask(genome, amplicon.begin, amplicon.end - amplicon.begin, 'N');
    }

    std::uint32_t sites_;
    Dice& dice_;
    std::vector<Amplicon> amplicons_;
    std::vector<Laboratory> laboratories_;
    std::vector<std::uint32_t> of_cluster_ = std::vector<std::uint32_t>(4096);
};

/// The cases that are sequenced, about in the order of their generations: some samples come late.
std::vector<std::uint32_t> draw_samples(std::uint32_t taxa, std::uint32_t num_cases, Dice& dice) {
    std::vector<std::uint32_t> cases(num_cases - 1);
    std::iota(cases.begin(), cases.end(), 1U);
    for (std::uint32_t i = 0; i < taxa; ++i) std::swap(cases[i], cases[i + dice.below(cases.size() - i)]);
    std::vector<std::pair<double, std::uint32_t>> samples;
    for (std::uint32_t i = 0; i < taxa; ++i) samples.emplace_back(cases[i] + .03 * num_cases * dice.normal(), cases[i]);
    std::ranges::sort(samples);
    cases.clear();
    for (auto const& sample : samples) cases.push_back(sample.second);
    return cases;
}

}  // namespace

void write_surveillance(Surveillance const& size, std::function<void(std::string_view)> const& sink) {
    Dice dice(size.seed);
    Epidemic epidemic(size, dice);
    Laboratories laboratories(size.sites, dice);
    auto const samples = draw_samples(size.taxa, epidemic.num_cases(), dice);
    for (std::uint32_t i = 0; i < size.taxa; ++i) {
        auto const path = epidemic.path_to(samples[i]);
        auto genome = epidemic.genome(path);
        constexpr std::size_t cluster_depth = 6;
        auto const laboratory =
            laboratories.choose(path.size() > cluster_depth ? path[path.size() - cluster_depth - 1] : 0);
        laboratories.sequence(genome, laboratory, epidemic);
        // 611953 and 10000019 are prime, so that names are distinct.
        auto const number = static_cast<unsigned>(std::uint64_t{i} * 611953 % 10000019);
        auto const year = static_cast<unsigned>(2020 + std::uint64_t{samples[i]} * 3 / epidemic.num_cases());
        std::array<char, 64> name{};
        std::snprintf(name.data(), name.size(), ">virus/L%02u/%c%07u/%u\n", laboratory,
                      static_cast<char>('A' + dice.below(26)), number, year);
        sink(name.data());
        sink(genome.append("\n"));
    }
}

std::string surveillance_text(Surveillance const& size) {
    std::string text;
    write_surveillance(size, [&](std::string_view piece) { text += piece; });
    return text;
}

}  // namespace regraft::test
