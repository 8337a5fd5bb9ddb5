#include "likelihood_engines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/fixed_sum.hpp"
#include "regraft/likelihood/instructions.hpp"
#include "regraft/msa/alphabet.hpp"

#ifdef REGRAFT_HAS_LIBPLL
#include <libpll/pll.h>
#endif

namespace regraft::bench {
namespace {

using msa::HalfEdge;

/// The half-edges at inner nodes that point towards the root edge, children first.
std::vector<HalfEdge> inner_half_edges(Evolved const& evolved, Nodes nodes) {
    auto const& tree = evolved.tree;
    auto const is_wanted = [&](HalfEdge h) {
        if (tree.is_tip(h)) return false;
        auto const side = tree.next(h);
        return nodes == Nodes::all || (!tree.is_tip(tree.back(side)) && !tree.is_tip(tree.back(tree.next(side))));
    };
    std::vector<HalfEdge> result;
    for (auto const top : {evolved.root, tree.back(evolved.root)}) {
        auto const order = msa::postorder(tree, top);
        std::copy_if(order.begin(), order.end(), std::back_inserter(result), is_wanted);
    }
    return result;
}

likelihood::StateSets state_sets(std::uint32_t num_states) {
    return msa::state_masks(num_states == 4 ? msa::Alphabet::dna : msa::Alphabet::amino_acid);
}

std::uint64_t total_weight(likelihood::Sites const& sites) {
    std::uint64_t sum = 0;
    for (auto const weight : sites.weights) sum += weight;
    return sum;
}

class Regraft : public LikelihoodEngine {
public:
    Regraft(Evolved const& evolved, std::string_view instructions, likelihood::Repeats repeats)
        : instructions_(instructions),
          root_(evolved.root),
          partition_(evolved.tree, 0, evolved.model.num_states, state_sets(evolved.model.num_states), evolved.sites,
                     {.total_weight = total_weight(evolved.sites), .repeats = repeats}) {
        for (auto const nodes : {Nodes::all, Nodes::without_tips}) {
            updated_[static_cast<std::size_t>(nodes)] = inner_half_edges(evolved, nodes);
        }
        partition_.set_model(evolved.model);
    }

    double traverse(Nodes nodes) override {
        for (auto const h : updated_[static_cast<std::size_t>(nodes)]) partition_.invalidate_clv(h);
        return evaluate();
    }
    double evaluate() override {
        likelihood::use_instructions(instructions_);
        FixedSum sum;
        partition_.add_loglh(root_, sum);
        return sum.value(partition_.loglh_scale());
    }
    void make_table() override {
        likelihood::use_instructions(instructions_);
        partition_.focus(root_);
    }
    double slope(double length) override {
        likelihood::use_instructions(instructions_);
        std::array<FixedSum, 3> sums;
        partition_.add_derivatives(length, sums);
        return sums[1].value(partition_.derivative_scales()[1]);
    }

private:
    std::string_view instructions_;
    HalfEdge root_;
    std::array<std::vector<HalfEdge>, 2> updated_;
    likelihood::Partition partition_;
};

#ifdef REGRAFT_HAS_LIBPLL

class Libpll : public LikelihoodEngine {
public:
    Libpll(Evolved const& evolved, unsigned instructions) : tree_(evolved.tree), near_(evolved.root) {
        // A tip, if there is one, is the child.
        if (tree_.is_tip(near_)) near_ = tree_.back(near_);
        auto const& model = evolved.model;
        auto const num_inner = tree_.num_nodes() - tree_.num_tips();
        num_sites_ = checked_cast<unsigned>(evolved.sites.weights.size());
        partition_.reset(pll_partition_create(tree_.num_tips(), num_inner, model.num_states, num_sites_, 1,
                                              tree_.num_half_edges(), checked_cast<unsigned>(model.categories.size()),
                                              num_inner, instructions | PLL_ATTRIB_PATTERN_TIP));
        set_sites(evolved.sites, model.num_states);
        set_model(evolved);
        set_lengths();
        for (auto const nodes : {Nodes::all, Nodes::without_tips}) {
            auto& operations = operations_[static_cast<std::size_t>(nodes)];
            for (auto const h : inner_half_edges(evolved, nodes)) operations.push_back(operation(h));
        }
    }

    double traverse(Nodes nodes) override {
        auto const& operations = operations_[static_cast<std::size_t>(nodes)];
        pll_update_partials(partition_.get(), operations.data(), checked_cast<unsigned>(operations.size()));
        return evaluate();
    }
    double evaluate() override {
        auto const far = tree_.back(near_);
        return pll_compute_edge_loglikelihood(partition_.get(), tree_.node(near_), scaler(near_), tree_.node(far),
                                              scaler(far), matrix(near_), all_first.data(), nullptr);
    }
    void make_table() override {
        if (table_ == nullptr) {
            auto const size = std::size_t{num_sites_} * partition_->rate_cats * partition_->states_padded;
            table_.reset(static_cast<double*>(pll_aligned_alloc(size * sizeof(double), partition_->alignment)));
        }
        auto const far = tree_.back(near_);
        pll_update_sumtable(partition_.get(), tree_.node(near_), tree_.node(far), scaler(near_), scaler(far),
                            all_first.data(), table_.get());
    }
    double slope(double length) override {
        double first = 0;
        double second = 0;
        pll_compute_likelihood_derivatives(partition_.get(), scaler(near_), scaler(tree_.back(near_)), length,
                                           all_first.data(), table_.get(), &first, &second);
        return -first;  // it minimises
    }

private:
    /// The numbers of its parameters, by category.
    static constexpr std::array<unsigned, 4> all_first{};

    struct Destroy {
        void operator()(pll_partition_t* partition) const { pll_partition_destroy(partition); }
    };
    struct Free {
        void operator()(double* memory) const { pll_aligned_free(memory); }
    };

    int scaler(HalfEdge h) const {
        return tree_.is_tip(h) ? PLL_SCALE_BUFFER_NONE : checked_cast<int>(tree_.node(h) - tree_.num_tips());
    }
    unsigned matrix(HalfEdge h) const { return std::min(h, tree_.back(h)); }

    pll_operation_t operation(HalfEdge h) const {
        auto const a = tree_.back(tree_.next(h));
        auto const b = tree_.back(tree_.next(tree_.next(h)));
        return {tree_.node(h), scaler(h), tree_.node(a), matrix(a), scaler(a), tree_.node(b), matrix(b), scaler(b)};
    }

    void set_sites(likelihood::Sites const& sites, std::uint32_t num_states) {
        auto const* const map = num_states == 4 ? pll_map_nt : pll_map_aa;
        for (unsigned tip = 0; tip < tree_.num_tips(); ++tip) {
            pll_set_tip_states(partition_.get(), tip, map, sites.rows[tip].c_str());
        }
        pll_set_pattern_weights(partition_.get(), sites.weights.data());
    }

    void set_model(Evolved const& evolved) {
        std::vector<double> rates;
        std::vector<double> weights;
        for (auto const& category : evolved.model.categories) {
            rates.push_back(category.rate);
            weights.push_back(category.weight);
        }
        pll_set_category_rates(partition_.get(), rates.data());
        pll_set_category_weights(partition_.get(), weights.data());
        pll_set_frequencies(partition_.get(), 0, evolved.model.systems[0].frequencies.data());
        pll_set_subst_params(partition_.get(), 0, evolved.exchangeabilities.data());
    }

    void set_lengths() {
        for (auto const h : tree_.edges()) {
            auto const number = matrix(h);
            auto const length = tree_.length(h);
            pll_update_prob_matrices(partition_.get(), all_first.data(), &number, &length, 1);
        }
    }

    msa::Tree const& tree_;
    HalfEdge near_;
    unsigned num_sites_ = 0;
    std::unique_ptr<pll_partition_t, Destroy> partition_;
    std::array<std::vector<pll_operation_t>, 2> operations_;
    std::unique_ptr<double, Free> table_;
};

#endif

}  // namespace

ClvTraffic traffic(Evolved const& evolved, Nodes nodes) {
    auto const& tree = evolved.tree;
    ClvTraffic result;
    std::uint64_t clvs = 0;
    for (auto const h : inner_half_edges(evolved, nodes)) {
        ++result.updates;
        ++clvs;
        for (auto const side : {tree.next(h), tree.next(tree.next(h))}) clvs += tree.is_tip(tree.back(side)) ? 0 : 1;
    }
    auto const& model = evolved.model;
    result.bytes = clvs * evolved.sites.weights.size() * model.categories.size() * model.num_states * sizeof(double);
    return result;
}

std::unique_ptr<LikelihoodEngine> regraft_engine(Evolved const& evolved, std::string_view instructions,
                                                 likelihood::Repeats repeats) {
    return std::make_unique<Regraft>(evolved, instructions, repeats);
}

#ifdef REGRAFT_HAS_LIBPLL
std::vector<std::string_view> libpll_instructions() {
    std::vector<std::string_view> names;
    if (__builtin_cpu_supports("avx2") != 0) names.push_back("avx2");
    if (__builtin_cpu_supports("avx") != 0) names.push_back("avx");
    return names;
}
std::unique_ptr<LikelihoodEngine> libpll_engine(Evolved const& evolved, std::string_view instructions) {
    return std::make_unique<Libpll>(evolved, instructions == "avx2" ? PLL_ATTRIB_ARCH_AVX2 : PLL_ATTRIB_ARCH_AVX);
}
#else
std::vector<std::string_view> libpll_instructions() {
    return {};
}
std::unique_ptr<LikelihoodEngine> libpll_engine(Evolved const&, std::string_view) {
    return nullptr;
}
#endif

void ClvCopy::run() {
    std::memcpy(to_.data(), from_.data(), to_.size());
}

}  // namespace regraft::bench
