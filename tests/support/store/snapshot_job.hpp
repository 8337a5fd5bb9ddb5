// A program whose state is known at every moment, with a snapshot: entities come, go, grow and move, and all that the
// snapshot gives back is compared with what it must be.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/random.hpp"

namespace regraft::test {

struct SnapshotJobOptions {
    checkpoint::SnapshotOptions snapshot{};
    /// There are copies, or parities and one more: so many deaths between two moments of full redundancy may lose
    /// something.
    std::uint32_t copies = 2;
    checkpoint::RestoreOptions::Redundancy redundancy = checkpoint::RestoreOptions::Redundancy::repaired;
    std::uint64_t seed = 0;
    std::uint64_t most_entities = 20;
    std::uint64_t most_bytes = 500;
    /// From moment to moment most bytes stay as they are, unless sizes change.
    bool changes_little = false;
    /// Expects other bytes than there are, for tests that this is noticed.
    bool expects_wrong_bytes = false;
};

/// Calls throw ProcessFailure as the snapshot does, and std::runtime_error if something is wrong.
/// All are collective.
class SnapshotJob {
public:
    SnapshotJob(ft::Communicator& comm, SnapshotJobOptions options)
        : comm_(comm), options_(std::move(options)), snapshot_(comm, options_.snapshot) {
        snapshot_.add_common("moment", moment_);
    }

    checkpoint::Snapshot const& snapshot() const { return snapshot_; }
    /// The moment that is committed; 0: none.
    std::uint64_t moment() const { return known_.moment; }

    /// Makes the state of the next moment, and commits; now and then goes back to the last commit or an earlier one.
    void step() {
        moment_ = known_.moment + 1;
        evolve();
        require(comm_.agree_equal(snapshot_.due()) ? "" : "a commit is due on some members");
        attempt(moment_);
        snapshot_.commit();
        settle();
        require(check());
        if (draw(moment_, 1) % 3 != 0) return;
        auto const all = snapshot_.generations();
        auto const back = moment_ > gone_back_from_ ? all[draw(moment_, 2) % all.size()] : generation_;
        gone_back_from_ = std::max(gone_back_from_, moment_);  // otherwise it would come here again and again
        scramble();
        restore(back == generation_ ? 0 : back);
    }

    /// Called after a shrink.
    void recover() {
        settle_going_back();
        settle();
        require(comm_.agree_equal(snapshot_.generation()) ? "" : "survivors are at different commits");
        if (snapshot_.generation() == 0) return;
        scramble();
        restore(0);
    }

private:
    struct State {
        std::vector<std::byte> bytes;
        std::map<std::uint32_t, std::byte> sparse;
        std::vector<std::uint32_t> words;
    };
    enum class Kind { vector, sparse, fixed };

    static Kind kind_of(std::uint64_t k) { return static_cast<Kind>(k % 3); }
    static std::string name_of(std::uint64_t k) { return "entity " + std::to_string(k); }
    static std::uint64_t number_of(std::string const& name) { return std::stoull(name.substr(7)); }
    std::uint64_t draw(std::uint64_t a, std::uint64_t b) const { return mix(mix(mix(options_.seed) + a) + b); }

    // --- what the state is at a moment -----------------------------------------------------------------------------

    /// Names, sizes and homes stay for a few moments, so that there are commits in which only bytes change.
    static std::uint64_t epoch(std::uint64_t moment) { return moment / 5; }

    bool exists(std::uint64_t k, std::uint64_t moment) const { return draw(k, epoch(moment)) % 4 != 0; }

    std::vector<std::byte> content(std::uint64_t k, std::uint64_t moment) const {
        auto const of_size = kind_of(k) == Kind::fixed ? 1'000'000 : epoch(moment) + 7;
        auto const size = draw(k, of_size) % (options_.most_bytes + 1) / 4 * 4;
        std::vector<std::byte> bytes(size);
        Random zeros(draw(k, epoch(moment) + 2'000'003)), random(draw(k, moment + 1'000'003));
        if (options_.changes_little) return mostly_still(k, moment, std::move(bytes));
        // Some get smaller when they are compressed.
        auto const values = k % 2 == 0 ? 255 : 2;
        for (auto& byte : bytes) {
            auto const something = static_cast<std::byte>(1 + random.below(values));
            byte = zeros.below(3) == 0 ? std::byte{} : something;
        }
        return bytes;
    }

    /// Each piece of 16 bytes changes at some of the moments of an epoch. No byte is zero, so that sizes stay.
    std::vector<std::byte> mostly_still(std::uint64_t k, std::uint64_t moment, std::vector<std::byte> bytes) const {
        constexpr std::size_t piece_bytes = 16;
        for (std::size_t begin = 0; begin < bytes.size(); begin += piece_bytes) {
            auto since = moment;
            while (epoch(since - 1) == epoch(moment) && draw(draw(k, since), begin) % 6 != 0) --since;
            Random random(draw(draw(k, since + 1'000'003), begin));
            auto const end = std::min(bytes.size(), begin + piece_bytes);
            for (auto i = begin; i < end; ++i) bytes[i] = static_cast<std::byte>(1 + random.below(255));
        }
        return bytes;
    }

    void set(State& state, std::uint64_t k, std::span<std::byte const> bytes) const {
        state.sparse.clear();
        if (kind_of(k) == Kind::vector) {
            state.bytes.assign(bytes.begin(), bytes.end());
        } else if (kind_of(k) == Kind::sparse) {
            for (std::uint32_t i = 0; i < bytes.size(); ++i) {
                if (bytes[i] != std::byte{}) state.sparse[i] = bytes[i];
            }
        } else {
            state.words.resize(bytes.size() / 4);  // where they are, once they are there
            std::ranges::copy(bytes, std::as_writable_bytes(std::span(state.words)).begin());
        }
    }

    bool is(State const& state, std::uint64_t k, std::uint64_t moment) const {
        auto bytes = content(k, moment);
        if (options_.expects_wrong_bytes && !bytes.empty()) bytes.front() ^= std::byte{1};
        State right;
        set(right, k, bytes);
        return state.bytes == right.bytes && state.sparse == right.sparse && state.words == right.words;
    }

    // --- the program -----------------------------------------------------------------------------------------------

    /// The PE that has entity k at the next moment: mostly the one that has it now.
    PeId owner(std::uint64_t k, std::map<std::string, PeId> const& homes) const {
        auto const members = comm_.members();
        auto const chosen = members[draw(k, moment_ + 77) % members.size()];
        auto const home = homes.find(name_of(k));
        bool const stays = home != homes.end() && std::binary_search(members.begin(), members.end(), home->second) &&
                           (epoch(moment_) == epoch(moment_ - 1) || draw(k, moment_ + 99) % 4 != 0);
        return stays ? home->second : chosen;
    }

    void evolve() {
        std::map<std::string, PeId> homes;
        for (auto const& entity : snapshot_.committed()) homes[entity.name] = entity.home;
        std::map<std::uint64_t, std::unique_ptr<State>> next;
        for (std::uint64_t k = 0; k < options_.most_entities; ++k) {
            auto const name = name_of(k);
            bool const mine = exists(k, moment_) && owner(k, homes) == comm_.self();
            auto const bytes = content(k, moment_);
            if (!mine) {
                drop(k);
                continue;
            }
            if (!states_.contains(k)) {
                create(k, bytes);
            } else {
                set(*states_[k], k, bytes);
            }
        }
    }

    void create(std::uint64_t k, std::span<std::byte const> bytes) {
        states_[k] = std::make_unique<State>();
        set(*states_[k], k, bytes);
        add(k);
    }

    void drop(std::uint64_t k) {
        if (snapshot_.has(name_of(k))) snapshot_.remove(name_of(k));
        states_.erase(k);
    }

    void add(std::uint64_t k) {
        auto& state = *states_.at(k);
        if (kind_of(k) == Kind::vector) return snapshot_.add(name_of(k), state.bytes);
        if (kind_of(k) == Kind::fixed) return snapshot_.add(name_of(k), std::span(state.words));
        snapshot_.add(name_of(k), {.save =
                                       [&state](ByteWriter& out) {
                                           out.put(std::uint64_t{state.sparse.size()});
                                           for (auto const& [place, byte] : state.sparse) {
                                               out.put(place);
                                               out.put(byte);
                                           }
                                       },
                                   .restore =
                                       [&state](ByteReader& in) {
                                           state.sparse.clear();
                                           for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
                                               auto const place = in.get<std::uint32_t>();
                                               state.sparse[place] = in.get<std::byte>();
                                           }
                                       }});
    }

    void adopt(std::string const& name) {
        auto const k = number_of(name);
        create(k, std::vector<std::byte>(content(k, known_.moment).size()));
    }

    /// The program goes on, and what it does is of no consequence.
    void scramble() {
        moment_ += 1000;
        for (auto& [k, state] : states_) {
            for (auto& word : state->words) word = ~word;
            if (kind_of(k) == Kind::vector) state->bytes.assign(draw(k, moment_) % 50, std::byte{42});
            if (kind_of(k) == Kind::sparse) state->sparse[12345] = std::byte{3};
        }
        // Some entities go, a new one comes.
        std::vector<std::uint64_t> numbers;
        for (auto const& [k, state] : states_) numbers.push_back(k);
        for (auto const k : numbers) {
            if (draw(k, moment_) % 3 == 0) drop(k);
        }
        auto const k = options_.most_entities + value(comm_.self());
        drop(k);
        create(k, {});
    }

    // --- commits and what they must be -----------------------------------------------------------------------------

    void attempt(std::uint64_t moment) {
        attempted_ = moment;
        attempted_by_.assign(comm_.members().begin(), comm_.members().end());
    }

    /// The generation tells whether the last attempt succeeded.
    void settle() {
        earlier_[generation_] = known_;
        if (snapshot_.generation() == generation_) return;
        generation_ = snapshot_.generation();
        if (attempted_ != known_.moment) known_.lost.clear();
        known_.moment = attempted_;
        known_.guarded = attempted_by_;
        earlier_[generation_] = known_;
    }

    /// A restore that was to go back may have been interrupted: before that, or after it, or when it had committed the
    /// state once more, in place of that to which it had gone back.
    void settle_going_back() {
        auto const target = std::exchange(target_, 0);
        if (target == 0) return;
        auto const all = snapshot_.generations();
        if (snapshot_.generation() == target || std::ranges::find(all, target) == all.end()) become(target);
    }
    void become(std::uint64_t generation) {
        generation_ = generation;
        known_ = earlier_.at(generation);
    }

    /// Goes back to an earlier generation, or to the last for 0.
    void restore(std::uint64_t target) {
        using Redundancy = checkpoint::RestoreOptions::Redundancy;
        target_ = target;
        attempt(target == 0 ? known_.moment : earlier_.at(target).moment);
        auto const deals = std::array<checkpoint::Deal, 3>{
            checkpoint::to_holders, checkpoint::balanced,
            [this](std::span<checkpoint::Orphan const> orphans, std::span<checkpoint::Survivor const> survivors) {
                std::vector<PeId> homes;
                for (auto const& orphan : orphans)
                    homes.push_back(survivors[draw(number_of(std::string(orphan.name)), 5) % survivors.size()].pe);
                return homes;
            }};
        auto const report = snapshot_.restore({.generation = target,
                                               .adopt = [this](std::string const& name) { adopt(name); },
                                               .deal = deals[draw(known_.moment, 13) % deals.size()],
                                               .redundancy = options_.redundancy,
                                               .lost = checkpoint::RestoreOptions::Lost::left});
        for (auto const& name : report.removed) states_.erase(number_of(name));
        settle_going_back();
        auto const lost_before = known_.lost;
        known_.lost.insert(report.lost.begin(), report.lost.end());  // what follows may notice the next death
        require(check_report(report, lost_before));
        settle();
        if (options_.redundancy == Redundancy::repaired) {
            known_.guarded = {comm_.members().begin(), comm_.members().end()};
            for (auto& [generation, known] : earlier_) known.guarded = known_.guarded;
        }
        require(check());
    }

    void require(std::string const& wrong) const {
        if (wrong.empty()) return;
        auto const text = "moment " + std::to_string(known_.moment) + ": " + wrong;
        std::fprintf(stderr, "rank %u: %s\n", value(comm_.self()), text.c_str());
        throw std::runtime_error(text);
    }

    std::string check_report(checkpoint::RestoreReport const& report, std::set<std::string> const& lost_before) const {
        auto const dead = known_.guarded.size() - comm_.size();
        auto const tolerated = std::min<std::size_t>(options_.copies, known_.guarded.size());
        for (auto const& name : report.lost) {  // those of restores before stay lost until the next commit
            if (!lost_before.contains(name) && dead < tolerated) return name + " is lost";
        }
        std::uint64_t digest = report.generation;
        for (auto const& [name, from, to, bytes] : report.adopted) {
            digest = mix(digest + number_of(name) * 1000 + value(from) * 32 + value(to) + bytes);
            if (!lives(to)) return name + " goes to the dead";
            if (lives(from)) return name + " is taken from the living";
        }
        for (auto const& name : report.lost) digest = mix(digest + number_of(name));
        return comm_.agree_equal(digest) ? "" : "survivors got different reports";
    }

    bool lives(PeId pe) const { return std::binary_search(comm_.members().begin(), comm_.members().end(), pe); }

    /// The committed table and the live state, both as at the committed moment.
    std::string check() const {
        if (moment_ != known_.moment) return "moment " + std::to_string(moment_) + " came back";
        std::set<std::string> right, known, mine;
        for (std::uint64_t k = 0; k < options_.most_entities; ++k) {
            if (exists(k, moment_)) right.insert(name_of(k));
        }
        for (auto const& [name, home, bytes, stored_bytes] : snapshot_.committed()) {
            if (!known.insert(name).second) return name + " is there twice";
            if (lives(home) == known_.lost.contains(name)) return name + " is at home nowhere";
            if (home == comm_.self()) mine.insert(name);
        }
        // What was lost may have been left out of a commit since.
        for (auto const& name : right) {
            if (!known.contains(name) && !known_.lost.contains(name)) return name + " is not committed";
        }
        for (auto const& name : known) {
            if (!right.contains(name)) return name + " should not be there";
        }
        for (auto const& [k, state] : states_) {
            if (!mine.contains(name_of(k))) return name_of(k) + " is no longer here";
            if (!is(*state, k, moment_)) return name_of(k) + ": wrong bytes";
        }
        if (mine.size() != states_.size()) return "something of one's own is missing";
        return "";
    }

    ft::Communicator& comm_;
    SnapshotJobOptions options_;
    std::uint64_t moment_ = 0;
    std::map<std::uint64_t, std::unique_ptr<State>> states_;
    checkpoint::Snapshot snapshot_;

    // What is known of the snapshot.
    std::uint64_t generation_ = 0;
    struct Known {
        std::uint64_t moment = 0;
        std::vector<PeId> guarded;  // the members when there were as many copies as there shall be
        std::set<std::string> lost;
    } known_;                                 // of the last generation
    std::map<std::uint64_t, Known> earlier_;  // of all, when they were the last
    std::uint64_t target_ = 0;                // the earlier one to which a restore goes back
    std::uint64_t gone_back_from_ = 0;        // the last moment from which one might have gone back
    std::uint64_t attempted_ = 0;
    std::vector<PeId> attempted_by_;
};

}  // namespace regraft::test
