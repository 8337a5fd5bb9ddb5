// Flow around a cylinder by the lattice-Boltzmann method (D2Q9 with one relaxation time: Qian, d'Humieres, Lallemand
// 1992), in blocks of cells. The next state of a block does not depend on where the others are. Without MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace example {

/// Fluid enters in the west and leaves in the east; fluid that leaves in the north comes back in the south.
struct Channel {
    std::uint64_t height = 0;  // in cells, at least 16; it is twice as long
    std::uint64_t seed = 0;    // of what disturbs the flow at first

    std::uint64_t length() const { return 2 * height; }
    /// Whether the cell belongs to the cylinder.
    bool solid(std::uint64_t x, std::uint64_t y) const;
    /// 1 / the relaxation time, from the Reynolds number.
    double relaxation() const;
};

/// Density, and velocity in cells per step.
struct Flow {
    double density = 1;
    double x = 0;
    double y = 0;
};

/// One of the 8 x 8 parts of the channel, with a ring of cells around it that belong to its neighbours.
class Block {
public:
    static constexpr std::uint32_t per_side = 8;
    static constexpr std::uint32_t count = per_side * per_side;
    static constexpr std::size_t num_directions = 9;  // in which fluid moves; in direction 0 it rests

    /// Precondition: number < count.
    Block(Channel const& channel, std::uint32_t number);

    /// The block next to block `number` in a direction; `count` if there is none.
    static std::uint32_t neighbour(std::uint32_t number, std::size_t direction);

    std::uint64_t x() const { return x_; }
    std::uint64_t y() const { return y_; }
    std::uint64_t width() const { return width_; }
    std::uint64_t height() const { return height_; }
    /// The state: for each direction and each cell, row by row, how much fluid moves. The ring is included.
    std::vector<double>& state() { return now_; }
    /// A hash of the state without the ring.
    std::uint64_t hash() const;
    /// The state of a cell, counted from x() and y().
    Flow flow(std::uint64_t column, std::uint64_t row) const;

    /// How many numbers the neighbour in a direction needs of this block.
    std::size_t strip_size(std::size_t direction) const;
    /// Packs these numbers. Precondition: strip.size() == strip_size(direction).
    void pack(std::size_t direction, std::span<double> strip) const;
    /// Unpacks what the neighbour packed for this block, of which it is the neighbour in the direction.
    void unpack(std::size_t direction, std::span<double const> strip);
    /// Computes the next state. Precondition: the strips of all neighbours were unpacked.
    void step();

private:
    using Fluid = std::array<double, num_directions>;
    /// Calls visit(index into the state) for what moves in a direction out of this block, or out of the ring into it.
    void visit_strip(std::size_t direction, bool ring, auto const& visit) const;
    Fluid arriving(std::uint64_t column, std::uint64_t row) const;
    std::size_t cell(std::uint64_t column, std::uint64_t row) const { return (row + 1) * (width_ + 2) + column + 1; }
    std::size_t num_cells() const { return (width_ + 2) * (height_ + 2); }

    Channel channel_;
    std::uint64_t x_, y_, width_, height_;
    std::vector<double> now_, next_;
    std::vector<char> solid_;
};

}  // namespace example
