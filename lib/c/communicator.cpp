#include "c/communicator.hpp"

#include <algorithm>
#include <climits>

#include "c/sums.hpp"
#include "regraft/ft/collectives.hpp"
#include "regraft/ft/failure_plan.hpp"
#include "regraft/ft/nodes.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"

using namespace regraft;

namespace {

/// A callback returned a status that ends the loop here.
class Ended : public std::runtime_error {
public:
    Ended(regraft_status status, std::string const& what) : std::runtime_error(what), status_(status) {}
    regraft_status status() const { return status_; }

private:
    regraft_status status_;
};

/// The same, on all members.
class EndedAlike : public Ended, public ft::Uniform {
public:
    using Ended::Ended;
};

/// Throws what the C++ loop understands, according to what a callback returned and to failures that it may not have
/// passed on.
void go_on_if_ok(c::Shared& shared, regraft_status status, std::string const& callback) {
    if (shared.departed) throw ft::Departed{};
    if (shared.failure) throw ft::ProcessFailure(*shared.failure);
    std::string const message = regraft_error_message();
    switch (status) {
        case REGRAFT_OK:
            return;
        case REGRAFT_PROCESS_FAILURE:
            shared.comm.declare_failure("what the caller calls by itself");
        case REGRAFT_DATA_LOST:
        case REGRAFT_DIVERGENCE:
        case REGRAFT_DAMAGED:
        case REGRAFT_DUPLICATE:
        case REGRAFT_DISK:
            throw EndedAlike(status, message);
        default:
            if (status >= REGRAFT_UNIFORM)
                throw EndedAlike(status, "status " + std::to_string(status) + " of the caller's");
            throw Ended(status, callback + " returned status " + std::to_string(status) + ", and regraft said last: '" +
                                    message + "'");
    }
}

/// An answer of the communicator, or the empty value of its type for NULL.
template <class Answer>
auto answer(regraft_communicator const* comm, Answer get) {
    return comm == nullptr ? decltype(get(*comm->shared)){} : get(*comm->shared);
}

/// The number of integers in a status of Fortran.
std::size_t status_words() {
#ifdef MPI_F_STATUS_SIZE
    return MPI_F_STATUS_SIZE;
#else
    return sizeof(MPI_Status) / sizeof(MPI_Fint);
#endif
}

}  // namespace

regraft_status regraft_communicator_create(MPI_Comm parent, regraft_communicator** comm) {
    return c::guarded([&] {
        int initialized = 0;
        int finalized = 0;
        MPI_Initialized(&initialized);
        MPI_Finalized(&finalized);
        c::expect(initialized != 0 && finalized == 0, "MPI between MPI_Init and MPI_Finalize");
        c::expect(parent != MPI_COMM_NULL, "a parent, not MPI_COMM_NULL");
        c::make(comm, parent);
    });
}

regraft_status regraft_communicator_create_f(MPI_Fint parent, regraft_communicator** comm) {
    return regraft_communicator_create(MPI_Comm_f2c(parent), comm);
}

regraft_status regraft_communicator_create_world(regraft_communicator** comm) {
    return regraft_communicator_create(MPI_COMM_WORLD, comm);
}

void regraft_communicator_free(regraft_communicator* comm) {
    delete comm;
}

uint32_t regraft_communicator_self(regraft_communicator const* comm) {
    return answer(comm, [](c::Shared const& shared) { return value(shared.comm.self()); });
}

uint32_t regraft_communicator_size(regraft_communicator const* comm) {
    return answer(comm, [](c::Shared const& shared) { return static_cast<uint32_t>(shared.members.size()); });
}

uint32_t const* regraft_communicator_members(regraft_communicator const* comm) {
    return answer(comm, [](c::Shared const& shared) { return shared.members.data(); });
}

uint32_t regraft_communicator_position(regraft_communicator const* comm) {
    return answer(
        comm, [](c::Shared const& shared) { return static_cast<uint32_t>(shared.comm.position(shared.comm.self())); });
}

uint32_t regraft_communicator_num_founders(regraft_communicator const* comm) {
    return answer(comm, [](c::Shared const& shared) { return shared.comm.num_founders(); });
}

uint32_t regraft_communicator_epoch(regraft_communicator const* comm) {
    return answer(comm, [](c::Shared const& shared) { return shared.comm.epoch(); });
}

MPI_Comm regraft_communicator_native(regraft_communicator const* comm) {
    return comm == nullptr ? MPI_COMM_NULL : comm->shared->comm.native();
}

MPI_Fint regraft_communicator_native_f(regraft_communicator const* comm) {
    return MPI_Comm_c2f(regraft_communicator_native(comm));
}

regraft_status regraft_communicator_check(regraft_communicator* comm, int code, char const* call) {
    return c::guarded(comm, [&](regraft_communicator& handle) {
        handle.shared->comm.check(code, call == nullptr ? "a call of MPI" : call);
    });
}

regraft_status regraft_communicator_check_statuses(regraft_communicator* comm, int code, MPI_Status const* statuses,
                                                   uint64_t count, char const* call) {
    return c::guarded(comm, [&](regraft_communicator& handle) {
        auto const all = c::span_of(statuses, count, "statuses, not NULL");
        handle.shared->comm.check(code, all, call == nullptr ? "a call of MPI" : call);
    });
}

regraft_status regraft_communicator_wait_all(regraft_communicator* comm, MPI_Request* requests, uint64_t count) {
    return c::guarded(comm, [&](regraft_communicator& handle) {
        c::expect(count <= INT_MAX, "requests that an int counts");
        ft::wait_all(handle.shared->comm, c::span_of(requests, count, "requests, not NULL"));
    });
}

regraft_status regraft_communicator_check_statuses_f(regraft_communicator* comm, int code, MPI_Fint const* statuses,
                                                     uint64_t count, char const* call) {
    std::vector<MPI_Status> all;
    auto const status = c::guarded([&] {
        c::expect(statuses != nullptr || count == 0, "statuses, not NULL");
        all.resize(count);
        for (std::size_t i = 0; i < all.size(); ++i) MPI_Status_f2c(statuses + i * status_words(), &all[i]);
    });
    return status != REGRAFT_OK ? status : regraft_communicator_check_statuses(comm, code, all.data(), count, call);
}

regraft_status regraft_communicator_wait_all_f(regraft_communicator* comm, MPI_Fint* requests, uint64_t count) {
    return c::guarded(comm, [&](regraft_communicator& handle) {
        c::expect(count <= INT_MAX, "requests that an int counts");
        auto const given = c::span_of(requests, count, "requests, not NULL");
        std::vector<MPI_Request> all;
        for (auto const request : given) all.push_back(MPI_Request_f2c(request));
        auto const give_back = [&] { std::ranges::transform(all, given.begin(), MPI_Request_c2f); };
        try {
            ft::wait_all(handle.shared->comm, all);
        } catch (...) {
            give_back();
            throw;
        }
        give_back();
    });
}

regraft_status regraft_communicator_dismiss_errors(regraft_communicator* comm) {
    return c::guarded([&] { c::object(comm, "a handle, not NULL").shared->comm.dismiss_errors(); });
}

regraft_status regraft_communicator_look(regraft_communicator* comm) {
    return c::guarded(comm, [](regraft_communicator& handle) { handle.shared->comm.look_for_failures(); });
}

regraft_status regraft_communicator_agree(regraft_communicator* comm, bool mine, bool* all) {
    return c::guarded(comm, [&](regraft_communicator& handle) {
        bool const agreed = handle.shared->comm.agree(mine);
        if (all != nullptr) *all = agreed;
    });
}

regraft_status regraft_communicator_shrink(regraft_communicator* comm) {
    if (comm != nullptr) comm->shared->failure.reset();  // this call may follow a failure
    return c::guarded(comm, [](regraft_communicator& handle) {
        static_cast<void>(handle.shared->comm.shrink());
        handle.shared->renewed();
    });
}

regraft_status regraft_communicator_broadcast(regraft_communicator* comm, void* data, uint64_t size, uint32_t root) {
    return c::guarded(comm, [&](regraft_communicator& handle) {
        auto& [native, members, failure, departed] = *handle.shared;
        c::expect(std::binary_search(members.begin(), members.end(), root), "a root that is a member");
        ft::broadcast(native, c::span_of(static_cast<std::byte*>(data), size, "data, not NULL"), PeId{root});
    });
}

regraft_status regraft_sums_all_reduce(regraft_communicator* comm, regraft_sums* sums) {
    return c::guarded(comm, [&](regraft_communicator& handle) {
        auto& all = c::object(sums, "sums, not NULL");
        if (all.scale) {
            ft::all_reduce(handle.shared->comm, all.fixed);
        } else {
            ft::all_reduce(handle.shared->comm, all.exact);
        }
    });
}

regraft_status regraft_node_ids(regraft_communicator* comm, uint32_t* node_of, uint64_t size) {
    return c::guarded(comm, [&](regraft_communicator& handle) {
        auto const out = c::span_of(node_of, size, "node_of, not NULL");
        c::expect(size == handle.shared->comm.size(), "room for as many ids as there are members");
        auto const ids = ft::node_ids(handle.shared->comm);
        std::copy(ids.begin(), ids.end(), out.begin());
    });
}

regraft_status regraft_plan_failures(char const* plan) {
    return c::guarded([&] {
        c::expect(plan != nullptr, "a plan, not NULL");
        ft::set_failure_plan(ft::parse_failure_plan(plan));
    });
}

regraft_status regraft_resilient(regraft_communicator* comm, regraft_body body, regraft_recover recover,
                                 void* context) {
    if (comm == nullptr || body == nullptr || recover == nullptr) {
        return c::fail(REGRAFT_ERROR_ARGUMENT, "expected a communicator, a body and a recovery, not NULL");
    }
    auto& shared = *comm->shared;
    try {
        ft::resilient(
            shared.comm, [&] { go_on_if_ok(shared, body(context), "the body"); },
            [&](ft::Failure const& failure) {
                shared.renewed();
                std::vector<std::uint32_t> lost;
                for (auto const pe : failure.lost) lost.push_back(value(pe));
                regraft_failure const known{lost.data(), lost.size(), failure.noticed_in.c_str(), failure.silence_ms,
                                            failure.shrink_ms};
                go_on_if_ok(shared, recover(&known, context), "the recovery");
            });
        return REGRAFT_OK;
    } catch (Ended const& ended) {
        return c::fail(ended.status(), ended.what());
    } catch (...) {
        return c::status_of_exception(shared);
    }
}
