// Matchings in which right vertices may occur several times: each left vertex is given to one of its neighbours, such
// that no right vertex gets too many. Left vertices are blocks; right vertices are the PEs that could send them.
//
// min_b_matching is also known as optimal semi-matching (Harvey, Ladner, Lovasz, Tamir 2006) and as P|M_j, p_j=1|C_max.
// For blocks of different sizes see weighted.hpp; for many blocks with the same holders see shares.hpp.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"

#pragma GCC visibility push(default)
namespace regraft::matching {

/// Value in right_of of a left vertex that has no neighbour, or that max_b_matching left out.
inline constexpr std::uint32_t unmatched = std::numeric_limits<std::uint32_t>::max();

/// An optimal matching and the proof that it is optimal.
struct BMatching {
    /// The right vertex of every left vertex, or `unmatched`.
    std::vector<std::uint32_t> right_of;
    /// Left vertices without neighbours, ascending. This is an ordinary outcome: the block is lost.
    std::vector<std::uint32_t> isolated;
    /// The largest number of left vertices given to one right vertex; no matching has a smaller one (unless good_enough
    /// ended the search).
    std::uint32_t b = 0;
    /// ceil(left vertices with a neighbour / right vertices with a neighbour): the value of b if edges were no
    /// obstacle.
    std::uint32_t lower_bound = 0;
    /// Ascending right vertices S such that more than (b - 1) * |S| left vertices have all their neighbours in S, so
    /// that b - 1 is infeasible. Empty if b is 0. (Hall's condition; b is the maximum over S of ceil(|{x : N(x) in S}|
    /// / |S|).) If good_enough ended the search, S proves only the bound that hall_bound returns, which is at least
    /// lower_bound.
    std::vector<std::uint32_t> hall_set;
};

/// Whether left vertices with equal rows are collapsed into one with a weight before a search. It never changes b.
enum class Grouping {
    /// Rows are grouped if a sample says that there are few different ones (fewer than a quarter of the left vertices)
    /// and greedy alone does not reach the lower bound.
    automatic,
    never,
    always,
};

/// How an optimal matching is looked for. Only good_enough changes b.
struct Options {
    /// The right vertex per left vertex from which the search starts. `unmatched`, or a vertex that is not in the row,
    /// is no start. Empty: the search starts from nothing. A start nearer to the optimum leaves less to do.
    std::span<std::uint32_t const> initial{};
    /// The search stops as soon as b is at most this, although a smaller b may exist: a schedule needs as many rounds
    /// as its busiest receiver, however few blocks the senders send.
    std::uint32_t good_enough = 0;
    Grouping grouping = Grouping::automatic;  // whether equal rows are collapsed
};

/// Solves one instance after the other in the same memory. Memory of earlier instances is used again, so that further
/// instances of one kind and size allocate nothing.
class BMatcher {
public:
    BMatcher();
    BMatcher(BMatcher&&) noexcept;
    BMatcher& operator=(BMatcher&&) noexcept;
    ~BMatcher();

    /// Does what min_b_matching does. The answer is valid until the next call.
    BMatching const& solve(CsrView<std::uint32_t> graph, std::uint32_t num_right, Options const& options = {});
    /// The last answer, moved out.
    BMatching take() &&;

private:
    struct [[gnu::visibility("hidden")]] Workspace;
    std::unique_ptr<Workspace> workspace_;
};

/// Finds an optimal matching for the graph whose row x lists the neighbours of left vertex x, in [0, num_right); a
/// neighbour may occur more than once in a row. Deterministic. Precondition: fewer than 2^32 - 1 left vertices; initial
/// is empty or has a value per left vertex. O(edges) if least-loaded greedy comes close to the lower bound, else
/// O(edges) per phase of a flow: a handful of phases for each of the O(log b) values of b that are tried, but many
/// where blocks are held by near neighbours only (chains, rings, grids). Memory beside the graph: at most 40 bytes per
/// left and per right vertex; grouping needs 16 bytes per edge of the different rows, too.
///
/// It differs from Huebner 2020, Algorithm 11 (which is ford_fulkerson_b_matching) in three points: isolated vertices
/// are reported instead of looped over; b starts at the lower bound; and a search that fails raises b to what its
/// visited set proves instead of by one.
BMatching min_b_matching(CsrView<std::uint32_t> graph, std::uint32_t num_right, Options const& options = {});

/// A matching of as many left vertices as the capacities of the right vertices allow, and the proof.
struct MaxBMatching {
    /// The right vertex of every left vertex, or `unmatched`.
    std::vector<std::uint32_t> right_of;
    /// The number of matched left vertices; no matching within the capacities has more.
    std::uint64_t num_matched = 0;
    /// Ascending right vertices S, all full, such that num_matched = left vertices with a neighbour outside S +
    /// capacity of S. So no matching has more: a left vertex without a neighbour outside S can only go to S. (Koenig's
    /// theorem.)
    std::vector<std::uint32_t> hall_set;
};

/// A largest matching in which right vertex v gets at most capacity[v] left vertices. Deterministic. Precondition:
/// fewer than 2^32 - 1 left vertices; capacity has a value per right vertex. O(edges) per phase of a flow; where
/// capacities are scarce a flow takes more phases than for min_b_matching.
MaxBMatching max_b_matching(CsrView<std::uint32_t> graph, std::span<std::uint32_t const> capacity);

/// Whether m gives every left vertex with a neighbour to one of its neighbours, gives at most m.b and somewhere exactly
/// m.b to one right vertex, and lists exactly the isolated vertices as such. Does not say whether m.b is minimal.
/// O(edges). Does not use the solver.
bool is_b_matching(CsrView<std::uint32_t> graph, std::uint32_t num_right, BMatching const& m);

/// The number that some right vertex of hall_set must get at least: ceil(|{x : N(x) in hall_set}| / |hall_set|),
/// isolated x not counted. 0 if hall_set is empty or has a repeated or an unknown vertex. O(edges). Does not use the
/// solver.
std::uint32_t hall_bound(CsrView<std::uint32_t> graph, std::uint32_t num_right,
                         std::span<std::uint32_t const> hall_set);

/// Whether m matches num_matched left vertices to neighbours within the capacities, and hall_set proves that no
/// matching has more. O(edges). Does not use the solver.
bool is_max_b_matching(CsrView<std::uint32_t> graph, std::span<std::uint32_t const> capacity, MaxBMatching const& m);

}  // namespace regraft::matching
#pragma GCC visibility pop
