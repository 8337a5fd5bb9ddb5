#include "stat_report.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/input.hpp"
#include "common/words.hpp"
#include "input/files.hpp"
#include "input/source.hpp"
#include "regraft/codec/rgm.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/difference_rows.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

using Json = nlohmann::ordered_json;

double percent(std::uint64_t part, double whole) {
    return 100 * static_cast<double>(part) / whole;
}

std::string lower(std::string_view word) {
    std::string result(word);
    for (char& c : result) {
        if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

bool has_columns(codec::RgmFile const& file) {
    return file.kind() != codec::Kind::plain && file.kind() != codec::Kind::sparse;
}

/// The sizes of the parts of all blocks.
std::vector<codec::Layer> block_layers(codec::RgmFile const& file) {
    auto const all = file.read({SiteId{0}, SiteId{file.num_sites()}});
    auto const& blocks = all.encoded().blocks;
    std::vector<codec::Layer> sums;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        auto const rest = file.num_sites() - i * file.sites_per_block();
        auto const sites = std::min<std::uint64_t>(rest, file.sites_per_block());
        for (auto const& layer : all.decoder().layers(blocks[i], static_cast<std::uint32_t>(sites))) {
            auto const sum = std::ranges::find(sums, layer.name, &codec::Layer::name);
            if (sum == sums.end()) {
                sums.push_back(layer);
            } else {
                sum->bits += layer.bits;
            }
        }
    }
    return sums;
}

Coding coding_of(codec::RgmFile const& file, std::uint64_t bytes) {
    Coding coding{.kind = file.kind(),
                  .sites_per_block = file.sites_per_block(),
                  .bytes = bytes,
                  .layers = {file.layers().begin(), file.layers().end()},
                  .block_layers = {},
                  .partitions = file.extras().partitions,
                  .parsimony_score = std::nullopt};
    if (has_columns(file)) coding.block_layers = block_layers(file);
    return coding;
}

void add_text(Report& report, std::string_view text, msa::Alignment const& alignment) {
    report.format = name(msa::find_format(text).value());
    report.text_bytes = text.size();
    report.taxa = alignment.num_taxa();
    report.sites = alignment.num_sites();
    report.statistics = statistics(alignment);
}

void add_rows(Report& report, msa::DifferenceRows const& rows, msa::TextLayout const& layout) {
    report.format = layout.format == msa::TextFormat::maple ? "MAPLE" : "FASTA";
    report.text_bytes = msa::text_size(rows, layout);
    report.taxa = rows.num_taxa();
    report.sites = rows.num_sites();
    report.statistics = statistics(rows);
}

void add_compressed(Report& report, codec::RgmFile const& file, std::uint64_t bytes) {
    report.coding = coding_of(file, bytes);
    if (file.kind() == codec::Kind::sparse)
        return add_rows(report, file.differences(), file.extras().layout.value_or(msa::TextLayout{}));
    auto const text = file.text();
    auto const alignment = msa::parse_alignment(text, report.file);
    add_text(report, text, alignment);
    if (has_columns(file)) report.coding->parsimony_score = parsimony_score(alignment, file.tree());
}

Json to_json(std::vector<codec::Layer> const& layers, double cells) {
    auto json = Json::array();
    for (auto const& layer : layers)
        json.push_back({{"name", layer.name}, {"bits", layer.bits}, {"bits_per_taxon_and_site", layer.bits / cells}});
    return json;
}

Json to_json(Report const& report, Coding const& coding) {
    Json json{{"codec", name(coding.kind)},
              {"bytes", coding.bytes},
              {"bits_per_taxon_and_site", 8 * static_cast<double>(coding.bytes) / report.cells()},
              {"text_bytes_per_byte", static_cast<double>(report.text_bytes) / static_cast<double>(coding.bytes)},
              {"sites_per_block", coding.sites_per_block},
              {"layers", to_json(coding.layers, report.cells())},
              {"block_layers", to_json(coding.block_layers, report.cells())},
              {"partitions", Json::array()}};
    for (auto const& partition : coding.partitions) {
        json["partitions"].push_back(
            {{"name", partition.name}, {"model", partition.model}, {"sites", msa::num_sites(partition.sites)}});
    }
    return json;
}

void add_layers(Table& table, Report const& report, Coding const& coding) {
    auto const all = 8 * static_cast<double>(coding.bytes);
    auto const line = [&](std::string_view name, double bits) {
        return fmt::format("{:<24} {:>8.4f}  {:>5.1f} %", name, bits / report.cells(), 100 * bits / all);
    };
    table.row("bits for", line("all", all));
    for (auto const& layer : coding.layers) {
        if (layer.bits == 0) continue;
        table.more(line("  " + layer.name, layer.bits));
        if (layer.name != "blocks") continue;
        for (auto const& part : coding.block_layers) table.more(line("    " + part.name, part.bits));
    }
}

std::string described(Coding const& coding) {
    if (coding.kind == codec::Kind::plain) return "plain: the text as zstd packs it";
    if (coding.kind == codec::Kind::sparse) return "sparse: differences between rows along a tree";
    return fmt::format("{}, {} per block", name(coding.kind), counted(coding.sites_per_block, "site"));
}

void add_coding(Table& table, Report const& report, Coding const& coding) {
    if (coding.parsimony_score)
        table.row("parsimony", fmt::format("{} on the stored tree", counted(*coding.parsimony_score, "change")));
    for (std::size_t i = 0; i < coding.partitions.size(); ++i) {
        auto const& partition = coding.partitions[i];
        table.row(i == 0 ? "partitions" : "", fmt::format("{}: {}, {}", partition.name, partition.model,
                                                          counted(msa::num_sites(partition.sites), "site")));
    }
    table.row("compressed",
              fmt::format("{}, {}, {:.4f} bits per taxon and site", bytes(static_cast<double>(coding.bytes)),
                          change_of_size(report.text_bytes, coding.bytes),
                          8 * static_cast<double>(coding.bytes) / report.cells()));
    table.row("codec", described(coding));
    add_layers(table, report, coding);
}

}  // namespace

double num_cells(std::uint64_t taxa, std::uint64_t sites) {
    return std::max(1.0, static_cast<double>(taxa) * static_cast<double>(sites));
}

Report examine(std::string const& input, GeneralOptions const& general) {
    Report report;
    report.file = shown_input(input);
    auto source = read_source(input, codec::RowUse::if_they_suffice, general);
    if (!source.text) {
        add_rows(report, source.rows->rows, source.rows->layout);
    } else if (is_rgm(*source.text)) {
        auto const bytes = std::as_bytes(std::span(*source.text));
        add_compressed(report, open_rgm(codec::bytes_in_memory({bytes.begin(), bytes.end()}, report.file), general),
                       bytes.size());
    } else {
        add_text(report, *source.text, msa::parse_alignment(*source.text, report.file));
    }
    if (source.is_vcf) {
        report.format = name(msa::InputFormat::vcf);
        report.text_bytes = source.text_bytes;
    }
    return report;
}

std::string to_text(Report const& report) {
    auto const& s = report.statistics;
    Table table;
    table.row("file", fmt::format("{}: {} of {} text", report.file, bytes(static_cast<double>(report.text_bytes)),
                                  report.format));
    table.row("taxa", std::to_string(report.taxa));
    table.row("sites", fmt::format("{}: {}, {} constant, {} parsimony-informative", report.sites,
                                   counted(s.patterns, "pattern"), s.constant_sites, s.parsimony_informative_sites));
    table.row("characters", fmt::format("{}: {:.2f} % gaps, {:.2f} % unknown, {:.2f} % ambiguous", s.alphabet,
                                        percent(s.gaps, report.cells()), percent(s.unknown, report.cells()),
                                        percent(s.ambiguous, report.cells())));
    if (report.coding) add_coding(table, report, *report.coding);
    return table.take();
}

std::string to_json(Report const& report) {
    auto const& s = report.statistics;
    Json json{{"file", report.file},
              {"compressed", report.coding ? to_json(report, *report.coding) : Json(nullptr)},
              {"text_format", lower(report.format)},
              {"text_bytes", report.text_bytes},
              {"alphabet", s.alphabet},
              {"taxa", report.taxa},
              {"sites", report.sites},
              {"patterns", s.patterns},
              {"constant_sites", s.constant_sites},
              {"parsimony_informative_sites", s.parsimony_informative_sites},
              {"gap_cells", s.gaps},
              {"unknown_cells", s.unknown},
              {"ambiguous_cells", s.ambiguous},
              {"parsimony_score", nullptr}};
    if (report.coding && report.coding->parsimony_score) json["parsimony_score"] = *report.coding->parsimony_score;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';  // paths need not be UTF-8
}

std::string name(codec::Kind kind) {
    switch (kind) {
        case codec::Kind::plain:
            return "plain";
        case codec::Kind::native:
            return "native";
        case codec::Kind::thesis:
            return "thesis";
        case codec::Kind::sparse:
            return "sparse";
    }
    return "";
}

std::string change_of_size(std::uint64_t before, std::uint64_t after) {
    auto const ratio = static_cast<double>(before) / static_cast<double>(std::max<std::uint64_t>(after, 1));
    return ratio < 1 ? fmt::format("{:.3g} times larger", 1 / ratio) : fmt::format("{:.3g} times smaller", ratio);
}

}  // namespace regraft::msa_cli
