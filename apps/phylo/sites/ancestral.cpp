#include "sites/ancestral.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/ft/collectives.hpp"
#include "sites/site_values.hpp"

namespace regraft::phylo {
namespace {

ft::FailPhase ancestral_phase("ancestral");

/// The leading PE receives about as much at once.
constexpr std::size_t bytes_at_once = std::size_t{1} << 20U;
/// Probabilities travel and are written with five decimals.
constexpr double unit = 1e5;
constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

/// A site of an ancestor.
struct Cell {
    std::size_t ancestor;
    std::size_t partition;
    std::uint64_t number;  // of the site in the partition
    std::uint64_t pattern;
};

/// The number of bytes of a cell's record: the character, and the probability of each state.
std::size_t record_bytes(std::uint32_t num_states) {
    return sizeof(char) + num_states * sizeof(std::uint32_t);
}

std::vector<std::uint32_t> rounded_to_floats(std::span<double const> probabilities) {
    std::vector<std::uint32_t> result;
    for (auto const p : probabilities) result.push_back(static_cast<std::uint32_t>(std::lround(p * unit)));
    return result;
}

/// Appends a tab and a rounded probability with its decimals.
void append(std::string& text, std::uint32_t rounded) {
    std::array digits{'\t', '0', '.', '0', '0', '0', '0', '0'};
    for (std::size_t i = digits.size(); i-- > 3; rounded /= 10) digits[i] = static_cast<char>('0' + rounded % 10);
    digits[1] = static_cast<char>('0' + rounded);
    text.append(digits.begin(), digits.end());
}

/// The position of each pattern among this PE's patterns of its partition; nowhere if it is another PE's.
std::vector<std::uint32_t> positions(Dataset const& dataset, std::span<assign::Work const> mine) {
    std::vector<std::uint32_t> result(dataset.num_patterns(), nowhere);
    for (auto const& patterns : patterns_by_partition(mine, dataset.partitions.size())) {
        for (std::uint32_t i = 0; i < patterns.size(); ++i) result[patterns[i]] = i;
    }
    return result;
}

/// The PE that has each pattern.
std::vector<std::uint32_t> owners(Dataset const& dataset, assign::Assignment const& work) {
    std::vector<std::uint32_t> result(dataset.num_patterns());
    for (std::uint32_t pe = 0; pe < work.size(); ++pe) {
        for (auto const& piece : work[pe]) {
            for (auto i = value(piece.sites.first); i < value(piece.sites.last); ++i) result[i] = pe;
        }
    }
    return result;
}

/// "Node", "Part" if there are several partitions, "Site", "State", and a column per state. States are named by their
/// symbols or, if partitions have different alphabets, by numbers.
std::string header(Dataset const& dataset) {
    std::string text = dataset.specs.size() > 1 ? "Node\tPart\tSite\tState" : "Node\tSite\tState";
    auto const alphabet = [](ModelSpec const& spec) { return spec.alphabet; };
    auto const most = std::ranges::max(dataset.specs, {}, [](ModelSpec const& spec) { return spec.num_states(); });
    bool const are_alike =
        std::ranges::count(dataset.specs, most.alphabet, alphabet) == static_cast<std::ptrdiff_t>(dataset.specs.size());
    Letters const letters(most.alphabet);
    for (std::uint32_t i = 0; i < most.num_states(); ++i)
        text += "\tp_" + (are_alike ? std::string(1, letters.of_state(i)) : std::to_string(i + 1));
    return text + '\n';
}

/// The two files on the PE that writes them. An error is kept until all PEs can learn of it.
class Writer {
public:
    Writer(Dataset const& dataset, std::vector<std::string> names, std::filesystem::path const& probs,
           std::filesystem::path const& states)
        : dataset_(dataset), names_(std::move(names)), probs_text_(header(dataset)) {
        attempt([&] {
            for (auto const& path : {probs, states}) {
                disk::remove_unfinished(path);  // what a PE has left that wrote before and died
                large_.files.emplace_back(path);
            }
        });
    }

    bool has_problem() const { return !large_.problem.text.empty(); }

    /// Writes a cell, whose record comes next.
    void add(Cell const& cell, ByteReader& in) {
        auto const character = in.get<char>();
        if (cell.ancestor >= begun_) begin_sequence();
        states_text_ += character;
        auto const back = std::back_inserter(probs_text_);
        probs_text_ += names_[cell.ancestor];
        if (dataset_.specs.size() > 1) fmt::format_to(back, "\t{}", cell.partition + 1);
        fmt::format_to(back, "\t{}\t{}", cell.number + 1, character);
        for (std::uint32_t i = 0; i < dataset_.specs[cell.partition].num_states(); ++i)
            append(probs_text_, in.get<std::uint32_t>());
        probs_text_ += '\n';
    }

    void flush() {
        attempt([&] {
            large_.files[0].write(probs_text_);
            large_.files[1].write(states_text_);
        });
        probs_text_.clear();
        states_text_.clear();
    }

    LargeFiles finish() {
        states_text_ += '\n';
        flush();
        return std::move(large_);
    }

private:
    void begin_sequence() {
        if (begun_ > 0) states_text_ += '\n';
        states_text_ += names_[begun_++] + '\t';
    }

    template <class Step>
    void attempt(Step step) {
        try {
            if (!has_problem()) step();
        } catch (std::exception const& error) {
            large_.problem = Problem::of(error);
        }
    }

    Dataset const& dataset_;
    std::vector<std::string> names_;  // of the ancestors
    std::size_t begun_ = 0;           // ancestors whose sequence has begun
    std::string probs_text_;
    std::string states_text_;
    LargeFiles large_;
};

/// Gathers records on the leading PE, piece by piece.
class Pieces {
public:
    Pieces(ft::Communicator& comm, Dataset const& dataset, assign::Assignment const& work, Writer* writer)
        : comm_(comm), dataset_(dataset), writer_(writer) {
        for (auto const& spec : dataset.specs) letters_.emplace_back(spec.alphabet);
        if (comm.leads()) owners_ = owners(dataset, work);
    }

    /// Adds a cell; the PE that has its pattern gives the probabilities, and the others nothing. Returns false if the
    /// files cannot be written.
    bool add(Cell const& cell, std::span<double const> probabilities) {
        auto const& spec = dataset_.specs[cell.partition];
        if (comm_.leads()) cells_.push_back(cell);
        if (!probabilities.empty()) {
            share_.put(letters_[cell.partition].of_probable(probabilities));
            share_.put_plain(std::span<std::uint32_t const>(rounded_to_floats(probabilities)));
        }
        bytes_ += record_bytes(spec.num_states());
        return bytes_ < bytes_at_once || flush();
    }

    /// Collective, uniform.
    bool flush() {
        bytes_ = 0;
        comm_.reach(ancestral_phase.before);
        auto const rows = ft::gather(comm_, std::exchange(share_, {}).take(), comm_.members().front());
        comm_.reach(ancestral_phase.inside);
        if (comm_.leads()) pass_on(rows);
        bool const goes_on = comm_.agree(writer_ == nullptr || !writer_->has_problem());
        comm_.reach(ancestral_phase.after);
        return goes_on;
    }

private:
    void pass_on(Csr<std::byte> const& rows) {
        if (writer_ != nullptr) {
            std::vector<ByteReader> readers;
            for (std::size_t pe = 0; pe < rows.size(); ++pe) readers.emplace_back(rows[pe]);
            for (auto const& cell : cells_) writer_->add(cell, readers[owners_[cell.pattern]]);
            writer_->flush();
        }
        cells_.clear();
    }

    ft::Communicator& comm_;
    Dataset const& dataset_;
    Writer* writer_;                     // only where files are written
    std::vector<Letters> letters_;       // per partition
    std::vector<std::uint32_t> owners_;  // on the leading PE
    std::vector<Cell> cells_;            // of this piece, on the leading PE
    ByteWriter share_;                   // records of this PE's cells
    std::size_t bytes_ = 0;              // of the records of all PEs
};

/// Computes ancestor by ancestor and passes the cells on, until all are done or the files cannot be written.
void compute(Dataset const& dataset, std::span<assign::Work const> mine, DistributedLikelihood& likelihood,
             Pieces& pieces) {
    auto const place = positions(dataset, mine);
    auto const order = ancestors(likelihood.tree());
    bool goes_on = true;
    for (std::size_t ancestor = 0; ancestor < order.size() && goes_on; ++ancestor) {
        std::vector<std::vector<double>> values;
        for (std::size_t q = 0; q < likelihood.num_partitions(); ++q)
            values.push_back(likelihood.local_states(order[ancestor], q));
        for_sites_by_partition(dataset, [&](std::size_t q, std::uint64_t number, std::uint64_t pattern) {
            if (!goes_on) return;
            std::span<double const> probabilities;
            auto const size = dataset.specs[q].num_states();
            if (place[pattern] != nowhere)
                probabilities = std::span(values[q]).subspan(std::size_t{place[pattern]} * size, size);
            goes_on = pieces.add({ancestor, q, number, pattern}, probabilities);
        });
    }
    if (goes_on) pieces.flush();
}

}  // namespace

std::vector<msa::HalfEdge> ancestors(msa::Tree const& tree) {
    std::vector<msa::HalfEdge> result;
    for (auto const h : msa::preorder_edges(tree)) {
        if (!tree.is_tip(tree.back(h))) result.push_back(tree.back(h));
    }
    return result;
}

std::vector<std::string> ancestor_names(msa::Tree const& tree) {
    std::vector<std::string> names(tree.num_tips() - 2);
    std::size_t number = 0;
    for (auto const h : ancestors(tree)) names[tree.node(h) - tree.num_tips()] = fmt::format("Node{}", ++number);
    return names;
}

Letters::Letters(msa::Alphabet alphabet) {
    auto const masks = msa::state_masks(alphabet);
    for (std::size_t c = 0; c < masks.size(); ++c) {
        auto const symbol = static_cast<char>(c);
        if (masks[c] != 0 && !msa::is_state_set(symbol)) letters_[masks[c]] = msa::canonical(alphabet, symbol);
    }
}

char Letters::of_probable(std::span<double const> probabilities) const {
    auto const largest = std::ranges::max_element(probabilities);
    auto const almost = 0.5 / static_cast<double>(probabilities.size());
    msa::StateMask states = 0;
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        if (probabilities[i] + almost > *largest) states |= msa::StateMask{1} << i;
    }
    auto const found = letters_.find(states);
    return found != letters_.end() ? found->second
                                   : of_state(static_cast<std::size_t>(largest - probabilities.begin()));
}

LargeFiles write_ancestors(ft::Communicator& comm, Dataset const& dataset, assign::Assignment const& work,
                           DistributedLikelihood& likelihood, std::filesystem::path const& probs,
                           std::filesystem::path const& states) {
    std::optional<Writer> writer;
    if (comm.leads() && !probs.empty()) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i + 2 < dataset.taxa.size(); ++i) names.push_back(fmt::format("Node{}", i + 1));
        writer.emplace(dataset, std::move(names), probs, states);
    }
    Pieces pieces(comm, dataset, work, writer ? &*writer : nullptr);
    compute(dataset, work[value(comm.self())], likelihood, pieces);
    return writer ? writer->finish() : LargeFiles();
}

}  // namespace regraft::phylo
