#include "store/kept/choice.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/united.hpp"

namespace regraft::store {
namespace {

/// Whether a manifest counts: it is the first that was found of its name, and no other says the same in its place.
std::vector<char> that_count(std::span<Found const> found) {
    std::set<std::pair<std::uint64_t, GenerationId>> replaced;
    for (auto const& manifest : found) {
        for (auto const owner : manifest.replaces) replaced.emplace(owner, manifest.id);
    }
    std::set<std::pair<std::uint64_t, std::uint64_t>> names;
    std::vector<char> counts;
    for (auto const& manifest : found) {
        bool const is_first = names.emplace(manifest.owner, manifest.number).second;
        counts.push_back(is_first && !replaced.contains({manifest.owner, manifest.id}));
    }
    return counts;
}

constexpr std::size_t num_fixed = 17;  // numbers of a manifest before its lists

/// The missing pieces that belong to stripes of which fewer than `data` pieces are there.
std::vector<BlockRange> not_rebuilt(std::span<BlockRange const> missing, std::uint64_t data, std::uint64_t parity) {
    auto const pieces = data + parity;
    std::map<std::uint64_t, std::vector<BlockRange>> by_stripe;
    for (auto range : missing) {
        while (!range.empty()) {
            auto const stripe = value(range.first) / pieces;
            auto const last = std::min(range.last, BlockId{(stripe + 1) * pieces});
            by_stripe[stripe].push_back({range.first, last});
            range.first = last;
        }
    }
    std::vector<BlockRange> lost;
    for (auto const& [stripe, ranges] : by_stripe) {
        std::uint64_t gone = 0;
        for (auto const& range : ranges) gone += range.size();
        if (gone > parity) lost.insert(lost.end(), ranges.begin(), ranges.end());
    }
    return lost;
}

std::uint64_t blocks_in_common(std::span<BlockRange const> a, std::span<BlockRange const> b) {
    std::uint64_t blocks = 0;
    for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
        blocks += intersect(*x, *y).size();
        if (x->last < y->last) {
            ++x;
        } else {
            ++y;
        }
    }
    return blocks;
}

}  // namespace

void Found::append_to(std::vector<std::uint64_t>& words) const {
    auto const begin = words.size();
    words.push_back(0);
    words.insert(words.end(), {owner, number});
    auto const of_id = id.words();
    words.insert(words.end(), of_id.begin(), of_id.end());
    words.insert(words.end(),
                 {common, num_blocks, replicas, data, parity, bytes, std::uint64_t{agreed}, replaces.size()});
    words.insert(words.end(), replaces.begin(), replaces.end());
    for (auto const& piece : pieces) words.insert(words.end(), {value(piece.first), value(piece.last)});
    words[begin] = words.size() - begin;
}

Found Found::take_from(std::span<std::uint64_t const>& words, std::uint32_t site) {
    REGRAFT_EXPECTS(!words.empty() && words[0] >= num_fixed && words[0] <= words.size());
    auto const row = words.first(words[0]);
    words = words.subspan(row.size());
    Found found{.site = site, .owner = row[1], .number = row[2], .id = GenerationId::from(row.subspan(3, 6))};
    found.common = row[9];
    found.num_blocks = row[10];
    found.replicas = checked_cast<std::uint32_t>(row[11]);
    found.data = checked_cast<std::uint32_t>(row[12]);
    found.parity = checked_cast<std::uint32_t>(row[13]);
    found.bytes = row[14];
    found.agreed = row[15] != 0;
    auto const replaces = row.subspan(num_fixed, row[16]);
    found.replaces.assign(replaces.begin(), replaces.end());
    for (auto i = num_fixed + replaces.size(); i + 1 < row.size(); i += 2) {
        found.pieces.push_back({BlockId{row[i]}, BlockId{row[i + 1]}});
    }
    return found;
}

std::optional<Choice> choose(std::span<Found const> found) {
    auto const counts = that_count(found);
    // Manifests of a generation that differ in what they should have in common do not belong together.
    std::map<std::tuple<GenerationId, std::uint64_t, std::uint64_t>, std::vector<std::size_t>, std::greater<>>
        generations;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (counts[i]) generations[{found[i].id, found[i].common, found[i].num_blocks}].push_back(i);
    }
    std::optional<Choice> agreed;
    for (auto& [key, manifests] : generations) {
        std::vector<BlockRange> pieces;
        bool was_agreed = false;
        for (auto const i : manifests) {
            pieces.insert(pieces.end(), found[i].pieces.begin(), found[i].pieces.end());
            was_agreed = was_agreed || found[i].agreed;
        }
        BlockRange const all{BlockId{0}, BlockId{std::get<2>(key)}};
        auto lost = subtract(std::span(&all, 1), std::move(pieces));
        auto const& first = found[manifests.front()];
        if (first.data > 0) lost = not_rebuilt(lost, first.data, first.parity);
        if (lost.empty()) return Choice{std::move(manifests), {}};
        if (was_agreed && !agreed) agreed = Choice{std::move(manifests), std::move(lost)};
    }
    return agreed;
}

std::vector<std::size_t> deal(std::span<Found const> found, std::span<std::size_t const> manifests,
                              std::span<std::uint32_t const> site_of) {
    struct Load {
        std::vector<BlockRange> pieces;
        std::uint64_t bytes = 0;
    };
    std::vector<Load> loads(site_of.size());
    std::vector<std::size_t> order(manifests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return found[manifests[a]].bytes > found[manifests[b]].bytes; });
    std::vector<std::size_t> dealt(manifests.size());
    for (auto const k : order) {
        auto const& manifest = found[manifests[k]];
        std::tuple<std::uint64_t, std::uint64_t, std::size_t> best{-1, -1, site_of.size()};
        for (std::size_t member = 0; member < site_of.size(); ++member) {
            if (site_of[member] != manifest.site) continue;
            auto const& load = loads[member];
            best = std::min(best, {blocks_in_common(load.pieces, manifest.pieces), load.bytes, member});
        }
        dealt[k] = std::get<2>(best);
        REGRAFT_EXPECTS(dealt[k] < site_of.size() && "a member has found it");
        auto& load = loads[dealt[k]];
        load.bytes += manifest.bytes;
        load.pieces.insert(load.pieces.end(), manifest.pieces.begin(), manifest.pieces.end());
        load.pieces = united(std::move(load.pieces));
    }
    return dealt;
}

std::vector<BlockRange> subtract(std::span<BlockRange const> ranges, std::vector<BlockRange> without) {
    auto const gone = united(std::move(without));
    std::vector<BlockRange> result;
    for (auto range : ranges) {
        auto at = std::partition_point(gone.begin(), gone.end(), [&](auto const& g) { return g.last <= range.first; });
        for (; at != gone.end() && at->first < range.last; ++at) {
            if (range.first < at->first) result.push_back({range.first, at->first});
            range.first = std::min(at->last, range.last);
        }
        if (!range.empty()) result.push_back(range);
    }
    return result;
}

void append_text(std::vector<std::uint64_t>& words, std::string const& text) {
    words.push_back(text.size());
    auto const begin = words.size();
    words.resize(begin + (text.size() + 7) / 8);
    std::ranges::copy(std::as_bytes(std::span(text)), std::as_writable_bytes(std::span(words).subspan(begin)).begin());
}

std::string take_text(std::span<std::uint64_t const>& words) {
    auto const size = words[0];
    auto const bytes = std::as_bytes(words.subspan(1, (size + 7) / 8)).first(size);
    words = words.subspan(1 + (size + 7) / 8);
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

}  // namespace regraft::store
