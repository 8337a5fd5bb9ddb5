#include "job/kept_progress.hpp"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "files/checkpoint_file.hpp"
#include "regraft/ft/nodes.hpp"
#include "regraft/store/keep.hpp"

namespace regraft::phylo {
namespace {

ft::FailPhase keep_phase("keep-progress");

constexpr int most_often = 50;  // the time between two writes is so many times that of one

}  // namespace

void KeptProgress::begin() {
    auto& [comm, options, output, log, dataset, agenda] = context_;
    if (options.resources.keep.empty() || output == Context::Output::none) return;
    auto const nodes = ft::node_ids(comm);
    node_of_.assign(comm.num_founders(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) node_of_[value(comm.members()[i])] = nodes[i];
    auto const name = fmt::format("regraft-{}-phylo-{:016x}", store::job_of_environment(), agenda->fingerprint());
    prefix_ = (options.resources.keep / name).string();
}

bool KeptProgress::is_first_of_node() const {
    return !prefix_.empty() && is_first_of_node(context_.comm.members());
}

bool KeptProgress::is_first_of_node(std::span<PeId const> members) const {
    auto const self = context_.comm.self();
    auto const node = node_of_[value(self)];
    auto const first = std::ranges::find_if(members, [&](PeId pe) { return node_of_[value(pe)] == node; });
    return first != members.end() && *first == self;
}

bool KeptProgress::is_due(std::span<PeId const> group) const {
    return !prefix_.empty() && Clock::now() >= next_ && is_first_of_node(group);
}

Problem KeptProgress::save(Progress const& progress) {
    auto const begin = Clock::now();
    auto& comm = context_.comm;
    comm.reach(keep_phase.before);
    try {
        write_checkpoint(checkpoint_path(prefix_, value(comm.self())), context_.agenda->fingerprint(),
                         progress.to_bytes());
    } catch (std::exception const& error) {
        return Problem::of(error);
    }
    comm.reach(keep_phase.after);
    next_ = Clock::now() + most_often * (Clock::now() - begin);
    return {};
}

void KeptProgress::remove() const {
    if (is_first_of_node()) remove_checkpoints(prefix_);
}

}  // namespace regraft::phylo
