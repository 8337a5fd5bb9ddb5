#include "simulate/constants.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/input.hpp"
#include "common/words.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::plan::simulated {
namespace {

constexpr double least_bandwidth = 1e-6;
constexpr double most = 1e12;

constexpr std::array constants_by_name{
    NamedConstant{"alpha_within_us", &Constants::alpha_within_us, 0},
    NamedConstant{"within_gbps", &Constants::within_gbps, least_bandwidth},
    NamedConstant{"alpha_between_us", &Constants::alpha_between_us, 0},
    NamedConstant{"between_gbps", &Constants::between_gbps, least_bandwidth},
    NamedConstant{"node_gbps", &Constants::node_gbps, least_bandwidth},
    NamedConstant{"memory_gbps", &Constants::memory_gbps, least_bandwidth},
    NamedConstant{"fresh_gbps", &Constants::fresh_gbps, least_bandwidth},
    NamedConstant{"cores_per_node", &Constants::cores_per_node, 0},
    NamedConstant{"agreement_us", &Constants::agreement_us, 0},
    NamedConstant{"agreement_us_per_rank", &Constants::agreement_us_per_rank, 0},
    NamedConstant{"shrink_us", &Constants::shrink_us, 0},
    NamedConstant{"shrink_us_per_rank", &Constants::shrink_us_per_rank, 0},
    NamedConstant{"exchange_us", &Constants::exchange_us, 0},
    NamedConstant{"exchange_us_per_rank", &Constants::exchange_us_per_rank, 0},
    NamedConstant{"plan_us", &Constants::plan_us, 0},
    NamedConstant{"plan_us_per_rank", &Constants::plan_us_per_rank, 0},
    NamedConstant{"notice_ms", &Constants::notice_ms, 0},
    NamedConstant{"disk_gbps", &Constants::disk_gbps, least_bandwidth},
};

NamedConstant const* find(std::string_view name) {
    auto const found = std::find_if(constants_by_name.begin(), constants_by_name.end(),
                                    [&](NamedConstant const& constant) { return constant.name == name; });
    return found == constants_by_name.end() ? nullptr : found;
}

std::string unknown(std::string_view name) {
    std::vector<std::string> names;
    for (auto const& constant : constants_by_name) names.emplace_back(constant.name);
    auto const similar = common::most_similar(name, names);
    return fmt::format(
        "'{}' is not a constant, {}", common::escaped(name),
        similar ? fmt::format("did you mean {}?", *similar) : "see docs/mpi/simulate.md for their names");
}

std::string refused(NamedConstant const& constant, std::string_view shown) {
    return fmt::format("{}: '{}', expected a number from {} to {}", constant.name, common::escaped(shown),
                       constant.least, most);
}

bool allows(NamedConstant const& constant, double number) {
    return constant.least <= number && number <= most;
}

/// Reads the constants of a file, and says where a wrong value is.
class Reader : public nlohmann::json_sax<nlohmann::json> {
public:
    Reader(std::string const& text, std::string const& name) : text_(text), name_(name) {}
    Constants constants;

    bool null() override { return refuse("null"); }
    bool boolean(bool value) override { return refuse(value ? "true" : "false"); }
    bool number_integer(number_integer_t value) override { return take(static_cast<double>(value)); }
    bool number_unsigned(number_unsigned_t value) override { return take(static_cast<double>(value)); }
    bool number_float(number_float_t value, string_t const&) override { return take(value); }
    bool string(string_t& value) override { return key_ == "machine" || refuse(value); }
    bool binary(binary_t&) override { return refuse("binary"); }
    bool start_object(std::size_t) override { return depth_++ == 0 || refuse("{"); }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return refuse("["); }
    bool end_array() override { return true; }
    bool key(string_t& key) override {
        key_ = key;
        if (key != "machine" && find(key) == nullptr) fail(place_of("\"" + key + "\""), unknown(key));
        return true;
    }
    bool parse_error(std::size_t position, std::string const&, nlohmann::detail::exception const&) override {
        fail(std::min(position == 0 ? 0 : position - 1, text_.size()),
             "this is no JSON, expected an object of constants, as in {\"between_gbps\": 10}");
    }

private:
    bool take(double value) {
        auto const* const constant = find(key_);
        if (depth_ == 0 || constant == nullptr) return refuse(fmt::format("{}", value));
        if (!allows(*constant, value)) fail(place_of("\"" + key_ + "\""), refused(*constant, fmt::format("{}", value)));
        constants.*(constant->value) = value;
        return true;
    }
    bool refuse(std::string const& shown) {
        if (depth_ == 0 || key_.empty()) fail(0, "expected an object of constants, as in {\"between_gbps\": 10}");
        auto const* const constant = find(key_);
        fail(place_of("\"" + key_ + "\""),
             constant != nullptr ? refused(*constant, shown) : fmt::format("{}: expected a text", key_));
    }
    /// The position of a key in the text; 0 if it is written with escapes.
    std::size_t place_of(std::string const& quoted) const {
        auto const found = text_.find(quoted);
        return found == std::string::npos ? 0 : found;
    }
    [[noreturn]] void fail(std::size_t at, std::string const& message) const {
        auto const before = std::string_view(text_).substr(0, at);
        auto const line = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1;
        auto const newline = before.rfind('\n');
        auto const column = newline == std::string_view::npos ? at + 1 : at - newline;
        throw InputError({name_, line, column}, message);
    }

    std::string const& text_;
    std::string const& name_;
    std::string key_;
    int depth_ = 0;
};

}  // namespace

std::span<NamedConstant const> named_constants() {
    return constants_by_name;
}

void set_constant(Constants& constants, std::string_view assignment, std::string_view option) {
    auto const sign = assignment.find('=');
    if (sign == std::string_view::npos) {
        throw InputError(
            fmt::format("{}: '{}', expected NAME=VALUE, as in node_gbps=25", option, common::escaped(assignment)));
    }
    auto const name = assignment.substr(0, sign);
    auto const* const constant = find(name);
    if (constant == nullptr) throw InputError(fmt::format("{}: {}", option, unknown(name)));
    auto const text = assignment.substr(sign + 1);
    double number = -1;
    auto const [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || rest != text.data() + text.size() || !allows(*constant, number))
        throw InputError(fmt::format("{}: {}", option, refused(*constant, text)));
    constants.*(constant->value) = number;
}

Constants parse_constants(std::string const& text, std::string const& name) {
    Reader reader(text, name);
    nlohmann::json::sax_parse(text, &reader);
    return reader.constants;
}

}  // namespace regraft::plan::simulated
