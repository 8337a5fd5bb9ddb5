// A replicated store beside the model of what it must be: every call is made on the store and checked on the model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "regraft/ft/communicator.hpp"
#include "regraft/store/replicated_store.hpp"
#include "support/store/store_model.hpp"
#include "support/store/store_placements.hpp"

namespace regraft::test {

/// How members say what they want.
enum class Request {
    told,     // each says what it wants
    known,    // each knows what all want
    started,  // the same, and something else is done until it is there
    told_and_started,
};

/// What members say is to be done about lost blocks.
enum class Loss {
    left,
    thrown,
    reread,
    reread_in_vain,  // one of them cannot
};

/// What members want as rows by PeId. The rows of the dead do not count, and are those of the first member.
inline Csr<BlockRange> rows_by_pe(ft::Communicator const& comm, Csr<BlockRange> const& rows) {
    Csr<BlockRange> result;
    for (std::uint32_t pe = 0; pe < comm.num_founders(); ++pe) {
        bool const alive = std::binary_search(comm.members().begin(), comm.members().end(), PeId{pe});
        result.push_row(rows[alive ? comm.position(PeId{pe}) : 0]);
    }
    return result;
}

/// Calls throw ProcessFailure as the store does. They return what was wrong; empty: nothing. All are collective, with
/// the same arguments on all members.
class StoreUnderTest {
public:
    StoreUnderTest(ft::Communicator& comm, store::Options options)
        : comm_(comm), options_(options), store_(comm, options) {}

    store::ReplicatedStore& store() { return store_; }
    StoreModel const& model() const { return model_; }

    /// parts: what each member submits. expected: what must come back; other content than the submitted one if the
    /// checks themselves are under test.
    void submit(placement::Any const& placement, Content const& content, std::span<BlockRange const> parts,
                Content const& expected) {
        std::vector<PeId> const members(comm_.members().begin(), comm_.members().end());
        auto submission = std::make_unique<Submission>(content, parts[comm_.position(comm_.self())]);
        auto const& to_submit = *submission;
        pending_.emplace(Pending{placement, members, expected, std::move(submission)});
        to_submit.to(store_, placement, content);
        settle();
    }
    void submit(placement::Any const& placement, Content const& content, std::span<BlockRange const> parts) {
        submit(placement, content, parts, content);
    }

    /// given: the blocks of each member that get other bytes.
    std::string update(Csr<BlockRange> const& given, std::uint64_t salt) {
        auto const expected = model_.content().with_other_bytes_in(given.values, salt);
        std::vector<std::byte> bytes;
        auto const mine = given[comm_.position(comm_.self())];
        for (auto const& range : mine) {
            auto const rows = expected.rows(range);
            bytes.insert(bytes.end(), rows.values.begin(), rows.values.end());
        }
        std::vector<PeId> const members(comm_.members().begin(), comm_.members().end());
        auto const right = model_.report_of(given, members);
        pending_update_.emplace(PendingUpdate{given, members, expected});
        auto const report = store_.update(mine, bytes);
        bool const is_exact = model_.exact();
        settle();
        if (!is_exact) return "";
        if (report.regained != right.regained) return "an update regains" + to_string(report.regained);
        bool const same = report.blocks_changed == right.blocks_changed &&
                          report.bytes_changed == right.bytes_changed && report.bytes_moved == right.bytes_moved;
        return same ? check_memory()
                    : "an update moves " + std::to_string(report.bytes_moved) + " bytes, not " +
                          std::to_string(right.bytes_moved);
    }

    /// Called after a failure: the version tells whether the last submit or update was carried out, and only the living
    /// hold.
    void settle() {
        if (pending_update_ && store_.version() != version_) {
            version_ = store_.version();
            model_.updated(pending_update_->given, pending_update_->members, pending_update_->expected);
            // Nothing is referred to any more, so that other bytes there are none in the store.
            if (kept_) std::ranges::fill(kept_->blocks.values, StoreModel::untouched);
        }
        pending_update_.reset();
        if (pending_ && store_.version() != version_) {
            version_ = store_.version();
            model_.submitted(pending_->placement, pending_->members, pending_->expected);
            kept_ = std::move(pending_->submission);
            pending_.reset();
        }
        model_.retain(comm_.members());
    }

    /// rows: what each member wants.
    std::string load(Csr<BlockRange> const& rows, Request request, Loss loss = Loss::left) {
        auto const mine = rows[comm_.position(comm_.self())];
        std::vector<std::byte> out(model_.bytes_of(mine), StoreModel::untouched);
        auto const outcome = load(rows, request, loss, out);
        auto wrong = check(outcome, rows, loss, out);
        if (!comm_.agree_equal(hash_of_uniform(outcome.report) + (outcome.thrown ? 1 : 0)))
            wrong += " survivors got different reports";
        return wrong;
    }
    /// The same without any communication except the store's own.
    std::string load_alone(Csr<BlockRange> const& rows, Request request) {
        auto const mine = rows[comm_.position(comm_.self())];
        std::vector<std::byte> out(model_.bytes_of(mine), StoreModel::untouched);
        return check(load(rows, request, Loss::left, out), rows, Loss::left, out);
    }
    /// All members want everything.
    std::string load_everything() {
        Csr<BlockRange> rows;
        auto const everything = model_.content().everything();
        for (std::size_t i = 0; i < comm_.size(); ++i) rows.push_row(std::span(&everything, 1));
        return load(rows, Request::told);
    }

    /// The same without limits of room.
    std::string repair(store::RepairOptions const& options = {}) {
        try {
            auto wrong = model_.apply(store_.repair(options), comm_.members(), options.replicas);
            return wrong.empty() ? check_memory() : wrong;
        } catch (ft::ProcessFailure const&) {
            // A simulated death is noticed at the victim's point, even if that comes after the repair is settled.
            if (!ft::survives_real_deaths()) model_.repaired_perhaps();
            throw;
        }
    }

    /// Damages nothing, so nothing may be found.
    std::string scrub() {
        auto const report = store_.scrub();
        if (!report.damaged.empty() || !report.lost.empty()) return "a scrub finds damage where there is none";
        auto const right = model_.bytes_held(comm_.self());
        if (!model_.exact() || report.bytes_verified == right) return "";
        return "a scrub looks at " + std::to_string(report.bytes_verified) + " bytes, not " + std::to_string(right);
    }

    /// Whether the store keeps as many bytes as it must.
    std::string check_memory() const {
        if (!model_.exact() || options_.own_copy == store::OwnCopy::referenced) return "";
        auto const right = model_.bytes_held(comm_.self());
        if (store_.bytes_held() == right) return "";
        return "keeps " + std::to_string(store_.bytes_held()) + " bytes, not " + std::to_string(right);
    }

private:
    struct Outcome {
        store::LoadReport report;  // of a load that threw: what is lost
        bool thrown = false;
    };

    store::LoadOptions options_of(Loss loss) const {
        if (loss == Loss::left) return {.lost = store::LoadOptions::Lost::left};
        if (loss == Loss::thrown) return {};
        bool const in_vain = loss == Loss::reread_in_vain && comm_.self() == comm_.members().back();
        return {.reread = [this, in_vain](BlockRange blocks, std::span<std::byte> place) {
            if (in_vain) throw std::runtime_error("no such file");
            auto const bytes = model_.content().rows(blocks).values;
            if (bytes.size() != place.size()) throw std::runtime_error("a place of another size");
            std::copy(bytes.begin(), bytes.end(), place.begin());
        }};
    }

    Outcome load(Csr<BlockRange> const& rows, Request request, Loss loss, std::span<std::byte> out) {
        auto const options = options_of(loss);
        try {
            if (request == Request::told) {
                return {store_.load(rows[comm_.position(comm_.self())], out, options)};
            }
            auto const by_pe = rows_by_pe(comm_, rows);
            if (request == Request::known) return {store_.load(CsrView<BlockRange>(by_pe), out, options)};
            auto loading = request == Request::started
                               ? store_.start_load(CsrView<BlockRange>(by_pe), out, options)
                               : store_.start_load(rows[comm_.position(comm_.self())], out, options);
            for (std::uint64_t i = 0; i < 1000; ++i) computed_ = mix(computed_ + i);
            return {loading.wait()};
        } catch (store::DataLost const& error) {
            Outcome outcome{{}, true};
            outcome.report.lost = error.ranges();
            return outcome;
        }
    }

    bool may_be(Outcome const& outcome, Csr<BlockRange> const& rows, Loss loss) const {
        bool const lost = !outcome.report.lost.empty();
        if (loss != Loss::reread_in_vain) return outcome.thrown == (lost && loss == Loss::thrown);
        // A member that cannot read knows; to the others it may be dead before it says so.
        bool const in_vain = !model_.lost_of(rows[rows.size() - 1]).empty();
        bool const mine = comm_.self() == comm_.members().back();
        return outcome.thrown ? in_vain : !(in_vain && mine);
    }

    std::string check(Outcome const& outcome, Csr<BlockRange> const& rows, Loss loss,
                      std::span<std::byte const> out) const {
        auto const& [report, thrown] = outcome;
        auto const mine = rows[comm_.position(comm_.self())];
        if (model_.exact() && !may_be(outcome, rows, loss))
            return thrown ? "throws DataLost" : "does not throw DataLost";
        auto const places = loss == Loss::left || loss == Loss::thrown ? LostPlaces::untouched
                            : thrown                                   ? LostPlaces::anything
                                                                       : LostPlaces::read_again;
        auto wrong = model_.check(report.lost, mine, rows.values, out, places);
        auto const bytes = report.bytes_received + report.bytes_local;
        auto const right = model_.bytes_of(mine) - model_.bytes_of_lost(report, mine);
        if (wrong.empty() && !thrown && report.damaged.empty() && bytes != right) {
            wrong = "the report says " + std::to_string(bytes) + " bytes, not " + std::to_string(right);
        }
        return wrong;
    }

    struct Pending {
        placement::Any placement;
        std::vector<PeId> members;
        Content expected;
        std::unique_ptr<Submission> submission;
    };

    struct PendingUpdate {
        Csr<BlockRange> given;
        std::vector<PeId> members;
        Content expected;
    };

    ft::Communicator& comm_;
    store::Options options_;
    std::unique_ptr<Submission> kept_;  // of the version that the store keeps; before the store, which may refer to it
    std::optional<Pending> pending_;    // a submit that was not carried out, as far as is known
    std::optional<PendingUpdate> pending_update_;
    store::ReplicatedStore store_;
    StoreModel model_;
    std::uint64_t version_ = 0;  // that the model knows
    std::uint64_t computed_ = 0;
};

/// What is submitted, and how often.
struct SubmittedSize {
    std::uint64_t num_blocks = 0;
    Content::Sizes sizes = Content::Sizes::fixed;
    std::size_t block_bytes = 0;
    std::uint32_t replicas = 2;
};

inline std::uint32_t fitting(std::uint32_t replicas, ft::Communicator const& comm) {
    return std::min(replicas, static_cast<std::uint32_t>(comm.size()));
}

inline std::vector<BlockRange> even_parts(std::uint64_t num_blocks, ft::Communicator const& comm) {
    std::vector<BlockRange> parts;
    for (std::size_t i = 0; i < comm.size(); ++i) parts.push_back(part_of(num_blocks, i, comm.size()));
    return parts;
}

/// About one in `every` blocks, each given by some member; 0: none. The same on all members.
inline Csr<BlockRange> some_blocks(ft::Communicator const& comm, std::uint64_t num_blocks, std::uint64_t every,
                                   std::uint64_t salt) {
    std::vector<std::vector<bool>> chosen(comm.size(), std::vector<bool>(num_blocks));
    for (std::uint64_t id = 0; id < num_blocks; ++id) {
        auto const drawn = mix(salt * 1000003 + id);
        if (every != 0 && drawn % every == 0) chosen[drawn / every % comm.size()][id] = true;
    }
    Csr<BlockRange> rows;
    for (auto const& each : chosen) rows.push_row(as_ranges(each));
    return rows;
}

inline void submit_evenly(StoreUnderTest& store, ft::Communicator const& comm, SubmittedSize const& size,
                          std::string const& placement = "mod_k", std::uint64_t salt = 1) {
    Content const content(salt, size.num_blocks, size.sizes, size.block_bytes);
    store.submit(make_placement(placement, size.num_blocks, comm.members(), fitting(size.replicas, comm), 2, salt),
                 content, even_parts(size.num_blocks, comm));
}

}  // namespace regraft::test
