// A file with blocks, mapped into memory. It has no more than that: manifests say which blocks lie where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "store/kept/folder.hpp"

namespace regraft::store {

/// Behind the blocks the file has a mark: the generation whose blocks it has, and whether that was agreed on. The mark
/// is taken away before blocks are overwritten. So a file is never taken for one of a generation that it had before.
class Segment {
public:
    /// Makes a new file, of which every page has its place. Throws InputError.
    static std::unique_ptr<Segment> make(std::shared_ptr<KeptFolder> folder, std::string name, std::uint64_t bytes);
    /// Opens a file that another process has left. Throws InputError if it is shorter than that, or has another mark.
    /// The file stays.
    static std::unique_ptr<Segment> open(std::shared_ptr<KeptFolder> folder, std::string name, std::uint64_t bytes,
                                         std::uint64_t mark);
    Segment(Segment const&) = delete;
    Segment& operator=(Segment const&) = delete;
    /// Removes the file unless it is to stay.
    ~Segment();

    std::span<std::byte> bytes() { return {data_, bytes_}; }
    std::string const& name() const { return name_; }
    void mark(std::uint64_t generation);
    /// Whether the file is marked as one of the generation.
    bool has_mark(std::uint64_t generation) const;
    void mark_agreed(std::uint64_t generation);
    bool is_agreed(std::uint64_t generation) const;
    /// Gives the file a further name, which is its own from now on. Throws InputError.
    void link(std::string name);
    void stay() { stays_ = true; }
    void go() { stays_ = false; }

private:
    struct Mark;
    Segment(std::shared_ptr<KeptFolder> folder, std::string name, std::uint64_t bytes, int descriptor);
    Mark& mark() const;

    std::shared_ptr<KeptFolder> folder_;
    std::string name_;
    std::byte* data_ = nullptr;
    std::uint64_t bytes_ = 0;
    bool stays_ = false;
};

}  // namespace regraft::store
