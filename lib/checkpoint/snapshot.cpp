#include "regraft/checkpoint/snapshot.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "checkpoint/generations.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::checkpoint {
namespace {

ft::FailPhase create_phase("snapshot-create");
ft::FailPhase swap_phase("snapshot-swap");

std::uint64_t digest(SnapshotOptions const& options) {
    auto const* const code = std::get_if<erasure::Code>(&options.redundancy);
    ByteWriter fields;
    fields.put(code ? std::array{code->data(), code->parity()} : std::array{0U, 0U});
    fields.put(options.form);
    fields.put(options.differential);
    fields.put(options.chunk_bytes);
    fields.put(options.told);
    fields.put(options.transport);
    fields.put(options.integrity);
    fields.put(options.generations);
    fields.put(options.keep.has_value());
    fields.put(options.pace.steps);
    fields.put(options.pace.estimate);
    fields.put(options.pace.mtbf_hours);
    return hash(fields.bytes());
}

std::uint64_t hash_of_contents(Image const& image) {
    return hash_of(image.entities, {}) + hash(image.bytes);
}

bool has_common_names_of(SnapshotState const& snapshot, Images const& next) {
    return std::ranges::equal(snapshot.current().common.entities, next.common.entities, {}, &Image::Stored::name,
                              &Image::Stored::name);
}

/// What the files tell the next job beside the bytes of the entities.
void describe(SnapshotState& snapshot, Manifest const& of, Images const& next) {
    if (!snapshot.options.keep) return;
    snapshot.vault.set_attributes(encode({snapshot.vault.version() + 1,
                                          {snapshot.comm.members().begin(), snapshot.comm.members().end()},
                                          of.entities,
                                          next.common,
                                          {}}));
}

/// The manifest of the commit, if it differs from the last one.
std::optional<Manifest> manifest_for(SnapshotState& snapshot, std::span<Head const> heads, Images const& next) {
    auto& comm = snapshot.comm;
    for (auto const& head : heads) {
        REGRAFT_EXPECTS(head.options == heads.front().options && "all members have the same options");
    }
    if (std::ranges::any_of(heads, [&](Head const& head) { return head.common != heads.front().common; })) {
        auto const which = difference(comm, next.common);
        comm.agree();  // all know that none has failed: what is thrown next is thrown on all
        throw ft::Divergence("snapshot: the common entities are not the same on all members, such as " + which +
                             "; what members have each for itself is registered by add, not by add_common");
    }
    if (snapshot.generation() > 0 && holds(snapshot.manifest, comm.members(), heads) &&
        has_common_names_of(snapshot, next))
        return {};
    auto result = gather_manifest(comm, next.own.entities, snapshot.options.node);
    if (auto const name = duplicate(result, next.common.entities)) {
        comm.agree();
        throw DuplicateEntity(*name);
    }
    return result;
}

/// Submits to the store. If the store gets the new version, keep() records it here, even if a member dies between the
/// two.
bool put(SnapshotState& snapshot, std::function<bool()> const& submit, std::function<void()> const& keep) {
    auto& comm = snapshot.comm;
    auto const before = snapshot.vault.version();
    auto const keep_if_done = [&] {
        if (snapshot.vault.version() == before) return;
        keep();
        if (!snapshot.committed_before) snapshot.identity = store::next_identity(comm);
        snapshot.committed_before = true;
        snapshot.reopened.reset();
        snapshot.arrivals = {};
        snapshot.guarded = {comm.members().begin(), comm.members().end()};
    };
    try {
        if (!submit()) return false;
        comm.reach(swap_phase.before);
        comm.reach(swap_phase.inside);
    } catch (...) {
        keep_if_done();
        throw;
    }
    keep_if_done();
    comm.reach(swap_phase.after);
    return true;
}

/// The costs that this PE has measured when a commit begins.
Cost cost_until(SnapshotState const& snapshot, Clock::time_point begin) {
    auto const computed = std::chrono::duration<double, std::milli>(begin - snapshot.program.last_stop).count();
    auto const steps = snapshot.program.pace.steps();
    return {steps == 0 ? 0 : computed / static_cast<double>(steps), snapshot.program.last_commit_ms};
}

/// What a PE is about to commit.
struct Commit {
    Images const& next;
    Head head{};
    bool looks = false;                                   // all members take digests
    bool compares = false;                                // and have those of the last commit
    std::optional<std::vector<std::uint64_t>> changed{};  // the chunks, if this PE could compare them
    std::optional<store::ChangesReport> sent_as_changes{};
};

/// What follows on all members from a commit that has succeeded.
void note_differences(SnapshotState& snapshot, Commit const& commit) {
    snapshot.differences.committed(commit.sent_as_changes);
    snapshot.digested = commit.looks;
    snapshot.program.told.clear();
}

store::Submissions as_described(Manifest const& manifest) {
    return {manifest.ranges, manifest.sizes, manifest.node_of};
}

/// Submits what has changed, as the last manifest describes it. A member votes against if it could not compare.
/// Collective, uniform.
bool submit_changes(SnapshotState& snapshot, Commit& commit, store::Vote vote) {
    auto const& mine = vote.in_favour ? commit.next.own.bytes : snapshot.current().own.bytes;
    vote.in_favour = vote.in_favour && commit.changed;
    auto const chunk_bytes = snapshot.options.chunk_bytes;
    std::vector<std::uint64_t> const none(store::num_change_words(mine.size(), chunk_bytes), 0);
    store::Changes const changes{chunk_bytes, vote.in_favour ? *commit.changed : none};
    commit.sent_as_changes = snapshot.vault.submit_changes(vote, as_described(snapshot.manifest), mine, changes);
    return commit.sent_as_changes.has_value();
}

/// If names and sizes stayed the same last time, all members assume that they do so again, and find out at the end
/// whether that is true. That saves the exchange before. A member for which it is not true passes as many bytes as the
/// others expect.
bool commit_as_before(SnapshotState& snapshot, Commit& commit) {
    auto& comm = snapshot.comm;
    auto const& next = commit.next;
    auto const& head = commit.head;
    if (!snapshot.steady || snapshot.program.pace.wants_costs() ||
        !std::ranges::equal(snapshot.manifest.members, comm.members()))
        return false;
    bool const same =
        head.entities == snapshot.manifest.hashes[comm.position(comm.self())] && has_common_names_of(snapshot, next);
    store::Vote const vote{same, head.options + head.common};
    auto const& mine = same ? next.own.bytes : snapshot.current().own.bytes;
    describe(snapshot, snapshot.manifest, next);
    return put(
        snapshot,
        [&] {
            if (commit.compares) return submit_changes(snapshot, commit, vote);
            return snapshot.vault.submit_if(vote, as_described(snapshot.manifest), mine);
        },
        [&] {
            snapshot.program.pace.committed();
            note_differences(snapshot, commit);
        });
}

void commit_as_told(SnapshotState& snapshot, Commit& commit) {
    auto const& next = commit.next;
    auto const heads = gather_heads(snapshot.comm, commit.head);
    auto next_manifest = manifest_for(snapshot, heads, next);
    auto const& of = next_manifest ? *next_manifest : snapshot.manifest;
    describe(snapshot, of, next);
    auto const submit = [&] {
        store::Vote const vote{true, commit.head.options + commit.head.common};
        if (!next_manifest && commit.compares && submit_changes(snapshot, commit, vote)) return true;
        snapshot.vault.submit(as_described(of), next.own.bytes);
        return true;
    };
    static_cast<void>(put(snapshot, submit, [&] {
        snapshot.steady = !next_manifest && snapshot.manifest.all_have_bytes();
        if (next_manifest) snapshot.manifest = std::move(*next_manifest);
        std::vector<Cost> costs;
        for (auto const& each : heads) costs.push_back(each.cost);
        snapshot.program.pace.committed(costs);
        note_differences(snapshot, commit);
    }));
}

/// Turns the entities into bytes, all of them or those that have changed.
void create(SnapshotState& snapshot, Commit& commit) {
    auto& next = snapshot.spare().own;
    auto const chunk_bytes = snapshot.options.chunk_bytes;
    commit.looks = snapshot.differences.looks();
    commit.compares = commit.looks && snapshot.digested;
    if (commit.compares) {
        // What the program has told is about the commit before, which is another generation if there are several.
        ToldChanges const nothing;
        auto const& told = snapshot.options.generations == 1 ? snapshot.program.told : nothing;
        commit.changed = save_changes(snapshot.program.own, {told, snapshot.options.told}, snapshot.current().own,
                                      chunk_bytes, next);
        if (commit.changed) return;
    }
    checkpoint::save(snapshot.program.own, snapshot.options.form, next);
    if (commit.looks) digest_chunks(next, chunk_bytes);
}

CommitReport commit(SnapshotState& snapshot) {
    auto& comm = snapshot.comm;
    auto const begin = Clock::now();
    comm.reach(create_phase.before);
    snapshot.let_write(snapshot.vault.version());  // the memory of the commit before the last is used again
    auto& next = snapshot.spare();
    Commit commit{.next = next};
    create(snapshot, commit);
    comm.reach(create_phase.inside);
    checkpoint::save(snapshot.program.common, SnapshotOptions::Form::plain, next.common);
    CommitReport report{.create_ms = milliseconds_since(begin)};
    for (auto const& entity : next.own.entities) report.bytes += entity.bytes;
    report.stored_bytes = next.own.bytes.size();
    comm.reach(create_phase.after);

    auto const created = Clock::now();
    commit.head = {store::call(store::Function::commit, snapshot.identity), digest(snapshot.options),
                   hash_of(next.own.entities, snapshot.options.node), hash_of_contents(next.common),
                   cost_until(snapshot, begin)};
    if (!commit_as_before(snapshot, commit)) commit_as_told(snapshot, commit);
    if (commit.sent_as_changes) report.changed_bytes = commit.sent_as_changes->changed_bytes;
    report.exchange_ms = milliseconds_since(created);
    snapshot.program.last_commit_ms = milliseconds_since(begin);
    snapshot.program.last_stop = Clock::now();
    return report;
}

}  // namespace

CommitReport commit(SnapshotState& snapshot, std::vector<disk::Saved> on_disk) {
    auto const before = snapshot.vault.version();
    auto const note = [&] {
        if (snapshot.vault.version() != before) snapshot.saved = SavedEntities(std::move(on_disk));
    };
    try {
        auto const report = commit(snapshot);
        note();
        return report;
    } catch (...) {
        note();
        throw;
    }
}

Snapshot::Impl::Impl(ft::Communicator& comm, SnapshotOptions const& options) : program(options.pace) {
    REGRAFT_EXPECTS(options.generations > 0);
    REGRAFT_EXPECTS((options.generations == 1 || !options.keep) && "files are kept of one generation");
    for (std::uint32_t i = 0; i < options.generations; ++i) {
        ring.push_back(std::make_unique<SnapshotState>(comm, options, program));
    }
}

CommitReport Snapshot::commit() {
    return impl_->replace_oldest([](SnapshotState& oldest) { return checkpoint::commit(oldest, {}); });
}

Snapshot::Snapshot(ft::Communicator& comm, SnapshotOptions options) : impl_(std::make_unique<Impl>(comm, options)) {}
Snapshot::Snapshot(Snapshot&&) noexcept = default;
Snapshot::~Snapshot() = default;

void Snapshot::add(std::string name, Entity entity) {
    REGRAFT_EXPECTS(entity.save && entity.restore);
    REGRAFT_EXPECTS(!has(name) && "names are unique");
    impl_->program.own.emplace(std::move(name), std::move(entity));
}

void Snapshot::add_common(std::string name, Entity entity) {
    REGRAFT_EXPECTS(entity.save && entity.restore);
    REGRAFT_EXPECTS(!has(name) && "names are unique");
    impl_->program.common.emplace(std::move(name), std::move(entity));
}

void Snapshot::remove(std::string_view name) {
    REGRAFT_EXPECTS(has(name));
    if (auto const told = impl_->program.told.find(name); told != impl_->program.told.end())
        impl_->program.told.erase(told);
    for (auto* const registry : {&impl_->program.own, &impl_->program.common}) {
        if (auto const found = registry->find(name); found != registry->end()) registry->erase(found);
    }
}

void Snapshot::changed(std::string_view name, std::uint64_t first_byte, std::uint64_t bytes) {
    REGRAFT_EXPECTS(has(name));
    impl_->program.told[std::string(name)].push_back({first_byte, first_byte + bytes});
}

bool Snapshot::has(std::string_view name) const {
    return impl_->program.own.contains(name) || impl_->program.common.contains(name);
}

bool Snapshot::due() {
    return impl_->program.pace.due();
}

Pace const& Snapshot::pace() const {
    return impl_->program.pace;
}

std::uint64_t Snapshot::generation() const {
    return impl_->last().generation();
}

std::vector<std::uint64_t> Snapshot::generations() const {
    std::vector<std::uint64_t> numbers;
    for (auto const& each : impl_->ring) {
        if (each->generation() > 0) numbers.push_back(each->generation());
    }
    std::ranges::sort(numbers);
    return numbers;
}

std::span<CommittedEntity const> Snapshot::committed() const {
    return impl_->last().manifest.entities;
}

std::uint64_t Snapshot::bytes_to_adopt() const {
    return impl_->program.bytes_to_adopt;
}

std::span<std::byte const> Snapshot::stored(std::size_t i) const {
    REGRAFT_EXPECTS(i < committed().size());
    return impl_->last().stored(i);
}

void Snapshot::trim() {
    for (auto const& each : impl_->ring) {
        each->let_write(each->vault.version());
        each->spare() = {};
        each->vault.trim();
    }
}

std::uint64_t Snapshot::bytes_held() const {
    std::uint64_t bytes = 0;
    for (auto const& each : impl_->ring) {
        bytes += each->vault.bytes_held();
        for (auto const& images : each->images) bytes += images.own.bytes.capacity() + images.common.bytes.capacity();
        for (auto const& buffer : each->arrivals.buffers) bytes += buffer.capacity();
    }
    return bytes;
}

}  // namespace regraft::checkpoint
