// What a summary counts.
#include <gtest/gtest.h>

#include <limits>

#include "program/report.h"
#include "program/text.h"

namespace ingot {
namespace {

TEST(Summary, CountsWeightsWhetherOrNotTheyHaveContents) {
  const Summary summary = summarize(
      parse("ingot 1\nweight @a : f32[2] = [1, 2]\nweight @again : f32[2] = [1, 2]\nweight @z : f16[3] = zeros\n"
            "weight @y : f16[3] = zeros\nweight @w : i4[5]\nweight @v : f32[2]\n"));
  EXPECT_EQ(summary.weights, 6U);
  EXPECT_EQ(summary.distinct_weights, 5U) << "what is not stored is not known to be equal";
  EXPECT_EQ(summary.parameters, 2U + 3 + 3 + 5 + 2);
  EXPECT_EQ(summary.weight_bytes, 8U + 6 + 6 + 3 + 8);
  EXPECT_EQ(summary.missing, (std::vector<std::string>{"w: i4[5]", "v: f32[2]"}));
}

// A small file may declare more than 64 bits count.
TEST(Summary, StopsAtTheLargestNumber) {
  const Weight large{.name = "w", .type = {DType::u8, {int64_t{1} << 62}, {}}};
  const Program program{.symbols = {}, .weights = std::vector<Weight>(5, large), .states = {}, .graphs = {}};
  EXPECT_EQ(summarize(program).weight_bytes, std::numeric_limits<uint64_t>::max());
}

}  // namespace
}  // namespace ingot
