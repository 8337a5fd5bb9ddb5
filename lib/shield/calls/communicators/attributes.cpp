#include "shield/calls/communicators/attributes.hpp"

#include <algorithm>
#include <map>

#include "shield/session/session.hpp"

namespace regraft::shield {
namespace {

struct Keyval {
    MPI_Comm_copy_attr_function* copy;
    void* state;
};

/// All keyvals, including those that are freed: their attributes stay until they are deleted.
std::map<int, Keyval>& keyvals() {
    static auto& all = *new std::map<int, Keyval>;  // never destroyed
    return all;
}

/// The keyvals of MPI_COMM_SELF's attributes, in the order in which they were set.
std::vector<int>& keyvals_of_self() {
    static auto& keyvals = *new std::vector<int>;  // never destroyed
    return keyvals;
}

}  // namespace

void delete_attributes_of_self() {
    for (auto& keyvals = keyvals_of_self(); !keyvals.empty();) {
        void* value = nullptr;
        int found = 0;
        int const keyval = keyvals.back();
        keyvals.pop_back();
        int const code = PMPI_Comm_get_attr(MPI_COMM_SELF, keyval, &value, &found);
        if (code == MPI_SUCCESS && found != 0) PMPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
    }
}

CopiedAttributes::CopiedAttributes(MPI_Comm from) {
    auto const all = keyvals();  // copied, because copy functions may make others
    for (auto const& [keyval, of] : all) {
        void* value = nullptr;
        void* copied = nullptr;
        int found = 0;
        int copies = 0;
        // On an error the keyval and its attributes are gone.
        if (PMPI_Comm_get_attr(from, keyval, &value, &found) != MPI_SUCCESS || found == 0) continue;
        code_ = of.copy(from, keyval, of.state, value, &copied, &copies);
        if (code_ != MPI_SUCCESS) return;
        if (copies != 0) values_.emplace_back(keyval, copied);
    }
}

int CopiedAttributes::attach(MPI_Comm to) const {
    int code = code_;
    for (auto const& [keyval, value] : values_)
        if (code == MPI_SUCCESS) code = PMPI_Comm_set_attr(to, keyval, value);
    return code;
}

}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove, int* keyval,
                           void* state) {
    int const code = PMPI_Comm_create_keyval(copy, remove, keyval, state);
    if (code == MPI_SUCCESS) keyvals()[*keyval] = {copy, state};
    return code;
}

int MPI_Comm_set_attr(MPI_Comm comm, int keyval, void* value) {
    auto* const lane = lane_of(comm);
    int const code = PMPI_Comm_set_attr(comm, keyval, value);
    if (lane != nullptr) return complain(*lane, code);
    if (comm != MPI_COMM_SELF || code != MPI_SUCCESS) return code;
    std::erase(keyvals_of_self(), keyval);
    keyvals_of_self().push_back(keyval);
    return code;
}

// Functions of MPI-1, which the library still has.
int MPI_Attr_put(MPI_Comm comm, int keyval, void* value) {
    return MPI_Comm_set_attr(comm, keyval, value);
}
int MPI_Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* remove, int* keyval, void* state) {
    return MPI_Comm_create_keyval(copy, remove, keyval, state);
}
}
