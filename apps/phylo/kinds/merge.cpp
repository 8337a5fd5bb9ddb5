// The merging of partitions on the best tree.
#include <map>

#include "kinds/kinds.hpp"
#include "report/merge_report.hpp"

namespace regraft::phylo {
namespace {

class MergeKind final : public Kind {
public:
    using Kind::Kind;
    std::uint32_t wanted(Progress const&) override { return most(); }
    std::uint32_t most() const override { return plan_.merges() ? 1 : 0; }
    std::string name(std::uint32_t) const override { return ""; }
    void change(SearchOptions& options, std::uint32_t, Progress const&) const override {
        options.merging = merge_options();
    }
    SearchState first_state(std::uint32_t, Progress const& progress, msa::Patterns const*) const override {
        return start_merging(plan_.best(progress));
    }
    bool does(SearchState const& state) const override { return std::holds_alternative<Merging>(state.task); }
    void expect(Expected& expected, std::uint32_t) const override { expected.merging = merge_options(); }
    std::vector<std::string> lines(std::span<Item const>, Progress const& progress) override {
        return merge_lines(plan_.dataset, merging(progress), plan_.options.input.criterion);
    }
    void add_to(Result& result, Progress const& progress) override {
        if (most() > 0) result.merging = merging(progress);
    }

private:
    static Merging const& merging(Progress const& progress) { return progress.find({Purpose::merge})->as<Merging>(); }
    /// The options of merging. Partitions may be merged if they have the same model, or both have `auto`. A partition
    /// with a correction for sites that were left out stays alone, because the number of those sites belongs to it.
    MergeOptions merge_options() const {
        auto const& dataset = plan_.dataset;
        MergeOptions result{.share = plan_.options.merge.share, .kinds = {}, .work = {}};
        std::map<std::string, std::uint32_t> kinds;
        auto const specs = plan_.first_specs();
        for (std::uint32_t q = 0; q < specs.size(); ++q) {
            auto const& spec = specs[q];
            auto name = (is_automatic(dataset.partitions[q]) ? "auto " : "") + spec.text;
            if (spec.ascertainment != likelihood::Ascertainment::none) name += fmt::format(" {}", q);
            result.kinds.push_back(kinds.try_emplace(name, kinds.size()).first->second);
            auto const patterns = dataset.partition_begin[q + 1] - dataset.partition_begin[q];
            result.work.push_back(patterns * spec.num_states() * spec.num_site_categories());
        }
        return result;
    }
};

}  // namespace

std::unique_ptr<Kind> merge_kind(Plan const& plan) {
    return std::make_unique<MergeKind>(plan);
}

}  // namespace regraft::phylo
