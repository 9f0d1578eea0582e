// Many elements that arrive transposed, NaN and both zeros among them, with indices that meet more than once: where
// MLX's own order of writes, of equal elements and of NaN would show. Everything is compared with the reference engine.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/support/agreement.h"

namespace ingot::test {
namespace {

constexpr std::string_view kTransposed =
    "  %x = transpose %given {perm=[2, 0, 1]}\n  %u = transpose %more {perm=[2, 0, 1]}\n";

constexpr std::string_view kReads = R"(
  %near = clip %i, %low, %high
  %take = take %x, %near {axis=1}
  %taken = take %x, %i {axis=2, mode=drop}
  %spread = broadcast %near {shape=[31, 23, 40]}
  %gather = gather %x, %spread {axis=2, mode=clamp}
  %rows = reshape %i {shape=[20, 2]}
  %nd = gather_nd %x, %rows {mode=drop}
  %get = index_get %x, [%i, %i] {axes=[2, 0], mode=clamp}
  %part = dynamic_slice %x, [%a, %b] {axes=[2, 0], sizes=[9, 40], mode=drop}
)";

// Of the writes of one kind; `set` and the extremes get NaN and -0 too.
std::string writes(std::string_view fn) {
  return fmt::format(R"(
  %long = broadcast %i {{shape=[31, 23, 40]}}
  %whole = concatenate [%u, %u] {{axis=2}}
  %some = slice %whole {{axes=[2], starts=[0], stops=[40], steps=[1]}}
  %scatter = scatter_{0} %x, %long, %some {{axis=2, mode=drop}}
  %clamped = scatter_{0} %x, %long, %some {{axis=2, mode=clamp}}
  %rows = reshape %i {{shape=[20, 2]}}
  %of_rows = slice %u {{axes=[0, 1], starts=[0, 0], stops=[20, 1]}}
  %flat = reshape %of_rows {{shape=[20, 29]}}
  %nd = scatter_nd_{0} %x, %rows, %flat {{mode=drop}}
  %put = index_put_{0} %x, [%i, %i], %one {{axes=[2, 0], mode=clamp}}
  %set = dynamic_update %x, %u, [%b, %a] {{axes=[1, 2], mode=drop}}
)",
                     fn);
}

constexpr std::string_view kOrders = R"(
  %up, %up_at = sort %x {axis=1}
  %down, %down_at = sort %x {axis=2, descending=true}
  %top, %top_at = topk %x {k=7, axis=0}
  %bottom, %bottom_at = topk %x {k=7, axis=1, largest=false}
  %median = median %x {axis=2}
  %mean = median %x {axis=0, average=true}
  %sorted, %sorted_at = sort %f
  %left = search_sorted %sorted, %x
  %right = search_sorted %sorted, %x {right=true}
)";

constexpr std::string_view kCounts = R"(
  %places = nonzero %x {count=N}
  %all, %all_first, %all_of, %all_times = unique %x {count=A}
  %found, %found_first, %found_of, %found_times = unique %x {count=B, sorted=false}
  %half = slice %x {axes=[2], starts=[0], stops=[3]}
  %twice = concatenate [%half, %half] {axis=1}
  %slices, %first, %of, %times = unique %twice {count=C, axis=1}
  %seen, %seen_first, %seen_of, %seen_times = unique %twice {count=D, axis=-2, sorted=false}
  %mask = ne %x, %u
  %filled = masked_scatter %x, %mask, %u
)";

std::vector<float> few_numbers(size_t n, uint32_t seed, bool special) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  constexpr float plain[] = {-2, -1, -0.5, 0.5, 1, 2, 0, 1}, more[] = {-2, -1, -0.0F, 0, 1, nan, inf, -nan};
  std::mt19937 random(seed);
  std::vector<float> values(n);
  for (float& value : values) value = (special ? more : plain)[random() % 8];
  return values;
}

std::string program(std::string_view body, std::string_view results) {
  return fmt::format(
      "ingot 1\nsymbol N in 0..\nsymbol A in 1..\nsymbol B in 1..\nsymbol C in 1..\nsymbol D in 1..\n"
      "method main(%given: f32[23, 29, 31], %more: f32[23, 29, 31], %i: i32[40], %one: f32[1], %low: i32[], "
      "%high: i32[], %a: i64[], %b: i64[], %f: f32[500]) -> ({}) {{\n{}{}  return {}\n}}\n",
      results, kTransposed, body, values_named(results));
}

Tensors inputs(bool special) {
  constexpr size_t n = 23 * 29 * 31;
  std::mt19937 random(5);
  std::vector<int32_t> indices(40);
  for (int32_t& index : indices) index = static_cast<int32_t>(random() % 34) - 3;
  return {{"given", Tensor::of<float>({23, 29, 31}, few_numbers(n, 1, special))},
          {"more", Tensor::of<float>({23, 29, 31}, few_numbers(n, 2, special))},
          {"i", Tensor::of<int32_t>({40}, indices)},
          {"one", Tensor::of<float>({1}, {0.5F})},
          {"low", Tensor::of<int32_t>({}, {-20})},
          {"high", Tensor::of<int32_t>({}, {20})},
          {"a", Tensor::of<int64_t>({}, {-4})},
          {"b", Tensor::of<int64_t>({}, {11})},
          {"f", Tensor::of<float>({500}, few_numbers(500, 3, special))}};
}

void compare(std::string_view body, std::string_view results, bool special) {
  expect_as_reference(program(body, results), inputs(special), {{.ulps = 0, .signed_zero = false}});
}

TEST(MlxIndex, Reads) { compare(kReads, "take, taken, gather, nd, get, part", true); }

TEST(MlxIndex, WritesInOrder) {
  for (const char* fn : {"set", "max", "min"}) compare(writes(fn), "scatter, clamped, nd, put, set", true);
  for (const char* fn : {"add", "mul"}) compare(writes(fn), "scatter, clamped, nd, put, set", false);
}

TEST(MlxIndex, Orders) {
  compare(kOrders, "up, up_at, down, down_at, top, top_at, bottom, bottom_at, median, mean, left, right", true);
}

TEST(MlxIndex, Counts) {
  constexpr std::string_view results =
      "places, all, all_first, all_of, all_times, found, found_first, found_of, found_times, slices, first, of, times, "
      "seen, seen_first, seen_of, seen_times, filled";
  compare(kCounts, results, true);
  compare(kCounts, results, false);
}

}  // namespace
}  // namespace ingot::test
