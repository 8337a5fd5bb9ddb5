#include "common/alignment_input.hpp"

#include <span>
#include <string_view>
#include <utility>

#include "common/input.hpp"
#include "common/text_input.hpp"
#include "regraft/codec/rgm.hpp"

namespace regraft::common {
namespace {

bool is_rgm(std::string_view content) {
    constexpr std::size_t head = 4;
    return content.size() >= head && codec::is_rgm(std::as_bytes(std::span(content)));
}

AlignmentInput unpack_rgm(std::string_view content, std::string const& name) {
    auto const bytes = std::as_bytes(std::span(content));
    codec::RgmFile const file(codec::bytes_in_memory({bytes.begin(), bytes.end()}, name),
                              {.most_text = most_text(bytes.size())});
    file.verify();  // a computation on it may take hours
    SiteRange const all{SiteId{0}, SiteId{file.num_sites()}};
    AlignmentInput input{file.read(all).rows(all), file.extras().partitions};
    input.alignment.file = name;
    return input;
}

}  // namespace

AlignmentInput read_alignment(std::string const& path, msa::NotSnp not_snps) {
    auto const name = shown_input(path);
    TextInput input(path);
    auto head = read_head(input);
    if (msa::is_vcf(head)) {
        auto const read = [&](std::span<char> buffer) { return read_behind(head, input, buffer); };
        auto [alignment, skipped] = msa::read_vcf(read, name, not_snps);
        return {std::move(alignment), {}, skipped};
    }
    auto const content = std::move(head) + input.rest();
    if (is_rgm(content)) return unpack_rgm(content, name);
    return {msa::parse_alignment(content, name), {}};
}

}  // namespace regraft::common
