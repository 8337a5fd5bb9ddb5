#include "codec/rgm/numbered_lines.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <unordered_map>

#include "codec/entropy/adaptive.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {
namespace {

constexpr std::size_t most_forms = std::size_t{1} << 16;
constexpr std::size_t lines_per_form = 8;  // on average, at least
constexpr std::size_t most_numbers = 32;   // per line
constexpr std::size_t most_digits = 18;    // per number

constexpr auto powers_of_ten = [] {
    std::array<std::uint64_t, most_digits + 1> powers{1};
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = 10 * powers[i - 1];
    return powers;
}();

constexpr bool is_digit(char c) {
    return '0' <= c && c <= '9';
}

std::string form_of(std::string_view line) {
    std::string form(line);
    std::ranges::replace_if(form, is_digit, '0');
    return form;
}

/// Digits of a line that are one number.
struct Digits {
    std::size_t first = 0;
    std::size_t size = 0;
};

/// The numbers of a line: all digits, most_digits of them at most in each.
std::vector<Digits> numbers_of(std::string_view form) {
    std::vector<Digits> numbers;
    for (std::size_t at = 0; at < form.size();) {
        if (!is_digit(form[at])) {
            ++at;
            continue;
        }
        std::size_t size = 0;
        while (size < most_digits && at + size < form.size() && is_digit(form[at + size])) ++size;
        numbers.push_back({at, size});
        at += size;
    }
    return numbers;
}

/// The numbers with so many digits that are the k-th of their line.
class Column {
public:
    explicit Column(std::size_t digits)
        : num_digits_(digits),
          num_modelled_(digits <= most_modelled ? digits : modelled_of_more),
          first_(bits_for(powers_of_ten[num_modelled_])) {}

    template <class Coder>
    std::uint64_t code(Coder& coder, std::uint64_t number) {
        was_last_ = is_last_[was_last_ ? 1 : 0].code(coder, number == last_);
        if (was_last_) return last_;
        was_near_ = is_near_[was_near_ ? 1 : 0].code(coder, !Coder::decodes && is_near(number));
        number = was_near_ ? code_step(coder, number) : code_all(coder, number);
        if (Coder::decodes && number >= powers_of_ten[num_digits_]) RangeDecoder::fail();
        return last_ = number;
    }

private:
    static constexpr std::size_t most_modelled = 4;
    static constexpr std::size_t modelled_of_more = 3;
    static constexpr std::size_t at_once = 4;
    static constexpr std::uint64_t longest_step = std::uint64_t{1} << 31;

    static std::uint32_t bits_for(std::uint64_t size) { return static_cast<std::uint32_t>(std::bit_width(size - 1)); }

    /// Whether the step from the last number takes fewer bits than the number itself.
    bool is_near(std::uint64_t number) const {
        if (number < last_) return false;
        auto const step = number - last_;
        return step < longest_step && 10 * (bits_for(step + 1) + 3) < 33 * num_digits_;
    }
    template <class Coder>
    std::uint64_t code_step(Coder& coder, std::uint64_t number) {
        auto const step =
            step_[step_bits_].code(coder, Coder::decodes ? 0 : static_cast<std::uint32_t>(number - last_ - 1));
        step_bits_ = std::min<std::size_t>(std::bit_width(step), step_.size() - 1);
        return last_ + step + 1;
    }
    /// Some digits of a number; `behind`: how many come behind them.
    static std::uint32_t digits(std::uint64_t number, std::size_t behind, std::size_t size) {
        return static_cast<std::uint32_t>(number / powers_of_ten[behind] % powers_of_ten[size]);
    }
    template <class Coder>
    std::uint64_t code_all(Coder& coder, std::uint64_t number) {
        auto left = num_digits_ - num_modelled_;
        std::uint64_t found = first_.code(coder, Coder::decodes ? 0 : digits(number, left, num_modelled_));
        while (left > 0) {
            auto const together = std::min(left, at_once);
            left -= together;
            found = found * powers_of_ten[together] +
                    coder.uniform(Coder::decodes ? 0 : digits(number, left, together), powers_of_ten[together]);
        }
        return found;
    }

    std::size_t num_digits_;
    std::size_t num_modelled_;  // the first digits, which need not be spread evenly
    std::uint64_t last_ = 0;
    bool was_last_ = false;
    bool was_near_ = false;
    std::array<AdaptiveBit, 2> is_last_;  // by whether the one before was the last
    std::array<AdaptiveBit, 2> is_near_;  // by whether the one before was near
    std::size_t step_bits_ = 0;
    std::array<AdaptiveNumber, 12> step_;  // by the number of bits of the step before
    AdaptiveBits first_;                   // the first digits
};

template <class Coder>
class LineCoder {
public:
    LineCoder(Coder& coder, std::span<std::string const> forms)
        : coder_(coder), forms_(forms), which_(static_cast<std::uint32_t>(std::bit_width(forms.size() - 1))) {
        for (auto const& form : forms) {
            auto& numbers = numbers_.emplace_back();
            for (auto const& digits : numbers_of(form)) {
                auto const key = numbers.size() * (most_digits + 1) + digits.size;
                numbers.push_back({digits, columns_.try_emplace(key, digits.size).first->second});
            }
            if (numbers.size() > most_numbers || form_of(form) != form) RangeDecoder::fail();
        }
    }

    /// The number of the form, which the first call of a line tells.
    std::uint32_t code_form(std::uint32_t form) {
        was_same_ = is_same_[was_same_ ? 1 : 0].code(coder_, form == last_form_);
        if (was_same_) return last_form_;
        form = which_.code(coder_, form);
        if (form >= forms_.size()) RangeDecoder::fail();
        return last_form_ = form;
    }
    /// The digits of a line, which has this form.
    void code_numbers(std::string& line, std::uint32_t form) {
        for (auto const& [digits, column] : numbers_[form]) {
            auto const [first, size] = digits;
            std::uint64_t number = 0;
            for (auto i = first; !Coder::decodes && i < first + size; ++i)
                number = 10 * number + static_cast<std::uint64_t>(line[i] - '0');
            number = column.code(coder_, number);
            for (auto i = first + size; Coder::decodes && i-- > first; number /= 10)
                line[i] = static_cast<char>('0' + number % 10);
        }
    }

private:
    struct Number {
        Digits digits;
        Column& column;
    };
    Coder& coder_;
    std::span<std::string const> forms_;
    std::unordered_map<std::size_t, Column> columns_;  // by place in the line and number of digits
    std::vector<std::vector<Number>> numbers_;         // per form
    std::uint32_t last_form_ = 0;
    bool was_same_ = false;
    std::array<AdaptiveBit, 2> is_same_;  // by whether the form before was the same as the one before it
    AdaptiveBits which_;
};

}  // namespace

std::optional<NumberedLines> encode_numbered(std::span<std::string const> lines) {
    NumberedLines result;
    std::vector<std::uint32_t> form_of_line;
    std::unordered_map<std::string, std::uint32_t> known;
    for (auto const& line : lines) {
        auto form = form_of(line);
        auto const [entry, is_new] = known.try_emplace(form, static_cast<std::uint32_t>(known.size()));
        form_of_line.push_back(entry->second);
        if (!is_new) continue;
        if (known.size() > std::min(most_forms, lines.size() / lines_per_form) ||
            numbers_of(form).size() > most_numbers)
            return std::nullopt;
        result.forms.push_back(std::move(form));
    }
    if (result.forms.empty()) return std::nullopt;
    RangeEncoder coder;
    LineCoder<RangeEncoder> model(coder, result.forms);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        auto line = lines[i];
        model.code_numbers(line, model.code_form(form_of_line[i]));
    }
    result.coded = coder.finish();
    return result;
}

std::vector<std::string> decode_numbered(NumberedLines const& lines, std::uint64_t num_lines, std::uint64_t max_size) {
    if (lines.forms.empty() || lines.forms.size() > most_forms) RangeDecoder::fail();
    RangeDecoder coder(lines.coded);
    LineCoder<RangeDecoder> model(coder, lines.forms);
    std::vector<std::string> result;
    std::uint64_t size = 0;
    for (std::uint64_t i = 0; i < num_lines; ++i) {
        auto const form = model.code_form(0);
        size += lines.forms[form].size() + 1;
        if (size > max_size) RangeDecoder::fail();
        model.code_numbers(result.emplace_back(lines.forms[form]), form);
    }
    coder.expect_end();
    return result;
}

}  // namespace regraft::codec
