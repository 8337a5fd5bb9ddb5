#include "job/meeting.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/ft/errors.hpp"

namespace regraft::phylo {
namespace {

/// Only one member of a group brings its news.
std::vector<std::byte> to_bytes(Knowledge const& known, bool with_news) {
    ByteWriter out;
    out.put_text(known.reason_to_stop);
    out.put(known.diverged);
    out.put(known.news_on_disk);
    out.put_all(std::span<std::byte const>((with_news ? known.news : Progress()).to_bytes()));
    return out.take();
}

Knowledge from_bytes(std::span<std::byte const> bytes) {
    ByteReader in(bytes);
    Knowledge known;
    known.reason_to_stop = in.get_text();
    known.diverged = in.get<bool>();
    known.news_on_disk = in.get<bool>();
    known.news = Progress::from_bytes(in.get_all<std::byte>());
    return known;
}

}  // namespace

bool meet(ft::Communicator& comm, std::span<PeId const> group, Knowledge& known) {
    auto const speaker =
        std::ranges::find_if(group, [&](PeId pe) { return std::ranges::binary_search(comm.members(), pe); });
    checkpoint::MiniCheckpoint meeting(comm);
    meeting.commit(to_bytes(known, speaker != group.end() && *speaker == comm.self()));
    auto const& shares = meeting.latest().shares;
    bool any_on_disk = false;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        auto other = from_bytes(shares[rank]);
        if (known.reason_to_stop.empty()) known.reason_to_stop = other.reason_to_stop;
        known.diverged = known.diverged || other.diverged;
        any_on_disk = any_on_disk || other.news_on_disk;
        known.progress.merge(std::move(other.news));
    }
    known.news = {};
    known.news_on_disk = false;
    if (known.diverged) throw ft::Divergence("members of a group have computed different states");
    return any_on_disk;
}

}  // namespace regraft::phylo
