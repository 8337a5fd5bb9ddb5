// Strong identifiers and half-open ranges of them: the only index and range conventions of regraft.
#pragma once

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "regraft/core/contracts.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// A processing element: a rank of the founding communicator. It is never renumbered, not even after ranks died.
enum class PeId : std::uint32_t {};
/// A storage block of fixed or variable size.
enum class BlockId : std::uint64_t {};
/// A site (column) of an alignment, or a site pattern where the text says so; numbered across partitions.
enum class SiteId : std::uint64_t {};
/// A partition of the sites: a set of sites that share one model.
enum class PartitionId : std::uint32_t {};

template <class T>
concept StrongId = std::is_enum_v<T> && std::unsigned_integral<std::underlying_type_t<T>>;

/// The plain number behind an id, for indexing.
template <StrongId Id>
constexpr std::underlying_type_t<Id> value(Id id) {
    return static_cast<std::underlying_type_t<Id>>(id);
}

/// The id `steps` after `id`.
template <StrongId Id>
constexpr Id advance(Id id, std::uint64_t steps) {
    return static_cast<Id>(value(id) + steps);
}

/// The ids first, ..., last - 1. Empty if first == last; first > last is not a range.
template <StrongId Id>
struct IdRange {
    Id first{};  // the first id
    Id last{};   // one behind the last id

    /// The number of ids.
    constexpr std::uint64_t size() const { return std::uint64_t{value(last)} - value(first); }
    /// Whether there are no ids.
    constexpr bool empty() const { return first == last; }
    /// Whether the id is one of them.
    constexpr bool contains(Id id) const { return first <= id && id < last; }
    friend constexpr auto operator<=>(IdRange const&, IdRange const&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Half-open ranges of blocks.
using BlockRange = IdRange<BlockId>;
/// Half-open ranges of sites.
using SiteRange = IdRange<SiteId>;

/// The ids in both ranges; an empty range if there are none.
template <StrongId Id>
constexpr IdRange<Id> intersect(IdRange<Id> a, IdRange<Id> b) {
    Id const first = std::max(a.first, b.first);
    return {first, std::max(first, std::min(a.last, b.last))};
}

/// Part `index` of `parts` when n things are dealt in order and as evenly as possible: from floor(n * index / parts) to
/// floor(n * (index + 1) / parts). Precondition: index < parts. Exact for n * parts < 2^128.
template <StrongId Id>
constexpr IdRange<Id> even_part(std::uint64_t n, std::uint64_t index, std::uint64_t parts) {
    REGRAFT_EXPECTS(index < parts);
    __extension__ using Wide = unsigned __int128;
    auto const cut = [&](std::uint64_t i) { return static_cast<Id>(static_cast<std::uint64_t>(Wide{n} * i / parts)); };
    return {cut(index), cut(index + 1)};
}

}  // namespace regraft
#pragma GCC visibility pop
