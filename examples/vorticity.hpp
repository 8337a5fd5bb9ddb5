// A picture of the vorticity in the channel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "flow.hpp"
#include "halo.hpp"
#include "picture.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/ft/collectives.hpp"
#include "regraft/ft/communicator.hpp"

namespace example {

using namespace regraft;

struct Velocity {
    float x, y;
};

/// The flow in all cells, row by row, on the rank that leads; nothing on the others. Collective.
inline std::vector<Velocity> velocities(ft::Communicator& comm, Channel const& channel, Blocks const& blocks) {
    ByteWriter mine;
    for (auto const& [number, block] : blocks) {
        std::vector<Velocity> cells(block.width());
        for (std::uint64_t row = 0; row < block.height(); ++row) {
            for (std::uint64_t column = 0; column < block.width(); ++column) {
                auto const flow = block.flow(column, row);
                cells[column] = {static_cast<float>(flow.x), static_cast<float>(flow.y)};
            }
            mine.put((block.y() + row) * channel.length() + block.x());
            mine.put_all(std::span<Velocity const>(cells));
        }
    }
    auto const everybodys = ft::gather(comm, mine.bytes(), comm.members().front());
    std::vector<Velocity> all(comm.leads() ? channel.length() * channel.height : 0);
    for (ByteReader reader(everybodys.values); !reader.empty();) {
        auto const first = reader.get<std::uint64_t>();
        std::ranges::copy(reader.get_all<Velocity>(), all.begin() + static_cast<std::ptrdiff_t>(first));
    }
    return all;
}

/// Draws the vorticity: red where fluid turns left, blue where it turns right.
inline std::string draw(Channel const& channel, std::vector<Velocity> const& cells) {
    auto const length = channel.length();
    std::vector<std::uint8_t> pixels(cells.size(), 128);
    for (std::uint64_t y = 1; y + 1 < channel.height; ++y) {
        for (std::uint64_t x = 1; x + 1 < length; ++x) {
            auto const* const at = &cells[y * length + x];
            float const turn = at[1].y - at[-1].y - (at + length)->x + (at - length)->x;
            float const shade = 128 + 20 * static_cast<float>(channel.height) * turn;
            pixels[(channel.height - 1 - y) * length + x] = static_cast<std::uint8_t>(std::clamp(shade, 0.F, 255.F));
        }
    }
    return png(pixels, static_cast<std::uint32_t>(length), blue_white_red());
}

}  // namespace example
