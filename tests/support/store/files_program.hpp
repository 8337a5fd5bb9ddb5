// A program that keeps its state in files, whose contents are known at every moment.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "regraft/checkpoint/files.hpp"
#include "support/store/saved_program.hpp"

namespace regraft::test {

inline std::vector<std::byte> read_file(std::filesystem::path const& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return {std::byte{1}, std::byte{2}, std::byte{3}};  // no file of a program has these
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    auto const bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}
inline void write_file(std::filesystem::path const& path, std::span<std::byte const> bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// Files 0 .. n-1 with the contents of SavedProgram, some in folders of their own. Every commit is a moment.
class FilesProgram {
public:
    FilesProgram(ft::Communicator& comm, std::uint64_t num_files, checkpoint::FilesOptions options)
        : files(comm, options), comm_(comm), num_files_(num_files), folder_(options.folder) {}
    FilesProgram(FilesProgram const&) = delete;
    FilesProgram& operator=(FilesProgram const&) = delete;

    static std::string name_of(std::uint64_t k) {
        return (k % 5 == 1 ? "deep/" + std::to_string(k) + "/" : "") + "file " + std::to_string(k);
    }
    static std::uint64_t number_of(std::string const& name) { return std::stoull(name.substr(name.rfind(' '))); }
    std::filesystem::path path_of(std::string const& name) const { return folder_ / name; }

    void begin() {
        for (auto const& name : files.names()) files.remove(name);
        for (std::uint64_t k = 0; k < num_files_; ++k) {
            if (k * k % comm_.size() == comm_.position(comm_.self())) files.route(name_of(k));
        }
        go_to(0);
    }
    void go_to(std::uint64_t next) {
        moment = next;
        for (auto const& name : files.names()) {
            write_file(files.route(name), SavedProgram::content(number_of(name), moment));
        }
    }
    /// What a program that dies leaves: half-written files, and files that are gone.
    void scramble() {
        for (auto const& name : files.names()) {
            if (number_of(name) % 3 == 0) {
                std::filesystem::remove(path_of(name));
            } else {
                write_file(path_of(name), std::vector<std::byte>(number_of(name) % 100, std::byte{77}));
            }
        }
    }

    /// What is wrong after a commit or a restore of this moment; empty: nothing. Collective.
    std::string wrong() const {
        if (!comm_.agree_equal(moment)) return "members are at different moments";
        std::vector<std::string> mine;
        std::uint64_t all = 0;
        for (auto const& [name, home, bytes, stored_bytes] : files.snapshot().committed()) {
            ++all;
            if (home == comm_.self()) mine.push_back(name);
            if (!std::binary_search(comm_.members().begin(), comm_.members().end(), home)) return name + ": no home";
        }
        std::sort(mine.begin(), mine.end());
        if (all != num_files_) return "not all files";
        if (mine != files.names()) return "what is mine is not what is here";
        for (auto const& name : mine) {
            if (read_file(path_of(name)) != SavedProgram::content(number_of(name), moment)) return name + ": wrong";
        }
        return "";
    }

    std::uint64_t moment = 0;
    checkpoint::Files files;

private:
    ft::Communicator& comm_;
    std::uint64_t num_files_;
    std::filesystem::path folder_;
};

}  // namespace regraft::test
