#include "ft/unchecked.hpp"

#include <array>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <unistd.h>

#include "regraft/ft/communicator.hpp"

namespace regraft::ft {

void note_error(Unchecked& unchecked, char const* call, int code) {
    if (!unchecked.error_) unchecked.error_ = Unchecked::Error{call != nullptr ? call : "a call of MPI", code};
}

namespace {

/// The key under which a communicator has its Unchecked. Duplicates of the communicator have none.
int key() {
    static int const made = [] {
        int fresh = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &fresh, nullptr);
        return fresh;
    }();
    return made;
}

void on_error(MPI_Comm* comm, int* code, ...) {
    void* watching = nullptr;
    int is_watched = 0;
    MPI_Comm_get_attr(*comm, key(), &watching, &is_watched);
    if (is_watched == 0) return;
    char const* call = nullptr;
#ifdef OPEN_MPI  // in Open MPI the next argument is the name of the call
    std::va_list rest;
    va_start(rest, code);
    call = va_arg(rest, char const*);
    va_end(rest);
#endif
    note_error(*static_cast<Unchecked*>(watching), call, *code);
}

MPI_Errhandler handler() {
    static MPI_Errhandler const made = [] {
        MPI_Errhandler fresh = MPI_ERRORS_RETURN;
        MPI_Comm_create_errhandler(on_error, &fresh);
        return fresh;
    }();
    return made;
}

bool hides_errors = false;  // calls return MPI_SUCCESS although the handler was told of an error

std::terminate_handler told_next = nullptr;
Communicator const* first_communicator = nullptr;

bool reports_for_all() {
    if (first_communicator != nullptr) return first_communicator->leads();
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

/// Ends this process with all others. They would all print the same, and MPI where each of them was.
[[noreturn]] void end_with_all(Uniform const& error) {
    auto const* const known = dynamic_cast<std::exception const*>(&error);
    if (reports_for_all()) {
        static_cast<void>(std::fprintf(stderr,
                                       "regraft: all ranks end, because nothing has caught what they have thrown: %s\n",
                                       known == nullptr ? "an exception of unknown type" : known->what()));
    }
    static_cast<void>(std::signal(SIGABRT, SIG_DFL));
    std::abort();
}

/// Whether the program has set no handler of its own.
bool is_default(std::terminate_handler handler) {
#ifdef __GLIBCXX__
    return handler == nullptr || handler == __gnu_cxx::__verbose_terminate_handler;
#else
    return handler == nullptr;
#endif
}

void explain() {
    try {
        if (auto const error = std::current_exception()) std::rethrow_exception(error);
    } catch (ProcessFailure const& failure) {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        std::fprintf(
            stderr,
            "regraft: rank %d ends, because nothing has caught its ProcessFailure: another rank has died, "
            "noticed in %s. Collectives, the making of communicators derived from one among them, belong into the "
            "body of ft::resilient\n",
            rank, failure.call().c_str());
    } catch (Uniform const& error) {
        if (is_default(told_next)) end_with_all(error);
    } catch (...) {  // NOLINT(bugprone-empty-catch): the next one tells
    }
    if (told_next != nullptr) told_next();
    std::abort();
}

pid_t own_process = 0;

void say_if_unfinished() {
    int finalized = 0;
    int size = 0;
    MPI_Finalized(&finalized);
    bool const is_heard = std::getenv("REGRAFT_RANKS") != nullptr;
    if (finalized != 0 || is_heard || getpid() != own_process) return;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1) return;
    std::fprintf(
        stderr,
        "regraft: rank %d exits without MPI_Finalize: the others, which are not told, may wait for it for ever. Jobs "
        "that regraft-run starts go on; elsewhere a rank that cannot go on calls abort()\n",
        rank);
}

}  // namespace

void Unchecked::watch(MPI_Comm comm) {
    MPI_Comm_set_attr(comm, key(), this);
    MPI_Comm_set_errhandler(comm, handler());
}

void Unchecked::learn_how_errors_return(MPI_Comm comm) {
    static bool const once = [&] {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        std::array<char, 2> const sent{};
        char received = 0;  // too short: an error in every MPI
        MPI_Request request = MPI_REQUEST_NULL;
        static_cast<void>(MPI_Isend(sent.data(), sent.size(), MPI_CHAR, rank, 0, comm, &request));
        int const code = MPI_Recv(&received, 1, MPI_CHAR, rank, 0, comm, MPI_STATUS_IGNORE);
        hides_errors = code == MPI_SUCCESS && error_.has_value();
        static_cast<void>(MPI_Wait(&request, MPI_STATUS_IGNORE));
        forget();
        return true;
    }();
    static_cast<void>(once);
}

int Unchecked::returned(int code) const {
    return code == MPI_SUCCESS && hides_errors && error_ ? error_->code : code;
}

void set_reporting(Communicator const* comm) {
    first_communicator = comm;
}

Communicator const* reporting() {
    return first_communicator;
}

void explain_early_ends() {
    static bool const done = [] {
        told_next = std::set_terminate(explain);
        own_process = getpid();
        return std::atexit(say_if_unfinished) == 0;
    }();
    static_cast<void>(done);
}

}  // namespace regraft::ft
