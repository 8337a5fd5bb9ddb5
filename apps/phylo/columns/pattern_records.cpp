#include "columns/pattern_records.hpp"

namespace regraft::phylo {

void PatternRecords::add(std::size_t partition, PatternRecord const& record) {
    auto& [records, index] = partitions_[partition];
    auto const [entry, is_new] = index.try_emplace(record.digest, records.size());
    if (is_new) {
        records.push_back(record);
    } else {
        records[entry->second].weight += record.weight;
    }
}

void PatternRecords::write(ByteWriter& out) const {
    for (auto const& partition : partitions_) out.put_all(std::span<PatternRecord const>(partition.records));
}

void PatternRecords::add_written(ByteReader& in) {
    for (std::size_t q = 0; q < partitions_.size(); ++q) {
        for (auto const& record : in.get_all<PatternRecord>()) add(q, record);
    }
}

}  // namespace regraft::phylo
