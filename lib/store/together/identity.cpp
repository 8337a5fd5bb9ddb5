#include "store/together/identity.hpp"

namespace regraft::store {
namespace {

/// The key under which a communicator has the number of submits. A renewed communicator begins anew.
int key() {
    static int const made = [] {
        int fresh = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &fresh, nullptr);
        return fresh;
    }();
    return made;
}

}  // namespace

std::uint64_t next_identity(ft::Communicator& comm) {
    constexpr std::uint64_t apart = 1009;  // so that submits of different epochs have different numbers, too
    void* counted = nullptr;
    int is_counted = 0;
    comm.check(MPI_Comm_get_attr(comm.native(), key(), static_cast<void*>(&counted), &is_counted), "MPI_Comm_get_attr");
    auto const count = (is_counted != 0 ? reinterpret_cast<std::uintptr_t>(counted) : 0) + 1;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the attribute is the number itself, so nobody has to free it
    comm.check(MPI_Comm_set_attr(comm.native(), key(), reinterpret_cast<void*>(count)), "MPI_Comm_set_attr");
    return comm.epoch() * apart + count;
}

void expect_same_store(ft::Communicator& comm, CsrView<std::uint64_t> rows, std::size_t place) {
    bool same = true;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) same = same && rows[rank][place] == rows[0][place];
    if (same) return;
    comm.agree();  // all have the same rows, or all notice the failure
    throw ft::Divergence(
        "store: members are in calls on different stores of one communicator; all members call the same functions of "
        "the same stores in the same order, and threads use a communicator each");
}

}  // namespace regraft::store
