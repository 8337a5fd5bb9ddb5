// Opens and closes files.
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
}
