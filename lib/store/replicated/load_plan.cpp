#include "store/replicated/load_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "regraft/core/united.hpp"
#include "store/blocks/traffic.hpp"
#include "store/replicated/local_load_plan.hpp"

namespace regraft::store {
namespace {

class Requests {
public:
    Requests(placement::Directory const& directory, std::span<BlockId const> seams, LoadPlan& plan)
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
    LoadPlan& plan_;
    Csr<PeId> holders_;
};

}  // namespace

LoadPlan plan_load(placement::Directory const& directory, BlockSizes const& sizes, std::span<BlockId const> seams,
                   std::span<PeId const> members, CsrView<BlockRange> wanted, std::span<Damage const> to_replace) {
    LoadPlan plan;
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
    for (auto const& damage : to_replace) requests.add(damage.blocks, damage.holder);
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

LoadPlan plan_load_alone(placement::Directory const& directory, BlockSizes const& sizes, std::span<BlockId const> seams,
                         std::span<PeId const> members, PeId self, CsrView<BlockRange> wanted) {
    Csr<BlockRange> of_members;  // rows of the dead are ignored
    for (auto const pe : members) {
        while (of_members.size() < value(pe)) of_members.end_row();
        of_members.push_row(wanted[value(pe)]);
    }
    while (of_members.size() < wanted.size()) of_members.end_row();
    auto senders = plan_load_locally(directory, sizes, self, of_members);

    LoadPlan plan;
    plan.of = LoadPlan::Of::self;
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

namespace {

LoadReport report_of_all(LoadPlan const& plan, BlockSizes const& sizes) {
    LoadReport report;
    std::map<PeId, std::uint64_t> sent, received;
    for (auto const& [blocks, sender, receiver, request] : plan.senders.transfers) {
        report.b = std::max(report.b, sent[sender] += blocks.size());
        report.rounds = std::max(report.rounds, received[receiver] += blocks.size());
        report.blocks_moved += blocks.size();
        report.bytes_moved += sizes.bytes(blocks);
    }
    report.most_sent = plan.senders.most_sent;
    report.most_sent_bound = plan.senders.most_sent_bound;
    report.most_received = plan.senders.most_received;
    return report;
}

LoadReport report_of_self(LoadPlan const& plan, BlockSizes const& sizes, PeId self) {
    LoadReport report;
    for (auto const& [blocks, sender, receiver, request] : plan.senders.transfers) {
        if (sender == self) {
            report.b += blocks.size();
            report.most_sent += sizes.bytes(blocks);
        } else {
            report.rounds += blocks.size();
            report.most_received += sizes.bytes(blocks);
        }
    }
    report.blocks_moved = report.b;
    report.bytes_moved = report.most_sent;
    return report;
}

}  // namespace

LoadReport report_of(LoadPlan const& plan, BlockSizes const& sizes, std::span<std::uint32_t const> node_of, PeId self) {
    auto report = plan.of == LoadPlan::Of::all ? report_of_all(plan, sizes) : report_of_self(plan, sizes, self);
    report.rounds = std::max(report.rounds, report.b);
    bool const of_all = plan.of == LoadPlan::Of::all;
    for (auto const& [blocks, sender, receiver, request] : plan.senders.transfers) {
        if (receiver == self) report.bytes_received += sizes.bytes(blocks);
        bool const counts = (of_all || sender == self) && !node_of.empty();
        if (counts && node_of[value(sender)] != node_of[value(receiver)])
            report.bytes_between_nodes += sizes.bytes(blocks);
    }
    for (auto const& transfer : plan.senders.local) {
        if (transfer.receiver == self) report.bytes_local += sizes.bytes(transfer.blocks);
    }
    report.lost = plan.lost;
    return report;
}

}  // namespace regraft::store
