// The order of rows at the tips. For every tip the remaining rows are numbered anew, so tip t has one of n - t numbers,
// and often one close to that of the tip before. The distance to it, cyclic and signed, is written with a number of
// bits that varies by at most one (phased-in code), or as a Rice code if the order of rows follows the tree.
#include <algorithm>
#include <bit>
#include <vector>

#include "codec/entropy/bit_stream.hpp"
#include "codec/entropy/rice.hpp"
#include "codec/rgm/rgm_format.hpp"
#include "codec/trees/rows_left.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {
namespace {

/// The leading number that says that no bits follow: rows are at the tips in order.
constexpr std::uint32_t in_order = 0;
/// The leading number for phased-in codes of all distances.
constexpr std::uint32_t uniform = 1;
/// The leading number for Rice codes; what it exceeds this by is the number of low bits.
constexpr std::uint32_t rice = 2;

// Distances on a circle of n numbers are coded as those after and before 0 in turn: 0 1 -1 2 -2 ...

std::uint32_t to_distance(std::uint32_t number, std::uint32_t n) {
    if (number == 0) return 0;
    auto const backwards = n - number;
    return number <= backwards ? 2 * number - 1 : 2 * backwards;
}

std::uint32_t from_distance(std::uint32_t distance, std::uint32_t n) {
    if (distance == 0) return 0;
    return distance % 2 != 0 ? distance / 2 + 1 : n - distance / 2;
}

/// Per tip, the distance of its row to that of the tip before; it is less than the number of remaining rows.
std::vector<std::uint32_t> distances_of(std::span<std::uint32_t const> row_of_tip) {
    RowsLeft rows(static_cast<std::uint32_t>(row_of_tip.size()));
    std::vector<std::uint32_t> distances;
    std::uint32_t expected = 0;  // the present number of the row behind the last one
    for (auto const row : row_of_tip) {
        auto const rank = rows.rank(row);
        auto const n = rows.size();
        distances.push_back(to_distance((rank + n - expected % n) % n, n));
        rows.remove(row);
        expected = rank;
    }
    return distances;
}

/// A phased-in code for numbers below n: the first ones take a bit less than the others.
struct PhasedIn {
    explicit PhasedIn(std::uint32_t n)
        : bits(static_cast<std::uint32_t>(std::bit_width(n)) - 1), num_short((std::uint32_t{2} << bits) - n) {}
    std::uint32_t bits;
    std::uint32_t num_short;  // the first num_short numbers have `bits` bits, the others one more
};

void put_phased_in(BitWriter& out, std::uint32_t number, std::uint32_t n) {
    PhasedIn const code(n);
    if (number < code.num_short) return out.put(number, code.bits);
    // The high bits come first, because they tell whether another one follows.
    auto const coded = number + code.num_short;
    out.put(coded / 2, code.bits);
    out.put(coded % 2, 1);
}

std::uint32_t get_phased_in(BitReader& in, std::uint32_t n) {
    PhasedIn const code(n);
    auto const number = static_cast<std::uint32_t>(in.get(code.bits));
    if (number < code.num_short) return number;
    return 2 * number + static_cast<std::uint32_t>(in.get(1)) - code.num_short;
}

std::vector<std::byte> encode_uniform(std::span<std::uint32_t const> distances) {
    BitWriter out;
    auto left = static_cast<std::uint32_t>(distances.size());
    for (auto const distance : distances) put_phased_in(out, distance, left--);
    return out.take();
}

std::vector<std::byte> encode_rice(std::span<std::uint32_t const> distances, std::uint32_t low_bits) {
    BitWriter out;
    for (auto const distance : distances) put_rice(out, distance, low_bits);
    return out.take();
}

std::uint32_t next_distance(BitReader& in, std::uint32_t way, std::uint32_t n) {
    if (way == in_order) return 0;
    if (way == uniform) return get_phased_in(in, n);
    return static_cast<std::uint32_t>(get_rice(in, way - rice, n - 1));
}

}  // namespace

std::vector<std::byte> encode_row_order(std::span<std::uint32_t const> row_of_tip) {
    auto const distances = distances_of(row_of_tip);
    FormatWriter out;
    if (std::ranges::all_of(distances, [](auto distance) { return distance == 0; })) {
        out.fixed(in_order, 1);
        return out.take();
    }
    auto const low_bits = best_rice_bits(std::span<std::uint32_t const>(distances));
    auto const with_rice = encode_rice(distances, low_bits);
    auto const phased_in = encode_uniform(distances);
    bool const takes_rice = with_rice.size() < phased_in.size();
    out.fixed(takes_rice ? rice + low_bits : uniform, 1);
    out.append(takes_rice ? with_rice : phased_in);
    return out.take();
}

std::vector<std::uint32_t> decode_row_order(std::span<std::byte const> section, std::uint64_t num_taxa) {
    FormatReader coding(section);
    auto const way = static_cast<std::uint32_t>(coding.fixed(1));
    if (way > rice + max_rice_bits) throw InputError("the order of rows is coded in an unknown way");
    BitReader in(coding.rest());
    RowsLeft rows(static_cast<std::uint32_t>(num_taxa));
    std::vector<std::uint32_t> row_of_tip;
    std::uint32_t expected = 0;
    for (auto n = rows.size(); n > 0; --n) {
        auto const distance = next_distance(in, way, n);
        auto const rank = static_cast<std::uint32_t>((std::uint64_t{expected % n} + from_distance(distance, n)) % n);
        row_of_tip.push_back(rows.at(rank));
        rows.remove(row_of_tip.back());
        expected = rank;
    }
    if (!in.rest().empty()) throw InputError("something follows the order of rows");
    return row_of_tip;
}

}  // namespace regraft::codec
