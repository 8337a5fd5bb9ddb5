#include "shield/calls/collectives/nonblocking.hpp"

#include <memory>
#include <utility>

#include "shield/calls/collectives/collective_requests.hpp"
#include "shield/engine/collective.hpp"
#include "shield/session/session.hpp"

namespace regraft::shield {
namespace {

/// Starts as start() of nonblocking.hpp does. root: a rank, or no_root.
int start_with(Lane& lane, MPI_Request* request, int root, Attempt attempt, std::function<void()> finish) {
    if (int const code = begin_request(request); code != MPI_SUCCESS) return code;
    auto const all_live = std::make_shared<bool>(true);  // for the last attempt, even if a member dies before it is
                                                         // over
    auto const noted = [=, &lane, attempt = std::move(attempt)](MPI_Comm on, MPI_Request* native) {
        *all_live = lane.is_whole();
        return attempt(on, native);
    };
    auto& family = Entry::current()->family();
    auto const end = [=, &lane, &family, handle = *request, finish = std::move(finish)](int ended) {
        if (ended == MPI_SUCCESS) finish();
        if (root == no_root || lane.lives(root)) end_holes();
        if (ended == MPI_SUCCESS && !*all_live) ended_without_the_dead(family, lane, root);
        end_request(handle, {ended, lane.face});
    };
    int const code = session().shield->start(lane, {noted, end});
    if (code != MPI_SUCCESS) withdraw_request(request);
    return complain(lane, code);
}

}  // namespace

int start(Lane& lane, MPI_Request* request, Attempt attempt, std::function<void()> finish) {
    return start_with(lane, request, no_root, std::move(attempt), std::move(finish));
}

int start_rooted(Lane& lane, MPI_Request* request, int root, Attempt attempt, std::function<void()> skip) {
    auto const skips = std::make_shared<bool>(false);
    auto const with_root = [&lane, root, skips, attempt = std::move(attempt)](MPI_Comm on, MPI_Request* native) {
        *skips = !lane.lives(root);
        *native = MPI_REQUEST_NULL;
        return *skips ? MPI_SUCCESS : attempt(on, native);
    };
    return start_with(lane, request, root, with_root, [skips, skip = std::move(skip)] {
        if (*skips) skip();
    });
}

}  // namespace regraft::shield
