#include "repair/pieces.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/random.hpp"

namespace regraft::repair {

bool contains(MemberSet const& set, Member member) {
    return std::binary_search(set.begin(), set.end(), member);
}

void insert(MemberSet& set, Member member) {
    auto const place = std::lower_bound(set.begin(), set.end(), member);
    if (place == set.end() || *place != member) set.insert(place, member);
}

void erase(MemberSet& set, Member member) {
    set.erase(std::remove(set.begin(), set.end(), member), set.end());
}

Shares::iterator place_of(Shares& shares, Member member) {
    return std::lower_bound(shares.begin(), shares.end(), member,
                            [](Share const& share, Member m) { return share.member < m; });
}

std::uint64_t Units::fitting(std::uint64_t bytes) const {
    if (!sizes_->equal()) return bytes;
    auto const each = sizes_->num_blocks() == 0 ? 0 : sizes_->bytes(BlockId{0});
    return each == 0 ? std::numeric_limits<std::uint64_t>::max() : bytes / each;
}

BlockId Units::cut(BlockRange blocks, std::uint64_t units) const {
    if (!sizes_->equal()) return sizes_->cut(blocks, units);
    return advance(blocks.first, std::min(units, blocks.size()));
}

BlockId Units::cut_below(BlockRange blocks, std::uint64_t bytes) const {
    auto const cut = sizes_->cut(blocks, bytes);
    return sizes_->bytes({blocks.first, cut}) <= bytes ? cut : BlockId{value(cut) - 1};
}

namespace {

struct SetHash {
    std::size_t operator()(MemberSet const& set) const {
        std::uint64_t hash = set.size();
        for (auto const member : set) hash = mix(hash + member);
        return hash;
    }
};

}  // namespace

std::vector<Group> groups_of(std::span<PlannedBlocks const> pieces, std::span<std::uint32_t const> which,
                             MemberSet PlannedBlocks::*set, Units const& units) {
    std::vector<std::uint32_t> order(which.begin(), which.end());
    auto const by_blocks = [&](auto i, auto j) { return pieces[i].blocks < pieces[j].blocks; };
    if (!std::is_sorted(order.begin(), order.end(), by_blocks)) std::sort(order.begin(), order.end(), by_blocks);
    std::vector<Group> groups;
    std::unordered_map<MemberSet, std::size_t, SetHash> group_of;
    for (auto const i : order) {
        auto const [at, is_new] = group_of.try_emplace(pieces[i].*set, groups.size());
        if (is_new) groups.emplace_back().holders = pieces[i].*set;
        auto& group = groups[at->second];
        group.pieces.push_back(i);
        group.units += units.of(pieces[i].blocks);
    }
    return groups;
}

namespace {

/// Room in place for a group of one piece.
template <class T>
using Few = boost::container::small_vector<T, 8>;

/// The blocks of a group's pieces, numbered one behind the other.
class Line {
public:
    Line(Group const& group, Units const& units, std::span<PlannedBlocks const> pieces)
        : units_(units), length_(group.units) {
        for (auto const i : group.pieces) {
            auto const blocks = pieces[i].blocks;
            blocks_.push_back(blocks);
            begin_.push_back(begin_.back() + units.of(blocks));
            number_.push_back(number_.back() + blocks.size());
        }
    }
    std::uint64_t length() const { return length_; }
    std::uint64_t num_blocks() const { return number_.back(); }
    /// The number of the first block behind the cut that is nearest to `at` units.
    std::uint64_t cut(std::uint64_t at) const {
        if (at == 0) return 0;
        if (at == length_) return num_blocks();
        auto const piece =
            static_cast<std::size_t>(std::upper_bound(begin_.begin(), begin_.end(), at) - begin_.begin()) - 1;
        return number_[piece] + value(units_.cut(blocks_[piece], at - begin_[piece])) - value(blocks_[piece].first);
    }
    /// The number of a piece's first block.
    std::uint64_t number(std::size_t piece) const { return number_[piece]; }

private:
    Units const& units_;
    std::uint64_t length_;
    Few<BlockRange> blocks_;
    Few<std::uint64_t> begin_{0};
    Few<std::uint64_t> number_{0};
};

/// Blocks that a member gets or gives up, by number, half-open.
struct Stretch {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    Member member = 0;
    enum class Kind { added, removed } kind = Kind::added;
};

void lay(Shares const& shares, Stretch::Kind kind, Line const& line, Few<Stretch>& stretches) {
    std::uint64_t at = 0;
    for (auto const& [member, units] : shares) {
        for (auto rest = units; rest > 0;) {
            auto const taken = std::min(rest, line.length() - at);
            stretches.push_back({line.cut(at), line.cut(at + taken), member, kind});
            rest -= taken;
            at = at + taken == line.length() ? 0 : at + taken;
        }
    }
}

}  // namespace

void apply(Group const& group, Change const& change, Units const& units, std::vector<PlannedBlocks>& pieces) {
    Line const line(group, units, pieces);
    Few<Stretch> stretches;
    lay(change.added, Stretch::Kind::added, line, stretches);
    lay(change.removed, Stretch::Kind::removed, line, stretches);
    Few<std::uint64_t> cuts{0, line.num_blocks()};
    for (std::size_t i = 0; i < group.pieces.size(); ++i) cuts.push_back(line.number(i));
    for (auto const& stretch : stretches) {
        cuts.push_back(stretch.first);
        cuts.push_back(stretch.last);
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

    // parts[c]: the piece with the blocks from cuts[c] on.
    Few<std::uint32_t> parts;
    std::size_t piece = 0;
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
        while (line.number(piece + 1) <= cuts[c]) ++piece;
        auto const place = group.pieces[piece];
        if (cuts[c] == line.number(piece)) {
            parts.push_back(place);
            continue;
        }
        // The blocks from the cut on leave the part before.
        auto const cut = advance(pieces[parts.back()].blocks.first, cuts[c] - cuts[c - 1]);
        auto rest = pieces[parts.back()];
        rest.blocks.first = cut;
        pieces[parts.back()].blocks.last = cut;
        parts.push_back(checked_cast<std::uint32_t>(pieces.size()));
        pieces.push_back(std::move(rest));
    }
    for (auto const& stretch : stretches) {
        auto c = static_cast<std::size_t>(std::lower_bound(cuts.begin(), cuts.end(), stretch.first) - cuts.begin());
        for (; cuts[c] < stretch.last; ++c) {
            auto& after = pieces[parts[c]].after;
            stretch.kind == Stretch::Kind::added ? insert(after, stretch.member) : erase(after, stretch.member);
        }
    }
}

}  // namespace regraft::repair
