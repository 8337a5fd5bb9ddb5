// Re-derives everything an HRelation promises; shares no code with the solver.
#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <tuple>

#include "regraft/core/contracts.hpp"
#include "regraft/schedule/h_relation.hpp"

namespace regraft::schedule {
namespace {

bool less(Request const& a, Request const& b) {
    return std::tuple(a.block, a.receiver) < std::tuple(b.block, b.receiver);
}

/// Finds the holders that belong to a request.
class HolderIndex {
public:
    HolderIndex(std::span<Request const> requests, CsrView<PeId> holders)
        : requests_(requests), holders_(holders), order_(requests.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::sort(order_.begin(), order_.end(), [&](auto i, auto j) { return less(requests_[i], requests_[j]); });
    }
    /// Precondition: the request is one of those given.
    std::span<PeId const> operator[](Request const& request) const {
        auto const found = std::lower_bound(order_.begin(), order_.end(), request,
                                            [&](auto i, auto const& wanted) { return less(requests_[i], wanted); });
        return holders_[*found];
    }
    bool has(Request const& request, PeId pe) const {
        auto const row = (*this)[request];
        return std::find(row.begin(), row.end(), pe) != row.end();
    }

private:
    std::span<Request const> requests_;
    CsrView<PeId> holders_;
    std::vector<std::size_t> order_;
};

Request request_of(Transfer const& transfer) {
    return {transfer.block, transfer.receiver};
}

bool serves_each_once(HRelation const& plan, std::span<Request const> requests) {
    auto served = plan.unservable;
    for (auto const& transfer : plan.local) served.push_back(request_of(transfer));
    for (auto const& transfer : plan.rounds.values) served.push_back(request_of(transfer));
    std::vector<Request> wanted(requests.begin(), requests.end());
    std::sort(served.begin(), served.end(), less);
    std::sort(wanted.begin(), wanted.end(), less);
    return served == wanted;
}

bool uses_holders(HRelation const& plan, HolderIndex const& holders) {
    auto const is_lost = [&](Request const& request) { return holders[request].empty(); };
    auto const is_local = [&](Transfer const& transfer) {
        return transfer.sender == transfer.receiver && holders.has(request_of(transfer), transfer.receiver);
    };
    auto const is_remote = [&](Transfer const& transfer) {
        auto const request = request_of(transfer);
        return holders.has(request, transfer.sender) && !holders.has(request, transfer.receiver);
    };
    return std::all_of(plan.unservable.begin(), plan.unservable.end(), is_lost) &&
           std::all_of(plan.local.begin(), plan.local.end(), is_local) &&
           std::all_of(plan.rounds.values.begin(), plan.rounds.values.end(), is_remote);
}

/// How often the busiest PE occurs.
std::uint32_t busiest(std::span<Transfer const> transfers, PeId Transfer::*side) {
    std::map<PeId, std::uint32_t> count;
    std::uint32_t most = 0;
    for (auto const& transfer : transfers) most = std::max(most, ++count[transfer.*side]);
    return most;
}

bool is_matching(std::span<Transfer const> round) {
    return busiest(round, &Transfer::sender) <= 1 && busiest(round, &Transfer::receiver) <= 1;
}

}  // namespace

bool is_valid(HRelation const& plan, std::span<Request const> requests, CsrView<PeId> holders) {
    REGRAFT_EXPECTS(holders.size() == requests.size());
    if (!serves_each_once(plan, requests)) return false;
    if (!uses_holders(plan, HolderIndex(requests, holders))) return false;
    for (std::size_t i = 0; i < plan.rounds.size(); ++i) {
        if (!is_matching(plan.rounds[i])) return false;
    }
    auto const sent = busiest(plan.rounds.values, &Transfer::sender);
    auto const received = busiest(plan.rounds.values, &Transfer::receiver);
    return plan.b == sent && plan.h == std::max(sent, received) && plan.rounds.size() == plan.h;
}

}  // namespace regraft::schedule
