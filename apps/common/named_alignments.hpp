// Alignments that charsets of a partition file name, each opened once.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "regraft/msa/partition.hpp"

namespace regraft::common {

/// The path of a file that a partition file names: relative to the folder of the partition file.
std::string path_from(std::string const& partitions, std::string const& name);

/// Tells files apart that a partition file names, by what they are and not by how they are spelled.
class NamedFiles {
public:
    explicit NamedFiles(std::string partitions) : partitions_(std::move(partitions)) {}
    std::string path(std::string const& name) const { return path_from(partitions_, name); }
    /// The name by which this file was asked for first; none if there is no such file.
    std::optional<std::string> first_name(std::string const& name);

private:
    struct Identity {
        std::uint64_t device;
        std::uint64_t number;
        auto operator<=>(Identity const&) const = default;
    };
    std::string partitions_;
    std::map<Identity, std::string> first_names_;
};

/// Opens alignments when they are named first. Alignment: has num_sites().
template <class Alignment>
class NamedAlignments {
public:
    using Open = std::function<Alignment(std::string const& path)>;
    NamedAlignments(std::string partitions, Open open) : files_(std::move(partitions)), open_(std::move(open)) {}

    /// An answer to msa::SitesOfFile.
    std::optional<msa::NamedAlignment> find(std::string const& name) {
        auto first = files_.first_name(name);
        if (!first) return std::nullopt;
        auto known = opened_.find(*first);
        if (known == opened_.end()) known = opened_.emplace(*first, open_(path(name))).first;
        return msa::NamedAlignment{known->second.num_sites(), *std::move(first)};
    }
    std::string path(std::string const& name) const { return files_.path(name); }
    /// Precondition: it was found, and this is its first name.
    Alignment& at(std::string const& first_name) { return opened_.at(first_name); }

private:
    NamedFiles files_;
    Open open_;
    std::map<std::string, Alignment> opened_;  // by their first names
};

}  // namespace regraft::common
