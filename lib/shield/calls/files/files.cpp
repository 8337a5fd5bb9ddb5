#include "shield/calls/files/files.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "ft/backend.hpp"
#include "regraft/core/bytes.hpp"
#include "shield/engine/creation.hpp"

namespace regraft::shield {
namespace {

constexpr int of_the_first = MPI_MODE_CREATE | MPI_MODE_EXCL;

std::unordered_map<MPI_File, File>& files() {
    static auto& open_files = *new std::unordered_map<MPI_File, File>;  // some may be open when the program ends
    return open_files;
}

/// The same code on all members: the error class that one of them has, or MPI_SUCCESS.
int agree_on(Lane& lane, int code) {
    int const mine = class_of(code);
    int worst = mine;
    MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, lane.face);
    return worst;
}

bool exists(char const* name, MPI_Info info) {
    MPI_File file = MPI_FILE_NULL;
    int const code = PMPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, info, &file);
    if (code == MPI_SUCCESS) PMPI_File_close(&file);
    return class_of(code) != MPI_ERR_NO_SUCH_FILE;
}

/// Opens the file on each member once: the first also creates it, and the others find it.
class Opening {
public:
    Opening(Lane& lane, char const* name, int mode, MPI_Info info)
        : lane_(lane), name_(name), mode_(mode & ~MPI_MODE_DELETE_ON_CLOSE), info_(info) {}

    /// Opens the file. Returns the same error class on all members.
    int open(MPI_File* file) {
        if (int const code = look(); code != MPI_SUCCESS) return code;
        auto const created = static_cast<int>(first_tells(lane_, [&] { return std::int64_t{class_of(create())}; }));
        if (created == MPI_SUCCESS && file_ == MPI_FILE_NULL)
            code_ = PMPI_File_open(MPI_COMM_SELF, name_, mode_ & ~of_the_first, info_, &file_);
        int const agreed = agree_on(lane_, created != MPI_SUCCESS ? created : code_);
        if (agreed != MPI_SUCCESS && file_ != MPI_FILE_NULL) PMPI_File_close(&file_);
        *file = file_;
        return agreed;
    }

private:
    /// For files that must not exist. All members know that the file did not exist before one creates it, and the
    /// member that has looked creates it exclusively. If that member dies, the file that others find is this job's.
    int look() {
        if ((mode_ & MPI_MODE_EXCL) == 0) return MPI_SUCCESS;
        bool const there = first_tells(lane_, [&] {
            looked_ = true;
            return std::int64_t{exists(name_, info_)};
        });
        MPI_Barrier(lane_.face);
        return there ? MPI_ERR_FILE_EXISTS : MPI_SUCCESS;
    }

    int create() {
        if (file_ == MPI_FILE_NULL)
            code_ = PMPI_File_open(MPI_COMM_SELF, name_, looked_ ? mode_ : mode_ & ~MPI_MODE_EXCL, info_, &file_);
        return code_;
    }

    Lane& lane_;
    char const* name_;
    int mode_;
    MPI_Info info_;
    bool looked_ = false;
    int code_ = MPI_SUCCESS;
    MPI_File file_ = MPI_FILE_NULL;
};

/// The position in a name where its path begins. A prefix may tell MPI the file system.
std::size_t begin_of_path(std::string const& name) {
    auto const colon = name.find(':');
    return colon != std::string::npos && name.find('/') > colon ? colon + 1 : 0;
}

/// The absolute name, because the program may change its directory before the file is closed.
std::string absolute(std::string const& name) {
    auto const begin = begin_of_path(name);
    std::error_code error;  // the present directory may be unknown
    auto const path = std::filesystem::absolute(name.substr(begin), error);
    return error ? name : name.substr(0, begin) + path.string();
}

/// A path beside the file that no other job or opening uses.
std::string pointer_path(Lane const& lane, std::string const& name) {
    char const* const job = std::getenv("PMIX_NAMESPACE");
    ByteWriter which;
    which.put(lane.id);
    which.put_text(job == nullptr ? "" : job);
    return name.substr(begin_of_path(name)) + "." + std::to_string(hash(which.bytes())) + ".pointer";
}

/// Removes a pointer file that another job may have left, and sets the pointer to the begin of the file.
void prepare_pointer(Lane& lane, File& file, MPI_File handle) {
    file.pointer = std::make_unique<SharedPointer>(pointer_path(lane, file.name));
    static_cast<void>(first_tells(lane, [&] {
        file.pointer->remove();
        MPI_Offset size = 0;
        if ((file.mode & MPI_MODE_APPEND) != 0 && PMPI_File_get_size(handle, &size) == MPI_SUCCESS)
            static_cast<void>(file.pointer->set(size));
        return std::int64_t{0};
    }));
}

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

bool has_files() {
    return !files().empty();
}

File* find_file(MPI_File file) {
    auto const found = files().find(file);
    return found == files().end() ? nullptr : &found->second;
}

void guard_file(char const* call, MPI_File file) {
    if (session().shield == nullptr || !ft::backend::knows_of_deaths(MPI_COMM_WORLD) || find_file(file) != nullptr)
        return;
    MPI_Group group = MPI_GROUP_NULL;
    int size = 1;
    if (PMPI_File_get_group(file, &group) == MPI_SUCCESS) {
        PMPI_Group_size(group, &size);
        PMPI_Group_free(&group);
    }
    if (size > 1) refuse(call, "a rank has died, and the communicator of the file is not shielded");
}

int meet(File const& file) {
    return MPI_Barrier(file.face);
}

}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_File_open(MPI_Comm comm, char const* name, int mode, MPI_Info info, MPI_File* handle) {
    auto* const parent = lane_of(comm);
    if (parent == nullptr) return PMPI_File_open(comm, name, mode, info, handle);
    File file;
    file.name = absolute(name);
    file.mode = mode;
    *handle = MPI_FILE_NULL;
    if (int const code = duplicate(*session().shield, *parent, &file.face); code != MPI_SUCCESS)
        return complain(*parent, code);
    auto& lane = *lane_of(file.face);
    if (int const code = Opening(lane, name, mode, info).open(handle); code != MPI_SUCCESS) {
        release(*session().shield, lane);
        PMPI_File_call_errhandler(MPI_FILE_NULL, code);
        return code;
    }
    MPI_Comm_group(file.face, &file.group);
    prepare_pointer(lane, file, *handle);
    files().emplace(*handle, std::move(file));
    return MPI_SUCCESS;
}

int MPI_File_close(MPI_File* handle) {
    auto node = files().extract(*handle);
    if (!node) {
        guard_file("MPI_File_close", *handle);
        return PMPI_File_close(handle);
    }
    auto& file = node.mapped();
    int const code = PMPI_File_close(handle);
    auto& lane = *lane_of(file.face);
    meet(file);
    static_cast<void>(first_tells(lane, [&] {
        file.pointer->remove();
        if ((file.mode & MPI_MODE_DELETE_ON_CLOSE) != 0) PMPI_File_delete(file.name.c_str(), MPI_INFO_NULL);
        return std::int64_t{0};
    }));
    PMPI_Group_free(&file.group);
    release(*session().shield, lane);
    return code;
}

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
