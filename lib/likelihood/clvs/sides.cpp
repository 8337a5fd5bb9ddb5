#include "likelihood/clvs/sides.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace regraft::likelihood {

using kernels::Blocks;
using kernels::Side;
using msa::HalfEdge;

namespace {

/// Rows are made before pending CLVs are computed; their size is limited to that of a chunk, or to rows of this many
/// sides.
constexpr std::size_t sides_at_once = 4;

/// Bytes of the rows of num_classes classes of the sites, or of tips with num_sets sets.
std::size_t bytes_of_rows(kernels::Shape shape, std::size_t num_classes, std::size_t num_sites, std::size_t num_sets) {
    auto const row = shape.categories * shape.stride();
    auto const of_tip = SideMemory::bytes<double>(num_sets * row);
    if (num_classes == 0) return of_tip;
    auto const of_classes = SideMemory::bytes<double>(kernels::padded(num_classes) * row) +
                            SideMemory::bytes<std::uint32_t>(kernels::padded(num_sites)) +
                            SideMemory::bytes<std::uint16_t>(kernels::blocks_for(num_sites) * shape.block_scalers());
    return std::max(of_tip, of_classes);
}

}  // namespace

std::size_t bytes_for_sides(kernels::Shape shape, std::size_t most_classes, std::size_t num_sites,
                            std::size_t num_sets) {
    auto const most = bytes_of_rows(shape, most_classes, num_sites, num_sets);
    return most == 0 ? 0 : std::max(chunk_size * sizeof(double), sides_at_once * most);
}

Sides::Pair Sides::of_sites(End left, End right) {
    make_room(left.h, right.h);
    return {side(left), side(right)};
}

void Sides::look_at_scalers(HalfEdge h) {
    auto const clv = (*slots_)[h];
    auto const scalers = std::span(clv.scalers, clv.num_blocks * shape_.block_scalers());
    is_scaled_[h] = std::any_of(scalers.begin(), scalers.end(), [](auto scaler) { return scaler != 0; }) ? 1 : 0;
}

void Sides::make_room(HalfEdge left, HalfEdge right) {
    std::size_t needed = 0;
    for (auto const h : {left, right}) {
        if (classes_->has_all_sites(h)) continue;
        auto const num_classes = classes_->number(h);
        auto const num_sets = num_classes == 0 ? tips_->sets().size() : 0;
        needed += bytes_of_rows(shape_, num_classes, tips_->num_sites(), num_sets);
    }
    if (needed > pending_->memory().room()) pending_->compute();
}

Side Sides::side(End end) {
    if (!classes_->has_all_sites(end.h)) return side(end, classes_->of_sites(end.h));
    auto const clv = (*slots_)[end.h];
    Side side;
    side.clv = clv.values;
    side.scalers = clv.scalers;
    side.matrices = end.matrices;
    side.systems = own_;
    return side;
}

Side Sides::side(End end, Codes const& codes) {
    Side side;
    side.masks = codes.masks;
    side.classes = codes.packed != nullptr ? unpacked(codes) : codes.classes;
    side.matrices = end.matrices;
    side.systems = own_;
    side.sets = tips_->sets().data();
    if (codes.masks != nullptr || own_ != nullptr) return side;
    side.num_classes = classes_->number(end.h);
    if (side.num_classes == 0) {
        side.num_classes = tips_->sets().size();
        side.rows = tip_rows(end.matrices);
    } else {
        side.rows = rows(end);
        if (is_scaled_[end.h] != 0) side.scalers = spread_scalers(end.h, std::span(side.classes, codes.count));
    }
    return side;
}

double const* Sides::tip_rows(double const* matrices) {
    auto const states = shape_.states;
    auto const stride = shape_.stride();
    auto const sets = tips_->sets();
    auto const count = sets.size();
    auto const rows = pending_->memory().take<double>(shape_.categories * count * stride);
    std::fill(rows.begin(), rows.end(), 0.0);
    for (std::size_t c = 0; c < shape_.categories; ++c) {
        for (std::size_t number = 0; number < count; ++number) {
            auto* out = &rows[(c * count + number) * stride];
            for (auto set = sets[number]; set != 0; set &= set - 1) {
                auto const* column =
                    matrices + c * shape_.matrix_size() + static_cast<std::size_t>(std::countr_zero(set)) * stride;
                for (std::size_t i = 0; i < states; ++i) out[i] += column[i];
            }
        }
    }
    return rows.data();
}

double const* Sides::rows(End end) {
    auto const clv = (*slots_)[end.h];
    auto const num_classes = clv.num_blocks * kernels::block_sites;
    auto const rows = pending_->memory().take<double>(shape_.categories * num_classes * shape_.stride());
    Side likelihoods;
    likelihoods.clv = clv.values;
    likelihoods.matrices = end.matrices;
    threads_->for_parts(clv.num_blocks, clv.num_blocks, [&](Blocks blocks, std::size_t) {
        kernels::make_rows(shape_, likelihoods, num_classes, rows.data(), blocks);
    });
    return rows.data();
}

std::uint32_t const* Sides::unpacked(Codes const& codes) {
    auto const classes = pending_->memory().take<std::uint32_t>(codes.count);
    codes.packed->unpack(classes);
    return classes.data();
}

std::uint16_t const* Sides::spread_scalers(HalfEdge h, std::span<std::uint32_t const> classes) {
    constexpr auto width = kernels::block_sites;
    auto const* const of_class = (*slots_)[h].scalers;
    auto const scalers = pending_->memory().take<std::uint16_t>(classes.size() * shape_.categories);
    for (std::size_t i = 0; i < classes.size(); ++i) {
        auto const from = classes[i];
        for (std::size_t c = 0; c < shape_.categories; ++c) {
            scalers[(i / width * shape_.categories + c) * width + i % width] =
                of_class[(from / width * shape_.categories + c) * width + from % width];
        }
    }
    return scalers.data();
}

}  // namespace regraft::likelihood
