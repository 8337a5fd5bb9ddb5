// Partition files of RAxML-NG, and of RAxML 8, whose type words are translated.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "msa/partitions/partition_reader.hpp"

namespace regraft::msa {
namespace {

/// The amino-acid matrices of RAxML 8 (Stamatakis 2014) with one set of rates.
constexpr std::array<std::string_view, 19> raxml8_matrices{
    "DAYHOFF", "DCMUT", "JTT",   "MTREV", "WAG",  "RTREV", "CPREV",    "VT",  "BLOSUM62", "MTMAM",
    "LG",      "MTART", "MTZOA", "PMB",   "HIVB", "HIVW",  "JTTDCMUT", "FLU", "STMTREV"};

/// Words for models of amino acids that are to be chosen.
constexpr std::array<std::string_view, 3> automatic_words{"AUTO", "PROT", "AA"};

bool is_automatic(std::string_view word) {
    return std::ranges::find(automatic_words, word) != automatic_words.end();
}

/// The last letter of a word gives the frequencies. RAxML 8 takes rates over sites from elsewhere; these are the usual
/// ones.
constexpr std::string_view gamma = "+G4m";

bool is_raxml8_matrix(std::string_view word) {
    return std::ranges::find(raxml8_matrices, word) != raxml8_matrices.end();
}

std::string today(std::string_view matrix) {
    return std::string(matrix == "JTTDCMUT" ? "JTT-DCMUT" : matrix);
}

/// The model that a type word of RAxML 8 stands for.
std::optional<std::string> from_raxml8(std::string_view word) {
    auto const model = [](std::string name, std::string_view frequencies) {
        return name.append(frequencies).append(gamma);
    };
    if (is_raxml8_matrix(word)) return model(today(word), "");
    if (is_automatic(word) || word == "LG4M" || word == "LG4X") return std::string(word);
    if (word == "DNAF") return model("GTR", "+FC");  // only IQ-TREE writes it
    auto const is_optimised = word.ends_with('X');
    auto const stem = word.substr(0, word.size() - (is_optimised || word.ends_with('F') ? 1 : 0));
    auto const* const frequencies = is_optimised ? "+FO" : "+FC";
    if (stem != word && is_raxml8_matrix(stem)) return model(today(stem), frequencies);
    if (word.ends_with('F')) return std::nullopt;
    if (stem == "DNA") return model("GTR", frequencies);
    if (stem == "BIN") return model("BIN", frequencies);
    if (stem == "MULTI") return model("MULTI_GTR", frequencies);  // its default; the data have the number of states
    return std::nullopt;
}

/// Whether RAxML-NG does not use the word this way. The plain names of matrices are the same in both programs.
bool is_only_raxml8(std::string_view word) {
    auto const today = from_raxml8(word);
    return today && *today != word && (!is_raxml8_matrix(word) || word == "JTTDCMUT");
}

/// Takes the text up to position `size`, where `separator` is expected.
std::string_view take_until(Cursor& cursor, std::size_t size, char separator, std::string const& expected) {
    if (size == std::string_view::npos) {
        cursor.fail("expected " + expected + ", found no '" + separator + "' on this line");
    }
    auto const* const at = cursor.here();
    auto const text = cursor.take_text(size);
    if (text.empty()) cursor.fail_at(at, "expected " + expected + " before '" + separator + "'");
    cursor.take(separator);
    return text;
}

class RaxmlReader {
public:
    RaxmlReader(std::string_view text, std::string const& file, std::uint64_t num_sites)
        : text_(without_byte_order_mark(text)),
          source_{text_, file, text_.data(), "the end of the line"},
          owners_(num_sites) {}

    std::vector<PartitionSpec> read() {
        for (auto const& line : lines_with_content(text_)) {
            auto const content = line.text.substr(0, line.text.find('#'));
            if (!trim_left(content).empty()) read_line(Cursor(source_, content));
        }
        if (partitions_.empty())
            throw InputError({source_.file}, "expected partitions, such as 'GTR+G4, gene1 = 1-898'");
        owners_.check_complete(source_.file, owners_.num_sites());
        translate();
        return std::move(partitions_);
    }

private:
    void read_line(Cursor cursor) {
        auto const model = take_until(cursor, find_outside_braces(cursor.rest(), ","), ',', "a model");
        auto const name = take_until(cursor, cursor.rest().find('='), '=', "a partition's name");
        cursor.check_printable(model, "model");
        cursor.check_printable(name, "partition's name");
        if (!names_.emplace(name).second)
            cursor.fail_at(name.data(), "there already is a partition " + in_quotes(name));
        models_.push_back(model);
        partitions_.push_back({std::string(model), std::string(name), {}});
        do {
            owners_.claim(take_range(cursor, owners_.num_sites(), Dot::means_nothing), partitions_, cursor);
        } while (cursor.take(',') || is_digit(cursor.at_end() ? ' ' : cursor.rest().front()));
        if (!cursor.at_end()) cursor.fail_expected("',' or the end of the line");
    }

    /// Translates type words. Words that only RAxML 8 uses tell the format.
    void translate() {
        auto const telling = std::ranges::find_if(models_, is_only_raxml8);
        if (telling == models_.end()) return;
        for (std::size_t q = 0; q < models_.size(); ++q) {
            auto model = from_raxml8(models_[q]);
            if (!model) {
                Cursor(source_, models_[q])
                    .fail("expected a type word of RAxML 8 such as DNA, LG or WAGF, since another partition has " +
                          in_quotes(*telling) + "; found " + in_quotes(models_[q]));
            }
            partitions_[q].model = std::move(*model);
        }
    }

    std::string_view text_;
    Cursor::Source source_;
    SiteOwners owners_;
    std::vector<PartitionSpec> partitions_;
    std::vector<std::string_view> models_;  // as written
    std::unordered_set<std::string_view> names_;
};

}  // namespace

std::vector<PartitionSpec> parse_raxml_partitions(std::string_view text, std::string const& file,
                                                  std::uint64_t num_sites) {
    return RaxmlReader(text, file, num_sites).read();
}

}  // namespace regraft::msa
