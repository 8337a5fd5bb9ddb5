#include "likelihood/clvs/site_classes.hpp"

namespace regraft::likelihood {
namespace {

template <class Code>
std::vector<Code> padded(std::vector<std::uint32_t> const& codes) {
    std::vector<Code> result;
    result.reserve(kernels::padded(codes.size()));
    result.assign(codes.begin(), codes.end());
    result.resize(kernels::padded(codes.size()), result.front());
    return result;
}

}  // namespace

std::size_t most_classes(Repeats repeats, std::size_t num_sites) {
    switch (repeats) {
        case Repeats::automatic:
            return num_sites / 2;
        case Repeats::everywhere:
            return num_sites == 0 ? 0 : num_sites - 1;
        case Repeats::off:
            break;
    }
    return 0;
}

void SiteClasses::find(msa::HalfEdge h) {
    auto& seen = seen_[h];
    seen = {};
    seen.known = Known::many_classes;
    auto const left = tree_->back(tree_->next(h));
    auto const right = tree_->back(tree_->next(tree_->next(h)));
    if (most_ == 0 || has_all_sites(left) || has_all_sites(right)) return;
    auto const code_of = [&](msa::HalfEdge child) {
        return [this, child](std::size_t site) {
            return tree_->is_tip(child) ? tips_->code(child, site) : seen_[child].of_site[site];
        };
    };
    auto const classes = finder_.find(tips_->num_sites(), most_, code_of(left), code_of(right));
    if (!classes) return;
    seen.known = Known::few_classes;
    seen.of_site.reserve(tips_->padded_sites());
    seen.of_site = classes->of_site;
    seen.of_site.resize(tips_->padded_sites(), 0);
    seen.shown = {shown(classes->left, left), shown(classes->right, right)};
}

SiteClasses::Shown SiteClasses::shown(std::vector<std::uint32_t> const& codes, msa::HalfEdge child) const {
    Shown result;
    if (tree_->is_tip(child) && tips_->have_masks()) {
        result.masks = padded<std::uint8_t>(codes);
    } else {
        result.classes = padded<std::uint32_t>(codes);
    }
    return result;
}

}  // namespace regraft::likelihood
