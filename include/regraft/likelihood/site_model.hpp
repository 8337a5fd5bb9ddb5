// The form of a model that likelihood kernels need: rate matrices as their eigensystems, and the categories of rates.
// The same bits on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/likelihood/model.hpp"

#pragma GCC visibility push(default)
namespace regraft::likelihood {

/// The eigensystem of a reversible n x n rate matrix Q with mean rate 1: Q = vectors diag(values) inverse, both stored
/// by rows. With U the orthogonal eigenvectors of sqrt(pi) Q / sqrt(pi), vectors[i][k] is U_ik / sqrt(pi_i), and
/// inverse[k][i] is U_ik * sqrt(pi_i).
struct Eigensystem {
    std::vector<double> frequencies;  // pi, sum 1
    std::vector<double> values;       // descending; the first is exactly 0
    std::vector<double> inverse;      // [n][n], by rows
    std::vector<double> vectors;      // [n][n], by rows

    bool operator==(Eigensystem const&) const = default;
};

/// The categories of rates. A site changes at rate 0 with probability `invariant`, else as one of the categories.
/// Weights sum to 1 - invariant, and the mean rate over all is 1.
struct SiteModel {
    /// Sites that change at one rate.
    struct Category {
        std::uint32_t system;  // index in systems
        double rate;           // relative to the mean over all sites
        double weight;         // proportion of all sites
    };
    std::uint32_t num_states = 0;      // n
    std::vector<Eigensystem> systems;  // one, one per category, or one per class of a profile mixture
    std::vector<Category> categories;  // at least one; those of each class are side by side
    double invariant = 0;              // proportion of sites that never change
    /// Upper triangle by rows, for sites that have frequencies of their own; empty if there are several matrices.
    std::vector<double> exchangeabilities;
};

/// Makes the eigensystems and categories of a model. O(n^3) per system. Frequencies below 1e-12 count as 1e-12: states
/// that never occur change nothing. Precondition: the model has the shape of start_model(spec, ...).
SiteModel site_model(ModelSpec const& spec, Model const& model);
/// Turns a site_model(spec, other) into site_model(spec, model) and keeps its eigensystems. O(categories).
/// Precondition: the two models have the same rates and frequencies.
void set_categories(SiteModel& site_model, ModelSpec const& spec, Model const& model);

}  // namespace regraft::likelihood
#pragma GCC visibility pop
