// File pointers that all processes share. Each process reads and writes its own part at the place that the pointer gave
// it.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "shield/calls/files/files.hpp"

namespace regraft::shield {
namespace {

constexpr std::int64_t none = -1;

std::int64_t units(File const& file, int count, MPI_Datatype type) {
    int size = 0;
    PMPI_Type_size(type, &size);
    return file.etype_size == 0 ? 0 : std::int64_t{size} * count / file.etype_size;
}

/// The end of the file, in units of the view.
std::int64_t end_of(MPI_File file) {
    MPI_Offset position = 0;
    MPI_Offset end = 0;
    if (PMPI_File_get_position(file, &position) != MPI_SUCCESS) return none;
    int const code = PMPI_File_seek(file, 0, MPI_SEEK_END);
    PMPI_File_get_position(file, &end);
    PMPI_File_seek(file, position, MPI_SEEK_SET);
    return code == MPI_SUCCESS ? end : none;
}

int no_pointer(MPI_File file) {
    PMPI_File_call_errhandler(file, MPI_ERR_IO);
    return MPI_ERR_IO;
}

/// Runs a call at the shared pointer: native, which takes an offset. passed: the call of the program. more: the other
/// arguments of both.
template <class Native, class Passed, class Data, class... More>
int at_pointer(char const* call, MPI_File handle, Native native, Passed passed, Data* data, int count,
               MPI_Datatype type, More... more) {
    guard_file(call, handle);
    auto* const file = find_file(handle);
    if (file == nullptr) return passed(handle, data, count, type, more...);
    auto const offset = file->pointer->add(units(*file, count, type));
    return offset ? native(handle, *offset, data, count, type, more...) : no_pointer(handle);
}

/// Returns the position of the pointer on all members, before any of them moves it. Without the barrier, the member
/// that reads it might move it and die while others had not heard; the next one would then read the new position.
template <class Compute>
std::int64_t old_place(Lane& lane, Compute const& compute) {
    auto const place = first_tells(lane, compute);
    MPI_Barrier(lane.face);
    return place;
}

/// Runs a call in the order of ranks, among the living: there are no gaps for the dead. Parameters as in at_pointer.
template <class Native, class Passed, class Data, class... More>
int in_order(char const* call, MPI_File handle, Native native, Passed passed, Data* data, int count, MPI_Datatype type,
             More... more) {
    guard_file(call, handle);
    auto* const file = find_file(handle);
    if (file == nullptr) return passed(handle, data, count, type, more...);
    auto& lane = *lane_of(file->face);
    std::int64_t const mine = units(*file, count, type);
    std::vector<std::int64_t> all(lane.size());
    MPI_Allgather(&mine, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, lane.face);
    auto const begin = old_place(lane, [&] { return file->pointer->get().value_or(none); });
    std::int64_t before = begin;
    std::int64_t end = begin;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        auto const count_there = std::max<std::int64_t>(all[rank], 0);  // a hole counts as 0, whatever byte fills it
        if (rank < static_cast<std::size_t>(lane.self)) before += count_there;
        end += count_there;
    }
    auto const moved = first_tells(lane, [&] { return file->pointer->set(end).value_or(none); });
    if (begin == none || moved == none) return no_pointer(handle);
    return native(handle, before, data, count, type, more...);
}

/// Ends what in_order() has begun.
template <class Native, class Passed, class Data>
int end_in_order(char const* call, MPI_File handle, Native native, Passed passed, Data* data, MPI_Status* status) {
    if (find_file(handle) != nullptr) return native(handle, data, status);
    guard_file(call, handle);
    return passed(handle, data, status);
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_File_read_shared(MPI_File file, void* data, int count, MPI_Datatype type, MPI_Status* status) {
    return at_pointer("MPI_File_read_shared", file, PMPI_File_read_at, PMPI_File_read_shared, data, count, type,
                      status);
}
int MPI_File_write_shared(MPI_File file, void const* data, int count, MPI_Datatype type, MPI_Status* status) {
    return at_pointer("MPI_File_write_shared", file, PMPI_File_write_at, PMPI_File_write_shared, data, count, type,
                      status);
}
int MPI_File_iread_shared(MPI_File file, void* data, int count, MPI_Datatype type, MPI_Request* request) {
    return at_pointer("MPI_File_iread_shared", file, PMPI_File_iread_at, PMPI_File_iread_shared, data, count, type,
                      request);
}
int MPI_File_iwrite_shared(MPI_File file, void const* data, int count, MPI_Datatype type, MPI_Request* request) {
    return at_pointer("MPI_File_iwrite_shared", file, PMPI_File_iwrite_at, PMPI_File_iwrite_shared, data, count, type,
                      request);
}

int MPI_File_read_ordered(MPI_File file, void* data, int count, MPI_Datatype type, MPI_Status* status) {
    return in_order("MPI_File_read_ordered", file, MPI_File_read_at_all, PMPI_File_read_ordered, data, count, type,
                    status);
}
int MPI_File_write_ordered(MPI_File file, void const* data, int count, MPI_Datatype type, MPI_Status* status) {
    return in_order("MPI_File_write_ordered", file, MPI_File_write_at_all, PMPI_File_write_ordered, data, count, type,
                    status);
}
int MPI_File_read_ordered_begin(MPI_File file, void* data, int count, MPI_Datatype type) {
    return in_order("MPI_File_read_ordered_begin", file, PMPI_File_read_at_all_begin, PMPI_File_read_ordered_begin,
                    data, count, type);
}
int MPI_File_read_ordered_end(MPI_File file, void* data, MPI_Status* status) {
    return end_in_order("MPI_File_read_ordered_end", file, MPI_File_read_at_all_end, PMPI_File_read_ordered_end, data,
                        status);
}
int MPI_File_write_ordered_begin(MPI_File file, void const* data, int count, MPI_Datatype type) {
    return in_order("MPI_File_write_ordered_begin", file, PMPI_File_write_at_all_begin, PMPI_File_write_ordered_begin,
                    data, count, type);
}
int MPI_File_write_ordered_end(MPI_File file, void const* data, MPI_Status* status) {
    return end_in_order("MPI_File_write_ordered_end", file, MPI_File_write_at_all_end, PMPI_File_write_ordered_end,
                        data, status);
}

int MPI_File_seek_shared(MPI_File handle, MPI_Offset offset, int whence) {
    guard_file("MPI_File_seek_shared", handle);
    auto* const file = find_file(handle);
    if (file == nullptr) return PMPI_File_seek_shared(handle, offset, whence);
    meet(*file);
    auto& lane = *lane_of(file->face);
    auto const begin = old_place(lane, [&] {
        if (whence == MPI_SEEK_SET) return std::int64_t{0};
        return whence == MPI_SEEK_CUR ? file->pointer->get().value_or(none) : end_of(handle);
    });
    bool const wrong = begin == none || begin + offset < 0;
    auto const moved =
        first_tells(lane, [&] { return wrong ? none : file->pointer->set(begin + offset).value_or(none); });
    return moved == none ? no_pointer(handle) : MPI_SUCCESS;
}
int MPI_File_get_position_shared(MPI_File handle, MPI_Offset* offset) {
    guard_file("MPI_File_get_position_shared", handle);
    auto* const file = find_file(handle);
    if (file == nullptr) return PMPI_File_get_position_shared(handle, offset);
    auto const position = file->pointer->get();
    if (!position) return no_pointer(handle);
    *offset = *position;
    return MPI_SUCCESS;
}
}
