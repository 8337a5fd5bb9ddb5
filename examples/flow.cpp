#include "flow.hpp"

#include <algorithm>

#include "regraft/core/bytes.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/core/random.hpp"

namespace example {
namespace {

constexpr std::array<int, 9> dx{0, 1, 0, -1, 0, 1, -1, -1, 1};
constexpr std::array<int, 9> dy{0, 0, 1, 0, -1, 1, 1, -1, -1};
constexpr std::array<std::size_t, 9> opposite{0, 3, 4, 1, 2, 7, 8, 5, 6};
constexpr std::array<double, 9> weight{4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
constexpr double inflow = 0.1;  // cells per step
constexpr double reynolds = 100;

double diameter(Channel const& channel) {
    return static_cast<double>(channel.height) / 6;
}

/// The amount of fluid that moves in each direction where it has come to rest with the flow.
std::array<double, 9> equilibrium(Flow const& flow) {
    std::array<double, 9> fluid{};
    double const square = 1.5 * (flow.x * flow.x + flow.y * flow.y);
    for (std::size_t i = 0; i < 9; ++i) {
        double const along = 3 * (dx[i] * flow.x + dy[i] * flow.y);
        fluid[i] = weight[i] * flow.density * (1 + along + 0.5 * along * along - square);
    }
    return fluid;
}

Flow flow_of(std::array<double, 9> const& fluid) {
    Flow flow{0, 0, 0};
    for (std::size_t i = 0; i < 9; ++i) {
        flow.density += fluid[i];
        flow.x += dx[i] * fluid[i];
        flow.y += dy[i] * fluid[i];
    }
    flow.x /= flow.density;
    flow.y /= flow.density;
    return flow;
}

}  // namespace

bool Channel::solid(std::uint64_t x, std::uint64_t y) const {
    double const from_x = static_cast<double>(x) + 0.5 - 0.2 * static_cast<double>(length());
    double const from_y = static_cast<double>(y) + 0.5 - 0.5 * static_cast<double>(height);
    return 4 * (from_x * from_x + from_y * from_y) < diameter(*this) * diameter(*this);
}

double Channel::relaxation() const {
    return 1 / (3 * inflow * diameter(*this) / reynolds + 0.5);
}

Block::Block(Channel const& channel, std::uint32_t number) : channel_(channel) {
    auto const columns = regraft::even_part<regraft::SiteId>(channel.length(), number % per_side, per_side);
    auto const rows = regraft::even_part<regraft::SiteId>(channel.height, number / per_side, per_side);
    x_ = value(columns.first);
    y_ = value(rows.first);
    width_ = columns.size();
    height_ = rows.size();
    now_.resize(num_directions * num_cells());
    solid_.resize(num_cells());
    for (std::uint64_t row = 0; row < height_ + 2; ++row) {
        for (std::uint64_t column = 0; column < width_ + 2; ++column) {
            auto const y = (y_ + row + channel.height - 1) % channel.height;
            auto const c = row * (width_ + 2) + column;
            solid_[c] = static_cast<char>(channel.solid(x_ + column - 1, y));
            regraft::Random random(regraft::mix(channel.seed) + y);
            auto const fluid = equilibrium({1, inflow, 0.01 * inflow * random.unit()});
            for (std::size_t i = 0; i < num_directions; ++i) now_[i * num_cells() + c] = fluid[i];
        }
    }
    next_ = now_;  // what never changes is right in both
}

std::uint32_t Block::neighbour(std::uint32_t number, std::size_t direction) {
    auto const column = static_cast<int>(number % per_side) + dx[direction];
    auto const row = static_cast<int>(number / per_side + per_side) + dy[direction];
    if (column < 0 || column >= static_cast<int>(per_side)) return count;
    return static_cast<std::uint32_t>(row) % per_side * per_side + static_cast<std::uint32_t>(column);
}

std::uint64_t Block::hash() const {
    regraft::ByteWriter inner;
    for (std::size_t i = 0; i < num_directions; ++i) {
        for (std::uint64_t row = 0; row < height_; ++row)
            inner.put_all(std::span(now_).subspan(i * num_cells() + cell(0, row), width_));
    }
    return regraft::hash(inner.bytes());
}

Flow Block::flow(std::uint64_t column, std::uint64_t row) const {
    auto const c = cell(column, row);
    if (solid_[c] != 0) return {};
    Fluid fluid;
    for (std::size_t i = 0; i < num_directions; ++i) fluid[i] = now_[i * num_cells() + c];
    return flow_of(fluid);
}

/// Along a side, fluid moves across it in three directions; at a corner, in one.
void Block::visit_strip(std::size_t direction, bool ring, auto const& visit) const {
    struct Part {
        std::uint64_t first, last;
    };
    auto const part = [ring](int towards, std::uint64_t size) -> Part {  // counted with the ring
        if (towards == 0) return {1, size + 1};
        if (towards > 0) return ring ? Part{0, 1} : Part{size, size + 1};
        return ring ? Part{size + 1, size + 2} : Part{1, 2};
    };
    auto const columns = part(dx[direction], width_);
    auto const rows = part(dy[direction], height_);
    for (std::size_t i = 1; i < num_directions; ++i) {
        if (dx[direction] != 0 && dx[i] != dx[direction]) continue;
        if (dy[direction] != 0 && dy[i] != dy[direction]) continue;
        for (auto row = rows.first; row < rows.last; ++row) {
            for (auto column = columns.first; column < columns.last; ++column)
                visit(i * num_cells() + row * (width_ + 2) + column);
        }
    }
}

std::size_t Block::strip_size(std::size_t direction) const {
    std::size_t size = 0;
    visit_strip(direction, false, [&](std::size_t) { ++size; });
    return size;
}

void Block::pack(std::size_t direction, std::span<double> strip) const {
    auto to = strip.begin();
    visit_strip(direction, false, [&](std::size_t i) { *to++ = now_[i]; });
}

void Block::unpack(std::size_t direction, std::span<double const> strip) {
    auto from = strip.begin();
    visit_strip(direction, true, [&](std::size_t i) { now_[i] = *from++; });
}

/// The fluid that moves into a cell; the cylinder throws back what moved into it.
Block::Fluid Block::arriving(std::uint64_t column, std::uint64_t row) const {
    auto const c = cell(column, row);
    bool const outlet = x_ + column + 1 == channel_.length();
    Fluid fluid;
    for (std::size_t i = 0; i < num_directions; ++i) {
        auto from = c - static_cast<std::size_t>(dy[i] * static_cast<std::int64_t>(width_ + 2) + dx[i]);
        auto along = i;
        if (solid_[from] != 0) {
            from = c;
            along = opposite[i];
        } else if (outlet && dx[i] < 0) {
            from = c - 1;  // out there it is as in the column before
        }
        fluid[i] = now_[along * num_cells() + from];
    }
    return fluid;
}

void Block::step() {
    double const relaxation = channel_.relaxation();
    for (std::uint64_t row = 0; row < height_; ++row) {
        for (std::uint64_t column = 0; column < width_; ++column) {
            auto const c = cell(column, row);
            if (solid_[c] != 0) continue;
            auto fluid = x_ + column == 0 ? equilibrium({1, inflow, 0}) : arriving(column, row);
            auto const rest = equilibrium(flow_of(fluid));
            for (std::size_t i = 0; i < num_directions; ++i)
                next_[i * num_cells() + c] = fluid[i] + relaxation * (rest[i] - fluid[i]);
        }
    }
    std::swap(now_, next_);
}

}  // namespace example
