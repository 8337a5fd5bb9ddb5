#include "regraft/store/disk.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "exchange/exchange.hpp"
#include "regraft/core/block_parts.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/disk/archive.hpp"
#include "regraft/ft/collectives.hpp"
#include "regraft/ft/nodes.hpp"
#include "store/blocks/memory.hpp"
#include "store/blocks/shares.hpp"
#include "store/on_disk/on_disk.hpp"
#include "store/together/complaint.hpp"
#include "store/together/digest.hpp"
#include "store/together/gather.hpp"
#include "store/together/identity.hpp"

namespace regraft::store {
namespace {

namespace fs = std::filesystem;

ft::FailPhase save_phase("disk-save");
ft::FailPoint save_writing("disk-save:writing", ft::Moment::during_next_call);
ft::FailPhase open_phase("disk-open");

PeId leader(ft::Communicator const& comm) {
    return comm.members().front();
}

// ---- Save

/// Where the pieces of each member are.
struct Plan {
    struct Row {
        std::size_t file = 0;
        std::size_t first = 0;  // position in the row of the file
        std::size_t count = 0;
    };
    disk::Index index;
    std::vector<Row> rows;  // by member
};

/// The data file that each member writes to: ascending numbers from 0 without gaps.
std::vector<std::size_t> deal_files(ft::Communicator& comm, std::uint32_t files) {
    std::vector<std::size_t> file_of;
    if (files == 0) {
        auto const nodes = ft::node_ids(comm);
        auto distinct = nodes;
        std::sort(distinct.begin(), distinct.end());
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        for (auto const node : nodes) {
            auto const at = std::lower_bound(distinct.begin(), distinct.end(), node);
            file_of.push_back(static_cast<std::size_t>(at - distinct.begin()));
        }
    } else {
        auto const count = std::min<std::size_t>(files, comm.size());
        for (std::size_t i = 0; i < comm.size(); ++i) file_of.push_back(i * count / comm.size());
    }
    return file_of;
}

std::uint64_t alike(fs::path const& archive, BlockSizes const& sizes, SaveOptions const& options) {
    auto const hash_of = [](auto const& items) { return hash(std::as_bytes(std::span(items))); };
    return Digest()
        .add(hash_of(archive.native()))
        .add(sizes.num_blocks())
        .add(sizes.bytes())
        .add(options.files)
        .add(options.kept)
        .add(hash_of(options.attributes))
        .value();
}

/// Every member tells which ranges it writes. identity: of what is saved (identity.hpp). Collective, not uniform.
Plan make_plan(ft::Communicator& comm, BlockSizes const& sizes, std::span<OwnBlocks const> mine, std::uint64_t identity,
               std::uint64_t alike, SaveOptions const& options) {
    std::vector<std::uint64_t> words{call(Function::save, identity), alike};
    for (auto const& [blocks, bytes] : mine) {
        words.insert(words.end(), {value(blocks.first), value(blocks.last), num_parts(blocks, sizes)});
    }
    auto const all = exchange::all_gather(comm, words);
    expect_same_call(comm, all);
    auto const file_of = deal_files(comm, options.files);
    std::vector<std::size_t> by_file(comm.size());
    std::iota(by_file.begin(), by_file.end(), std::size_t{0});
    std::stable_sort(by_file.begin(), by_file.end(), [&](auto a, auto b) { return file_of[a] < file_of[b]; });

    Plan plan{{.sizes = sizes, .attributes = options.attributes}, std::vector<Plan::Row>(comm.size())};
    auto& files = plan.index.files;
    std::vector<BlockRange> ranges;
    for (auto const member : by_file) {
        auto const row = all[member];
        REGRAFT_EXPECTS(row[1] == alike &&
                        "all members save the same blocks to the same archive with the same options");
        while (files.size() < file_of[member]) files.end_row();
        plan.rows[member] = {file_of[member], files.values.size() - files.offsets.back(), (row.size() - 2) / 3};
        for (std::size_t i = 2; i + 2 < row.size(); i += 3) {
            ranges.push_back({BlockId{row[i]}, BlockId{row[i + 1]}});
            files.push_value({ranges.back(), row[i + 2]});
        }
    }
    files.end_row();
    REGRAFT_EXPECTS(num_covered(ranges) == sizes.num_blocks() && "every block is written");
    return plan;
}

/// On the leader: puts the seals that all members have computed into the index.
void set_seals(Plan& plan, ft::Communicator const& comm, CsrView<std::byte> seals) {
    for (std::size_t i = 0; i < plan.rows.size(); ++i) {
        auto const [file, first, count] = plan.rows[i];
        ByteReader in(seals[value(comm.members()[i])]);
        for (auto& piece : plan.index.files[file].subspan(first, count)) piece.seal = in.get<std::uint64_t>();
    }
}

/// The steps of a save. Those that are collective throw DiskError after the generation has been removed again.
class Steps {
public:
    Steps(ft::Communicator& comm, fs::path const& archive, Plan& plan) : comm_(comm), archive_(archive), plan_(plan) {}

    void begin() {
        auto& generation = plan_.index.generation;
        require(attempt([&] {
            if (comm_.leads()) generation = disk::begin_generation(archive_);
        }));
        ft::broadcast(comm_, std::as_writable_bytes(std::span(&generation, 1)), leader(comm_));
    }
    /// Not collective, and calls no MPI. self: the position of this PE.
    void write(std::size_t self, std::span<std::span<std::byte const> const> bytes) {
        auto const& row = plan_.rows[self];
        unwritten_ = attempt([&] { seals_ = disk::write_pieces(archive_, plan_.index, {row.file, row.first, bytes}); });
    }
    void commit() {
        require(unwritten_);
        auto const seals = ft::gather(comm_, std::as_bytes(std::span(seals_)), leader(comm_));
        comm_.reach(save_phase.inside);
        auto const committed = attempt([&] {
            if (!comm_.leads()) return;
            set_seals(plan_, comm_, seals);
            disk::commit(archive_, plan_.index);
        });
        comm_.reach(save_phase.inside);
        // An agreement counts only the living, and they must not take the silence of a dead leader for consent.
        std::byte done{};
        ft::broadcast(comm_, std::span(&done, 1), leader(comm_));
        require(committed);
    }

private:
    void require(Complaint const& mine) {
        auto const complaint = first_complaint(comm_, mine);
        if (!complaint) return;
        if (comm_.leads() && plan_.index.generation != 0) {
            disk::remove_generation(archive_, plan_.index.generation);
        }
        throw DiskError(*complaint);
    }

    ft::Communicator& comm_;
    fs::path const& archive_;
    Plan& plan_;
    std::vector<std::uint64_t> seals_;
    Complaint unwritten_;
};

}  // namespace

struct Saving::State {
    State(ft::Communicator& communicator, ToSave what)
        : comm(communicator), epoch(comm.epoch()), given(std::move(what)) {}
    State(State const&) = delete;
    State& operator=(State const&) = delete;
    ~State() {
        if (given.writing) given.writing->finish();
    }

    /// Everything before the writing. Collective, uniform.
    void begin(std::uint64_t identity) {
        auto const& options = given.options;
        REGRAFT_EXPECTS(options.kept > 0);
        comm.reach(save_phase.before);
        std::erase_if(given.mine, [&](OwnBlocks const& part) {
            REGRAFT_EXPECTS(part.bytes.size() == given.sizes.bytes(part.blocks));
            report.bytes_written += part.bytes.size();
            return part.blocks.empty();
        });
        plan = make_plan(comm, given.sizes, given.mine, identity, alike(given.archive, given.sizes, options), options);
        for (auto const& part : given.mine) bytes.push_back(part.bytes);
        steps.begin();
        comm.reach(save_phase.inside);
        comm.reach(save_writing);
    }
    void write(std::size_t self) { steps.write(self, bytes); }
    /// Everything behind it. Collective, uniform.
    SaveReport end() {
        steps.commit();
        report.generation = plan.index.generation;
        report.files = static_cast<std::uint32_t>(plan.index.files.size());
        report.bytes = given.sizes.bytes();
        // Not before all know that there is a newer generation.
        if (comm.leads()) disk::remove_older(given.archive, report.generation, given.options.kept);
        comm.reach(save_phase.after);
        if (given.after) given.after(report);
        return report;
    }

    ft::Communicator& comm;
    std::uint32_t epoch;
    ToSave given;
    SaveReport report{};
    Plan plan{};
    std::vector<std::span<std::byte const>> bytes{};
    Steps steps{comm, given.archive, plan};
};

Saving::Saving(std::unique_ptr<State> state) : state_(std::move(state)) {}
Saving::Saving(Saving&&) noexcept = default;
Saving::~Saving() = default;

bool Saving::is_written() const {
    REGRAFT_EXPECTS(state_ && "wait was not called");
    return state_->given.writing->done();
}

SaveReport Saving::wait() {
    REGRAFT_EXPECTS(state_ && "wait is called once");
    REGRAFT_EXPECTS(state_->comm.epoch() == state_->epoch && "the communicator was not renewed since the save began");
    auto const state = std::move(state_);
    state->given.writing->finish();
    return state->end();
}

Saving start_save_of(std::uint64_t identity, ft::Communicator& comm, ToSave given) {
    auto state = std::make_unique<Saving::State>(comm, std::move(given));
    state->begin(identity);
    state->given.writing->start([&saved = *state, self = comm.position(comm.self())] { saved.write(self); });
    return Saving(std::move(state));
}

SaveReport save(ft::Communicator& comm, fs::path const& archive, BlockSizes const& sizes,
                std::span<OwnBlocks const> mine, SaveOptions const& options) {
    return save_of(no_object, comm, archive, sizes, mine, options);
}

SaveReport save_of(std::uint64_t identity, ft::Communicator& comm, fs::path const& archive, BlockSizes const& sizes,
                   std::span<OwnBlocks const> mine, SaveOptions const& options) {
    Saving::State state(comm, {archive, sizes, {mine.begin(), mine.end()}, options, {}, {}});
    state.begin(identity);
    state.write(comm.position(comm.self()));
    return state.end();
}

// ---- Open

namespace {

/// Reads and verifies this PE's share, and the heads of its part of the files.
void read_share(ft::Communicator const& comm, fs::path const& archive, Share const& share, Opened& opened) {
    auto const position = comm.position(comm.self());
    disk::Generation generation(archive, opened.index);
    for (auto file = position; file < opened.index.files.size(); file += comm.size()) generation.check_file(file);
    auto const& sizes = opened.index.sizes;
    if (share) {
        opened.blocks = share(opened.index);
    } else {
        opened.blocks = {share_of({BlockId{0}, BlockId{sizes.num_blocks()}}, sizes, position, comm.size())};
    }
    std::uint64_t size = 0;
    for (auto const& blocks : opened.blocks) size += sizes.bytes(blocks);
    opened.memory.reset();
    auto const memory = std::make_shared<Memory>(size);
    auto rest = memory->bytes();
    opened.bytes = rest;
    opened.memory = memory;
    for (auto const& blocks : opened.blocks) {
        generation.read(blocks, rest.first(sizes.bytes(blocks)));
        rest = rest.subspan(sizes.bytes(blocks));
    }
}

/// Tries to open the generation; returns what is wrong with it. Collective, uniform.
Complaint try_generation(ft::Communicator& comm, fs::path const& archive, std::uint64_t number, Share const& share,
                         Accept const& accept, Opened& opened) {
    std::vector<std::byte> index;  // read by one PE only, however many there are
    auto const unreadable = attempt([&] {
        if (comm.leads()) index = disk::read_index(archive, number);
    });
    if (auto complaint = first_complaint(comm, unreadable)) return complaint;
    broadcast(comm, index, leader(comm));
    comm.reach(open_phase.inside);
    auto const damaged = attempt([&] {
        opened.index = disk::decode(index, disk::index_path(archive, number).string(), number);
        read_share(comm, archive, share, opened);
        if (accept) accept(opened);
    });
    comm.reach(open_phase.inside);
    return first_complaint(comm, damaged);
}

}  // namespace

Opened open(ft::Communicator& comm, fs::path const& archive, Share const& share, Accept const& accept) {
    comm.reach(open_phase.before);
    std::vector<std::uint64_t> numbers;
    auto const unreadable = attempt([&] {
        if (comm.leads()) numbers = disk::generations(archive);
    });
    if (auto const complaint = first_complaint(comm, unreadable)) throw DiskError(*complaint);
    broadcast(comm, numbers, leader(comm));
    Opened opened;
    for (auto const number : numbers) {
        auto const complaint = try_generation(comm, archive, number, share, accept, opened);
        if (!complaint) {
            comm.reach(open_phase.after);
            return opened;
        }
        opened.refused.push_back(*complaint);
    }
    comm.agree();  // all know that there are no more generations: a broadcast is not uniform
    throw DiskError(disk::nothing_readable(archive, opened.refused));
}

}  // namespace regraft::store
