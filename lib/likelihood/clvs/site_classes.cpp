#include "likelihood/clvs/site_classes.hpp"

namespace regraft::likelihood {
namespace {

std::vector<std::uint8_t> padded_masks(std::vector<std::uint32_t> const& masks) {
    std::vector<std::uint8_t> result;
    result.reserve(kernels::padded(masks.size()));
    result.assign(masks.begin(), masks.end());
    result.resize(kernels::padded(masks.size()), result.front());
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

std::uint64_t SiteClasses::bytes(std::uint32_t num_tips, std::size_t num_sites, std::size_t most) {
    auto const num_inner = std::uint64_t{3} * (num_tips - 2);  // half-edges
    auto const always = (num_tips + num_inner) * sizeof(Seen);
    if (most == 0) return always;
    auto const numbers = kernels::padded(num_sites) + 2 * kernels::padded(most);
    return always + num_inner * numbers * PackedNumbers::width(most) + 4 * numbers * sizeof(std::uint32_t);
}

void SiteClasses::find(msa::HalfEdge h) {
    auto& seen = seen_[h];
    seen = {};
    seen.known = Known::many_classes;
    auto const left = tree_->back(tree_->next(h));
    auto const right = tree_->back(tree_->next(tree_->next(h)));
    if (most_ == 0 || has_all_sites(left) || has_all_sites(right)) return;
    read(left, codes_[0]);
    read(right, codes_[1]);
    auto const classes = finder_.find(
        tips_->num_sites(), most_, [&](std::size_t site) { return codes_[0][site]; },
        [&](std::size_t site) { return codes_[1][site]; });
    if (!classes) return;
    seen.known = Known::few_classes;
    seen.num_classes = classes->size();
    seen.of_site = PackedNumbers(classes->of_site, tips_->padded_sites(), 0, classes->size());
    seen.shown = {shown(classes->left, left), shown(classes->right, right)};
}

/// What all sites show at a child.
void SiteClasses::read(msa::HalfEdge child, std::vector<std::uint32_t>& codes) const {
    codes.resize(tips_->padded_sites());
    if (!tree_->is_tip(child)) return seen_[child].of_site.unpack(codes);
    for (std::size_t site = 0; site < tips_->num_sites(); ++site) codes[site] = tips_->code(child, site);
}

/// The number of different codes at a child.
std::size_t SiteClasses::num_codes(msa::HalfEdge child) const {
    return tree_->is_tip(child) ? tips_->sets().size() : seen_[child].num_classes;
}

SiteClasses::Shown SiteClasses::shown(std::vector<std::uint32_t> const& codes, msa::HalfEdge child) const {
    Shown result;
    if (tree_->is_tip(child) && tips_->have_masks()) {
        result.masks = padded_masks(codes);
    } else {
        result.classes = PackedNumbers(codes, kernels::padded(codes.size()), codes.front(), num_codes(child));
    }
    return result;
}

}  // namespace regraft::likelihood
