// The two sides of a node or an edge, as the kernels see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "likelihood/clvs/pending.hpp"
#include "likelihood/clvs/site_classes.hpp"
#include "likelihood/clvs/slots.hpp"
#include "likelihood/clvs/threads.hpp"
#include "likelihood/clvs/tips.hpp"
#include "likelihood/kernels/kernels.hpp"
#include "likelihood/models/transitions.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::likelihood {

/// Bytes of memory that suffice for the sides of planned CLVs, if a node has up to most_classes classes of sites, and
/// tips have num_sets sets.
std::size_t bytes_for_sides(kernels::Shape shape, std::size_t most_classes, std::size_t num_sites,
                            std::size_t num_sets);

/// Makes sides. A side refers to its CLV, or to rows in the memory of what is pending.
class Sides {
public:
    /// Keeps views of all.
    Sides(Tips const& tips, SiteClasses const& classes, Slots const& slots, Threads const& threads, Pending& pending,
          Transitions const& transitions, std::size_t num_half_edges)
        : tips_(&tips),
          classes_(&classes),
          slots_(&slots),
          threads_(&threads),
          pending_(&pending),
          shape_(transitions.shape()),
          own_(transitions.own()),
          is_scaled_(num_half_edges) {}

    struct Pair {
        kernels::Side left;
        kernels::Side right;
    };
    /// A half-edge whose CLV is there or planned, and the matrices with which its likelihoods are multiplied, or null.
    struct End {
        msa::HalfEdge h;
        double const* matrices;
    };
    /// The sides for all sites.
    Pair of_sites(End left, End right);
    /// Calls f with the sides for the classes of parent, which are few, and then frees their memory.
    template <class Function>
    void use_for_classes(msa::HalfEdge parent, End left, End right, Function f) {
        make_room(left.h, right.h);
        auto const before = pending_->memory().used();
        f(Pair{side(left, classes_->of_classes(parent, 0)), side(right, classes_->of_classes(parent, 1))});
        pending_->memory().give_back(before);
    }

    /// Looks whether the CLV of h, which has classes, is scaled. To be called when it was computed.
    void look_at_scalers(msa::HalfEdge h);

private:
    /// Makes room for the rows of sides that are about to be made: first computes what is pending if it needs theirs.
    void make_room(msa::HalfEdge left, msa::HalfEdge right);
    kernels::Side side(End end);
    /// The side for sites or classes given by codes. Precondition: the likelihoods are not those of all sites.
    kernels::Side side(End end, Codes const& codes);
    /// The products in the order of the kernels' sums; terms that are multiplied with 0 are left out.
    double const* tip_rows(double const* matrices);
    double const* rows(End end);
    std::uint32_t const* unpacked(Codes const& codes);
    /// The scalers of these classes of h.
    std::uint16_t const* spread_scalers(msa::HalfEdge h, std::span<std::uint32_t const> classes);

    Tips const* tips_;
    SiteClasses const* classes_;
    Slots const* slots_;
    Threads const* threads_;
    Pending* pending_;
    kernels::Shape shape_;
    kernels::SiteSystems const* own_;  // systems that sites have of their own, or null
    std::vector<char> is_scaled_;      // per half-edge whose CLV has classes
};

}  // namespace regraft::likelihood
