// What it costs to save and to open a store beside what the disk takes for the same bytes: plain pwrite, fsync and
// rename over the file before, and plain pread, by all at once into and from the same number of files. An MPI job:
// store_disk FOLDER [MIB_EACH [PAIRS]], or --smoke; rank 0 prints a line of JSON for each operation: medians of the
// slowest rank's seconds, and the median of the ratios of neighbouring pairs.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"

namespace {

using namespace regraft;
namespace fs = std::filesystem;

constexpr std::uint64_t block_bytes = 64;

double seconds(ft::Communicator& comm, std::function<void()> const& body) {
    MPI_Barrier(comm.native());
    auto const begin = MPI_Wtime();
    body();
    double spent = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MAX, comm.native());
    return spent;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

void require(bool done, char const* what) {
    if (done) return;
    std::perror(what);
    std::abort();
}

/// The bytes of all members in files of their own, or in one, by the system's calls alone: without checksums, and only
/// a single file is replaced as a whole.
class PlainFiles {
public:
    PlainFiles(ft::Communicator& comm, fs::path const& folder, bool shared, std::uint64_t bytes_each)
        : comm_(comm),
          renames_(!shared || comm.leads()),
          path_(folder / (shared ? "plain" : "plain." + std::to_string(value(comm.self())))),
          begin_(shared ? value(comm.self()) * bytes_each : 0) {}

    void write(std::span<std::byte const> bytes) const {
        auto const unfinished = path_.string() + ".tmp";
        int const file = open(unfinished.c_str(), O_WRONLY | O_CREAT, 0666);
        require(file >= 0, unfinished.c_str());
        for (std::uint64_t at = 0; at < bytes.size(); at += chunk) {
            auto const part = bytes.subspan(at, std::min(chunk, bytes.size() - at));
            auto const written = pwrite(file, part.data(), part.size(), static_cast<off_t>(begin_ + at));
            require(written == static_cast<ssize_t>(part.size()), "pwrite");
        }
        require(fsync(file) == 0 && close(file) == 0, "fsync");
        MPI_Barrier(comm_.native());
        if (renames_) fs::rename(unfinished, path_);
        MPI_Barrier(comm_.native());
    }
    std::vector<std::byte> read(std::uint64_t size) const {
        std::vector<std::byte> out(size);
        int const file = open(path_.c_str(), O_RDONLY);
        require(file >= 0, path_.c_str());
        for (std::uint64_t at = 0; at < size; at += chunk) {
            auto const part = std::span(out).subspan(at, std::min(chunk, size - at));
            auto const count = pread(file, part.data(), part.size(), static_cast<off_t>(begin_ + at));
            require(count == static_cast<ssize_t>(part.size()), "pread");
        }
        close(file);
        return out;
    }

private:
    static constexpr std::uint64_t chunk = 1 << 20;
    ft::Communicator& comm_;
    bool renames_;
    fs::path path_;
    std::uint64_t begin_;
};

/// Times of one operation by the system's calls and by the library, in turn.
struct Pairs {
    std::vector<double> plain, regraft, ratios;
    void add(double a, double b) {
        plain.push_back(a);
        regraft.push_back(b);
        ratios.push_back(b / a);
    }
    void print(std::string const& name) const {
        std::printf("{\"name\": \"%s\", \"plain_s\": %.6f, \"regraft_s\": %.6f, \"ratio\": %.3f, \"pairs\": %zu}\n",
                    name.c_str(), median(plain), median(regraft), median(ratios), ratios.size());
    }
};

void run(ft::Communicator& comm, fs::path const& folder, std::uint64_t bytes_each, bool shared, int pairs) {
    auto const size = static_cast<std::uint32_t>(comm.size());
    auto const blocks_each = bytes_each / block_bytes;
    BlockRange const mine{BlockId{value(comm.self()) * blocks_each}, BlockId{(value(comm.self()) + 1) * blocks_each}};
    std::vector<std::byte> data(bytes_each);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 2654435761U >> 13);
    store::ReplicatedStore store(comm);
    store.submit(placement::ModK(blocks_each * size, size, std::min(2U, size)), mine, data, block_bytes);

    PlainFiles const plain(comm, folder, shared, bytes_each);
    auto const archive = folder / (shared ? "one" : "each");
    Pairs saves, opens;
    for (int i = 0; i <= pairs; ++i) {
        auto const written = seconds(comm, [&] { plain.write(data); });
        store::SaveOptions const options{.files = shared ? 1 : size, .kept = 1};
        auto const saved = seconds(comm, [&] { static_cast<void>(store.save(archive, options)); });
        std::vector<std::byte> again;
        auto const read = seconds(comm, [&] { again = plain.read(bytes_each); });
        if (again != data) std::abort();
        store::Opened ours;
        auto const opened = seconds(comm, [&] { ours = store::open(comm, archive); });
        if (!std::ranges::equal(ours.bytes, data)) std::abort();
        if (i == 0) continue;
        saves.add(written, saved);
        opens.add(read, opened);
    }
    if (!comm.leads()) return;
    auto const name = std::string(shared ? "one_file" : "file_each");
    saves.print(name + "/save");
    opens.print(name + "/open");
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        ft::Communicator comm(MPI_COMM_WORLD);
        bool const smoke = argc < 2 || std::string_view(argv[1]) == "--smoke";
        auto const folder = smoke ? fs::temp_directory_path() : fs::path(argv[1]);
        auto const bytes_each = (smoke ? 1 : argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 16) << 20;
        int const pairs = smoke ? 1 : argc > 3 ? std::atoi(argv[3]) : 15;
        for (bool const shared : {true, false}) run(comm, folder, bytes_each, shared, pairs);
    }
    MPI_Finalize();
}
