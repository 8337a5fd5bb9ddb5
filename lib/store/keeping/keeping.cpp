#include "store/keeping/keeping.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

#include "exchange/exchange.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/united.hpp"
#include "regraft/ft/nodes.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/store/disk.hpp"
#include "store/together/complaint.hpp"
#include "store/together/digest.hpp"

namespace regraft::store {
namespace {

ft::FailPhase begin_phase("keep-begin");
ft::FailPhase discard_phase("keep-discard");

constexpr std::string_view suffix_of_manifests = ".manifest";
constexpr char const* discarded_name = "discarded";
constexpr double patience_s = 20;  // processes that were killed take a while to end

std::string hexadecimal(std::uint64_t number) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text(16, '0');
    for (auto at = text.rbegin(); at != text.rend(); ++at, number /= 16) *at = digits[number % 16];
    return text;
}

/// The owner and the number in the name of a manifest.
std::optional<std::array<std::uint64_t, 2>> parse_name(std::string_view name) {
    if (!name.ends_with(suffix_of_manifests)) return {};
    name.remove_suffix(suffix_of_manifests.size());
    if (name.size() < 18 || name[16] != '-') return {};
    std::array<std::uint64_t, 2> numbers{};
    auto const owner = std::from_chars(name.data(), name.data() + 16, numbers[0], 16);
    auto const number = std::from_chars(name.data() + 17, name.data() + name.size(), numbers[1]);
    bool const is_all = owner.ec == std::errc() && owner.ptr == name.data() + 16 && number.ec == std::errc() &&
                        number.ptr == name.data() + name.size();
    return is_all ? std::optional(numbers) : std::nullopt;
}

/// Numbers the sites: members of a node that gave the same path.
std::vector<std::uint32_t> number_sites(ft::Communicator& comm, Keep const& keep, std::uint64_t alike) {
    auto const nodes = ft::node_ids(comm);
    auto const& path = keep.folder.native();
    std::array const mine{alike, hash(std::as_bytes(std::span(path)))};
    auto const rows = exchange::all_gather(comm, mine);
    std::vector<std::array<std::uint64_t, 2>> known;
    std::vector<std::uint32_t> site_of;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        REGRAFT_EXPECTS(rows[i][0] == alike &&
                        "all members give the same names of job and store, and the same options");
        std::array const key{std::uint64_t{nodes[i]}, rows[i][1]};
        auto const at = std::ranges::find(known, key);
        site_of.push_back(static_cast<std::uint32_t>(at - known.begin()));
        if (at == known.end()) known.push_back(key);
    }
    return site_of;
}

Found found_of(Manifest const& manifest, std::uint64_t number) {
    auto const& common = manifest.common;
    Found found{.owner = manifest.owner, .number = number, .id = common.id};
    found.common = common.hash();
    found.num_blocks = common.sizes.num_blocks();
    found.replicas = common.replicas;
    found.bytes = manifest.bytes();
    found.replaces = manifest.replaces;
    for (auto const& piece : manifest.pieces) found.pieces.push_back(piece.blocks);
    if (!common.coding) return found;
    found.data = common.coding->data;
    found.parity = common.coding->parity;
    for (BlockId id{0}; value(id) < found.num_blocks; id = advance(id, 1)) {
        if (common.sizes.bytes(id) != 0) continue;
        if (!found.pieces.empty() && found.pieces.back().last == id)
            found.pieces.back().last = advance(id, 1);
        else
            found.pieces.push_back({id, advance(id, 1)});
    }
    found.pieces = united(std::move(found.pieces));
    return found;
}

/// The lock is given back unless everything went well.
class Locking {
public:
    explicit Locking(KeptFolder& folder) : folder_(&folder) {}
    Locking(Locking const&) = delete;
    Locking& operator=(Locking const&) = delete;
    ~Locking() {
        if (folder_) folder_->lock(KeptFolder::Lock::none, 0, [] {});
    }
    void keep() { folder_ = nullptr; }

private:
    KeptFolder* folder_;
};

void require(ft::Communicator& comm, Complaint const& mine) {
    if (auto const complaint = first_complaint(comm, mine)) throw DiskError(*complaint);
}

}  // namespace

std::string Keeping::name(std::uint64_t owner, std::uint64_t number, char const* suffix) const {
    return hexadecimal(owner) + '-' + std::to_string(number) + suffix;
}

Keeping::Keeping(Keep keep, Kind kind) : keep_(std::move(keep)), kind_(kind) {
    for (auto const& [text, what] : {std::pair(&keep_.job, "Keep::job"), std::pair(&keep_.name, "Keep::name")}) {
        if (!text->empty()) continue;
        throw DiskError(std::string(what) +
                        " is empty: expected a name that no other job or store has. regraft-run gives each job a name, "
                        "which job_of_environment returns");
    }
}

std::uint64_t Keeping::names() const {
    auto const hash_of = [](std::string const& text) { return hash(std::as_bytes(std::span(text))); };
    return Digest().add(hash_of(keep_.job)).add(hash_of(keep_.name)).add(kind_).value();
}

Survey Keeping::begin(ft::Communicator& comm, std::uint64_t alike) {
    comm.reach(begin_phase.before);
    begun_ = false;
    if (folder_) retract();
    present_.reset();
    replaces_.clear();
    folder_.reset();  // the lock of an attempt before is given back on all members before any takes one
    require(comm, attempt([&] { folder_ = std::make_shared<KeptFolder>(keep_); }));
    Survey survey{.site_of = number_sites(comm, keep_, alike)};
    note_sites(comm, survey.site_of);
    auto const self = comm.position(comm.self());
    auto const site = survey.site_of[self];
    auto const first = static_cast<std::size_t>(std::ranges::find(survey.site_of, site) - survey.site_of.begin());
    auto const wait = [&] { comm.look_for_failures(); };

    boot_ = boot_of_node();
    owner_ = random_number();
    // A member that discarded a store of this name may have removed the folder after this PE opened it. All members
    // are here now, so no member still does that.
    require(comm, attempt([&] {
                if (folder_->is_removed()) folder_ = std::make_shared<KeptFolder>(keep_);
            }));
    Locking locking(*folder_);
    // How many manifests follow, whether all were discarded, and whether a text of the other kind follows them; then
    // what is wrong with others.
    std::vector<std::uint64_t> words(3);
    require(comm, attempt([&] {
                if (first != self) return;
                folder_->lock(KeptFolder::Lock::exclusive, patience_s, wait);
                auto const seen = look();
                words = {seen.found.size(), std::uint64_t{seen.discarded}, std::uint64_t{seen.other_kind.has_value()}};
                for (auto const& found : seen.found) found.append_to(words);
                if (seen.other_kind) append_text(words, *seen.other_kind);
                for (auto const& text : seen.refused) append_text(words, text);
            }));
    comm.reach(begin_phase.inside);
    // No PE makes files before all have looked.
    std::vector<std::string> names;
    auto const unreadable = attempt([&] { names = folder_->names(); });
    auto const rows = exchange::all_gather(comm, words);
    bool discarded = false;
    start_ = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto row = rows[i].subspan(3);
        discarded = discarded || rows[i][1] != 0;
        for (auto left = rows[i][0]; left > 0; --left) {
            survey.found.push_back(Found::take_from(row, survey.site_of[i]));
            start_ = std::max(start_, survey.found.back().id.start + 1);
        }
        if (rows[i][2] != 0) {
            auto text = take_text(row);
            if (!survey.other_kind) survey.other_kind = text;
            survey.refused.push_back(std::move(text));
        }
        while (!row.empty()) survey.refused.push_back(take_text(row));
    }
    if (discarded) {
        survey.found.clear();
        survey.other_kind.reset();
    }
    std::array job{start_, random_number()};
    ft::broadcast(comm, std::as_writable_bytes(std::span(job)), comm.members().front());
    start_ = job[0];
    instance_ = job[1];
    require(comm,
            unreadable ? unreadable : attempt([&] { folder_->lock(KeptFolder::Lock::shared, patience_s, wait); }));
    locking.keep();
    stale_.clear();
    auto const here = static_cast<std::size_t>(std::ranges::count(survey.site_of, site));
    auto const among = static_cast<std::size_t>(
        std::count(survey.site_of.begin(), survey.site_of.begin() + static_cast<std::ptrdiff_t>(self), site));
    for (auto i = among; i < names.size(); i += here) stale_.push_back(std::move(names[i]));
    begun_ = true;
    comm.reach(begin_phase.after);
    return survey;
}

void Keeping::note_sites(ft::Communicator const& comm, std::span<std::uint32_t const> site_of) {
    auto const before = sites_.size();
    for (std::size_t i = 0; i < site_of.size(); ++i) {  // sites are numbered in the order in which they occur
        if (before + site_of[i] == sites_.size()) sites_.emplace_back();
        sites_[before + site_of[i]].push_back(comm.members()[i]);
    }
}

/// Whether a living member sees the folder of each of the dead, also of those that had died before this began. The same
/// on all members.
bool Keeping::reaches_all_sites(ft::Communicator const& comm) const {
    if (sites_.size() == 1 && whole_job_is_here(comm.num_founders())) return true;
    auto const lives = [&](PeId pe) { return std::ranges::binary_search(comm.members(), pe); };
    std::vector<char> reached(comm.num_founders(), 0);
    for (auto const& site : sites_) {
        if (std::ranges::none_of(site, lives)) continue;
        for (auto const pe : site) reached[value(pe)] = 1;
    }
    return std::ranges::find(reached, 0) == reached.end();
}

/// All manifests of the folder that can be used.
Keeping::Seen Keeping::look() const {
    Seen seen;
    for (auto const& file : folder_->names()) {
        if (file == discarded_name) seen.discarded = true;
        auto const name = parse_name(file);
        if (!name) continue;
        try {
            auto const manifest = read((*name)[0], (*name)[1]);
            if (manifest.common.coding.has_value() != (kind_ == Kind::pieces)) {
                seen.other_kind =
                    folder_->path(file) + (manifest.common.coding ? ": has pieces of an erasure code, expected copies"
                                                                  : ": has copies, expected pieces of an erasure code");
                continue;
            }
            auto found = found_of(manifest, (*name)[1]);
            auto const mark = found.id.mark();
            for (auto const& [part, bytes] : manifest.files) {
                found.agreed = Segment::open(folder_, part, bytes, mark)->is_agreed(mark) || found.agreed;
            }
            seen.found.push_back(std::move(found));
        } catch (InputError const& error) {
            seen.refused.emplace_back(error.what());
        }
    }
    return seen;
}

Manifest Keeping::read(std::uint64_t owner, std::uint64_t number) const {
    auto const file = name(owner, number, suffix_of_manifests.data());
    auto manifest = decode(folder_->read(file), folder_->store(), owner, folder_->path(file));
    // Files are not written through to a disk, so only checksums tell what a node still has after a restart.
    if (!manifest.checked && manifest.boot != boot_) {
        throw InputError({folder_->path(file)}, "was written before the node was restarted, and has no checksums");
    }
    return manifest;
}

GenerationId Keeping::next(ft::Communicator& comm, std::uint64_t alike, std::uint64_t version) {
    if (!begun_) static_cast<void>(begin(comm, alike));
    retract();
    attempt_ = comm.epoch() == last_epoch_ ? attempt_ + 1 : 0;
    last_epoch_ = comm.epoch();
    return {start_, instance_, version, comm.epoch(), attempt_, 0};
}

std::unique_ptr<Segment> Keeping::file(std::uint64_t bytes) {
    return Segment::make(folder_, name(owner_, next_number_++, ".blocks"), bytes);
}

void Keeping::write(Common const& common, Listing const& listing) {
    Manifest manifest{.common = common, .owner = owner_, .boot = boot_, .checked = listing.checked};
    bool const again = present_ && present_->id == common.id;
    if (again) manifest.replaces = replaces_;
    REGRAFT_EXPECTS(!listing.files.empty());
    std::vector<std::pair<std::byte const*, std::uint64_t>> begins;
    for (auto* const file : listing.files) {
        if (!file->has_mark(common.id.mark())) file->mark(common.id.mark());
        begins.emplace_back(file->bytes().data(), manifest.files.size());
        manifest.files.push_back({file->name(), file->bytes().size()});
    }
    std::sort(begins.begin(), begins.end());
    for (auto const& [blocks, bytes] : listing.pieces) {
        Manifest::Extent piece{blocks};
        if (!bytes.empty()) {
            auto const behind =
                std::upper_bound(begins.begin(), begins.end(), std::pair(bytes.data(), ~std::uint64_t{0}));
            REGRAFT_EXPECTS(behind != begins.begin() && "all blocks are in files");
            auto const& [begin, file] = *std::prev(behind);
            piece.file = file;
            piece.offset = static_cast<std::uint64_t>(bytes.data() - begin);
            REGRAFT_EXPECTS(piece.offset + bytes.size() <= manifest.files[file].bytes);
        }
        manifest.pieces.push_back(piece);
    }
    manifest.sums = listing.sums;
    retract();  // what nobody agreed on
    Written const written{common.id, again ? present_->number : next_number_++};
    folder_->write(name(owner_, written.number, suffix_of_manifests.data()), encode(manifest, folder_->store()));
    pending_ = written;
}

void Keeping::retract() noexcept {
    if (!pending_) return;
    folder_->remove(name(owner_, pending_->number, suffix_of_manifests.data()));
    pending_.reset();
}

void Keeping::retract(ft::Communicator& comm, Complaint const& complaint) {
    retract();
    if (auto const first = first_complaint(comm, complaint)) throw DiskError(*first);
}

void Keeping::settle() noexcept {
    if (!pending_) return;
    if (present_ && present_->number != pending_->number) {
        folder_->remove(name(owner_, present_->number, suffix_of_manifests.data()));
        replaces_.clear();
    }
    present_ = std::exchange(pending_, {});
    for (auto const& file : std::exchange(stale_, {})) folder_->remove(file);
}

void Keeping::settle(std::span<Segment* const> files) noexcept {
    for (auto* const file : files) {
        if (pending_) file->mark_agreed(pending_->id.mark());
    }
    settle();
}

Kept Keeping::open(Found const& found) const {
    Kept kept{read(found.owner, found.number)};
    for (auto const& [file, bytes] : kept.manifest.files) {
        kept.files.push_back(Segment::open(folder_, file, bytes, kept.manifest.common.id.mark()));
    }
    return kept;
}

std::span<std::byte> Kept::bytes_of(Manifest::Extent const& piece) const {
    auto const bytes = manifest.common.sizes.bytes(piece.blocks);
    return bytes == 0 ? std::span<std::byte>() : files[piece.file]->bytes().subspan(piece.offset, bytes);
}

std::string Keeping::path_of(Found const& found) const {
    return folder_->path(name(found.owner, found.number, suffix_of_manifests.data()));
}

void Keeping::take_over(std::span<Segment* const> files, std::span<Found const> from) {
    for (auto* const file : files) file->link(name(owner_, next_number_++, ".blocks"));
    replaces_.clear();
    for (auto const& found : from) {
        replaces_.push_back(found.owner);
        replaces_.insert(replaces_.end(), found.replaces.begin(), found.replaces.end());
    }
    // The manifest that is written next is the first of this PE, and says what those say.
    if (!from.empty()) present_ = Written{from.front().id, next_number_++};
}

void Keeping::discard(ft::Communicator& comm) {
    if (!begun_) return;
    comm.reach(discard_phase.before);
    require(comm, attempt([&] { folder_->write(discarded_name, {}); }));
    for (auto const& written : {present_, pending_}) {
        if (written) folder_->remove(name(owner_, written->number, suffix_of_manifests.data()));
    }
    present_.reset();
    pending_.reset();
    for (auto const& file : std::exchange(stale_, {})) folder_->remove(file);
    comm.reach(discard_phase.inside);
}

void Keeping::leave(ft::Communicator& comm) {
    if (!begun_) return;
    // An agreement alone does not notice a member that died before it had marked its folder; a sum does.
    static_cast<void>(ft::all_equal(comm, 0));
    comm.agree();
    comm.reach(discard_phase.after);
    // Until the mark is gone, no job goes on from what is left. It stays if another node has files that nobody reaches.
    folder_->remove_all_but(discarded_name);
    if (reaches_all_sites(comm)) folder_->remove(discarded_name);
    folder_->remove_if_empty();
    folder_.reset();
    begun_ = false;
}

}  // namespace regraft::store
