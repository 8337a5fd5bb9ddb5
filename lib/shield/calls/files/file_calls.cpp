// Calls on open files, but those with a shared pointer: each process makes them on its own MPI file.
#include <mpi.h>

#include "shield/calls/files/files.hpp"

namespace regraft::shield {
namespace {

/// Runs a call that each process makes alone, but that all must make.
template <class Native, class... Arguments>
int individually(char const* call, MPI_File file, Native native, Arguments... arguments) {
    guard_file(call, file);
    return native(file, arguments...);
}

/// Runs a call whose effects by one process are complete when it returns on all.
template <class Native, class... Arguments>
int together(char const* call, MPI_File file, Native native, Arguments... arguments) {
    guard_file(call, file);
    int const code = native(file, arguments...);
    auto const* const shielded = find_file(file);
    int const met = shielded == nullptr ? MPI_SUCCESS : meet(*shielded);
    return code != MPI_SUCCESS ? code : met;
}

/// Runs a call that changes the file itself, once: the first living member does it when all have come.
template <class Native>
int once(char const* call, MPI_File handle, Native const& native) {
    guard_file(call, handle);
    auto const* const file = find_file(handle);
    if (file == nullptr) return native();
    meet(*file);
    return static_cast<int>(first_tells(*lane_of(file->face), [&] { return std::int64_t{class_of(native())}; }));
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_File_set_size(MPI_File file, MPI_Offset size) {
    return once("MPI_File_set_size", file, [&] { return PMPI_File_set_size(file, size); });
}
int MPI_File_preallocate(MPI_File file, MPI_Offset size) {
    return once("MPI_File_preallocate", file, [&] { return PMPI_File_preallocate(file, size); });
}
int MPI_File_sync(MPI_File file) {
    return together("MPI_File_sync", file, PMPI_File_sync);
}

int MPI_File_get_group(MPI_File handle, MPI_Group* group) {
    auto const* const file = find_file(handle);
    if (file == nullptr) return PMPI_File_get_group(handle, group);
    return PMPI_Group_union(file->group, MPI_GROUP_EMPTY, group);
}
int MPI_File_get_amode(MPI_File handle, int* mode) {
    auto const* const file = find_file(handle);
    if (file == nullptr) return PMPI_File_get_amode(handle, mode);
    *mode = file->mode;
    return MPI_SUCCESS;
}

/// It also resets all pointers to the begin of the view.
int MPI_File_set_view(MPI_File handle, MPI_Offset begin, MPI_Datatype etype, MPI_Datatype filetype,
                      char const* representation, MPI_Info info) {
    guard_file("MPI_File_set_view", handle);
    int const code = PMPI_File_set_view(handle, begin, etype, filetype, representation, info);
    auto* const file = find_file(handle);
    if (file == nullptr || code != MPI_SUCCESS) return code;
    PMPI_Type_size(etype, &file->etype_size);
    meet(*file);
    static_cast<void>(first_tells(*lane_of(file->face), [&] { return file->pointer->reset().value_or(0); }));
    return code;
}
int MPI_File_set_info(MPI_File file, MPI_Info info) {
    return individually("MPI_File_set_info", file, PMPI_File_set_info, info);
}
int MPI_File_set_atomicity(MPI_File file, int flag) {
    return together("MPI_File_set_atomicity", file, PMPI_File_set_atomicity, flag);
}

int MPI_File_read_all(MPI_File file, void* data, int count, MPI_Datatype type, MPI_Status* status) {
    return together("MPI_File_read_all", file, PMPI_File_read, data, count, type, status);
}
int MPI_File_write_all(MPI_File file, void const* data, int count, MPI_Datatype type, MPI_Status* status) {
    return together("MPI_File_write_all", file, PMPI_File_write, data, count, type, status);
}
int MPI_File_read_at_all(MPI_File file, MPI_Offset offset, void* data, int count, MPI_Datatype type,
                         MPI_Status* status) {
    return together("MPI_File_read_at_all", file, PMPI_File_read_at, offset, data, count, type, status);
}
int MPI_File_write_at_all(MPI_File file, MPI_Offset offset, void const* data, int count, MPI_Datatype type,
                          MPI_Status* status) {
    return together("MPI_File_write_at_all", file, PMPI_File_write_at, offset, data, count, type, status);
}

int MPI_File_iread_all(MPI_File file, void* data, int count, MPI_Datatype type, MPI_Request* request) {
    return individually("MPI_File_iread_all", file, PMPI_File_iread_all, data, count, type, request);
}
int MPI_File_iwrite_all(MPI_File file, void const* data, int count, MPI_Datatype type, MPI_Request* request) {
    return individually("MPI_File_iwrite_all", file, PMPI_File_iwrite_all, data, count, type, request);
}
int MPI_File_iread_at_all(MPI_File file, MPI_Offset offset, void* data, int count, MPI_Datatype type,
                          MPI_Request* request) {
    return individually("MPI_File_iread_at_all", file, PMPI_File_iread_at_all, offset, data, count, type, request);
}
int MPI_File_iwrite_at_all(MPI_File file, MPI_Offset offset, void const* data, int count, MPI_Datatype type,
                           MPI_Request* request) {
    return individually("MPI_File_iwrite_at_all", file, PMPI_File_iwrite_at_all, offset, data, count, type, request);
}

int MPI_File_read_all_begin(MPI_File file, void* data, int count, MPI_Datatype type) {
    return individually("MPI_File_read_all_begin", file, PMPI_File_read_all_begin, data, count, type);
}
int MPI_File_read_all_end(MPI_File file, void* data, MPI_Status* status) {
    return together("MPI_File_read_all_end", file, PMPI_File_read_all_end, data, status);
}
int MPI_File_write_all_begin(MPI_File file, void const* data, int count, MPI_Datatype type) {
    return individually("MPI_File_write_all_begin", file, PMPI_File_write_all_begin, data, count, type);
}
int MPI_File_write_all_end(MPI_File file, void const* data, MPI_Status* status) {
    return together("MPI_File_write_all_end", file, PMPI_File_write_all_end, data, status);
}
int MPI_File_read_at_all_begin(MPI_File file, MPI_Offset offset, void* data, int count, MPI_Datatype type) {
    return individually("MPI_File_read_at_all_begin", file, PMPI_File_read_at_all_begin, offset, data, count, type);
}
int MPI_File_read_at_all_end(MPI_File file, void* data, MPI_Status* status) {
    return together("MPI_File_read_at_all_end", file, PMPI_File_read_at_all_end, data, status);
}
int MPI_File_write_at_all_begin(MPI_File file, MPI_Offset offset, void const* data, int count, MPI_Datatype type) {
    return individually("MPI_File_write_at_all_begin", file, PMPI_File_write_at_all_begin, offset, data, count, type);
}
int MPI_File_write_at_all_end(MPI_File file, void const* data, MPI_Status* status) {
    return together("MPI_File_write_at_all_end", file, PMPI_File_write_at_all_end, data, status);
}
}
