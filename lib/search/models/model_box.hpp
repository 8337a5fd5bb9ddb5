// The free parameters of a model as the variables of a minimisation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/likelihood/model.hpp"
#include "search/models/minimise.hpp"

namespace regraft::search {

inline constexpr double least_scaler = 0.01;  // bounds of optimised scalers
inline constexpr double most_scaler = 100;

/// Which free parameters are variables: the model's; the scaler as well; only free rates over sites and their weights;
/// only the scaler.
enum class Variables : std::uint8_t { model, model_and_scaler, categories, scaler };

/// The variables are logarithms: of alpha, of the odds of invariable sites, and of the scaler. Where only ratios of
/// numbers matter (exchangeabilities, frequencies, free rates and their weights), they are logarithms of the ratios to
/// the greatest one. The data determine that one best; relative to a small one all others would have to change
/// together. The box reaches to factors of e^2 around the start; a further optimum needs another minimisation.
class ModelBox {
public:
    /// start also has the values of parameters that are not free. Keeps a reference to the spec.
    ModelBox(likelihood::ModelSpec const& spec, likelihood::Model start, Variables variables);

    Box const& box() const { return box_; }
    /// The model at x. At box().start it is the start model, bit for bit. Precondition: x is in the box.
    likelihood::Model model(std::span<double const> x) const;

private:
    void add(double x, double low, double high);
    /// most: the logarithm of the greatest ratio.
    void add_ratios(std::vector<double> const& numbers, double most);
    bool frees_model() const;
    bool frees_scaler() const;
    bool frees(likelihood::Origin origin) const;
    bool frees_frequencies() const;
    bool frees_alpha() const;
    bool frees_categories() const;

    likelihood::ModelSpec const& spec_;
    likelihood::Model start_;
    Variables variables_;
    Box box_;
};

}  // namespace regraft::search
