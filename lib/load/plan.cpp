#include "regraft/load/plan.hpp"

#include <algorithm>
#include <utility>

#include "core/seams.hpp"
#include "regraft/core/united.hpp"

namespace regraft::load {
namespace {

class Requests {
public:
    Requests(placement::Directory const& directory, std::span<BlockId const> seams, Plan& plan)
        : directory_(directory), seams_(seams), plan_(plan) {}

    void add(BlockRange blocks, PeId receiver) {
        between_seams(blocks, seams_, [&](BlockRange piece) {
            directory_.visit(piece, [&](placement::Run const& run) {
                plan_.requests.push_back({run.blocks, receiver});
                holders_.push_row(run.holders);
            });
        });
    }
    CsrView<PeId> holders() const { return holders_; }

private:
    placement::Directory const& directory_;
    std::span<BlockId const> seams_;
    Plan& plan_;
    Csr<PeId> holders_;
};

}  // namespace

Plan plan(placement::Directory const& directory, BlockSizes const& sizes, std::span<BlockId const> seams,
          std::span<PeId const> members, CsrView<BlockRange> wanted,
          std::span<schedule::RangeRequest const> to_replace) {
    Plan plan;
    Requests requests(directory, seams, plan);
    for (auto const pe : members) {
        for (auto const& range : wanted[value(pe)]) requests.add(range, pe);
        std::uint64_t offset = 0;
        while (plan.offsets.size() < plan.requests.size()) {
            plan.offsets.push_back(offset);
            offset += sizes.bytes(plan.requests[plan.offsets.size() - 1].blocks);
        }
    }
    plan.num_wanted = plan.requests.size();
    for (auto const& [blocks, holder] : to_replace) requests.add(blocks, holder);
    plan.offsets.resize(plan.requests.size(), 0);
    plan.senders = schedule::choose_range_senders(plan.requests, requests.holders(), sizes, directory.node_of());
    for (auto const i : plan.senders.unservable) {
        if (i < plan.num_wanted) plan.lost.push_back(plan.requests[i].blocks);
    }
    plan.lost = united(std::move(plan.lost));
    return plan;
}

namespace {

/// The number of blocks per run where the range begins, from one or several runs.
double length_of_runs(placement::Directory const& directory, BlockRange range) {
    for (std::uint64_t length = 16;; length *= 2) {
        auto const first = length < range.size() ? BlockRange{range.first, advance(range.first, length)} : range;
        std::uint64_t runs = 0;
        directory.visit(first, [&](placement::Run const&) { ++runs; });
        if (runs > 1 || first == range) return static_cast<double>(first.size()) / static_cast<double>(runs);
    }
}

}  // namespace

bool wants_more_runs(placement::Directory const& directory, std::span<PeId const> members, CsrView<BlockRange> wanted,
                     std::uint64_t than) {
    constexpr std::uint64_t most_sampled = 16;
    std::uint64_t ranges = 0;
    std::uint64_t blocks = 0;
    for (auto const pe : members) {
        for (auto const& range : wanted[value(pe)]) blocks += range.size();
        ranges += wanted[value(pe)].size();
    }
    if (blocks <= than) return false;
    std::uint64_t number = 0;
    double sampled = 0;
    double runs = 0;
    auto const step = std::max<std::uint64_t>(1, ranges / most_sampled);
    for (auto const pe : members) {
        for (auto const& range : wanted[value(pe)]) {
            if (number++ % step != 0 || range.empty()) continue;
            sampled += static_cast<double>(range.size());
            runs += static_cast<double>(range.size()) / length_of_runs(directory, range);
        }
    }
    return sampled == 0 || static_cast<double>(blocks) / sampled * runs > static_cast<double>(than);
}

schedule::LocalSenders senders_alone(placement::Directory const& directory, BlockSizes const& sizes, PeId self,
                                     CsrView<BlockRange> wanted, schedule::LocalRule rule) {
    rule.node_of = directory.node_of();
    auto const held = directory.held(self);
    auto const holders_of = [&](BlockRange blocks, schedule::VisitHolders const& visit) {
        directory.visit(blocks, [&](placement::Run const& run) { visit(run.blocks, run.holders); });
    };
    return schedule::choose_senders_locally(self, wanted, held, holders_of, sizes, rule);
}

Plan plan_alone(placement::Directory const& directory, BlockSizes const& sizes, std::span<BlockId const> seams,
                std::span<PeId const> members, PeId self, CsrView<BlockRange> wanted) {
    Csr<BlockRange> of_members;  // rows of the dead are ignored
    for (auto const pe : members) {
        while (of_members.size() < value(pe)) of_members.end_row();
        of_members.push_row(wanted[value(pe)]);
    }
    while (of_members.size() < wanted.size()) of_members.end_row();
    auto senders = senders_alone(directory, sizes, self, of_members);

    Plan plan;
    plan.of = Plan::Of::self;
    plan.lost = std::move(senders.lost);
    std::uint64_t offset = 0;
    for (auto const& range : wanted[value(self)]) {
        plan.requests.push_back({range, self});
        plan.offsets.push_back(offset);
        offset += sizes.bytes(range);
    }
    plan.num_wanted = plan.requests.size();
    using Transfers = std::vector<schedule::RangeTransfer>;
    auto const cut = [&](Transfers const& transfers, Transfers& pieces) {
        for (auto const& transfer : transfers) {
            between_seams(transfer.blocks, seams, [&](BlockRange piece) {
                pieces.push_back({piece, transfer.sender, transfer.receiver, transfer.request});
            });
        }
    };
    cut(senders.in, plan.senders.transfers);
    cut(senders.out, plan.senders.transfers);
    cut(senders.local, plan.senders.local);
    return plan;
}

schedule::RangeSenders senders_of_all(placement::Directory const& directory, BlockSizes const& sizes,
                                      std::span<PeId const> members, CsrView<BlockRange> wanted,
                                      schedule::LocalRule rule) {
    rule.node_of = directory.node_of();
    schedule::RangeSenders senders;
    std::uint64_t number = 0;
    for (auto const pe : members) {
        for (auto const& range : wanted[value(pe)]) {
            directory.visit(range, [&](placement::Run const& run) {
                if (run.holders.empty()) {
                    senders.unservable.push_back(number);
                } else if (std::binary_search(run.holders.begin(), run.holders.end(), pe)) {
                    senders.local.push_back({run.blocks, pe, pe, number});
                } else {
                    schedule::divide_locally({run.blocks, pe}, run.holders, sizes, rule,
                                             [&](BlockRange part, PeId sender) {
                                                 senders.transfers.push_back({part, sender, pe, number});
                                             });
                }
            });
            ++number;
        }
    }
    return senders;
}

}  // namespace regraft::load
