// The backend on MPI's User-Level Failure Mitigation. docs/mpi/failure-model.md describes the behaviour of Open MPI
// that this code works around.
#include <mpi.h>

#include <mpi-ext.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include <unistd.h>

#include "ft/backend.hpp"
#include "regraft/core/bytes.hpp"

namespace regraft::ft::backend {
namespace {

/// A fingerprint of the known deaths: their number, and the ranks of some of them, because asking for one is O(ranks).
std::uint64_t known_deaths(MPI_Comm comm) {
    constexpr int most_asked = 64;
    MPI_Group dead = MPI_GROUP_NULL;
    MPI_Group all = MPI_GROUP_NULL;
    int size = 0;
    MPIX_Comm_get_failed(comm, &dead);
    MPI_Comm_group(comm, &all);
    MPI_Group_size(dead, &size);
    auto const asked = static_cast<std::size_t>(std::min(size, most_asked));
    std::vector<int> numbers(asked), ranks(asked + 1);
    for (std::size_t i = 0; i < asked; ++i) numbers[i] = static_cast<int>(i * static_cast<std::size_t>(size) / asked);
    MPI_Group_translate_ranks(dead, static_cast<int>(asked), numbers.data(), all, ranks.data());
    MPI_Group_free(&dead);
    MPI_Group_free(&all);
    std::sort(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(asked));
    ranks.back() = size;
    return hash(std::as_bytes(std::span(ranks)));
}

/// Returns when all members know of the same deaths. Then the agreements inside a shrink meet no news. News do not
/// reach all members of such an agreement alike, and it decides by return codes.
void agree_on_deaths(MPI_Comm comm) {
    while (!agree_equal(comm, true, known_deaths(comm))) {
    }
}

}  // namespace

bool deaths_are_real() {
    return true;
}

bool is_process_failure(int error_class) {
    return error_class == MPIX_ERR_PROC_FAILED || error_class == MPIX_ERR_PROC_FAILED_PENDING ||
           error_class == MPIX_ERR_REVOKED;
}

void revoke(MPI_Comm comm) {
    static_cast<void>(MPIX_Comm_revoke(comm));
}

bool is_revoked(MPI_Comm comm) {
    int revoked = 0;
    MPIX_Comm_is_revoked(comm, &revoked);
    return revoked != 0;
}

// Decides by the bits, never by the return code: in one agreement some ranks may get MPI_SUCCESS and others an error.
void agree(MPI_Comm comm, int* bits) {
    static_cast<void>(MPIX_Comm_agree(comm, bits));
}

bool knows_of_deaths(MPI_Comm comm) {
    MPI_Group dead = MPI_GROUP_NULL;
    int size = 0;
    MPIX_Comm_get_failed(comm, &dead);
    MPI_Group_size(dead, &size);
    MPI_Group_free(&dead);
    return size != 0;
}

bool is_dead(MPI_Comm comm, int rank) {
    MPI_Group dead = MPI_GROUP_NULL;
    MPI_Group all = MPI_GROUP_NULL;
    int place = MPI_UNDEFINED;
    MPIX_Comm_get_failed(comm, &dead);
    MPI_Comm_group(comm, &all);
    MPI_Group_translate_ranks(all, 1, &rank, dead, &place);
    MPI_Group_free(&dead);
    MPI_Group_free(&all);
    return place != MPI_UNDEFINED;
}

void acknowledge(MPI_Comm comm) {
    static_cast<void>(MPIX_Comm_failure_ack(comm));
}

bool is_suspended(int error_class) {
    return error_class == MPIX_ERR_PROC_FAILED_PENDING;
}

MPI_Comm shrink(MPI_Comm comm, bool spans_world, std::span<int const>) {
    agree_on_deaths(comm);
    // A death that interrupts a dup or a split leaves a lock behind, on which every creation from a communicator with a
    // higher context id waits for ever. MPI_COMM_WORLD has the lowest id, and its success resets the lock.
    MPI_Comm next = MPI_COMM_NULL;
    bool const made = MPIX_Comm_shrink(spans_world ? MPI_COMM_WORLD : comm, &next) == MPI_SUCCESS;
    return made ? next : MPI_COMM_NULL;
}

void die(Moment moment) {
    if (moment == Moment::here) {
        kill(getpid(), SIGKILL);
        pause();  // until the signal arrives
    }
    std::thread([] {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        kill(getpid(), SIGKILL);
    }).detach();
}

}  // namespace regraft::ft::backend
