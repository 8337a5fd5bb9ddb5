#include "store/keeping/takeover.hpp"

#include <utility>

#include "exchange/exchange.hpp"
#include "regraft/store/disk.hpp"
#include "store/together/complaint.hpp"

namespace regraft::store {
namespace {

/// In place of blocks: the manifest as a whole.
constexpr std::uint64_t whole = ~std::uint64_t{0};

/// What counts as absent because of this PE: manifests and blocks, and why.
struct Absent {
    std::vector<std::uint64_t> words{};
    std::vector<std::uint64_t> reasons{};
};

Absent take_over(ft::Communicator const& comm, Keeping const& keeping, Survey const& survey, Chosen const& chosen,
                 Inheritance const& how) {
    Absent absent;
    for (std::size_t k = 0; k < chosen.heirs.size(); ++k) {
        if (chosen.heirs[k] != comm.position(comm.self())) continue;
        auto const i = chosen.choice.manifests[k];
        auto const& found = survey.found[i];
        Unusable unusable;
        if (auto const complaint = attempt([&] { unusable = how.inherit(found, keeping.open(found)); })) {
            unusable = {found.pieces, *complaint};
            absent.words.insert(absent.words.end(), {i, whole, whole});
        }
        for (auto const& blocks : unusable.blocks) {
            absent.words.insert(absent.words.end(), {i, value(blocks.first), value(blocks.last)});
        }
        if (!unusable.reason.empty()) append_text(absent.reasons, unusable.reason);
    }
    return absent;
}

/// Forgets what counts as absent on any member. Returns whether there is any. Collective, not uniform.
bool forget_absent(ft::Communicator& comm, Survey& survey, Absent const& absent) {
    auto const rows = exchange::all_gather(comm, absent.words);
    bool changed = false;
    std::vector<std::vector<BlockRange>> gone(survey.found.size());
    std::vector<bool> gone_whole(survey.found.size());
    for (std::size_t w = 0; w + 2 < rows.values.size(); w += 3) {
        if (rows.values[w + 1] == whole)
            gone_whole[rows.values[w]] = true;
        else
            gone[rows.values[w]].push_back({BlockId{rows.values[w + 1]}, BlockId{rows.values[w + 2]}});
    }
    for (std::size_t i = 0; i < gone.size(); ++i) {
        auto left = subtract(survey.found[i].pieces, std::move(gone[i]));
        if (left == survey.found[i].pieces) continue;
        changed = true;
        survey.found[i].pieces = std::move(left);
    }
    for (std::size_t i = gone.size(); i-- > 0;) {
        if (!gone_whole[i]) continue;
        changed = true;
        survey.found.erase(survey.found.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (!changed) return false;
    auto const told = exchange::all_gather(comm, absent.reasons);
    std::span<std::uint64_t const> rest = told.values;
    while (!rest.empty()) survey.refused.push_back(take_text(rest));
    return true;
}

}  // namespace

std::optional<Chosen> choose_and_take_over(ft::Communicator& comm, Keeping const& keeping, Survey& survey,
                                           Inheritance const& how) {
    for (;;) {
        auto choice = choose(survey.found);
        comm.agree();
        if (!choice && survey.other_kind) throw DiskError(*survey.other_kind);
        if (!choice) return std::nullopt;
        how.look(*choice);
        auto heirs = deal(survey.found, choice->manifests, survey.site_of);
        Chosen chosen{std::move(*choice), std::move(heirs)};
        if (!forget_absent(comm, survey, take_over(comm, keeping, survey, chosen, how))) return chosen;
        how.forget();
    }
}

Common tell_common(ft::Communicator& comm, Chosen const& chosen, Common const& mine) {
    // A member that has taken over nothing does not know the sizes yet.
    std::vector<std::byte> bytes;
    auto const teller = chosen.heirs.front();
    if (teller == comm.position(comm.self())) bytes = encode(Manifest{.common = mine}, {});
    broadcast(comm, bytes, comm.members()[teller]);
    return decode(bytes, {}, 0, "").common;
}

std::string lost_text(std::span<BlockRange const> lost, std::uint64_t version, std::string const& what) {
    std::uint64_t blocks = 0;
    for (auto const& range : lost) blocks += range.size();
    return std::to_string(blocks) + " blocks of version " + std::to_string(version) + ' ' + what +
           ", the first is block " + std::to_string(value(lost.front().first));
}

}  // namespace regraft::store
