// A program whose state is known at every moment, with a snapshot that can be saved and opened.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/random.hpp"

namespace regraft::test {

/// Entities 0 .. n-1 of all sizes, some of them empty, half of the others of the kind that can be compressed.
class SavedProgram {
public:
    SavedProgram(ft::Communicator& comm, std::uint64_t num_entities, checkpoint::SnapshotOptions options = {})
        : snapshot(comm, std::move(options)), comm_(comm), num_entities_(num_entities) {
        snapshot.add_common("moment", moment);
    }
    SavedProgram(SavedProgram const&) = delete;
    SavedProgram& operator=(SavedProgram const&) = delete;

    static std::string name_of(std::uint64_t k) { return "entity " + std::to_string(k); }
    static std::uint64_t number_of(std::string const& name) { return std::stoull(name.substr(7)); }
    static std::vector<std::byte> content(std::uint64_t k, std::uint64_t moment) {
        std::vector<std::byte> bytes(k % 4 == 3 ? 0 : 20 * k + (k % 7 == 4 ? 3 * moment : 0));
        Random random(1000 * k + moment);
        for (auto& byte : bytes) byte = static_cast<std::byte>(k % 2 == 0 ? random.below(256) : moment);
        return bytes;
    }

    /// The state of moment 0, dealt so that some members have nothing.
    void begin() {
        while (!states.empty()) drop(states.begin()->first);
        for (std::uint64_t k = 0; k < num_entities_; ++k) {
            if (k * k % comm_.size() == comm_.position(comm_.self())) adopt(k);
        }
        go_to(0);
    }
    void go_to(std::uint64_t next) {
        moment = next;
        for (auto& [k, state] : states) state = content(k, moment);
    }
    /// State that must not survive.
    void scramble() {
        moment += 1000;
        for (auto& [k, state] : states) state.assign(state.size() % 3, std::byte{77});
    }

    void adopt(std::uint64_t k) { snapshot.add(name_of(k), states[k]); }
    void drop(std::uint64_t k) {
        if (snapshot.has(name_of(k))) snapshot.remove(name_of(k));
        states.erase(k);
    }
    auto adopting() {
        return [this](std::string const& name) { adopt(number_of(name)); };
    }
    checkpoint::OpenReport open(std::filesystem::path const& archive, checkpoint::Deal deal = {}) {
        auto report = snapshot.open(archive, {.adopt = adopting(), .deal = std::move(deal)});
        forget_unregistered();
        return report;
    }
    checkpoint::RestoreReport restore(std::uint64_t generation = 0) {
        auto report = snapshot.restore({.generation = generation, .adopt = adopting(), .reread = snapshot.reread()});
        forget_unregistered();
        return report;
    }

    void forget_unregistered() {
        std::erase_if(states, [this](auto const& entry) { return !snapshot.has(name_of(entry.first)); });
    }

    /// What is wrong after a commit, an open or a restore; empty: nothing. Collective.
    std::string wrong() const {
        if (!comm_.agree_equal(moment)) return "members are at different moments";
        std::set<std::string> names, mine;
        for (auto const& [name, home, bytes, stored_bytes] : snapshot.committed()) {
            names.insert(name);
            if (home == comm_.self()) mine.insert(name);
            if (!std::binary_search(comm_.members().begin(), comm_.members().end(), home)) return name + ": no home";
        }
        if (names.size() != num_entities_ || snapshot.committed().size() != num_entities_) return "not all entities";
        if (mine.size() != states.size()) return "what is mine is not what is here";
        for (auto const& [k, state] : states) {
            if (!mine.contains(name_of(k)) || !snapshot.has(name_of(k))) return name_of(k) + " is not mine";
            if (state != content(k, moment)) return name_of(k) + ": wrong bytes";
        }
        return "";
    }

    std::uint64_t moment = 0;
    std::map<std::uint64_t, std::vector<std::byte>> states;
    checkpoint::Snapshot snapshot;

private:
    ft::Communicator& comm_;
    std::uint64_t num_entities_;
};

}  // namespace regraft::test
