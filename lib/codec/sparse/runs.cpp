#include "codec/sparse/runs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "codec/entropy/adaptive.hpp"
#include "codec/entropy/mixer.hpp"

namespace regraft::codec {
namespace {

using msa::CharacterRun;

enum class RunKind : std::uint8_t { unknown, gap, other };  // N, -, any other character
constexpr std::size_t num_kinds = 3;

/// Bits that are found by a hash of their context. Contexts that meet share a bit.
class HashedBits {
public:
    explicit HashedBits(int log_size) : log_size_(log_size), bits_(std::size_t{1} << log_size) {}
    AdaptiveBit& at(std::uint64_t context, std::uint64_t node) {
        return bits_[(context * 0x9E3779B97F4A7C15U + node * 0xD6E8FEB86659FD93U) >> (64 - log_size_)];
    }

private:
    int log_size_;
    std::vector<AdaptiveBit> bits_;
};

/// About 16 bits per row: with more, blocks are smaller by .2 %, but leave the caches.
int log_size_for(std::size_t num_rows) {
    return std::clamp(static_cast<int>(std::bit_width(num_rows)) + 4, 12, 20);
}

/// A number that is predicted by itself and together with a context.
class MixedBits {
public:
    explicit MixedBits(std::uint32_t bits) : alone_(bits), mixers_(bits) {}
    /// The number is at least `least`; bits that this decides are not coded.
    template <class Coder>
    std::uint32_t code(Coder& coder, HashedBits& hashed, std::uint64_t context, std::uint32_t least,
                       std::uint32_t number) {
        std::uint64_t node = 1;
        for (auto i = alone_.bits(); i-- > 0;) {
            auto const prefix = node - (std::uint64_t{1} << (alone_.bits() - 1 - i));  // the bits that are known
            bool const is_decided = ((2 * prefix + 1) << i) <= least;
            bool const bit = is_decided || mixers_[i].code(coder, alone_.at(static_cast<std::uint32_t>(node)),
                                                           hashed.at(context, node), (number >> i & 1) != 0);
            node = 2 * node + (bit ? 1 : 0);
        }
        return static_cast<std::uint32_t>(node - (std::uint64_t{1} << alone_.bits()));
    }

private:
    AdaptiveBits alone_;
    std::vector<Mixer> mixers_;
};

/// The last four sizes of gaps that began at a site, the latest one first.
class RecentSizes {
public:
    template <class Coder>
    std::uint32_t code(Coder& coder, std::array<AdaptiveBit, 4>& is_it, AdaptiveNumber& fresh, std::uint32_t size) {
        std::size_t place = 0;
        for (; place < sizes_.size() && sizes_[place] != 0; ++place)
            if (is_it[place].code(coder, sizes_[place] == size)) break;
        bool const is_known = place < sizes_.size() && sizes_[place] != 0;
        size = is_known ? sizes_[place] : fresh.code(coder, size - 1) + 1;
        auto const end = sizes_.begin() + static_cast<std::ptrdiff_t>(is_known ? place : sizes_.size() - 1);
        std::copy_backward(sizes_.begin(), end, end + 1);
        sizes_[0] = size;
        return size;
    }

private:
    std::array<std::uint32_t, 4> sizes_{};  // 0: none
};

template <class Coder>
class RunCoder {
public:
    RunCoder(Coder& coder, msa::DifferenceRows const& rows, std::size_t num_rows)
        : coder_(coder),
          rows_(rows),
          num_sites_(static_cast<std::uint32_t>(rows.num_sites())),
          unknown_(rows.letters[0] == 'a' ? 'n' : 'N'),
          unknown_begin_(bits_for(num_sites_)),
          next_begin_(log_size_for(num_rows)),
          unknown_end_(bits_for(num_sites_ + 1)),
          end_of_(log_size_for(num_rows)),
          gap_begin_(bits_for(num_sites_)),
          other_begin_(bits_for(num_sites_)) {}

    /// Codes a row. Returns its runs, which are valid until the next call.
    std::span<CharacterRun const> code(std::span<CharacterRun const> given) {
        next_.clear();
        fresh_.clear();
        keep(given);
        auto const count =
            num_fresh_[std::min<std::size_t>(last_.size(), 3)].code(coder_, static_cast<std::uint32_t>(fresh_.size()));
        std::uint32_t least = 0;
        std::uint64_t context = num_sites_;
        for (std::uint32_t i = 0; i < count; ++i) {
            auto const run = code_fresh(Coder::decodes ? CharacterRun{} : fresh_[i], least, context);
            least = run.last();
            if (Coder::decodes) check(run);
            next_.push_back({run, &times_seen_[key(run)], false});
        }
        std::ranges::sort(next_, {}, [](Remembered const& remembered) { return remembered.run.first; });
        runs_.clear();
        for (auto const& remembered : next_) {
            ++*remembered.times_seen;
            runs_.push_back(remembered.run);
        }
        last_.swap(next_);
        return runs_;
    }

private:
    struct Remembered {
        CharacterRun run;
        std::uint32_t* times_seen;
        bool was_kept;  // from the row before its row
    };

    static std::uint32_t bits_for(std::uint32_t size) { return static_cast<std::uint32_t>(std::bit_width(size - 1)); }
    static std::uint64_t key(CharacterRun const& run) {
        return std::uint64_t{run.first} << 36 | std::uint64_t{run.size} << 8 |
               static_cast<unsigned char>(run.character);
    }
    RunKind kind_of(CharacterRun const& run) const {
        return run.character == unknown_ ? RunKind::unknown : run.character == '-' ? RunKind::gap : RunKind::other;
    }
    void check(CharacterRun const& run) const {
        bool const is_inside = run.first < num_sites_ && run.size >= 1 && run.size <= num_sites_ - run.first;
        bool const is_character = ' ' < run.character && run.character < 0x7f;
        if (!is_inside || !is_character) RangeDecoder::fail();
    }

    /// Which runs of the row before are in this row, too. Other runs of this row are fresh.
    void keep(std::span<CharacterRun const> given) {
        for (auto const& [run, times_seen, was_kept] : last_) {
            for (; !given.empty() && given.front().first < run.first; given = given.subspan(1))
                fresh_.push_back(given.front());
            bool const is_there = !given.empty() && given.front() == run;
            auto const times = std::min<std::size_t>(7, static_cast<std::size_t>(std::bit_width(*times_seen)));
            auto& model = is_kept_[static_cast<std::size_t>(kind_of(run))][was_kept ? 1 : 0][times];
            if (!model.code(coder_, is_there)) continue;
            next_.push_back({run, times_seen, true});
            if (is_there) given = given.subspan(1);
        }
        fresh_.insert(fresh_.end(), given.begin(), given.end());
    }

    /// A run that the row before does not have. It begins at `least` or later. context: where the unknown run before
    /// began.
    CharacterRun code_fresh(CharacterRun run, std::uint32_t least, std::uint64_t& context) {
        auto kind = kind_of(run);
        if (is_unknown_.code(coder_, kind == RunKind::unknown)) {
            run.first = unknown_begin_.code(coder_, next_begin_, context, least, run.first);
            context = run.first;
            run.size = code_unknown_size(run);
            run.character = unknown_;
            return run;
        }
        kind = is_gap_.code(coder_, kind == RunKind::gap) ? RunKind::gap : RunKind::other;
        if (kind == RunKind::gap) {
            run.first = gap_begin_.code(coder_, run.first);
            run.size = sizes_from_[run.first].code(coder_, is_recent_, gap_size_, run.size);
            run.character = '-';
            return run;
        }
        run.first = other_begin_.code(coder_, run.first);
        if (run.first >= num_sites_) RangeDecoder::fail();
        auto& model = character_[rows_.reference[run.first]];
        run.character = static_cast<char>(model.code(coder_, static_cast<unsigned char>(run.character)));
        run.size = other_size_.code(coder_, run.size - 1) + 1;
        return run;
    }

    /// Short ones by their size, long ones by their end.
    std::uint32_t code_unknown_size(CharacterRun const& run) {
        constexpr std::uint32_t longest_short = 40;
        constexpr std::uint64_t whether_long = std::uint64_t{7} << 32;
        if (!long_mixer_.code(coder_, is_long_, end_of_.at(whether_long + run.first, 0), run.size > longest_short))
            return unknown_size_.code(coder_, run.size - 1) + 1;
        auto const end = unknown_end_.code(coder_, end_of_, run.first, run.first + longest_short + 1, run.last());
        return end - run.first;
    }

    Coder& coder_;
    msa::DifferenceRows const& rows_;
    std::uint32_t num_sites_;
    char unknown_;
    std::vector<Remembered> last_;    // the runs of the row before
    std::vector<Remembered> next_;    // those of this row
    std::vector<CharacterRun> runs_;  //
    std::vector<CharacterRun> fresh_;
    std::unordered_map<std::uint64_t, std::uint32_t> times_seen_;  // by key
    std::array<std::array<std::array<AdaptiveBit, 8>, 2>, num_kinds> is_kept_;
    std::array<AdaptiveNumber, 4> num_fresh_;  // by the number of runs of the row before
    AdaptiveBit is_unknown_;
    AdaptiveBit is_gap_;
    MixedBits unknown_begin_;
    HashedBits next_begin_;  // by the begin before
    AdaptiveBit is_long_;
    Mixer long_mixer_;
    AdaptiveNumber unknown_size_;
    MixedBits unknown_end_;
    HashedBits end_of_;  // by the begin
    AdaptiveBits gap_begin_;
    std::array<AdaptiveBit, 4> is_recent_;
    AdaptiveNumber gap_size_;
    std::unordered_map<std::uint32_t, RecentSizes> sizes_from_;  // by begin
    AdaptiveBits other_begin_;
    std::array<AdaptiveBits, 4> character_{AdaptiveBits(8), AdaptiveBits(8), AdaptiveBits(8),
                                           AdaptiveBits(8)};  // by the letter of the reference
    AdaptiveNumber other_size_;
};

void check_apart(std::span<CharacterRun const> runs) {
    for (std::size_t i = 1; i < runs.size(); ++i)
        if (runs[i].first < runs[i - 1].last()) RangeDecoder::fail();
}

}  // namespace

std::vector<std::byte> encode_runs(msa::DifferenceRows const& rows, std::span<std::uint32_t const> order) {
    RangeEncoder coder;
    RunCoder<RangeEncoder> model(coder, rows, order.size());
    for (auto const row : order) model.code(rows.runs[row]);
    return coder.finish();
}

Csr<CharacterRun> decode_runs(msa::DifferenceRows const& rows, std::span<std::byte const> bytes, std::size_t num_rows,
                              std::uint64_t most, std::size_t wanted) {
    RangeDecoder coder(bytes);
    RunCoder<RangeDecoder> model(coder, rows, num_rows);
    Csr<CharacterRun> runs;
    for (std::size_t row = 0; row < std::min(num_rows, wanted); ++row) {
        auto const found = model.code({});
        check_apart(found);
        if (runs.values.size() + found.size() > most) RangeDecoder::fail();
        runs.push_row(found);
    }
    if (wanted >= num_rows) coder.expect_end();
    return runs;
}

}  // namespace regraft::codec
