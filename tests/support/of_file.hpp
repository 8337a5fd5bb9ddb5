// Many files of tests are one program, which links once. --of=NAME runs the tests of NAME_test.cpp alone.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace regraft::test {

/// The tests of a file, as GoogleTest's filter; empty if there is none.
inline std::string tests_of_file(std::string const& name) {
    std::string const file = "/" + name + "_test.cpp";
    std::string filter;
    auto const& all = *testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
        auto const& suite = *all.GetTestSuite(i);
        for (int k = 0; k < suite.total_test_count(); ++k) {
            auto const& test = *suite.GetTestInfo(k);
            if (std::string_view(test.file()).ends_with(file))
                filter += std::string(suite.name()) + "." + test.name() + ":";
        }
    }
    return filter;
}

/// Reads --of=NAME. To be called after InitGoogleTest, whose --gtest_filter goes first.
inline void choose_file(int argc, char** argv) {
    constexpr std::string_view option = "--of=";
    for (int i = 1; i < argc; ++i) {
        std::string_view const word = argv[i];
        if (!word.starts_with(option) || GTEST_FLAG_GET(filter) != "*") continue;
        auto const filter = tests_of_file(std::string(word.substr(option.size())));
        if (filter.empty()) {
            std::fprintf(stderr, "%s: no tests in a file of that name\n", argv[i]);
            std::exit(2);
        }
        GTEST_FLAG_SET(filter, filter);
    }
}

}  // namespace regraft::test
