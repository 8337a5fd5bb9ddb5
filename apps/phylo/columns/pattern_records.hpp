// Patterns by the digests of their columns. Ranks that have different sites of an alignment exchange these records to
// find the patterns of all sites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/core/digest.hpp"

namespace regraft::phylo {

/// A pattern without its column.
struct PatternRecord {
    Digest digest;             // of the column, in canonical characters
    std::uint64_t site = 0;    // the first site that has the pattern
    std::uint64_t weight = 0;  // the number of sites that have it
    friend bool operator==(PatternRecord const&, PatternRecord const&) = default;
};

/// The patterns of each partition, in the order in which its sites show them.
class PatternRecords {
public:
    explicit PatternRecords(std::size_t num_partitions) : partitions_(num_partitions) {}

    /// Adds sites that have the same column. Precondition: they are behind those that were added to the partition
    /// before.
    void add(std::size_t partition, PatternRecord const& record);
    std::span<PatternRecord const> operator[](std::size_t partition) const { return partitions_[partition].records; }

    void write(ByteWriter& out) const;
    /// Adds all that were written. Preconditions: as for add; the same number of partitions. Throws InputError.
    void add_written(ByteReader& in);

private:
    struct Partition {
        std::vector<PatternRecord> records;
        std::map<Digest, std::size_t> index;  // of each digest in the records
    };
    std::vector<Partition> partitions_;
};

}  // namespace regraft::phylo
