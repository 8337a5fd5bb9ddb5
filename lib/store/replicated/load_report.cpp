#include "store/replicated/load_report.hpp"

#include <algorithm>
#include <map>

namespace regraft::store {
namespace {

LoadReport report_of_all(load::Plan const& plan, BlockSizes const& sizes) {
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

LoadReport report_of_self(load::Plan const& plan, BlockSizes const& sizes, PeId self) {
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

LoadReport report_of(load::Plan const& plan, BlockSizes const& sizes, std::span<std::uint32_t const> node_of,
                     PeId self) {
    auto report = plan.of == load::Plan::Of::all ? report_of_all(plan, sizes) : report_of_self(plan, sizes, self);
    report.rounds = std::max(report.rounds, report.b);
    bool const of_all = plan.of == load::Plan::Of::all;
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
