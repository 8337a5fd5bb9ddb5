// The columns of an .rgm file, which are decoded when they are needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "input/input.hpp"
#include "regraft/codec/rgm.hpp"
#include "regraft/core/ids.hpp"

namespace regraft::phylo {

class RgmColumns {
public:
    /// None if the path is no .rgm file on disk, or one that holds a text, which can only be read as a whole. Throws
    /// InputError.
    static std::optional<RgmColumns> open(std::filesystem::path const& path);

    codec::RgmFile const& file() const { return file_; }

    /// Receives a site and its column, one character per taxon.
    using Use = std::function<void(std::uint64_t site, std::span<char const> column)>;
    /// Decodes the columns of some sites in their order. Memory: some MiB, or that of a block of the file; of a sparse
    /// file also that of all its differences. Throws InputError. Precondition: sites within the alignment.
    void visit(SiteRange sites, Use const& use) const;
    /// The same for single sites. Precondition: they increase.
    void visit(std::span<std::uint64_t const> sites, Use const& use) const;

    /// The blocks of some patterns, one behind the other. Decodes little more than where they are. Throws InputError
    /// also if a column is not what it was. Precondition: the dataset has the origins of its patterns.
    std::vector<std::byte> blocks(Dataset const& dataset, BlockRange patterns) const;

private:
    RgmColumns(codec::RgmFile file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

    codec::RgmFile file_;
    std::string name_;
};

/// Columns in the canonical characters of their partitions' alphabets.
class CanonicalColumns {
public:
    explicit CanonicalColumns(std::span<ModelSpec const> specs);
    /// A character that is not in the alphabet becomes 0. Valid until the next call.
    std::span<char const> of(std::size_t partition, std::span<char const> column);

private:
    std::vector<std::array<char, 256>> tables_;  // per partition
    std::vector<char> column_;
};

}  // namespace regraft::phylo
