// Minimises several functions, each of its own variables. All searches run at once, so that all questions of a round
// can be answered together.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace regraft::search {

/// The box within which a function is minimised, and the start.
struct Box {
    std::vector<double> start;
    std::vector<double> low;
    std::vector<double> high;
};

/// A point of the box with this number.
struct Question {
    std::size_t box;
    std::vector<double> x;
};

/// Returns the functions' values at some points; infinity where there is none.
using Answer = std::function<std::vector<double>(std::span<Question const> questions)>;

/// Returns the best points that were evaluated, the starts included, so that no value rises. Uses sequential quadratic
/// programming (SLSQP; Kraft 1994) in variables scaled by their curvatures. Curvatures and gradients come from
/// differences: a round evaluates at most 2 variables + 1 points of each box. Ends when steps change values by less
/// than `tolerance`. Exceptions of `answer` pass through.
std::vector<std::vector<double>> minimise(std::span<Box const> boxes, double tolerance, Answer const& answer);

}  // namespace regraft::search
