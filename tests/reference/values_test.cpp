// Every family against the outputs that NumPy gives: tests/data/reference/*.json.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "gen/test_paths.h"
#include "tests/support/case.h"
#include "tests/support/command.h"

namespace ingot {
namespace {

// What tests/reference/cases.py wrote: families and their numbers of cases.
std::map<std::string, size_t> case_counts() {
  std::ifstream file(fmt::format("{}/tests/data/reference/counts.txt", test::source_dir));
  std::map<std::string, size_t> counts;
  for (std::string family; file >> family;) file >> counts[family];
  return counts;
}

TEST(ReferenceCases, HaveACountForEveryFamily) {
  std::vector<std::string> families;
  for (const auto& [family, count] : case_counts()) families.push_back(family);
  EXPECT_EQ(families, test::case_families());
}

class ReferenceValues : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceValues, AreThoseOfNumPy) {
  std::set<std::string> names;
  for (const test::CaseResult& result : test::run_cases(GetParam())) {
    EXPECT_EQ(result.problem, "") << result.name;
    EXPECT_TRUE(names.insert(result.name).second) << "two cases are called " << result.name;
  }
  EXPECT_EQ(names.size(), case_counts().at(GetParam()));
}

TEST_P(ReferenceValues, AreWhatTheScriptMakes) {
  const std::string line = fmt::format("{} tests/reference/cases.py --check {}", test::python, GetParam());
  const test::CommandResult result = test::run_command(line, test::source_dir);
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

INSTANTIATE_TEST_SUITE_P(, ReferenceValues, testing::ValuesIn(test::case_families()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace ingot
