// gtest main for tests without MPI.
#include <gtest/gtest.h>

#include "support/of_file.hpp"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    regraft::test::choose_file(argc, argv);
    return RUN_ALL_TESTS();
}
