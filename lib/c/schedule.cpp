// Schedules for callers in C. Requests take the place of blocks, so that plans say how each request is served.
#include <algorithm>

#include "c/status.hpp"
#include "regraft/schedule/h_relation.hpp"

using namespace regraft;

namespace {

/// The requests in the planner's form. If numbers of PEs are so large that they would cost more memory than everything
/// else, PEs are renumbered in their order.
struct Problem {
    std::vector<schedule::Request> requests;
    std::span<std::uint64_t const> offsets;
    std::vector<PeId> holders;
    std::span<std::uint64_t const> bytes;
    std::vector<PeId> pe_of;  // the PE of each number; empty: PEs keep their numbers

    CsrView<PeId> rows() const { return {offsets, holders}; }
    std::uint32_t pe(PeId number) const { return value(pe_of.empty() ? number : pe_of[value(number)]); }
};

void renumber(Problem& problem) {
    auto const most = 8 * (problem.requests.size() + problem.holders.size()) + 1024;
    auto largest = PeId{0};
    for (auto const& request : problem.requests) largest = std::max(largest, request.receiver);
    for (auto const pe : problem.holders) largest = std::max(largest, pe);
    if (value(largest) < most) return;
    auto& pes = problem.pe_of;
    pes = problem.holders;
    for (auto const& request : problem.requests) pes.push_back(request.receiver);
    std::sort(pes.begin(), pes.end());
    pes.erase(std::unique(pes.begin(), pes.end()), pes.end());
    auto const number = [&](PeId pe) {
        return PeId{static_cast<std::uint32_t>(std::lower_bound(pes.begin(), pes.end(), pe) - pes.begin())};
    };
    for (auto& request : problem.requests) request.receiver = number(request.receiver);
    for (auto& pe : problem.holders) pe = number(pe);
}

Problem problem_of(regraft_requests const* given) {
    auto const& [count, receivers, offsets, holders, bytes] = c::object(given, "requests, not NULL");
    c::expect(count <= std::uint64_t{1} << 30, "at most 2^30 requests");
    Problem problem;
    problem.offsets = c::offsets_of(offsets, count, "requests.offsets[count + 1], ascending from 0");
    auto const to = c::span_of(receivers, count, "requests.receivers, not NULL");
    auto const from = c::span_of(holders, problem.offsets.back(), "requests.holders, not NULL");
    if (bytes != nullptr) problem.bytes = {bytes, static_cast<std::size_t>(count)};
    std::uint64_t sum = 0;
    for (auto const x : problem.bytes) {
        c::expect(x < (std::uint64_t{1} << 63) - sum, "requests.bytes that are together below 2^63");
        sum += x;
    }
    auto const is_pe = [](auto pe) { return pe != REGRAFT_NONE; };
    c::expect(std::all_of(to.begin(), to.end(), is_pe) && std::all_of(from.begin(), from.end(), is_pe),
              "receivers and holders below 2^32 - 1");
    problem.requests.reserve(to.size());
    for (std::size_t i = 0; i < to.size(); ++i) problem.requests.push_back({BlockId{i}, PeId{to[i]}});
    problem.holders = c::ids<PeId>(from);
    renumber(problem);
    return problem;
}

template <class Plan>
regraft_schedule summary(Plan const& plan, std::uint64_t num_rounds) {
    return {plan.b, num_rounds, plan.local.size(), plan.unservable.size(), plan.most_bytes, plan.most_bytes_bound};
}

/// Writes the local requests, which no plan lists under transfers.
template <class Plan>
void say_local(Plan const& plan, Problem const& problem, std::span<std::uint32_t> sender_of) {
    std::fill(sender_of.begin(), sender_of.end(), REGRAFT_NONE);
    for (auto const& [request, sender, receiver] : plan.local) sender_of[value(request)] = problem.pe(sender);
}

}  // namespace

regraft_status regraft_schedule_senders(regraft_requests const* requests, uint32_t* sender_of,
                                        regraft_schedule* result) {
    return c::guarded([&] {
        auto const problem = problem_of(requests);
        auto const out = c::span_of(sender_of, requests->count, "sender_of, not NULL");
        auto const plan = schedule::choose_senders(problem.requests, problem.rows(), {.bytes = problem.bytes});
        say_local(plan, problem, out);
        for (auto const& [request, sender, receiver] : plan.transfers) out[value(request)] = problem.pe(sender);
        if (result != nullptr) *result = summary(plan, 0);
    });
}

regraft_status regraft_schedule_rounds(regraft_requests const* requests, int messages, uint32_t* sender_of,
                                       uint32_t* round_of, regraft_schedule* result) {
    return c::guarded([&] {
        c::expect(messages == REGRAFT_PER_BLOCK || messages == REGRAFT_BUNDLED, "REGRAFT_PER_BLOCK or REGRAFT_BUNDLED");
        auto const problem = problem_of(requests);
        auto const senders = c::span_of(sender_of, requests->count, "sender_of, not NULL");
        auto const rounds = c::span_of(round_of, requests->count, "round_of, not NULL");
        auto const how = messages == REGRAFT_BUNDLED ? schedule::Messages::bundled : schedule::Messages::per_block;
        auto const plan =
            schedule::h_relation(problem.requests, problem.rows(), {.messages = how, .bytes = problem.bytes});
        say_local(plan, problem, senders);
        std::fill(rounds.begin(), rounds.end(), REGRAFT_NONE);
        for (std::uint32_t round = 0; round < plan.rounds.size(); ++round) {
            for (auto const& [request, sender, receiver] : plan.rounds[round]) {
                senders[value(request)] = problem.pe(sender);
                rounds[value(request)] = round;
            }
        }
        if (result != nullptr) *result = summary(plan, plan.rounds.size());
    });
}
