// Minima of several functions, each of its own variables. All are sought at once, so that all that is asked in a round
// can be answered together.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace regraft::phylo {

/// Where a function is minimised: within a box, from `start` on.
struct Box {
    std::vector<double> start;
    std::vector<double> low;
    std::vector<double> high;
};

/// A point of the box of that number.
struct Question {
    std::size_t box;
    std::vector<double> x;
};

/// The functions' values at some points; infinity where there is none.
using Answer = std::function<std::vector<double>(std::span<Question const> questions)>;

/// The best points that were asked for, start among them, so that no value rises. Sequential quadratic programming
/// (SLSQP; Kraft 1994) in variables scaled by their curvatures, which like the gradients come from differences: a
/// round asks for at most 2 variables + 1 points of each box. Ends where steps change values by less than
/// `tolerance`. Exceptions of `answer` pass through.
std::vector<std::vector<double>> minimise(std::span<Box const> boxes, double tolerance, Answer const& answer);

}  // namespace regraft::phylo
