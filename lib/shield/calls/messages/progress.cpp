#include "shield/calls/messages/progress.hpp"

#include <algorithm>

#include "shield/calls/collectives/collective_requests.hpp"
#include "shield/calls/messages/native_persistent.hpp"
#include "shield/calls/messages/starts.hpp"
#include "shield/waits/messages.hpp"
#include "shield/waits/proxies.hpp"
#include "shield/waits/strangers.hpp"

namespace regraft::shield {
namespace {

/// Completes a request that failed because its partner is dead.
int left_out(Message const& message, MPI_Status* status) {
    auto const* const lane = lane_of(message.face);
    if (lane == nullptr) return MPI_ERR_PROC_FAILED;
    if (message.receives) return receive_nothing(*lane, message.buffer, message.partner, message.tag, status);
    set_empty(status, MPI_PROC_NULL, MPI_ANY_TAG);
    return send_nothing(*lane, message.partner);
}

/// Completes a receive from any source, for which nothing has come, with an obituary if there is one.
Progress end_with_obituary(MPI_Request* request, MPI_Status* status, Look look, bool suspended) {
    auto const found = messages_under_way.find(*request);
    auto const* const lane = lane_of(found->second.face);
    auto const dead = lane == nullptr ? std::nullopt : find_obituary(*lane, look, suspended);
    if (!dead) return {};
    auto const message = found->second;
    messages_under_way.erase(found);
    auto const code = withdraw(request, status);
    if (!code) return {true, receive_obituary(*lane, message.buffer, *dead, message.tag, status), message.face};
    end_wait(*lane);
    translate(*lane, status);
    return {true, *code, message.face};
}

Progress look_at_message(MPI_Request* request, MPI_Status* status, Look look, char const* call) {
    auto const before = *request;
    int flag = 0;
    int code = PMPI_Test(request, &flag, status);
    if (code == MPI_SUCCESS && flag == 0 && !may_mourn() && !has_natives()) return {};
    auto const found = messages_under_way.find(before);
    bool const known = found != messages_under_way.end();
    bool const suspended = is_suspended(code) && *request != MPI_REQUEST_NULL;
    if (known && (suspended || (code == MPI_SUCCESS && flag == 0))) {
        if (found->second.receives && found->second.partner == MPI_ANY_SOURCE)
            return end_with_obituary(request, status, look, suspended);
        return {};
    }
    if (code == MPI_SUCCESS && flag == 0) {
        if (!known) guard_partner(call, before);
        return {};
    } else if (is_of_the_dead(code) && !known) {
        refuse(call, "a member has died during a nonblocking or persistent operation, which the shield cannot repeat");
    }
    if (!known) {
        end_native(before);
        note_ended(before);
    }
    if (!known && code == MPI_SUCCESS) {
        auto const ending = take_failure(before);
        return {true, ending.code, ending.face};
    }
    if (!known) return {true, code};
    auto const message = found->second;
    messages_under_way.erase(found);
    if (is_of_the_dead(code)) return {true, left_out(message, status), message.face};
    auto* const lane = lane_of(message.face);
    if (lane == nullptr) return {true, code};
    if (message.receives && message.partner == MPI_ANY_SOURCE) end_wait(*lane);
    if (message.receives && code == MPI_SUCCESS) translate(*lane, status);
    return {true, code, message.face};
}

}  // namespace

Progress look_at(MPI_Request* request, MPI_Status* status, Look look, char const* call) {
    if (*request == complete_at_once()) return {true, PMPI_Wait(request, status)};  // such requests are not registered
    auto* const proxy = find_proxy(*request);
    if (proxy == nullptr) return look_at_message(request, status, look, call);
    if (!proxy->active) {
        set_inactive(status);
        return {true, MPI_SUCCESS};
    }
    bool is_over = true;
    for (std::size_t i = 0; i < proxy->parts.size(); ++i) {
        auto& part = proxy->parts[i];
        if (part == MPI_REQUEST_NULL) continue;
        auto const progress = look_at_message(&part, i == 0 ? &proxy->status : MPI_STATUS_IGNORE, look, call);
        is_over = is_over && progress.done;
        if (progress.done) part = MPI_REQUEST_NULL;
        if (progress.code == MPI_SUCCESS) continue;
        proxy->code = progress.code;
        proxy->face = progress.face;
    }
    auto const face = proxy->face;
    return is_over ? Progress{true, finish_proxy(request, status), face} : Progress{};
}

bool is_inactive(MPI_Request request) {
    if (request == MPI_REQUEST_NULL) return true;
    auto const* const proxy = find_proxy(request);
    return proxy == nullptr ? is_inactive_native(request) : !proxy->active;
}

std::optional<std::size_t> awaited_bytes(std::span<MPI_Request const> requests) {
    std::size_t most = 0;
    for (auto const request : requests) {
        if (is_inactive(request)) continue;
        auto const found = messages_under_way.find(request);
        auto const* const proxy = find_proxy(request);
        auto const place = place_of_request(request);
        bool const is_there = place != MPI_COMM_NULL;
        if (proxy == nullptr && found == messages_under_way.end() && !is_there) return {};
        auto const bytes = is_there           ? awaited_there(place)
                           : proxy != nullptr ? awaited_bytes(proxy->parts)
                                              : found->second.buffer.bytes();
        if (!bytes) return {};
        most = std::max(most, *bytes);
    }
    return most;
}

std::optional<int> Obituaries::find(MPI_Request request) {
    auto const found = messages_under_way.find(request);
    auto const* const lane = found == messages_under_way.end() ? nullptr : lane_of(found->second.face);
    if (lane == nullptr) return {};
    auto const& message = found->second;
    if (message.partner != MPI_ANY_SOURCE)
        return can_not_send(*lane, message.partner) ? std::optional(message.partner) : std::nullopt;
    bool const is_one_left = has_obituaries(*lane, ++taken_[message.face]);
    return is_one_left ? look_for_obituary(*lane, Look::polls) : std::nullopt;
}

bool is_over(MPI_Request request, MPI_Status* status, Obituaries& obituaries) {
    if (auto const* const proxy = find_proxy(request)) {
        set_inactive(status);
        if (!proxy->active) return true;
        if (status != MPI_STATUS_IGNORE) *status = proxy->status;
        bool const first = proxy->parts[0] == MPI_REQUEST_NULL || is_over(proxy->parts[0], status, obituaries);
        return first &&
               (proxy->parts[1] == MPI_REQUEST_NULL || is_over(proxy->parts[1], MPI_STATUS_IGNORE, obituaries));
    }
    int done = 0;
    int const code = PMPI_Request_get_status(request, &done, status);
    auto const found = messages_under_way.find(request);
    bool const known = found != messages_under_way.end();
    auto const dead = known && done == 0 ? obituaries.find(request) : std::nullopt;
    if (dead || (known && is_of_the_dead(code))) {
        set_empty(status, found->second.receives ? dead.value_or(found->second.partner) : MPI_PROC_NULL,
                  found->second.tag);
        return true;
    }
    auto const* const lane = known ? lane_of(found->second.face) : nullptr;
    if (done != 0 && lane != nullptr && found->second.receives) translate(*lane, status);
    return done != 0 || code != MPI_SUCCESS;
}

}  // namespace regraft::shield
