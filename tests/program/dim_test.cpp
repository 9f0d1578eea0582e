// Canonical forms, the rules that lead to them, what they print as, and what is refused. Expectations by hand.
#include "program/dim.h"

#include <chrono>

#include "tests/program/dim_support.h"

namespace ingot {
namespace {

using namespace test;

struct Row {
  std::string_view text, expected;
};

template <size_t N>
void expect_canonical(const Row (&rows)[N]) {
  for (const Row& row : rows) EXPECT_EQ(to_string(dim(row.text)), row.expected) << row.text;
}

// ------------------------------------------------------------------------------------------------------ canonical form

TEST(Dims, SumsOfProductsAreSortedAndMerged) {
  expect_canonical({
      {"7 - 9", "-2"},
      {"S + S", "2*S"},
      {"S*2 + 3*S - 5*S", "0"},
      {"B + A", "A + B"},
      {"1 + A", "A + 1"},
      {"A*B*A + B", "A*A*B + B"},
      {"B + A*B", "A*B + B"},
      {"(A + B)*(A - B)", "A*A - B*B"},
      {"(A + 1)*(A + 1)", "A*A + 2*A + 1"},
      {"0*A + 3", "3"},
      {"A*(B + 2) - A*B - 2*A", "0"},
  });
}

TEST(Dims, SignsAndParenthesesArePrintedWhereTheyAreNeeded) {
  expect_canonical({
      {"4 - A", "4 - A"},
      {"-A", "-A"},
      {"-A - B", "-A - B"},
      {"-2*A*B", "-2*A*B"},
      {"-min(A, B)", "-min(A, B)"},
      {"-(A / 2)", "-(A / 2)"},
      {"2*(A / 3)", "2*(A / 3)"},
      {"A / 4 * 4", "4*(A / 4)"},
      {"(A / 3)*(B / 2)", "(A / 3)*(B / 2)"},
      {"A*(B / 2) / 3", "A*(B / 2) / 3"},
      {"(A + B) / (S + T)", "(A + B) / (S + T)"},
      {"A / (2*P)", "A / (2*P)"},
  });
}

TEST(Dims, CeilingsAndRemaindersAreRecognised) {
  expect_canonical({
      {"ceil(A, 4)", "ceil(A, 4)"},
      {"(A + 3) / 4", "ceil(A, 4)"},
      {"2*ceil(A, 3)", "2*ceil(A, 3)"},
      {"ceil(A, P)", "ceil(A, P)"},
      {"ceil(A + 3, 4)", "(A + 2) / 4 + 1"},
      {"A % 4", "A % 4"},
      {"A - 4*(A / 4)", "A % 4"},
      {"-(A % 3)", "-(A % 3)"},
      {"2*(A % 3)", "2*(A % 3)"},
      {"A % P", "A % P"},
      {"5 % P", "5 % P"},
      {"A % 4 + B % 3", "A % 4 + B % 3"},
  });
}

TEST(Dims, EqualSumsAreEqualInAnyOrder) {
  const Dim a = Symbol("A"), b = Symbol("B"), c = floor_div(a, 3), d = min(a, b);
  EXPECT_EQ(a + b * 2 + c + d, d + c + b + a + b);
  EXPECT_EQ(a * b * d, d * b * a);
  EXPECT_NE(a + b, a + b + 1);
  EXPECT_NE(a, b);
  EXPECT_EQ(Dim(), Dim(0));
}

TEST(Dims, SymbolIsGivenForASymbolAlone) {
  EXPECT_EQ(dim("A").symbol()->name(), "A");
  EXPECT_FALSE(dim("2*A").symbol());
  EXPECT_FALSE(dim("A / 2").symbol());
  EXPECT_FALSE(dim("3").symbol());
  std::vector<Symbol> found;
  collect_symbols(dim("B + min(A, N)*B / (P + 1)"), found);
  ASSERT_EQ(found.size(), 4U);
  for (const char* name : {"A", "B", "N", "P"}) {
    EXPECT_TRUE(std::find(found.begin(), found.end(), Symbol(name)) != found.end()) << name;
  }
}

// --------------------------------------------------------------------------------------------------------------- rules

TEST(DimRules, LiteralsFold) {
  expect_canonical({
      {"7 / 2", "3"},
      {"-7 / 2", "-4"},
      {"7 % 2", "1"},
      {"-7 % 2", "1"},
      {"ceil(7, 2)", "4"},
      {"ceil(-7, 2)", "-3"},
      {"min(7, 3)", "3"},
      {"max(7, 3)", "7"},
      {"-9223372036854775808 / 3", "-3074457345618258603"},
  });
}

TEST(DimRules, Quotients) {
  expect_canonical({
      // p / 1
      {"A / 1", "A"},
      {"A % 1", "0"},
      // (q·s + r) / q, q one term
      {"(4*A + 2) / 2", "2*A + 1"},
      {"(4*A + 3) / 2", "2*A + 1"},
      {"(A + 4*B) / 4", "B + A / 4"},
      {"(P*B + P) / P", "B + 1"},
      {"(A + 3*P) / (2*P)", "(A + P) / (2*P) + 1"},
      {"(A + 4) % 4", "A % 4"},
      {"A / 4 * 4 + A % 4", "A"},
      // (k·p + c) / (k·q)
      {"(4*A + 6) / 8", "ceil(A, 2)"},
      {"(6*A) / (4*P)", "3*A / (2*P)"},
      // (x·p) / (x·q), x >= 1
      {"(P*A + P*3) / (P*Q)", "(A + 3) / Q"},
      // (p / a + c) / b
      {"A / 2 / 3", "A / 6"},
      {"(A / 2 + 1) / 3", "(A + 2) / 6"},
      {"A / P / Q", "A / (P*Q)"},
      // the bounds leave one value
      {"S / 1000", "0"},
      {"(S - 600) / 1000", "-1"},
      {"N / 101", "0"},
      {"N / 100", "N / 100"},
      {"A / (A + 1)", "0"},
      {"(A % 4) / 4", "0"},
      {"(A % 4) % 4", "A % 4"},
      {"(A % P) / P", "0"},
      // q several terms
      {"(2*A + 1) / (A + 1)", "1"},
      {"(A*A + 2*A + 1) / (A + 1)", "A + 1"},
      {"(A*B + A + B + 1) / (B + 1)", "A + 1"},
  });
}

TEST(DimRules, MinAndMax) {
  expect_canonical({
      {"min(A, A)", "A"},
      {"min(B, A)", "min(A, B)"},
      {"min(S, 512)", "S"},
      {"min(S, 511)", "min(S, 511)"},
      {"max(S, 1)", "S"},
      {"max(S, 2)", "max(S, 2)"},
      {"max(A, 0)", "A"},
      {"max(A - 4, 0)", "max(A - 4, 0)"},
      {"min(A, A + 1)", "A"},
      {"max(A, A + 1)", "A + 1"},
      {"min(min(A, B), T)", "min(A, min(B, T))"},
      {"min(T, min(B, A))", "min(A, min(B, T))"},
      {"max(A, max(B, A))", "max(A, B)"},
      {"min(max(A, 3), 3)", "3"},
      {"min(A / 2, A)", "A / 2"},
  });
}

// -------------------------------------------------------------------------------------------------------------- bounds

TEST(DimBounds, HoldForEverySizeAndAreTight) {
  constexpr int64_t low = std::numeric_limits<int64_t>::min(), high = kUnbounded;
  const struct {
    std::string_view text;
    int64_t min, max;
  } rows[] = {
      {"7", 7, 7},
      {"A", 0, high},
      {"S", 1, 512},
      {"2*S + 1", 3, 1025},
      {"4 - S", -508, 3},
      {"-A", low, 0},
      {"A - B", low, high},
      {"S*N", 0, 51200},
      {"S*N - 3*N", -200, 50900},
      {"A / 3", 0, high},
      {"N / 3", 0, 33},
      {"(N - 50) / 7", -8, 7},
      {"A % 4", 0, 3},
      {"A % P", 0, high},
      {"N % 7 + S", 1, 518},
      {"A - A / 4", 0, high},
      {"A - min(A, B)", 0, high},
      {"min(A, N)", 0, 100},
      {"max(S, N)", 1, 512},
      {"N / P", 0, 100},
      {"5 % P", 0, 5},
      {"A - 9223372036854775807", -9223372036854775807, high},
  };
  for (const auto& row : rows) {
    const DimRange bounds = range(dim(row.text));
    EXPECT_EQ(bounds.min, row.min) << row.text;
    EXPECT_EQ(bounds.max, row.max) << row.text;
  }
}

// ------------------------------------------------------------------------------------------------------------ refusals

TEST(DimRefusals, Divisors) {
  EXPECT_EQ(refusal([] { dim("A / 0"); }), "invalid argument: the divisor is 0, expected at least 1");
  EXPECT_EQ(refusal([] { dim("A % (-3)"); }), "invalid argument: the divisor is -3, expected at least 1");
  EXPECT_EQ(refusal([] { dim("1 / A"); }), "invalid argument: the divisor A is at least 0, expected at least 1");
  EXPECT_EQ(refusal([] { dim("ceil(A, S - 5)"); }),
            "invalid argument: the divisor S - 5 is at least -4, expected at least 1");
  EXPECT_EQ(refusal([] { dim("A / (A - B)"); }),
            "invalid argument: the divisor A - B is unbounded below, expected at least 1");
}

TEST(DimRefusals, Overflow) {
  EXPECT_EQ(refusal([] { dim("9223372036854775807 + 1"); }), "limit: a size leaves 64 bits: 9223372036854775807 + 1");
  EXPECT_EQ(refusal([] { dim("-9223372036854775808 - 1"); }), "limit: a size leaves 64 bits: -9223372036854775808 - 1");
  EXPECT_EQ(refusal([] { dim("4611686018427387904*2"); }), "limit: a size leaves 64 bits: 4611686018427387904 * 2");
  EXPECT_EQ(refusal([] { dim("9223372036854775807*A + A"); }), "limit: a size leaves 64 bits: 9223372036854775807 + 1");
  EXPECT_EQ(refusal([] { dim("9223372036854775807*A*2"); }), "limit: a size leaves 64 bits: 9223372036854775807 * 2");
  EXPECT_EQ(refusal([] { dim("A - 9223372036854775807 - 2"); }),
            "limit: a size leaves 64 bits: -9223372036854775807 + -2");
}

TEST(DimRefusals, Symbols) {
  EXPECT_EQ(refusal([] { Symbol(""); }), "invalid argument: a symbol has no name");
  EXPECT_EQ(
      refusal([] { Symbol("a-b"); }),
      "invalid argument: the name of a symbol is 'a-b', expected letters, digits and _, without a digit in front");
  EXPECT_EQ(refusal([] { Symbol("2S"); }),
            "invalid argument: the name of a symbol is '2S', expected letters, digits and _, without a digit in front");
  EXPECT_EQ(refusal([] { Symbol("S", -1); }),
            "invalid argument: the range of symbol S is -1..9223372036854775807, expected 0 <= min <= max");
  EXPECT_EQ(refusal([] { Symbol("S", 3, 2); }),
            "invalid argument: the range of symbol S is 3..2, expected 0 <= min <= max");
  EXPECT_EQ(Symbol("_s2", 3, 3).max(), 3);
}

// ------------------------------------------------------------------------------------------------- hostile expressions

std::vector<Dim> many_symbols(int count) {
  std::vector<Dim> dims;
  for (int i = 0; i < count; ++i) dims.push_back(Symbol(fmt::format("s{}", i)));
  return dims;
}

TEST(DimLimits, WideDeepAndLargeExpressionsAreRefused) {
  const std::vector<Dim> s = many_symbols(70);
  EXPECT_EQ(refusal([&] {
              Dim sum;
              for (const Dim& symbol : s) sum = sum + symbol;
            }),
            "limit: a size is an expression of 65 terms, expected at most 64");
  EXPECT_EQ(refusal([&] {
              Dim power = s[0] + s[1] + s[2] + s[3];
              for (;;) power = power * power;
            }),
            "limit: a size is an expression of 140 atoms, expected at most 128");
  EXPECT_EQ(refusal([&] {
              Dim product = s[0];
              for (;;) product = product * product;
            }),
            "limit: a size is an expression of 256 atoms, expected at most 128");
  EXPECT_EQ(refusal([&] {
              Dim nested = s[0];
              for (size_t i = 1;; ++i) nested = floor_div(nested + s[i], 3);
            }),
            "limit: a size is an expression of 17 nested operations, expected at most 16");
  EXPECT_EQ(refusal([&] {
              Dim doubling = s[0];
              for (size_t i = 1;; ++i) doubling = max(doubling - s[i], 2) * min(doubling, s[i] * 3);
            }),
            "limit: a size is an expression of 156 atoms, expected at most 128");
}

// Whatever the limits let through stays cheap: no function may take exponential time in the nesting.
TEST(DimLimits, TheLargestExpressionsAreCheap) {
  const std::vector<Dim> s = many_symbols(64);
  const auto start = std::chrono::steady_clock::now();
  Dim extremes = s[0] * s[1], nested = s[0], quotients;
  for (size_t i = 1; i < 15; ++i) extremes = min(extremes, s[i] * s[i + 1] - s[i + 2] * 3);
  for (size_t i = 1; i < 12; ++i) nested = max(nested - s[i], s[i + 1] * 2) + floor_div(s[i + 2] + 1, i + 2);
  for (size_t i = 0; i < 12; ++i)
    quotients = quotients + floor_div(s[i] * s[i + 1] + 1, s[i + 2] + 2) * s[i + 3] - s[i] * 7;
  for (const Dim& d : {extremes, nested, quotients}) {
    range(d);
    equal(d, quotients + 1);
    less_equal(d, nested);
    to_string(d);
    EXPECT_EQ(random_dim::rebuild(d), d);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_LT(elapsed.count(), 10);
}

// ----------------------------------------------------------------------------------------------------------- at random

// Canonical forms have the values of the trees they were built from, bounds and proofs hold for every size tried, and a
// Dim that is rebuilt, or printed and read, is the same.
TEST(DimRandom, EveryPropertyHolds) {
  const auto choose = seeded(20250101);
  int built = 0;
  for (int i = 0; i < 2000; ++i) {
    const random_dim::Case c = random_dim::random_case(choose, 2 + i % 4, 6);
    ASSERT_EQ(random_dim::failure(c, &built), "") << "smallest:\n" << random_dim::smallest_failure(c);
  }
  EXPECT_GT(built, 1500);
}

}  // namespace
}  // namespace ingot
