#include "store/load_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "regraft/core/united.hpp"
#include "store/traffic.hpp"

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
    plan.senders = schedule::choose_range_senders(plan.requests, requests.holders(), sizes);
    return plan;
}

LoadReport report_of(LoadPlan const& plan, BlockSizes const& sizes, PeId self) {
    LoadReport report;
    std::map<PeId, std::uint64_t> sent, received;
    for (auto const& [blocks, sender, receiver, request] : plan.senders.transfers) {
        report.b = std::max(report.b, sent[sender] += blocks.size());
        report.rounds = std::max(report.rounds, received[receiver] += blocks.size());
        report.blocks_moved += blocks.size();
        report.bytes_moved += sizes.bytes(blocks);
        if (receiver == self) report.bytes_received += sizes.bytes(blocks);
    }
    report.rounds = std::max(report.rounds, report.b);
    for (auto const& transfer : plan.senders.local) {
        if (transfer.receiver == self) report.bytes_local += sizes.bytes(transfer.blocks);
    }
    report.most_sent = plan.senders.most_sent;
    report.most_sent_bound = plan.senders.most_sent_bound;
    report.most_received = plan.senders.most_received;
    std::vector<BlockRange> lost;
    for (auto const i : plan.senders.unservable) {
        if (i < plan.num_wanted) lost.push_back(plan.requests[i].blocks);
    }
    report.lost = united(std::move(lost));
    return report;
}

}  // namespace regraft::store
