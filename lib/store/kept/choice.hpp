// Which of the generations that are left on all nodes is opened, and which PE takes over which files. Pure: the same on
// all members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regraft/core/ids.hpp"
#include "store/kept/manifest.hpp"

namespace regraft::store {

/// A manifest that was found, and whose files are there.
struct Found {
    std::uint32_t site = 0;   // the members that see it
    std::uint64_t owner = 0;  // its file's name is made of owner and number
    std::uint64_t number = 0;
    GenerationId id{};
    std::uint64_t common = 0;  // Common::hash
    std::uint64_t num_blocks = 0;
    std::uint32_t replicas = 0;
    std::uint32_t data = 0, parity = 0;  // of the code; 0: blocks are listed as they are
    std::uint64_t bytes = 0;
    bool agreed = false;  // all members of the generation agreed on it
    std::vector<std::uint64_t> replaces{};
    /// What it lists: ascending, disjoint. With a code also all pieces of the generation that have no bytes.
    std::vector<BlockRange> pieces{};

    /// Appends it as numbers, the first of which is how many they are.
    void append_to(std::vector<std::uint64_t>& words) const;
    /// Reads one back from the begin of words, and removes it there.
    static Found take_from(std::span<std::uint64_t const>& words, std::uint32_t site);
    friend bool operator==(Found const&, Found const&) = default;
};

struct Choice {
    std::vector<std::size_t> manifests;  // positions in what was found
    /// Blocks that none of them has; with a code, the pieces that none of them has and that cannot be rebuilt.
    /// Ascending, disjoint.
    std::vector<BlockRange> lost;
};
/// The newest generation of which every block is there, or can be rebuilt. If there is none, the newest that was agreed
/// on. Nothing if there is no such one, either: then no submit had succeeded.
std::optional<Choice> choose(std::span<Found const> found);

/// The member, as a position among all, that takes over each of the manifests; parallel to them. It is one of their
/// site. Blocks that are in several manifests go to different members as far as possible, then bytes are dealt evenly.
/// site_of: by member.
std::vector<std::size_t> deal(std::span<Found const> found, std::span<std::size_t const> manifests,
                              std::span<std::uint32_t const> site_of);

/// The parts of ranges, which are ascending and disjoint, that are not in `without`.
std::vector<BlockRange> subtract(std::span<BlockRange const> ranges, std::vector<BlockRange> without);

/// Texts that travel as numbers.
void append_text(std::vector<std::uint64_t>& words, std::string const& text);
std::string take_text(std::span<std::uint64_t const>& words);

}  // namespace regraft::store
