// Minimises several functions, each of its own variables. All searches advance in rounds, so that the points of a round
// can be evaluated together, in one reduction.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace regraft::search {

/// The box within which a function is minimised, and the start. All three vectors have a value per variable.
struct Box {
    std::vector<double> start;
    std::vector<double> low;
    std::vector<double> high;
};

/// A point at which the function of a box is to be evaluated.
struct Question {
    std::size_t box;  // its number
    std::vector<double> x;
};

/// Returns the functions' values at some points; infinity where a function has none.
using Answer = std::function<std::vector<double>(std::span<Question const> questions)>;

/// Returns the best point that was evaluated in each box, the start included, so that no value rises. Uses sequential
/// quadratic programming (SLSQP; Kraft 1994) in variables scaled by their curvatures. Curvatures and gradients come
/// from finite differences: a round evaluates at most 2 variables + 1 points of each box. Ends when steps change values
/// by less than `tolerance`. Exceptions of `answer` pass through.
std::vector<std::vector<double>> minimise(std::span<Box const> boxes, double tolerance, Answer const& answer);

}  // namespace regraft::search
