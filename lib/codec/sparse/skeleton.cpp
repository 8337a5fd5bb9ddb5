#include "codec/sparse/skeleton.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "codec/entropy/adaptive.hpp"
#include "codec/trees/rows_left.hpp"
#include "msa/differences/letters_on_path.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::codec {
namespace {

/// How many children of each kind an inner node has.
using Fork = std::array<std::uint32_t, 3>;

class ForkModel {
public:
    template <class Coder>
    Fork code(Coder& coder, Fork const& fork = {}) {
        Fork result{};
        result[0] = equal_.code(coder, fork[0]);
        result[1] = tips_[std::min(result[0], 3U)].code(coder, fork[1]);
        result[2] = inner_[std::min(std::uint64_t{result[0]} + result[1], std::uint64_t{3})].code(coder, fork[2]);
        return result;
    }

private:
    AdaptiveNumber equal_;
    std::array<AdaptiveNumber, 4> tips_;   // by the number of equal tips
    std::array<AdaptiveNumber, 4> inner_;  // by the number of tips
};

// ---- Rows at the tips

/// The number of tips that follow each other as siblings of the same kind, from a node on.
std::uint32_t group_size(Skeleton const& skeleton, std::uint32_t node) {
    auto last = node;
    while (last < skeleton.num_nodes() && skeleton.kind[last] == skeleton.kind[node] &&
           skeleton.parent[last] == skeleton.parent[node])
        ++last;
    return last - node;
}

/// How the first row of a group is coded: by its distance to the last row, or all rows alike.
enum class FirstRow : std::uint8_t { near = 0, anywhere = 1 };

/// Calls code_row(number of rows left, tips left in its group, whether it is the first of a group) for each tip.
template <class Coder>
class RowOrder {
public:
    RowOrder(Coder& coder, std::uint32_t num_tips, FirstRow first) : coder_(coder), rows_(num_tips), first_(first) {}

    /// row_of_tip: read by an encoder, written by a decoder.
    void code(Skeleton const& skeleton, std::span<std::uint32_t> row_of_tip) {
        std::size_t tip = 0;
        for (std::uint32_t node = 0; node < skeleton.num_nodes();) {
            if (skeleton.kind[node] == NodeKind::inner) {
                ++node;
                continue;
            }
            auto const size = group_size(skeleton, node);
            for (auto left = size; left > 0; --left) code_row(row_of_tip[tip++], left, left == size);
            node += size;
        }
    }

private:
    void code_row(std::uint32_t& row, std::uint32_t left, bool is_first) {
        auto rank = Coder::decodes ? 0 : rows_.rank(row);
        if (is_first && first_ == FirstRow::anywhere) {
            rank = coder_.uniform(rank, rows_.size());
        } else {
            rank = code_near(rank, left, is_first);
        }
        if constexpr (Coder::decodes) {
            if (rank >= rows_.size()) Coder::fail();
            row = rows_.at(rank);
        }
        rows_.remove(row);
        last_ = row;
    }
    /// By the distance to the row before.
    std::uint32_t code_near(std::uint32_t rank, std::uint32_t left, bool is_first) {
        auto const base = rows_.rank(last_);
        if (!is_first) {
            auto const expected = (rows_.size() - base) / (left + 1);
            return base + gaps_[static_cast<std::size_t>(std::bit_width(expected))].code(coder_, rank - base);
        }
        bool const is_later = later_.code(coder_, rank >= base);
        auto const distance = distance_.code(coder_, is_later ? rank - base : base - 1 - rank);
        return is_later ? base + distance : base - 1 - distance;
    }

    Coder& coder_;
    RowsLeft rows_;
    FirstRow first_;
    std::uint32_t last_ = 0;
    AdaptiveBit later_;
    AdaptiveNumber distance_;
    std::array<AdaptiveNumber, 33> gaps_;  // by the order of magnitude that is expected
};

std::vector<std::byte> encode_rows(Skeleton const& skeleton, std::span<std::uint32_t const> row_of_tip,
                                   FirstRow first) {
    std::vector<std::uint32_t> rows(row_of_tip.begin(), row_of_tip.end());
    RangeEncoder coder;
    coder.uniform(static_cast<std::uint32_t>(first), 2);
    RowOrder<RangeEncoder>(coder, static_cast<std::uint32_t>(rows.size()), first).code(skeleton, rows);
    return coder.finish();
}

// ---- Changes

template <class Coder>
class ChangeCoder {
public:
    ChangeCoder(Coder& coder, Skeleton const& skeleton, std::span<std::uint8_t const> reference)
        : coder_(coder),
          reference_(reference),
          letters_(skeleton.parent, reference),
          sites_(static_cast<std::uint32_t>(std::bit_width(reference.size() - 1))),
          last_(reference.size(), {none, none, none, none}) {}

    void go_above(std::uint32_t node) { letters_.go_above(node); }
    /// The number of changes, at least 1.
    std::uint32_t count(NodeKind kind, std::size_t changes) {
        auto& model = kind == NodeKind::inner ? inner_count_ : tip_count_;
        return model.code(coder_, static_cast<std::uint32_t>(changes - 1)) + 1;
    }
    msa::SiteLetter change(msa::SiteLetter const& given) {
        auto const site = sites_.code(coder_, given.site());
        if (Coder::decodes && site >= reference_.size()) RangeDecoder::fail();
        auto const from = letters_.at(site);
        auto const letter = new_letter(site, from, given.letter());
        last_[site][from] = static_cast<std::uint8_t>(letter);
        letters_.change(site, letter);
        return {site, letter};
    }

private:
    static constexpr std::uint8_t none = 4;

    /// The letter to which this one has changed before at the site, else the one of the same kind of base.
    std::uint32_t new_letter(std::uint32_t site, std::uint32_t from, std::uint32_t letter) {
        auto const last = last_[site][from];
        auto const expected = last != none ? last : from ^ 2;
        auto const context = last == none ? 2 : reference_[site] == from ? 0 : 1;
        if (is_expected_[static_cast<std::size_t>(context)].code(coder_, letter == expected)) return expected;
        std::array<std::uint32_t, 2> others{};
        std::size_t found = 0;
        for (std::uint32_t other = 0; other < none; ++other)
            if (other != from && other != expected) others[found++] = other;
        return others[other_[from][expected].code(coder_, letter == others[1]) ? 1 : 0];
    }

    Coder& coder_;
    std::span<std::uint8_t const> reference_;
    msa::LettersOnPath letters_;
    AdaptiveNumber tip_count_;
    AdaptiveNumber inner_count_;
    AdaptiveBits sites_;
    std::vector<std::array<std::uint8_t, 4>> last_;  // per site and old letter: the last new one
    std::array<AdaptiveBit, 3> is_expected_;
    std::array<std::array<AdaptiveBit, 4>, 4> other_;
};

}  // namespace

Skeleton skeleton_of(msa::PlacementTree const& tree) {
    Skeleton skeleton{tree.parent, {}};
    for (std::uint32_t node = 0; node < tree.num_nodes(); ++node)
        skeleton.kind.push_back(!tree.is_tip(node)           ? NodeKind::inner
                                : tree.changes[node].empty() ? NodeKind::equal_tip
                                                             : NodeKind::tip);
    return skeleton;
}

std::vector<std::byte> encode_skeleton(Skeleton const& skeleton) {
    std::vector<Fork> forks(skeleton.num_nodes());
    for (std::uint32_t node = 1; node < skeleton.num_nodes(); ++node)
        ++forks[skeleton.parent[node]][static_cast<std::size_t>(skeleton.kind[node])];
    RangeEncoder coder;
    ForkModel model;
    for (std::uint32_t node = 0; node < skeleton.num_nodes(); ++node)
        if (skeleton.kind[node] == NodeKind::inner) model.code(coder, forks[node]);
    return coder.finish();
}

Skeleton decode_skeleton(std::span<std::byte const> bytes, std::uint32_t num_tips) {
    RangeDecoder coder(bytes);
    ForkModel model;
    Skeleton skeleton;
    std::uint64_t tips = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open{
        {0, 1}};  // nodes, and how many inner children are to come
    while (!open.empty()) {
        if (open.back().second == 0) {
            open.pop_back();
            continue;
        }
        --open.back().second;
        auto const parent = open.back().first;
        auto const node = skeleton.num_nodes();
        auto const fork = model.code(coder);
        tips += std::uint64_t{fork[0]} + fork[1];
        // Every inner node but the root has two children, so there are fewer of them than tips.
        if (tips > num_tips || fork[2] > num_tips || skeleton.num_nodes() > 2 * std::uint64_t{num_tips})
            RangeDecoder::fail();
        auto const add = [&](std::uint32_t above, NodeKind kind, std::uint32_t count) {
            skeleton.parent.insert(skeleton.parent.end(), count, above);
            skeleton.kind.insert(skeleton.kind.end(), count, kind);
        };
        add(parent, NodeKind::inner, 1);
        add(node, NodeKind::equal_tip, fork[0]);
        add(node, NodeKind::tip, fork[1]);
        open.emplace_back(node, fork[2]);
    }
    coder.expect_end();
    if (tips != num_tips) RangeDecoder::fail();
    return skeleton;
}

std::vector<std::byte> encode_rows(Skeleton const& skeleton, std::span<std::uint32_t const> row_of_tip) {
    auto near = encode_rows(skeleton, row_of_tip, FirstRow::near);
    auto anywhere = encode_rows(skeleton, row_of_tip, FirstRow::anywhere);
    return near.size() <= anywhere.size() ? near : anywhere;
}

std::vector<std::uint32_t> decode_rows(Skeleton const& skeleton, std::span<std::byte const> bytes,
                                       std::uint32_t num_tips) {
    RangeDecoder coder(bytes);
    auto const first = static_cast<FirstRow>(coder.uniform(0, 2));
    std::vector<std::uint32_t> rows(num_tips);
    RowOrder<RangeDecoder>(coder, num_tips, first).code(skeleton, rows);
    coder.expect_end();
    return rows;
}

std::vector<std::byte> encode_changes(Skeleton const& skeleton, std::span<std::uint8_t const> reference,
                                      Csr<msa::SiteLetter> const& changes) {
    RangeEncoder coder;
    ChangeCoder<RangeEncoder> changing(coder, skeleton, reference);
    for (std::uint32_t node = 0; node < skeleton.num_nodes(); ++node) {
        changing.go_above(node);
        if (!skeleton.has_changes(node)) continue;
        changing.count(skeleton.kind[node], changes[node].size());
        for (auto const& change : changes[node]) changing.change(change);
    }
    return coder.finish();
}

Csr<msa::SiteLetter> decode_changes(Skeleton const& skeleton, std::span<std::uint8_t const> reference,
                                    std::span<std::byte const> bytes, std::uint64_t most) {
    RangeDecoder coder(bytes);
    ChangeCoder<RangeDecoder> changing(coder, skeleton, reference);
    Csr<msa::SiteLetter> changes;
    for (std::uint32_t node = 0; node < skeleton.num_nodes(); ++node) {
        changing.go_above(node);
        auto const count = skeleton.has_changes(node) ? changing.count(skeleton.kind[node], 1) : 0;
        if (changes.values.size() + count > most) RangeDecoder::fail();
        for (std::uint32_t i = 0; i < count; ++i) changes.push_value(changing.change({}));
        changes.end_row();
    }
    coder.expect_end();
    return changes;
}

}  // namespace regraft::codec
