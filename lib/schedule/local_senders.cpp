#include "regraft/schedule/local_senders.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"
#include "regraft/core/united.hpp"
#include "schedule/nearest.hpp"

namespace regraft::schedule {
namespace {

__extension__ using Wide = unsigned __int128;

bool is_among(PeId pe, std::span<PeId const> ascending) {
    return std::binary_search(ascending.begin(), ascending.end(), pe);
}

std::size_t first_holder(RangeRequest const& request, std::size_t num_holders, std::uint64_t seed) {
    auto const hash = mix(mix(mix(seed) + value(request.blocks.first)) + value(request.receiver));
    return static_cast<std::size_t>(Wide{hash} * num_holders >> 64);
}

/// Collects the transfers of which self is the sender.
class Outbox {
public:
    Outbox(PeId self, HoldersOf const& holders_of, BlockSizes const& sizes, LocalRule const& rule,
           std::vector<RangeTransfer>& out)
        : self_(self), holders_of_(holders_of), sizes_(sizes), rule_(rule), out_(out) {}

    /// Adds the transfers of some blocks that self holds and the receiver wants. Precondition: self holds no further
    /// blocks of the wanted range next to them.
    void add(BlockRange blocks, PeId receiver, std::uint64_t request) {
        holders_of_(blocks, [&](BlockRange run, std::span<PeId const> holders) {
            REGRAFT_ASSERT(is_among(self_, holders));
            if (is_among(receiver, holders)) return;
            divide_locally({run, receiver}, holders, sizes_, rule_, [&](BlockRange part, PeId sender) {
                if (sender == self_) out_.push_back({part, self_, receiver, request});
            });
        });
    }

private:
    PeId self_;
    HoldersOf const& holders_of_;
    BlockSizes const& sizes_;
    LocalRule const& rule_;
    std::vector<RangeTransfer>& out_;
};

/// Finds the senders of the blocks that self wants.
void find_senders(PeId self, std::span<BlockRange const> wanted, HoldersOf const& holders_of, BlockSizes const& sizes,
                  LocalRule const& rule, LocalSenders& senders) {
    for (std::uint64_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].empty()) continue;
        holders_of(wanted[i], [&](BlockRange run, std::span<PeId const> holders) {
            if (holders.empty()) {
                senders.lost.push_back(run);
            } else if (is_among(self, holders)) {
                senders.local.push_back({run, self, self, i});
            } else {
                divide_locally({run, self}, holders, sizes, rule, [&](BlockRange part, PeId sender) {
                    senders.in.push_back({part, sender, self, i});
                });
            }
        });
    }
    senders.lost = united(std::move(senders.lost));
}

}  // namespace

void divide_locally(RangeRequest const& request, std::span<PeId const> holders, BlockSizes const& sizes,
                    LocalRule const& rule, std::function<void(BlockRange, PeId)> const& visit) {
    REGRAFT_EXPECTS(!holders.empty() && !request.blocks.empty());
    std::vector<PeId> near;
    if (!rule.node_of.empty()) {
        nearest(request.receiver, holders, rule.node_of, near);
        holders = near;
    }
    auto const bytes = sizes.bytes(request.blocks);
    auto const parts =
        std::clamp<std::uint64_t>(bytes / std::max<std::uint64_t>(1, rule.part_bytes), 1, holders.size());
    auto holder = first_holder(request, holders.size(), rule.seed);
    auto first = request.blocks.first;
    for (std::uint64_t part = 1; part <= parts; ++part) {
        auto const end = static_cast<std::uint64_t>(Wide{bytes} * part / parts);
        auto const last = part == parts ? request.blocks.last : sizes.cut(request.blocks, end);
        if (first != last) visit({first, last}, holders[holder]);
        first = last;
        holder = holder + 1 == holders.size() ? 0 : holder + 1;
    }
}

/// Sender and receiver divide the same runs. A run of blocks with the same holders begins and ends where the receiver's
/// range does, or where the holders change. The blocks that a holder finds both in this range and among its own begin
/// and end only there, too.
LocalSenders choose_senders_locally(PeId self, CsrView<BlockRange> wanted, std::span<BlockRange const> held,
                                    HoldersOf const& holders_of, BlockSizes const& sizes, LocalRule const& rule) {
    LocalSenders senders;
    if (value(self) < wanted.size()) find_senders(self, wanted[value(self)], holders_of, sizes, rule, senders);
    Outbox outbox(self, holders_of, sizes, rule, senders.out);
    for (std::uint32_t pe = 0; pe < wanted.size(); ++pe) {
        if (PeId{pe} == self) continue;
        auto const row = wanted[pe];
        for (std::uint64_t i = 0; i < row.size(); ++i) {
            auto mine = std::partition_point(held.begin(), held.end(),
                                             [&](BlockRange const& range) { return range.last <= row[i].first; });
            for (; mine != held.end() && mine->first < row[i].last; ++mine) {
                if (auto const both = intersect(*mine, row[i]); !both.empty()) outbox.add(both, PeId{pe}, i);
            }
        }
    }
    return senders;
}

}  // namespace regraft::schedule
