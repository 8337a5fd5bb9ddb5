// The conditional likelihoods (CLVs) of the half-edges of a tree: which are there, and how missing ones are made.
#pragma once

#include <cstddef>
#include <cstdint>

#include "likelihood/clvs/child_order.hpp"
#include "likelihood/clvs/edge_matrices.hpp"
#include "likelihood/clvs/pending.hpp"
#include "likelihood/clvs/sides.hpp"
#include "likelihood/clvs/site_classes.hpp"
#include "likelihood/clvs/slots.hpp"
#include "likelihood/clvs/threads.hpp"
#include "likelihood/clvs/tips.hpp"
#include "likelihood/models/transitions.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::likelihood {

/// The largest number of slots, or their memory, that a tree of any shape can need at once.
std::size_t least_slots(std::uint32_t num_tips, bool has_classes);
/// The number of slots beyond which nothing gets faster. With these, every inner node can have one.
std::size_t enough_slots(std::uint32_t num_tips);
/// How much is kept: so many CLVs, in the memory that some of all sites take.
struct Room {
    std::size_t num_clvs;
    std::size_t num_full;  // of all sites
};
/// Room that makes a search as fast as any more. Where sites fall into classes, most CLVs are small, and a search
/// seldom needs those far from where it is.
Room enough_room(std::uint32_t num_tips, bool has_classes);

class Clvs {
public:
    /// Keeps views of all arguments. The shape of the transitions, and whether sites have systems, must not change.
    Clvs(msa::Tree const& tree, std::uint32_t length_set, Transitions& transitions, Tips const& tips,
         SiteClasses& classes, Threads const& threads, Room const& room);
    Clvs(Clvs const&) = delete;  // its parts refer to each other
    Clvs& operator=(Clvs const&) = delete;
    ~Clvs() = default;

    bool invalidate(msa::HalfEdge h) { return slots_.invalidate(h); }
    /// The same if the subtree that h sees has changed. Returns whether anything was known of it.
    bool invalidate_subtree(msa::HalfEdge h) {
        bool const was_valid = invalidate(h);
        return order_.forget(h) || was_valid;
    }
    void invalidate_matrix(msa::HalfEdge h) { matrices_.invalidate(h); }
    void invalidate_all() {
        slots_.invalidate_all();
        matrices_.invalidate_all();
    }
    /// The CLV of h will not be needed for a while.
    void give_up(msa::HalfEdge h) { slots_.give_up(h); }

    /// Plans the computation of a CLV if it is invalid, and pins it as long as this object lives.
    class Pinned {
    public:
        Pinned(Clvs& clvs, msa::HalfEdge h) : clvs_(clvs), h_(h) {
            if (!clvs_.is_tip(h)) clvs_.update_and_pin(h);
        }
        Pinned(Pinned const&) = delete;
        Pinned& operator=(Pinned const&) = delete;
        ~Pinned() { clvs_.release(h_); }

    private:
        Clvs& clvs_;
        msa::HalfEdge h_;
    };

    /// A half-edge whose CLV is pinned, and its distance from a node.
    struct Child {
        msa::HalfEdge h;
        double length;
    };
    /// Plans and pins the CLV that h would have above these children. Precondition: what was joined before is computed.
    void join(msa::HalfEdge h, Child const& left, Child const& right);
    /// Releases and drops that CLV.
    void cut(msa::HalfEdge h);

    double const* matrices(msa::HalfEdge h) { return matrices_.of(h); }
    /// The matrices that h's edge would have if it had this length. Valid until the next call.
    double const* matrices(msa::HalfEdge h, double length) { return matrices_.of(h, length, 2); }
    /// The sides of an edge for pending(). Precondition: both ends are pinned.
    Sides::Pair sides(Sides::End near, Sides::End far) { return sides_.of_sites(near, far); }
    /// What is planned, for the computation of a result.
    Pending& pending() { return pending_; }

    /// The number of CLVs computed so far.
    std::uint64_t num_updates() const { return num_updates_; }

private:
    bool is_tip(msa::HalfEdge h) const { return tree_->is_tip(h); }
    bool is_there(msa::HalfEdge h) const { return is_tip(h) || slots_.contains(h); }
    void pin(msa::HalfEdge h) {
        if (!is_tip(h)) slots_.pin(h);
    }
    void release(msa::HalfEdge h) {
        if (!is_tip(h)) slots_.release(h);
    }

    /// Plans the computation of everything invalid in the subtree of h.
    void update_and_pin(msa::HalfEdge h);
    /// Plans the CLV of h, pins it, and releases its children.
    void compute(msa::HalfEdge h);
    /// Computes the likelihoods of the classes of h at once.
    void compute_classes(msa::HalfEdge h, Sides::End left, Sides::End right);
    /// Takes memory for the CLV of h and plans its computation.
    void plan(msa::HalfEdge h, Sides::End left, Sides::End right);

    msa::Tree const* tree_;
    SiteClasses* classes_;
    Threads const* threads_;
    kernels::Shape shape_;
    std::size_t num_blocks_;
    EdgeMatrices matrices_;
    Slots slots_;
    Pending pending_;
    Sides sides_;
    ChildOrder order_;
    std::uint64_t num_updates_ = 0;
};

}  // namespace regraft::likelihood
