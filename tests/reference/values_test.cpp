// Every family against the outputs that NumPy gives: tests/data/reference/*.json.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "gen/test_paths.h"
#include "tests/reference/case.h"
#include "tests/support/command.h"

namespace ingot {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(fs::path(test::source_dir) / "tests/data/reference")) {
    if (file.path().extension() == ".json") names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class ReferenceValues : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceValues, AreThoseOfNumPy) { test::run_cases(GetParam()); }

TEST_P(ReferenceValues, AreWhatTheScriptMakes) {
  const std::string line = fmt::format("{} tests/reference/cases.py --check {}", test::python, GetParam());
  const test::CommandResult result = test::run_command(line, test::source_dir);
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

INSTANTIATE_TEST_SUITE_P(, ReferenceValues, testing::ValuesIn(families()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace ingot
