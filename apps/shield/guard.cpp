#include "shield/guard.hpp"

#include "ft/backend.hpp"
#include "shield/messages.hpp"

namespace regraft::shield {
namespace {

constexpr auto died_before =
    "somebody has died, and the shield does not carry this call out; it is passed on only while all live";
constexpr auto died_inside = "somebody has died in it, and the shield cannot repeat this call";

void refuse_if(bool damaged, char const* call) {
    if (damaged) refuse(call, died_before);
}

bool anybody_died() {
    return session().shield != nullptr && ft::backend::knows_of_deaths(MPI_COMM_WORLD);
}

}  // namespace

void guard(char const* call, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return;
    session().shield->help();
    refuse_if(!lane->is_whole() || ft::backend::knows_of_deaths(lane->face), call);
}

void guard(char const* call, MPI_Comm comm, MPI_Comm other) {
    guard(call, comm);
    guard(call, other);
}

void guard(char const* call, MPI_Win) {
    refuse_if(anybody_died(), call);
}

void guard(char const* call, MPI_File) {
    refuse_if(anybody_died(), call);
}

int judge(char const* call, MPI_Comm comm, int code) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr || code == MPI_SUCCESS) return code;
    if (is_of_the_dead(code)) refuse(call, died_inside);
    return complain(*lane, code);
}

int judge(char const* call, MPI_Comm comm, MPI_Comm, int code) {
    return judge(call, comm, code);
}

int judge(char const* call, MPI_Win, int code) {
    if (session().shield != nullptr && is_of_the_dead(code)) refuse(call, died_inside);
    return code;
}

int judge(char const* call, MPI_File, int code) {
    if (session().shield != nullptr && is_of_the_dead(code)) refuse(call, died_inside);
    return code;
}

LentHandler::LentHandler(MPI_Comm parent) : face_(parent) {
    if (auto const* const lane = lane_of(face_)) PMPI_Comm_set_errhandler(face_, lane->handler);
}

LentHandler::~LentHandler() {
    if (lane_of(face_) != nullptr) PMPI_Comm_set_errhandler(face_, MPI_ERRORS_RETURN);
}

}  // namespace regraft::shield
