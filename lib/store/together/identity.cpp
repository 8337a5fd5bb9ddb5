#include "store/together/identity.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "exchange/exchange.hpp"

namespace regraft::store {
namespace {

// The fields of an identity. Epochs and counts wrap around.
constexpr unsigned count_bits = 20, epoch_bits = 11, function_bits = 32;
constexpr std::uint64_t agreed_on = std::uint64_t{1} << 63;

int make_key() {
    int fresh = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &fresh, nullptr);
    return fresh;
}

/// Counts under this key of the communicator. A renewed communicator begins anew.
std::uint64_t count(ft::Communicator& comm, int key) {
    void* counted = nullptr;
    int is_counted = 0;
    comm.check(MPI_Comm_get_attr(comm.native(), key, static_cast<void*>(&counted), &is_counted), "MPI_Comm_get_attr");
    auto const next = (is_counted != 0 ? reinterpret_cast<std::uintptr_t>(counted) : 0) + 1;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the attribute is the number itself, so nobody has to free it
    comm.check(MPI_Comm_set_attr(comm.native(), key, reinterpret_cast<void*>(next)), "MPI_Comm_set_attr");
    return next;
}

constexpr std::uint64_t low(std::uint64_t number, unsigned bits) {
    return number & ((std::uint64_t{1} << bits) - 1);
}

std::uint64_t identity(ft::Communicator const& comm, std::uint64_t count) {
    return low(comm.epoch(), epoch_bits) << (count_bits + function_bits) | low(count, count_bits) << function_bits;
}

/// Whether the identities can be of one object. Before anything was agreed on, members that have made the object in
/// different epochs have different numbers for it.
bool same_object(std::span<std::uint64_t const> identities) {
    auto const first = identities.front() >> function_bits;
    std::map<std::uint64_t, std::uint64_t> of_epoch;
    return std::ranges::all_of(identities, [&](std::uint64_t each) {
        auto const number = each >> function_bits;
        if (((each ^ identities.front()) & agreed_on) != 0) return false;
        if ((each & agreed_on) != 0) return number == first;
        return of_epoch.try_emplace(number >> count_bits, number).first->second == number;
    });
}

[[noreturn]] void diverge(ft::Communicator& comm) {
    comm.agree();  // all have the same rows, or all notice the failure
    throw ft::Divergence(
        "store: members are in calls on different stores, snapshots or mini-checkpoints of one communicator, or in "
        "different functions; all members make these in the same order, and call the same functions of the same ones "
        "in the same order, and threads use a communicator each");
}

/// A number to add to what an agreement compares, so that it tells calls apart.
std::uint64_t digest_of(std::uint64_t call) {
    constexpr std::uint64_t epochs_apart = 1009, functions_apart = 4099;  // in the bits that an agreement compares
    auto const number = call >> function_bits;
    return low(number, count_bits) + low(number >> count_bits, epoch_bits) * epochs_apart +
           low(call, function_bits) * functions_apart;
}

}  // namespace

std::uint64_t made_identity(ft::Communicator& comm) {
    static int const key = make_key();
    return identity(comm, count(comm, key));
}

std::uint64_t next_identity(ft::Communicator& comm) {
    static int const key = make_key();
    return agreed_on | identity(comm, count(comm, key));
}

void expect_same_object(ft::Communicator& comm, std::span<std::uint64_t const> identities) {
    if (!same_object(identities)) diverge(comm);
}

void expect_same_call(ft::Communicator& comm, CsrView<std::uint64_t> rows) {
    std::vector<std::uint64_t> calls;
    // A row without a call is of a function that is none of these.
    for (std::size_t rank = 0; rank < rows.size(); ++rank) calls.push_back(rows[rank].empty() ? 0 : rows[rank][0]);
    bool const same =
        std::ranges::all_of(calls, [&](auto each) { return low(each, function_bits) == low(calls[0], function_bits); });
    if (!same || !same_object(calls)) diverge(comm);
}

bool agree_alike(ft::Communicator& comm, std::uint64_t call, bool mine, std::uint64_t alike) {
    auto const same = alike + digest_of(call);
    // A member that votes against passes a different number. If all do, each of them knows that itself.
    return comm.agree_equal(mine ? same : ~same) && mine;
}

bool agree_in_call(ft::Communicator& comm, std::uint64_t call, bool mine, std::uint64_t alike) {
    if (agree_alike(comm, call, mine, alike)) return true;
    auto const rows = exchange::all_gather(comm, std::array<std::uint64_t, 3>{call, mine, alike});
    expect_same_call(comm, rows);
    bool all = true;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) all = all && rows[rank][1] != 0 && rows[rank][2] == alike;
    return comm.agree(all);
}

}  // namespace regraft::store
