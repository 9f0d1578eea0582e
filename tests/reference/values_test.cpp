// Every family against the outputs that NumPy gives: tests/data/reference/*.json.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "gen/test_paths.h"
#include "tests/reference/case.h"
#include "tests/support/command.h"

namespace ingot {
namespace {

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(std::string(test::source_dir) + "/tests/data/reference")) {
    if (file.path().extension() == ".json") names.push_back(file.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

class ReferenceValues : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceValues, AreThoseOfNumPy) { test::run_cases(GetParam()); }

INSTANTIATE_TEST_SUITE_P(, ReferenceValues, testing::ValuesIn(families()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace ingot
