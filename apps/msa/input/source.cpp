#include "input/source.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "common/input.hpp"
#include "common/text_input.hpp"
#include "common/words.hpp"
#include "input/files.hpp"
#include "input/progress.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/maple.hpp"
#include "regraft/msa/text_layout.hpp"

namespace regraft::msa_cli {

using namespace common;
using codec::RowUse;

namespace {

constexpr std::size_t hashed_at_once = std::size_t{1} << 20;

/// Passes a text on, and keeps it as long as it is short.
class Recorder {
public:
    Recorder(TextInput& file, std::string head, std::size_t most_kept)
        : file_(file), head_(std::move(head)), most_kept_(most_kept) {}

    std::size_t read(std::span<char> buffer) {
        auto const size = read_behind(head_, file_, buffer);
        std::string_view const piece(buffer.data(), size);
        hashes_.add(piece);
        keeps_all_ = keeps_all_ && kept_.size() + size <= most_kept_;
        if (keeps_all_) {
            kept_ += piece;
        } else {
            std::string().swap(kept_);
        }
        return size;
    }

    /// The whole text, unless too much has been read.
    std::optional<std::string> text() {
        if (!keeps_all_) return std::nullopt;
        return std::move(kept_) + std::move(head_) + file_.rest();
    }
    std::uint64_t num_bytes() const { return hashes_.num_bytes(); }
    TextHashes take_hashes() { return std::move(hashes_); }

private:
    TextInput& file_;
    std::string head_;
    std::size_t most_kept_;
    bool keeps_all_ = true;
    std::string kept_;
    TextHashes hashes_;
};

/// Whether rows are taken instead of the text.
bool takes_rows(Source const& source, RowUse wanted) {
    return source.rows &&
           (wanted == RowUse::always || codec::rows_suffice(source.rows->rows, source.hashes.num_bytes()));
}

}  // namespace

void TextHashes::add(std::string_view piece) {
    num_bytes_ += piece.size();
    while (rest_.size() + piece.size() >= hashed_at_once) {
        auto const size = hashed_at_once - rest_.size();
        rest_ += piece.substr(0, size);
        piece.remove_prefix(size);
        hashes_.push_back(hash(std::as_bytes(std::span(rest_))));
        rest_.clear();
    }
    rest_ += piece;
}

namespace {

/// Reads the begin of a text, up to where it is known whether it is MAPLE. `head` becomes what was read.
bool begins_maple(TextInput& file, std::string& head) {
    constexpr std::size_t piece = std::size_t{1} << 16;
    for (auto known = msa::is_maple(head);; known = msa::is_maple(head)) {
        if (known) return *known;
        auto const used = head.size();
        head.resize(std::max(2 * used, piece));
        auto const size = file.read(std::span(head).subspan(used));
        head.resize(used + size);
        if (size == 0) return false;
    }
}

/// Reads MAPLE, and finds out whether the rows make the same text again.
void read_maple_rows(Source& source, Recorder& recorder, std::string const& name) {
    source.rows = msa::read_maple([&](std::span<char> buffer) { return recorder.read(buffer); }, name);
    auto const read = recorder.take_hashes();
    source.text_bytes = read.num_bytes();
    msa::write_maple(source.rows->rows, source.rows->layout, [&](std::string_view piece) { source.hashes.add(piece); });
    if (!(read == source.hashes)) source.only_alignment = "is no regular MAPLE text";
}

/// The SNPs of VCF, whose begin is `head`, as FASTA. num_bytes: gets the length of the VCF.
std::string fasta_of_vcf(TextInput& file, std::string head, std::string const& name, GeneralOptions const& general,
                         std::uint64_t& num_bytes) {
    auto const read = [&](std::span<char> buffer) {
        auto const size = read_behind(head, file, buffer);
        num_bytes += size;
        return size;
    };
    auto const [alignment, skipped] = msa::read_vcf(read, name, general.not_snps);
    for (auto const& sample : alignment.names) {
        if (sample.find(' ') == std::string::npos) continue;
        throw InputError({name},
                         "sample '" + sample + "' has a blank; expected names that FASTA can hold, without any");
    }
    if (skipped > 0) {
        say(general.verbosity,
            fmt::format("{}: {} skipped that {}, {} read", name, counted(skipped, "record"),
                        skipped == 1 ? "is no SNP" : "are no SNPs", counted(alignment.num_sites(), "SNP")));
    }
    return msa::to_text(alignment, {});
}

Source read_vcf_source(TextInput& file, std::string head, std::string const& input, RowUse rows,
                       GeneralOptions const& general) {
    bool const is_packed = file.packing() != nullptr;
    std::uint64_t num_bytes = 0;
    auto source = source_of(fasta_of_vcf(file, std::move(head), shown_input(input), general, num_bytes), rows);
    source.only_alignment = "is VCF";
    source.is_packed = is_packed;
    source.is_vcf = true;
    source.text_bytes = num_bytes;
    return source;
}

/// A text whose names become whole lines, if it is FASTA; otherwise the text.
Source with_joined_names(std::string text, RowUse rows) {
    bool const is_fasta = msa::find_format(text) == msa::InputFormat::fasta;
    bool const has_changed = join_names(text);
    auto source = source_of(std::move(text), is_fasta ? rows : RowUse::never);
    if (has_changed) source.only_alignment = "has blanks in names";
    return source;
}

}  // namespace

Source read_source(std::string const& input, RowUse rows, GeneralOptions const& general,
                   std::function<void(double)> const& reached) {
    auto const limit = size_limit(general);
    TextInput file(input, limit);
    std::string head = read_head(file);
    if (msa::is_vcf(head)) return read_vcf_source(file, std::move(head), input, rows, general);
    bool const is_maple = begins_maple(file, head);
    Source source;
    source.is_packed = file.packing() != nullptr;
    if (general.names != Names::first && !is_maple) {
        source = with_joined_names(std::move(head) + file.rest(), rows);
        source.is_packed = file.packing() != nullptr;
        return source;
    }
    if (rows == RowUse::never || !head.starts_with('>')) {
        source.text = std::move(head) + file.rest();
        return source;
    }
    bool const is_pipe = !file.is_file() || input == "-";
    // A pipe cannot be read again, so more is kept of it.
    auto const most_kept = is_maple ? 0 : is_pipe ? codec::most_text_by_columns : codec::small_text;
    Recorder recorder(file, std::move(head), most_kept);
    if (is_maple) {
        read_maple_rows(source, recorder, shown_input(input));
        return source;
    }
    auto const size = is_pipe || source.is_packed ? 0 : file_size(input);
    source.rows = msa::read_differences([&](std::span<char> buffer) {
        if (reached && size > 0) reached(static_cast<double>(recorder.num_bytes()) / static_cast<double>(size));
        return recorder.read(buffer);
    });
    source.text = recorder.text();
    source.hashes = recorder.take_hashes();
    source.text_bytes = source.hashes.num_bytes();
    if (takes_rows(source, rows)) {
        source.text.reset();
    } else if (!source.text && is_pipe) {
        throw InputError({shown_input(input)},
                         "is longer than 256 MiB and no regular FASTA text of nearly equal rows; expected a file");
    } else if (!source.text) {
        source.text = read_unpacked(input, limit);
    }
    return source;
}

Source source_of(std::string text, RowUse rows) {
    Source source;
    source.text_bytes = text.size();
    if (rows != RowUse::never) {
        source.rows = msa::read_differences(msa::pieces_of(text));
        source.hashes.add(text);
        if (takes_rows(source, rows)) return source;
    }
    source.text = std::move(text);
    return source;
}

std::optional<msa::DifferenceText> read_rows(std::string const& input, SizeLimit limit,
                                             msa::DifferenceRows const& like) {
    TextInput file(input, limit);
    return msa::read_differences([&](std::span<char> buffer) { return file.read(buffer); }, like);
}

}  // namespace regraft::msa_cli
