// What a replicated store must give back, by bookkeeping of the simplest kind: a list of living holders for each block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/core/random.hpp"
#include "regraft/placement/placement.hpp"
#include "regraft/repair/plan.hpp"
#include "regraft/store/replicated_store.hpp"
#include "support/store/blocks.hpp"

namespace regraft::test {

/// Blocks whose sizes and bytes follow from a salt, so that two submissions never look alike.
class Content {
public:
    enum class Sizes { fixed, variable };

    Content() = default;
    /// Blocks of exactly block_bytes, or of up to as many with some empty ones among them.
    Content(std::uint64_t salt, std::uint64_t num_blocks, Sizes sizes, std::size_t block_bytes)
        : salt_(mix(salt)), sizes_(sizes), block_bytes_(block_bytes) {
        for (std::uint64_t id = 0; id < num_blocks; ++id) {
            auto const drawn = mix(salt_ + id);
            auto const variable = drawn % 5 == 0 ? 0 : drawn / 5 % (block_bytes + 1);
            begins_.push_back(begins_.back() + (sizes == Sizes::fixed ? block_bytes : variable));
        }
    }

    /// Blocks of the same sizes with other bytes.
    Content with_other_bytes() const {
        auto other = *this;
        other.salt_ = mix(salt_ + 1);
        return other;
    }

    /// The same, but only in these blocks.
    Content with_other_bytes_in(std::span<BlockRange const> ranges, std::uint64_t salt) const {
        auto other = *this;
        for (auto const& range : ranges) {
            for (auto id = value(range.first); id < value(range.last); ++id) other.changed_[id] = mix(salt_ + salt);
        }
        return other;
    }

    std::uint64_t num_blocks() const { return begins_.size() - 1; }
    Sizes sizes() const { return sizes_; }
    std::size_t block_bytes() const { return block_bytes_; }
    BlockRange everything() const { return {BlockId{0}, BlockId{num_blocks()}}; }
    std::uint64_t bytes(BlockRange range) const { return begins_[value(range.last)] - begins_[value(range.first)]; }
    std::byte byte(BlockId id, std::size_t offset) const {
        auto const changed = changed_.find(value(id));
        auto const salt = changed == changed_.end() ? salt_ : changed->second;
        return block_byte(BlockId{(value(id) + salt) % 0x10000000000}, offset);
    }

    /// A range as rows, one per block.
    Csr<std::byte> rows(BlockRange range) const {
        Csr<std::byte> blocks;
        for (auto id = range.first; id < range.last; id = advance(id, 1)) {
            for (std::size_t i = 0; i < bytes({id, advance(id, 1)}); ++i) blocks.push_value(byte(id, i));
            blocks.end_row();
        }
        return blocks;
    }

private:
    std::uint64_t salt_ = 0;
    Sizes sizes_ = Sizes::fixed;
    std::size_t block_bytes_ = 0;
    std::vector<std::uint64_t> begins_{0};
    std::map<std::uint64_t, std::uint64_t> changed_;  // the salts of blocks that have another one
};

/// What is submitted: it must outlive a store that keeps it by reference.
struct Submission {
    Submission(Content const& content, BlockRange range) : mine(range), blocks(content.rows(range)) {}
    void to(store::ReplicatedStore& store, placement::Any const& placement, Content const& content) const {
        if (content.sizes() == Content::Sizes::fixed) {
            store.submit(placement, mine, blocks.values, content.block_bytes());
        } else {
            store.submit(placement, mine, CsrView<std::byte>(blocks));
        }
    }
    BlockRange mine;
    Csr<std::byte> blocks;
};

/// Blocks as ascending disjoint ranges that do not touch.
inline std::vector<BlockRange> as_ranges(std::vector<bool> const& chosen) {
    std::vector<BlockRange> ranges;
    for (std::uint64_t id = 0; id < chosen.size(); ++id) {
        if (!chosen[id]) continue;
        if (id == 0 || !chosen[id - 1]) ranges.push_back({BlockId{id}, BlockId{id}});
        ranges.back().last = BlockId{id + 1};
    }
    return ranges;
}

inline std::string to_string(std::span<BlockRange const> ranges) {
    std::ostringstream text;
    for (auto const& range : ranges) text << " [" << value(range.first) << ", " << value(range.last) << ')';
    return ranges.empty() ? " none" : text.str();
}

/// A hash of the parts of a report that are the same on all members.
inline std::uint64_t hash_of_uniform(store::LoadReport const& report) {
    ByteWriter bytes;
    bytes.put_all(std::span(report.lost));
    for (auto const& damage : report.damaged) {
        bytes.put(damage.blocks);
        bytes.put(damage.holder);
    }
    for (auto const number : {report.b, report.rounds, report.blocks_moved, report.bytes_moved, report.most_sent,
                              report.most_sent_bound, report.most_received}) {
        bytes.put(number);
    }
    return hash(bytes.bytes());
}

/// The bytes in the places of lost blocks.
enum class LostPlaces { untouched, read_again, anything };

/// What the current version of a store must be. check... and apply return what is wrong; empty: nothing.
class StoreModel {
public:
    /// A submit has succeeded among these members.
    void submitted(placement::Any const& placement, std::span<PeId const> members, Content content) {
        content_ = std::move(content);
        replicas_ = placement.shape().replicas;
        exact_ = true;
        holders_.assign(content_.num_blocks(), {});
        for (std::uint64_t id = 0; id < holders_.size(); ++id) {
            for (std::uint32_t copy = 0; copy < placement.num_copies(BlockId{id}); ++copy) {
                holders_[id].push_back(members[value(placement.holder(BlockId{id}, copy))]);
            }
            std::sort(holders_[id].begin(), holders_[id].end());
        }
    }

    /// An update has succeeded among these members; row i is what member i has given.
    void updated(Csr<BlockRange> const& given, std::span<PeId const> members, Content content) {
        content_ = std::move(content);
        for (std::size_t i = 0; i < given.size(); ++i) {
            for (auto const& range : CsrView<BlockRange>(given)[i]) {
                for (auto id = value(range.first); id < value(range.last); ++id) {
                    if (holders_[id].empty()) holders_[id].push_back(members[i]);
                }
            }
        }
    }
    /// What an update reports among these members.
    store::UpdateReport report_of(Csr<BlockRange> const& given, std::span<PeId const> members) const {
        store::UpdateReport report{.regained = lost_of(given.values)};
        for (std::size_t i = 0; i < given.size(); ++i) {
            for (auto const& range : CsrView<BlockRange>(given)[i]) {
                report.blocks_changed += range.size();
                report.bytes_changed += content_.bytes(range);
                for (auto id = range.first; id < range.last; id = advance(id, 1)) {
                    auto const others = std::ranges::count_if(holders(id), [&](PeId pe) { return pe != members[i]; });
                    report.bytes_moved += bytes_of(id) * static_cast<std::uint64_t>(others);
                }
            }
        }
        return report;
    }

    /// Only these live.
    void retain(std::span<PeId const> members) {
        for (auto& pes : holders_) {
            std::erase_if(pes, [&](PeId pe) { return !std::binary_search(members.begin(), members.end(), pe); });
        }
    }

    /// A repair failed, and it is not known whether it was carried out: blocks may have more holders than known.
    void repaired_perhaps() { exact_ = false; }

    /// A repair without limits of room has succeeded among these members. replicas: 0 means as many as submitted.
    std::string apply(repair::Plan const& plan, std::span<PeId const> members, std::uint32_t replicas = 0) {
        for (auto const& step : plan.steps) {
            for (auto const& copy : step.copies) {
                if (auto wrong = apply(copy, members); !wrong.empty()) return wrong;
            }
            for (auto const& drop : step.drops) {
                if (auto wrong = apply(drop); !wrong.empty()) return wrong;
            }
        }
        return exact_ ? check_copies(plan, std::min<std::size_t>(replicas == 0 ? replicas_ : replicas, members.size()))
                      : "";
    }

    Content const& content() const { return content_; }
    bool exact() const { return exact_; }
    std::span<PeId const> holders(BlockId id) const { return holders_[value(id)]; }

    /// The blocks in the ranges that no member holds.
    std::vector<BlockRange> lost_of(std::span<BlockRange const> wanted) const {
        std::vector<bool> lost(holders_.size(), false);
        for (auto const& range : wanted) {
            for (auto id = value(range.first); id < value(range.last); ++id) lost[id] = holders_[id].empty();
        }
        return as_ranges(lost);
    }

    /// How many bytes of blocks a PE must keep.
    std::uint64_t bytes_held(PeId pe) const {
        std::uint64_t bytes = 0;
        for (std::uint64_t id = 0; id < holders_.size(); ++id) {
            if (std::binary_search(holders_[id].begin(), holders_[id].end(), pe)) bytes += bytes_of(BlockId{id});
        }
        return bytes;
    }

    /// How many bytes a load of the ranges writes, lost blocks included.
    std::uint64_t bytes_of(std::span<BlockRange const> wanted) const {
        std::uint64_t bytes = 0;
        for (auto const& range : wanted) bytes += content_.bytes(range);
        return bytes;
    }

    /// How many of these bytes belong to blocks that the report says are lost.
    std::uint64_t bytes_of_lost(store::LoadReport const& report, std::span<BlockRange const> wanted) const {
        std::uint64_t bytes = 0;
        for (auto const& range : wanted) {
            for (auto const& lost : report.lost) {
                auto const both = intersect(range, lost);
                if (!both.empty()) bytes += content_.bytes(both);
            }
        }
        return bytes;
    }

    /// Checks a load into out, which was filled with `untouched` before: what the store says is lost, wanted by this
    /// PE, wanted by all together.
    std::string check(std::span<BlockRange const> said, std::span<BlockRange const> wanted,
                      std::span<BlockRange const> wanted_by_all, std::span<std::byte const> out,
                      LostPlaces places = LostPlaces::untouched) const {
        auto const lost = lost_of(wanted_by_all);
        if (exact_ && !std::equal(said.begin(), said.end(), lost.begin(), lost.end())) {
            return "lost:" + to_string(said) + ", should be:" + to_string(lost);
        }
        std::vector<bool> reported(holders_.size(), false);
        for (auto const& range : said) {
            for (auto id = value(range.first); id < value(range.last); ++id) {
                if (!holders_[id].empty()) return "lost: block " + std::to_string(id) + ", which somebody holds";
                reported[id] = true;
            }
        }
        return check_bytes(wanted, reported, out, places);
    }
    std::string check(store::LoadReport const& report, std::span<BlockRange const> wanted,
                      std::span<BlockRange const> wanted_by_all, std::span<std::byte const> out) const {
        return check(report.lost, wanted, wanted_by_all, out);
    }

    static constexpr auto untouched = std::byte{0xee};

private:
    std::uint64_t bytes_of(BlockId id) const { return content_.bytes({id, advance(id, 1)}); }

    std::string check_bytes(std::span<BlockRange const> wanted, std::vector<bool> const& lost,
                            std::span<std::byte const> out, LostPlaces places) const {
        if (out.size() != bytes_of(wanted)) return "a buffer of the wrong size";
        std::size_t next = 0;
        for (auto const& range : wanted) {
            for (auto id = range.first; id < range.last; id = advance(id, 1)) {
                for (std::size_t offset = 0; offset < bytes_of(id); ++offset, ++next) {
                    if (lost[value(id)] && places == LostPlaces::anything) continue;
                    bool const left = lost[value(id)] && places == LostPlaces::untouched;
                    auto const right = left ? untouched : content_.byte(id, offset);
                    if (out[next] == right) continue;
                    return "wrong byte " + std::to_string(offset) + " of block " + std::to_string(value(id)) +
                           (lost[value(id)] ? ", which is lost" : "");
                }
            }
        }
        return "";
    }

    std::string apply(repair::Copy const& copy, std::span<PeId const> members) {
        auto const living = [&](PeId pe) { return std::binary_search(members.begin(), members.end(), pe); };
        if (!living(copy.sender) || !living(copy.receiver)) return "a copy from or to the dead";
        for (auto id = copy.blocks.first; id < copy.blocks.last; id = advance(id, 1)) {
            auto& pes = holders_.at(value(id));
            if (exact_ && !std::binary_search(pes.begin(), pes.end(), copy.sender)) {
                return "block " + std::to_string(value(id)) + " copied from a PE that does not hold it";
            }
            auto const place = std::lower_bound(pes.begin(), pes.end(), copy.receiver);
            if (place != pes.end() && *place == copy.receiver) {
                return "block " + std::to_string(value(id)) + " copied to a PE that holds it";
            }
            pes.insert(place, copy.receiver);
        }
        return "";
    }

    std::string apply(repair::Drop const& drop) {
        for (auto id = drop.blocks.first; id < drop.blocks.last; id = advance(id, 1)) {
            auto const dropped = std::erase(holders_.at(value(id)), drop.holder);
            if (exact_ && dropped != 1)
                return "block " + std::to_string(value(id)) + " dropped by another than a holder";
        }
        return "";
    }

    std::string check_copies(repair::Plan const& plan, std::size_t wanted) const {
        auto const all = content_.everything();
        auto const lost = lost_of(std::span(&all, 1));
        if (plan.lost != lost) return "repair lost:" + to_string(plan.lost) + ", should be:" + to_string(lost);
        for (std::uint64_t id = 0; id < holders_.size(); ++id) {
            if (!holders_[id].empty() && holders_[id].size() < wanted) {
                return "block " + std::to_string(id) + " has " + std::to_string(holders_[id].size()) +
                       " copies after repair, not " + std::to_string(wanted);
            }
        }
        return "";
    }

    Content content_;
    std::uint32_t replicas_ = 0;
    bool exact_ = true;
    std::vector<std::vector<PeId>> holders_;
};

}  // namespace regraft::test
