#include "progress/progress.hpp"

#include <utility>

#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::phylo {

void Progress::note(Item item, SearchState state) {
    auto const found = newest_.find(item);
    if (found == newest_.end()) {
        newest_.emplace(item, std::move(state));
    } else if (state.steps > found->second.steps) {
        found->second = std::move(state);
    }
}

void Progress::merge(Progress other) {
    for (auto& [item, state] : other.newest_) note(item, std::move(state));
}

SearchState const* Progress::find(Item item) const {
    auto const found = newest_.find(item);
    return found == newest_.end() ? nullptr : &found->second;
}

bool Progress::is_done(Item item) const {
    auto const* const state = find(item);
    return state != nullptr && state->is_done();
}

std::vector<std::byte> Progress::to_bytes() const {
    ByteWriter out;
    out.put(std::uint64_t{newest_.size()});
    for (auto const& [item, state] : newest_) {
        out.put(item.purpose);
        out.put(item.number);
        out.put_all(std::span<std::byte const>(state.to_bytes()));
    }
    return out.take();
}

Progress Progress::from_bytes(std::span<std::byte const> bytes) {
    ByteReader in(bytes);
    Progress progress;
    for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
        Item item{};
        item.purpose = in.get<Purpose>();
        if (item.purpose > Purpose::gene_replicate)
            throw InputError("there is no purpose of a search with this number");
        item.number = in.get<std::uint32_t>();
        progress.note(item, SearchState::from_bytes(in.get_all<std::byte>()));
    }
    return progress;
}

}  // namespace regraft::phylo
