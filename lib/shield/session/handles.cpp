#include "shield/session/handles.hpp"

#include <unordered_map>
#include <utility>

namespace regraft::shield {
namespace {

struct Use {
    int users = 0;
    bool freed = false;  // by the program
};

/// Never destroyed, because objects that use it may still exist when the program ends.
template <class Handle>
std::unordered_map<Handle, Use>& used() {
    static auto& handles = *new std::unordered_map<Handle, Use>;
    return handles;
}

template <class Handle>
void acquire(Handle handle) {
    ++used<Handle>()[handle].users;
}

template <class Handle, class Free>
void release(Handle handle, Free const& free) {
    auto const found = used<Handle>().find(handle);
    if (--found->second.users > 0) return;
    bool const freed = found->second.freed;
    used<Handle>().erase(found);
    if (freed) free(&handle);
}

/// Whether freeing the handle has to wait.
template <class Handle>
bool waits(Handle* handle, Handle none) {
    auto const found = used<Handle>().find(*handle);
    if (found == used<Handle>().end()) return false;
    found->second.freed = true;
    *handle = none;
    return true;
}

}  // namespace

Uses::Uses(std::vector<MPI_Datatype> types, MPI_Op operation) : types_(std::move(types)), operation_(operation) {
    for (auto const type : types_) acquire(type);
    if (operation_ != MPI_OP_NULL) acquire(operation_);
}

Uses::~Uses() {
    for (auto const type : types_) release(type, PMPI_Type_free);
    if (operation_ != MPI_OP_NULL) release(operation_, PMPI_Op_free);
}

}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Type_free(MPI_Datatype* type) {
    return waits<MPI_Datatype>(type, MPI_DATATYPE_NULL) ? MPI_SUCCESS : PMPI_Type_free(type);
}
int MPI_Op_free(MPI_Op* operation) {
    return waits<MPI_Op>(operation, MPI_OP_NULL) ? MPI_SUCCESS : PMPI_Op_free(operation);
}
}
