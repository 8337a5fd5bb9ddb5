// An erasure-coded store beside what is known of it: every call is made on the store and checked against the model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/store/erasure_store.hpp"
#include "support/store/store_under_test.hpp"

namespace regraft::test {

/// Calls throw ProcessFailure as the store does. They return what was wrong; empty: nothing. All are collective, with
/// the same arguments on all members. It is known exactly what is lost as long as no more has died, or was damaged,
/// than the store said it survives.
class ErasureUnderTest {
public:
    ErasureUnderTest(ft::Communicator& comm, store::ErasureOptions options)
        : comm_(comm), options_(options), store_(comm, options) {}

    store::ErasureStore& store() { return store_; }
    std::uint64_t num_blocks() const { return content_.num_blocks(); }

    /// parts: what each member submits. expected: what must come back; other content than the submitted one if the
    /// checks themselves are under test.
    void submit(erasure::Code const& code, Content const& content, std::span<BlockRange const> parts,
                Content const& expected) {
        auto const mine = parts[comm_.position(comm_.self())];
        pending_.emplace(Pending{comm_.size(), expected, std::make_unique<Kept>(Kept{mine, content.rows(mine)})});
        auto const& rows = pending_->kept->blocks;
        if (content.sizes() == Content::Sizes::fixed) {
            store_.submit(code, mine, rows.values, content.block_bytes());
        } else {
            store_.submit(code, mine, CsrView<std::byte>(rows));
        }
        settle();
    }

    /// Called after a failure: the version tells whether the last submit was carried out.
    void settle() {
        if (!pending_ || store_.version() == version_) return;
        version_ = store_.version();
        content_ = pending_->expected;
        kept_ = std::move(pending_->kept);
        is_safe_with(pending_->members, store_.code().parity());
        damaged_ = 0;
        lost_.clear();
        pending_.reset();
    }

    /// rows: what each member wants.
    std::string load(Csr<BlockRange> const& rows, Request request) {
        auto const mine = rows[comm_.position(comm_.self())];
        std::uint64_t size = 0;
        for (auto const& range : mine) size += content_.bytes(range);
        std::vector<std::byte> out(size, StoreModel::untouched);
        auto const report = load(rows, request, out);
        auto wrong = check(report, rows, out);
        if (!comm_.agree_equal(hash_of_uniform(report))) wrong += " survivors got different reports";
        return wrong;
    }
    std::string load_everything() {
        Csr<BlockRange> rows;
        auto const everything = content_.everything();
        for (std::size_t i = 0; i < comm_.size(); ++i) rows.push_row(std::span(&everything, 1));
        return load(rows, Request::told);
    }

    /// Changes a byte of the block where it is kept, if the block has any.
    void damage(BlockId block) {
        ++damaged_;
        auto const bytes = store_.held({block, advance(block, 1)});
        if (!bytes.empty()) *const_cast<std::byte*>(bytes.data()) ^= std::byte{0x40};
    }
    /// Whether one more damaged piece can be borne.
    bool is_safe_to_damage() const { return store_.version() > 0 && deaths() + damaged_ < survives_; }

    std::string repair() { return check(store_.repair(), damaged_); }
    std::string scrub() { return check(store_.scrub(), 0); }
    /// All members keep what they have, and get nothing.
    std::string repair_without_room() {
        auto const held = store_.bytes_held();
        auto const pieces = store_.code().pieces();
        auto const report = store_.repair({.room = 0});
        auto wrong = store_.bytes_held() > held ? std::string("keeps more than there is room for") : "";
        if (wrong.empty() && comm_.size() >= pieces && report.bytes_restored != 0 && is_safe()) {
            wrong = "something has found a place without room";
        }
        if (is_safe() && report.deaths_survived + deaths() + damaged_ < survives_) {
            wrong += " fewer deaths are survived than before";
        }
        return wrong + check(report, damaged_);
    }

    std::vector<BlockRange> const& lost() const { return lost_; }

private:
    struct Kept {
        BlockRange mine;
        Csr<std::byte> blocks;
    };
    struct Pending {
        std::size_t members;
        Content expected;
        std::unique_ptr<Kept> kept;
    };

    void is_safe_with(std::size_t members, std::uint32_t survives) {
        members_ = members;
        survives_ = survives;
    }
    std::uint64_t deaths() const { return members_ - comm_.size(); }
    bool is_safe() const { return deaths() + damaged_ <= survives_; }

    store::LoadReport load(Csr<BlockRange> const& rows, Request request, std::span<std::byte> out) {
        store::LoadOptions const left{.lost = store::LoadOptions::Lost::left};
        if (request == Request::told) return store_.load(rows[comm_.position(comm_.self())], out, left);
        auto const by_pe = rows_by_pe(comm_, rows);
        if (request == Request::known) return store_.load(CsrView<BlockRange>(by_pe), out, left);
        auto loading = store_.start_load(by_pe, out, left);
        return loading.wait();
    }

    std::string check(store::LoadReport const& report, Csr<BlockRange> const& rows,
                      std::span<std::byte const> out) const {
        auto const expected = as_ranges(marked(lost_, marked(rows.values)));
        if (is_safe() ? report.lost != expected : as_ranges(marked(expected, marked(report.lost))) != expected) {
            return "lost:" + to_string(report.lost) + ", should be" + (is_safe() ? ":" : " at least:") +
                   to_string(expected);
        }
        auto const lost = marked(report.lost);
        std::size_t next = 0;
        for (auto const& range : rows[comm_.position(comm_.self())]) {
            for (auto id = range.first; id < range.last; id = advance(id, 1)) {
                for (std::size_t i = 0; i < content_.bytes({id, advance(id, 1)}); ++i, ++next) {
                    // What came before it was seen that it is damaged is cleared.
                    bool const right = lost[value(id)] ? out[next] == StoreModel::untouched || out[next] == std::byte{}
                                                       : out[next] == content_.byte(id, i);
                    if (!right) return "wrong byte " + std::to_string(i) + " of block " + std::to_string(value(id));
                }
            }
        }
        return "";
    }

    std::string check(store::ErasureRepair const& report, std::uint64_t damaged) {
        if (store_.version() == 0) return report.lost.empty() ? "" : "something is lost before the first submit";
        std::string wrong;
        if (is_safe() && report.lost != lost_) {
            wrong = "repair lost:" + to_string(report.lost) + ", should be:" + to_string(lost_);
        }
        if (report.unplaced == 0 && report.deaths_survived != report.code.parity()) {
            wrong += " a repair with room survives " + std::to_string(report.deaths_survived) + " deaths";
        }
        if (report.bytes_held != store_.bytes_held()) wrong += " keeps another number of bytes than it says";
        auto const same = {report.bytes_restored, std::uint64_t{report.deaths_survived}, report.unplaced,
                           std::uint64_t{report.damaged.size()}, std::uint64_t{report.lost.size()}};
        ByteWriter bytes;
        for (auto const number : same) bytes.put(number);
        if (!comm_.agree_equal(hash(bytes.bytes()))) wrong += " survivors got different reports of a repair";
        lost_ = report.lost;
        damaged_ = damaged;
        is_safe_with(comm_.size(), report.deaths_survived);
        return wrong;
    }

    std::vector<bool> marked(std::span<BlockRange const> ranges, std::vector<bool> const& among = {}) const {
        std::vector<bool> blocks(num_blocks(), false);
        for (auto const& range : ranges) {
            for (auto id = value(range.first); id < value(range.last); ++id) blocks[id] = among.empty() || among[id];
        }
        return blocks;
    }

    ft::Communicator& comm_;
    store::ErasureOptions options_;
    std::unique_ptr<Kept> kept_;  // of the version that the store keeps; before the store, which may refer to it
    std::optional<Pending> pending_;
    store::ErasureStore store_;
    Content content_;
    std::uint64_t version_ = 0;
    std::vector<BlockRange> lost_;  // as far as is known
    std::size_t members_ = 0;       // when it was known how many deaths are survived
    std::uint32_t survives_ = 0;    // since then
    std::uint64_t damaged_ = 0;     // pieces at most, and not made anew
};

}  // namespace regraft::test
