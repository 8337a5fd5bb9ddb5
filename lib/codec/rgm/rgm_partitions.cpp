// Partitions: models and names as alternating lines; then for each partition the number of strides, and for each stride
// the first site, its length, and the step.
#include <algorithm>
#include <string>

#include "codec/rgm/rgm_format.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/alignment.hpp"

namespace regraft::codec {
namespace {

[[noreturn]] void fail_damaged_partitions() {
    throw InputError("the partitions are damaged");
}

msa::SiteStride decode_stride(FormatReader& in, std::uint64_t num_sites) {
    msa::SiteStride stride;
    stride.first = in.number();
    auto const length = in.number();
    stride.step = in.number();
    if (stride.first >= num_sites || length == 0 || length > num_sites - stride.first) fail_damaged_partitions();
    if (stride.step == 0) fail_damaged_partitions();
    stride.last = stride.first + length;
    return stride;
}

void check_distinct(std::span<std::string const> names) {
    try {
        msa::check_names(names, {});
    } catch (InputError const&) {
        fail_damaged_partitions();  // the original message speaks of taxa
    }
}

void check_printable(std::string const& text) {
    check_distinct({&text, 1});
}

}  // namespace

std::vector<std::byte> encode_partitions(std::span<msa::PartitionSpec const> partitions, std::uint64_t before) {
    std::vector<std::string> texts;
    for (auto const& partition : partitions) texts.insert(texts.end(), {partition.model, partition.name});
    FormatWriter out;
    if (partitions.empty()) return out.take();
    out.section(encode_lines(texts, before));
    for (auto const& partition : partitions) {
        out.number(partition.sites.size());
        for (auto const& stride : partition.sites) {
            out.number(stride.first);
            out.number(stride.last - stride.first);
            out.number(stride.step);
        }
    }
    return out.take();
}

std::vector<msa::PartitionSpec> decode_partitions(std::span<std::byte const> section, std::uint64_t num_sites,
                                                  std::uint64_t before) {
    std::vector<msa::PartitionSpec> partitions;
    if (section.empty()) return partitions;
    FormatReader in(section);
    auto const texts = decode_lines(in.section(), before, section.size());
    if (texts.empty() || texts.size() % 2 != 0) fail_damaged_partitions();
    std::vector<std::string> names;
    std::uint64_t sites_seen = 0;
    for (std::size_t i = 0; i < texts.size(); i += 2) {
        auto& partition = partitions.emplace_back();
        partition.model = texts[i];
        partition.name = texts[i + 1];
        check_printable(partition.model);
        names.push_back(partition.name);
        for (auto strides = in.number(); strides > 0; --strides) {
            partition.sites.push_back(decode_stride(in, num_sites));
            auto const& stride = partition.sites.back();
            sites_seen += (stride.last - stride.first - 1) / stride.step + 1;
            if (sites_seen > num_sites) fail_damaged_partitions();
        }
    }
    in.expect_end();
    check_distinct(names);
    if (sites_seen != num_sites) fail_damaged_partitions();
    return partitions;
}

}  // namespace regraft::codec
