// Texts and bytes with a few changes anywhere, for readers that must not believe what they read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "regraft/core/random.hpp"

namespace regraft::test {

/// Makes one to four changes. What is inserted is one of `letters`, or a part of the text itself.
inline std::string mutated(std::string text, std::string_view letters, Random& random) {
    for (auto changes = 1 + random.below(4); changes > 0 && !text.empty(); --changes) {
        auto const at = random.below(text.size());
        auto const letter = letters[random.below(letters.size())];
        switch (random.below(6)) {
            case 0:
                text[at] = letter;
                break;
            case 1:
                text.insert(at, 1, letter);
                break;
            case 2:
                text.erase(at, 1 + random.below(5));
                break;
            case 3:
                text.resize(at);
                break;
            case 4:
                text.insert(at, text.substr(random.below(text.size()), random.below(30)));
                break;
            default:
                std::swap(text[at], text[random.below(text.size())]);
        }
    }
    return text;
}

/// The same for bytes: bits are flipped, bytes are replaced, inserted or taken out, or the end is cut off.
inline std::vector<std::byte> mutated(std::vector<std::byte> bytes, Random& random) {
    auto const any_byte = [&] { return static_cast<std::byte>(random.below(256)); };
    for (auto changes = 1 + random.below(4); changes > 0; --changes) {
        if (bytes.empty()) {
            bytes.push_back(any_byte());
            continue;
        }
        auto const at = random.below(bytes.size());
        auto const place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        switch (random.below(6)) {
            case 0:
                bytes[at] ^= static_cast<std::byte>(1U << random.below(8));
                break;
            case 1:
                bytes[at] = any_byte();
                break;
            case 2:
                bytes.insert(place, any_byte());
                break;
            case 3:
                bytes.erase(place);
                break;
            case 4:
                bytes.resize(at);
                break;
            default:
                bytes[at] = random.below(2) == 0 ? std::byte{0} : std::byte{0xff};
        }
    }
    return bytes;
}

}  // namespace regraft::test
